package types

// Explicit classifies what a cast (static_cast, T(x), (T)x, reinterpret_cast) does if [Implicit]
// finds no conversion: vectors of the same length and matrices of the same shape convert
// element-wise, enums and numbers convert to each other, and pointers may change their pointee but
// never their address space.
func Explicit(from, to Type) Conversion {
	if c := Implicit(from, to); c.OK() {
		return c
	}
	explicit := func(k, elem ConvKind) Conversion { return Conversion{Kind: k, Rank: Impossible, Elem: elem} }
	switch t := to.(type) {
	case *Basic:
		switch f := from.(type) {
		case *Basic:
			if f.IsArithmetic() && t.IsArithmetic() {
				return explicit(castScalar(f, t), NoConv)
			}
		case *Enum:
			if t.IsArithmetic() {
				return explicit(ScopedEnumToInt, castScalar(f.Underlying, t))
			}
		case *Pointer:
			if t.IsInteger() && t.Size() == 8 {
				return explicit(PointerToInt, NoConv)
			}
		}
		if t == Void {
			return explicit(ToVoid, NoConv)
		}
	case *Enum:
		switch f := from.(type) {
		case *Basic:
			if f.IsArithmetic() {
				return explicit(IntToEnum, castScalar(f, t.Underlying))
			}
		case *Enum:
			return explicit(IntToEnum, castScalar(f.Underlying, t.Underlying))
		}
	case *Vector:
		if f, ok := from.(*Basic); ok && f.IsArithmetic() {
			return explicit(Splat, castScalar(f, t.Elem))
		}
		if elem, n := vectorShape(from); n == t.Len {
			return explicit(VectorConv, castScalar(elem, t.Elem))
		}
	case *Packed:
		if f, ok := from.(*Basic); ok && f.IsArithmetic() {
			return explicit(Splat, castScalar(f, t.Elem))
		}
		if elem, n := vectorShape(from); n == t.Len {
			return explicit(VectorConv, castScalar(elem, t.Elem))
		}
	case *Matrix:
		if f, ok := from.(*Matrix); ok && f.Cols == t.Cols && f.Rows == t.Rows {
			return explicit(MatrixConv, castScalar(f.Elem, t.Elem))
		}
	case *Pointer:
		switch f := from.(type) {
		case *Pointer:
			if SameSpace(f.Elem.Space, t.Elem.Space) {
				if d, ok := t.Elem.Type.(*Struct); ok {
					if b, ok := f.Elem.Type.(*Struct); ok && d.DerivesFrom(b) != nil {
						return explicit(BaseToDerived, NoConv)
					}
				}
				return explicit(PointerCast, NoConv)
			}
		case *Basic:
			if f.IsInteger() {
				return explicit(IntToPointer, NoConv)
			}
		}
	}
	return impossible
}

// vectorShape returns the element type and length of a vector, packed or not.
func vectorShape(t Type) (*Basic, int) {
	switch t := t.(type) {
	case *Vector:
		return t.Elem, t.Len
	case *Packed:
		return t.Elem, t.Len
	}
	return nil, 0
}

// ElemOf returns the scalar type of a scalar, enum, vector, packed vector, matrix or simdgroup
// matrix, or nil for other types.
func ElemOf(t Type) *Basic {
	switch t := t.(type) {
	case *Matrix:
		return t.Elem
	case *SimdgroupMatrix:
		return t.Elem
	case *Vector:
		return t.Elem
	case *Packed:
		return t.Elem
	}
	return ScalarOf(t)
}

// LenOf returns the length of a vector or packed vector, 1 for a scalar or enum, and 0 for other
// types.
func LenOf(t Type) int {
	if _, n := vectorShape(t); n > 0 {
		return n
	}
	if ScalarOf(t) != nil {
		return 1
	}
	return 0
}

// CanReinterpret reports whether as_type can convert one type to the other: scalars and vectors of
// the same size, where a three-component vector only matches another one by its three components.
func CanReinterpret(from, to Type) bool {
	fe, fn := ElemOf(from), LenOf(from)
	te, tn := ElemOf(to), LenOf(to)
	if fe == nil || te == nil || fn == 0 || tn == 0 || !fe.IsArithmetic() || !te.IsArithmetic() {
		return false
	}
	if fn == 3 || tn == 3 {
		return fn == tn && fe.Size() == te.Size() || fn*fe.Size() == tn*te.Size() || from.Size() == to.Size()
	}
	return fn*fe.Size() == tn*te.Size()
}
