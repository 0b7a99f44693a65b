package compute

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// underFaults is set for a process that runs with injected faults; its value says what may fail.
const underFaults = "PUREMETAL_TEST_FAULTS"

// TestFaults runs a program, in a process of its own, with a fault at each place in turn: the n-th allocation fails, the n-th command buffer fails, the device is
// gone after the n-th. Each time the program must end with an error of the right kind or the right result, leak nothing, and not hang.
func TestFaults(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the software device's faults; with the stand-ins for Apple's frameworks, set VMAC_FAIL_ALLOC and VMAC_FAIL_COMMAND and run TestUnderFaults")
	}
	const places = 12 // the program has fewer allocations and command buffers, so the last runs succeed
	for _, f := range []struct{ name, fault, kind string }{
		{"allocation", "allocation=%d", "memory"},
		{"command buffer", "command=%d:2", "timeout"},
		{"page fault", "command=%d:3", "fault"},
		{"removed", "remove=%d", "lost"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for n := 1; n <= places; n++ {
				c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUnderFaults$", "-test.count=1")
				c.Env = append(os.Environ(), "PUREMETAL_SOFTWARE_FAULTS="+fmt.Sprintf(f.fault, n), underFaults+"="+f.kind)
				out, err := c.CombinedOutput()
				require.NoError(t, err, "%s at %d:\n%s", f.name, n, out)
			}
		})
	}
}

// TestUnderFaults is the program. Without faults it must succeed.
func TestUnderFaults(t *testing.T) {
	objects := objc.LiveObjects()
	a, err := Open(WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	device := a.device
	device.Retain()
	before := device.CurrentAllocatedSize()
	err = everything(t.Context(), a)
	closed := a.Close(t.Context())
	var leak *LeakError
	assert.False(t, errors.As(closed, &leak), "%v", closed)
	nothingLeft(t, device, before, objects)

	kinds := map[string]error{"memory": ErrOutOfMemory, "timeout": ErrTimeout, "fault": ErrPageFault, "lost": ErrDeviceLost}
	if want := kinds[os.Getenv(underFaults)]; want != nil && err != nil {
		require.ErrorIs(t, err, want)
		return
	}
	if os.Getenv("VMAC_FAIL_ALLOC") == "" && os.Getenv("VMAC_FAIL_COMMAND") == "" {
		require.NoError(t, err)
	}
}

// everything uses a bit of everything, and returns the first error; a wrong result is one of no known kind.
func everything(ctx context.Context, a *Accelerator) error {
	p, err := a.Compile(ctx, mixing, CompileOptions{})
	if err != nil {
		return err
	}
	defer p.Close()
	k, err := p.Kernel("mix")
	if err != nil {
		return err
	}
	x, err := BufferOf(ctx, a, []int32{1, 2, 3, 4})
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := NewBuffer[int32](a, 4, BufferOptions{Intent: DeviceOnly, Zero: true})
	if err != nil {
		return err
	}
	defer y.Close()
	g, err := a.NewGroup(ctx, 2)
	if err != nil {
		return err
	}
	e, err := a.NewEvent(EventOptions{Timing: true})
	if err != nil {
		return errors.Join(err, g.Wait())
	}
	defer e.Close()
	recorded := make(chan struct{})
	g.Go(func(ctx context.Context, s *Stream) error {
		defer close(recorded)
		for range 3 {
			if err := s.Launch(ctx, k, Threads1D(4), x, y, int32(1)); err != nil {
				return err
			}
		}
		return s.Record(ctx, e)
	})
	g.Go(func(ctx context.Context, s *Stream) error {
		<-recorded
		if err := s.WaitFor(ctx, e); err != nil {
			return err
		}
		return s.Launch(ctx, k, Threads1D(4), x, y, int32(2))
	})
	if err := g.Wait(); err != nil {
		return err
	}
	got, want := make([]int32, 4), make([]int32, 4)
	if err := y.Download(ctx, got); err != nil {
		return err
	}
	for _, f := range []int32{1, 1, 1, 2} {
		mixed([]int32{1, 2, 3, 4}, want, f)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}
