package types

// Op is an operator in an expression.
type Op uint8

// The operators.
const (
	Add Op = iota
	Sub
	Mul
	Div
	Rem
	And
	Or
	Xor
	Shl
	Shr
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LogicalAnd
	LogicalOr
	Neg    // -x
	Plus   // +x
	Not    // !x
	BitNot // ~x
	numOps
)

var opNames = [numOps]string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&",
	"||", "-", "+", "!", "~"}

func (o Op) String() string { return opNames[o] }

// IsComparison reports whether the result is bool or a vector of bool.
func (o Op) IsComparison() bool { return o >= Eq && o <= Ge }

// Swapped returns the comparison for exchanged operands: > for <.
func (o Op) Swapped() Op {
	switch o {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return o
}

// IsBitwise reports whether the operator applies to integers only.
func (o Op) IsBitwise() bool { return o >= Rem && o <= Shr || o == BitNot }

// PromoteScalar returns the type to which C++ promotes a scalar operand: int for smaller integers.
func PromoteScalar(b *Basic) *Basic {
	if b.kind >= BoolKind && b.kind < IntKind {
		return Int
	}
	return b
}

// Promote returns the promoted type of an arithmetic operand: integers smaller than int become int,
// unscoped enums their promoted underlying type, and packed vectors vectors. Vector elements are
// not promoted.
func Promote(t Type) Type {
	switch t := t.(type) {
	case *Basic:
		return PromoteScalar(t)
	case *Enum:
		if !t.Scoped {
			return PromoteScalar(t.Underlying)
		}
	case *Packed:
		return t.Unpacked()
	}
	return t
}

// Usual returns the type to which the usual arithmetic conversions convert both operands, or nil if
// there is none. For scalars they are those of C++; half and bfloat rank below float, beat
// integers, and do not mix. A scalar combined with a vector or matrix becomes its element type,
// except that a floating-point scalar does not become an integer element. Vectors and matrices only
// combine with their own type.
func Usual(a, b Type) Type {
	a, b = Promote(a), Promote(b)
	x, ok1 := a.(*Basic)
	y, ok2 := b.(*Basic)
	switch {
	case ok1 && ok2:
		if !x.IsArithmetic() || !y.IsArithmetic() {
			return nil
		}
		if u := usualScalar(x, y); u != nil {
			return u
		}
		return nil
	case a == b:
		switch a.(type) {
		case *Vector, *Matrix:
			return a
		}
		return nil
	case ok1:
		return beside(x, b)
	case ok2:
		return beside(y, a)
	}
	return nil
}

// beside returns the vector or matrix t if a scalar combined with it becomes its element type.
func beside(s *Basic, t Type) Type {
	switch t.(type) {
	case *Vector, *Matrix:
		if elem := ElemOf(t); s.IsArithmetic() && (elem.IsFloat() || s.IsInteger()) {
			return t
		}
	}
	return nil
}

func usualScalar(x, y *Basic) *Basic {
	switch {
	case x == y:
		return x
	case x.IsFloat() && y.IsFloat():
		if x != Float && y != Float {
			return nil // half and bfloat: neither can represent the other
		}
		return Float
	case x.IsFloat():
		return x
	case y.IsFloat():
		return y
	}
	// Both are int or wider, so the order of kinds is that of ranks, with the unsigned type of a
	// rank above the signed one.
	if x.kind < y.kind {
		x, y = y, x
	}
	return x // an unsigned type of lower rank fits in a signed one of higher rank: long holds every uint
}

// Operands describes how an operator takes its operands: the types they are converted to, and the
// type of the result. A vector opposite a scalar operand means that the scalar is splat. Result is
// nil if the operator does not apply.
type Operands struct{ Left, Right, Result Type }

// BinaryOperands returns how a binary arithmetic operator takes operands of these types. Pointers
// are handled by the checker.
func BinaryOperands(op Op, a, b Type) Operands {
	_, packedA := a.(*Packed)
	_, packedB := b.(*Packed)
	a, b = decayPacked(a), decayPacked(b)
	switch op {
	case Shl, Shr:
		return shiftOperands(a, b)
	case LogicalAnd, LogicalOr:
		return logicalOperands(a, b)
	case Mul:
		if packedA || packedB {
			break // a packed vector does not convert to the operand of a product with a matrix
		}
		if o := productOperands(a, b); o.Result != nil {
			return o
		}
	}
	if e, ok := a.(*Enum); ok && a == b && op.IsComparison() {
		return Operands{e, e, Bool}
	}
	u := Usual(a, b)
	if u == nil {
		return Operands{}
	}
	elem := ElemOf(u)
	_, matrix := u.(*Matrix)
	switch {
	case op.IsBitwise() && (!elem.IsInteger() || matrix):
		return Operands{}
	case matrix:
		return matrixOperands(op, a, b, u)
	case op.IsComparison():
		return Operands{u, u, ScalarOrVector(Bool, LenOf(u))}
	case elem == Bool && op != And && op != Or && op != Xor:
		return Operands{} // vectors of bool have no arithmetic
	}
	return Operands{u, u, u}
}

func decayPacked(t Type) Type {
	if p, ok := t.(*Packed); ok {
		return p.Unpacked()
	}
	return t
}

func shiftOperands(a, b Type) Operands {
	a, b = Promote(a), Promote(b)
	x, y := ElemOf(a), ElemOf(b)
	m, n := LenOf(a), LenOf(b)
	if m == 0 || n == 0 || !x.IsInteger() || !y.IsInteger() || isScopedEnum(a) || isScopedEnum(b) {
		return Operands{}
	}
	switch {
	case m == n && m == 1:
		return Operands{a, b, a}
	case m == n:
		if x == Bool || y == Bool {
			return Operands{}
		}
		return Operands{a, b, a}
	case n == 1:
		return Operands{a, a, a}
	case m == 1:
		return Operands{b, b, b}
	}
	return Operands{}
}

func isScopedEnum(t Type) bool {
	e, ok := t.(*Enum)
	return ok && e.Scoped
}

func logicalOperands(a, b Type) Operands {
	m, n := LenOf(a), LenOf(b)
	if isScopedEnum(a) || isScopedEnum(b) {
		return Operands{}
	}
	_, ap := a.(*Pointer)
	_, bp := b.(*Pointer)
	if ap {
		m = 1
	}
	if bp {
		n = 1
	}
	if m == 0 || n == 0 || m != n && m != 1 && n != 1 {
		return Operands{}
	}
	t := ScalarOrVector(Bool, max(m, n))
	return Operands{t, t, t}
}

// productOperands are the operands of a linear-algebra product.
func productOperands(a, b Type) Operands {
	x, xm := a.(*Matrix)
	y, ym := b.(*Matrix)
	if s, ok := a.(*SimdgroupMatrix); ok && a == b {
		return Operands{s, s, s}
	}
	switch {
	case xm && ym:
		if x.Elem == y.Elem && x.Cols == y.Rows {
			return Operands{a, b, MatrixOf(x.Elem, y.Cols, x.Rows)}
		}
	case xm:
		if v, ok := b.(*Vector); ok && v.Elem == x.Elem && v.Len == x.Cols {
			return Operands{a, b, x.Column()}
		}
	case ym:
		if v, ok := a.(*Vector); ok && v.Elem == y.Elem && v.Len == y.Rows {
			return Operands{a, b, VectorOf(y.Elem, y.Cols)}
		}
	}
	return Operands{}
}

func matrixOperands(op Op, a, b, m Type) Operands {
	both := a == b
	elem := ElemOf(m)
	switch {
	case both && (op == Add || op == Sub):
		return Operands{m, m, m}
	case both && (op == Eq || op == Ne):
		return Operands{m, m, Bool}
	case !both && op == Mul && b == m:
		return Operands{elem, m, m}
	case !both && (op == Mul || op == Div) && a == m:
		return Operands{m, elem, m}
	}
	return Operands{}
}

// UnaryOperand returns the type to which -, +, ! and ~ convert their operand, and the type of the
// result, or nil if the operator does not apply. It covers ! on pointers.
func UnaryOperand(op Op, t Type) (operand, result Type) {
	p := Promote(t)
	elem, n := ElemOf(p), LenOf(p)
	if op == Not {
		if _, ok := t.(*Pointer); ok {
			return Bool, Bool
		}
		if n == 0 || isScopedEnum(t) || !elem.IsArithmetic() {
			return nil, nil
		}
		b := ScalarOrVector(Bool, n)
		return b, b
	}
	if m, ok := p.(*Matrix); ok && op != BitNot {
		return m, m
	}
	if n == 0 || isScopedEnum(p) || !elem.IsArithmetic() || op == BitNot && !elem.IsInteger() || elem == Bool &&
		op != BitNot {
		return nil, nil // bool is promoted, but vectors of bool have no arithmetic
	}
	return p, p
}
