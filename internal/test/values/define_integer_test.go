package values

import (
	"math/big"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// number returns the value of the bits of an integer type.
func number(t *types.Basic, bits uint64) *big.Int {
	n := new(big.Int).SetUint64(bits)
	if w := 8 * t.Size(); t.IsSigned() && bits>>(w-1)&1 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return n
}

// wrapped returns the low bits of a number, in the width of the type.
func wrapped(t *types.Basic, n *big.Int) uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(8*t.Size()))
	return new(big.Int).Mod(n, mod).Uint64()
}

// clamped returns the bits of the number of the type closest to n.
func clamped(t *types.Basic, n *big.Int) uint64 {
	lo, hi := types.IntRange(t)
	if l := big.NewInt(lo); n.Cmp(l) < 0 {
		n = l
	}
	if h := new(big.Int).SetUint64(hi); n.Cmp(h) > 0 {
		n = h
	}
	return wrapped(t, n)
}

// exactly defines a function by an unbounded computation whose result is wrapped to the type.
func exactly(f func(x, y, z *big.Int) *big.Int) definition { return whole(wrapped, f) }

// saturated does the same, but clamps the result to the type's range.
func saturated(f func(x, y, z *big.Int) *big.Int) definition { return whole(clamped, f) }

func whole(fit func(*types.Basic, *big.Int) uint64, f func(x, y, z *big.Int) *big.Int) definition {
	return func(t *types.Basic, a []uint64) []uint64 {
		var n [3]*big.Int
		for i := range a {
			n[i] = number(t, a[i])
		}
		return []uint64{fit(t, f(n[0], n[1], n[2]))}
	}
}

// bitwise defines a function by its bits, lowest first.
func bitwise(f func(x []uint64, rest []uint64) []uint64) definition {
	return func(t *types.Basic, a []uint64) []uint64 {
		x := make([]uint64, 8*t.Size())
		for i := range x {
			x[i] = a[0] >> i & 1
		}
		var n uint64
		for i, b := range f(x, a[1:]) {
			n |= b << i
		}
		return []uint64{n}
	}
}

