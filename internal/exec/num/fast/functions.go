package fast

import (
	"math"
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
)

// Programs returns the functions, by operation. They must not be changed.
func Programs() *[ir.NumOps]*Program { return programs() }

// Of returns the program of an operation, or nil if fast math does not change it.
func Of(op ir.Op) *Program { return programs()[op] }

var programs = sync.OnceValue(func() *[ir.NumOps]*Program {
	return &[ir.NumOps]*Program{
		ir.OpExp: define("FastExp", "e**x", 1.1, "", 1, func(b *builder, x, _ value) value {
			return b.scale(b.exponential(b.within(x, -104, 89)))
		}),
		ir.OpExp2: define("FastExp2", "2**x", 1.2, "", 1, func(b *builder, x, _ value) value {
			x = b.within(x, -151, 129)
			n := b.sub(b.add(x, b.float(toInteger)), b.float(toInteger))
			return b.scale(b.exp2(b.sub(x, n)), n)
		}),
		ir.OpExp10: define("FastExp10", "10**x", 1.3, "", 1, func(b *builder, x, _ value) value {
			const log10of2 = math.Ln2 / math.Ln10
			x = b.within(x, -46, 39)
			n, r := b.reduce(x, 1/log10of2, 0x1.34p-2, log10of2-0x1.34p-2)
			return b.scale(b.exp(b.mul(r, b.float(math.Ln10))), n)
		}),
		ir.OpLog: define("FastLog", "the natural logarithm", 1, "", 1, func(b *builder, x, _ value) value {
			e, y := b.logarithm(x)
			return b.ordinary(x, b.add(b.mul(e, b.float(ln2High)), b.add(y, b.mul(e, b.float(ln2Low)))))
		}),
		ir.OpLog2: define("FastLog2", "the logarithm to base 2", 1.9, "", 1, func(b *builder, x, _ value) value {
			e, y := b.logarithm(x)
			return b.ordinary(x, b.add(e, b.mul(y, b.float(1/math.Ln2))))
		}),
		ir.OpLog10: define("FastLog10", "the logarithm to base 10", 2, "", 1, func(b *builder, x, _ value) value {
			const high = 0x1.34p-2 // of log10(2)
			e, y := b.logarithm(x)
			rest := b.add(b.mul(y, b.float(1/math.Ln10)), b.mul(e, b.float(math.Ln2/math.Ln10-high)))
			return b.ordinary(x, b.add(b.mul(e, b.float(high)), rest))
		}),
		ir.OpSin: define("FastSin", "the sine", 2.1, " for |x| up to 2^20", 1, func(b *builder, x, _ value) value {
			q, r := b.quadrant(x)
			s, c := b.near(r)
			return b.turned(q, s, c)
		}),
		ir.OpCos: define("FastCos", "the cosine", 2.1, " for |x| up to 2^20", 1, func(b *builder, x, _ value) value {
			q, r := b.quadrant(x)
			s, c := b.near(r)
			return b.turned(b.addW(q, b.word(1)), s, c)
		}),
		ir.OpTan: define("FastTan", "the tangent", 3.8, " for |x| up to 2^20", 1, func(b *builder, x, _ value) value {
			q, r := b.quadrant(x)
			s, c := b.near(r)
			sign := b.shiftL(q, 31)
			odd := b.negative(sign)
			return b.xor(b.div(b.choose(odd, c, s), b.choose(odd, s, c)), sign)
		}),
		ir.OpTanH: define("FastTanH", "the hyperbolic tangent", 6.6, "", 1, func(b *builder, x, _ value) value {
			const limit = 9.0109 // from which on the result is 1
			a := b.min(b.float(limit), b.abs(x))
			z := b.mul(a, a)
			p := b.polynomial(z, 1, 0.1292126625776291, 0.0029228029306977987, 9.283242434321437e-06, -1.2817674921450362e-08,
				1.8325684719711077e-11)
			q := b.polynomial(z, 1, 0.4625456631183624, 0.023771921172738075, 0.0002283631474711001)
			return b.xor(b.min(b.float(1), b.div(b.mul(a, p), q)), b.sign(x)) // rounding may lead above 1
		}),
		ir.OpSinH: define("FastSinH", "the hyperbolic sine", 2, "", 1, func(b *builder, x, _ value) value {
			a := b.abs(x)
			z := b.mul(x, x)
			p := b.mul(z, b.polynomial(z, 0.1666671633720398, 0.008330270648002625, 0.00020373340521473438))
			near := b.mul(x, b.add(p, b.float(1)))
			h := b.halfExp(a)
			far := b.xor(b.sub(h, b.div(b.float(0.25), h)), b.sign(x))
			return b.choose(b.less(a, b.float(1)), near, far)
		}),
		ir.OpCosH: define("FastCosH", "the hyperbolic cosine", 1.6, "", 1, func(b *builder, x, _ value) value {
			h := b.halfExp(b.abs(x))
			return b.add(h, b.div(b.float(0.25), h))
		}),
		ir.OpSinPi: define("FastSinPi", "the sine of pi*x", 2.5, "", 1, func(b *builder, x, _ value) value {
			return b.sinPi(x)
		}),
		ir.OpCosPi: define("FastCosPi", "the cosine of pi*x", 2.5, "", 1, func(b *builder, x, _ value) value {
			return b.cosPi(x)
		}),
		ir.OpTanPi: define("FastTanPi", "the tangent of pi*x", 4.3, "", 1, func(b *builder, x, _ value) value {
			return b.div(b.sinPi(x), b.cosPi(x))
		}),
		ir.OpASin: define("FastASin", "the arc sine", 2, "", 1, func(b *builder, x, _ value) value {
			near, p := b.arcSine(x)
			return b.xor(b.choose(near, p, b.fromPi(1, b.add(p, p))), b.sign(x))
		}),
		ir.OpACos: define("FastACos", "the arc cosine", 1.3, "", 1, func(b *builder, x, _ value) value {
			near, p := b.arcSine(x)
			far := b.add(p, p)
			far = b.choose(b.negative(x), b.fromPi(2, far), far)
			return b.choose(near, b.fromPi(1, b.xor(p, b.sign(x))), far)
		}),
		ir.OpATan: define("FastATan", "the arc tangent", 1.6, "", 1, func(b *builder, x, _ value) value {
			a := b.abs(x)
			far := b.less(b.float(1), a)
			p := b.arcOf(b.choose(far, b.div(b.float(1), a), a))
			return b.xor(b.choose(far, b.fromPi(1, p), p), b.sign(x))
		}),
		ir.OpATan2: define("FastATan2", "the angle of (y, x)", 1.6, "", 2, func(b *builder, y, x value) value {
			return b.angle(y, x)
		}),
		ir.OpASinH: define("FastASinH", "the inverse of sinh", 2.5, "", 1, func(b *builder, x, _ value) value {
			a := b.abs(x)
			z := b.mul(a, a)
			w := b.add(a, b.div(z, b.add(b.float(1), b.sqrt(b.add(z, b.float(1))))))
			return b.xor(b.logBig(a, w), b.sign(x))
		}),
		ir.OpACosH: define("FastACosH", "the inverse of cosh", 2.8, "", 1, func(b *builder, x, _ value) value {
			t := b.sub(x, b.float(1))
			y := b.logBig(x, b.add(t, b.sqrt(b.mul(t, b.add(x, b.float(1))))))
			return b.choose(b.less(x, b.float(1)), b.nan(), y)
		}),
		ir.OpATanH: define("FastATanH", "the inverse of tanh", 2.5, "", 1, func(b *builder, x, _ value) value {
			a := b.abs(x)
			y := b.log1p(b.div(b.add(a, a), b.sub(b.float(1), a)))
			y = b.choose(b.less(b.float(1), a), b.nan(), b.mul(y, b.float(0.5)))
			return b.xor(y, b.sign(x))
		}),
		ir.OpRSqrt: define("FastRSqrt", "1/sqrt(x)", 1.5, "", 1, func(b *builder, x, _ value) value {
			return b.div(b.float(1), b.sqrt(x))
		}),
		ir.OpPow: define("FastPow", "x**y", 16, "", 2, func(b *builder, x, y value) value {
			// Where x is negative: the power of |x| with the sign of an odd y, or a NaN if y is not an
			// integer. From 2^24 on, all numbers are even; also a NaN is taken for that.
			a := b.min(b.abs(y), b.float(1<<24))
			n := b.truncate(a)
			whole := b.equal(b.toFloat(n), a)
			odd := b.choose(whole, b.shiftL(n, 31), b.float(0))
			p := b.xor(b.power(b.abs(x), y), b.and(odd, x))
			p = b.choose(b.less(x, b.float(0)), b.choose(whole, p, b.nan()), p)
			p = b.choose(b.equal(x, b.float(1)), b.float(1), p)
			return b.choose(b.equal(y, b.float(0)), b.float(1), p)
		}),
		ir.OpPowR: define("FastPowR", "x**y for x >= 0", 16, "", 2, func(b *builder, x, y value) value {
			return b.choose(b.less(x, b.float(0)), b.nan(), b.power(b.abs(x), y))
		}),
	}
})

