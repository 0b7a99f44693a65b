package compute

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const talkative = `#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log kernels("com.example", "kernels");
kernel void say(device int *x [[buffer(0)]], uint2 i [[thread_position_in_grid]]) {
    if (i.x == 5 && i.y == 1) {
        os_log_default.log_info("x is %d, %5.2f, %v2d %s", x[0], 1.5f, int2(1, -2), "ok");
        kernels.log_fault("at %u,%u", i.x, i.y);
    }
    x[1] = 1;
}
kernel void levels() {
    os_log_default.log_debug("debug");
    os_log_default.log_info("info");
    os_log_default.log("notice");
    os_log_default.log_error("error");
    os_log_default.log_fault("fault");
}
kernel void each(uint i [[thread_position_in_grid]]) {
    os_log_default.log("%u first", i);
    os_log_default.log("%u second", i);
}
kernel void quiet(device int *x [[buffer(0)]]) { x[0] += 1; }
`

// heard collects messages. The accelerator delivers one at a time, and Sync orders them before what
// follows it.
type heard []KernelMessage

func (h *heard) option(l KernelLog) Option {
	l.Handler = func(m KernelMessage) { *h = append(*h, m) }
	return WithKernelLog(l)
}

// logging compiles a program with messages.
func logging(t *testing.T, a *Accelerator, o CompileOptions) *Program {
	t.Helper()
	o.Logging = true
	p := compile(t, a, talkative, o)
	t.Cleanup(p.Close)
	return p
}

// TestKernelLog: a handler gets the messages of a kernel, and what the driver knows of them.
func TestKernelLog(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{}))
	p := logging(t, a, CompileOptions{Name: "talk.metal"})
	assert.Equal(t, mtl.LanguageVersion3_2, p.Settings().LanguageVersion)
	s, x := newStream(t, a), bufferOf[int32](t, a, 7, 0)
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "say"), Threads2D(8, 2), x))
	require.NoError(t, s.Sync(t.Context()))
	first := KernelMessage{Kernel: "say", Program: "talk.metal", Stream: t.Name(), Level: mtl.LogLevelInfo,
		Text: "x is 7,  1.50, 1,-2 ok"}
	second := first
	second.Subsystem, second.Category = "com.example", "kernels"
	second.Level, second.Text = mtl.LogLevelFault, "at 5,1"
	if a.Info().Software {
		first.Located, first.File, first.Line, first.Thread = true, "talk.metal", 7, Extent{5, 1, 0}
		second.Located, second.File, second.Line, second.Thread = true, "talk.metal", 8, Extent{5, 1, 0}
	}
	assert.Equal(t, heard{first, second}, h)
	got, err := x.Data()
	require.NoError(t, err)
	assert.Equal(t, []int32{7, 1}, got)
}

// TestKernelLogToLogger: without a handler, the accelerator's logger gets the messages.
func TestKernelLogToLogger(t *testing.T) {
	if softmetal.Opened() == nil {
		t.Skip("only the software device says where messages come from")
	}
	var b bytes.Buffer
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	h := slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime})
	a := accelerator(t, WithLogger(slog.New(h)))
	p := logging(t, a, CompileOptions{Name: "talk.metal"})
	s, x := newStream(t, a), bufferOf[int32](t, a, 7, 0)
	b.Reset()
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "say"), Threads2D(8, 2), x))
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "levels"), Threads1D(1)))
	require.NoError(t, s.Sync(t.Context()))
	want := `level=INFO msg="x is 7,  1.50, 1,-2 ok" SAY:7 STREAM
level=ERROR+4 msg="at 5,1" SAY:8 STREAM subsystem=com.example category=kernels
level=DEBUG msg=debug LEVELS:13 STREAM
level=INFO msg=info LEVELS:14 STREAM
level=INFO msg=notice LEVELS:15 STREAM
level=ERROR msg=error LEVELS:16 STREAM
level=ERROR+4 msg=fault LEVELS:17 STREAM
`
	assert.Equal(t, strings.NewReplacer("SAY", "kernel=say thread=5,1,0 source=talk.metal",
		"LEVELS", "kernel=levels thread=0,0,0 source=talk.metal", "STREAM", "stream="+t.Name()).Replace(want), b.String())
}

