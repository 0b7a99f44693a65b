package consteval

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/puremetal/puremetal/internal/msl/types"
)

func (m *machine) convert(v types.Value, t types.Type) types.Value {
	r, err := types.Convert(v, t)
	if err != nil {
		m.fail(ErrNotConstant)
	}
	return r
}

func (m *machine) binary(op types.Op, x, y types.Value) types.Value {
	r, err := Binary(op, x, y, m.mode)
	if err != nil {
		m.fail(err)
	}
	return r
}

// Binary computes an operation on two constants that have the operation's operand types.
func Binary(op types.Op, x, y types.Value, mode Mode) (types.Value, error) {
	r, err := types.Binary(op, x, y)
	switch {
	case errors.Is(err, types.ErrDivideByZero):
		return types.Value{}, types.ErrDivideByZero
	case err != nil:
		return types.Value{}, ErrNotConstant
	}
	if mode == Strict {
		if why := undefined(op, x, y, r); why != "" {
			return types.Value{}, errors.New(why)
		}
	}
	return r, nil
}

// undefined explains why the language leaves the result r of an integer operation undefined, or
// returns "" if it does not.
func undefined(op types.Op, x, y, r types.Value) string {
	b, ok := r.Type.(*types.Basic)
	if !ok || !b.IsInteger() {
		return ""
	}
	n, _ := x.Int()
	k, _ := y.Int()
	width := int64(8 * b.Size())
	switch op {
	case types.Shl, types.Shr:
		if k < 0 || k >= width {
			return fmt.Sprintf("a value of %d bits is shifted by %d", width, k)
		}
		return ""
	case types.Add, types.Sub, types.Mul:
	default:
		return ""
	}
	if !b.IsSigned() {
		return ""
	}
	exact := new(big.Int)
	switch p, q := big.NewInt(n), big.NewInt(k); op {
	case types.Add:
		exact.Add(p, q)
	case types.Sub:
		exact.Sub(p, q)
	case types.Mul:
		exact.Mul(p, q)
	}
	if v, _ := r.Int(); !exact.IsInt64() || exact.Int64() != v {
		return fmt.Sprintf("%s does not fit in '%s'", exact, b)
	}
	return ""
}
