package tensorop

import "fmt"

// LocalResponse describes a local response normalization over the last dimensions of a tensor, as
// many as Size has: 1 to 4. Each element is divided by (Bias + Alpha/n * s) to the power Beta. s is
// the sum of the squares of the elements around it, (size-1)/2 before it and size/2 after it along
// each dimension, and n is the product of the sizes.
type LocalResponse struct {
	Size              []int
	Alpha, Beta, Bias float32
}

// pool returns the window around an element, as a pooling with one position for each element.
func (l LocalResponse) pool() Pool {
	p := Pool{Window: Window{Size: l.Size}, Kind: PoolSum}
	for _, n := range l.Size {
		p.Before, p.After = append(p.Before, (n-1)/2), append(p.After, n/2)
	}
	return p
}

func (b *Builder) checkLocalResponse(l LocalResponse, operands ...Operand) (Window, bool) {
	for _, o := range operands {
		if err := checkShape("local response", "result", o.Shape, operands[0].Shape); err != nil {
			b.Fail(err)
		}
	}
	return b.checkPool(operands[0], operands[0], l.pool(), operands...)
}

// scale writes Bias + Alpha/n * s of each element to out.
func (l LocalResponse) scale(b *Builder, out, in Operand, win Window) {
	w := l.pool().writer(newWriter(1, out, in), win, in.Rank())
	i := w.threads("i", out.Shape)
	w.line("float s = 0.0f;")
	w.taps(i, 1)
	w.line("float v = %s;", w.load(1, w.tapIndex(i)...))
	w.line("s = fma(v, v, s);")
	w.close()
	w.line("s = fma(s, %s, %s);", w.float(l.Alpha/float32(Elements(l.Size))), w.float(l.Bias))
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "local_response_scale")
}

// LocalResponse writes the normalization of in to out, which has the same shape.
func (b *Builder) LocalResponse(out, in Operand, l LocalResponse) {
	win, ok := b.checkLocalResponse(l, out, in)
	if !ok {
		return
	}
	scale := b.Temp(Float32, in.Shape...)
	l.scale(b, scale, in, win)
	w := newWriter(1, out, in, scale)
	i := w.threads("i", out.Shape)
	value := fmt.Sprintf("%s * precise::pow(%s, %s)", w.load(1, i...), w.load(2, i...), w.float(-l.Beta))
	w.line("%s", w.store(0, value, i...))
	w.launch(b, "local_response")
}

// LocalResponseGradient writes to gin the gradient of a normalization of in with respect to in:
// gout is the gradient with respect to its result. All have one shape.
func (b *Builder) LocalResponseGradient(gin, gout, in Operand, l LocalResponse) {
	win, ok := b.checkLocalResponse(l, gin, gout, in)
	if !ok {
		return
	}
	scale := b.Temp(Float32, in.Shape...)
	l.scale(b, scale, in, win)
	// part is what each result adds to the gradients around it, but for a factor.
	part := b.Temp(Float32, in.Shape...)
	t := newWriter(1, part, gout, in, scale)
	i := t.threads("i", in.Shape)
	t.line("%s", t.store(0, fmt.Sprintf("%s * %s * precise::pow(%s, %s)", t.load(1, i...), t.load(2, i...),
		t.load(3, i...), t.float(-l.Beta-1)), i...))
	t.launch(b, "local_response_part")

	w := l.pool().writer(newWriter(1, gin, part, gout, in, scale), win, in.Rank())
	i = w.threads("i", in.Shape)
	w.line("float s = 0.0f;")
	w.windows(i, 1)
	w.line("s += %s;", w.load(1, w.tapIndex(i)...))
	w.close()
	w.line("s *= %s * %s;", w.float(-2*l.Alpha*l.Beta/float32(Elements(l.Size))), w.load(3, i...))
	w.line("s = fma(%s, precise::pow(%s, %s), s);", w.load(2, i...), w.load(4, i...), w.float(-l.Beta))
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "local_response_gradient")
}
