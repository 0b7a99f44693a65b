package main

import (
	"bytes"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lloyd is a float64 reference implementation.
func lloyd(points, start []simd.Float2) (centers [][2]float64, labels []int) {
	for _, c := range start {
		centers = append(centers, [2]float64{float64(c.X), float64(c.Y)})
	}
	labels = make([]int, len(points))
	for i := range labels {
		labels[i] = -1
	}
	for changed := true; changed; {
		changed = false
		sums := make([][3]float64, len(centers))
		for i, p := range points {
			x, y := float64(p.X), float64(p.Y)
			best, least := 0, 1e300
			for k, c := range centers {
				if d := (x-c[0])*(x-c[0]) + (y-c[1])*(y-c[1]); d < least {
					best, least = k, d
				}
			}
			changed = changed || labels[i] != best
			labels[i] = best
			sums[best] = [3]float64{sums[best][0] + x, sums[best][1] + y, sums[best][2] + 1}
		}
		for k, s := range sums {
			if s[2] > 0 {
				centers[k] = [2]float64{s[0] / s[2], s[1] / s[2]}
			}
		}
	}
	return centers, labels
}

func TestKmeans(t *testing.T) {
	acc := computetest.Open(t)
	points, truth := blobs(7, 6, 1500)
	start := spread(points, 6)
	got, err := kmeans(t.Context(), acc, points, start, 100)
	require.NoError(t, err)
	centers, labels := lloyd(points, start)
	assert.Less(t, got.rounds, 100)
	differ := 0
	for i, l := range labels {
		if l != int(got.labels[i]) {
			differ++ // nearly equidistant from two centers: rounding decides
		}
	}
	assert.LessOrEqual(t, differ, len(points)/1000)
	computetest.AllClose(t, got.centers, centers, computetest.Tolerance{Abs: 1e-2})
	for _, c := range truth { // the true centers are recovered
		n := got.centers[nearest(got.centers, c)]
		assert.InDelta(t, c.X, n.X, 0.15)
		assert.InDelta(t, c.Y, n.Y, 0.15)
	}
}

// TestEmptyCluster checks that a center without points does not move.
func TestEmptyCluster(t *testing.T) {
	acc := computetest.Open(t)
	points := []simd.Float2{{X: 1}, {X: 3}, {X: 100}}
	got, err := kmeans(t.Context(), acc, points, []simd.Float2{{}, {X: 90}, {X: -1000}}, 100)
	require.NoError(t, err)
	assert.Equal(t, clustering{[]simd.Float2{{X: 2}, {X: 100}, {X: -1000}}, []uint32{0, 0, 1}, 2}, got)
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, run(t.Context(), &b, 500))
	assert.Contains(t, b.String(), "4000 points, ")
	assert.Error(t, run(t.Context(), &b, 0))
}
