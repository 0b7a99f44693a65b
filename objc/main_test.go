package objc

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	os.Exit(settle.Run(m, func() error { return goleak.Find() }, finalCounts))
}

// outsidePools is how many objects the tests of this process autorelease without a pool on purpose.
var outsidePools int64

// runChild runs one test of this binary in a separate process and returns its output.
func runChild(t *testing.T, test string, env ...string) string {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("this process runs under an emulator that it cannot start again")
	}
	require.NoErrorf(t, err, "%s", out)
	return string(out)
}

// clean fails the test if it ends with more live objects than it began with, or with an unexpected
// fault.
func clean(t *testing.T) {
	t.Helper()
	_, err := CurrentDriver()
	require.NoError(t, err)
	// Foundation creates a few permanent objects at its first use: trigger that before counting.
	Release(NewString("warm"))
	before := LiveObjects()
	faults := catchFaults(t)
	t.Cleanup(func() {
		for _, f := range *faults {
			t.Errorf("unexpected fault: %v", f)
		}
		if !settle.Equal(t, "live objects", before, LiveObjects) {
			t.Log(Leaks())
		}
	})
}

// catchFaults collects faults until the test ends; expectFault takes them out again.
func catchFaults(t *testing.T) *[]*Fault {
	var mu sync.Mutex
	faults := new([]*Fault)
	restore := OnFault(func(f *Fault) {
		mu.Lock()
		defer mu.Unlock()
		*faults = append(*faults, f)
	})
	t.Cleanup(restore)
	return faults
}

// wantFault runs f, which must cause exactly one fault that wraps want.
func wantFault(t *testing.T, want error, f func()) *Fault {
	t.Helper()
	var got []*Fault
	restore := OnFault(func(f *Fault) { got = append(got, f) })
	f()
	restore()
	require.Len(t, got, 1)
	require.Truef(t, errors.Is(got[0], want), "%v is no %v", got[0], want)
	return got[0]
}
