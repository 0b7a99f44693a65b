package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/objc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// underFaults is set for a process that runs with injected faults; its value says what kind of
// error they are.
const underFaults = "PUREMETAL_TEST_FAULTS"

// fault is a failure that the device makes on demand, and how a process asks for it.
type fault struct {
	name     string
	software string // of the software device
	standin  string // of the stand-ins for Apple's frameworks, "" where they have none such
	kind     string // of the error; "" for any that the program can tell from a wrong result
	count    string // what is counted until the program is through
}

func faults() []fault {
	return []fault{
		{"allocation", "PUREMETAL_SOFTWARE_FAULTS=allocation=%d", "VMAC_FAIL_ALLOC=%d", "memory", "allocations"},
		{"object", "PUREMETAL_SOFTWARE_FAULTS=object=%d", "", "", "objects"},
		{"timeout", "PUREMETAL_SOFTWARE_FAULTS=command=%d:2", "VMAC_FAIL_COMMAND=%d:2", "timeout", "commands"},
		{"page fault", "PUREMETAL_SOFTWARE_FAULTS=command=%d:3", "VMAC_FAIL_COMMAND=%d:3", "fault", "commands"},
		{"removed", "PUREMETAL_SOFTWARE_FAULTS=remove=%d", "VMAC_FAIL_COMMAND=%d:11", "lost", "commands"},
	}
}

// TestFaultPlaces runs a program, in a process of its own, with a fault at each place in turn: the
// n-th allocation fails, the n-th object is nil, the n-th command buffer fails, the device is gone
// after the n-th; n goes on until the program is through without. Each time the program must end
// with an error of the right kind or the right result, leak nothing, and not hang; and where the
// faults can be ended, the same accelerator must do it all.
func TestFaultPlaces(t *testing.T) {
	driver, err := objc.CurrentDriver()
	require.NoError(t, err)
	if driver != objc.DriverSoftware && !standin.Running() {
		t.Skip("a Mac's own device has no faults to inject")
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			variable := f.software
			if driver != objc.DriverSoftware {
				variable = f.standin
			}
			if variable == "" {
				t.Skip("the stand-ins have no such fault")
			}
			places := attempts(t, fmt.Sprintf(variable, 1<<30), f)
			require.Positive(t, places)
			each(places+1, func(n int) { attempts(t, fmt.Sprintf(variable, n), f) })
		})
	}
}

// each calls fn with 1 to n, a few at once.
func each(n int, fn func(int)) {
	var all sync.WaitGroup
	numbers := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range numbers {
				fn(i)
			}
		})
	}
	for i := 1; i <= n; i++ {
		numbers <- i
	}
	close(numbers)
	all.Wait()
}

// attempts runs the program under a fault, and returns how often it did what the fault counts.
func attempts(t *testing.T, variable string, f fault) int {
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUnderFaults$", "-test.count=1", "-test.v",
		"-test.timeout=1m")
	c.Env = append(os.Environ(), variable, underFaults+"="+f.kind)
	out, err := c.CombinedOutput()
	assert.NoError(t, err, "%s:\n%s", variable, out)
	m := regexp.MustCompile(f.count + "=([0-9]+)").FindSubmatch(out)
	if !assert.NotNil(t, m, "%s:\n%s", variable, out) {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	assert.NoError(t, err)
	return n
}

