package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/simd"
)

// TestKernels: the device computes what the functions do on the CPU, bit for bit.
func TestKernels(t *testing.T) {
	const n = 200 // no multiple of a tile
	random := rand.New(rand.NewPCG(3, 4))
	vector := func() simd.Float4 {
		return simd.Float4{X: random.Float32(), Y: random.Float32(), Z: random.Float32(), W: random.Float32()}
	}
	bodies, velocities := make([]simd.Float4, n), make([]simd.Float4, n)
	for i := range bodies {
		bodies[i], velocities[i] = vector(), vector()
	}
	groups := compute.Threadgroups{Grid: compute.Extent{X: 2}, Group: compute.Extent{X: tile}}
	computetest.EqualOnCPU(t, Kick, groups, bodies, velocities, float32(0.01), float32(0.1))
	computetest.EqualOnCPU(t, Drift, compute.Threads1D(n), bodies, velocities, float32(0.01))
}
