package types

// Pointer is a pointer; the pointee's address space is in Elem.
type Pointer struct{ Elem Qualified }

// Reference is a reference; the object's address space is in Elem.
type Reference struct {
	Elem   Qualified
	RValue bool // T&&
}

// Unsized is the length of an array of unknown bound: int a[].
const Unsized = -1

// Array is an array. Its qualifiers are those of its elements.
type Array struct {
	Elem Type
	Len  int // or Unsized
}

// Func is the type of a function.
type Func struct {
	Params   []Qualified
	Result   Qualified
	Variadic bool
}

// Size returns the size of an address in bytes.
func (p *Pointer) Size() int { return 8 }

// Align returns the alignment of an address.
func (p *Pointer) Align() int     { return 8 }
func (p *Pointer) String() string { return Q(p).String() }
func (p *Pointer) isType()        {}

// Size returns the size of an address in bytes, which is how a reference is stored.
func (r *Reference) Size() int { return 8 }

// Align returns the alignment of an address.
func (r *Reference) Align() int     { return 8 }
func (r *Reference) String() string { return Q(r).String() }
func (r *Reference) isType()        {}

// MaxSize is the maximum size of a type in bytes; the size of a larger array or record is clamped
// to it.
const MaxSize = 1 << 48

// Size returns the total size of the elements in bytes, 0 for an unsized array.
func (a *Array) Size() int {
	size := a.Elem.Size()
	switch {
	case a.Len == Unsized:
		return 0
	case a.Len > 0 && size > MaxSize/a.Len:
		return MaxSize
	}
	return a.Len * size
}

// Align returns the alignment of an element.
func (a *Array) Align() int     { return a.Elem.Align() }
func (a *Array) String() string { return Q(a).String() }
func (a *Array) isType()        {}

// Size returns 0: a function is not an object.
func (f *Func) Size() int { return 0 }

// Align returns 1.
func (f *Func) Align() int     { return 1 }
func (f *Func) String() string { return Q(f).String() }
func (f *Func) isType()        {}