// TestUnderFaults is the program. Without faults it must succeed.
func TestUnderFaults(t *testing.T) {
	objects := objc.LiveObjects()
	// Nothing stays compiled in memory, so that what is compiled again comes from the disk.
	a, err := Open(WithLogger(slog.New(slog.DiscardHandler)), WithKernelCache(0), WithDiskCache(t.TempDir(), 1<<20))
	require.NoError(t, err)
	lent := stream.SliceOf[int32](pages(t, 1))
	device := a.device
	device.Retain()
	before := device.CurrentAllocatedSize()
	err = everything(t.Context(), a, lent)
	usable := a.Allocated() // by now everything has been closed
	s := a.Memory()
	// as Apple's driver does not count
	tried := softmetal.Attempts{Allocations: s.Heaps + int(s.Misses), CommandBuffers: int(a.Stats().CommandBuffers)}
	if rt := softmetal.Opened(); rt != nil {
		id := objcsoft.ID(device.ID())
		tried, _ = softmetal.Attempted(rt, id)
		require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{}))
		assert.NoError(t, everything(t.Context(), a, lent), "after the faults the accelerator is as good as new")
	}
	closed := a.Close(t.Context())
	t.Logf("allocations=%d objects=%d commands=%d error: %v", tried.Allocations, tried.Objects, tried.CommandBuffers, err)
	assert.Zero(t, usable, "bytes of buffers")
	var leak *LeakError
	assert.False(t, errors.As(closed, &leak), "%v", closed)
	nothingLeft(t, device, before, objects)

	kinds := map[string]error{"memory": ErrOutOfMemory, "timeout": ErrTimeout, "fault": ErrPageFault,
		"lost": ErrDeviceLost}
	switch want, given := os.LookupEnv(underFaults); {
	case err == nil:
	case !given:
		require.NoError(t, err)
	case want == "":
		require.NotErrorIs(t, err, errWrong)
	default:
		require.ErrorIs(t, err, kinds[want])
	}
}

// errWrong is a result that is not what it should be.
var errWrong = errors.New("wrong result")

// everything uses a bit of everything, and returns the first error; a wrong result is one of no
// known kind. lent are pages of the program's own memory.
func everything(ctx context.Context, a *Accelerator, lent []int32) error {
	x, err := BufferOf(ctx, a, []int32{1, 2, 3, 4})
	if err != nil {
		return err
	}
	defer x.Close()
	err = withBlend(ctx, a, func(k *Kernel) error { return onDevice(ctx, a, k, x) })
	if err != nil {
		return err
	}
	if err := onTextures(ctx, a); err != nil {
		return err
	}
	return withBlend(ctx, a, func(k *Kernel) error { // from the disk
		err := calledBack(ctx, a, k, x)
		if err == nil && len(lent) > 0 {
			err = onLent(ctx, a, k, x, lent)
		}
		return err
	})
}

// withBlend compiles, and calls fn with the kernel.
func withBlend(ctx context.Context, a *Accelerator, fn func(*Kernel) error) error {
	p, err := a.Compile(ctx, mixing, CompileOptions{Macros: map[string]string{"UNUSED": "1"}})
	if err != nil {
		return err
	}
	defer p.Close()
	k, err := p.Kernel("blend")
	if err != nil {
		return err
	}
	return fn(k)
}

// onDevice computes in memory that the host does not see: on streams, in large buffers, in a graph.
func onDevice(ctx context.Context, a *Accelerator, k *Kernel, x *Buffer[int32]) error {
	y, err := NewZeroed[int32](ctx, a, 4, BufferOptions{Intent: DeviceOnly, Label: "y"})
	if err != nil {
		return err
	}
	defer y.Close()
	if err := sideBySide(ctx, a, k, x, y); err != nil {
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
		return fmt.Errorf("got %v, want %v: %w", got, want, errWrong)
	}
	if err := large(ctx, a, k); err != nil {
		return err
	}
	return inOrder(ctx, a, k, x, y)
}

// sideBySide launches on two streams, the second of which waits for the first.
func sideBySide(ctx context.Context, a *Accelerator, k *Kernel, x, y *Buffer[int32]) error {
	g, err := a.NewStreamGroup(ctx, 2)
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
	return g.Wait()
}