// TestKernelLogOrder: each launch's messages bear its kernel's name, whatever is recorded around
// it, and those of a thread come in order.
func TestKernelLogOrder(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{Level: mtl.LogLevelNotice}))
	p := logging(t, a, CompileOptions{})
	s, x := newStream(t, a), bufferOf[int32](t, a, 0, 0)
	silent := kernels(t, a, `kernel void add(device int *x [[buffer(0)]]) { x[0] += 1; }`)("add")
	const threads = 100
	for range 3 {
		require.NoError(t, s.Launch(t.Context(), silent, Threads1D(1), x))
		require.NoError(t, s.Launch(t.Context(), kernel(t, p, "levels"), Threads1D(1)))
		require.NoError(t, s.Launch(t.Context(), kernel(t, p, "quiet"), Threads1D(1), x))
		require.NoError(t, s.Launch(t.Context(), silent, Threads1D(1), x))
		require.NoError(t, s.Launch(t.Context(), kernel(t, p, "each"),
			Threads{Grid: Extent{X: threads}, Group: Extent{X: 32}}))
	}
	require.NoError(t, s.Sync(t.Context()))
	got, err := x.Data()
	require.NoError(t, err)
	assert.EqualValues(t, 9, got[0])
	var levels []string
	threadsOf := map[string][]string{}
	for _, m := range h {
		if m.Kernel == "levels" {
			levels = append(levels, m.Text)
			continue
		}
		assert.Equal(t, "each", m.Kernel)
		thread, what, _ := strings.Cut(m.Text, " ")
		threadsOf[thread] = append(threadsOf[thread], what)
		if m.Located {
			assert.Equal(t, thread, fmt.Sprint(m.Thread.X))
		}
	}
	assert.Equal(t, []string{"notice", "error", "fault", "notice", "error", "fault", "notice", "error", "fault"}, levels)
	assert.Len(t, threadsOf, threads)
	for i := range threads {
		assert.Equal(t, []string{"first", "second", "first", "second", "first", "second"}, threadsOf[fmt.Sprint(i)], i)
	}
}

// TestKernelLogOverflow: the last message of a launch says how many did not fit the buffer, and the
// next launch has it empty.
func TestKernelLogOverflow(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{BufferBytes: minLogBytes}))
	p, s := logging(t, a, CompileOptions{}), newStream(t, a)
	const threads = 100
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "each"), Threads1D(threads)))
	require.NoError(t, s.Sync(t.Context()))
	require.NotEmpty(t, h)
	assert.Less(t, len(h), 2*threads)
	if a.Info().Software {
		last := h[len(h)-1]
		assert.Equal(t, KernelMessage{Kernel: "each", Program: "program_source", Stream: t.Name(), Level: mtl.LogLevelError,
			Dropped: 2*threads - len(h) + 1, Text: fmt.Sprintf("%d messages were dropped: the log's buffer has 1024 bytes; "+
				"KernelLog.BufferBytes sets its size", last.Dropped)}, last)
	}
	h = nil
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "each"), Threads1D(1)))
	require.NoError(t, s.Sync(t.Context()))
	assert.Len(t, h, 2)
}

// TestKernelLogOff: without the option, kernels write nothing.
func TestKernelLogOff(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{}))
	logging(t, a, CompileOptions{})
	p, s := compile(t, a, talkative, CompileOptions{Language: mtl.LanguageVersion3_2}), newStream(t, a)
	defer p.Close()
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "levels"), Threads1D(1)))
	require.NoError(t, s.Sync(t.Context()))
	assert.Empty(t, h)
}

// TestKernelLogBadHandlers: a handler that panics or ends its goroutine loses its message, which
// the logger reports, and nothing else.
func TestKernelLogBadHandlers(t *testing.T) {
	for name, bad := range map[string]func(KernelMessage){
		"panics": func(KernelMessage) { panic("no") }, "exits": func(KernelMessage) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			a := accelerator(t, WithLogger(slog.New(slog.NewTextHandler(&b, nil))),
				WithKernelLog(KernelLog{BufferBytes: minLogBytes, Handler: bad}))
			p, s, x := logging(t, a, CompileOptions{}), newStream(t, a), bufferOf[int32](t, a, 0)
			require.NoError(t, s.Launch(t.Context(), kernel(t, p, "each"), Threads1D(100)))
			require.NoError(t, s.Launch(t.Context(), kernel(t, p, "quiet"), Threads1D(1), x))
			require.NoError(t, s.Sync(t.Context()))
			got, err := x.Data()
			require.NoError(t, err)
			assert.EqualValues(t, 1, got[0])
			assert.Contains(t, b.String(), "the handler of kernel messages failed")
		})
	}
}

// TestKernelLogOfFailure: a kernel that is stopped has written its messages.
func TestKernelLogOfFailure(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{}), WithWorkBudget(1<<22))
	if softmetal.Opened() == nil {
		t.Skip("only the software device stops kernels that run")
	}
	p := compile(t, a, `#include <metal_logging>
kernel void spin(device uint *x) {
    metal::os_log_default.log("it begins");
    while (x[0] == 0) {}
    metal::os_log_default.log("it ends");
}`, CompileOptions{Name: "spin.metal", Logging: true})
	defer p.Close()
	s := newStream(t, a)
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "spin"), Threads1D(1), bufferOf[uint32](t, a, 0)))
	require.ErrorIs(t, s.Sync(t.Context()), ErrTimeout)
	require.Len(t, h, 1)
	assert.Equal(t, "it begins", h[0].Text)
}

