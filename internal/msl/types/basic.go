package types

// Kind identifies the scalar type of a [Basic].
type Kind uint8

// The scalar types, in the order of Metal's own tables. size_t and ptrdiff_t are ULong and Long;
// double does not exist.
const (
	VoidKind Kind = iota
	BoolKind
	CharKind
	UCharKind
	ShortKind
	UShortKind
	IntKind
	UIntKind
	LongKind
	ULongKind
	HalfKind
	BFloatKind
	FloatKind
	NullptrKind // the type of nullptr
	numKinds
)

// Type is a type without qualifiers. Two types are identical exactly if they are equal by ==.
type Type interface {
	// Size returns the size of a value in bytes, including padding. It is 0 for types without
	// values in memory, such as void, and for incomplete types.
	Size() int
	// Align returns the alignment in bytes, at least 1.
	Align() int
	// String returns Metal's spelling of the type.
	String() string
	isType()
}

// Basic is a scalar type, void or the type of nullptr.
type Basic struct {
	kind Kind
	size uint8
	name string
}

// The scalar types.
var (
	Void    = &Basic{VoidKind, 0, "void"}
	Bool    = &Basic{BoolKind, 1, "bool"}
	Char    = &Basic{CharKind, 1, "char"}
	UChar   = &Basic{UCharKind, 1, "uchar"}
	Short   = &Basic{ShortKind, 2, "short"}
	UShort  = &Basic{UShortKind, 2, "ushort"}
	Int     = &Basic{IntKind, 4, "int"}
	UInt    = &Basic{UIntKind, 4, "uint"}
	Long    = &Basic{LongKind, 8, "long"}
	ULong   = &Basic{ULongKind, 8, "ulong"}
	Half    = &Basic{HalfKind, 2, "half"}
	BFloat  = &Basic{BFloatKind, 2, "bfloat"}
	Float   = &Basic{FloatKind, 4, "float"}
	Nullptr = &Basic{NullptrKind, 8, "nullptr_t"}
)

var basics = [numKinds]*Basic{Void, Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, BFloat, Float,
	Nullptr}

// BasicOf returns the scalar type of kind k.
func BasicOf(k Kind) *Basic { return basics[k] }

// Kind returns the kind of b.
func (b *Basic) Kind() Kind { return b.kind }

// Size returns the size of a value in bytes.
func (b *Basic) Size() int { return int(b.size) }

// Align returns the alignment, which for a scalar is its size.
func (b *Basic) Align() int { return max(1, int(b.size)) }

func (b *Basic) String() string { return b.name }
func (b *Basic) isType()        {}

// Bits returns the width of a number, 1 for bool.
func (b *Basic) Bits() int {
	if b.kind == BoolKind {
		return 1
	}
	return 8 * int(b.size)
}

// IsInteger reports whether b is an integer type, including bool.
func (b *Basic) IsInteger() bool { return b.kind >= BoolKind && b.kind <= ULongKind }

// IsFloat reports whether b is half, bfloat or float.
func (b *Basic) IsFloat() bool { return b.kind >= HalfKind && b.kind <= FloatKind }

// IsArithmetic reports whether b is an integer or floating-point type.
func (b *Basic) IsArithmetic() bool { return b.kind >= BoolKind && b.kind <= FloatKind }

// IsSigned reports whether b is a signed integer or a floating-point type.
func (b *Basic) IsSigned() bool {
	switch b.kind {
	case CharKind, ShortKind, IntKind, LongKind, HalfKind, BFloatKind, FloatKind:
		return true
	}
	return false
}

// ToUnsigned returns the unsigned integer type of the same width, or b itself if it is not an
// integer type.
func (b *Basic) ToUnsigned() *Basic {
	switch b.kind {
	case CharKind, ShortKind, IntKind, LongKind:
		return basics[b.kind+1]
	}
	return b
}

// ToSigned returns the signed integer type of the same width, or b itself if it is not an integer
// type.
func (b *Basic) ToSigned() *Basic {
	switch b.kind {
	case UCharKind, UShortKind, UIntKind, ULongKind:
		return basics[b.kind-1]
	}
	return b
}
