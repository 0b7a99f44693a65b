package graph

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// one returns a constant of float32.
func (r *rig) one(v float64) Tensor { return r.graph.ConstantWithScalar(v, mps.DataTypeFloat32) }

func (r *rig) integer(v float64) Tensor { return r.graph.ConstantWithScalar(v, mps.DataTypeInt32) }

// number returns the only value of a target, for feeds of one value each.
func (r *rig) number(feeds map[Tensor]float32, target Tensor) float32 {
	r.t.Helper()
	data := map[Tensor]TensorData{}
	for t, v := range feeds {
		data[t] = r.data([]float32{v}, 1)
	}
	got := r.run(data, target)
	require.Len(r.t, got, 1)
	return got[0]
}

// TestIf: one of two blocks computes the results, from tensors outside of it, also in one another.
func TestIf(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x, y := r.placeholder(1), r.placeholder(1)
	double := g.AdditionWithPrimaryTensor(x, x, "")
	out := g.IfWithPredicateTensor(g.LessThanWithPrimaryTensor(x, y, ""), func() []Tensor {
		return []Tensor{g.AdditionWithPrimaryTensor(double, y, "")}
	}, func() []Tensor {
		inner := g.IfWithPredicateTensor(g.LessThanWithPrimaryTensor(x, r.one(10), ""),
			func() []Tensor { return []Tensor{double} },
			func() []Tensor { return []Tensor{g.NegativeWithTensor(double, "")} }, "")
		require.Len(t, inner, 1)
		return inner
	}, "choice")
	require.Len(t, out, 1)
	assert.Equal(t, []int{1}, out[0].Shape())
	z := g.AdditionWithPrimaryTensor(out[0], double, "")
	for _, c := range [][3]float32{{1, 5, 9}, {5, 1, 20}, {20, 1, 0}} {
		assert.Equal(t, c[2], r.number(map[Tensor]float32{x: c[0], y: c[1]}, z))
	}

	// Without an else block there are no results.
	assert.Empty(t, g.IfWithPredicateTensor(x, func() []Tensor { return nil }, nil, ""))
}

// TestFor: a loop's body computes its next arguments from the index and the last ones.
func TestFor(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(1)
	count := g.CastTensor(g.ReshapeTensor(x, []int{}, ""), mps.DataTypeInt32, "")
	sum := func(index Tensor, args []Tensor) []Tensor {
		i := g.CastTensor(index, mps.DataTypeFloat32, "")
		return []Tensor{g.AdditionWithPrimaryTensor(args[0], g.MultiplicationWithPrimaryTensor(i, args[1], ""), ""), args[1]}
	}
	three := g.ConstantWithScalarShape(3, []int{1}, mps.DataTypeFloat32)
	out := g.ForLoopWithNumberOfIterations(count, []Tensor{three, x}, sum, "")
	require.Len(t, out, 2)
	assert.Equal(t, float32(3+5*(0+1+2+3+4)), r.number(map[Tensor]float32{x: 5}, out[0]))
	assert.Equal(t, float32(3), r.number(map[Tensor]float32{x: 0}, out[0]), "no iterations")
	assert.Equal(t, float32(3), r.number(map[Tensor]float32{x: -4}, out[0]), "no iterations")

	out = g.ForLoopWithLowerBound(r.integer(-1), count, r.integer(3), []Tensor{three, x}, sum, "")
	assert.Equal(t, float32(3+7*(-1+2+5)), r.number(map[Tensor]float32{x: 7}, out[0]))

	bad := g.ForLoopWithLowerBound(r.integer(0), count, r.integer(0), []Tensor{three, x}, sum, "")
	_, err := g.RunWithFeeds(map[Tensor]TensorData{x: r.data([]float32{3}, 1)}, []Tensor{bad[0]}, nil)
	assert.ErrorContains(t, err, "for: the step is 0; want at least 1")
	bad = g.ForLoopWithNumberOfIterations(r.integer(1<<30), []Tensor{three, x}, sum, "")
	_, err = g.RunWithFeeds(map[Tensor]TensorData{x: r.data([]float32{3}, 1)}, []Tensor{bad[0]}, nil)
	assert.ErrorContains(t, err, "for: 1073741824 iterations; the software device does at most 1048576")
}