// large has buffers that no heap is for, of each storage mode, and transfers between them.
func large(ctx context.Context, a *Accelerator, k *Kernel) error {
	const n = 9 << 20
	var buffers []*Buffer[int32]
	defer func() {
		for _, b := range buffers {
			b.Close()
		}
	}()
	for _, i := range []Intent{HostVisible, DeviceOnly, Staging} {
		b, err := NewBuffer[int32](a, n, BufferOptions{Intent: i, Label: i.String()})
		if err != nil {
			return err
		}
		buffers = append(buffers, b)
	}
	s, err := a.NextStream()
	if err != nil {
		return err
	}
	head, err := buffers[2].Slice(0, 8)
	if err == nil {
		err = head.Upload(ctx, []int32{1, 2, 3, 4, 5, 6, 7, 8})
	}
	for _, b := range buffers[:2] {
		if err == nil {
			head, err = b.Slice(n-8, n)
		}
		if err == nil {
			err = Fill(ctx, s, head, 0)
		}
		if err == nil {
			var from *Buffer[int32]
			from, err = buffers[2].Slice(0, 8)
			if err == nil {
				err = s.Launch(ctx, k, Threads1D(8), from, head, int32(2))
			}
		}
	}
	if err != nil {
		return errors.Join(err, s.Sync(ctx))
	}
	if err := s.Sync(ctx); err != nil {
		return err
	}
	got := make([]int32, 8)
	if err := head.Download(ctx, got); err != nil {
		return err
	}
	if want := "[3 5 7 9 11 13 15 17]"; fmt.Sprint(got) != want {
		return fmt.Errorf("got %v, want %s: %w", got, want, errWrong)
	}
	return nil
}

// inOrder runs two operations on streams of their own, the second after the first.
func inOrder(ctx context.Context, a *Accelerator, k *Kernel, x, y *Buffer[int32]) (err error) {
	var s [2]*Stream
	for i := range s {
		if s[i], err = a.NewStream(StreamOptions{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s[i].Close(ctx)) }()
	}
	e, err := a.NewEvent(EventOptions{})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := cmp.Or(Fill(ctx, s[0], y, 0), s[0].Record(ctx, e), s[1].WaitFor(ctx, e),
		s[1].Launch(ctx, k, Threads1D(4), x, y, int32(0)), s[0].Sync(ctx), s[1].Sync(ctx)); err != nil {
		return err
	}
	got := make([]int32, 4)
	if err := y.Download(ctx, got); err != nil {
		return err
	}
	if want := strings.Repeat(" 1", 4)[1:]; fmt.Sprint(got) != "["+want+"]" {
		return fmt.Errorf("got %v, want [%s]: %w", got, want, errWrong)
	}
	return nil
}

// calledBack reads a result when a callback says that it is there, and not before.
func calledBack(ctx context.Context, a *Accelerator, k *Kernel, x *Buffer[int32]) error {
	y, err := NewZeroed[int32](ctx, a, 4, BufferOptions{Intent: Readback})
	if err != nil {
		return err
	}
	defer y.Close()
	s, err := a.NewStream(StreamOptions{Label: "called back"})
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	if err = s.Launch(ctx, k, Threads1D(4), x, y, int32(2)); err == nil {
		err = s.Callback(ctx, func(err error) { done <- err })
	}
	if err == nil {
		err = <-done
	}
	if err == nil {
		got, failed := y.Data()
		if err = failed; err == nil && fmt.Sprint(got) != "[3 5 7 9]" {
			err = fmt.Errorf("got %v, want [3 5 7 9]: %w", got, errWrong)
		}
	}
	return errors.Join(err, s.Close(ctx))
}

// onLent profiles a kernel on the program's own memory, which is given back.
func onLent(ctx context.Context, a *Accelerator, k *Kernel, x *Buffer[int32], lent []int32) error {
	clear(lent)
	free := false
	y, err := Adopt(a, lent, BufferOptions{Label: "lent"}, func() { free = true })
	if err != nil {
		return err
	}
	s, err := a.NextStream()
	if err == nil {
		var p Measurement
		p, err = s.Measure(ctx, 2, func(ctx context.Context, s *Stream) error {
			return s.Launch(ctx, k, Threads1D(4), x, y, int32(2))
		})
		if err == nil && p.Runs != 2 {
			err = fmt.Errorf("profile of %d runs, want 2: %w", p.Runs, errWrong)
		}
	}
	y.Close()
	switch {
	case err != nil:
		return errors.Join(err, a.Sync(ctx))
	case !free:
		return fmt.Errorf("the memory was not given back: %w", errWrong)
	}
	want := make([]int32, 4)
	for range 3 { // with the one to warm up
		mixed([]int32{1, 2, 3, 4}, want, 2)
	}
	if fmt.Sprint(lent[:4]) != fmt.Sprint(want) {
		return fmt.Errorf("got %v, want %v: %w", lent[:4], want, errWrong)
	}
	return nil
}
