package tensorop

import "fmt"

// Inverse writes to out the inverses of the matrices in the last two dimensions of in. One thread
// inverts a matrix by Gauss-Jordan elimination with the largest pivot of each column. 16-bit
// numbers are computed as float32. The inverse of a singular matrix has elements that are not
// finite.
func (b *Builder) Inverse(out, in Operand) {
	if b.err != nil {
		return
	}
	rank := in.Rank()
	if rank < 2 || in.Shape[rank-1] != in.Shape[rank-2] {
		b.Fail(fmt.Errorf("inverse: the shape %v is not one of square matrices", in.Shape))
		return
	}
	err := checkShape("inverse", "result", out.Shape, in.Shape)
	if err == nil {
		err = checkFloats("inverse", in, out)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	if in.Elements() == 0 {
		return
	}
	n := in.Shape[rank-1]
	left, right := b.Temp(Float32, in.Shape...), b.Temp(Float32, in.Shape...)
	b.Copy(left, in)
	w := newWriter(2, right, left)
	w.grid[0] = in.Elements() / (n * n)
	size := w.int(n)
	w.line("int n = %s;", size)
	w.line("device float *y = a0 + int(id.x) * n * n;")
	w.line("device float *x = a1 + int(id.x) * n * n;")
	w.line("for (int i = 0; i < n * n; i++) y[i] = i %% (n + 1) == 0 ? 1.0f : 0.0f;")
	w.line("for (int k = 0; k < n; k++) {")
	w.line("    int p = k;")
	w.line("    for (int i = k + 1; i < n; i++) if (fabs(x[i * n + k]) > fabs(x[p * n + k])) p = i;")
	w.line("    for (int j = 0; j < n; j++) {")
	w.line("        float s = x[k * n + j]; x[k * n + j] = x[p * n + j]; x[p * n + j] = s;")
	w.line("        s = y[k * n + j]; y[k * n + j] = y[p * n + j]; y[p * n + j] = s;")
	w.line("    }")
	w.line("    float d = 1.0f / x[k * n + k];")
	w.line("    for (int j = 0; j < n; j++) { x[k * n + j] *= d; y[k * n + j] *= d; }")
	w.line("    for (int i = 0; i < n; i++) {")
	w.line("        if (i == k) continue;")
	w.line("        float f = -x[i * n + k];")
	w.line("        for (int j = 0; j < n; j++) {")
	w.line("            x[i * n + j] = fma(f, x[k * n + j], x[i * n + j]);")
	w.line("            y[i * n + j] = fma(f, y[k * n + j], y[i * n + j]);")
	w.line("        }")
	w.line("    }")
	w.line("}")
	w.launch(b, "inverse")
	b.Copy(out, right)
}
