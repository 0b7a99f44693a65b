package compute

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd/float16"
)

// A Go type matches a Metal type if every scalar has the same offset and kind. metalType is the
// kernel's type, read from reflection once when a kernel is made.

// LayoutError is the error of a Go type whose memory layout differs from the kernel's type. It
// wraps [ErrLayout].
type LayoutError struct {
	Type  reflect.Type
	Field string // "Position.X", "" for the type as a whole
	Text  string
}

// Error names the field and what differs.
func (e *LayoutError) Error() string {
	at := e.Type.String()
	if e.Field != "" {
		at += "." + e.Field
	}
	return fmt.Sprintf("%s: %s", at, e.Text)
}

// Unwrap returns ErrLayout.
func (e *LayoutError) Unwrap() error { return ErrLayout }

// scalar is a scalar type of Metal.
type scalar uint8

const (
	noScalar scalar = iota
	scalarBool
	scalarChar
	scalarUChar
	scalarShort
	scalarUShort
	scalarInt
	scalarUInt
	scalarLong
	scalarULong
	scalarHalf
	scalarBFloat
	scalarFloat
	scalarHandle // eight bytes: a pointer, texture, sampler or table
)

func (s scalar) String() string {
	return [...]string{"nothing", "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half",
		"bfloat", "float", "handle"}[s]
}

// size is a scalar's bytes.
func (s scalar) size() uint {
	switch s {
	case scalarBool, scalarChar, scalarUChar:
		return 1
	case scalarShort, scalarUShort, scalarHalf, scalarBFloat:
		return 2
	case scalarInt, scalarUInt, scalarFloat:
		return 4
	}
	return 8
}

// metalType is a type of the Metal language: a structure, an array, or columns of lanes of a scalar
// (a matrix, a vector, a scalar).
type metalType struct {
	scalar       scalar
	rows, cols   uint
	members      []metalMember
	element      *metalType // of an array
	count        uint
	stride       uint // bytes between elements
	isStructured bool // a structure, possibly without members
}

type metalMember struct {
	name   string
	offset uint
	typ    *metalType
}

// String returns Metal's name.
func (m *metalType) String() string {
	switch {
	case m == nil:
		return "unknown"
	case m.isStructured:
		return "struct"
	case m.element != nil:
		return fmt.Sprintf("%v[%d]", m.element, m.count)
	case m.cols > 1:
		return fmt.Sprintf("%v%dx%d", m.scalar, m.cols, m.rows)
	case m.rows > 1:
		return fmt.Sprintf("%v%d", m.scalar, m.rows)
	}
	return m.scalar.String()
}

// column is the stride of a matrix's columns: a vector of three has the size of four.
func (m *metalType) column() uint {
	rows := m.rows
	if rows == 3 {
		rows = 4
	}
	return rows * m.scalar.size()
}

// metalOf returns the type of a data type, using reflection for structures and arrays.
func metalOf(d mtl.DataType, structure func() mtl.StructType, array func() mtl.ArrayType) *metalType {
	switch d {
	case mtl.DataTypeStruct:
		m := &metalType{isStructured: true}
		s := structure()
		if s.IsNil() {
			return nil
		}
		for _, f := range s.Members() {
			m.members = append(m.members, metalMember{f.Name(), f.Offset(), metalOf(f.DataType(), f.StructType, f.ArrayType)})
		}
		return m
	case mtl.DataTypeArray:
		a := array()
		if a.IsNil() {
			return nil
		}
		return &metalType{element: metalOf(a.ElementType(), a.ElementStructType, a.ElementArrayType), count: a.ArrayLength(),
			stride: a.Stride()}
	}
	return plainMetal(d)
}

// plainMetal returns scalars, vectors and matrices, nil for a data type that no Go type matches.
func plainMetal(d mtl.DataType) *metalType {
	if d >= mtl.DataTypeFloat2x2 && d <= mtl.DataTypeFloat4x4 {
		return matrix(scalarFloat, uint(d-mtl.DataTypeFloat2x2))
	}
	if d >= mtl.DataTypeHalf2x2 && d <= mtl.DataTypeHalf4x4 {
		return matrix(scalarHalf, uint(d-mtl.DataTypeHalf2x2))
	}
	for _, v := range [...]struct {
		first mtl.DataType
		s     scalar
	}{
		{mtl.DataTypeFloat, scalarFloat}, {mtl.DataTypeHalf, scalarHalf}, {mtl.DataTypeBFloat, scalarBFloat},
		{mtl.DataTypeInt, scalarInt}, {mtl.DataTypeUInt, scalarUInt},
		{mtl.DataTypeShort, scalarShort}, {mtl.DataTypeUShort, scalarUShort}, {mtl.DataTypeChar, scalarChar},
		{mtl.DataTypeUChar, scalarUChar},
		{mtl.DataTypeBool, scalarBool}, {mtl.DataTypeLong, scalarLong}, {mtl.DataTypeULong, scalarULong},
	} {
		if d >= v.first && d < v.first+4 { // the vectors of 2, 3 and 4 follow the scalar
			return &metalType{scalar: v.s, rows: uint(d-v.first) + 1, cols: 1}
		}
	}
	switch d {
	case mtl.DataTypePointer, mtl.DataTypeTexture, mtl.DataTypeSampler, mtl.DataTypeVisibleFunctionTable,
		mtl.DataTypeComputePipeline, mtl.DataTypeIndirectCommandBuffer:
		return &metalType{scalar: scalarHandle, rows: 1, cols: 1}
	}
	return nil
}

