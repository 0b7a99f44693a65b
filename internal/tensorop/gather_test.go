package tensorop_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	realTypes = []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16, tensorop.Int8, tensorop.Int16,
		tensorop.Int32, tensorop.Int64, tensorop.Uint8, tensorop.Uint16, tensorop.Uint32, tensorop.Uint64,
		tensorop.Bool}
	indexTypes = []tensorop.Type{tensorop.Int32, tensorop.Int64, tensorop.Uint32, tensorop.Int8}
)

// whole returns random whole numbers that every type but Bool can have.
func whole(rng *rand.Rand, typ tensorop.Type, shape ...int) []float64 {
	limit := 60
	if typ == tensorop.Bool {
		limit = 2
	}
	v := make([]float64, tensorop.Elements(shape))
	for i := range v {
		v[i] = float64(rng.IntN(limit))
	}
	return v
}

// indexValues returns indices below n, and some that are outside.
func indexValues(rng *rand.Rand, typ tensorop.Type, n int, shape ...int) []float64 {
	v := make([]float64, tensorop.Elements(shape))
	for i := range v {
		low := -2
		if typ == tensorop.Uint32 {
			low = 0
		}
		if v[i] = float64(between(rng, 0, max(n-1, 0))); rng.IntN(6) == 0 {
			v[i] = float64(between(rng, low, n+2))
		}
	}
	return v
}

// gathering is a random gather: place returns the element of the input that an element of the
// result is, or -1.
type gathering struct {
	in, indices, out []int
	limit            int // of the indices
	axis, batch      int
	place            func(o []int, values []float64) int
}

func dims(rng *rand.Rand, rank int) []int {
	return many(rank, func() int { return between(rng, 1, 4) })
}

func randomGather(t *testing.T, rng *rand.Rand) gathering {
	g := gathering{in: dims(rng, between(rng, 1, 4))}
	g.axis = rng.IntN(len(g.in))
	g.batch = rng.IntN(g.axis + 1)
	g.indices = append(slices.Clone(g.in[:g.batch]), dims(rng, between(rng, 0, 2))...)
	g.limit = g.in[g.axis]
	var err error
	g.out, err = tensorop.GatherShape(g.in, g.indices, g.axis, g.batch)
	require.NoError(t, err)
	count := len(g.indices) - g.batch
	g.place = func(o []int, values []float64) int {
		at := values[flat(slices.Concat(o[:g.batch], o[g.axis:g.axis+count]), g.indices)]
		return flat(slices.Concat(o[:g.axis], []int{int(at)}, o[g.axis+count:]), g.in)
	}
	return g
}

func randomGatherND(t *testing.T, rng *rand.Rand) gathering {
	g := gathering{in: dims(rng, between(rng, 1, 4))}
	g.batch = rng.IntN(len(g.in))
	k := between(rng, 0, len(g.in)-g.batch)
	g.indices = append(append(slices.Clone(g.in[:g.batch]), dims(rng, between(rng, 0, 2))...), k)
	g.limit = slices.Max(g.in)
	var err error
	g.out, err = tensorop.GatherNDShape(g.in, g.indices, g.batch)
	require.NoError(t, err)
	last := len(g.indices) - 1
	g.place = func(o []int, values []float64) int {
		at := slices.Clone(o[:g.batch])
		for d := range k {
			at = append(at, int(values[flat(append(slices.Clone(o[:last]), d), g.indices)]))
		}
		return flat(append(at, o[last:]...), g.in)
	}
	return g
}

func randomGatherAlongAxis(t *testing.T, rng *rand.Rand) gathering {
	g := gathering{in: dims(rng, between(rng, 1, 4))}
	g.axis = rng.IntN(len(g.in))
	g.limit = g.in[g.axis]
	g.indices = slices.Clone(g.in)
	for d, n := range g.in {
		g.indices[d] = between(rng, 1, n)
	}
	g.indices[g.axis] = between(rng, 1, 6)
	var err error
	g.out, err = tensorop.GatherAlongAxisShape(g.in, g.indices, g.axis)
	require.NoError(t, err)
	g.place = func(o []int, values []float64) int {
		at := slices.Clone(o)
		at[g.axis] = int(values[flat(o, g.indices)])
		return flat(at, g.in)
	}
	return g
}

