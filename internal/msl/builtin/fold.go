package builtin

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// Fold returns the value of a library function of constants, with the arguments converted to the parameters' types. ok is
// false for functions that have no exact result by their definition, such as sin, and for those that are not pure: a
// constant expression may hold any other.
func Fold(op Op, args ...types.Value) (v types.Value, ok bool) {
	if len(args) == 0 || args[0].Type == nil {
		return types.Value{}, false
	}
	switch op {
	case OpAll, OpAny:
		return foldVote(op, args[0])
	case OpSelect:
		if len(args) == 3 {
			return elementwise(func(a []types.Value) (types.Value, bool) {
				if a[2].Truth() {
					return a[1], true
				}
				return a[0], true
			}, args)
		}
		return types.Value{}, false
	}
	return elementwise(func(a []types.Value) (types.Value, bool) {
		b := a[0].Scalar()
		switch {
		case b == nil:
			return types.Value{}, false
		case b == types.Bool:
			return types.BoolValue(!a[0].Truth()), op == OpLogicalNot
		case b.IsFloat():
			return foldFloat(op, b, a)
		}
		return foldInt(op, b, a)
	}, args)
}

// elementwise applies f to scalars, or to the elements of vectors one after the other.
func elementwise(f func([]types.Value) (types.Value, bool), args []types.Value) (types.Value, bool) {
	vec, ok := args[0].Type.(*types.Vector)
	if !ok {
		return f(args)
	}
	elems := make([]types.Value, vec.Len)
	row := make([]types.Value, len(args))
	for i := range elems {
		for j, a := range args {
			row[j] = a
			if a.Elems != nil {
				if len(a.Elems) != vec.Len {
					return types.Value{}, false
				}
				row[j] = a.Elems[i]
			}
		}
		if elems[i], ok = f(row); !ok {
			return types.Value{}, false
		}
	}
	t := types.VectorOf(elems[0].Scalar(), vec.Len)
	return types.Aggregate(t, elems), true
}

func foldVote(op Op, v types.Value) (types.Value, bool) {
	elems := v.Elems
	if v.Scalar() != nil {
		elems = []types.Value{v}
	}
	for _, e := range elems {
		if e.Truth() == (op == OpAny) {
			return types.BoolValue(op == OpAny), true
		}
	}
	return types.BoolValue(op == OpAll), true
}

// fmin and fmax return the other number when one is NaN, and order -0 below +0, as the operations of the IR do.
func fmin(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}

func fmax(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Max(x, y)
}

// foldFloat computes in float64, in which the results that it knows are exact before the one rounding at the end; that of
// sqrt is rounded twice, which for these widths gives the same.
func foldFloat(op Op, t *types.Basic, a []types.Value) (types.Value, bool) {
	var n [3]float64
	for i := range a {
		if i >= len(n) {
			return types.Value{}, false
		}
		n[i] = a[i].Float()
	}
	x, y, z := n[0], n[1], n[2]
	var r float64
	switch op {
	case OpFAbs:
		r = math.Abs(x)
	case OpCeil:
		r = math.Ceil(x)
	case OpFloor:
		r = math.Floor(x)
	case OpTrunc:
		r = math.Trunc(x)
	case OpRound:
		r = math.Round(x)
	case OpRint:
		r = math.RoundToEven(x)
	case OpSqrt:
		r = math.Sqrt(x)
	case OpCopysign:
		r = math.Copysign(x, y)
	case OpDivide:
		v, err := types.Binary(types.Div, a[0], a[1])
		return v, err == nil
	case OpFMin:
		r = fmin(x, y)
	case OpFMax:
		r = fmax(x, y)
	case OpFMin3:
		r = fmin(x, fmin(y, z))
	case OpFMax3:
		r = fmax(x, fmax(y, z))
	case OpFMedian3:
		r = fmax(fmin(x, y), fmin(fmax(x, y), z))
	case OpFClamp:
		r = fmin(fmax(x, y), z)
	case OpSaturate:
		r = fmin(fmax(x, 0), 1)
	case OpSign:
		switch {
		case x != x:
			r = 0
		case x > 0:
			r = 1
		case x < 0:
			r = -1
		default:
			r = x
		}
	case OpStep:
		if !(y < x) {
			r = 1
		}
	case OpIsnan:
		return types.BoolValue(x != x), true
	case OpIsinf:
		return types.BoolValue(math.IsInf(x, 0)), true
	case OpIsfinite:
		return types.BoolValue(x-x == 0), true
	case OpSignbit:
		return types.BoolValue(math.Signbit(x)), true
	case OpIsordered:
		return types.BoolValue(x == x && y == y), true
	case OpIsunordered:
		return types.BoolValue(x != x || y != y), true
	default:
		return types.Value{}, false
	}
	return types.FloatValue(t, r), true
}

