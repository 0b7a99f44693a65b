package fast

import (
	"math"
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
)

// Exact returns the program of a function without fast math, for the compiler to machine code, or
// nil. Package num defines these functions, in float64, and their errors: the programs repeat its
// steps and must have the same bits.
func Exact(op ir.Op) *Program { return exact()[op] }

var exact = sync.OnceValue(func() *[ir.NumOps]*Program {
	one := func(name string, f func(b *builder, x value) value) *Program {
		return define("Exact"+name, name, 0, "", 1, func(b *builder, x, _ value) value { return f(b, x) })
	}
	return &[ir.NumOps]*Program{
		ir.OpExp2: one("Exp2", func(b *builder, x value) value { return b.narrow(b.power2(b.widen(x))) }),
		ir.OpExp: one("Exp", func(b *builder, x value) value {
			return b.narrow(b.power2(b.mulD(b.widen(x), b.double(1/math.Ln2))))
		}),
		ir.OpExp10: one("Exp10", func(b *builder, x value) value {
			return b.narrow(b.power2(b.mulD(b.widen(x), b.double(math.Ln10/math.Ln2))))
		}),
		ir.OpSinH: one("SinH", func(b *builder, x value) value {
			y := b.widen(x)
			far := b.mulD(b.subD(b.expD(y), b.expD(b.negated(y))), b.double(0.5))
			return b.choose(b.less(b.abs(x), b.float(1)), b.narrow(b.sinhNear(y)), b.narrow(far))
		}),
		ir.OpCosH: one("CosH", func(b *builder, x value) value {
			y := b.widen(x)
			return b.narrow(b.mulD(b.addD(b.expD(y), b.expD(b.negated(y))), b.double(0.5)))
		}),
		ir.OpTanH: one("TanH", func(b *builder, x value) value {
			s := b.sinhNear(b.widen(x))
			near := b.narrow(b.divD(s, b.sqrtD(b.addD(b.double(1), b.mulD(s, s)))))
			e := b.expD(b.mulD(b.double(2), b.widen(b.abs(x))))
			far := b.narrow(b.subD(b.double(1), b.divD(b.double(2), b.addD(e, b.double(1)))))
			return b.choose(b.less(b.abs(x), b.float(0.5)), near, b.xor(far, b.sign(x)))
		}),
		ir.OpLog: one("Log", func(b *builder, x value) value { return b.ordinary(x, b.narrow(b.logD(x))) }),
		ir.OpLog10: one("Log10", func(b *builder, x value) value {
			return b.ordinary(x, b.narrow(b.mulD(b.logD(x), b.double(1/math.Ln10))))
		}),
		ir.OpLog2: one("Log2", func(b *builder, x value) value {
			e, y := b.logNearD(x)
			return b.ordinary(x, b.narrow(b.addD(e, b.mulD(y, b.double(1/math.Ln2)))))
		}),
		ir.OpRSqrt: one("RSqrt", func(b *builder, x value) value {
			return b.narrow(b.divD(b.double(1), b.sqrtD(b.widen(x))))
		}),
		ir.OpSinPi: one("SinPi", func(b *builder, x value) value {
			q, s, c := b.turn(x)
			y := b.turned(q, s, c)
			return b.choose(b.equal(y, b.float(0)), b.sign(x), y)
		}),
		ir.OpCosPi: one("CosPi", func(b *builder, x value) value {
			q, s, c := b.turn(x)
			return b.add(b.turned(b.addW(q, b.word(1)), s, c), b.float(0))
		}),
	}
})

func (b *builder) negated(x value) value { return b.subD(b.double(math.Copysign(0, -1)), x) }

// series returns a polynomial in z, from the highest coefficient to the lowest.
func (b *builder) series(z value, c ...float64) value {
	p := b.double(c[0])
	for _, x := range c[1:] {
		p = b.addD(b.double(x), b.mulD(z, p))
	}
	return p
}

// power2 returns 2**y.
func (b *builder) power2(y value) value {
	y = b.maxD(b.double(-300), b.minD(b.double(300), y))
	shifted := b.addD(y, b.double(3<<51))
	f := b.subD(y, b.subD(shifted, b.double(3<<51)))
	p := b.series(f, 1.5297323760701075e-05, 0.0001546144469856913, 0.001333350238616277, 0.009618056678524637,
		0.055504108839096185, 0.24022650922288757, 0.6931471805599453, 1)
	return b.mulD(p, b.powerD(shifted))
}

// expD returns e**x.
func (b *builder) expD(x value) value { return b.power2(b.mulD(x, b.double(1/math.Ln2))) }

// sinhNear returns sinh(x) for |x| up to 1.
func (b *builder) sinhNear(x value) value {
	return b.mulD(x, b.series(b.mulD(x, x), 2.819018792792959e-06, 0.00019835713875553468, 0.008333353205516371,
		0.1666666641809776, 1.0000000000497202))
}

// logNearD splits a positive, finite number into 2**e and m from sqrt(1/2) to sqrt(2), and returns
// e and the logarithm of m.
func (b *builder) logNearD(x value) (e, y value) {
	const root = 0x3f3504f4 // the first number above sqrt(1/2)
	tiny := b.less(x, b.float(0x1p-126))
	x = b.choose(tiny, b.mul(x, b.float(1<<23)), x)
	k := b.shiftRA(b.subW(x, b.word(root)), 23)
	m := b.widen(b.subW(x, b.shiftL(k, 23)))
	e = b.widen(b.sub(b.toFloat(k), b.choose(tiny, b.float(23), b.float(0))))
	s := b.divD(b.subD(m, b.double(1)), b.addD(m, b.double(1)))
	p := b.series(b.mulD(s, s), 0.09804122652852038, 0.11087120001882952, 0.14286083186247328, 0.19999997444874992,
		0.33333333339792903, 0.9999999999999736)
	return e, b.mulD(b.mulD(b.double(2), s), p)
}

// logD returns the natural logarithm of a positive, finite number.
func (b *builder) logD(x value) value {
	e, y := b.logNearD(x)
	return b.addD(b.mulD(e, b.double(math.Ln2)), y)
}

// turn returns x in half units, rounded to nearest, and the sine and cosine of pi times the
// remainder.
func (b *builder) turn(x value) (q, s, c value) {
	x = b.choose(b.less(b.abs(x), b.float(1<<24)), x, b.sub(x, x)) // from there on, all numbers are even
	y := b.widen(x)
	shifted := b.addD(b.mulD(b.double(2), y), b.double(3<<51))
	half := b.mulD(b.subD(shifted, b.double(3<<51)), b.double(0.5))
	r := b.mulD(b.subD(y, half), b.double(math.Pi))
	z := b.mulD(r, r)
	sine := b.mulD(r, b.series(z, 2.7173075444014035e-06, -0.00019839198092453864, 0.00833332876883547,
		-0.16666666631450996, 0.9999999999956515))
	cosine := b.series(z, -2.7173048390198084e-07, 2.4798923457970708e-05, -0.0013888880368345476, 0.041666666543420654,
		-0.4999999999934787, 0.999999999999944)
	return b.low(shifted), b.narrow(sine), b.narrow(cosine)
}
