package tensorop

import (
	"fmt"
	"math"
	"slices"
)

// FFTScaling says what a Fourier transform divides its result by: nothing, the number of elements
// along its axes, or the square root of that.
type FFTScaling uint8

// The scalings of a Fourier transform.
const (
	FFTNone FFTScaling = iota
	FFTSize
	FFTUnitary
)

// FFT describes a Fourier transform along axes, of any lengths. The factors are exp(-2πi jk/n), and
// exp(+2πi jk/n) if Inverse is set.
type FFT struct {
	Axes    []int
	Inverse bool
	Scaling FFTScaling
}

// RealFFTShape returns the shape of the transform of real numbers: n elements along the last of the
// axes become n/2+1, as the others are their conjugates.
func RealFFTShape(in []int, f FFT) ([]int, error) {
	if err := f.check(in); err != nil {
		return nil, err
	}
	out := slices.Clone(in)
	last := f.Axes[len(f.Axes)-1]
	out[last] = out[last]/2 + 1
	return out, nil
}

// FFTToRealShape returns the shape of the transform to real numbers, which undoes that of
// [RealFFTShape]. odd says whether the result has an odd number of elements along the last axis.
func FFTToRealShape(in []int, f FFT, odd bool) ([]int, error) {
	if err := f.check(in); err != nil {
		return nil, err
	}
	out := slices.Clone(in)
	last := f.Axes[len(f.Axes)-1]
	out[last] = 2*out[last] - 2
	if odd {
		out[last]++
	}
	if out[last] < 1 {
		return nil, fmt.Errorf("fft: %d elements along axis %d of shape %v give no real ones", in[last], last, in)
	}
	return out, nil
}

func (f FFT) check(shape []int) error {
	seen := make([]bool, len(shape))
	for _, a := range f.Axes {
		if a < 0 || a >= len(shape) || seen[a] {
			return fmt.Errorf("fft: axes %v of shape %v; each must be a different dimension of it", f.Axes, shape)
		}
		seen[a] = true
		if shape[a] == 0 {
			return fmt.Errorf("fft: no elements along axis %d of shape %v", a, shape)
		}
	}
	if len(f.Axes) == 0 {
		return fmt.Errorf("fft: no axes of shape %v; there must be one", shape)
	}
	if f.Scaling > FFTUnitary {
		return fmt.Errorf("fft: there is no scaling %d", f.Scaling)
	}
	return nil
}

// factor returns what a result of the shape is multiplied by; shape is that before the transform of
// real numbers or after the one to them.
func (f FFT) factor(shape []int) float32 {
	n := 1.0
	for _, a := range f.Axes {
		n *= float64(shape[a])
	}
	switch f.Scaling {
	case FFTSize:
		return float32(1 / n)
	case FFTUnitary:
		return float32(1 / math.Sqrt(n))
	}
	return 1
}

