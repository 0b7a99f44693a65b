package mpstest

import (
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/require"
)

// FloatsOf returns the floats in a buffer.
func FloatsOf(t *testing.T, b mtl.Buffer) []float32 {
	t.Helper()
	bytes, err := b.Bytes()
	require.NoError(t, err)
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/4)
}
