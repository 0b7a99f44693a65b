package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/npy"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRun multiplies the generated matrices and decodes the product according to NumPy's format:
// magic, version, header length, header, numbers.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	require.NoError(t, run(t.Context(), &b, nil))
	assert.Contains(t, b.String(), "c.npy: float32[300 100]")
	file, err := os.ReadFile("c.npy")
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(file, []byte("\x93NUMPY\x01\x00")))
	header, data := file[10:10+int(file[8])+int(file[9])<<8], file[10+int(file[8])+int(file[9])<<8:]
	assert.Zero(t, (len(header)+10)%64)
	assert.Regexp(t, `^\{'descr': '<f4', 'fortran_order': False, 'shape': \(300, 100\), \} *\n$`, string(header))
	require.Len(t, data, 4*300*100)
	got, want := make([]float32, 300*100), make([]float64, 300*100)
	_, err = binary.Decode(data, binary.LittleEndian, got)
	require.NoError(t, err)
	a := func(n int) float64 { return float64(float32(math.Sin(float64(n)))) }
	for i := range 300 {
		for j := range 100 {
			for k := range 200 {
				want[i*100+j] += a(i*200+k) * a(k*100+j)
			}
		}
	}
	computetest.AllClose(t, got, want, computetest.Tolerance{Abs: 1e-3}, 300, 100)
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	write := func(s string, a *npy.Array, err error) {
		t.Helper()
		require.NoError(t, err)
		require.NoError(t, npy.WriteFile(name(s), a))
	}
	a, err := npy.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	write("a.npy", a, err)
	a, err = npy.Of([]float64{1, 2, 3}, 3, 1)
	write("doubles.npy", a, err)
	a, err = npy.Of([]float32{1, 2, 3})
	write("line.npy", a, err)
	a, err = npy.Of([]float32{}, 3, 0)
	write("empty.npy", a, err)
	require.NoError(t, os.WriteFile(name("text.npy"), []byte("1 2 3"), 0o666))
	for _, c := range []struct{ a, b, want string }{
		{"a.npy", "a.npy", "has 3 columns"},
		{"a.npy", "doubles.npy", "f8"},
		{"a.npy", "line.npy", "shape [3]"},
		{"a.npy", "empty.npy", "want a non-empty matrix"},
		{"text.npy", "a.npy", "text.npy"},
		{"none.npy", "a.npy", "none.npy"},
	} {
		err := run(t.Context(), &bytes.Buffer{}, []string{name(c.a), name(c.b), name("c.npy")})
		assert.ErrorContains(t, err, c.want)
		assert.NoFileExists(t, name("c.npy"))
	}
	assert.ErrorContains(t, run(t.Context(), &bytes.Buffer{}, []string{"one"}), "1 files")
}