// matrix returns the i-th of the nine matrix types, in Metal's order: columns first.
func matrix(s scalar, i uint) *metalType { return &metalType{scalar: s, cols: 2 + i/3, rows: 2 + i%3} }

// goScalar returns the scalar that matches a Go type, or noScalar.
func goScalar(t reflect.Type) scalar {
	switch t {
	case reflect.TypeFor[float16.Half]():
		return scalarHalf
	case reflect.TypeFor[float16.BFloat16]():
		return scalarBFloat
	}
	switch t.Kind() {
	case reflect.Bool:
		return scalarBool
	case reflect.Int8:
		return scalarChar
	case reflect.Uint8:
		return scalarUChar
	case reflect.Int16:
		return scalarShort
	case reflect.Uint16:
		return scalarUShort
	case reflect.Int32:
		return scalarInt
	case reflect.Uint32:
		return scalarUInt
	case reflect.Int64:
		return scalarLong
	case reflect.Uint64:
		return scalarULong
	case reflect.Float32:
		return scalarFloat
	}
	return noScalar
}

// checkPlain checks that a type consists of types that kernels support: scalars, and arrays and
// structures of them.
func checkPlain(t reflect.Type) error { return checkPlainPart(t, t, "") }

func checkPlainPart(t, whole reflect.Type, at string) error {
	bad := func(text string) error {
		if at != "" { // else the error names the type
			text = t.String() + ": " + text
		}
		return &LayoutError{whole, at, text}
	}
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return bad("an array without elements")
		}
		return checkPlainPart(t.Elem(), whole, at+"[]")
	case reflect.Struct:
		if t.Size() == 0 {
			return bad("a structure without size")
		}
		for i := range t.NumField() {
			if err := checkPlainPart(t.Field(i).Type, whole, strings.TrimPrefix(at+"."+t.Field(i).Name, ".")); err != nil {
				return err
			}
		}
		return nil
	case reflect.Float64:
		return bad("the Metal language has no double; use float32")
	case reflect.Slice:
		return bad("make a buffer of it, with BufferOf")
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return bad("its size differs between systems; use int32, uint32, int64 or uint64")
	}
	if goScalar(t) == noScalar {
		return bad("kernels support only numbers, bool, and arrays and structures of them")
	}
	return nil
}

// checkLayout checks that a Go type has the layout of a Metal type. The caller checks the sizes:
// only it knows what follows.
func checkLayout(t reflect.Type, m *metalType) error { return checkPart(t, m, t, "") }

func checkPart(t reflect.Type, m *metalType, whole reflect.Type, at string) error {
	bad := func(format string, args ...any) error { return &LayoutError{whole, at, fmt.Sprintf(format, args...)} }
	switch {
	case m == nil:
		return bad("the kernel's type has no equivalent in Go")
	case m.isStructured:
		if t.Kind() != reflect.Struct {
			return bad("%v, but the kernel has a structure", t)
		}
		return checkMembers(t, m, whole, at)
	case m.element != nil:
		if t.Kind() != reflect.Array {
			return bad("%v, but Metal has %v", t, m)
		}
		if uint(t.Len()) != m.count || uint(t.Elem().Size()) != m.stride {
			return bad("%d elements of %d bytes, but Metal has %d of %d", t.Len(), t.Elem().Size(), m.count, m.stride)
		}
		return checkPart(t.Elem(), m.element, whole, at+"[]")
	case m.scalar == scalarHandle:
		if t.Size() != 8 || t.Kind() == reflect.Float64 {
			return bad("%v, but Metal has a handle of 8 bytes", t)
		}
		return nil
	}
	have := leaves(t, 0, nil)
	n := 0
	for c := range m.cols {
		for r := range m.rows {
			offset := c*m.column() + r*m.scalar.size()
			for n < len(have) && have[n].offset < offset && have[n].blank {
				n++
			}
			switch {
			case n == len(have):
				return bad("%v, but Metal has %v", t, m)
			case have[n].scalar != m.scalar || have[n].offset != offset:
				return bad("%v at byte %d, but Metal has %v at byte %d", have[n].scalar, have[n].offset, m.scalar, offset)
			}
			n++
		}
	}
	for ; n < len(have); n++ {
		if !have[n].blank {
			return bad("%v, but Metal has %v", t, m)
		}
	}
	return nil
}