// TestWhile: Collatz's sequence, and its length, within a loop over its first numbers.
func TestWhile(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(1)
	zero := g.ConstantWithScalarShape(0, []int{1}, mps.DataTypeFloat32)
	length := func(first Tensor) Tensor {
		out := g.WhileWithInitialInputs([]Tensor{first, zero}, func(in []Tensor, results *[]Tensor) Tensor {
			*results = in
			return g.GreaterThanWithPrimaryTensor(in[0], r.one(1), "")
		}, func(in []Tensor) []Tensor {
			half := g.MultiplicationWithPrimaryTensor(in[0], r.one(0.5), "")
			even := g.EqualWithPrimaryTensor(half, g.FloorWithTensor(half, ""), "")
			next := g.IfWithPredicateTensor(even, func() []Tensor { return []Tensor{half} }, func() []Tensor {
				return []Tensor{g.AdditionWithPrimaryTensor(g.MultiplicationWithPrimaryTensor(in[0], r.one(3), ""),
					r.one(1), "")}
			}, "")
			return []Tensor{next[0], g.AdditionWithPrimaryTensor(in[1], r.one(1), "")}
		}, "")
		require.Len(t, out, 2)
		return out[1]
	}
	steps := length(x)
	for first, want := range map[float32]float32{1: 0, 2: 1, 3: 7, 6: 8, 7: 16} {
		assert.Equal(t, want, r.number(map[Tensor]float32{x: first}, steps))
	}
	sum := g.ForLoopWithNumberOfIterations(r.integer(4), []Tensor{zero}, func(index Tensor, args []Tensor) []Tensor {
		from := g.AdditionWithPrimaryTensor(g.CastTensor(index, mps.DataTypeFloat32, ""), x, "")
		return []Tensor{g.AdditionWithPrimaryTensor(args[0], length(from), "")}
	}, "")
	assert.Equal(t, float32(0+1+7+2), r.number(map[Tensor]float32{x: 1}, sum[0]))
}

// TestControlVariables: variables that a block assigns change after each run of the block, and
// operations that have effects run although nothing uses their results.
func TestControlVariables(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(1)
	v := g.VariableWithData(make([]byte, 4), []int{1}, mps.DataTypeFloat32, "v")
	zero := g.ConstantWithScalarShape(0, []int{1}, mps.DataTypeFloat32)
	out := g.ForLoopWithNumberOfIterations(r.integer(3), []Tensor{zero}, func(_ Tensor, args []Tensor) []Tensor {
		now := g.ReadVariable(v, "")
		g.IfWithPredicateTensor(g.LessThanWithPrimaryTensor(now, r.one(10), ""), func() []Tensor {
			g.AssignVariable(v, g.AdditionWithPrimaryTensor(now, x, ""), "")
			return nil
		}, nil, "")
		return []Tensor{g.AdditionWithPrimaryTensor(args[0], now, "")}
	}, "")
	assert.Equal(t, float32(0+2+4), r.number(map[Tensor]float32{x: 2}, out[0]))
	assert.Equal(t, float32(6+11+11), r.number(map[Tensor]float32{x: 5}, out[0]))
	assert.Equal(t, float32(11), r.number(nil, g.ReadVariable(v, "")))
}

// TestControlDependency: the block's operations run after others.
func TestControlDependency(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(1)
	v := g.VariableWithData(make([]byte, 4), []int{1}, mps.DataTypeFloat32, "v")
	set := g.AssignVariable(v, x, "")
	out := g.ControlDependencyWithOperations([]Operation{set}, func() []Tensor {
		return []Tensor{g.SquareWithTensor(x, "")}
	}, "")
	require.Len(t, out, 1)
	require.Len(t, out[0].Operation().ControlDependencies(), 1)
	assert.Equal(t, float32(9), r.number(map[Tensor]float32{x: 3}, out[0]))
	assert.Equal(t, float32(3), r.number(nil, g.ReadVariable(v, "")), "the assignment has run")
}

// TestControlStages: what the parts of a run share is computed once.
func TestControlStages(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := g.RandomUniformTensorWithShape([]int{1}, "")
	out := g.IfWithPredicateTensor(g.LessThanWithPrimaryTensor(x, r.one(0.5), ""),
		func() []Tensor { return []Tensor{g.NegativeWithTensor(x, "")} }, func() []Tensor { return []Tensor{x} }, "")
	for range 8 {
		all := got(g.RunWithMTLCommandQueueTargetTensors(r.queue, nil, []Tensor{x, out[0]}, nil))(t)
		v, w := r.values(all[x])[0], r.values(all[out[0]])[0]
		if v < 0.5 {
			v = -v
		}
		assert.Equal(t, v, w)
	}
}