const (
	// Adding toInteger to a number and subtracting it again rounds it to an integer.
	toInteger = 3 << 22
	// ln2High has so few bits that its product with an exponent is exact.
	ln2High = 0x1.63p-1
	ln2Low  = math.Ln2 - ln2High
)

// within limits a number. A NaN stays.
func (b *builder) within(x value, low, high float32) value {
	return b.min(b.float(high), b.max(b.float(low), x))
}

// reduce returns n and r such that x = n/perUnit + r, with the integer nearest to x*perUnit. high
// and low are the parts of 1/perUnit.
func (b *builder) reduce(x value, perUnit, high, low float32) (n, r value) {
	n = b.sub(b.add(b.mul(x, b.float(perUnit)), b.float(toInteger)), b.float(toInteger))
	return n, b.sub(b.sub(x, b.mul(n, b.float(high))), b.mul(n, b.float(low)))
}

// exp returns e**r for |r| up to ln(2)/2.
func (b *builder) exp(r value) value {
	p := b.polynomial(r, 0.4999999403953552, 0.1666652262210846, 0.04166822135448456, 0.008367880247533321,
		0.0013845874927937984)
	return b.add(b.add(b.mul(b.mul(r, r), p), r), b.float(1))
}

// exp2 returns 2**f for |f| up to 1/2.
func (b *builder) exp2(f value) value {
	p := b.polynomial(f, 0.6931472420692444, 0.24022655189037323, 0.05550272762775421, 0.009617026895284653,
		0.0013418490998446941, 0.0001583643170306459)
	return b.add(b.mul(p, f), b.float(1))
}

