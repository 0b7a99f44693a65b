package types

import "strings"

// AddrSpace is the region of memory that holds an object.
type AddrSpace uint8

// The address spaces. None is that of an unqualified object: thread, unless a rule says otherwise.
const (
	None AddrSpace = iota
	Thread
	Device
	Constant
	Threadgroup
	ThreadgroupImageblock
	RayData
	ObjectData
	numSpaces
)

var spaceNames = [numSpaces]string{"", "thread", "device", "constant", "threadgroup", "threadgroup_imageblock",
	"ray_data", "object_data"}

func (s AddrSpace) String() string { return spaceNames[s] }

// Or returns s, or other if s is None.
func (s AddrSpace) Or(other AddrSpace) AddrSpace {
	if s == None {
		return other
	}
	return s
}

// Qualified is a type with qualifiers: the type of an object, a pointee or an expression. It is
// compared by ==.
type Qualified struct {
	Type     Type
	Const    bool
	Volatile bool
	Coherent bool // coherent(device), from Metal 3.2
	Space    AddrSpace
}

// Q returns t without qualifiers.
func Q(t Type) Qualified { return Qualified{Type: t} }

// QConst returns const t.
func QConst(t Type) Qualified { return Qualified{Type: t, Const: true} }

// In returns q in another address space.
func (q Qualified) In(s AddrSpace) Qualified { q.Space = s; return q }

// WithConst returns const q.
func (q Qualified) WithConst() Qualified { q.Const = true; return q }

// Unqualified returns the type alone.
func (q Qualified) Unqualified() Qualified { return Qualified{Type: q.Type} }

// quals returns the qualifiers written before the type.
func (q Qualified) quals() string {
	var b strings.Builder
	if q.Const {
		b.WriteString("const ")
	}
	if q.Volatile {
		b.WriteString("volatile ")
	}
	if q.Coherent {
		b.WriteString("coherent ")
	}
	if q.Space != None {
		b.WriteString(q.Space.String())
		b.WriteByte(' ')
	}
	return b.String()
}

// String returns Metal's spelling of the type: "const device float *".
func (q Qualified) String() string {
	return q.Declare("")
}

// Declare returns the declaration of a name of this type: "device float (&a)[4]".
func (q Qualified) Declare(name string) string {
	var b strings.Builder
	(&speller{maxSpelling}).declarator(&b, q, name)
	return b.String()
}
