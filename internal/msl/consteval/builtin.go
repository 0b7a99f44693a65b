package consteval

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// builtin evaluates a library function. Only clang's own builtins are constant expressions. As in
// clang, counting the leading or trailing zeros of 0 is undefined. The functions that Metal's
// headers declare are not constexpr.
func (m *machine) builtin(e *typed.Builtin) types.Value {
	switch e.Fn.Name {
	case "is_function_constant_defined":
		m.fail(ErrFunctionConstant)
	case "__builtin_clz", "__builtin_ctz", "__builtin_popcount":
		return m.countBits(e)
	case "__builtin_expect":
		v := m.rvalue(e.Args[0])
		m.rvalue(e.Args[1])
		return v
	}
	m.refuse("non-constexpr function '%s' cannot be used in a constant expression", e.Fn.Name)
	return types.Value{}
}

func (m *machine) countBits(e *typed.Builtin) types.Value {
	n := uint32(m.rvalue(e.Args[0]).Bits())
	count := 0
	switch e.Op {
	case builtin.OpPopcount:
		return types.IntValue(types.Int, int64(bits.OnesCount32(n)))
	case builtin.OpClz:
		count = bits.LeadingZeros32(n)
	case builtin.OpCtz:
		count = bits.TrailingZeros32(n)
	}
	if n == 0 {
		m.refuse("the result of '%s' of 0 is undefined", e.Fn.Name)
	}
	return types.IntValue(types.Int, int64(count))
}
