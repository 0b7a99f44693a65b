package gemm

// plain is the body in Go, with small tiles.
func plain() body {
	return body{name: "plain", rows: plainRows, columns: plainColumns, float: plainFloat, integer: plainInteger}
}

const plainRows, plainColumns = 4, 8

// plainFloat is the product of two panels of floats.
func plainFloat(k int, a, b *uint32, _ int, acc *uint32, first bool) {
	c := floats(from(acc, plainRows*plainColumns))
	if first {
		clear(c)
	}
	left, right := floats(from(a, k*plainRows)), floats(from(b, k*plainColumns))
	for range k {
		for i, x := range left[:plainRows] {
			row := c[i*plainColumns:][:plainColumns]
			for j, y := range right[:plainColumns] {
				row[j] = FMA(x, y, row[j])
			}
		}
		left, right = left[plainRows:], right[plainColumns:]
	}
}

// plainInteger is the product of two panels of pairs.
func plainInteger(k int, a, b *uint32, _ int, acc *uint32, first bool) {
	c := from(acc, plainRows*plainColumns)
	if first {
		clear(c)
	}
	left, right := from(a, k*plainRows), from(b, k*plainColumns)
	for range k {
		for i, x := range left[:plainRows] {
			row := c[i*plainColumns:][:plainColumns]
			for j, y := range right[:plainColumns] {
				row[j] += uint32(int32(int16(x))*int32(int16(y)) + int32(x)>>16*(int32(y)>>16))
			}
		}
		left, right = left[plainRows:], right[plainColumns:]
	}
}
