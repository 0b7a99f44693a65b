package generate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// structure is a Go structure with the layout of a Metal one.
type structure struct {
	Name   string
	Metal  string // its name in the source
	Size   int
	Fields []field
}

// field is a member, or padding with the name _.
type field struct {
	Name, Type string
	Comment    string
}

// errNoType is wrapped by errors for what Go has no type for.
var errNoType = errors.New("Go has no type for it")

// described is a type as reflection describes it: of an argument, a member or an element.
type described struct {
	name  string // in the source
	data  ir.DataType
	size  int // bytes
	array *ir.Array
	of    *ir.Struct
	to    *ir.Arg // of a pointer
}

// typed is a Go type that has Metal's layout, without padding that only the compiler would add: the
// layout is the same on all processors.
type typed struct {
	name string
	size int
}

// goType returns the Go type.
func (f *file) goType(d described) (typed, error) {
	shape := d.data.Shape()
	switch {
	case shape.Cols > 1:
		column, err := f.vector(shape, "")
		return typed{fmt.Sprintf("[%d]%s", shape.Cols, column.name), shape.Cols * column.size}, err
	case shape.Rows > 1:
		packed := strings.HasPrefix(d.name, "packed_")
		if shape.Rows == 3 { // whose size tells, whatever the source calls it
			packed = d.size == 3*shape.Elem.Size()
		}
		if packed {
			return f.vector(shape, "Packed")
		}
		return f.vector(shape, "")
	case shape.Rows == 1:
		name, err := f.scalar(shape)
		return typed{name, shape.Elem.Size()}, err
	}
	switch d.data {
	case ir.DataStruct:
		s, err := f.structure(d.of)
		if err != nil {
			return typed{}, fmt.Errorf("%s: %w", d.name, err)
		}
		return typed{s.Name, s.Size}, nil
	case ir.DataArray:
		if d.array == nil || d.array.Len == 0 {
			return typed{}, fmt.Errorf("an array of unknown length: %w", errNoType)
		}
		a := d.array
		e, err := f.goType(described{a.Type, a.Data, a.Stride, a.Array, a.Struct, a.Pointer})
		return typed{fmt.Sprintf("[%d]%s", a.Len, e.name), a.Len * e.size}, err
	case ir.DataPointer:
		return typed{"uint64", 8}, f.pointee(d.to)
	case ir.DataTexture, ir.DataSampler, ir.DataVisibleFunctionTable, ir.DataComputePipeline,
		ir.DataIndirectCommandBuffer:
		return typed{"uint64", 8}, nil
	}
	return typed{}, fmt.Errorf("%s: %w", d.name, errNoType)
}

// pointee declares the structure that a pointer in a structure points at, so that programs can make
// buffers of it.
func (f *file) pointee(to *ir.Arg) error {
	if to == nil || to.Struct == nil {
		return nil
	}
	if _, err := f.structure(to.Struct); !errors.Is(err, errNoType) {
		return err
	}
	return nil
}

// scalar returns the Go type of a scalar.
func (f *file) scalar(s ir.DataShape) (string, error) {
	switch s.Elem {
	case ir.I1:
		return "bool", nil
	case ir.I8, ir.I16, ir.I32, ir.I64:
		if s.Unsigned {
			return fmt.Sprintf("uint%d", 8*s.Elem.Size()), nil
		}
		return fmt.Sprintf("int%d", 8*s.Elem.Size()), nil
	case ir.F32:
		return "float32", nil
	case ir.F16:
		f.Imports[simdPackage] = true
		return "simd.Half", nil
	case ir.BF16:
		f.Imports[simdPackage] = true
		return "simd.BFloat16", nil
	}
	return "", fmt.Errorf("%v: %w", s.Elem, errNoType)
}

const simdPackage = "github.com/puremetal/puremetal/simd"

// vector returns a vector of package simd.
func (f *file) vector(s ir.DataShape, prefix string) (typed, error) {
	f.Imports[simdPackage] = true
	element, err := f.scalar(s)
	if err != nil {
		return typed{}, err
	}
	rows := s.Rows
	if rows == 3 && prefix == "" {
		rows = 4
	}
	t := typed{size: rows * s.Elem.Size()}
	s.Cols = 1
	if name := ir.DataTypeOf(s).String(); prefix == "" {
		t.name = "simd." + name // which has Metal's names
	} else if element == "bool" || element == "simd.BFloat16" { // without a short name
		t.name = fmt.Sprintf("simd.Packed%d[%s]", s.Rows, element)
	} else {
		t.name = "simd.Packed" + name
	}
	return t, nil
}

// structure declares a structure and those of its members.
func (f *file) structure(s *ir.Struct) (*structure, error) {
	if s == nil {
		return nil, fmt.Errorf("a structure that is nested too deeply, or contains itself: %w", errNoType)
	}
	key := layout(s)
	if known := f.structures[key]; known != nil {
		return known, nil
	}
	out := &structure{Name: exported(s.Name), Metal: s.Name, Size: s.Size}
	if len(s.Members) == 0 {
		return nil, fmt.Errorf("an empty structure: %w", errNoType)
	}
	names, at := map[string]bool{}, 0
	pad := func(to int) {
		if to > at {
			out.Fields = append(out.Fields, field{Name: "_", Type: "[" + strconv.Itoa(to-at) + "]byte"})
		}
		at = to
	}
	for _, m := range s.Members {
		if m.Offset < at {
			return nil, fmt.Errorf("members that overlap (%s): %w", m.Name, errNoType)
		}
		pad(m.Offset)
		t, err := f.goType(described{m.Type, m.Data, m.Size, m.Array, m.Struct, m.Pointer})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		out.Fields = append(out.Fields, field{unique(names, exported(m.Name)), t.name, handle(m)})
		at += t.size
	}
	if at > s.Size {
		return nil, fmt.Errorf("%d bytes of members in %d: %w", at, s.Size, errNoType)
	}
	pad(s.Size)
	switch extern := slices.Contains(f.Extern, s.Name); {
	case extern:
	case f.outer[out.Name] && out.Name == f.Type:
		return nil, fmt.Errorf("the structure %s has the name of the launcher's type: choose another with --type", s.Name)
	default:
		out.Name = unique(f.outer, out.Name)
		f.Structures = append(f.Structures, out)
	}
	f.structures[key] = out
	return out, nil
}

// layout tells structures of one name apart. It leaves out what pointers point at, which reflection
// describes to different depths.
func layout(s *ir.Struct) string {
	var b strings.Builder
	fmt.Fprint(&b, s.Name, s.Size)
	for _, m := range s.Members {
		fmt.Fprintf(&b, " %d:%s %s %d", m.Offset, m.Name, m.Type, m.Size)
	}
	return b.String()
}

// handle says what a member of 64 bits refers to.
func handle(m ir.Member) string {
	switch {
	case m.Pointer != nil:
		return fmt.Sprintf("the address of %s %s: see compute.Buffer.Address", m.Pointer.Space, m.Pointer.Type)
	case m.Data == ir.DataTexture, m.Data == ir.DataSampler:
		return "the resource ID of a " + m.Type
	}
	return ""
}