// exponential returns p and n with e**x = p * 2**n.
func (b *builder) exponential(x value) (p, n value) {
	n, r := b.reduce(x, 1/math.Ln2, ln2High, ln2Low)
	return b.exp(r), n
}

// halfExp returns e**x / 2 for x >= 0.
func (b *builder) halfExp(x value) value {
	p, n := b.exponential(b.min(b.float(90), x))
	return b.scale(p, b.sub(n, b.float(1)))
}

// split returns e and f such that x = 2**e * (1+f), with 1+f from sqrt(1/2) to sqrt(2), for a
// positive, finite x.
func (b *builder) split(x value) (e, f value) {
	const rootHalf = 0x3f3504f3
	tiny := b.less(x, b.float(0x1p-126))
	x = b.choose(tiny, b.mul(x, b.float(1<<23)), x)
	k := b.shiftRA(b.subW(x, b.word(rootHalf)), 23)
	f = b.sub(b.subW(x, b.shiftL(k, 23)), b.float(1))
	return b.sub(b.toFloat(k), b.choose(tiny, b.float(23), b.float(0))), f
}

// logNear returns q with ln(1+f) = f - f*f/2 + f*f*f*q.
func (b *builder) logNear(f value) value {
	return b.polynomial(f, 0.3333333134651184, -0.2500081956386566, 0.20001226663589478, -0.16623356938362122,
		0.14201754331588745, -0.13160178065299988, 0.12761594355106354, -0.0763452798128128)
}

