package types

import "strings"

// RecordKind distinguishes structs from unions.
type RecordKind uint8

// The kinds of records. A class is a struct whose members are private by default.
const (
	StructRecord RecordKind = iota
	UnionRecord
	ClassRecord
)

// Field is a data member or a base of a record.
type Field struct {
	Name   string
	Type   Qualified
	Base   bool // a base class: laid out like a first member, without space if empty
	Align  int  // alignas, 0 if absent
	IsBits bool // a bit field
	Bits   int  // its width
	ID     int  // 1 + n of [[id(n)]], 0 if absent
	// Set by Complete.
	Offset    int // bytes from the record's start
	BitOffset int // of a bit field: bits from Offset
	Pos       int32
	Decl      any // for the checker: the declaration
	Access    uint8
	Mutable   bool
}

// Struct is a struct, class or union. Structs are nominal.
type Struct struct {
	Kind   RecordKind
	Name   string // with namespaces and template arguments: "ns::pair<int, float>"
	Fields []Field
	Packed bool // __attribute__((packed)): members have no gaps between them
	// NonPOD says that a derived record may use the tail padding, because this one has bases,
	// constructors or private members.
	NonPOD  bool
	AlignAs int // alignas, 0 if absent
	Decl    any // for the checker: the declaration
	// Template is the class template's name when the record is an instance: "metal::array".
	Template string
	Args     []TemplateArg

	complete    bool
	size, align int
	data        int // size without tail padding
	leaves      int
	empty       bool
	ids         int // argument-buffer ids that an object takes
	handles     bool
}

// TemplateArg is an argument of a class template instance: a type or a value.
type TemplateArg struct {
	Type  Qualified
	Value Value
}

// String returns Metal's spelling of the argument.
func (a TemplateArg) String() string {
	if a.Type.Type != nil {
		return a.Type.String()
	}
	return a.Value.String()
}

// Enumerator is one name of an enum.
type Enumerator struct {
	Name  string
	Value Value
}

// Enum is an enumeration. Enums are nominal.
type Enum struct {
	Name       string
	Scoped     bool // enum class
	Underlying *Basic
	Fixed      bool // the underlying type is explicit
	Values     []Enumerator
	Decl       any // for the checker: the declaration
}

// Opaque is a library type that programs see only as a handle: sampler, command_buffer,
// acceleration_structure<...>.
type Opaque struct {
	Name string
	Args []TemplateArg
	size int
}

// Size returns the size of the underlying integer in bytes.
func (e *Enum) Size() int { return e.Underlying.Size() }

// Align returns the alignment of the underlying integer.
func (e *Enum) Align() int     { return e.Underlying.Align() }
func (e *Enum) String() string { return e.Name }
func (e *Enum) isType()        {}

// Lookup returns the value of an enumerator.
func (e *Enum) Lookup(name string) (Value, bool) {
	for _, v := range e.Values {
		if v.Name == name {
			return v.Value, true
		}
	}
	return Value{}, false
}

// Size returns the size of the handle in bytes.
func (o *Opaque) Size() int { return o.size }

// Align returns the alignment of the handle.
func (o *Opaque) Align() int { return max(1, o.size) }
func (o *Opaque) String() string {
	if len(o.Args) == 0 {
		return o.Name
	}
	var b strings.Builder
	b.WriteString(o.Name)
	writeArgs(&b, o.Args)
	return b.String()
}
func (o *Opaque) isType() {}

func writeArgs(b *strings.Builder, args []TemplateArg) {
	b.WriteByte('<')
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.String())
	}
	b.WriteByte('>')
}

// Sampler is the type of samplers.
var Sampler = &Opaque{Name: "sampler", size: 8}

// IsComplete reports whether the record's members are known.
func (s *Struct) IsComplete() bool { return s.complete }

// Size returns the size of a value in bytes, 0 if the record is incomplete.
func (s *Struct) Size() int { return s.size }

// Align returns the alignment.
func (s *Struct) Align() int     { return max(1, s.align) }
func (s *Struct) String() string { return s.Name }
func (s *Struct) isType()        {}

// IsUnion reports whether s is a union.
func (s *Struct) IsUnion() bool { return s.Kind == UnionRecord }

// Field returns the index of a direct member, or -1 if there is none.
func (s *Struct) Field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name && !s.Fields[i].Base {
			return i
		}
	}
	return -1
}

// Path returns the field indices that lead to a member, through anonymous structs and unions, then
// through bases. It is nil if there is no such member; ambiguous is set if two bases have one.
func (s *Struct) Path(name string) (path []int, ambiguous bool) { return s.pathTo(name, nil) }

