package machine

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLarge: large memory is in mappings that want huge pages, begins at different places relative
// to those, and leaves nothing behind.
func TestLarge(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("the kernel has no huge pages: ", err)
	}
	places := map[uintptr]bool{}
	for range colors {
		b, err := Map(hugeFrom)
		require.NoError(t, err)
		require.Len(t, b, hugeFrom)
		require.Equal(t, hugeFrom, cap(b))
		b[0], b[hugeFrom-1] = 1, 2
		require.Zero(t, address(b)%uintptr(os.Getpagesize()))
		places[address(b)%(2<<20)] = true
		assert.Contains(t, flagsOf(t, b), " hg")
		require.NoError(t, Unmap(b))
		assert.NotContains(t, flagsOf(t, b), " hg", "after Unmap")
	}
	assert.Greater(t, len(places), colors/2)
}

func TestSmall(t *testing.T) {
	b, err := Map(hugeFrom / 2)
	require.NoError(t, err)
	b[0], b[len(b)-1] = 1, 2
	flags := flagsOf(t, b)
	assert.NotEmpty(t, flags)
	assert.NotContains(t, flags, " hg")
	require.NoError(t, Unmap(b))
	require.Error(t, Unmap(b), "a second time")
	require.Error(t, Unmap(nil))
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// flagsOf returns the flags of the mapping that memory is in, or "".
func flagsOf(t *testing.T, b []byte) string {
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	inside := false
	for line := range strings.Lines(string(maps)) {
		var first, last uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &first, &last); n == 2 {
			inside = first <= address(b) && address(b) < last
		}
		if inside && strings.HasPrefix(line, "VmFlags:") {
			return line
		}
	}
	return ""
}
