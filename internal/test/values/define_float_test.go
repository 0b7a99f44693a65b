package values

import (
	"math"
	"math/big"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// definition defines a function for one lane: its result and what it stores. t is the type of the
// first argument.
type definition func(t *types.Basic, a []uint64) []uint64

// rounded defines a function by one in float64 whose result, rounded once more, is the correctly
// rounded exact result.
func rounded(f func(x []float64) float64) definition {
	return func(t *types.Basic, a []uint64) []uint64 { return []uint64{nearest(t, f(meanings(t, a)))} }
}

func meanings(t *types.Basic, a []uint64) []float64 {
	x := make([]float64, len(a))
	for i := range a {
		x[i] = meaning(t, a[i])
	}
	return x
}

// chosen defines a function that returns one of its arguments or another number of the type, bits
// included.
func chosen(f func(x []float64) float64) definition { return rounded(f) }

func truth(f func(x []float64) bool) definition {
	return func(t *types.Basic, a []uint64) []uint64 {
		if f(meanings(t, a)) {
			return []uint64{1}
		}
		return []uint64{0}
	}
}

// lesser and greater order -0 below +0, and return the other number for a NaN.
func lesser(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}

func greater(x, y float64) float64 { return -lesser(-x, -y) }

func median(x, y, z float64) float64 { return greater(lesser(x, y), lesser(greater(x, y), z)) }

// steps computes with a rounding after each operation.
type steps struct{ t *types.Basic }

func (s steps) to(f float64) float64     { return meaning(s.t, nearest(s.t, f)) }
func (s steps) add(x, y float64) float64 { return s.to(x + y) }
func (s steps) sub(x, y float64) float64 { return s.to(x - y) }
func (s steps) mul(x, y float64) float64 { return s.to(x * y) }
func (s steps) div(x, y float64) float64 { return s.to(x / y) }

// stepwise defines a function by a formula in which each operation rounds.
func stepwise(f func(s steps, x []float64) float64) definition {
	return func(t *types.Basic, a []uint64) []uint64 {
		return []uint64{nearest(t, f(steps{t}, meanings(t, a)))}
	}
}

// fused is x*y+z, rounded once.
func fused(t *types.Basic, a []uint64) []uint64 {
	x := meanings(t, a)
	if math.IsInf(x[0]*x[1]+x[2], 0) || math.IsInf(x[2], 0) || x[0]*x[1]+x[2] != x[0]*x[1]+x[2] || x[0] == 0 || x[1] == 0 {
		return []uint64{nearest(t, x[0]*x[1]+x[2])}
	}
	n := func(f float64) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(f) }
	sum := new(big.Float).SetPrec(1200).Mul(n(x[0]), n(x[1]))
	sum.Add(sum, n(x[2]))
	if sum.Sign() == 0 {
		return []uint64{nearest(t, x[0]*x[1]+x[2])}
	}
	// Rounded to odd in 53 bits, so that rounding to the type sees any remainder.
	cut := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(sum)
	f, _ := cut.Float64()
	if cut.Cmp(sum) != 0 {
		f = math.Float64frombits(math.Float64bits(f) | 1)
	}
	return []uint64{nearest(t, f)}
}

// after returns the next number from x toward y.
func after(t *types.Basic, a []uint64) []uint64 {
	x, y := meaning(t, a[0]), meaning(t, a[1])
	exp, man := formatOf(t)
	sign := uint64(1) << (exp + man)
	switch {
	case x != x || y != y:
		return []uint64{quietNaN(exp, man)}
	case x == y:
		return []uint64{a[1]}
	case x == 0:
		return []uint64{a[1]&sign | 1}
	case math.Abs(y) > math.Abs(x) && math.Signbit(x) == math.Signbit(y):
		return []uint64{a[0] + 1}
	}
	return []uint64{a[0] - 1}
}

// scaled is x times a power of two.
func scaled(t *types.Basic, a []uint64) []uint64 {
	x, k := meaning(t, a[0]), int(int32(a[1]))
	if x == 0 || x-x != 0 {
		return []uint64{nearest(t, x)}
	}
	k = max(min(k, 600), -600)
	return []uint64{nearest(t, x*math.Ldexp(1, k))}
}

func mantissa(t *types.Basic, a []uint64) []uint64 {
	x := meaning(t, a[0])
	if x == 0 || x != x || math.IsInf(x, 0) {
		return []uint64{nearest(t, x), 0}
	}
	e := int(math.Floor(math.Log2(math.Abs(x)))) + 1
	for math.Abs(x)*math.Ldexp(1, -e) >= 1 {
		e++
	}
	for math.Abs(x)*math.Ldexp(1, -e) < 0.5 {
		e--
	}
	return []uint64{nearest(t, x*math.Ldexp(1, -e)), uint64(uint32(e))}
}

