package tensorop

// WindowMoments writes to mean and variance those of the elements of in that each window of a
// pooling covers, the variance computed from differences to the mean. The pooling says nothing but
// where the windows are. A window without any element gives 0.
func (b *Builder) WindowMoments(mean, variance, in Operand, p Pool) {
	p.Kind, p.CountPadding = PoolSum, false
	win, ok := b.checkPool(mean, in, p, mean, variance, in)
	if !ok {
		return
	}
	if err := checkShape("window moments", "variance", variance.Shape, mean.Shape); err != nil {
		b.Fail(err)
		return
	}
	w := p.writer(newWriter(2, mean, variance, in), win, in.Rank())
	i := w.threads("i", mean.Shape)
	w.line("float s = 0.0f, n = max(float(%s), 1.0f);", w.count(i, 2))
	w.taps(i, 2)
	w.line("s += %s;", w.load(2, w.tapIndex(i)...))
	w.close()
	w.line("float m = s / n, q = 0.0f;")
	w.taps(i, 2)
	w.line("float d = %s - m;", w.load(2, w.tapIndex(i)...))
	w.line("q = fma(d, d, q);")
	w.close()
	w.line("%s", w.store(0, "m", i...))
	w.line("%s", w.store(1, "q / n", i...))
	w.launch(b, "window_moments")
}