// checkMembers compares the fields of a structure with Metal's members, in order; blank fields are
// padding.
func checkMembers(t reflect.Type, m *metalType, whole reflect.Type, at string) error {
	n := 0
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		path := strings.TrimPrefix(at+"."+f.Name, ".")
		if n == len(m.members) {
			return &LayoutError{whole, path, fmt.Sprintf("Metal's structure has only %d members", len(m.members))}
		}
		member := m.members[n]
		n++
		if uint(f.Offset) != member.offset {
			hint := ""
			if uint(f.Offset) < member.offset {
				hint = fmt.Sprintf("; put _ [%d]byte before it", member.offset-uint(f.Offset))
			}
			return &LayoutError{whole, path,
				fmt.Sprintf("at byte %d, but Metal has %s at byte %d%s", f.Offset, member.name, member.offset, hint)}
		}
		if err := checkPart(f.Type, member.typ, whole, path); err != nil {
			return err
		}
	}
	if n < len(m.members) {
		return &LayoutError{whole, at,
			fmt.Sprintf("no field for Metal's member %s at byte %d", m.members[n].name, m.members[n].offset)}
	}
	return nil
}

// leaf is a scalar within a Go type.
type leaf struct {
	scalar scalar
	offset uint
	blank  bool // padding
}

// maxLeaves bounds the flattening of a type. No vector or matrix has more scalars.
const maxLeaves = 32

// leaves appends the scalars of a type, in order, up to maxLeaves.
func leaves(t reflect.Type, offset uint, to []leaf) []leaf {
	switch {
	case len(to) >= maxLeaves:
	case t.Kind() == reflect.Array:
		for i := range min(t.Len(), maxLeaves) {
			to = leaves(t.Elem(), offset+uint(i)*uint(t.Elem().Size()), to)
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f, first := t.Field(i), len(to)
			to = leaves(f.Type, offset+uint(f.Offset), to)
			for j := first; f.Name == "_" && j < len(to); j++ {
				to[j].blank = true
			}
		}
	default:
		to = append(to, leaf{goScalar(t), offset, false})
	}
	return to
}

// uniformScalar returns the scalar that a type consists of without padding, or noScalar.
func uniformScalar(t reflect.Type) scalar {
	switch t.Kind() {
	case reflect.Array:
		return uniformScalar(t.Elem())
	case reflect.Struct:
		s := noScalar
		for i := range t.NumField() {
			f := uniformScalar(t.Field(i).Type)
			if f == noScalar || s != noScalar && f != s {
				return noScalar
			}
			s = f
		}
		return s
	}
	return goScalar(t)
}

// checkElement checks that a buffer of t can be an argument for a pointer to m, whose elements have
// size bytes. The kernel may group scalars differently, for example as vectors, if all have the
// same kind; a buffer of bytes matches everything.
func checkElement(t reflect.Type, m *metalType, size uint) error {
	u := uniformScalar(t)
	if t.Kind() == reflect.Uint8 || m == nil || m.scalar == scalarHandle {
		return nil
	}
	if u != noScalar && u == m.scalar {
		return nil
	}
	if err := checkLayout(t, m); err != nil {
		return err
	}
	if uint(t.Size()) != size {
		return &LayoutError{t, "", fmt.Sprintf("has %d bytes, but Metal's %v has %d", t.Size(), m, size)}
	}
	return nil
}

// checkValue checks that a value of type t can be an argument for a constant of type m with size
// bytes.
func checkValue(t reflect.Type, m *metalType, size uint) error {
	if m == nil { // not in the reflection
		return checkSize(t, size)
	}
	if err := checkPlain(t); err != nil {
		return err
	}
	if err := checkLayout(t, m); err != nil {
		return err
	}
	if uint(t.Size()) != size && !m.vector3(t, size) {
		return &LayoutError{t, "", fmt.Sprintf("has %d bytes, but Metal's %v has %d", t.Size(), m, size)}
	}
	return nil
}

// checkSize is checkValue without types and layouts.
func checkSize(t reflect.Type, size uint) error {
	if err := checkPlain(t); err != nil {
		return err
	}
	if size > 0 && uint(t.Size()) != size {
		return &LayoutError{t, "", fmt.Sprintf("has %d bytes, but Metal's type has %d", t.Size(), size)}
	}
	return nil
}

// vector3 reports whether the sizes differ only by the padding of a vector of three, which does not
// matter for a single value.
func (m *metalType) vector3(t reflect.Type, size uint) bool {
	return !m.isStructured && m.element == nil && m.rows == 3 && m.cols == 1 && uint(t.Size()) >= 3*m.scalar.size() &&
		size >= 3*m.scalar.size()
}
