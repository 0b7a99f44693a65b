package main

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T) *compute.Accelerator {
	t.Helper()
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, acc.Close(context.Background())) })
	return acc
}

// TestOrbit checks that two bodies on a circular orbit return to their start after one period.
func TestOrbit(t *testing.T) {
	s := &system{
		bodies:     []simd.Float4{{X: 0.5, W: 0.5}, {X: -0.5, W: 0.5}},
		velocities: []simd.Float4{{Y: 0.5}, {Y: -0.5}}, // circular: the relative speed is sqrt(mass / distance)
		softening:  1e-3,
	}
	const steps = 1000
	require.NoError(t, s.advance(t.Context(), open(t), 2*math.Pi/steps, steps))
	assert.InDelta(t, 0.5, s.bodies[0].X, 1e-4)
	assert.InDelta(t, 0, s.bodies[0].Y, 1e-4)
	assert.InDelta(t, -0.5, s.bodies[1].X, 1e-4)
	assert.InDelta(t, 0.5, s.velocities[0].Y, 1e-4)
}

// TestKick compares one step with float64, with a number of bodies that is no multiple of the tile.
func TestKick(t *testing.T) {
	s := sphere(3, 2*tile+17)
	before := sphere(3, 2*tile+17)
	const dt = 0.25
	require.NoError(t, s.advance(t.Context(), open(t), dt, 1))
	soft := float64(s.softening) * float64(s.softening)
	for i := range s.bodies {
		// Half a kick before the drift and half a kick after it.
		var v [3]float64
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
		require.InDelta(t, v[0], is.X-was.X, 1e-5)
		require.InDelta(t, v[1], is.Y-was.Y, 1e-5)
		require.InDelta(t, v[2], is.Z-was.Z, 1e-5)
	}
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
	require.NoError(t, s.advance(t.Context(), open(t), 0.01, 300))
	assert.InEpsilon(t, before, s.energy(), 2e-3)
	for k, p := range momentum() {
		assert.InDelta(t, was[k], p, 1e-5)
	}
	assert.Greater(t, math.Abs(float64(began.X-s.bodies[0].X)), 0.1, "nothing moved")
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, run(t.Context(), &b, 200, 10))
	assert.Contains(t, b.String(), "200 bodies, 10 steps: energy ")
	assert.Error(t, run(t.Context(), &b, 0, 1))
	assert.Error(t, run(t.Context(), &b, 1, 0))
}
