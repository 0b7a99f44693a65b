package tensorop

import "fmt"

// Type is the type of a tensor's elements.
type Type uint8

// The types. A Bool takes one byte; complex numbers are a real and an imaginary part.
const (
	Float32 Type = iota + 1
	Float16
	BFloat16
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Bool
	Complex64 // two Float32
	Complex32 // two Float16
	types
)

// typeInfo describes a type: its name, its size in bytes, the type in memory and the type that
// kernels compute with.
type typeInfo struct {
	name          string
	size          int
	stored, value string
}

func (t Type) info() typeInfo {
	infos := [types]typeInfo{
		Float32: {"float32", 4, "float", "float"}, Float16: {"float16", 2, "half", "float"},
		BFloat16: {"bfloat16", 2, "bfloat", "float"},
		Int8:     {"int8", 1, "char", "char"}, Int16: {"int16", 2, "short", "short"},
		Int32: {"int32", 4, "int", "int"}, Int64: {"int64", 8, "long", "long"},
		Uint8: {"uint8", 1, "uchar", "uchar"}, Uint16: {"uint16", 2, "ushort", "ushort"},
		Uint32: {"uint32", 4, "uint", "uint"}, Uint64: {"uint64", 8, "ulong", "ulong"},
		Bool:      {"bool", 1, "uchar", "bool"},
		Complex64: {"complex64", 8, "float2", "float2"}, Complex32: {"complex32", 4, "half2", "float2"},
	}
	if !t.Valid() {
		return typeInfo{name: fmt.Sprintf("Type(%d)", uint8(t))}
	}
	return infos[t]
}

// Valid tells whether t is one of the package's types.
func (t Type) Valid() bool { return t > 0 && t < types }

// String returns the type's name, such as "float16".
func (t Type) String() string { return t.info().name }

// Size returns the bytes that an element takes.
func (t Type) Size() int { return t.info().size }

// Float tells whether t is a real floating-point type.
func (t Type) Float() bool { return t >= Float32 && t <= BFloat16 }

// Complex tells whether t is a complex type.
func (t Type) Complex() bool { return t == Complex64 || t == Complex32 }

// Integer tells whether t is an integer type; Bool is none.
func (t Type) Integer() bool { return t >= Int8 && t <= Uint64 }

// Signed tells whether t is a signed integer type.
func (t Type) Signed() bool { return t >= Int8 && t <= Int64 }

// Stored returns the type in memory in the Metal Shading Language.
func (t Type) Stored() string { return t.info().stored }

// Value returns the type that kernels compute with.
func (t Type) Value() string { return t.info().value }

// load makes a value out of an element, and store an element out of a value.
func (t Type) load(element string) string {
	switch t {
	case Float16, BFloat16:
		return "float(" + element + ")"
	case Complex32:
		return "float2(" + element + ")"
	case Bool:
		return "(" + element + " != 0)"
	}
	return element
}

func (t Type) store(value string) string {
	switch t {
	case Float16, BFloat16, Complex32:
		return t.Stored() + "(" + value + ")"
	case Bool:
		return "uchar(" + value + " ? 1 : 0)"
	}
	return value
}

// round gives a value the precision that it would have after it was stored.
func (t Type) round(value string) string {
	switch t {
	case Float16, BFloat16, Complex32:
		return t.load(t.store(value))
	}
	return t.Value() + "(" + value + ")"
}
