package tensorop

import (
	"fmt"
	"math"
)

// RandomKind is a distribution of random numbers.
type RandomKind uint8

// The distributions. RandomBits gives the generator's words themselves, as Int32 or Uint32.
const (
	RandomBits RandomKind = iota
	RandomUniform
	RandomNormal
	RandomTruncatedNormal
)

// Random describes random numbers. Uniform numbers are at least Low and below High; for integers
// both are whole numbers that the type has (High may be one more), not more than 2^32 apart. Normal
// numbers have a Mean and a standard Deviation, and truncated ones lie from Low to High before they
// are rounded to their type.
type Random struct {
	Kind            RandomKind
	Low, High       float64
	Mean, Deviation float64
}

// RandomState is the number of words of a generator's state: the counter, four words with the least
// significant one first, the key, two words, and a word that is not used.
const RandomState = 7

// State returns the words of the state with which a seed starts.
func State(seed uint64) [RandomState]uint32 {
	return [RandomState]uint32{4: uint32(seed), 5: uint32(seed >> 32)}
}

func (r Random) check(out Operand) error {
	t := out.Type
	fail := func(format string, args ...any) error { return fmt.Errorf("random: "+format, args...) }
	switch r.Kind {
	case RandomBits:
		if t != Uint32 && t != Int32 {
			return fail("bits are uint32 or int32 and not %v", t)
		}
		return nil
	case RandomUniform:
		if !number.accepts(t) {
			return fail("takes %v and not %v", number, t)
		}
	case RandomNormal, RandomTruncatedNormal:
		if !t.Float() {
			return fail("a normal distribution has floating-point numbers and not %v", t)
		}
		if !(r.Deviation >= 0) || math.IsInf(r.Deviation, 0) || math.IsNaN(r.Mean) || math.IsInf(r.Mean, 0) {
			return fail("mean %g and deviation %g; both must be finite, and the deviation not negative", r.Mean,
				r.Deviation)
		}
	default:
		return fail("there is no distribution %d", r.Kind)
	}
	if r.Kind != RandomNormal && !(r.Low < r.High) {
		return fail("numbers from %g to %g; the first must be less", r.Low, r.High)
	}
	if r.Kind == RandomUniform && t.Float() && (math.IsInf(float64(float32(r.High)), 0) ||
		math.IsInf(float64(float32(r.High-r.Low)), 0)) {
		return fail("numbers from %g to %g; both and their distance must be finite in float32", r.Low, r.High)
	}
	if t.Integer() {
		bits := t.Size() * 8
		low, high := 0.0, math.Ldexp(1, bits)
		if t.Signed() {
			low, high = -high/2, high/2
		}
		if r.Low != math.Trunc(r.Low) || r.High != math.Trunc(r.High) || r.Low < low || r.High > high ||
			r.High-r.Low > 1<<32 {
			return fail("%v from %g to %g; both must be whole numbers of the type, not more than 2^32 apart", t,
				r.Low, r.High)
		}
	}
	return nil
}

// checkState returns an error unless an operand is a generator's state.
func checkState(name string, o Operand) error {
	if o.Type != Int32 && o.Type != Uint32 {
		return fmt.Errorf("random: the %s is %v; it must be int32 or uint32", name, o.Type)
	}
	return checkShape("random", name, o.Shape, []int{RandomState})
}

// Random writes random numbers to out by the generator Philox 4x32-10 (J. Salmon and others,
// "Parallel Random Numbers: As Easy as 1, 2, 3", 2011), whose state is a tensor of [RandomState]
// words, Int32 or Uint32. Element i in row-major order is made of word i%4 of the block that the
// counter plus i/4 gives; normal numbers are made of two words by the method of Box and Muller, so
// that elements 2i and 2i+1 are a pair. [Builder.NextState] advances the state.
//
// Only additions, multiplications, divisions, square roots and fused multiply-adds in float32 are
// used, each rounded to nearest, so that all devices give the same bits.
func (b *Builder) Random(out, state Operand, r Random) {
	err := r.check(out)
	if err == nil {
		err = checkState("state", state)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, state)
	w.prelude = append(w.prelude, philoxText)
	w.line("uint4 c = uint4(%s, %s, %s, %s);", w.word(0), w.word(1), w.word(2), w.word(3))
	w.line("uint4 x = op_philox(op_add(c, id.x), uint2(%s, %s));", w.word(4), w.word(5))
	r.launch(b, w, out)
}

// RandomWords is the number of words of which [Builder.RandomFrom] makes so many numbers.
func RandomWords(elements int) int { return (elements + 3) / 4 * 4 }

