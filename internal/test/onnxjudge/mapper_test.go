package onnxjudge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// refusal is the panic of a node that cannot be mapped. Without a method, no method of MPSGraph
// does what the operator or this form of it asks, or MPSGraph lacks the type.
type refusal struct {
	noMethod bool
	reason   string
}

func (r refusal) Error() string { return r.reason }

// noMethod gives up on a node that MPSGraph has no method for.
func noMethod(format string, args ...any) { panic(refusal{true, fmt.Sprintf(format, args...)}) }

// rig is the device that models run on.
type rig struct {
	device mtl.Device
	queue  mtl.CommandQueue
	fault  error // the first one since it was last cleared
}

func newRig(t *testing.T) *rig {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	r := &rig{}
	t.Cleanup(objc.OnFault(func(f *objc.Fault) {
		if r.fault == nil {
			r.fault = f
		}
	}))
	var err error
	r.device, err = mtl.DefaultDevice()
	require.NoError(t, err)
	t.Cleanup(r.device.Release)
	r.queue, err = r.device.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(r.queue.Release)
	return r
}

// mapper builds the graph of a model.
type mapper struct {
	*rig
	g        graph.Graph
	opset    int64
	table    map[string]operator
	known    map[graph.Tensor]*Tensor // placeholders and constants
	feeds    map[graph.Tensor]graph.TensorData
	released []graph.TensorData
}

// operator builds the outputs of a node.
type operator func(n *node) []graph.Tensor

// node is a node with the tensors of its inputs, nil for those that are absent.
type node struct {
	*Node
	*mapper
	in []graph.Tensor
}

func one(t graph.Tensor) []graph.Tensor { return []graph.Tensor{t} }

// sure returns the result of a method that newer versions have.
func sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (n *node) has(i int) bool { return i < len(n.in) && !n.in[i].IsNil() }

func (n *node) int(name string, value int) int {
	if a := n.Attributes[name]; a != nil {
		return int(a.Int)
	}
	return value
}

func (n *node) float(name string, value float64) float64 {
	if a := n.Attributes[name]; a != nil {
		return float64(a.Float)
	}
	return value
}

func (n *node) text(name, value string) string {
	if a := n.Attributes[name]; a != nil {
		return a.Text
	}
	return value
}

// list is an attribute of integers, nil without one.
func (n *node) list(name string) []int {
	if a := n.Attributes[name]; a != nil {
		return append([]int{}, a.Ints...)
	}
	return nil
}

// argument is a list that is an attribute in old operator sets and an input in new ones; nil
// without either.
func (n *node) argument(name string, i int) []int {
	if n.has(i) {
		return append([]int{}, n.ints(n.in[i])...)
	}
	return n.list(name)
}

// dataType returns MPSGraph's type for one of ONNX. MPSGraph has no double: the numbers are
// narrowed to float32, which the tolerances of the suite allow.
func dataType(t Type) mps.DataType {
	switch t {
	case Float, Double:
		return mps.DataTypeFloat32
	case Uint8:
		return mps.DataTypeUInt8
	case Int8:
		return mps.DataTypeInt8
	case Uint16:
		return mps.DataTypeUInt16
	case Int16:
		return mps.DataTypeInt16
	case Int32:
		return mps.DataTypeInt32
	case Int64:
		return mps.DataTypeInt64
	case Uint32:
		return mps.DataTypeUInt32
	case Uint64:
		return mps.DataTypeUInt64
	case Bool:
		return mps.DataTypeBool
	case Float16:
		return mps.DataTypeFloat16
	case BFloat16:
		return mps.DataTypeBFloat16
	}
	noMethod("tensors of %v", t)
	return 0
}

// onnxType is the opposite of dataType.
func onnxType(t mps.DataType) Type {
	for _, o := range []Type{Float, Uint8, Int8, Uint16, Int16, Int32, Int64, Uint32, Uint64, Bool, Float16, BFloat16} {
		if dataType(o) == t {
			return o
		}
	}
	panic(fmt.Errorf("a result of %v", t))
}

