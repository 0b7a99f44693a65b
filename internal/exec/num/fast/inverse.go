package fast

import "math"

// piHigh and piLow are pi in two parts.
const (
	piHigh = 3.1415927410125732
	piLow  = math.Pi - piHigh
)

// fromPi returns half*pi/2 - x, for half 1 or 2.
func (b *builder) fromPi(half float32, x value) value {
	return b.add(b.sub(b.float(half*piHigh/2), x), b.float(half*piLow/2))
}

// arcOf returns the arc tangent of t from 0 to 1.
func (b *builder) arcOf(t value) value {
	z := b.mul(t, t)
	q := b.polynomial(z, -0.33333298563957214, 0.1999852955341339, -0.14264042675495148, 0.10951285809278488,
		-0.08401601016521454, 0.057944949716329575, -0.031188542023301125, 0.010934396646916866, -0.0018013748340308666)
	return b.add(t, b.mul(b.mul(t, z), q))
}

// angle returns the arc tangent of y/x, a NaN if one is.
func (b *builder) angle(y, x value) value {
	a, c := b.abs(x), b.abs(y)
	swap := b.less(a, c)
	low, high := b.choose(swap, a, c), b.choose(swap, c, a)
	// Two infinities are like two equal numbers, and two zeros like 0 and 1.
	t := b.choose(b.equal(low, high), b.float(1), b.div(low, high))
	t = b.choose(b.equal(high, b.float(0)), b.float(0), t)
	p := b.arcOf(t)
	p = b.choose(swap, b.fromPi(1, p), p)
	p = b.choose(b.negative(x), b.fromPi(2, p), p)
	p = b.xor(p, b.sign(y))
	p = b.choose(b.equal(x, x), p, x)
	return b.choose(b.equal(y, y), p, y)
}

// arcSine returns, for |x|, whether it is at most 1/2, and an arc sine: then its own, and otherwise
// that of sqrt((1-|x|)/2), which is half of what |x|'s lacks to pi/2.
func (b *builder) arcSine(x value) (near, p value) {
	a := b.abs(x)
	near = b.less(a, b.float(0.5))
	z := b.choose(near, b.mul(a, a), b.mul(b.sub(b.float(1), a), b.float(0.5)))
	s := b.choose(near, a, b.sqrt(z))
	r := b.polynomial(z, 0.16666752099990845, 0.074953094124794, 0.04546915367245674, 0.024184739217162132,
		0.04215840622782707)
	return near, b.add(s, b.mul(b.mul(s, z), r))
}

// log1p returns the logarithm of 1+w for w from 0 to infinity.
func (b *builder) log1p(w value) value {
	one := b.float(1)
	u := b.add(one, w)
	e, y := b.logarithm(u)
	lost := b.div(b.sub(w, b.sub(u, one)), u) // by the rounding of u
	y = b.add(b.mul(e, b.float(ln2High)), b.add(y, b.add(b.mul(e, b.float(ln2Low)), lost)))
	return b.choose(b.less(u, b.infinity()), y, u)
}

// logBig returns the logarithm of 1+w, or of 2*a if that is too large for w.
func (b *builder) logBig(a, w value) value {
	big := b.less(b.float(1<<20), a)
	y := b.log1p(b.choose(big, a, w))
	return b.add(y, b.choose(big, b.float(math.Ln2), b.float(0)))
}

// halfTurns returns |x| in half units, rounded to nearest, and pi times the remainder, which is a
// NaN for an infinity or NaN. From 2^24 on all numbers are even.
func (b *builder) halfTurns(x value) (q, r value) {
	a := b.abs(x)
	a = b.choose(b.less(a, b.float(1<<24)), a, b.sub(a, a))
	whole := b.truncate(a)
	f := b.sub(a, b.toFloat(whole))
	f = b.add(f, f)
	n := b.sub(b.add(f, b.float(toInteger)), b.float(toInteger))
	q = b.addW(b.shiftL(whole, 1), b.truncate(n))
	return q, b.mul(b.sub(f, n), b.float(math.Pi/2))
}

// sinPi and cosPi return the sine and cosine of pi*x. A zero of the sine has x's sign, and one of
// the cosine is +0.
func (b *builder) sinPi(x value) value {
	q, r := b.halfTurns(x)
	s, c := b.near(r)
	y := b.turned(q, s, c)
	y = b.choose(b.equal(y, b.float(0)), b.float(0), y)
	return b.xor(y, b.sign(x))
}

func (b *builder) cosPi(x value) value {
	q, r := b.halfTurns(x)
	s, c := b.near(r)
	return b.add(b.turned(b.addW(q, b.word(1)), s, c), b.float(0))
}
