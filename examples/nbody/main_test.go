package main

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/examples/nbody/kernels"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOrbit checks that two bodies on a circular orbit return to their start after one period.
func TestOrbit(t *testing.T) {
	s := &system{
		bodies:     []simd.Float4{{X: 0.5, W: 0.5}, {X: -0.5, W: 0.5}},
		velocities: []simd.Float4{{Y: 0.5}, {Y: -0.5}}, // circular: the relative speed is sqrt(mass / distance)
		softening:  1e-3,
	}
	const steps = 1000
	require.NoError(t, s.advance(t.Context(), computetest.Open(t), 2*math.Pi/steps, steps))
	near := computetest.Tolerance{Abs: 1e-4}
	computetest.AllClose(t, s.bodies, []simd.Float4{{X: 0.5, W: 0.5}, {X: -0.5, W: 0.5}}, near)
	computetest.AllClose(t, s.velocities, []simd.Float4{{Y: 0.5}, {Y: -0.5}}, near)
}

// TestKick compares one step with float64, with a number of bodies that is no multiple of the tile.
func TestKick(t *testing.T) {
	s := sphere(3, 2*tile+17)
	before := sphere(3, 2*tile+17)
	const dt = 0.25
	require.NoError(t, s.advance(t.Context(), computetest.Open(t), dt, 1))
	soft := float64(s.softening) * float64(s.softening)
	kicks := make([]simd.Float3, len(s.bodies))
	want := make([][3]float64, len(s.bodies))
	for i := range s.bodies {
		// Half a kick before the drift and half a kick after it.
		v := &want[i]
		for _, places := range [][]simd.Float4{before.bodies, s.bodies} {
			for _, b := range places {
				d := [3]float64{float64(b.X) - float64(places[i].X), float64(b.Y) - float64(places[i].Y),
					float64(b.Z) - float64(places[i].Z)}
				r := math.Pow(d[0]*d[0]+d[1]*d[1]+d[2]*d[2]+soft, -1.5)
				for k := range v {
					v[k] += dt / 2 * float64(b.W) * r * d[k]
				}
			}
		}
		was, is := before.velocities[i], s.velocities[i]
		kicks[i] = simd.Float3{X: is.X - was.X, Y: is.Y - was.Y, Z: is.Z - was.Z}
	}
	computetest.AllClose(t, kicks, want, computetest.Tolerance{Abs: 1e-5})
}

// TestConserved checks energy and momentum of a rotating ball that collapses.
func TestConserved(t *testing.T) {
	s := sphere(1, 300)
	before := s.energy()
	momentum := func() (p [3]float64) {
		for i, v := range s.velocities {
			m := float64(s.bodies[i].W)
			p[0], p[1], p[2] = p[0]+m*float64(v.X), p[1]+m*float64(v.Y), p[2]+m*float64(v.Z)
		}
		return p
	}
	was, began := momentum(), s.bodies[0]
	require.NoError(t, s.advance(t.Context(), computetest.Open(t), 0.01, 300))
	assert.InEpsilon(t, before, s.energy(), 2e-3)
	is := momentum()
	computetest.AllClose(t, is[:], was[:], computetest.Tolerance{Abs: 1e-5})
	assert.Greater(t, math.Abs(float64(began.X-s.bodies[0].X)), 0.1, "nothing moved")
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	for _, inGo := range []bool{false, true} {
		b.Reset()
		require.NoError(t, run(t.Context(), &b, 200, 10, inGo))
		assert.Contains(t, b.String(), "200 bodies, 10 steps: energy ")
	}
	assert.Error(t, run(t.Context(), &b, 0, 1, false))
	assert.Error(t, run(t.Context(), &b, 1, 0, false))
}

// TestGo compares a kick by nbody.metal with one by the same kernel in Go, on the CPU and on the
// device.
func TestGo(t *testing.T) {
	acc := computetest.Open(t)
	const softening = 0.05
	s := &system{softening: softening}
	for i := range 300 {
		x := float32(i)
		s.bodies = append(s.bodies, simd.Float4{X: x / 300, Y: x * x / 90000, Z: 1 - x/300, W: 1.0 / 300})
		s.velocities = append(s.velocities, simd.Float4{})
	}
	bodies, velocities := slices.Clone(s.bodies), slices.Clone(s.velocities)
	run := func(fn func(t *kernel.Thread)) {
		require.NoError(t, kernel.Run(kernel.Index{X: 3 * tile}, kernel.Index{X: tile}, fn))
	}
	const dt = 0.01
	run(func(t *kernel.Thread) { kernels.Kick(t, bodies, velocities, dt/2, softening) })
	run(func(t *kernel.Thread) { kernels.Drift(t, bodies, velocities, dt) })
	run(func(t *kernel.Thread) { kernels.Kick(t, bodies, velocities, dt/2, softening) })
	own := &system{bodies: slices.Clone(s.bodies), velocities: slices.Clone(s.velocities), softening: softening,
		inGo: true}
	require.NoError(t, s.advance(t.Context(), acc, dt, 1))
	require.NoError(t, own.advance(t.Context(), acc, dt, 1))
	require.Equal(t, velocities, own.velocities, "on the CPU and on the device")
	require.Equal(t, bodies, own.bodies)
	for i, v := range s.velocities {
		w := velocities[i]
		require.InDeltaSlice(t, []float32{w.X, w.Y, w.Z}, []float32{v.X, v.Y, v.Z}, 1e-5, i)
	}
}