func foldInt(op Op, t *types.Basic, a []types.Value) (types.Value, bool) {
	less := func(x, y types.Value) bool {
		if t.IsSigned() {
			p, _ := x.Int()
			q, _ := y.Int()
			return p < q
		}
		return x.Bits() < y.Bits()
	}
	lower := func(x, y types.Value) types.Value {
		if less(y, x) {
			return y
		}
		return x
	}
	upper := func(x, y types.Value) types.Value {
		if less(x, y) {
			return y
		}
		return x
	}
	width := uint(t.Bits())
	x := a[0].Bits()
	switch {
	case op == OpIAbs:
		if less(a[0], types.BitsValue(t, 0)) {
			x = -x
		}
		return types.BitsValue(t, x), true
	case op == OpClz:
		return types.BitsValue(t, uint64(bits.LeadingZeros64(x)-64+int(width))), true
	case op == OpCtz:
		return types.BitsValue(t, uint64(min(bits.TrailingZeros64(x), int(width)))), true
	case op == OpPopcount:
		return types.BitsValue(t, uint64(bits.OnesCount64(x))), true
	case op == OpReverseBits:
		return types.BitsValue(t, bits.Reverse64(x)>>(64-width)), true
	case op == OpIMin && len(a) == 2:
		return lower(a[0], a[1]), true
	case op == OpIMax && len(a) == 2:
		return upper(a[0], a[1]), true
	case op == OpRotate && len(a) == 2:
		n := uint(a[1].Bits()) % width
		return types.BitsValue(t, x<<n|x>>((width-n)%width)), true
	case op == OpIMin3 && len(a) == 3:
		return lower(a[0], lower(a[1], a[2])), true
	case op == OpIMax3 && len(a) == 3:
		return upper(a[0], upper(a[1], a[2])), true
	case op == OpIMedian3 && len(a) == 3:
		return upper(lower(a[0], a[1]), lower(upper(a[0], a[1]), a[2])), true
	case op == OpIClamp && len(a) == 3:
		return lower(upper(a[0], a[1]), a[2]), true
	}
	return types.Value{}, false
}

// Reinterpret returns the bits of a constant scalar or vector as another type of the same size: as_type.
func Reinterpret(v types.Value, to types.Type) (types.Value, bool) {
	if !types.CanReinterpret(v.Type, to) {
		return types.Value{}, false
	}
	var image []byte
	for _, e := range flat(v) {
		for i := range e.Scalar().Size() {
			image = append(image, byte(e.Bits()>>(8*i)))
		}
	}
	elem := types.ElemOf(to)
	var elems []types.Value
	for at := 0; at < types.LenOf(to)*elem.Size(); at += elem.Size() {
		var n uint64
		for i := range elem.Size() {
			if at+i < len(image) {
				n |= uint64(image[at+i]) << (8 * i)
			}
		}
		elems = append(elems, types.BitsValue(elem, n))
	}
	if types.LenOf(to) == 1 {
		return elems[0], true
	}
	return types.Aggregate(to, elems), true
}

func flat(v types.Value) []types.Value {
	if v.Scalar() != nil {
		return []types.Value{v}
	}
	return v.Elems
}