// RandomFrom makes the numbers of [Builder.Random] of the words of another generator: element i of
// word i, and normal numbers of pairs of words. words is a dense vector of [RandomWords] elements
// of type Uint32.
func (b *Builder) RandomFrom(out, words Operand, r Random) {
	err := r.check(out)
	if err == nil && words.Type != Uint32 {
		err = fmt.Errorf("random: the words are %v; they must be uint32", words.Type)
	}
	if err == nil {
		err = checkShape("random", "vector of words", words.Shape, []int{RandomWords(out.Elements())})
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, words)
	w.line("int at = int(id.x) * 4;")
	w.line("uint4 x = uint4(%s, %s, %s, %s);", w.load(1, "at"), w.load(1, "at + 1"), w.load(1, "at + 2"),
		w.load(1, "at + 3"))
	r.launch(b, w, out)
}

// launch adds the kernel whose threads have a block of four words, x, and write as many numbers.
func (r Random) launch(b *Builder, w *writer, out Operand) {
	w.grid[0] = RandomWords(out.Elements()) / 4
	t := out.Type
	value := r.value(w, t)
	w.line("for (int k = 0; k < 4; k++) {")
	w.line("int r = int(id.x) * 4 + k;")
	w.line("if (r >= %s) return;", w.int(out.Elements()))
	index := make([]string, out.Rank())
	for d := len(index) - 1; d >= 0; d-- {
		index[d] = fmt.Sprintf("i%d", d)
		w.line("int i%d = r %% %s; r /= %s;", d, w.size(0, d), w.size(0, d))
	}
	w.line("%s", w.store(0, value, index...))
	w.line("}")
	w.launch(b, "random")
}

// word returns a word of the state, which is operand 1.
func (w *writer) word(i int) string { return "uint(" + w.load(1, fmt.Sprint(i)) + ")" }

// value writes what is done to a block, and returns the value of element k of it.
func (r Random) value(w *writer, t Type) string {
	switch {
	case r.Kind == RandomBits:
		return t.Value() + "(x[k])"
	case r.Kind == RandomUniform && t.Integer():
		low := int64(r.Low)
		if r.Low >= 0x1p63 { // only a Uint64 has it
			low = int64(r.Low-0x1p63) + math.MinInt64
		}
		return fmt.Sprintf("%s(%s + (ulong(x[k]) * %s >> 32))", t.Value(), w.long(low), w.long(int64(r.High-r.Low)))
	case r.Kind == RandomUniform:
		w.line("float low = %s, wide = %s, below = %s;", w.float(float32(r.Low)), w.float(float32(r.High-r.Low)),
			w.float(below(t, r.High)))
		return "min(" + t.round("fma(float(x[k] >> 8) * 0x1p-24f, wide, low)") + ", below)"
	}
	w.prelude = append(w.prelude, logText)
	w.line("float mean = %s, deviation = %s;", w.float(float32(r.Mean)), w.float(float32(r.Deviation)))
	if r.Kind == RandomNormal {
		w.prelude = append(w.prelude, boxMullerText)
		w.line("float4 z = float4(op_box_muller(x[0], x[1]), op_box_muller(x[2], x[3]));")
		return "fma(z[k], deviation, mean)"
	}
	w.prelude = append(w.prelude, quantileText)
	// The numbers are made below the mean as far as possible, where float32 is finest.
	low, high, sign := (r.Low-r.Mean)/r.Deviation, (r.High-r.Mean)/r.Deviation, 1.0
	if r.Deviation == 0 {
		low, high = math.Inf(-1), math.Inf(1)
	}
	if low > 0 {
		low, high, sign = -high, -low, -1
	}
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	w.line("float first = %s, wide = %s, sign = %s;", w.float(float32(cdf(low))), w.float(float32(cdf(high)-cdf(low))),
		w.float(float32(sign)))
	return fmt.Sprintf("clamp(fma(op_quantile(fma(op_unit(x[k]), wide, first)) * sign, deviation, mean), %s, %s)",
		w.float(float32(r.Low)), w.float(float32(r.High)))
}

// below returns the largest value of a floating-point type that is less than x. It avoids subnormal
// numbers in float32 and bfloat16, which a device may take for zero.
func below(t Type, x float64) float32 {
	digits, least := 24, -126
	switch t {
	case Float16:
		digits, least = 11, -24
	case BFloat16:
		digits, least = 8, -126
	}
	_, exponent := math.Frexp(x)
	if x == 0 {
		exponent = least
	}
	if x > 0 && x == math.Ldexp(0.5, exponent) {
		exponent-- // the step below a power of two is half the one above
	}
	step := math.Ldexp(1, max(exponent-digits, least))
	return float32((math.Ceil(x/step) - 1) * step)
}

