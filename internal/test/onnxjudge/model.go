package onnxjudge

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Type is a type of ONNX's TensorProto.
type Type int64

// The types whose elements have whole bytes and numbers.
const (
	Float    Type = 1
	Uint8    Type = 2
	Int8     Type = 3
	Uint16   Type = 4
	Int16    Type = 5
	Int32    Type = 6
	Int64    Type = 7
	String   Type = 8
	Bool     Type = 9
	Float16  Type = 10
	Double   Type = 11
	Uint32   Type = 12
	Uint64   Type = 13
	BFloat16 Type = 16
)

// String returns the type's name in ONNX.
func (t Type) String() string {
	names := []string{"undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool",
		"float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn",
		"float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2"}
	if t < 0 || int(t) >= len(names) {
		return fmt.Sprintf("type %d", int64(t))
	}
	return names[t]
}

// Size returns the bytes of an element, 0 for types that the package does not decode.
func (t Type) Size() int {
	switch t {
	case Uint8, Int8, Bool:
		return 1
	case Uint16, Int16, Float16, BFloat16:
		return 2
	case Float, Int32, Uint32:
		return 4
	case Int64, Uint64, Double:
		return 8
	}
	return 0
}

// Tensor is a TensorProto: its elements are little-endian.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int
	Data  []byte
}

// Attribute is an AttributeProto.
type Attribute struct {
	Name    string
	Float   float32
	Int     int64
	Text    string
	Tensor  *Tensor
	Graph   *Graph
	Floats  []float32
	Ints    []int
	Strings []string
}

// Node is a NodeProto.
type Node struct {
	Op, Domain      string
	Inputs, Outputs []string
	Attributes      map[string]*Attribute
}

// Value is the ValueInfoProto of an input or output. Type is 0 for sequences, optional values and
// maps.
type Value struct {
	Name string
	Type Type
}

// Graph is a GraphProto.
type Graph struct {
	Nodes           []*Node
	Constants       []*Tensor
	Inputs, Outputs []Value
}

// Model is a ModelProto. Opset is the version of the operators of the default domain.
type Model struct {
	Graph *Graph
	Opset int64
}

// ParseModel decodes a ModelProto.
func ParseModel(b []byte) (*Model, error) {
	m := &Model{}
	err := eachField(b, func(d field) (err error) {
		switch d.number {
		case 7:
			m.Graph, err = parseGraph(d.bytes)
		case 8:
			var domain string
			var version int64
			err = eachField(d.bytes, func(d field) error {
				if d.number == 1 {
					domain = string(d.bytes)
				} else if d.number == 2 {
					version = int64(d.value)
				}
				return nil
			})
			if domain == "" || domain == "ai.onnx" {
				m.Opset = version
			}
		}
		return err
	})
	if err == nil && m.Graph == nil {
		err = fmt.Errorf("the model has no graph")
	}
	return m, err
}

func parseGraph(b []byte) (*Graph, error) {
	g := &Graph{}
	return g, eachField(b, func(d field) error {
		switch d.number {
		case 1:
			n, err := parseNode(d.bytes)
			g.Nodes = append(g.Nodes, n)
			return err
		case 5:
			t, err := ParseTensor(d.bytes)
			g.Constants = append(g.Constants, t)
			return err
		case 11, 12:
			v, err := parseValue(d.bytes)
			if d.number == 11 {
				g.Inputs = append(g.Inputs, v)
			} else {
				g.Outputs = append(g.Outputs, v)
			}
			return err
		}
		return nil
	})
}

func parseValue(b []byte) (v Value, err error) {
	err = eachField(b, func(d field) error {
		if d.number == 1 {
			v.Name = string(d.bytes)
		}
		if d.number != 2 {
			return nil
		}
		return eachField(d.bytes, func(d field) error { // TypeProto
			if d.number != 1 {
				return nil
			}
			return eachField(d.bytes, func(d field) error { // of a tensor
				if d.number == 1 {
					v.Type = Type(d.value)
				}
				return nil
			})
		})
	})
	return v, err
}

func parseNode(b []byte) (*Node, error) {
	n := &Node{Attributes: map[string]*Attribute{}}
	return n, eachField(b, func(d field) error {
		switch d.number {
		case 1:
			n.Inputs = append(n.Inputs, string(d.bytes))
		case 2:
			n.Outputs = append(n.Outputs, string(d.bytes))
		case 4:
			n.Op = string(d.bytes)
		case 5:
			a, err := parseAttribute(d.bytes)
			n.Attributes[a.Name] = a
			return err
		case 7:
			n.Domain = string(d.bytes)
		}
		return nil
	})
}

