package types

// ConvKind is the kind of a conversion.
type ConvKind uint8

// The conversions. Those from ExplicitFirst on always need a cast; FloatConv and Splat need one
// between half or float and bfloat.
const (
	NoConv          ConvKind = iota // no conversion exists
	Identity                        // nothing
	Qualify                         // a pointer's pointee gains const or volatile
	ArrayDecay                      // array to pointer to its first element
	FuncDecay                       // function to pointer
	IntPromote                      // small integer, bool or enum to int
	FloatPromote                    // half or bfloat to float
	Unpack                          // packed vector to vector
	Pack                            // vector to packed vector
	IntConv                         // integer to another integer
	FloatConv                       // floating-point to another
	IntToFloat                      // integer to floating-point
	FloatToInt                      // floating-point to integer, toward zero, saturating
	ToBool                          // number to bool: differs from zero
	PointerToBool                   // pointer to bool: differs from null
	EnumToInt                       // enum to a number other than its promoted type
	NullToPointer                   // nullptr or literal 0 to pointer
	ToVoidPointer                   // pointer to void pointer
	DerivedToBase                   // record, or pointer to it, to its base
	Splat                           // scalar to vector, each element
	VectorConv                      // vector to another of the same length: explicit
	MatrixConv                      // matrix to another of the same shape: explicit
	IntToEnum                       // number to enum: explicit
	ScopedEnumToInt                 // scoped enum to number: explicit
	PointerCast                     // pointer to another in the same address space: explicit
	PointerToInt                    // pointer to integer: explicit
	IntToPointer                    // integer to pointer: explicit
	BaseToDerived                   // pointer to base to pointer to derived: explicit
	ToVoid                          // discarded: explicit
	numConvs
)

// ExplicitFirst is the first conversion that always needs a cast.
const ExplicitFirst = VectorConv

var convNames = [numConvs]string{"none", "identity", "qualify", "array decay", "function decay", "integer promotion",
	"float promotion",
	"unpack", "pack", "integer conversion", "float conversion", "integer to float", "float to integer", "to bool",
	"pointer to bool",
	"enum to integer", "null to pointer", "to void pointer", "derived to base", "splat", "vector conversion",
	"matrix conversion",
	"integer to enum", "scoped enum to integer", "pointer cast", "pointer to integer", "integer to pointer",
	"base to derived", "to void"}

func (k ConvKind) String() string { return convNames[k] }

// Rank orders implicit conversions; smaller is better.
type Rank uint8

// The ranks of C++'s standard conversions.
const (
	Exact Rank = iota
	Promotion
	Converted
	Impossible
)

// Conversion describes how a value of one type is converted to another.
type Conversion struct {
	Kind ConvKind
	Rank Rank
	// Elem is the conversion of each element, for a Splat, Pack or Unpack that also changes the
	// element type.
	Elem ConvKind
	// Quals counts the qualifiers added to the pointee; it breaks ties, fewer being better.
	Quals int
	// Base is the base that DerivedToBase converts to; the nearest is best.
	Base *Struct
}

// OK reports whether there is a conversion.
func (c Conversion) OK() bool { return c.Kind != NoConv }

// Explicit reports whether the conversion needs a cast.
func (c Conversion) Explicit() bool { return c.OK() && c.Rank == Impossible }

// Compare orders two implicit conversions of the same argument: negative if c is better, 0 if
// neither is.
func (c Conversion) Compare(d Conversion) int {
	switch {
	case c.Rank != d.Rank:
		return int(c.Rank) - int(d.Rank)
	case (c.Kind == Splat) != (d.Kind == Splat): // prefer to keep a scalar a scalar
		if c.Kind == Splat {
			return 1
		}
		return -1
	case (c.Kind == PointerToBool) != (d.Kind == PointerToBool):
		if c.Kind == PointerToBool {
			return 1
		}
		return -1
	case c.Kind == DerivedToBase && d.Kind == ToVoidPointer:
		return -1
	case c.Kind == ToVoidPointer && d.Kind == DerivedToBase:
		return 1
	case c.Base != d.Base && c.Base != nil && d.Base != nil:
		if c.Base.DerivesFrom(d.Base) != nil {
			return -1
		}
		if d.Base.DerivesFrom(c.Base) != nil {
			return 1
		}
		return 0
	}
	return c.Quals - d.Quals
}

