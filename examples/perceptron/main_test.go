package main

import (
	"bytes"
	"math"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// model is a float64 reference implementation that trains on one point after the other.
type model struct{ w, v [4][]float64 } // weights and velocities: first, firstBias, second, secondBias

func modelOf(w weights) *model {
	m := &model{}
	for i, from := range [][]float32{w.first, w.firstBias, w.second, w.secondBias} {
		for _, f := range from {
			m.w[i] = append(m.w[i], float64(f))
		}
		m.v[i] = make([]float64, len(from))
	}
	return m
}

func (m *model) step(d dataset, rate, momentum float64) (loss float64) {
	width, rows := len(m.w[1]), len(d.classes)
	var gradient [4][]float64
	for i := range gradient {
		gradient[i] = make([]float64, len(m.w[i]))
	}
	h := make([]float64, width)
	for r, class := range d.classes {
		x := [2]float64{float64(d.points[2*r]), float64(d.points[2*r+1])}
		z := [2]float64{m.w[3][0], m.w[3][1]}
		for k := range h {
			h[k] = math.Tanh(x[0]*m.w[0][k] + x[1]*m.w[0][width+k] + m.w[1][k])
			z[0], z[1] = z[0]+h[k]*m.w[2][2*k], z[1]+h[k]*m.w[2][2*k+1]
		}
		p1 := 1 / (1 + math.Exp(z[0]-z[1]))
		p := [2]float64{1 - p1, p1}
		loss -= math.Log(p[class]) / float64(rows)
		p[class]--
		for c := range p {
			s := p[c] / float64(rows)
			gradient[3][c] += s
			for k := range h {
				gradient[2][2*k+c] += s * h[k]
				back := s * m.w[2][2*k+c] * (1 - h[k]*h[k])
				gradient[1][k] += back
				gradient[0][k] += back * x[0]
				gradient[0][width+k] += back * x[1]
			}
		}
	}
	for i := range gradient {
		for k, s := range gradient[i] {
			m.v[i][k] = momentum*m.v[i][k] - rate*s
			m.w[i][k] += m.v[i][k]
		}
	}
	return loss
}

// TestSteps compares the weights after a few steps with those of the model.
func TestSteps(t *testing.T) {
	acc := computetest.Open(t)
	w, d := random(5, 19), spirals(5, 33) // sizes that are no multiples of a block
	n, err := newNetwork(t.Context(), acc, w, d)
	require.NoError(t, err)
	defer n.close()
	m := modelOf(w)
	for range 5 {
		loss, _, err := n.evaluate(t.Context())
		require.NoError(t, err)
		require.NoError(t, n.step(t.Context(), 0.3, 0.9))
		assert.InEpsilon(t, m.step(d, 0.3, 0.9), loss, 1e-4)
	}
	require.NoError(t, n.stream.Sync(t.Context()))
	for i, l := range []layer{n.first, n.bias1, n.second, n.bias2} {
		got := make([]float32, l.weight.Len())
		require.NoError(t, l.weight.Buffer.Download(t.Context(), got))
		assert.True(t, computetest.AllClose(t, got, m.w[i], computetest.Tolerance{Abs: 1e-4}), "weights %d", i)
	}
}

// TestLearns checks that after training the loss on the test set is small and nearly all of its
// points are classified correctly.
func TestLearns(t *testing.T) {
	var b bytes.Buffer
	loss, accuracy, err := run(t.Context(), &b, 400)
	require.NoError(t, err)
	assert.Less(t, loss, 0.05, b.String())
	assert.Greater(t, accuracy, 0.97)
	assert.Contains(t, b.String(), "epoch    0: loss 0.7")
	_, _, err = run(t.Context(), &b, -1)
	assert.ErrorContains(t, err, "-1 epochs")
}