type gatherKind struct {
	random  func(*testing.T, *rand.Rand) gathering
	gather  func(b *builder, out, in, indices operand, g gathering)
	scatter func(b *builder, out, data, indices, updates operand, g gathering, mode string)
}

func gatherKinds() []gatherKind {
	return []gatherKind{
		{randomGather,
			func(b *builder, out, in, indices operand, g gathering) { b.Gather(out, in, indices, g.axis, g.batch) },
			func(b *builder, out, data, indices, updates operand, g gathering, mode string) {
				b.Scatter(out, data, indices, updates, g.axis, mode)
			}},
		{randomGatherND,
			func(b *builder, out, in, indices operand, g gathering) { b.GatherND(out, in, indices, g.batch) },
			func(b *builder, out, data, indices, updates operand, g gathering, mode string) {
				b.ScatterND(out, data, indices, updates, g.batch, mode)
			}},
		{randomGatherAlongAxis,
			func(b *builder, out, in, indices operand, g gathering) { b.GatherAlongAxis(out, in, indices, g.axis) },
			func(b *builder, out, data, indices, updates operand, g gathering, mode string) {
				b.ScatterAlongAxis(out, data, indices, updates, g.axis, mode)
			}},
	}
}

func TestGather(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(20, 1))
	for n := range 72 {
		kind := gatherKinds()[n%3]
		g := kind.random(t, rng)
		typ, indexType := realTypes[n/3%len(realTypes)], indexTypes[n/3%len(indexTypes)]
		x, indices := whole(rng, typ, g.in...), indexValues(rng, indexType, g.limit, g.indices...)
		want := make([]float64, tensorop.Elements(g.out))
		each(g.out, func(o int, at []int) {
			if i := g.place(at, indices); i >= 0 {
				want[o] = x[i]
			}
		})
		got := d.Do(scatteredView(rng, typ, g.out...), func(b *builder, o operand, in []operand) {
			kind.gather(b, o, in[0], in[1], g)
		}, scattered(rng, typ, x, g.in...), scattered(rng, indexType, indices, g.indices...))
		require.Equal(t, want, got, "kind %d, %+v, %v", n%3, g, typ)
	}
}

// TestScatter: updates of equal indices are applied one after the other, in order.
func TestScatter(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(20, 2))
	modes := map[string]func(a, b float64) float64{
		tensorop.ScatterSet: func(_, b float64) float64 { return b },
		"add":               func(a, b float64) float64 { return a + b },
		"sub":               func(a, b float64) float64 { return a - b },
		"mul":               func(a, b float64) float64 { return a * b },
		"div":               func(a, b float64) float64 { return a / b },
		"min":               func(a, b float64) float64 { return min(a, b) },
		"max":               func(a, b float64) float64 { return max(a, b) },
	}
	names := []string{tensorop.ScatterSet, "add", "sub", "mul", "div", "min", "max"}
	for n := range 126 {
		kind := gatherKinds()[n%3]
		g := kind.random(t, rng)
		for n%3 == 0 && g.batch > 0 { // Scatter has no batch dimensions
			g = kind.random(t, rng)
		}
		mode, indexType := names[n/3%len(names)], indexTypes[n%len(indexTypes)]
		typ := realTypes[n%len(realTypes)]
		if typ == tensorop.Bool && mode != tensorop.ScatterSet || mode == "div" && typ.Integer() {
			typ = tensorop.Float32
		}
		data, updates := whole(rng, typ, g.in...), whole(rng, typ, g.out...)
		if mode == "mul" || mode == "div" {
			for i := range updates { // powers of two, so that the order does not matter to the bits
				updates[i] = float64(between(rng, 1, 2))
			}
		}
		indices := indexValues(rng, indexType, g.limit, g.indices...)
		want := slices.Clone(data)
		each(g.out, func(u int, at []int) {
			if i := g.place(at, indices); i >= 0 {
				want[i] = wrapped(typ, modes[mode](want[i], updates[u]))
			}
		})
		got := d.Do(scatteredView(rng, typ, g.in...), func(b *builder, o operand, in []operand) {
			kind.scatter(b, o, in[0], in[1], in[2], g, mode)
		}, scattered(rng, typ, data, g.in...), scattered(rng, indexType, indices, g.indices...),
			scattered(rng, typ, updates, g.out...))
		require.Equal(t, want, got, "kind %d, %s of %v", n%3, mode, typ)
	}
}

