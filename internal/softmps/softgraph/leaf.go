package softgraph

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// leaf says where the value of an operation without inputs comes from: a placeholder's from the
// feeds, a constant's and a variable's from data.
type leaf struct {
	placeholder bool
	constant    *memory
	variable    *memory
}

func (l leaf) is() bool { return l.placeholder || l.own() }

// own reports whether the graph has the value.
func (l leaf) own() bool { return l.constant != nil || l.variable != nil }

// number returns the number that is all of a constant of type float, or nil.
func (l leaf) number() *float32 {
	if l.constant == nil || l.constant.typ != tensorop.Float32 || len(l.constant.data) != 4 {
		return nil
	}
	x := math.Float32frombits(binary.LittleEndian.Uint32(l.constant.data))
	return &x
}

func (l leaf) release() {
	for _, m := range []*memory{l.constant, l.variable} {
		if m != nil {
			m.release()
		}
	}
}

// memory is data with a buffer on each device that has used it.
type memory struct {
	spec
	data []byte // packed; of a variable, the first value

	mu      sync.Mutex
	buffers map[objc.ID]mtl.Buffer
}

// on returns the buffer on a device, which belongs to the memory.
func (m *memory) on(d mtl.Device) (mtl.Buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.buffers[d.ID()]; ok {
		return b, nil
	}
	b, err := d.NewBuffer(uint(max(len(m.data), 16)), mtl.ResourceStorageModeShared)
	if err != nil {
		return b, err
	}
	contents, err := b.Bytes()
	if err != nil {
		b.Release()
		return b, err
	}
	copy(contents, m.data)
	if m.buffers == nil {
		m.buffers = map[objc.ID]mtl.Buffer{}
	}
	m.buffers[d.ID()] = b
	return b, nil
}

func (m *memory) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.buffers {
		b.Release()
	}
	m.buffers = nil
}

// leafDef is the definition of a leaf with a type and a shape.
func leafDef(s spec, l leaf) def {
	return def{infer: func([]spec) ([]spec, error) { return []spec{s}, nil }, leaf: l,
		grad: func(*graph, *operation, []*tensor) ([]*tensor, error) { return nil, nil }}
}

// newMemory checks that data has as many bytes as the tensor.
func newMemory(s spec, data []byte) (*memory, error) {
	if !s.known() {
		return nil, fmt.Errorf("data for the shape %v, which is not known", s.shape)
	}
	v := tensorop.Dense(s.typ, s.shape...)
	if err := v.Check(); err != nil {
		return nil, err
	}
	if want := v.Elements() * s.typ.Size(); len(data) != want {
		return nil, fmt.Errorf("%d bytes of data for %v, which takes %d", len(data), s, want)
	}
	return &memory{spec: s, data: data}, nil
}

// constant adds a constant with one value for all elements.
func (g *graph) constant(value float64, s spec) (*tensor, error) {
	return g.complexConstant(value, 0, s)
}

// complexConstant adds a constant; real types have no imaginary part.
func (g *graph) complexConstant(re, im float64, s spec) (*tensor, error) {
	m, err := newMemory(spec{s.typ, []int{}}, softmps.Element(s.typ, re, im))
	if err != nil {
		return nil, err
	}
	one, err := g.add1("constant", "", leafDef(m.spec, leaf{constant: m}))
	if err != nil || len(s.shape) == 0 {
		return one, err
	}
	return g.broadcast(one, s.shape, "")
}

// constantInts returns the integers of a tensor whose value is known without a run: a constant, or
// the shape of a tensor.
func constantInts(t *tensor) ([]int, error) {
	if t.op.kind == "shapeOf" {
		if from := t.op.inputs[0]; from.known() {
			return from.shape, nil
		}
	}
	if t.op.kind == "cast" || t.op.kind == "reshape" || t.op.kind == "identity" {
		return constantInts(t.op.inputs[0])
	}
	m := t.op.def.leaf.constant
	if m == nil {
		return nil, fmt.Errorf("the software device needs a constant here, not the result of a %s", t.op.kind)
	}
	var out []int
	size := m.typ.Size()
	for i := 0; i < len(m.data); i += size {
		v, err := integer(m.typ, m.data[i:])
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// constantFloats returns the numbers of a constant.
func (a *args) constantFloats(i int) []float64 {
	t := a.tensor(i)
	for t.op.kind == "reshape" || t.op.kind == "identity" {
		t = t.op.inputs[0]
	}
	m := t.op.def.leaf.constant
	switch {
	case t.typ.Integer():
		var out []float64
		for _, v := range a.constantInts(i) {
			out = append(out, float64(v))
		}
		return out
	case m == nil || m.typ != tensorop.Float32:
		a.fail("argument %d: the software device needs a constant of float32 here, not the %v result of a %s", i, t.typ,
			t.op.kind)
		return nil
	}
	var out []float64
	for at := 0; at < len(m.data); at += 4 {
		out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(m.data[at:]))))
	}
	return out
}

// integer reads an element of an integer type.
func integer(t tensorop.Type, b []byte) (int, error) {
	le := binary.LittleEndian
	switch t {
	case tensorop.Int8:
		return int(int8(b[0])), nil
	case tensorop.Uint8, tensorop.Bool:
		return int(b[0]), nil
	case tensorop.Int16:
		return int(int16(le.Uint16(b))), nil
	case tensorop.Uint16:
		return int(le.Uint16(b)), nil
	case tensorop.Int32:
		return int(int32(le.Uint32(b))), nil
	case tensorop.Uint32:
		return int(le.Uint32(b)), nil
	case tensorop.Int64, tensorop.Uint64:
		return int(le.Uint64(b)), nil
	}
	return 0, fmt.Errorf("%v is not an integer type", t)
}
