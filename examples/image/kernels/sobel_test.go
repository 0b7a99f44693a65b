package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// TestSobel: the device computes what the function does on the CPU, bit for bit.
func TestSobel(t *testing.T) {
	const width, height = 37, 11
	random := rand.New(rand.NewPCG(1, 2))
	pixels := make([]simd.UChar4, width*height)
	for i := range pixels {
		pixels[i] = simd.UChar4{X: uint8(random.Uint32()), Y: uint8(random.Uint32()), Z: uint8(i), W: 255}
	}
	in, err := kernel.NewImage(pixels, width, height, "RGBA8Uint")
	require.NoError(t, err)
	out, err := kernel.NewImage(make([]simd.UChar4, width*height), width, height, "RGBA8Uint")
	require.NoError(t, err)
	computetest.EqualOnCPU(t, Sobel, compute.Threads2D(width, height), in, out)
}