// wrapped returns a value as an element of a type keeps it: integers wrap around.
func wrapped(typ tensorop.Type, x float64) float64 { return optest.Round(typ, x) }

// TestScatterOrder: float sums of many equal indices, split over threads, have the bits of a loop,
// and so on a second run.
func TestScatterOrder(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(20, 3))
	const rows, count = 100, 6000 // more parts than a simdgroup has threads
	updates, indices := normal(rng, tensorop.Float32, count), indexValues(rng, tensorop.Int32, rows, count)
	want := make([]float64, rows)
	for i, at := range indices {
		if at >= 0 && at < rows {
			want[int(at)] = float64(float32(want[int(at)]) + float32(updates[i]))
		}
	}
	for range 2 {
		got := d.Do(tensorop.Dense(tensorop.Float32, rows), func(b *builder, o operand, in []operand) {
			b.Fill(o, 0)
			b.Scatter(o, o, in[0], in[1], 0, "add")
		}, optest.Of(tensorop.Int32, indices, count), optest.Of(tensorop.Float32, updates, count))
		require.Equal(t, want, got)
	}
}

func TestGatherErrors(t *testing.T) {
	view := func(typ tensorop.Type, shape ...int) tensorop.View { return tensorop.Dense(typ, shape...) }
	f, i := tensorop.Float32, tensorop.Int32
	for _, c := range []struct {
		out, a, b, c tensorop.View
		call         func(b *builder, out operand, in []operand)
		want         string
	}{
		{view(f, 2), view(f, 3), view(i, 2), view(f), func(b *builder, o operand, in []operand) {
			b.Gather(o, in[0], in[1], 1, 0)
		}, "gather: axis 1 of shape [3]; it must be 0 to 0"},
		{view(f, 3), view(f, 3), view(i, 2), view(f), func(b *builder, o operand, in []operand) {
			b.Gather(o, in[0], in[1], 0, 0)
		}, "gather: the shape of the result is [3]; it must be [2]"},
		{view(f, 2), view(f, 3), view(f, 2), view(f), func(b *builder, o operand, in []operand) {
			b.Gather(o, in[0], in[1], 0, 0)
		}, "gather: indices of type float32; it must be an integer type"},
		{view(i, 2), view(f, 3), view(i, 2), view(f), func(b *builder, o operand, in []operand) {
			b.Gather(o, in[0], in[1], 0, 0)
		}, "gather: types int32 and float32; they must be equal"},
		{view(f, 2), view(f, 3), view(i, 2, 2), view(f), func(b *builder, o operand, in []operand) {
			b.GatherND(o, in[0], in[1], 0)
		}, "gather nd: vectors of 2 indices into shape [3] with 0 batch dimensions; the limit is 1"},
		{view(f, 2), view(f, 3, 3), view(i, 2, 4), view(f), func(b *builder, o operand, in []operand) {
			b.GatherND(o, in[0], in[1], 1)
		}, "gather nd: shape [3 3] and indices [2]; the first 1 dimensions must be equal"},
		{view(f, 2), view(f, 3, 2), view(i, 4, 4), view(f), func(b *builder, o operand, in []operand) {
			b.GatherAlongAxis(o, in[0], in[1], 0)
		}, "gather along axis: shape [3 2] and indices [4 4]; dimension 1 of the indices must be at most 2"},
		{view(f, 3), view(f, 3), view(i, 2), view(f, 2), func(b *builder, o operand, in []operand) {
			b.Scatter(o, in[0], in[1], in[2], 0, "neg")
		}, `scatter: mode "neg" has 1 arguments; it must have 2`},
		{view(f, 3), view(f, 3), view(i, 2), view(f, 3), func(b *builder, o operand, in []operand) {
			b.Scatter(o, in[0], in[1], in[2], 0, "add")
		}, "scatter: the shape of the tensor of updates is [3]; it must be [2]"},
	} {
		b, in, out := tensorop.NewBuilder([]tensorop.View{c.a, c.b, c.c}, []tensorop.View{c.out})
		c.call(b, out[0], in)
		_, err := b.Plan()
		assert.ErrorContains(t, err, c.want)
	}
}