func add(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
func mul(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

func lower(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func upper(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

// down shifts a number right, rounding toward minus infinity.
func down(x *big.Int, n int) *big.Int { return new(big.Int).Rsh(x, uint(n)) }

// low24 returns the value of the low 24 bits.
func low24(t *types.Basic, bits uint64) *big.Int {
	n := new(big.Int).SetUint64(bits & 0xffffff)
	if t.IsSigned() && bits>>23&1 != 0 {
		n.Sub(n, big.NewInt(1<<24))
	}
	return n
}

// integers defines the library's integer functions.
var integers = map[builtin.Op]definition{
	builtin.OpIAbs:    exactly(func(x, _, _ *big.Int) *big.Int { return new(big.Int).Abs(x) }),
	builtin.OpAbsdiff: exactly(func(x, y, _ *big.Int) *big.Int { return new(big.Int).Abs(new(big.Int).Sub(x, y)) }),
	builtin.OpAddsat:  saturated(func(x, y, _ *big.Int) *big.Int { return add(x, y) }),
	builtin.OpSubsat:  saturated(func(x, y, _ *big.Int) *big.Int { return new(big.Int).Sub(x, y) }),
	builtin.OpIClamp:  exactly(func(x, lo, hi *big.Int) *big.Int { return lower(upper(x, lo), hi) }),
	builtin.OpHadd:    exactly(func(x, y, _ *big.Int) *big.Int { return down(add(x, y), 1) }),
	builtin.OpRhadd:   exactly(func(x, y, _ *big.Int) *big.Int { return down(add(add(x, y), big.NewInt(1)), 1) }),
	builtin.OpIMax:    exactly(func(x, y, _ *big.Int) *big.Int { return upper(x, y) }),
	builtin.OpIMin:    exactly(func(x, y, _ *big.Int) *big.Int { return lower(x, y) }),
	builtin.OpIMax3:   exactly(func(x, y, z *big.Int) *big.Int { return upper(upper(x, y), z) }),
	builtin.OpIMin3:   exactly(func(x, y, z *big.Int) *big.Int { return lower(lower(x, y), z) }),
	builtin.OpIMedian3: exactly(func(x, y, z *big.Int) *big.Int {
		return upper(lower(x, y), lower(upper(x, y), z))
	}),
	builtin.OpMadsat: saturated(func(x, y, z *big.Int) *big.Int { return add(mul(x, y), z) }),
	builtin.OpMulhi: func(t *types.Basic, a []uint64) []uint64 {
		return []uint64{wrapped(t, down(mul(number(t, a[0]), number(t, a[1])), 8*t.Size()))}
	},
	builtin.OpMadhi: func(t *types.Basic, a []uint64) []uint64 {
		return []uint64{wrapped(t, add(down(mul(number(t, a[0]), number(t, a[1])), 8*t.Size()), number(t, a[2])))}
	},
	builtin.OpMul24: func(t *types.Basic, a []uint64) []uint64 {
		return []uint64{wrapped(t, mul(low24(t, a[0]), low24(t, a[1])))}
	},
	builtin.OpMad24: func(t *types.Basic, a []uint64) []uint64 {
		return []uint64{wrapped(t, add(mul(low24(t, a[0]), low24(t, a[1])), number(t, a[2])))}
	},
	builtin.OpClz: func(t *types.Basic, a []uint64) []uint64 {
		return []uint64{uint64(8*t.Size() - new(big.Int).SetUint64(a[0]).BitLen())}
	},
	builtin.OpCtz: func(t *types.Basic, a []uint64) []uint64 {
		if a[0] == 0 {
			return []uint64{uint64(8 * t.Size())}
		}
		return []uint64{uint64(new(big.Int).SetUint64(a[0]).TrailingZeroBits())}
	},
	builtin.OpPopcount: func(_ *types.Basic, a []uint64) []uint64 {
		n := uint64(0)
		for i := range 64 {
			n += a[0] >> i & 1
		}
		return []uint64{n}
	},
	builtin.OpReverseBits: bitwise(func(x, _ []uint64) []uint64 {
		var r []uint64
		for i := range x {
			r = append(r, x[len(x)-1-i])
		}
		return r
	}),
	builtin.OpRotate: bitwise(func(x, rest []uint64) []uint64 {
		r := make([]uint64, len(x))
		for i := range x {
			r[(i+int(rest[0]%uint64(len(x))))%len(x)] = x[i]
		}
		return r
	}),
	// A field not within the number is undefined; ours begins at the offset modulo the width and
	// ends at the top bit.
	builtin.OpExtractBits: func(t *types.Basic, a []uint64) []uint64 {
		w := 8 * t.Size()
		offset := int(a[1]) % w
		n := int(min(a[2], uint64(w-offset)))
		field := new(big.Int).SetUint64(a[0] >> offset)
		field.Mod(field, new(big.Int).Lsh(big.NewInt(1), uint(n)))
		if t.IsSigned() && n > 0 && field.Bit(n-1) != 0 {
			field.Sub(field, new(big.Int).Lsh(big.NewInt(1), uint(n)))
		}
		return []uint64{wrapped(t, field)}
	},
	builtin.OpInsertBits: func(t *types.Basic, a []uint64) []uint64 {
		w := 8 * t.Size()
		offset := int(a[2]) % w
		r := a[0]
		for i := range int(min(a[3], uint64(w-offset))) {
			r = r&^(1<<(offset+i)) | a[1]>>i&1<<(offset+i)
		}
		return []uint64{r}
	},
	builtin.OpLogicalNot: func(_ *types.Basic, a []uint64) []uint64 { return []uint64{1 - a[0]} },
	builtin.OpSelect: func(_ *types.Basic, a []uint64) []uint64 {
		if a[2] != 0 {
			return []uint64{a[1]}
		}
		return []uint64{a[0]}
	},
}
