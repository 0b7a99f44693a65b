package vm

import "unsafe"

// loadMatrix reads a matrix whose rows (columns, if transposed) start step bytes apart.
func loadMatrix[T number](d *[matrixElements]T, data []byte, step int, transposed bool) {
	size := int(unsafe.Sizeof(d[0]))
	_ = data[(matrixSide-1)*step+matrixSide*size-1]
	base := unsafe.Pointer(unsafe.SliceData(data))
	for i := range matrixSide {
		row := (*[matrixSide]T)(unsafe.Add(base, i*step))
		if !transposed {
			*(*[matrixSide]T)(d[i*matrixSide:]) = *row
			continue
		}
		for j, x := range row {
			d[j*matrixSide+i] = x
		}
	}
}

// storeMatrix is the inverse of loadMatrix.
func storeMatrix[T number](c *[matrixElements]T, data []byte, step int, transposed bool) {
	size := int(unsafe.Sizeof(c[0]))
	_ = data[(matrixSide-1)*step+matrixSide*size-1]
	base := unsafe.Pointer(unsafe.SliceData(data))
	for i := range matrixSide {
		row := (*[matrixSide]T)(unsafe.Add(base, i*step))
		if !transposed {
			*row = *(*[matrixSide]T)(c[i*matrixSide:])
			continue
		}
		for j := range row {
			row[j] = c[j*matrixSide+i]
		}
	}
}