// TestGatherEmpty: empty dimensions launch nothing but what fills the result.
func TestGatherEmpty(t *testing.T) {
	d := optest.Open(t)
	got := d.Do(tensorop.Dense(tensorop.Float32, 2), func(b *builder, o operand, in []operand) {
		b.Gather(o, in[0], in[1], 0, 0)
	}, optest.Of(tensorop.Float32, nil, 0), optest.Of(tensorop.Int32, []float64{0, 1}, 2))
	assert.Equal(t, []float64{0, 0}, got)
	got = d.Do(tensorop.Dense(tensorop.Float32, 2), func(b *builder, o operand, in []operand) {
		b.Scatter(o, in[0], in[1], in[2], 0, "add")
	}, optest.Of(tensorop.Float32, []float64{5, 6}, 2), optest.Of(tensorop.Int32, nil, 0),
		optest.Of(tensorop.Float32, nil, 0))
	assert.Equal(t, []float64{5, 6}, got)
}

// TestGatherViews: strides that are negative or zero.
func TestGatherViews(t *testing.T) {
	d := optest.Open(t)
	x := optest.Of(tensorop.Float32, []float64{1, 2, 3, 4}, 4)
	indices := optest.Of(tensorop.Int32, []float64{2}, 1)
	var err error
	x.View, err = x.Reverse(0) // 4 3 2 1
	require.NoError(t, err)
	indices.View, err = indices.Broadcast(3) // 2 2 2
	require.NoError(t, err)
	got := d.Do(tensorop.Dense(tensorop.Float32, 3), func(b *builder, o operand, in []operand) {
		b.Gather(o, in[0], in[1], 0, 0)
	}, x, indices)
	assert.Equal(t, []float64{2, 2, 2}, got)
	out, err := tensorop.Dense(tensorop.Float32, 4).Reverse(0)
	require.NoError(t, err)
	one := optest.Of(tensorop.Float32, []float64{0.5}, 1)
	one.View, err = one.Broadcast(3)
	require.NoError(t, err)
	got = d.Do(out, func(b *builder, o operand, in []operand) {
		b.Scatter(o, in[0], in[1], in[2], 0, "add")
	}, x, indices, one)
	assert.Equal(t, []float64{4, 3, 3.5, 1}, got)
	got = d.Do(out, func(b *builder, o operand, in []operand) { b.Sort(o, in[0], 0, false) }, x)
	assert.Equal(t, []float64{1, 2, 3, 4}, got)
	got = d.Do(out, func(b *builder, o operand, in []operand) { b.Cumulative("sum", o, in[0], 0, false, false) }, x)
	assert.Equal(t, []float64{4, 7, 9, 10}, got)
	got = d.Do(out, func(b *builder, o operand, in []operand) { b.Range(o, 0, 1) })
	assert.Equal(t, []float64{0, 1, 2, 3}, got)
	complexes := optest.Tensor{View: tensorop.Dense(tensorop.Complex64, 2), Bytes: x.Bytes} // 1+2i, 3+4i
	b, in, o := tensorop.NewBuilder([]tensorop.View{complexes.View, tensorop.Dense(tensorop.Int32, 2)},
		[]tensorop.View{complexes.View})
	b.Gather(o[0], in[0], in[1], 0, 0)
	p, err := b.Plan()
	require.NoError(t, err)
	result := d.Run(p, complexes.Bytes, optest.Of(tensorop.Int32, []float64{1, 2}, 2).Bytes, make([]byte, 16))[0]
	assert.Equal(t, []float64{3, 4, 0, 0}, optest.Values(tensorop.Dense(tensorop.Float32, 4), result))
}
