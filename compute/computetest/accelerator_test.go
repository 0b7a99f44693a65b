package computetest

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/sanitizer"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// line returns "file:line" of the line after the call.
func line() string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, n+1)
}

// TestOpen: a test that closes what it made passes, with its own options.
func TestOpen(t *testing.T) {
	assert.Empty(t, record(t, func(tb testing.TB) {
		acc := Open(tb, compute.WithStreams(3))
		b, err := compute.BufferOf(tb.Context(), acc, []float32{1})
		require.NoError(t, err)
		b.Close()
		_, err = acc.NextStream()
		require.NoError(t, err)
	}))
}

// TestLeaks: everything that is still open is listed with the line that made it, also buffers that
// nobody can reach.
func TestLeaks(t *testing.T) {
	var at []string
	made := func(err error) { require.NoError(t, err) }
	got := record(t, func(tb testing.TB) {
		acc := Open(tb)
		at = append(at, line())
		_, err := compute.NewBuffer[float32](acc, 4, compute.BufferOptions{Label: "weights"})
		made(err)
		at = append(at, line())
		_, err = compute.NewTexture[uint8](acc, compute.Texture2D(2, 2), compute.TextureOptions{Label: "picture"})
		made(err)
		at = append(at, line())
		_, err = acc.Compile(tb.Context(), "kernel void f() {}", compute.CompileOptions{Name: "f.metal"})
		made(err)
		at = append(at, line())
		_, err = acc.NewStream(compute.StreamOptions{Label: "main"})
		made(err)
		at = append(at, line())
		_, err = acc.NewEvent(compute.EventOptions{Label: "ready"})
		made(err)
		runtime.GC()
		runtime.GC()
	})
	assert.Equal(t, []string{"error: computetest: closing the accelerator: compute: 5 objects were open at Close:" +
		"\n    buffer 1 \"weights\" (16 bytes) made at " + at[0] + "\n    event \"ready\" made at " + at[4] +
		"\n    program \"f.metal\" made at " + at[2] + "\n    stream \"main\" made at " + at[3] +
		"\n    texture 2 \"picture\" (2D 2x2x1 R8Unorm, 4 bytes) made at " + at[1]}, got)
}

// TestFailedWork: a failure of work that no Sync returned fails the test.
func TestFailedWork(t *testing.T) {
	got := record(t, func(tb testing.TB) {
		acc := Open(tb)
		s, err := acc.NextStream()
		require.NoError(t, err)
		require.NoError(t, s.Callback(tb.Context(), func(error) { panic("no more paper") }))
		next := make(chan struct{})
		require.NoError(t, s.Callback(tb.Context(), func(error) { close(next) }))
		<-next
	})
	require.Len(t, got, 1)
	assert.True(t, strings.HasPrefix(got[0], "error: computetest: closing the accelerator: compute: "), got[0])
	assert.Contains(t, got[0], "no more paper")
}

// TestNoDevice: without a device a test is skipped, or fails where there must be one.
func TestNoDevice(t *testing.T) {
	open := func(tb testing.TB) { Open(tb, compute.WithDeviceName("none")) }
	t.Setenv(requireVariable, "")
	assert.Equal(t, []string{`skip: computetest: compute: no device named "none": ` + compute.ErrNoDevice.Error() +
		"; with PUREMETAL_REQUIRE_DEVICE=1 this is a failure"}, record(t, open))
	t.Setenv(requireVariable, "1")
	assert.Equal(t, []string{`fatal: computetest: PUREMETAL_REQUIRE_DEVICE=1 and compute: no device named "none": ` +
		compute.ErrNoDevice.Error()}, record(t, open))
}

func TestRefusedOption(t *testing.T) {
	assert.Equal(t, []string{"fatal: computetest: compute: WithStreams: 0, want 1 to 64: " + compute.ErrOption.Error()},
		record(t, func(tb testing.TB) { Open(tb, compute.WithStreams(0)) }))
}

// TestEachDriver: the subtest of the process's driver runs here.
func TestEachDriver(t *testing.T) {
	driver, err := objc.CurrentDriver()
	require.NoError(t, err)
	// Another test checks what is a failure with this.
	t.Setenv(requireVariable, "")
	var ran []string
	EachDriver(t, func(t *testing.T, acc *compute.Accelerator) {
		ran = append(ran, t.Name())
		assert.Equal(t, driver == objc.DriverSoftware, acc.Info().Software)
	}, compute.WithDeviceIndex(0))
	want := "TestEachDriver/metal"
	if driver == objc.DriverSoftware {
		want = "TestEachDriver/software"
	}
	assert.Equal(t, []string{want}, ran)
}