// bytes returns a tensor's elements in MPSGraph's type.
func (t *Tensor) bytes() []byte {
	if t.Type != Double {
		return t.Data
	}
	var out []byte
	for _, v := range t.Numbers() {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
	}
	return out
}

// input adds a placeholder that is fed with a tensor.
func (m *mapper) input(t *Tensor) graph.Tensor {
	x := m.g.PlaceholderWithShapeDataType(t.Shape, dataType(t.Type), t.Name)
	d := sure(graph.NewTensorDataWithDevice(sure(graph.DeviceWithMTLDevice(m.device)), t.bytes(), t.Shape,
		dataType(t.Type)))
	m.released = append(m.released, d)
	m.known[x], m.feeds[x] = t, d
	return x
}

// constant adds a constant.
func (m *mapper) constant(t *Tensor) graph.Tensor {
	x := m.g.ConstantWithData(t.bytes(), t.Shape, dataType(t.Type))
	m.known[x] = t
	return x
}

// scalar is a number in the type of another tensor.
func (m *mapper) scalar(v float64, like graph.Tensor) graph.Tensor {
	return m.g.ConstantWithScalar(v, like.DataType())
}

// integers adds a constant of int32.
func (m *mapper) integers(v ...int) graph.Tensor {
	t := &Tensor{Type: Int32, Shape: []int{len(v)}}
	for _, k := range v {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, uint32(k))
	}
	return m.constant(t)
}

// evaluate returns the elements of tensors: it runs the graph unless they are known.
func (m *mapper) evaluate(targets ...graph.Tensor) []*Tensor {
	out := make([]*Tensor, len(targets))
	var run []graph.Tensor
	for i, t := range targets {
		if t.IsNil() {
			panic(fmt.Errorf("output %d: %w", i, m.failure("a nil tensor without a fault")))
		}
		if out[i] = m.known[t]; out[i] == nil && !slices.Contains(run, t) {
			run = append(run, t)
		}
	}
	if len(run) == 0 {
		return out
	}
	used := map[graph.Tensor]graph.TensorData{}
	for _, p := range m.g.PlaceholderTensors() {
		used[p] = m.feeds[p]
	}
	results, err := m.g.RunWithMTLCommandQueueTargetTensors(m.queue, used, run, nil)
	if err != nil {
		panic(plain(err))
	}
	if m.fault != nil {
		panic(plain(m.fault))
	}
	for i, t := range targets {
		if out[i] != nil {
			continue
		}
		d := results[t]
		out[i] = &Tensor{Type: onnxType(d.DataType()), Shape: d.Shape()}
		count := sure(elements(out[i].Shape))
		out[i].Data = make([]byte, count*out[i].Type.Size())
		if count > 0 {
			d.Mpsndarray().ReadBytes(out[i].Data, nil)
		}
	}
	return out
}

func (m *mapper) failure(otherwise string) error {
	if m.fault != nil {
		return plain(m.fault)
	}
	return fmt.Errorf("%s", otherwise)
}

// plain is a fault without the name of the method, which it repeats, and the place.
func plain(fault error) error {
	text := fault.Error()
	if _, after, ok := strings.Cut(text, "MTLValidationException: "); ok {
		text = after
	}
	text, _, _ = strings.Cut(text, " (sent at ")
	return errors.New(text)
}

// ints and floats are the elements of a tensor that MPSGraph takes as numbers.
func (m *mapper) ints(t graph.Tensor) []int { return m.evaluate(t)[0].Integers() }

func (m *mapper) floats(t graph.Tensor) []float64 { return m.evaluate(t)[0].Numbers() }

