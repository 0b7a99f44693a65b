//go:build unix

package mtl

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewBufferWithBytesNoCopy(t *testing.T) {
	d := testDevice(t)
	page := os.Getpagesize()
	// One page more than needed: under an emulator the kernel's pages may be smaller than those that
	// the program sees.
	mapped, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(mapped)) }()
	start := -int(uintptr(unsafe.Pointer(&mapped[0]))) & (page - 1)
	memory := mapped[start : start+2*page]
	var freed atomic.Int32
	done := func(m []byte) {
		assert.Equal(t, &memory[0], &m[0])
		freed.Add(1)
	}

	_, err = d.NewBufferWithBytesNoCopy(memory[1:page+1], 0, done)
	limitOf(t, err, ErrAlignment)
	_, err = d.NewBufferWithBytesNoCopy(memory[:page+1], 0, done)
	assert.Equal(t, uint64(page), limitOf(t, err, ErrAlignment).Limit)
	_, err = d.NewBufferWithBytesNoCopy(nil, 0, done)
	limitOf(t, err, ErrLength)
	_, err = d.NewBufferWithBytesNoCopy(memory, ResourceStorageModePrivate, done)
	require.ErrorIs(t, err, ErrStorageMode)
	assert.Zero(t, freed.Load())

	b, err := d.NewBufferWithBytesNoCopy(memory, 0, done)
	require.NoError(t, err)
	memory[page] = 42
	bytes, err := b.Bytes()
	require.NoError(t, err)
	assert.Len(t, bytes, 2*page)
	assert.Equal(t, byte(42), bytes[page])
	assert.Zero(t, freed.Load())
	b.Release()
	assert.EqualValues(t, 1, freed.Load())

	b, err = d.NewBufferWithBytesNoCopy(memory, 0, nil)
	require.NoError(t, err)
	b.Release()
}
