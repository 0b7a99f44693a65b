package tensorop

// normGradient writes to temporary tensors the normalized input, its gradient and their product.
func (b *Builder) normGradient(gout, in, mean, variance Operand, scale *Operand, epsilon float32) (
	normal, gradient, product Operand) {
	normal, gradient = b.Temp(Float32, in.Shape...), b.Temp(Float32, in.Shape...)
	product = b.Temp(Float32, in.Shape...)
	b.Normalize(normal, in, &mean, variance, Norm{Epsilon: epsilon})
	b.Copy(gradient, gout)
	if scale != nil {
		wide := b.Temp(Float32, scale.Shape...)
		b.Copy(wide, *scale)
		b.Apply("mul", gradient, gradient, wide)
	}
	b.Apply("mul", product, gradient, normal)
	return normal, gradient, product
}

// NormalizeGradient writes to gin the gradient of [Builder.Normalize] with respect to its input,
// through the mean and the variance too, which were taken of in along axes: gout is the gradient
// with respect to its result, and scale is n.Scale. The gradient with respect to the bias is the
// sum of gout.
func (b *Builder) NormalizeGradient(gin, gout, in, mean, variance Operand, n Norm, axes ...int) {
	if !b.checkNormGradient(gin, gout, in) {
		return
	}
	shape, err := ReduceShape("normalize gradient", in.Shape, axes)
	if err != nil {
		b.Fail(err)
		return
	}
	normal, gradient, product := b.normGradient(gout, in, mean, variance, n.Scale, n.Epsilon)
	first, second := b.Temp(Float32, shape...), b.Temp(Float32, shape...)
	b.Reduce("mean", first, gradient, axes...)
	b.Reduce("mean", second, product, axes...)
	b.Map(gin, []Operand{gradient, first, normal, second, variance},
		Instr{Op: "sub", Type: Float32, Args: []int{0, 1}}, Instr{Op: "mul", Type: Float32, Args: []int{2, 3}},
		Instr{Op: "sub", Type: Float32, Args: []int{5, 6}}, Instr{Op: "cast", Type: Float32, Args: []int{4}},
		Instr{Op: "linear", Type: Float32, Args: []int{8}, Scalars: []float32{1, n.Epsilon}},
		Instr{Op: "rsqrt", Type: Float32, Args: []int{9}}, Instr{Op: "mul", Type: Float32, Args: []int{7, 10}},
		Instr{Op: "cast", Type: gin.Type, Args: []int{11}})
}

// NormalizeScaleGradient writes to gscale the gradient of [Builder.Normalize] with respect to its
// scale, summed along axes: those in which the scale is repeated. gscale has the shape of in with
// those dimensions 1.
func (b *Builder) NormalizeScaleGradient(gscale, gout, in, mean, variance Operand, epsilon float32, axes ...int) {
	if !b.checkNormGradient(in, gout, in, gscale) {
		return
	}
	_, _, product := b.normGradient(gout, in, mean, variance, nil, epsilon)
	sum := b.Temp(Float32, gscale.Shape...)
	b.Reduce("sum", sum, product, axes...)
	b.Copy(gscale, sum)
}

func (b *Builder) checkNormGradient(gin, gout, in Operand, others ...Operand) bool {
	if b.err != nil {
		return false
	}
	const op = "normalize gradient"
	err := checkFloats(op, append(others, gin, gout, in)...)
	if err == nil {
		err = checkShape(op, "gradient", gout.Shape, in.Shape)
	}
	if err == nil {
		err = checkShape(op, "result", gin.Shape, in.Shape)
	}
	if err != nil {
		b.Fail(err)
	}
	return err == nil
}