// TestControlEncode: a command buffer of MPS is committed and continued where the CPU must know a
// result.
func TestControlEncode(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(1)
	y := g.SquareWithTensor(x, "")
	out := g.IfWithPredicateTensor(g.LessThanWithPrimaryTensor(x, r.one(10), ""),
		func() []Tensor { return []Tensor{y} }, func() []Tensor { return []Tensor{x} }, "")
	cb, err := mps.CommandBufferFromCommandQueue(r.queue)
	require.NoError(t, err)
	feeds := map[Tensor]TensorData{x: r.data([]float32{3}, 1)}
	for _, want := range []float32{9, 81, 81} {
		got := g.EncodeToCommandBufferTargetTensors(cb, feeds, out, nil, ExecutionDescriptor{})
		require.Len(t, got, 1)
		feeds = map[Tensor]TensorData{x: got[out[0]]}
		defer func() { assert.Equal(t, want, r.values(got[out[0]])[0]) }()
	}
	require.NoError(t, cb.Commit())
	require.NoError(t, cb.WaitUntilCompleted())
}

func TestControlMisuse(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x, pair := r.placeholder(1), r.placeholder(2)
	var leaked Tensor
	ok := func() []Tensor { leaked = g.SquareWithTensor(x, ""); return []Tensor{leaked} }
	many := func() []Tensor { return []Tensor{x, x} }
	ints := func() []Tensor { return []Tensor{r.integer(1)} }
	none := func(Tensor, []Tensor) []Tensor { return nil }
	back := func(in []Tensor, out *[]Tensor) Tensor { *out = in; return x }
	g.IfWithPredicateTensor(x, ok, ok, "") // leaked is set, whatever the order below
	for want, f := range map[string]func(){
		"if: then and else have 1 results and 2 results":    func() { g.IfWithPredicateTensor(x, ok, many, "") },
		"if: then and else have 1 results and 0 results":    func() { g.IfWithPredicateTensor(x, ok, nil, "") },
		"result 0 is float32 and int32":                     func() { g.IfWithPredicateTensor(x, ok, ints, "") },
		"the predicate has the shape [2]; want one element": func() { g.IfWithPredicateTensor(pair, ok, ok, "") },
		"for: the initial arguments and the body have 1 results and 0": func() {
			g.ForLoopWithNumberOfIterations(r.integer(1), []Tensor{x}, none, "")
		},
		"for: the number of iterations or upper bound is float32": func() {
			g.ForLoopWithNumberOfIterations(x, []Tensor{x}, none, "")
		},
		"while: the block before returns no predicate": func() {
			g.WhileWithInitialInputs([]Tensor{x}, func([]Tensor, *[]Tensor) Tensor { return Tensor{} },
				func(in []Tensor) []Tensor { return in }, "")
		},
		"while: the initial inputs and the block after have 1 results and": func() {
			g.WhileWithInitialInputs([]Tensor{x}, back, func([]Tensor) []Tensor { return nil }, "")
		},
	} {
		_, err := r.try(func() Tensor { f(); return Tensor{} })
		assert.ErrorContains(t, err, want)
	}
	_, err := g.RunWithFeeds(map[Tensor]TensorData{x: r.data([]float32{3}, 1)}, []Tensor{leaked}, nil)
	assert.ErrorContains(t, err, "in a block of control flow is used outside of the block")
	// The graph is as good as before.
	assert.Equal(t, float32(16), r.number(map[Tensor]float32{x: 4}, g.SquareWithTensor(x, "")))
}

// TestControlLeaks: runs leave no objects behind.
func TestControlLeaks(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(1)
	out := g.ForLoopWithNumberOfIterations(r.integer(5), []Tensor{x}, func(_ Tensor, args []Tensor) []Tensor {
		return g.IfWithPredicateTensor(args[0], func() []Tensor { return []Tensor{g.SquareWithTensor(args[0], "")} },
			func() []Tensor { return args }, "")
	}, "")
	data := r.data([]float32{2}, 1)
	for i := range 3 {
		before := objc.LiveObjects()
		objc.Pool(func() {
			_, err := g.RunWithFeeds(map[Tensor]TensorData{x: data}, out, nil)
			require.NoError(t, err)
		})
		if i > 0 {
			settle.Equal(t, "live objects", before, objc.LiveObjects)
		}
	}
}
