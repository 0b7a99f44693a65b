package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStepsExample runs the spec file of examples/image on a picture with one vertical edge. The
// blur keeps what is far from the edge, and the edges are where the blurred picture changes.
func TestStepsExample(t *testing.T) {
	dir := t.TempDir()
	photo := image.NewNRGBA(image.Rect(0, 0, 320, 240))
	for i := range 320 * 240 {
		gray := uint8(20)
		if i%320 >= 160 {
			gray = 220
		}
		photo.SetNRGBA(i%320, i/320, color.NRGBA{gray, gray, gray, 255})
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, photo))
	name := func(s string) string { return filepath.Join(dir, s+".png") }
	require.NoError(t, os.WriteFile(name("photo"), b.Bytes(), 0o666))
	var out, stderr bytes.Buffer
	a := &app{ctx: t.Context(), out: &out, err: &stderr, env: func(string) string { return "" }}
	code := a.main([]string{"run", "../../examples/image", "-q", "--arg", "photo=@" + name("photo"),
		"--out", "blurred=" + name("blurred"), "--out", "edges=" + name("edges")})
	require.Zero(t, code, stderr.String())
	gray := func(file string, x int) (all []uint8) {
		f, err := os.Open(name(file))
		require.NoError(t, err)
		defer f.Close()
		m, err := png.Decode(f)
		require.NoError(t, err)
		require.Equal(t, photo.Bounds(), m.Bounds())
		for i := range 8 {
			all = append(all, color.NRGBAModel.Convert(m.At(x+i, 120)).(color.NRGBA).G)
		}
		return all
	}
	// 20 plus 200 times the weights that reach beyond the edge: 0.05, 0.3, 0.7 and 0.95.
	assert.Equal(t, []uint8{20, 20, 30, 80, 160, 210, 220, 220}, gray("blurred", 156))
	edges := gray("edges", 156)
	assert.Equal(t, []uint8{0, 40, 240, 255, 255, 240, 40, 0}, edges)
}
