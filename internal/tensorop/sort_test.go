package tensorop_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sortedLine returns the indices of a line in order: equal ones stay, and NaN is last.
func sortedLine(line []float64, descending bool) []int {
	order := make([]int, len(line))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := line[i], line[j]
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return map[bool]int{true: 1}[math.IsNaN(a)] - map[bool]int{true: 1}[math.IsNaN(b)]
		case a == b:
			return 0
		case (a < b) != descending:
			return -1
		}
		return 1
	})
	return order
}

func TestSort(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(23, 1))
	lengths := []int{0, 1, 2, 31, 32, 33, 64, 65, 100, 129, 300}
	for n := range 44 {
		typ, descending := realTypes[n%len(realTypes)], rng.IntN(2) == 0
		shape := many(between(rng, 1, 3), func() int { return between(rng, 1, 3) })
		axis := rng.IntN(len(shape))
		shape[axis] = lengths[n%len(lengths)]
		x := whole(rng, typ, shape...)
		for i := range x {
			if typ.Float() || typ.Signed() {
				x[i] -= 30
			}
			if typ.Float() && rng.IntN(9) == 0 {
				x[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[rng.IntN(4)]
			}
		}
		k := between(rng, 0, shape[axis])
		top, err := tensorop.TopKShape(shape, axis, k)
		require.NoError(t, err)
		order, values := make([]float64, len(x)), make([]float64, len(x))
		topOrder, topValues := make([]float64, tensorop.Elements(top)), make([]float64, tensorop.Elements(top))
		lines := slices.Clone(shape)
		lines[axis] = min(1, shape[axis])
		each(lines, func(_ int, at []int) {
			at = slices.Clone(at)
			place := func(i int) int { at[axis] = i; return flat(at, shape) }
			var line []float64
			for i := range shape[axis] {
				line = append(line, x[place(i)])
			}
			for to, from := range sortedLine(line, descending) {
				order[place(to)], values[place(to)] = float64(from), line[from]
				if to < k {
					at[axis] = to
					topOrder[flat(at, top)], topValues[flat(at, top)] = float64(from), line[from]
				}
			}
		})
		in := scattered(rng, typ, x, shape...)
		got := d.Do(scatteredView(rng, tensorop.Int32, shape...), func(b *builder, o operand, in []operand) {
			b.ArgSort(o, in[0], axis, descending)
		}, in)
		require.Equal(t, order, got, "%v of %v along %d, descending %t", typ, shape, axis, descending)
		got = d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.Sort(o, in[0], axis, descending)
		}, in)
		same(t, values, got)
		got = d.Do(scatteredView(rng, tensorop.Int32, top...), func(b *builder, o operand, in []operand) {
			b.TopK(b.Temp(typ, top...), o, in[0], axis, !descending)
		}, in)
		require.Equal(t, topOrder, got)
		got = d.Do(scatteredView(rng, typ, top...), func(b *builder, o operand, in []operand) {
			b.TopK(o, b.Temp(tensorop.Int32, top...), in[0], axis, !descending)
		}, in)
		same(t, topValues, got)
	}
}

// same compares values, among them NaN and the signs of zeros.
func same(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		if math.IsNaN(w) && math.IsNaN(got[i]) {
			continue
		}
		require.Equal(t, math.Float64bits(w), math.Float64bits(got[i]), "element %d: got %g, want %g", i, got[i], w)
	}
}

func TestSortErrors(t *testing.T) {
	_, err := tensorop.TopKShape([]int{2, 3}, 1, 4)
	assert.EqualError(t, err, "top k: k is 4 for axis 1 of shape [2 3]; it must be 0 to 3")
	b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, 2)},
		[]tensorop.View{tensorop.Dense(tensorop.Float32, 2)})
	b.ArgSort(out[0], in[0], 0, false)
	_, err = b.Plan()
	assert.EqualError(t, err, "arg sort: the result is float32; it must be int32")
}
