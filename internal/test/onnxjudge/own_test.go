package onnxjudge

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// own is a case of this repository: one operator, seeded inputs and a reference in float64.
type own struct {
	op         string
	attributes []*Attribute
	shapes     [][]int                             // of inputs of float32
	lists      map[int][]int                       // inputs of int64, instead of shapes[i]
	shape      []int                               // of the output
	want       func(in [][]float64, k int) float64 // element k of the output
	positive   bool                                // inputs above 0.25
	typ        Type                                // of the output, float if 0
}

// attribute makes an attribute of an int, a float, a string or a list.
func attribute(name string, value any) *Attribute {
	a := &Attribute{Name: name}
	switch v := value.(type) {
	case int:
		a.Int = int64(v)
	case float64:
		a.Float = float32(v)
	case string:
		a.Text = v
	case []int:
		a.Ints = v
	}
	return a
}

// list64 makes a tensor of int64.
func list64(v []int) *Tensor {
	t := &Tensor{Type: Int64, Shape: []int{len(v)}}
	for _, k := range v {
		t.Data = binary.LittleEndian.AppendUint64(t.Data, uint64(k))
	}
	return t
}

// seeded makes a tensor of multiples of 1/16 from -2 to 2.
func seeded(seed uint64, positive bool, shape ...int) *Tensor {
	t := &Tensor{Type: Float, Shape: shape}
	rng := rand.New(rand.NewPCG(seed, 7))
	count, _ := elements(shape)
	for range count {
		v := float32(rng.IntN(65)-32) / 16
		if positive {
			v = float32(math.Abs(float64(v))) + 0.25
		}
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v))
	}
	return t
}

// model makes a model of one node.
func (c own) model() (*Model, []*Tensor) {
	n := &Node{Op: c.op, Attributes: map[string]*Attribute{}, Outputs: []string{"y"}}
	for _, a := range c.attributes {
		n.Attributes[a.Name] = a
	}
	g := &Graph{Nodes: []*Node{n}, Outputs: []Value{{"y", Float}}}
	var in []*Tensor
	for i, shape := range c.shapes {
		t := seeded(uint64(i), c.positive, shape...)
		if v, ok := c.lists[i]; ok {
			t = list64(v)
		}
		name := fmt.Sprintf("x%d", i)
		n.Inputs, in = append(n.Inputs, name), append(in, t)
		g.Inputs = append(g.Inputs, Value{name, t.Type})
	}
	return &Model{Graph: g, Opset: 20}, in
}

// elementwise makes a case of an operator of one tensor.
func elementwise(op string, f func(x float64) float64, attributes ...*Attribute) own {
	return own{op: op, attributes: attributes, shapes: [][]int{{3, 5}}, shape: []int{3, 5},
		want: func(in [][]float64, k int) float64 { return f(in[0][k]) }}
}

// broadcast makes a case of an operator of [3 4] and [4].
func broadcast(op string, f func(x, y float64) float64) own {
	return own{op: op, shapes: [][]int{{3, 4}, {4}}, shape: []int{3, 4}, positive: true,
		want: func(in [][]float64, k int) float64 { return f(in[0][k], in[1][k%4]) }}
}

// rows makes a case of a reduction of [3 4] along the last axis.
func rows(op string, f func(row []float64) float64) own {
	return own{op: op, shapes: [][]int{{3, 4}, nil}, lists: map[int][]int{1: {-1}}, shape: []int{3},
		positive: true, attributes: []*Attribute{attribute("keepdims", 0)},
		want: func(in [][]float64, k int) float64 { return f(in[0][4*k : 4*k+4]) }}
}