// pathTo is Path. Structs in without are known not to have the member; without it, a base reachable
// along exponentially many paths would be searched each time.
func (s *Struct) pathTo(name string, without map[*Struct]bool) (path []int, ambiguous bool) {
	if i := s.Field(name); i >= 0 && name != "" {
		return []int{i}, false
	}
	for _, bases := range []bool{false, true} {
		for i := range s.Fields {
			f := &s.Fields[i]
			inner, ok := f.Type.Type.(*Struct)
			if !ok || f.Base != bases || !f.Base && f.Name != "" || without[inner] {
				continue
			}
			if without == nil {
				without = make(map[*Struct]bool)
			}
			rest, amb := inner.pathTo(name, without)
			if rest == nil && !amb {
				without[inner] = true
			}
			if amb || rest != nil && path != nil {
				return nil, true
			}
			if rest != nil {
				path = append([]int{i}, rest...)
			}
		}
		if path != nil {
			return path, false
		}
	}
	return nil, false
}

// IsEmpty reports whether s has no members except empty bases.
func (s *Struct) IsEmpty() bool {
	if s.complete {
		return s.empty
	}
	return s.isEmpty()
}

func (s *Struct) isEmpty() bool {
	if s.Kind == UnionRecord && len(s.Fields) > 0 {
		return false
	}
	for i := range s.Fields {
		base, ok := s.Fields[i].Type.Type.(*Struct)
		if !s.Fields[i].Base || !ok || !base.IsEmpty() {
			return false
		}
	}
	return true
}

// DerivesFrom returns the fields that lead from s to its base, or nil if s does not derive from
// base.
func (s *Struct) DerivesFrom(base *Struct) []int { return s.pathToBase(base, nil) }

// pathToBase is DerivesFrom. Structs in without are known not to derive from base.
func (s *Struct) pathToBase(base *Struct, without map[*Struct]bool) []int {
	for i := range s.Fields {
		b, ok := s.Fields[i].Type.Type.(*Struct)
		if !ok || !s.Fields[i].Base || without[b] {
			continue
		}
		if b == base {
			return []int{i}
		}
		if without == nil {
			without = make(map[*Struct]bool)
		}
		if rest := b.pathToBase(base, without); rest != nil {
			return append([]int{i}, rest...)
		}
		without[b] = true
	}
	return nil
}

// Leaves returns how many values an aggregate takes if inner braces are omitted, and 1 for a type
// that is not an aggregate. Like sizes, it is capped at MaxSize.
func Leaves(t Type) int {
	switch t := t.(type) {
	case *Struct:
		return t.leaves
	case *Array:
		n := Leaves(t.Elem)
		if t.Len > 0 && n > MaxSize/t.Len {
			return MaxSize
		}
		return t.Len * n
	}
	return 1
}

// Complete sets the record's fields, lays it out and makes it complete. Bases come first. The
// layout follows the C++ ABI of Apple's targets.
func (s *Struct) Complete(fields []Field) {
	s.Fields = fields
	s.leaves = 0
	for i := range fields {
		s.leaves = min(s.leaves+Leaves(fields[i].Type.Type), MaxSize)
	}
	s.empty = s.isEmpty()
	s.align = max(1, s.AlignAs)
	end := 0 // bits
	for i := range fields {
		f := &fields[i]
		size, align := f.Type.Type.Size(), max(f.Type.Type.Align(), f.Align)
		if s.Packed {
			align = max(1, f.Align)
		}
		if s.Kind == UnionRecord {
			s.align = max(s.align, align)
			if f.IsBits {
				size = (f.Bits + 7) / 8
			}
			end = max(end, 8*size)
			continue
		}
		if f.IsBits {
			end = s.placeBits(f, end)
			continue
		}
		if base, ok := f.Type.Type.(*Struct); ok && f.Base {
			if base.IsEmpty() {
				continue
			}
			if base.NonPOD {
				size = base.data
			}
		}
		f.Offset = roundUp((end+7)/8, align)
		end = 8 * min(f.Offset+size, MaxSize)
		s.align = max(s.align, align)
	}
	s.data = (end + 7) / 8
	s.size = max(roundUp(s.data, s.align), s.align)
	s.number()
	s.complete = true
}

// placeBits places a bit-field at bit end or later, and returns where it ends. A bit-field does not
// cross a boundary of its declared type; one of width 0 only moves to the next boundary.
func (s *Struct) placeBits(f *Field, end int) int {
	unit := 8 * f.Type.Type.Size()
	if f.Bits == 0 {
		return roundUp(end, unit)
	}
	if end/unit != (end+f.Bits-1)/unit {
		end = roundUp(end, unit)
	}
	f.Offset = end / unit * (unit / 8)
	f.BitOffset = end % unit
	if f.Name != "" {
		s.align = max(s.align, f.Type.Type.Align(), f.Align)
	}
	return end + f.Bits
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