// NextState writes the state after so many numbers of [Builder.Random] to out, which may be the
// state itself.
func (b *Builder) NextState(out, state Operand, elements int) {
	err := checkState("state", state)
	if err == nil {
		err = checkState("next state", out)
	}
	if err == nil && elements < 0 {
		err = fmt.Errorf("random: the state after %d numbers", elements)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, state)
	w.prelude = append(w.prelude, addText)
	w.line("uint4 c = op_add(uint4(%s, %s, %s, %s), uint(%s));", w.word(0), w.word(1), w.word(2), w.word(3),
		w.int((elements+3)/4))
	w.line("uint2 key = uint2(%s, %s); uint last = %s;", w.word(4), w.word(5), w.word(6))
	for i, v := range []string{"c.x", "c.y", "c.z", "c.w", "key.x", "key.y", "last"} {
		w.line("%s", w.store(0, out.Type.Value()+"("+v+")", fmt.Sprint(i)))
	}
	w.launch(b, "random_next")
}

const (
	// addText adds to a counter of 128 bits.
	addText = `static uint4 op_add(uint4 c, uint n) {
    c.x += n;
    if (c.x < n && ++c.y == 0 && ++c.z == 0) ++c.w;
    return c;
}
`
	philoxText = addText + `static uint4 op_philox(uint4 c, uint2 key) {
    for (int i = 0; i < 10; i++) {
        ulong a = ulong(c.x) * 0xD2511F53u, b = ulong(c.z) * 0xCD9E8D57u;
        c = uint4(uint(b >> 32) ^ c.y ^ key.x, uint(b), uint(a >> 32) ^ c.w ^ key.y, uint(a));
        key += uint2(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}
`
	// logText: op_unit is a number in (0, 1], and op_log its logarithm, by the series of
	// 2 atanh((m-1)/(m+1)) for the fraction m.
	logText = `static float op_unit(uint x) { return (float(x) + 0.5f) * 0x1p-32f; }
static float op_log(float x) {
    uint bits = as_type<uint>(x);
    int e = int(bits >> 23) - 127;
    float m = as_type<float>((bits & 0x7fffffu) | 0x3f800000u);
    if (m > 1.4142135f) { m *= 0.5f; e++; }
    float s = (m - 1.0f) / (m + 1.0f), z = s * s;
    float p = fma(z, fma(z, fma(z, 0.11111111f, 0.14285715f), 0.2f), 0.33333334f);
    return fma(float(e), 0.6931472f, fma(2.0f * s * z, p, 2.0f * s));
}
`
	// boxMullerText: the angle is reduced to an eighth of the circle, where the series of sine and
	// cosine are short.
	boxMullerText = `static float2 op_box_muller(uint a, uint b) {
    float radius = sqrt(max(-2.0f * op_log(op_unit(a)), 0.0f));
    float turn = float(b >> 8) * 0x1p-22f, quarter = floor(turn + 0.5f);
    float y = (turn - quarter) * 1.5707964f, z = y * y;
    float s = fma(y * z, fma(z, fma(z, fma(z, 2.7557319e-6f, -1.9841270e-4f), 8.3333333e-3f), -0.16666667f), y);
    float c = fma(z, fma(z, fma(z, fma(z, fma(z, -2.7557319e-7f, 2.4801587e-5f), -1.3888889e-3f), 4.1666667e-2f),
        -0.5f), 1.0f);
    int q = int(quarter) & 3;
    float2 r = (q & 1) != 0 ? float2(-s, c) : float2(c, s);
    return (q & 2) != 0 ? -r * radius : r * radius;
}
`
	// quantileText is the inverse of the normal distribution, by the inverse of the error function
	// of M. Giles, "Approximating the erfinv function", 2010.
	quantileText = `static float op_quantile(float p) {
    p = clamp(p, 1e-30f, 0.99999994f);
    float x = fma(2.0f, p, -1.0f), w = -(op_log(p) + op_log(1.0f - p) + 1.3862944f), y;
    if (w < 5.0f) {
        w -= 2.5f;
        y = fma(w, fma(w, fma(w, fma(w, 2.81022636e-08f, 3.43273939e-07f), -3.5233877e-06f), -4.39150654e-06f),
            0.00021858087f);
        y = fma(w, fma(w, fma(w, fma(w, y, -0.00125372503f), -0.00417768164f), 0.246640727f), 1.50140941f);
    } else {
        w = sqrt(w) - 3.0f;
        y = fma(w, fma(w, fma(w, fma(w, -0.000200214257f, 0.000100950558f), 0.00134934322f), -0.00367342844f),
            0.00573950773f);
        y = fma(w, fma(w, fma(w, fma(w, y, -0.0076224613f), 0.00943887047f), 1.00167406f), 2.83297682f);
    }
    return 1.4142135f * x * y;
}
`
)
