package pool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// underFaults is set for a process that runs with injected faults; its value says which.
const underFaults = "PUREMETAL_TEST_POOL_FAULTS"

// TestFaults runs a program, in a process of its own, in which every n-th allocation fails, or
// every n-th command buffer.
func TestFaults(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the faults are the software device's")
	}
	for _, f := range []string{"allocation=%d", "command=%d:2", "remove=%d"} {
		for n := 1; n <= 6; n++ {
			fault := fmt.Sprintf(f, n)
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUnderFaults$", "-test.count=1")
			c.Env = append(os.Environ(), "PUREMETAL_SOFTWARE_FAULTS="+fault, underFaults+"="+fault)
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s:\n%s", fault, out)
		}
	}
}

// TestUnderFaults is the program: failures are errors of the right kind, successes are correct, and
// nothing leaks.
func TestUnderFaults(t *testing.T) {
	fault := os.Getenv(underFaults)
	d := device(t)
	before, objects := d.CurrentAllocatedSize(), objc.LiveObjects()
	p, err := New(d, Options{})
	require.NoError(t, err)
	if fault == "allocation=2" {
		collects(t, p)
	}

	var kept []marked
	for i := range 24 {
		r, err := p.RentRelocatable(1<<20, shared())
		if err != nil {
			require.ErrorIs(t, err, ErrMemory)
			require.NotEmpty(t, fault)
			continue
		}
		m := marked{r, byte(i + 1)}
		raw := m.pin(t)
		raw[0], raw[len(raw)-1] = m.mark, m.mark
		require.NoError(t, m.Unpin(nil))
		if i%6 == 0 {
			kept = append(kept, m)
			continue
		}
		require.NoError(t, m.Return())
		long, err := p.Rent(uint(40+i)<<20, Kind{Storage: mtl.StorageModePrivate})
		if err != nil {
			require.ErrorIs(t, err, ErrMemory)
			continue
		}
		require.NoError(t, long.Return())
	}
	for range 3 {
		_, err := p.Defragment(t.Context(), 0)
		var failed *mtl.CommandError
		if err != nil && !errors.Is(err, mtl.ErrMemory) {
			require.ErrorAs(t, err, &failed)
			require.NotEmpty(t, fault)
		}
		for _, m := range kept {
			m.check(t)
		}
	}
	for _, m := range kept {
		require.NoError(t, m.Return())
	}
	require.NoError(t, p.Close())
	settle.Equal(t, "bytes on the device", before, d.CurrentAllocatedSize)
	settle.AtMost(t, "live objects", objects, objc.LiveObjects)
}

// collects checks that a failed allocation is retried after idle blocks have been released: every
// second allocation fails.
func collects(t *testing.T, p *Pool) {
	block, err := p.Rent(50<<20, shared())
	require.NoError(t, err)
	require.NoError(t, block.Return())
	block, err = p.Rent(70<<20, shared())
	require.NoError(t, err)
	s := p.Stats()
	assert.Equal(t, []uint64{1, 1, 0}, []uint64{s.Collections, s.Released, s.Refused})
	assert.Zero(t, s.Idle)
	require.NoError(t, block.Return())
}
