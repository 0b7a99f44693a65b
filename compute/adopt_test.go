//go:build unix

package compute

import (
	"os"
	"syscall"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages returns memory in whole pages, until the test ends.
func pages(t *testing.T, n int) []byte {
	t.Helper()
	page := os.Getpagesize()
	// More than needed: under an emulator the kernel's pages may be smaller than the ones the
	// program believes in.
	mapped, err := syscall.Mmap(-1, 0, (n+1)*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mapped)) })
	at := -int(addressOf(mapped)) & (page - 1)
	return mapped[at : at+n*page]
}

// TestAdopt runs a kernel on the program's own memory, and gives it back when the device is
// through.
func TestAdopt(t *testing.T) {
	data, page := stream.SliceOf[float32](pages(t, 1)), os.Getpagesize()
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)

	_, err := Adopt(a, data[1:], BufferOptions{}, nil)
	require.ErrorIs(t, err, ErrRange)
	_, err = Adopt(a, data[:page/8], BufferOptions{}, nil)
	require.ErrorIs(t, err, ErrRange)
	assert.ErrorContains(t, err, "not whole pages")

	data[0] = 5
	freed := make(chan struct{})
	y, err := Adopt(a, data, BufferOptions{Label: "mine"}, func() { close(freed) })
	require.NoError(t, err)
	x := bufferOf[float32](t, a, 3)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(2)))
	y.Close() // the launch still has it
	require.NoError(t, s.Sync(t.Context()))
	<-freed
	assert.EqualValues(t, 11, data[0])
	assert.Equal(t, "mine", y.Label())
}