// build adds the nodes of a graph to the environment.
func (m *mapper) build(g *Graph, env map[string]graph.Tensor) {
	for _, c := range g.Constants {
		env[c.Name] = m.constant(c)
	}
	for _, raw := range g.Nodes {
		op := m.table[raw.Op]
		if op == nil || raw.Domain != "" && raw.Domain != "ai.onnx" {
			name := raw.Op
			if raw.Domain != "" {
				name = raw.Domain + "." + raw.Op
			}
			if slices.Contains(withoutMethod(), name) || raw.Domain != "" {
				noMethod("no method for %s", name)
			}
			panic(fmt.Errorf("%s is not mapped", name))
		}
		n := &node{Node: raw, mapper: m}
		for _, name := range raw.Inputs {
			n.in = append(n.in, env[name])
			if name != "" && env[name].IsNil() {
				panic(fmt.Errorf("%s: input %q is not defined", raw.Op, name))
			}
		}
		out := op(n)
		for i, name := range raw.Outputs {
			if name == "" {
				continue
			}
			if i >= len(out) {
				panic(fmt.Errorf("%s: output %d is not mapped", raw.Op, i))
			}
			if out[i].IsNil() {
				panic(fmt.Errorf("%s: %w", raw.Op, m.failure("a nil tensor without a fault")))
			}
			env[name] = out[i]
		}
	}
}

// run computes the outputs of a model.
func (r *rig) run(model *Model, inputs []*Tensor) (out []*Tensor, err error) {
	r.fault = nil
	pool, err := objc.NewAutoreleasePool()
	if err != nil {
		return nil, err
	}
	m := &mapper{rig: r, opset: model.Opset, table: operators(), known: map[graph.Tensor]*Tensor{},
		feeds: map[graph.Tensor]graph.TensorData{}}
	defer func() {
		for _, d := range m.released {
			d.Release()
		}
		m.g.Release()
		if failed := pool.Drain(); failed != nil && err == nil {
			err = failed
		}
	}()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			if err = p; r.fault != nil {
				err = plain(r.fault)
			}
		default:
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if m.g, err = graph.NewGraph(); err != nil {
		return nil, err
	}
	for _, v := range slices.Concat(model.Graph.Inputs, model.Graph.Outputs) {
		if v.Type == 0 {
			noMethod("the sequence or optional value %q", v.Name)
		}
	}
	env := map[string]graph.Tensor{}
	if len(inputs) > len(model.Graph.Inputs) {
		return nil, fmt.Errorf("%d inputs for %d of the model", len(inputs), len(model.Graph.Inputs))
	}
	for i, t := range inputs {
		env[model.Graph.Inputs[i].Name] = m.input(t)
	}
	m.build(model.Graph, env)
	var targets []graph.Tensor
	for _, v := range model.Graph.Outputs {
		targets = append(targets, m.g.IdentityWithTensor(env[v.Name], ""))
	}
	return m.evaluate(targets...), nil
}

// compare returns the first difference from what is wanted. The tolerances are those of ONNX's own
// runner; those of half types are wider, because a result may be one unit in the last place off.
func compare(got, want *Tensor) error {
	if dataType(want.Type) != dataType(got.Type) {
		return fmt.Errorf("the type is %v and not %v", got.Type, want.Type)
	}
	if !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("the shape is %v and not %v", got.Shape, want.Shape)
	}
	relative, absolute := 1e-3, 1e-7
	switch want.Type {
	case Float16:
		relative, absolute = 1.0/512, 1e-5
	case BFloat16:
		relative, absolute = 1.0/64, 1e-5
	}
	g, w := got.Numbers(), want.Numbers()
	for i := range w {
		same := g[i] == w[i] || math.IsNaN(g[i]) && math.IsNaN(w[i])
		if !same && !(math.Abs(g[i]-w[i]) <= absolute+relative*math.Abs(w[i])) {
			return fmt.Errorf("element %d of %d is %v and not %v", i, len(w), g[i], w[i])
		}
	}
	return nil
}

// withoutMethod names the operators that no method of MPSGraph serves, alone or with others.
func withoutMethod() []string {
	return []string{
		// Text, images and collections.
		"ImageDecoder", "TfIdfVectorizer", "StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch",
		"OptionalHasElement", "OptionalGetElement", "Optional", "SequenceAt", "SequenceInsert", "SequenceErase",
		"SequenceLength", "SequenceMap", "SequenceConstruct", "SequenceEmpty", "SplitToSequence", "ConcatFromSequence",
		// Results whose shape depends on values.
		"Compress", "Unique",
		// Others.
		"Bernoulli", "RandomUniformLike", "RandomNormalLike", "DeformConv", "Det", "MaxUnpool", "MelWeightMatrix",
		"RoiAlign",
	}
}