// FFT writes the transform of in, complex numbers, to out, which has the same shape. It computes
// with float32 numbers.
func (b *Builder) FFT(out, in Operand, f FFT) {
	err := f.check(in.Shape)
	if err == nil && (!in.Type.Complex() || !out.Type.Complex()) {
		err = fmt.Errorf("fft: %v to %v; both must be complex", in.Type, out.Type)
	}
	if err == nil {
		err = checkShape("fft", "result", out.Shape, in.Shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	b.transform(out, in, f, f.Axes, f.factor(in.Shape), "")
}

// RealFFT writes the transform of in, real numbers, to out, whose shape is that of [RealFFTShape].
func (b *Builder) RealFFT(out, in Operand, f FFT) {
	shape, err := RealFFTShape(in.Shape, f)
	if err == nil && (!in.Type.Float() || !out.Type.Complex()) {
		err = fmt.Errorf("fft: %v to %v; it takes real floating-point numbers and gives complex ones", in.Type, out.Type)
	}
	if err == nil {
		err = checkShape("fft", "result", out.Shape, shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	// The last axis first: its last pass computes only the first half.
	last := len(f.Axes) - 1
	if last == 0 {
		b.transform(out, in, f, f.Axes, f.factor(in.Shape), "")
		return
	}
	half := b.Temp(Complex64, shape...)
	b.transform(half, in, f, f.Axes[last:], 1, "")
	b.transform(out, half, f, f.Axes[:last], f.factor(in.Shape), "")
}

// FFTToReal writes the transform of in, complex numbers, to out, real ones: in has the first n/2+1
// elements of n along the last axis, and those that it lacks are the conjugates of the ones that it
// has. out has n there. The imaginary parts of elements that are their own conjugates are ignored.
func (b *Builder) FFTToReal(out, in Operand, f FFT) {
	shape, err := RealFFTShape(out.Shape, f)
	if err == nil && (!in.Type.Complex() || !out.Type.Float()) {
		err = fmt.Errorf("fft: %v to %v; it takes complex numbers and gives real ones", in.Type, out.Type)
	}
	if err == nil {
		err = checkShape("fft", "input", in.Shape, shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	last := len(f.Axes) - 1
	if last > 0 { // After the other axes each row is the transform of real numbers.
		half := b.Temp(Complex64, in.Shape...)
		b.transform(half, in, f, f.Axes[:last], 1, "")
		in = half
	}
	b.transform(out, in, f, f.Axes[last:], f.factor(out.Shape), "half")
}

// transform transforms along axes, one after the other. out may have fewer elements along the only
// axis than in. If the input is half, in has only the first half and the conjugates are added.
func (b *Builder) transform(out, in Operand, f FFT, axes []int, factor float32, input string) {
	if b.err != nil || out.Elements() == 0 {
		return
	}
	shape := slices.Clone(in.Shape)
	if input == "half" {
		shape = slices.Clone(out.Shape)
	}
	var passes []fftPass
	for _, a := range axes {
		n, done := shape[a], 1
		for _, r := range radices(n) {
			passes = append(passes, fftPass{axis: a, n: n, done: done, radix: r})
			done *= r
		}
	}
	var temps [2]Operand
	for i, p := range passes {
		to := out
		if i < len(passes)-1 {
			if i < 2 {
				temps[i] = b.Temp(Complex64, shape...)
			}
			to = temps[i%2]
			p.factor = 1
		} else {
			p.factor = factor
		}
		p.half = i == 0 && input == "half"
		p.inverse = f.Inverse
		p.launch(b, to, in)
		in = to
	}
}

// radices factors a length: as many fours as there are, then primes. 1 has one factor.
func radices(n int) []int {
	var out []int
	for _, r := range []int{4, 2} {
		for ; n%r == 0; n /= r {
			out = append(out, r)
		}
	}
	for r := 3; r*r <= n; r += 2 {
		for ; n%r == 0; n /= r {
			out = append(out, r)
		}
	}
	if n > 1 || len(out) == 0 {
		out = append(out, n)
	}
	return out
}

// maxUnrolled is the largest radix whose factors are powers of one of them; larger ones compute
// each.
const maxUnrolled = 5

// fftPass is one pass of a self-sorting transform of n elements along an axis. Before it there are
// n/done sequences, sequence s being the transform of the elements s, s + n/done, ...; the pass
// joins radix of them, so that a length that is a prime is a sum of all elements.
type fftPass struct {
	axis, n, done, radix int
	factor               float32
	half, inverse        bool
}

func (p fftPass) launch(b *Builder, out, in Operand) {
	var order []int // the axis last, so that it is along x of the grid
	for d := range out.Rank() {
		if d != p.axis {
			order = append(order, d)
		}
	}
	order = append(order, p.axis)
	out, in = out.With(out.Transpose(order...)), in.With(in.Transpose(order...))
	w := newWriter(1, out, in)
	i := w.threads("i", out.Shape)
	last := len(i) - 1
	turn := float32(-2)
	if p.inverse {
		turn = 2
	}
	n, done, radix, joined := w.int(p.n), w.int(p.done), w.int(p.radix), w.int(p.done*p.radix)
	w.line("uint k = uint(%s) %% uint(%s);", i[last], joined)
	w.line("int from = %s / %s * %s + int(k %% uint(%s));", i[last], joined, done, done)
	at := slices.Clone(i)
	at[last] = "x"
	if p.radix <= maxUnrolled {
		w.line("float2 s, t = float2(1.0f, 0.0f);")
		w.line("float a = float(k) / float(%s) * %s;", joined, w.float(turn))
		w.line("float2 once = float2(precise::cospi(a), precise::sinpi(a));")
		for q := range p.radix {
			w.line("{ int x = from + %d * (%s / %s);", q, n, radix)
			p.element(w, in, at, n)
			if q == 0 {
				w.line("s = v; }")
				continue
			}
			w.line("t = float2(t.x * once.x - t.y * once.y, t.x * once.y + t.y * once.x);")
			w.line("s += float2(v.x * t.x - v.y * t.y, v.x * t.y + v.y * t.x); }")
		}
	} else {
		w.line("float2 s = float2(0.0f); uint e = 0;")
		w.line("for (int q = 0; q < %s; q++) {", radix)
		w.line("int x = from + q * (%s / %s);", n, radix)
		p.element(w, in, at, n)
		w.line("float a = float(e) / float(%s) * %s;", joined, w.float(turn))
		w.line("float2 t = float2(precise::cospi(a), precise::sinpi(a));")
		w.line("s += float2(v.x * t.x - v.y * t.y, v.x * t.y + v.y * t.x);")
		w.line("e = (e + k) %% uint(%s);", joined)
		w.line("}")
	}
	value := "s * " + w.float(p.factor)
	if !out.Type.Complex() {
		value = "s.x * " + w.float(p.factor)
	}
	w.line("%s", w.store(0, value, i...))
	w.launch(b, "fourier")
}

// element loads v, the element x along the axis.
func (p fftPass) element(w *writer, in Operand, at []string, n string) {
	if p.half {
		w.line("bool c = x > %s / 2;", n)
		w.line("if (c) x = %s - x;", n)
	}
	if value := w.load(1, at...); in.Type.Complex() {
		w.line("float2 v = %s;", value)
	} else {
		w.line("float2 v = float2(%s, 0.0f);", value)
	}
	if p.half {
		w.line("if (c) v.y = -v.y;")
	}
}
