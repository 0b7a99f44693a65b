// Package kernels has the kernels of ../nbody.metal in Go.
package kernels

import (
	"math"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// tile is the number of bodies that a threadgroup loads at a time, one by each thread.
const tile = 128

// Kick accelerates each body by the gravity of all others for a time dt. A body is its position
// and, in W, its mass. softening keeps the force between close bodies finite. A threadgroup loads
// bodies into shared memory one tile at a time.
//
//puremetal:kernel group=128
func Kick(t *kernel.Thread, bodies, velocities []simd.Float4, dt, softening float32) {
	shared := kernel.Shared[[tile]simd.Float4](t)
	i, lane := int(t.Global.X), t.Local.X
	var at simd.Float4
	if i < len(bodies) {
		at = bodies[i]
	}
	var x, y, z float32
	for first := 0; first < len(bodies); first += tile {
		shared[lane] = simd.Float4{} // a body without mass exerts no force
		if j := first + int(lane); j < len(bodies) {
			shared[lane] = bodies[j]
		}
		t.Barrier()
		for k := range shared {
			b := shared[k]
			dx, dy, dz := b.X-at.X, b.Y-at.Y, b.Z-at.Z
			r := 1 / float32(math.Sqrt(float64(dx*dx+dy*dy+dz*dz+softening*softening)))
			pull := b.W * r * r * r
			x += pull * dx
			y += pull * dy
			z += pull * dz
		}
		t.Barrier()
	}
	if i < len(velocities) {
		velocities[i].X += dt * x
		velocities[i].Y += dt * y
		velocities[i].Z += dt * z
	}
}

// Drift moves each body at its velocity for a time dt.
//
//puremetal:kernel
func Drift(t *kernel.Thread, bodies, velocities []simd.Float4, dt float32) {
	i := int(t.Global.X)
	if i >= len(bodies) || i >= len(velocities) {
		return
	}
	bodies[i].X += dt * velocities[i].X
	bodies[i].Y += dt * velocities[i].Y
	bodies[i].Z += dt * velocities[i].Z
}