// TestKernelLogFromDisk: code from the disk cache logs like code that was just compiled, and a
// program without messages is another program.
func TestKernelLogFromDisk(t *testing.T) {
	dir := t.TempDir()
	var first heard
	for n := range 2 {
		var h heard
		a := accelerator(t, h.option(KernelLog{}), WithDiskCache(dir, 1<<20))
		p, s, x := logging(t, a, CompileOptions{Name: "talk.metal"}), newStream(t, a), bufferOf[int32](t, a, 7, 0)
		k := kernel(t, p, "say")
		assert.EqualValues(t, n, a.CacheStats().Disk.Hits)
		require.NoError(t, s.Launch(t.Context(), k, Threads2D(8, 2), x))
		require.NoError(t, s.Sync(t.Context()))
		assert.Len(t, h, 2)
		if n == 0 {
			first = h
		}
		assert.Equal(t, first, h)

		without := compile(t, a, talkative, CompileOptions{Name: "talk.metal", Language: mtl.LanguageVersion3_2})
		require.NoError(t, s.Launch(t.Context(), kernel(t, without, "say"), Threads2D(8, 2), x))
		require.NoError(t, s.Sync(t.Context()))
		assert.Len(t, h, 2)
		without.Close()
	}
}

// TestKernelLogOfStreams: the handler is called with one message at a time, whatever the number of
// streams, and each message names its stream.
func TestKernelLogOfStreams(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{}))
	p := logging(t, a, CompileOptions{})
	const launches = 20
	g, err := a.NewStreamGroup(t.Context(), 4)
	require.NoError(t, err)
	for range 4 {
		g.Go(func(ctx context.Context, s *Stream) error {
			for range launches {
				if err := s.Launch(ctx, kernel(t, p, "each"), Threads1D(3)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	count := map[string]int{}
	for _, m := range h {
		count[m.Stream]++
	}
	assert.Len(t, h, 4*launches*3*2)
	for name, n := range count {
		assert.Zero(t, n%(launches*3*2), name)
	}
}

// TestKernelLogRefused: what cannot log is refused, and says what it needs.
func TestKernelLogRefused(t *testing.T) {
	a := accelerator(t)
	_, err := a.Compile(t.Context(), talkative, CompileOptions{Name: "talk.metal", Logging: true,
		Language: mtl.LanguageVersion3_1})
	require.ErrorIs(t, err, ErrOption)
	assert.ErrorContains(t, err, "talk.metal: Logging needs LanguageVersion3_2 or newer, "+
		"but Language is LanguageVersion3_1")
	for _, l := range []KernelLog{{Level: -1}, {Level: 6}, {BufferBytes: -1}, {BufferBytes: 1023},
		{BufferBytes: 1<<30 + 1}} {
		_, err := Open(WithKernelLog(l))
		require.ErrorIs(t, err, ErrOption, "%+v", l)
	}
	if standin.Running() {
		return
	}
	_, err = a.Compile(t.Context(), talkative, CompileOptions{Name: "talk.metal", Language: mtl.LanguageVersion3_1})
	require.ErrorIs(t, err, ErrCompile)
	assert.ErrorContains(t, err, "talk.metal:7:")
	if a.Info().Software {
		assert.ErrorContains(t, err, "'log_info' requires Metal 3.2, but the program is compiled as Metal 3.1")
	}
}

// TestKernelLogInclude: a message in an included file says so.
func TestKernelLogInclude(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{}))
	logging(t, a, CompileOptions{})
	p := compile(t, a, "#include \"say.h\"\nkernel void k() { say(); }", CompileOptions{Name: "k.metal", Logging: true,
		Includes: fstest.MapFS{"say.h": {Data: []byte("#include <metal_logging>\n" +
			"inline void say() {\n metal::os_log_default.log(\"here\"); }\n")}}})
	defer p.Close()
	s := newStream(t, a)
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "k"), Threads1D(1)))
	require.NoError(t, s.Sync(t.Context()))
	require.Len(t, h, 1)
	if h[0].Located {
		assert.Equal(t, "say.h:3", fmt.Sprintf("%s:%d", h[0].File, h[0].Line))
	}
}

// TestKernelLogOfBody: a message of a kernel from a body names the body's own line.
func TestKernelLogOfBody(t *testing.T) {
	var h heard
	a := accelerator(t, h.option(KernelLog{}))
	k, err := FromBody(t.Context(), a, Body{Name: "talk", Outputs: []string{"int x[]"},
		Header: "#include <metal_logging>", Text: "x[0] = 1;\nos_log_default.log(\"here\");"}, CompileOptions{Logging: true})
	require.NoError(t, err)
	s, x := newStream(t, a), bufferOf[int32](t, a, 0)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x))
	require.NoError(t, s.Sync(t.Context()))
	require.Len(t, h, 1)
	assert.Equal(t, "here", h[0].Text)
	if h[0].Located {
		assert.Equal(t, "talk:2", fmt.Sprintf("%s:%d", h[0].File, h[0].Line))
	}
}
