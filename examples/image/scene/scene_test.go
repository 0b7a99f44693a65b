package scene

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const width, height = 384, 256

// TestCurrent checks every eleventh row of testdata/photograph.png against this package.
// PUREMETAL_UPDATE=1 renders it again. On a processor that rounds differently, a path sometimes
// takes another direction, which changes a pixel of many paths very little.
func TestCurrent(t *testing.T) {
	name := filepath.Join("..", "..", "..", "testdata", "photograph.png")
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		f, err := os.Create(name)
		require.NoError(t, err)
		require.NoError(t, png.Encode(f, Rows(width, height, 0, height)))
		require.NoError(t, f.Close())
	}
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	stored, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, [2]int{width, height}, [2]int{stored.Bounds().Dx(), stored.Bounds().Dy()})
	off, seen := 0, 0
	for y := 5; y < height; y += 11 {
		picture := Rows(width, height, y, y+1)
		for x := range width {
			r, g, b, _ := stored.At(x, y).RGBA()
			p := picture.NRGBAAt(x, y)
			for i, c := range []uint8{p.R, p.G, p.B} {
				if d := int(c) - int([]uint32{r, g, b}[i]>>8); d < -4 || d > 4 {
					off++
				}
			}
			seen += 3
		}
	}
	assert.Less(t, off, seen/200, "of %d numbers", seen)
}