var impossible = Conversion{Rank: Impossible}

// Implicit classifies the conversion of a value of type from, which may be an array or function, to
// an object of type to. Top-level qualifiers are ignored. References are bound by [BindReference],
// and the checker handles user-defined conversions.
//
// half and bfloat are promoted to float. float converts to half, but conversions from float or half
// to bfloat, and from bfloat to half, need a cast. A scalar is splat to a vector; a vector never
// converts to another vector type; packed vectors and vectors of the same element type convert to
// each other.
func Implicit(from, to Type) Conversion {
	if from == to && from != nil {
		return Conversion{Kind: Identity}
	}
	switch t := to.(type) {
	case *Basic:
		return toScalar(from, t)
	case *Vector:
		switch f := from.(type) {
		case *Packed:
			if f.Unpacked() == t {
				return Conversion{Kind: Unpack, Rank: Exact, Quals: 1, Elem: Identity}
			}
		case *Basic, *Enum:
			return splat(from, t.Elem)
		}
	case *Packed:
		switch f := from.(type) {
		case *Vector:
			if f == t.Unpacked() {
				return Conversion{Kind: Pack, Rank: Converted, Elem: Identity}
			}
		case *Basic, *Enum:
			return splat(from, t.Elem)
		}
	case *Pointer:
		return toPointer(from, t)
	case *Struct:
		if f, ok := from.(*Struct); ok && f.DerivesFrom(t) != nil {
			return Conversion{Kind: DerivedToBase, Rank: Converted, Base: t}
		}
	}
	return impossible
}

func splat(from Type, elem *Basic) Conversion {
	c := toScalar(from, elem)
	if from == Type(elem) {
		c = Conversion{Kind: Identity}
	}
	if !c.OK() {
		return impossible
	}
	return Conversion{Kind: Splat, Rank: Converted, Elem: c.Kind}
}

func toScalar(from Type, to *Basic) Conversion {
	switch f := from.(type) {
	case *Basic:
		return scalarConv(f, to)
	case *Enum:
		if f.Scoped || !to.IsArithmetic() {
			return impossible
		}
		if to == PromoteScalar(f.Underlying) || f.Fixed && to == f.Underlying {
			return Conversion{Kind: IntPromote, Rank: Promotion}
		}
		if to == Bool {
			return Conversion{Kind: ToBool, Rank: Converted}
		}
		return Conversion{Kind: EnumToInt, Rank: Converted}
	case *Pointer, *Array, *Func:
		if to == Bool {
			return Conversion{Kind: PointerToBool, Rank: Converted}
		}
	}
	return impossible
}

func scalarConv(from, to *Basic) Conversion {
	switch {
	case from == to:
		return Conversion{Kind: Identity}
	case !from.IsArithmetic() || !to.IsArithmetic():
		return impossible
	case to == Bool:
		return Conversion{Kind: ToBool, Rank: Converted}
	case from.IsInteger() && to.IsInteger():
		if PromoteScalar(from) == to {
			return Conversion{Kind: IntPromote, Rank: Promotion}
		}
		return Conversion{Kind: IntConv, Rank: Converted}
	case from.IsInteger():
		return Conversion{Kind: IntToFloat, Rank: Converted}
	case to.IsInteger():
		return Conversion{Kind: FloatToInt, Rank: Converted}
	case to == Float:
		return Conversion{Kind: FloatPromote, Rank: Promotion}
	case from == BFloat || to == BFloat:
		return impossible
	}
	return Conversion{Kind: FloatConv, Rank: Converted}
}

// castScalar returns the conversion that a cast between arithmetic types performs.
func castScalar(from, to *Basic) ConvKind {
	if c := scalarConv(from, to); c.OK() || !from.IsArithmetic() || !to.IsArithmetic() {
		return c.Kind
	}
	return FloatConv
}