// TestEachDriverSanitized: only the software subtest is sanitized, and the other one is skipped, if
// there is no GPU, for that reason alone.
func TestEachDriverSanitized(t *testing.T) {
	driver, err := objc.CurrentDriver()
	require.NoError(t, err)
	t.Setenv(requireVariable, "")
	options := []compute.Option{compute.WithIsolation(), compute.WithSanitizer(sanitizer.Bounds, nil)}
	EachDriver(t, func(t *testing.T, acc *compute.Accelerator) {
		p, err := acc.Compile(t.Context(), "kernel void f(device uint *x [[buffer(0)]]) { x[4] = 1; }",
			compute.CompileOptions{})
		require.NoError(t, err)
		defer p.Close()
		k, err := p.Kernel("f")
		require.NoError(t, err)
		x, err := compute.NewBuffer[uint32](acc, 4, compute.BufferOptions{})
		require.NoError(t, err)
		defer x.Close()
		s, err := acc.NextStream()
		require.NoError(t, err)
		require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(1), x))
		var found *sanitizer.Finding
		assert.Equal(t, acc.Info().Software, errors.As(s.Sync(t.Context()), &found))
	}, options...)
	if driver != objc.DriverSoftware {
		return
	}
	skipped := "skip: computetest: compute: no device%s RequireHardware rejects: " + compute.ErrNoDevice.Error() + ": " +
		compute.ErrSoftware.Error() + "; with PUREMETAL_REQUIRE_DEVICE=1 this is a failure"
	hardware := compute.RequireHardware()
	assert.Equal(t, []string{fmt.Sprintf(skipped, " except the software device, which")}, record(t, func(tb testing.TB) {
		Open(tb, append(options, compute.WithoutSoftwareOptions(), hardware)...)
	}))
	assert.Equal(t, []string{fmt.Sprintf(skipped, " that isolates kernels, as only the software device does; "+
		"there is the software device, which")}, record(t, func(tb testing.TB) {
		Open(tb, compute.WithIsolation(), hardware)
	}))
}

// elsewhere is set for the processes that TestElsewhere starts.
const elsewhere = "PUREMETAL_TEST_ELSEWHERE"

// TestElsewhere: a test in a process of its own passes, fails or is skipped here as it did there,
// and has the software driver.
func TestElsewhere(t *testing.T) {
	there := os.Getenv(elsewhere) != ""
	for name, c := range map[string]struct {
		run  func(t *testing.T)
		want []string // parts of what is reported
	}{
		"pass (with)/signs": {func(t *testing.T) {
			driver, err := objc.CurrentDriver()
			require.NoError(t, err)
			assert.Equal(t, objc.DriverSoftware, driver)
		}, nil},
		"fail": {func(t *testing.T) { t.Error("wrong by 1") },
			[]string{"error: computetest: TestElsewhere/fail failed in a process with the software driver: exit status 1\n",
				"wrong by 1"}},
		"skip": {func(t *testing.T) { t.Skip("no time") },
			[]string{"skip: computetest: skipped in a process with the software driver:\n", "no time"}},
		"not there": {nil, []string{
			"error: computetest: TestElsewhere/not_there did not run in a process with the software driver:\n"}},
	} {
		if there && c.run == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if there {
				c.run(t)
				return
			}
			t.Setenv(elsewhere, "1")
			got := record(t, func(tb testing.TB) { runElsewhere(tb) })
			if c.want == nil {
				assert.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			assert.True(t, strings.HasPrefix(got[0], c.want[0]), got[0])
			for _, part := range c.want {
				assert.Contains(t, got[0], part)
			}
		})
	}
}

// TestWithoutCheck: only tests are told where objects were made.
func TestWithoutCheck(t *testing.T) {
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	_, err = acc.NewEvent(compute.EventOptions{Label: "ready"})
	require.NoError(t, err)
	var leak *compute.LeakError
	require.ErrorAs(t, acc.Close(t.Context()), &leak)
	assert.Equal(t, []string{`event "ready"`}, leak.Objects)
}
