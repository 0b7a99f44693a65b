package main

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// learn runs the program, unless the device has no MPSGraph.
func learn(t *testing.T, s settings) (outcome, string) {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	var b bytes.Buffer
	out, err := run(t.Context(), &b, s)
	require.NoError(t, err, b.String())
	return out, b.String()
}

// TestLearns checks that the network reads nearly all digits that it was not trained on, and that
// the program shows the first of those that it misreads.
func TestLearns(t *testing.T) {
	if raceDetector {
		t.Skip("170 steps take the race detector about a minute; TestRepeats takes the same steps, but fewer")
	}
	out, text := learn(t, settings{steps: 170, batch: 16, every: 100, held: 300, rate: 0.06, seed: 1})
	assert.Greater(t, out.accuracy, 0.95, text)
	require.Len(t, out.losses, 170)
	assert.InDelta(t, math.Log(classes), out.losses[0], 0.7, "ten digits are about equally likely before the training")
	assert.Regexp(t, `\n +100 +[0-9.]+ +[0-9.]+% +[0-9.]+s\n +170 `, text)
	assert.Equal(t, min(3, out.mistakes), strings.Count(text, ", read as "))
	assert.Equal(t, min(3, out.mistakes)*(side+2)+4, strings.Count(text, "\n"), text)
}

// TestRepeats: the same seed gives the same losses, another seed others; Apple does not promise the
// same bits. Nothing is left of a run.
func TestRepeats(t *testing.T) {
	s, before := settings{steps: 3, batch: 4, every: 3, held: 8, rate: 0.05, seed: 7}, 0
	var first outcome
	for round := range 2 {
		out, _ := learn(t, s)
		if round == 0 {
			first, before = out, objc.LiveObjects()
			continue
		}
		if driver, err := objc.CurrentDriver(); err == nil && driver == objc.DriverSoftware {
			assert.Equal(t, first, out)
		}
		assert.InDeltaSlice(t, first.losses, out.losses, 1e-3)
		if !settle.Equal(t, "live objects", before, objc.LiveObjects) {
			t.Log(objc.Leaks())
		}
	}
	s.seed++
	other, _ := learn(t, s)
	assert.NotEqual(t, first.losses, other.losses)
}

// TestGradient compares the first step of training with the loss's change over a small step: along
// the gradient g, at a small rate r, the loss falls by about r times the square of g's length, so
// half the rate gives half the fall.
func TestGradient(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	d, batch := draw(3, 1, 8), 8
	fall := func(rate float64) float64 {
		device, err := mtl.DefaultDevice()
		require.NoError(t, err)
		defer device.Release()
		n, err := newNetwork(device, 3, batch)
		require.NoError(t, err)
		defer n.close()
		before, err := n.train(d, rate)
		require.NoError(t, err)
		after, err := n.train(d, rate)
		require.NoError(t, err)
		return before - after
	}
	small := fall(0.0005)
	assert.Positive(t, small)
	assert.InEpsilon(t, 2*small, fall(0.001), 0.1)
}

// TestDraw: the same seed and stream draw the same pictures, which are of all digits, in 0..1, with
// ink in the middle; another stream draws others.
func TestDraw(t *testing.T) {
	d := draw(1, 0, 200)
	assert.Equal(t, d, draw(1, 0, 200))
	assert.NotEqual(t, d.pixels, draw(1, 1, 200).pixels)
	require.Len(t, d.pixels, 200*side*side)
	seen := map[int]bool{}
	for i, label := range d.labels {
		seen[label] = true
		ink, rim := 0.0, 0.0
		for k, v := range d.pixels[i*side*side:][:side*side] {
			require.True(t, v >= 0 && v <= 1, "%v", v)
			if x := k % side; x < 2 || x >= side-2 {
				rim += float64(v) / (4 * side)
			} else {
				ink += float64(v) / ((side - 4) * side)
			}
		}
		assert.Greater(t, ink, rim, "picture %d, a %d", i, label)
	}
	assert.Len(t, seen, classes)
	pixels, targets := d.batch(5, 2)
	assert.Equal(t, d.pixels[5*side*side:7*side*side], pixels)
	for i, v := range targets {
		assert.Equal(t, i%classes == d.labels[5+i/classes], v == 1, "%d", i)
	}
}

func TestASCII(t *testing.T) {
	pixels := make([]float32, side*side)
	pixels[0], pixels[1], pixels[side] = 1, 0.55, 0.1
	lines := strings.Split(ascii(pixels), "\n")
	require.Len(t, lines, side+1)
	assert.Equal(t, "@@++"+strings.Repeat(" ", 2*side-4), lines[0])
	assert.Equal(t, ".."+strings.Repeat(" ", 2*side-2), lines[1])
}

func TestMisuse(t *testing.T) {
	var b bytes.Buffer
	_, err := run(t.Context(), &b, settings{steps: 0, batch: 1, every: 1, held: 1, rate: 1})
	assert.ErrorContains(t, err, "steps 0")
	_, err = run(t.Context(), &b, settings{steps: 1, batch: 1, every: 1, held: 1, rate: math.NaN()})
	assert.ErrorContains(t, err, "rate NaN")
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = run(ctx, &b, settings{steps: 1, batch: 1, every: 1, held: 1, rate: 1})
	assert.ErrorIs(t, err, context.Canceled)
}
