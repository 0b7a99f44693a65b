package typeenc

import (
	"strconv"
	"strings"
)

// Kind says which sort of type a [Type] is.
type Kind uint8

// The kinds of types. The letter is the one that clang writes.
const (
	Invalid    Kind = iota // no type: the zero Type
	Void                   // v
	Bool                   // B
	Int8                   // c
	Uint8                  // C
	Int16                  // s
	Uint16                 // S
	Int32                  // i, and l: long in a 32-bit encoding
	Uint32                 // I, and L
	Int64                  // q
	Uint64                 // Q
	Int128                 // t
	Uint128                // T
	Float                  // f
	Double                 // d
	LongDouble             // D: 16 bytes on x86_64, which is what Size says; 8 on arm64
	Complex                // j, then the element: two of Elem
	Object                 // @, also @"NSString" and @"<NSCopying>"
	Class                  // #
	Selector               // :
	Block                  // @?, also @?<v@?@>
	CString                // *
	Pointer                // ^, then what it points at
	Struct                 // {name=fields}
	Union                  // (name=members)
	Array                  // [12i]
	Vector                 // <4f>
	BitField               // b3, inside a struct or union only
	Unknown                // ?: a function (behind a pointer), or a type that clang cannot encode
	numKinds
)

var kindNames = [numKinds]string{
	"invalid", "void", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
	"int128", "uint128", "float", "double", "long double", "complex", "object", "class", "selector", "block",
	"C string", "pointer", "struct", "union", "array", "vector", "bit field", "unknown",
}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Type is one parsed type.
type Type struct {
	Kind   Kind
	Const  bool  // the r qualifier
	Quals  Quals // the other qualifiers
	Opaque bool  // a struct or union given by name only, "{NSZone}": its size is unknown
	Size   int   // bytes in memory; 0 for void, unknown and opaque types
	Align  int   // bytes, at least 1
	Offset int   // bytes from the start of the struct this is a field of; a bit field has its unit's
	Len    int   // elements of an array or vector, bits of a bit field

	// Name is the tag of a struct or union ("?" when it has none), or the class
	// and protocols of an object, as between the quotes.
	Name string
	// FieldName is a struct field's quoted name; HasName reports whether it has one, since an
	// anonymous union's name is empty.
	FieldName string
	HasName   bool
	// Elem is what a pointer points at, or what an array, vector or complex
	// number consists of.
	Elem *Type
	// Fields are the fields of a struct or the members of a union.
	Fields []Type
	// Sig is the signature of a block's function where the encoding gives it.
	Sig *Signature
}

// Signature is the parsed encoding of a method, block or function.
type Signature struct {
	Encoding string // as it was given
	Ret      Type
	Args     []Type // all of them: a method's start with self and _cmd, a block's with the block
}

// Quals is a set of the qualifiers other than const.
type Quals uint8

// The qualifiers, in the order in which [Type.String] writes them.
const (
	In     Quals = 1 << iota // n
	InOut                    // N
	Out                      // o
	ByCopy                   // O
	ByRef                    // R
	OneWay                   // V
	Atomic                   // A
)

const qualLetters = "nNoORVA"

// IsObject reports whether a value of the type is a reference to an
// Objective-C object: an object, a class or a block.
func (t *Type) IsObject() bool {
	return t.Kind == Object || t.Kind == Class || t.Kind == Block
}

// IsAggregate reports whether the type is a struct, union or array.
func (t *Type) IsAggregate() bool {
	return t.Kind == Struct || t.Kind == Union || t.Kind == Array
}

// IsFloat reports whether the type is float or double.
func (t *Type) IsFloat() bool { return t.Kind == Float || t.Kind == Double }

// IsSigned reports whether the type is an integer that is sign-extended.
func (t *Type) IsSigned() bool {
	switch t.Kind {
	case Int8, Int16, Int32, Int64, Int128:
		return true
	}
	return false
}

// Words returns the number of 8-byte machine words in which a value of the type
// is passed between Go functions: its size rounded up, at least 1, and 0 for
// void.
func Words(t Type) int {
	if t.Kind == Void {
		return 0
	}
	return max(1, (t.Size+7)/8)
}

// letters holds the encoding of each kind that is one letter.
var letters = [numKinds]byte{
	Void: 'v', Bool: 'B', Int8: 'c', Uint8: 'C', Int16: 's', Uint16: 'S', Int32: 'i', Uint32: 'I', Int64: 'q', Uint64: 'Q',
	Int128: 't', Uint128: 'T', Float: 'f', Double: 'd', LongDouble: 'D', Class: '#', Selector: ':', CString: '*',
	Unknown: '?',
}

// String returns the type's encoding. Parsing it gives the same type again,
// though not always the same string: the order of qualifiers is fixed, and 'l'
// becomes 'i'.
func (t Type) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Type) write(b *strings.Builder) {
	if t.Const {
		b.WriteByte('r')
	}
	for i := range len(qualLetters) {
		if t.Quals&(1<<i) != 0 {
			b.WriteByte(qualLetters[i])
		}
	}
	switch t.Kind {
	case Object:
		b.WriteByte('@')
		if t.Name != "" {
			b.WriteString(`"` + t.Name + `"`)
		}
	case Block:
		b.WriteString("@?")
		if t.Sig != nil {
			b.WriteByte('<')
			t.Sig.Ret.write(b)
			for i := range t.Sig.Args {
				t.Sig.Args[i].write(b)
			}
			b.WriteByte('>')
		}
	case Pointer:
		b.WriteByte('^')
		t.Elem.write(b)
	case Complex:
		b.WriteByte('j')
		t.Elem.write(b)
	case Struct:
		t.writeFields(b, '{', '}')
	case Union:
		t.writeFields(b, '(', ')')
	case Array:
		b.WriteString("[" + strconv.Itoa(t.Len))
		t.Elem.write(b)
		b.WriteByte(']')
	case Vector:
		b.WriteString("<" + strconv.Itoa(t.Len))
		t.Elem.write(b)
		b.WriteByte('>')
	case BitField:
		b.WriteString("b" + strconv.Itoa(t.Len))
	default:
		if t.Kind < numKinds && letters[t.Kind] != 0 {
			b.WriteByte(letters[t.Kind])
		}
	}
}

func (t *Type) writeFields(b *strings.Builder, open, close byte) {
	b.WriteByte(open)
	b.WriteString(t.Name)
	if !t.Opaque {
		b.WriteByte('=')
		for i := range t.Fields {
			if t.Fields[i].HasName {
				b.WriteString(`"` + t.Fields[i].FieldName + `"`)
			}
			t.Fields[i].write(b)
		}
	}
	b.WriteByte(close)
}