// logarithm returns e and y with ln(x) = e*ln(2) + y, for a positive, finite x.
func (b *builder) logarithm(x value) (e, y value) {
	e, f := b.split(x)
	z := b.mul(f, f)
	p := b.sub(b.mul(b.mul(f, b.logNear(f)), z), b.mul(z, b.float(0.5)))
	return e, b.add(f, p)
}

// ordinary returns the logarithm of x, which is y for a positive, finite number.
func (b *builder) ordinary(x, y value) value {
	limit := b.choose(b.equal(x, b.float(0)), b.constant(Float, 0xff800000), b.nan())
	y = b.choose(b.less(x, b.infinity()), y, x) // infinity and NaN
	return b.choose(b.less(b.float(0), x), y, limit)
}

// quadrant returns x / (pi/2), rounded to nearest, and the remainder, which is a NaN for an
// infinity or NaN. For |x| from 2^40 on, where the remainder would be noise, both are 0.
func (b *builder) quadrant(x value) (q, r value) {
	const (
		magic = 3 << 51
		high  = 1.5707963267341256 // pi/2 to 33 bits: the product is exact for |x| up to 2^20
		low   = 6.077100506506192e-11
	)
	x = b.choose(b.less(b.abs(x), b.float(1<<40)), x, b.sub(x, x))
	y := b.widen(x)
	shifted := b.addD(b.mulD(y, b.double(2/math.Pi)), b.double(magic))
	n := b.subD(shifted, b.double(magic))
	rest := b.subD(b.subD(y, b.mulD(n, b.double(high))), b.mulD(n, b.double(low)))
	return b.low(shifted), b.narrow(rest)
}

// near returns the sine and cosine of r from -pi/4 to pi/4.
func (b *builder) near(r value) (s, c value) {
	z := b.mul(r, r)
	s = b.polynomial(z, 1, -0.16666655242443085, 0.008332191035151482, -0.00019518604676704854)
	c = b.polynomial(z, 1, -0.5, 0.04166664555668831, -0.0013887309469282627, 2.4432327336398885e-05)
	return b.mul(r, s), c
}

// turned returns the sine of q*pi/2 + r, given the sine and cosine of r.
func (b *builder) turned(q, s, c value) value {
	sign := b.shiftL(b.and(q, b.word(2)), 30)
	return b.xor(b.choose(b.negative(b.shiftL(q, 31)), c, s), sign)
}

// power returns x**y for x >= 0. The logarithm needs more bits than an f32 has, since y multiplies
// its error.
func (b *builder) power(x, y value) value {
	const magic = 3 << 51
	e, f := b.split(x)
	w := b.widen(f)
	q := b.widen(b.mul(b.logNear(f), f))
	l := b.addD(b.mulD(b.mulD(b.subD(q, b.double(0.5)), w), w), w)
	l = b.addD(b.mulD(l, b.double(1/math.Ln2)), b.widen(e))
	t := b.mulD(l, b.widen(y))
	t = b.minD(b.double(129), b.maxD(b.double(-151), t))
	n := b.subD(b.addD(t, b.double(magic)), b.double(magic))
	p := b.scale(b.exp2(b.narrow(b.subD(t, n))), b.narrow(n))
	// The power of a zero, infinity or NaN.
	limit := b.choose(b.less(b.float(0), y), x, b.choose(b.less(y, b.float(0)), b.div(b.float(1), x), b.nan()))
	p = b.choose(b.less(x, b.infinity()), p, limit)
	return b.choose(b.less(b.float(0), x), p, limit)
}
