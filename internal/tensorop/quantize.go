package tensorop

import "fmt"

// Quantization maps an integer q to the number (q - zero point) * scale. The tensors are broadcast
// to the shape of the operation: for a scale for each channel, give it dimensions of size 1.
type Quantization struct {
	Scale     *Operand // floating-point numbers; nil: ScaleValue
	ZeroPoint *Operand // integers; nil: ZeroValue
	// ScaleValue and ZeroValue are those of all elements.
	ScaleValue float32
	ZeroValue  int32
}

// terms adds the quantization to a kernel whose threads have the index i, and returns expressions
// for the scale and the zero point.
func (q Quantization) terms(op string, out, in Operand) (w *writer, i []string, scale, zero string, err error) {
	operands := []Operand{out, in}
	add := func(o *Operand, name string, ok func(Type) bool) {
		if o == nil || err != nil {
			return
		}
		v, e := o.Broadcast(out.Shape...)
		if e != nil {
			err = fmt.Errorf("%s: the %s has shape %v, which cannot be broadcast to %v", op, name, o.Shape, out.Shape)
		} else if !ok(o.Type) {
			err = fmt.Errorf("%s: the %s is %v; a scale is a floating-point number, a zero point an integer",
				op, name, o.Type)
		}
		operands = append(operands, o.With(v))
	}
	add(q.Scale, "scale", Type.Float)
	add(q.ZeroPoint, "zero point", Type.Integer)
	if err == nil {
		err = checkShape(op, "result", out.Shape, in.Shape)
	}
	if err != nil {
		return
	}
	w = newWriter(1, operands...)
	i = w.threads("i", out.Shape)
	at := 2
	if q.Scale != nil {
		scale = w.load(at, i...)
		at++
	} else {
		scale = w.float(q.ScaleValue)
	}
	if zero = "long(" + w.int(int(q.ZeroValue)) + ")"; q.ZeroPoint != nil {
		zero = "long(" + w.load(at, i...) + ")"
	}
	return
}

// Quantize writes to out, integers of at most 32 bits, the elements of in divided by the scale,
// rounded to the nearest integer, ties to even, plus the zero point, saturated. NaN gives the zero
// point.
func (b *Builder) Quantize(out, in Operand, q Quantization) {
	if b.err != nil {
		return
	}
	if !in.Type.Float() || !out.Type.Integer() || out.Type.Size() > 4 {
		b.Fail(fmt.Errorf("quantize: %v to %v; it takes floating-point numbers and gives integers of at most 32 bits",
			in.Type, out.Type))
		return
	}
	w, i, scale, zero, err := q.terms("quantize", out, in)
	if err != nil {
		b.Fail(err)
		return
	}
	t := out.Type.Value()
	w.line("float v = rint(%s / %s);", w.load(1, i...), scale)
	w.line("long n = (v != v ? 0 : long(clamp(v, -0x1p40f, 0x1p40f))) + %s;", zero)
	w.line("n = clamp(n, long(numeric_limits<%s>::min()), long(numeric_limits<%s>::max()));", t, t)
	w.line("%s", w.store(0, t+"(n)", i...))
	w.launch(b, "quantize")
}

// Dequantize writes to out, floating-point numbers, the elements of in, integers of at most 32
// bits, minus the zero point, times the scale.
func (b *Builder) Dequantize(out, in Operand, q Quantization) {
	if b.err != nil {
		return
	}
	if !out.Type.Float() || !in.Type.Integer() || in.Type.Size() > 4 {
		b.Fail(fmt.Errorf("dequantize: %v to %v; it takes integers of at most 32 bits and gives floating-point numbers",
			in.Type, out.Type))
		return
	}
	w, i, scale, zero, err := q.terms("dequantize", out, in)
	if err != nil {
		b.Fail(err)
		return
	}
	w.line("%s", w.store(0, fmt.Sprintf("float(long(%s) - %s) * %s", w.load(1, i...), zero, scale), i...))
	w.launch(b, "dequantize")
}
