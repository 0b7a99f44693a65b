package dialects

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestOpenCLSamplers reads the nearest pixel in all address modes, with coordinates in pixels and
// normalized, by the rules of OpenCL 1.2 in section 8.2. PoCL 3.1 gives the same values.
func TestOpenCLSamplers(t *testing.T) {
	const w, h, n = 5, 4, 64
	modes := []string{"CLAMP", "CLAMP_TO_EDGE", "REPEAT", "MIRRORED_REPEAT"}
	var text strings.Builder
	for i, m := range modes {
		for j, c := range []string{"FALSE", "TRUE"} {
			if j == 0 && i > 1 {
				continue // only for normalized coordinates
			}
			fmt.Fprintf(&text, "__constant sampler_t s%d%d = CLK_NORMALIZED_COORDS_%s | CLK_ADDRESS_%s | CLK_FILTER_NEAREST;\n"+
				"__kernel void k%[1]d%[2]d(read_only image2d_t in, __global const float2 *at, __global float4 *out) {\n"+
				"  int i = get_global_id(0);\n  out[i] = read_imagef(in, s%[1]d%[2]d, at[i]);\n}\n", i, j, c, m)
		}
	}
	m := compile(t, dialect.OpenCL, "samplers.cl", text.String())
	random := rand.New(rand.NewPCG(8, 37))
	in := make([]float32, w*h*4)
	for i := range in {
		in[i] = float32(i + 1)
	}
	// place returns the pixel of a coordinate in units of the size, or -1 outside.
	place := func(mode string, u float64, size int) int {
		k := int(math.Floor(u * float64(size)))
		switch mode {
		case "REPEAT":
			k = int(math.Floor((u - math.Floor(u)) * float64(size)))
		case "MIRRORED_REPEAT":
			k = int(math.Floor(math.Abs(u-2*math.RoundToEven(u/2)) * float64(size)))
		case "CLAMP":
			if k < 0 || k >= size {
				return -1
			}
		}
		return min(max(k, 0), size-1)
	}
	for i, mode := range modes {
		for j := range 2 {
			if j == 0 && i > 1 {
				continue
			}
			at, out := make([]float32, 2*n), make([]float32, 4*n)
			for k := range at {
				at[k] = float32(random.IntN(97)-40) / 19
			}
			x := &testlaunch.Texture{Format: "RGBA32Float", Width: w, Height: h, Levels: [][]byte{encode(t, in)}}
			scaled := append([]float32{}, at...)
			for k := range scaled {
				if j == 0 {
					scaled[k] *= float32([2]int{w, h}[k%2])
				}
			}
			run(t, m, fmt.Sprintf("k%d%d", i, j), line(n, 8), x, scaled, out)
			for k := range n {
				px, py := place(mode, float64(at[2*k]), w), place(mode, float64(at[2*k+1]), h)
				want := make([]float32, 4) // the border
				if px >= 0 && py >= 0 {
					want = in[(py*w+px)*4:][:4]
				}
				assert.Equal(t, want, out[4*k:][:4], "%s of %g, %g", mode, at[2*k], at[2*k+1])
			}
		}
	}
}