func parts(t *types.Basic, a []uint64) []uint64 {
	x := meaning(t, a[0])
	switch {
	case math.IsInf(x, 0):
		return []uint64{nearest(t, math.Copysign(0, x)), nearest(t, x)}
	case x != x:
		return []uint64{nearest(t, x), nearest(t, x)}
	}
	whole := math.Copysign(math.Floor(math.Abs(x)), x)
	return []uint64{nearest(t, math.Copysign(x-whole, x)), nearest(t, whole)}
}

func exponent(t *types.Basic, a []uint64) []uint64 {
	x := meaning(t, a[0])
	switch {
	case x == 0:
		return []uint64{1 << 31}
	case x != x || math.IsInf(x, 0):
		return []uint64{1<<31 - 1}
	}
	return []uint64{uint64(uint32(int32(mantissa(t, a)[1]) - 1))}
}

// halfTurns returns the sine or cosine of pi*x, exact at multiples of a quarter.
func halfTurns(x float64, cosine bool) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	r := math.Mod(x, 2)
	if cosine {
		switch r = math.Abs(r); r {
		case 0, 2:
			return 1
		case 1:
			return -1
		case 0.5, 1.5:
			return 0
		}
		if r > 0.25 && r < 0.75 {
			return math.Sin(math.Pi * (0.5 - r))
		}
		if r > 1.25 && r < 1.75 {
			return math.Sin(math.Pi * (r - 1.5))
		}
		return math.Cos(math.Pi * r)
	}
	if math.Trunc(r) == r {
		return math.Copysign(0, x)
	}
	switch {
	case r > 0.5 && r <= 1.5:
		r = 1 - r
	case r > 1.5:
		r -= 2
	case r < -0.5 && r >= -1.5:
		r = -1 - r
	case r < -1.5:
		r += 2
	}
	return math.Sin(math.Pi * r)
}

