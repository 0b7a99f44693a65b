package types

// ConvKind says what a conversion does.
type ConvKind uint8

// The conversions. Those from ExplicitFirst on always need a cast, FloatConv and Splat do between
// half or float and bfloat.
const (
	NoConv          ConvKind = iota // there is none
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

// Rank orders implicit conversions: smaller is better.
type Rank uint8

// The ranks of C++'s standard conversions.
const (
	Exact Rank = iota
	Promotion
	Converted
	Impossible
)

// Conversion is how a value of one type becomes one of another.
type Conversion struct {
	Kind ConvKind
	Rank Rank
	// Elem is what happens to each element, for Splat, Pack and Unpack that also change the element
	// type.
	Elem ConvKind
	// Quals counts the qualifiers that the pointee gains; fewer is better when all else is equal.
	Quals int
	// Base is the base that DerivedToBase converts to; the nearest is the best.
	Base *Struct
}

// OK reports whether there is a conversion.
func (c Conversion) OK() bool { return c.Kind != NoConv }

// Explicit reports whether the conversion needs a cast.
func (c Conversion) Explicit() bool { return c.OK() && c.Rank == Impossible }

// Compare orders two implicit conversions of one argument: negative when c is the better one, 0
// when neither is.
func (c Conversion) Compare(d Conversion) int {
	switch {
	case c.Rank != d.Rank:
		return int(c.Rank) - int(d.Rank)
	case (c.Kind == Splat) != (d.Kind == Splat): // a scalar is meant to stay one
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

// Implicit classifies the conversion of a value of type from, an array or
// function included, to an object of type to. Qualifiers at the top do not
// count. References are bound by [BindReference] instead, and conversions that
// user code defines are the checker's.
//
// half and bfloat are promoted to float. float becomes half, but neither float
// nor half becomes bfloat, nor bfloat half: that takes a cast. A scalar
// becomes a vector by splat; vectors never become other vectors; packed vectors
// and vectors of the same element become each other.
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

// castScalar says what a cast from one arithmetic type to another does.
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
		return impossible // arrays decay in DecayTo, which knows their qualifiers
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

// pointee classifies what a pointer conversion does to the pointee.
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

// SameSpace reports whether two address spaces are one: none is thread.
func SameSpace(a, b AddrSpace) bool { return a.Or(Thread) == b.Or(Thread) }

// Binding is how a reference is bound.
type Binding struct {
	Conversion
	Temporary bool // to a temporary that holds the converted value
	RValueRef bool // an rvalue reference, which is the better one for an rvalue
	// Added counts the qualifiers that the object gains. Fewer is better than another reference to
	// the same type; against a parameter by value they do not count.
	Added int
}

// BindReference classifies the binding of a reference to an expression of a
// type: to the object itself when the type is the same or derived and the
// address space agrees, else to a temporary in thread memory when the reference
// is to const thread or const and unqualified, or an rvalue reference.
// lvalue says whether the expression is one. A reference to const constant
// binds to no temporary.
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
		return Binding{Conversion: impossible} // only qualifiers or the value category stand in the way
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
