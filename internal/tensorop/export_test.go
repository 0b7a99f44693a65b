package tensorop

// SoftmaxParts is the softmax for few long rows, of any rows.
func SoftmaxParts(b *Builder, op string, out, in Operand, axis int) {
	shape, _ := axisShape(op, in.Shape, axis)
	b.softmaxParts(op, out, in, shape, axis)
}
