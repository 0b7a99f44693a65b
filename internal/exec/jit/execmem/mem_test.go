//go:build amd64 && (linux || darwin || windows)

package execmem

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer is MOV EAX, 42 and RET, which is a Go function without parameters that returns an int.
var answer = []byte{0xb8, 42, 0, 0, 0, 0xc3}

// run calls the code at an offset as func() int: a value of that type points to the address.
func run(m *Mem, offset int) int {
	entry := m.Entry(offset)
	value := &entry
	defer runtime.KeepAlive(m)
	return (*(*func() int)(unsafe.Pointer(&value)))()
}

func TestCodeRuns(t *testing.T) {
	m, err := Alloc(answer)
	require.NoError(t, err)
	assert.Equal(t, len(answer), m.Len())
	assert.Equal(t, 42, run(m, 0))
	require.NoError(t, m.Free())
}

func TestOffsets(t *testing.T) {
	code := make([]byte, 3*os.Getpagesize()+1)
	copy(code[len(code)-len(answer):], answer)
	m, err := Alloc(code)
	require.NoError(t, err)
	assert.Equal(t, 42, run(m, len(code)-len(answer)), "code over several pages")
	assert.Equal(t, m.Entry(0)+5, m.Entry(5))
	assert.NotZero(t, m.Entry(len(code)-1))
	assert.Zero(t, m.Entry(len(code)))
	assert.Zero(t, m.Entry(-1))
	require.NoError(t, m.Free())
	assert.Zero(t, m.Entry(0), "after Free")
	require.NoError(t, m.Free(), "a second Free")
}

func TestNoCode(t *testing.T) {
	_, err := Alloc(nil)
	assert.EqualError(t, err, "execmem: no code")
}

// permissions returns those of the mapping that contains an address, or "".
func permissions(t *testing.T, at uintptr) string {
	f, err := os.Open("/proc/self/maps")
	require.NoError(t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var low, high uintptr
		var perm string
		_, err := fmt.Sscanf(s.Text(), "%x-%x %s", &low, &high, &perm)
		require.NoError(t, err, s.Text())
		if low <= at && at < high {
			return perm
		}
	}
	return ""
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/self/maps, which linux has")
	}
	m, err := Alloc(answer)
	require.NoError(t, err)
	at := m.Entry(0)
	assert.Equal(t, "r-xp", permissions(t, at))
	tail := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), os.Getpagesize())[len(answer):]
	assert.Equal(t, strings.Repeat("\xcc", len(tail)), string(tail), "bytes behind the code")
	require.NoError(t, m.Free())
	assert.NotContains(t, permissions(t, at), "x", "after Free")
}

func TestRefusals(t *testing.T) {
	why := errors.New("operation not permitted")
	for call, want := range map[string]string{
		"map":     "execmem: map 6 bytes: operation not permitted",
		"protect": fmt.Sprintf("execmem: make %d bytes executable: operation not permitted", os.Getpagesize()),
	} {
		restore := Refuse(func(c string) error {
			if c == call {
				return why
			}
			return nil
		})
		m, err := Alloc(answer)
		assert.Nil(t, m)
		assert.ErrorIs(t, err, why)
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, Available(), why)
		restore()
		assert.NoError(t, Available(), "the refusal was not cached")
	}
}

// TestForgotten: memory that was not freed is unmapped when nothing refers to it.
func TestForgotten(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/self/maps, which linux has")
	}
	m, err := Alloc(answer)
	require.NoError(t, err)
	at := m.Entry(0)
	m = nil
	settle.Until(t, "unmapped", func() bool {
		runtime.GC()
		return !strings.Contains(permissions(t, at), "x")
	})
}

// TestRegions: code stays as it is while other code in the same region is freed, and new code takes
// its place; so does code that is longer than a region.
func TestRegions(t *testing.T) {
	code := func(n uint8, pages int) []byte {
		b := make([]byte, (pages-1)*os.Getpagesize(), pages*os.Getpagesize())
		return append(b, 0xb8, n, 0, 0, 0, 0xc3)
	}
	type piece struct {
		m *Mem
		n uint8
	}
	var list []piece
	add := func(pages int) {
		n := uint8(len(list))
		m, err := Alloc(code(n, pages))
		require.NoError(t, err)
		list = append(list, piece{m, n})
	}
	check := func() {
		for _, p := range list {
			if at := p.m.Entry(0); at != 0 {
				assert.Equal(t, int(p.n), run(p.m, p.m.Len()-6))
			}
		}
	}
	for range 3 * regionPages / 2 {
		add(1)
	}
	for i := 0; i < len(list); i += 3 {
		require.NoError(t, list[i].m.Free())
	}
	check()
	for pages := range 5 {
		add(pages + 1)
	}
	for _, pages := range []int{regionPages - 1, regionPages, regionPages + 1, 2 * regionPages} {
		add(pages)
	}
	check()
	for _, p := range list {
		require.NoError(t, p.m.Free())
	}
	check()
	add(regionPages)
	check()
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				m, err := Alloc(answer)
				if !assert.NoError(t, err) {
					return
				}
				assert.Equal(t, 42, run(m, 0))
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() { assert.NoError(t, m.Free()) })
				}
				both.Wait()
			}
		})
	}
	wg.Wait()
}
