//go:build unix

package tensor_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages returns a page of memory, until the test ends.
func pages(t *testing.T) []float32 {
	t.Helper()
	page := os.Getpagesize()
	// Two pages of them: under an emulator the kernel's pages may be smaller.
	mapped, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mapped)) })
	at := -int(uintptr(unsafe.Pointer(&mapped[0]))) & (page - 1)
	return unsafe.Slice((*float32)(unsafe.Pointer(&mapped[at])), page/4)
}

// TestAdoptMatrix reads and writes a matrix in the program's memory, whose rows have gaps.
func TestAdoptMatrix(t *testing.T) {
	e, s := open(t)
	data := pages(t)
	m := general32{Rows: 3, Cols: 2, Stride: 5, Data: data}
	for i := range 15 {
		data[i] = float32(i)
	}
	freed := 0
	x := tensor.AdoptMatrix32(s, m, func() { freed++ })
	assert.Equal(t, []int{5, 1}, x.Strides())
	y := s.MatMul(x.T(), x)
	assert.Equal(t, []float64{125, 140, 140, 158}, values(t, y))
	s.Assign(x, s.Mul(x, tensor.Scalar(-2)))
	require.NoError(t, s.Err())
	require.NoError(t, e.Sync(t.Context()))
	assert.Equal(t, []float32{-0, -2, 2, 3, 4, -10, -12, 7, 8, 9, -20, -22, 12}, data[:13])
	s.Close()
	assert.Equal(t, 1, freed)
}