func toPointer(from Type, to *Pointer) Conversion {
	kind := Identity
	var elem Qualified
	switch f := from.(type) {
	case *Basic:
		if f == Nullptr {
			return Conversion{Kind: NullToPointer, Rank: Converted}
		}
		return impossible
	case *Pointer:
		elem = f.Elem
	case *Func:
		if to.Elem.Type == from {
			return Conversion{Kind: FuncDecay}
		}
		return impossible
	default:
		return impossible // arrays decay in DecayTo, where their qualifiers are known
	}
	return pointee(kind, elem, to.Elem)
}

// DecayTo classifies the conversion of an array object, with its qualifiers, to a pointer.
func DecayTo(array Qualified, to *Pointer) Conversion {
	a, ok := array.Type.(*Array)
	if !ok {
		return impossible
	}
	array.Type = a.Elem
	return pointee(ArrayDecay, array, to.Elem)
}

// pointee classifies how a pointer conversion changes the pointee.
func pointee(kind ConvKind, from, to Qualified) Conversion {
	if !SameSpace(from.Space, to.Space) || from.Const && !to.Const || from.Volatile && !to.Volatile {
		return impossible
	}
	c := Conversion{Kind: kind}
	if from.Const != to.Const {
		c.Quals++
	}
	if from.Volatile != to.Volatile {
		c.Quals++
	}
	if from.Coherent != to.Coherent {
		c.Quals++
	}
	switch {
	case from.Type == to.Type:
		if c.Quals > 0 && kind == Identity {
			c.Kind = Qualify
		}
		return c
	case to.Type == Type(Void):
		c.Kind, c.Rank = ToVoidPointer, Converted
		return c
	}
	derived, ok := from.Type.(*Struct)
	base, ok2 := to.Type.(*Struct)
	if ok && ok2 && derived.DerivesFrom(base) != nil {
		c.Kind, c.Rank, c.Base = DerivedToBase, Converted, base
		return c
	}
	return impossible
}

// SameSpace reports whether two address spaces are the same, where None means thread.
func SameSpace(a, b AddrSpace) bool { return a.Or(Thread) == b.Or(Thread) }

// Binding describes how a reference is bound.
type Binding struct {
	Conversion
	Temporary bool // to a temporary that holds the converted value
	RValueRef bool // an rvalue reference, which is preferred for an rvalue
	// Added counts the qualifiers added to the object. Fewer is better compared to another
	// reference to the same type; compared to a parameter passed by value it is ignored.
	Added int
}

// BindReference classifies the binding of a reference to an expression: to the object itself if the
// type is the same or derived and the address space matches; otherwise to a temporary in thread
// memory if the reference is to const thread or const and unqualified, or is an rvalue reference.
// lvalue says whether the expression is an lvalue. A reference to const constant does not bind to a
// temporary.
func BindReference(from Qualified, lvalue bool, to *Reference) Binding {
	target := to.Elem
	direct := lvalue != to.RValue || !lvalue && target.Const && !target.Volatile
	if direct && (target.Const || !from.Const) && (target.Volatile || !from.Volatile) && SameSpace(from.Space,
		target.Space) {
		c := Conversion{}
		switch f := from.Type.(type) {
		case *Struct:
			if base, ok := target.Type.(*Struct); ok && f != base && f.DerivesFrom(base) != nil {
				c = Conversion{Kind: DerivedToBase, Rank: Converted, Base: base}
			}
		}
		if from.Type == target.Type {
			c.Kind = Identity
		}
		if c.OK() {
			b := Binding{Conversion: c, Temporary: !lvalue, RValueRef: to.RValue}
			if from.Const != target.Const {
				b.Added++
			}
			if from.Volatile != target.Volatile {
				b.Added++
			}
			return b
		}
	}
	if from.Type == target.Type && lvalue && SameSpace(from.Space, target.Space) {
		return Binding{Conversion: impossible} // only qualifiers or the value category prevent the binding
	}
	if !SameSpace(target.Space, Thread) || !to.RValue && (!target.Const || target.Volatile) {
		return Binding{Conversion: impossible}
	}
	c := Implicit(from.Type, target.Type)
	if a, ok := from.Type.(*Array); ok {
		if p, isPtr := target.Type.(*Pointer); isPtr {
			c = DecayTo(Qualified{Type: a, Const: from.Const, Volatile: from.Volatile, Space: from.Space}, p)
		}
	}
	return Binding{Conversion: c, Temporary: true, RValueRef: to.RValue}
}