func parseAttribute(b []byte) (*Attribute, error) {
	a := &Attribute{}
	return a, eachField(b, func(d field) (err error) {
		switch d.number {
		case 1:
			a.Name = string(d.bytes)
		case 2:
			a.Float = math.Float32frombits(uint32(d.value))
		case 3:
			a.Int = int64(d.value)
		case 4:
			a.Text = string(d.bytes)
		case 5:
			a.Tensor, err = ParseTensor(d.bytes)
		case 6:
			a.Graph, err = parseGraph(d.bytes)
		case 7:
			var v []float32
			v, err = d.floats()
			a.Floats = append(a.Floats, v...)
		case 8:
			var v []int64
			v, err = d.integers()
			for _, k := range v {
				a.Ints = append(a.Ints, int(k))
			}
		case 9:
			a.Strings = append(a.Strings, string(d.bytes))
		}
		return err
	})
}

// ParseTensor decodes a TensorProto. Elements of types that the package does not decode are left
// out: the tensor has no Data.
func ParseTensor(b []byte) (*Tensor, error) {
	t := &Tensor{Shape: []int{}}
	var numbers []uint64
	err := eachField(b, func(d field) (err error) {
		var ints []int64
		var bits []uint64
		switch d.number {
		case 1:
			ints, err = d.integers()
			for _, n := range ints {
				t.Shape = append(t.Shape, int(n))
			}
			return err
		case 2:
			t.Type = Type(d.value)
		case 4:
			bits, err = d.fixed(4)
		case 10:
			bits, err = d.fixed(8)
		case 5, 7, 11:
			ints, err = d.integers()
			for _, n := range ints {
				bits = append(bits, uint64(n))
			}
		case 8:
			t.Name = string(d.bytes)
		case 9:
			t.Data = slices.Clone(d.bytes)
		}
		numbers = append(numbers, bits...)
		return err
	})
	if err != nil {
		return nil, err
	}
	size := t.Type.Size()
	if size == 0 {
		t.Data = nil
		return t, nil
	}
	for _, v := range numbers {
		t.Data = append(t.Data, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
	}
	n, err := elements(t.Shape)
	if err == nil && len(t.Data) != n*size {
		err = fmt.Errorf("tensor %q: %d bytes of data for shape %v of %v", t.Name, len(t.Data), t.Shape, t.Type)
	}
	return t, err
}

// elements returns the number of elements of a shape.
func elements(shape []int) (int, error) {
	n := uint64(1)
	for _, d := range shape {
		var high uint64
		if high, n = bits.Mul64(n, uint64(d)); d < 0 || high != 0 || n > math.MaxInt32 {
			return 0, fmt.Errorf("shape %v has more than %d elements or a negative dimension", shape, math.MaxInt32)
		}
	}
	return int(n), nil
}

// Numbers returns the elements as float64, which rounds large integers; Integers does not.
func (t *Tensor) Numbers() []float64 {
	var out []float64
	for b, size := t.Data, t.Type.Size(); len(b) > 0; b = b[size:] {
		out = append(out, t.Type.number(b))
	}
	return out
}

// Integers returns the elements as int: unsigned ones modulo 2^64, others truncated.
func (t *Tensor) Integers() []int {
	var out []int
	for b, size := t.Data, t.Type.Size(); len(b) > 0; b = b[size:] {
		switch t.Type {
		case Int64, Uint64:
			out = append(out, int(binary.LittleEndian.Uint64(b)))
		default:
			out = append(out, int(t.Type.number(b)))
		}
	}
	return out
}

// number decodes one element.
func (t Type) number(b []byte) float64 {
	switch t {
	case Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case Uint8, Bool:
		return float64(b[0])
	case Int8:
		return float64(int8(b[0]))
	case Uint16:
		return float64(binary.LittleEndian.Uint16(b))
	case Int16:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case Uint32:
		return float64(binary.LittleEndian.Uint32(b))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case Uint64:
		return float64(binary.LittleEndian.Uint64(b))
	case Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case BFloat16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	case Float16:
		return half(binary.LittleEndian.Uint16(b))
	}
	return math.NaN()
}

// half converts the bits of a float16.
func half(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		if v = math.Inf(1); fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 != 0 {
		return -v
	}
	return v
}
