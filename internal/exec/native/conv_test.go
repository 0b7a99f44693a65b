package native_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/native"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/tensorop"
)

var convKinds = []string{"forward", "input", "weights"}

// convPlan returns the plan of a convolution or of one of its gradients, and the views of its
// buffers: two inputs and the result. layout returns the view of a shape.
func convPlan(kind string, in, weights []int, w tensorop.Window, groups int,
	layout func(written bool, shape []int) tensorop.View) (*tensorop.Plan, []tensorop.View, error) {
	out, err := tensorop.ConvShape(in, weights, w, groups)
	if err != nil {
		return nil, nil, err
	}
	shapes := map[string][3][]int{"forward": {in, weights, out}, "input": {out, weights, in}, "weights": {out, in,
		weights}}
	var views []tensorop.View
	for i, s := range shapes[kind] {
		views = append(views, layout(i == 2, s))
	}
	b, ins, outs := tensorop.NewBuilder(views[:2], views[2:])
	switch kind {
	case "forward":
		b.Conv(outs[0], ins[0], ins[1], w, groups)
	case "input":
		b.ConvInputGradient(outs[0], ins[0], ins[1], w, groups)
	case "weights":
		b.ConvWeightsGradient(outs[0], ins[0], ins[1], w, groups)
	}
	p, err := b.Plan()
	return p, views, err
}

// compiled compiles each source once.
type compiled map[string]*ir.Func

func (c compiled) get(t testing.TB, source string) *ir.Func {
	if c[source] == nil {
		c[source] = compile(t, source)
	}
	return c[source]
}

// TestConvBits: the kernels of convolutions and their native bodies give the same bits for all
// types, shapes, windows, groups and layouts.
func TestConvBits(t *testing.T) {
	sources := compiled{}
	for _, kind := range convKinds {
		for _, typ := range []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16} {
			t.Run(fmt.Sprint(kind, typ), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(21, uint64(typ)))
				bodies, all := 0, 0
				for all < 25 {
					rank, groups := 1+rng.IntN(3), []int{1, 1, 2, 5}[rng.IntN(4)]
					in, weights := []int{1 + rng.IntN(3), groups * (1 + rng.IntN(9))},
						[]int{groups * (1 + rng.IntN(18)), 0}
					weights[1] = in[1] / groups
					var w tensorop.Window
					for range rank {
						in, weights = append(in, 1+rng.IntN(12/rank)), append(weights, 1+rng.IntN(3))
						w.Strides, w.Dilations = append(w.Strides, 1+rng.IntN(3)), append(w.Dilations, 1+rng.IntN(2))
						w.Before, w.After = append(w.Before, rng.IntN(4)), append(w.After, rng.IntN(4))
					}
					p, views, err := convPlan(kind, in, weights, w, groups, func(written bool,
						shape []int) tensorop.View {
						if written && rng.IntN(3) > 0 {
							return tensorop.Dense(typ, shape...)
						}
						return view(rng, typ, !written, shape...)
					})
					if err != nil { // the window exceeds the padded input
						continue
					}
					all++
					var memory [][]byte
					for _, v := range views {
						_, end := v.Span()
						memory = append(memory, elements(rng, typ, end))
					}
					if both(t, 2, sources.get(t, p.Steps[0].Source), launchOf(p, memory...)) {
						bodies++
					}
				}
				assert.Greater(t, bodies, 15)
			})
		}
	}
}

// TestConvHostile: with any arguments and grids, the native bodies and the kernels' own code give
// the same results.
func TestConvHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 4))
	sources := compiled{}
	w := tensorop.Window{Strides: []int{2, 1}, Before: []int{1, 1}, After: []int{1, 1}}
	dense := func(_ bool, shape []int) tensorop.View { return tensorop.Dense(tensorop.Float32, shape...) }
	for _, kind := range convKinds {
		bodies, changed := 0, 0
		for range 100 {
			p, views, err := convPlan(kind, []int{2, 6, 5, 4}, []int{8, 3, 3, 2}, w, 2, dense)
			require.NoError(t, err)
			var memory [][]byte
			for _, v := range views {
				_, end := v.Span()
				memory = append(memory, elements(rng, tensorop.Float32, end+rng.IntN(50)))
			}
			l := launchOf(p, memory...)
			words := l.Buffers[3].Data
			for range rng.IntN(3) {
				at := rng.IntN(48)
				value := []uint32{0, 1, 2, 3, 4, 5, 6, 8, 24, math.MaxUint32, 1 << 31, math.MaxInt32, 1 << 16,
					rng.Uint32()}[rng.IntN(14)]
				size := at < 33 && at%11%2 == 1 // an operand's size: a kernel would loop as often
				switch {
				case size && at >= 11 || at == 37:
					value %= 7
				case at == 33 || at == 34 || at == 36 || at >= 38 && at < 41:
					value = max(1, value) // a division by 0 has an arbitrary result
				}
				binary.LittleEndian.PutUint32(words[4*at:], value)
				changed++
			}
			switch rng.IntN(8) {
			case 0:
				l.Grid[rng.IntN(3)] += rng.IntN(9)
			case 1:
				l.Grid[rng.IntN(3)] = 1 + rng.IntN(8)
			case 2:
				b := l.Buffers[rng.IntN(3)]
				b.Offset = rng.IntN(9)
				l.Buffers[rng.IntN(3)] = b
			}
			if both(t, 1, sources.get(t, p.Steps[0].Source), l) { // one worker: threads may write the same elements
				bodies++
			}
		}
		assert.Greater(t, bodies, 20, kind)
		assert.Less(t, bodies, 98, kind)
		assert.Positive(t, changed)
	}
}

// TestConvAliased: if the result shares memory with an operand, the kernel's own code runs.
func TestConvAliased(t *testing.T) {
	for _, kind := range convKinds {
		p, _, err := convPlan(kind, []int{1, 2, 4, 4}, []int{2, 2, 1, 1}, tensorop.Window{}, 1,
			func(_ bool, shape []int) tensorop.View { return tensorop.Dense(tensorop.Float32, shape...) })
		require.NoError(t, err)
		data := make([]byte, 128)
		f := compile(t, p.Steps[0].Source)
		l, err := launchOf(p, data, make([]byte, 128), data).Exec()
		require.NoError(t, err)
		g, err := l.Geometry()
		require.NoError(t, err)
		assert.Nil(t, native.For(f).Prepare(l, &g), kind)
	}
}