func sumOf(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func owns() []own {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	return []own{
		elementwise("Abs", math.Abs), elementwise("Erf", math.Erf), elementwise("Tanh", math.Tanh),
		elementwise("Round", math.RoundToEven), elementwise("Sigmoid", sigmoid),
		elementwise("Softplus", func(x float64) float64 { return math.Log1p(math.Exp(x)) }),
		elementwise("Gelu", func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }),
		elementwise("Elu", func(x float64) float64 { return math.Max(x, 0) + 2*math.Expm1(math.Min(x, 0)) },
			attribute("alpha", 2.0)),
		elementwise("Swish", func(x float64) float64 { return x * sigmoid(x) }),
		elementwise("LeakyRelu", func(x float64) float64 { return math.Max(x, 0) + 0.25*math.Min(x, 0) },
			attribute("alpha", 0.25)),
		broadcast("Add", func(x, y float64) float64 { return x + y }),
		broadcast("Div", func(x, y float64) float64 { return x / y }),
		broadcast("Pow", math.Pow), broadcast("Max", math.Max),
		rows("ReduceSum", sumOf),
		rows("ReduceMean", func(v []float64) float64 { return sumOf(v) / 4 }),
		rows("ReduceLogSum", func(v []float64) float64 { return math.Log(sumOf(v)) }),
		rows("ReduceProd", func(v []float64) float64 { return v[0] * v[1] * v[2] * v[3] }),
		{op: "Softmax", shapes: [][]int{{3, 4}}, shape: []int{3, 4}, want: func(in [][]float64, k int) float64 {
			sum := 0.0
			for _, x := range in[0][k/4*4 : k/4*4+4] {
				sum += math.Exp(x)
			}
			return math.Exp(in[0][k]) / sum
		}},
		{op: "Transpose", shapes: [][]int{{3, 4}}, shape: []int{4, 3},
			want: func(in [][]float64, k int) float64 { return in[0][k%3*4+k/3] }},
		{op: "Slice", shapes: [][]int{{3, 4}, nil, nil, nil, nil}, lists: map[int][]int{1: {-1, 0}, 2: {-100, 3}, 3: {0, 1},
			4: {-1, 2}}, shape: []int{3, 2}, want: func(in [][]float64, k int) float64 { return in[0][(2-k/2)*4+k%2*2] }},
		{op: "Gather", shapes: [][]int{{3, 4}, nil}, lists: map[int][]int{1: {-1, 0}},
			attributes: []*Attribute{attribute("axis", 1)}, shape: []int{3, 2},
			want: func(in [][]float64, k int) float64 { return in[0][k/2*4+3-k%2*3] }},
		{op: "Pad", shapes: [][]int{{3, 4}, nil}, lists: map[int][]int{1: {0, 2, 0, 0}},
			attributes: []*Attribute{attribute("mode", "reflect")}, shape: []int{3, 6},
			want: func(in [][]float64, k int) float64 {
				return in[0][k/6*4+int(math.Abs(float64(k%6-2)))]
			}},
		{op: "ArgMax", shapes: [][]int{{3, 4}}, shape: []int{3, 1}, typ: Int64,
			attributes: []*Attribute{attribute("axis", 1), attribute("select_last_index", 1)},
			want: func(in [][]float64, k int) float64 {
				best := 0
				for i, x := range in[0][4*k : 4*k+4] {
					if x >= in[0][4*k+best] {
						best = i
					}
				}
				return float64(best)
			}},
		{op: "CumSum", shapes: [][]int{{3, 4}, nil}, lists: map[int][]int{1: {1}}, shape: []int{3, 4},
			attributes: []*Attribute{attribute("exclusive", 1)},
			want:       func(in [][]float64, k int) float64 { return sumOf(in[0][k/4*4 : k]) }},
		{op: "MatMul", shapes: [][]int{{2, 3, 4}, {4, 5}}, shape: []int{2, 3, 5},
			want: func(in [][]float64, k int) float64 { return dot(in[0][k/5*4:], in[1][k%5:], 1, 5) }},
		{op: "MatMul", shapes: [][]int{{4}, {2, 4, 5}}, shape: []int{2, 5},
			want: func(in [][]float64, k int) float64 { return dot(in[0], in[1][k/5*20+k%5:], 1, 5) }},
		{op: "Gemm", shapes: [][]int{{4, 3}, {5, 4}, {5}}, shape: []int{3, 5},
			attributes: []*Attribute{attribute("transA", 1), attribute("transB", 1), attribute("alpha", 0.5),
				attribute("beta", 2.0)},
			want: func(in [][]float64, k int) float64 {
				return dot(in[0][k/5:], in[1][k%5*4:], 3, 1)/2 + 2*in[2][k%5]
			}},
		{op: "AveragePool", shapes: [][]int{{1, 1, 4}}, shape: []int{1, 1, 5},
			attributes: []*Attribute{attribute("kernel_shape", []int{2}), attribute("pads", []int{1, 1})},
			want: func(in [][]float64, k int) float64 {
				row := in[0][max(k-1, 0):min(k+1, 4)]
				return sumOf(row) / float64(len(row))
			}},
		{op: "LayerNormalization", shapes: [][]int{{3, 4}, {4}, {4}}, shape: []int{3, 4},
			want: func(in [][]float64, k int) float64 {
				row := in[0][k/4*4 : k/4*4+4]
				mean := sumOf(row) / 4
				variance := dot(row, row, 1, 1)/4 - mean*mean
				return (in[0][k]-mean)/math.Sqrt(variance+1e-5)*in[1][k%4] + in[2][k%4]
			}},
	}
}

func TestOwn(t *testing.T) {
	r := newRig(t)
	for _, c := range owns() {
		m, in := c.model()
		out, err := r.run(m, in)
		require.NoError(t, err, c.op)
		require.Len(t, out, 1, c.op)
		var values [][]float64
		for _, x := range in {
			values = append(values, x.Numbers())
		}
		require.Equal(t, c.shape, out[0].Shape, c.op)
		if c.typ == 0 {
			c.typ = Float
		}
		assert.Equal(t, c.typ, out[0].Type, c.op)
		for k, got := range out[0].Numbers() {
			want := c.want(values, k)
			require.InDelta(t, want, got, 1e-5*math.Max(1, math.Abs(want)), "%s: element %d", c.op, k)
		}
	}
}

// TestRefusals: what cannot be mapped is an error that names it.
func TestRefusals(t *testing.T) {
	r := newRig(t)
	for op, reason := range map[string]string{"Det": "no method for Det", "Nonsense": "Nonsense is not mapped",
		"Concat": "input \"missing\" is not defined"} {
		m := &Model{Graph: &Graph{Nodes: []*Node{{Op: op, Inputs: []string{"missing"}, Outputs: []string{"y"}}},
			Outputs: []Value{{"y", Float}}}}
		_, err := r.run(m, nil)
		require.ErrorContains(t, err, reason)
	}
}

// dot multiplies 4 elements of each of two slices, which are a distance apart, and sums.
func dot(a, b []float64, i, j int) (sum float64) {
	for k := range 4 {
		sum += a[k*i] * b[k*j]
	}
	return sum
}