// floats defines the lanewise functions of floats in the library.
var floats = map[builtin.Op]definition{
	builtin.OpFAbs:  chosen(func(x []float64) float64 { return math.Abs(x[0]) }),
	builtin.OpCeil:  rounded(func(x []float64) float64 { return -math.Floor(-x[0]) }),
	builtin.OpFloor: rounded(func(x []float64) float64 { return math.Floor(x[0]) }),
	builtin.OpTrunc: rounded(func(x []float64) float64 { return math.Copysign(math.Floor(math.Abs(x[0])), x[0]) }),
	builtin.OpRint: rounded(func(x []float64) float64 {
		if math.Abs(x[0]) >= 1<<24 || x[0] != x[0] {
			return x[0]
		}
		return math.Copysign((math.Abs(x[0])+1<<52)-1<<52, x[0])
	}),
	builtin.OpRound: rounded(func(x []float64) float64 { return math.Copysign(math.Floor(math.Abs(x[0])+0.5), x[0]) }),
	builtin.OpFract: func(t *types.Basic, a []uint64) []uint64 {
		x := meaning(t, a[0])
		if math.IsInf(x, 0) {
			return []uint64{0}
		}
		_, man := formatOf(t)
		return []uint64{nearest(t, math.Min(x-math.Floor(x), 1-math.Ldexp(1, -man-1)))}
	},
	builtin.OpSqrt: rounded(func(x []float64) float64 { return math.Sqrt(x[0]) }),
	builtin.OpCopysign: func(t *types.Basic, a []uint64) []uint64 {
		exp, man := formatOf(t)
		sign := uint64(1) << (exp + man)
		return []uint64{a[0]&^sign | a[1]&sign}
	},
	builtin.OpDivide: rounded(func(x []float64) float64 { return x[0] / x[1] }),
	builtin.OpFdim: rounded(func(x []float64) float64 {
		if x[0] <= x[1] {
			return 0
		}
		return x[0] - x[1]
	}),
	builtin.OpFma:      fused,
	builtin.OpFMax:     chosen(func(x []float64) float64 { return greater(x[0], x[1]) }),
	builtin.OpFMin:     chosen(func(x []float64) float64 { return lesser(x[0], x[1]) }),
	builtin.OpFMax3:    chosen(func(x []float64) float64 { return greater(x[0], greater(x[1], x[2])) }),
	builtin.OpFMin3:    chosen(func(x []float64) float64 { return lesser(x[0], lesser(x[1], x[2])) }),
	builtin.OpFMedian3: chosen(func(x []float64) float64 { return median(x[0], x[1], x[2]) }),
	builtin.OpFClamp:   chosen(func(x []float64) float64 { return lesser(greater(x[0], x[1]), x[2]) }),
	builtin.OpSaturate: chosen(func(x []float64) float64 { return lesser(greater(x[0], 0), 1) }),
	builtin.OpFmod: rounded(func(x []float64) float64 {
		switch {
		case math.IsInf(x[0], 0) || x[1] == 0 || x[0] != x[0] || x[1] != x[1]:
			return math.NaN()
		case math.IsInf(x[1], 0) || x[0] == 0:
			return x[0]
		}
		n := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(math.Abs(f)) }
		q := new(big.Rat).Quo(n(x[0]), n(x[1]))
		whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
		r, _ := new(big.Rat).Sub(n(x[0]), whole.Mul(whole, n(x[1]))).Float64()
		return math.Copysign(r, x[0])
	}),
	builtin.OpNextafter: after,
	builtin.OpLdexp:     scaled,
	builtin.OpFrexp:     mantissa,
	builtin.OpModf:      parts,
	builtin.OpIlogb:     exponent,
	builtin.OpSign: chosen(func(x []float64) float64 {
		switch {
		case x[0] > 0:
			return 1
		case x[0] < 0:
			return -1
		case x[0] == 0:
			return x[0]
		}
		return 0
	}),
	builtin.OpStep: chosen(func(x []float64) float64 {
		if x[1] < x[0] {
			return 0
		}
		return 1
	}),
	builtin.OpMix: stepwise(func(s steps, x []float64) float64 { return s.add(x[0], s.mul(s.sub(x[1], x[0]), x[2])) }),
	builtin.OpSmoothstep: stepwise(func(s steps, x []float64) float64 {
		v := lesser(greater(s.div(s.sub(x[2], x[0]), s.sub(x[1], x[0])), 0), 1)
		return s.mul(s.mul(v, v), s.sub(3, s.mul(2, v)))
	}),
	builtin.OpRsqrt: rounded(func(x []float64) float64 { return 1 / math.Sqrt(x[0]) }),
	builtin.OpExp10: rounded(func(x []float64) float64 { return math.Pow(10, x[0]) }),
	builtin.OpSinpi: rounded(func(x []float64) float64 { return halfTurns(x[0], false) }),
	builtin.OpCospi: rounded(func(x []float64) float64 { return halfTurns(x[0], true) }),
	builtin.OpTanpi: rounded(func(x []float64) float64 { return halfTurns(x[0], false) / halfTurns(x[0], true) }),

	builtin.OpIsfinite:    truth(func(x []float64) bool { return x[0]-x[0] == 0 }),
	builtin.OpIsinf:       truth(func(x []float64) bool { return math.IsInf(x[0], 0) }),
	builtin.OpIsnan:       truth(func(x []float64) bool { return x[0] != x[0] }),
	builtin.OpIsordered:   truth(func(x []float64) bool { return x[0] == x[0] && x[1] == x[1] }),
	builtin.OpIsunordered: truth(func(x []float64) bool { return x[0] != x[0] || x[1] != x[1] }),
	builtin.OpIsnormal: func(t *types.Basic, a []uint64) []uint64 {
		exp, _ := formatOf(t)
		x := math.Abs(meaning(t, a[0]))
		if x >= math.Ldexp(1, 2-1<<(exp-1)) && !math.IsInf(x, 0) {
			return []uint64{1}
		}
		return []uint64{0}
	},
	builtin.OpSignbit: func(t *types.Basic, a []uint64) []uint64 {
		exp, man := formatOf(t)
		return []uint64{a[0] >> (exp + man) & 1}
	},
}

// recorded are the functions whose results are those of the reference compiler's library, with the
// units in the last place that Metal's table allows for float; half and bfloat have one.
var recorded = map[builtin.Op]float64{
	builtin.OpAcos: 4, builtin.OpAcosh: 4, builtin.OpAsin: 4, builtin.OpAsinh: 4, builtin.OpAtan: 5, builtin.OpAtan2: 6,
	builtin.OpAtanh: 5,
	builtin.OpCos:   4, builtin.OpCosh: 4, builtin.OpExp: 4, builtin.OpExp2: 4, builtin.OpLog: 4, builtin.OpLog10: 4,
	builtin.OpLog2: 4,
	builtin.OpPow:  16, builtin.OpPowr: 16, builtin.OpSin: 4, builtin.OpSincos: 4, builtin.OpSinh: 4, builtin.OpTan: 6,
	builtin.OpTanh: 5,
}

// inexact are functions defined here that may nevertheless have an error, in float.
var inexact = map[builtin.Op]float64{builtin.OpRsqrt: 2, builtin.OpExp10: 4, builtin.OpSinpi: 4, builtin.OpCospi: 4,
	builtin.OpTanpi: 6}
