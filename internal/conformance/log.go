package conformance

import (
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const logKernels = `
#include <metal_logging>
constant os_log custom("com.example.metal", "kernels");
kernel void levels() {
    os_log_default.log_debug("debug");
    os_log_default.log_info("info");
    os_log_default.log("default");
    os_log_default.log_error("error");
    os_log_default.log_fault("fault");
}
kernel void named(uint i [[thread_position_in_grid]]) {
    if (i == 3) custom.log_info("thread %u", i);
}
kernel void numbers(constant float& x [[buffer(0)]]) {
    os_log_default.log("%d %u %x %5.2f|%-6d|%v2d", -7, 7u, 255, x, 42, int2(1, -1));
}
kernel void each(uint i [[thread_position_in_grid]]) {
    os_log_default.log("%u", i);
}
`

// said is a message as a handler gets it.
type said struct {
	subsystem, category string
	level               mtl.LogLevel
	text                string
}

// listener remembers messages.
type listener struct {
	mu   sync.Mutex
	said []said
}

func (l *listener) hear(subsystem, category string, level mtl.LogLevel, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, said{subsystem, category, level, text})
}

// texts returns what the messages say, and forgets them.
func (l *listener) texts() (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.said {
		out = append(out, s.text)
	}
	l.said = nil
	return out
}

// logState makes a log state and a receiver for its messages.
func (r *rig) logState(level mtl.LogLevel, size int) (mtl.LogState, *listener) {
	r.Helper()
	d := own(r, must(mtl.NewLogStateDescriptor()))
	d.SetLevel(level)
	d.SetBufferSize(size)
	s, l := own(r, must(r.device.NewLogStateWithDescriptor(d))), &listener{}
	s.AddLogHandler(l.hear)
	return s, l
}

// logging compiles the kernels that log, with logging or without.
func (r *rig) logging(name string, on bool) mtl.ComputePipelineState {
	r.Helper()
	o := own(r, must(mtl.NewCompileOptions()))
	o.SetLanguageVersion(mtl.LanguageVersion3_2)
	do(o.SetEnableLogging(on))
	l := own(r, must(r.device.NewLibrary(preamble+logKernels, o)))
	return own(r, must(r.device.NewComputePipelineState(own(r, must(l.NewFunction(name))))))
}

// logged runs a kernel in a command buffer with a log state.
func (r *rig) logged(s mtl.LogState, p mtl.ComputePipelineState, threads uint) {
	r.Helper()
	d := own(r, must(mtl.NewCommandBufferDescriptor()))
	do(d.SetLogState(s))
	r.runLogged(must(r.queue().CommandBufferWithDescriptor(d)), p, threads)
}

func (r *rig) runLogged(b mtl.CommandBuffer, p mtl.ComputePipelineState, threads uint) {
	r.Helper()
	r.encode(b, func(e mtl.ComputeCommandEncoder) {
		set(e, p)
		do(e.SetBytes(float(1.5), 0), e.DispatchThreads(line(threads), line(threads)))
	})
	r.finish(b)
}

func logCases() []aCase {
	const kib = 1 << 10
	return []aCase{
		{"descriptor", "The descriptor of a log state has a buffer of a megabyte until it is told otherwise.", func(r *rig) {
			d := own(r, must(mtl.NewLogStateDescriptor()))
			assert.Equal(r, 1<<20, d.BufferSize())
			d.SetLevel(mtl.LogLevelError)
			d.SetBufferSize(2 * kib)
			assert.Equal(r, mtl.LogLevelError, d.Level())
			assert.Equal(r, 2*kib, d.BufferSize())
		}},
		{"size too small", "A buffer of less than a kilobyte is refused.", func(r *rig) {
			d := own(r, must(mtl.NewLogStateDescriptor()))
			d.SetBufferSize(kib - 1)
			_, err := r.device.NewLogStateWithDescriptor(d)
			assert.ErrorContains(r, err, "1023")
		}},
		{"size too large", "A buffer of more than a gigabyte is refused.", func(r *rig) {
			d := own(r, must(mtl.NewLogStateDescriptor()))
			d.SetBufferSize(1<<30 + 1)
			_, err := r.device.NewLogStateWithDescriptor(d)
			assert.ErrorContains(r, err, "1073741825")
		}},
		{"levels", "A handler gets the level of each message.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			r.logged(s, r.logging("levels", true), 1)
			assert.Equal(r, []said{{"", "", mtl.LogLevelDebug, "debug"}, {"", "", mtl.LogLevelInfo, "info"},
				{"", "", mtl.LogLevelNotice, "default"},
				{"", "", mtl.LogLevelError, "error"}, {"", "", mtl.LogLevelFault, "fault"}}, l.said)
		}},
		{"least level", "Messages below the log state's level are not kept.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelError, kib)
			r.logged(s, r.logging("levels", true), 1)
			assert.Equal(r, []string{"error", "fault"}, l.texts())
		}},
		{"subsystem and category", "A handler gets the subsystem and the category of the log.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			r.logged(s, r.logging("named", true), 8)
			assert.Equal(r, []said{{"com.example.metal", "kernels", mtl.LogLevelInfo, "thread 3"}}, l.said)
		}},
		{"format", "Numbers are formatted as printf does it, and vectors with commas.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			r.logged(s, r.logging("numbers", true), 1)
			assert.Equal(r, []string{"-7 7 ff  1.50|42    |1,-1"}, l.texts())
		}},
		{"each thread", "Each thread logs for itself.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, 64*kib)
			r.logged(s, r.logging("each", true), 100)
			var want []string
			for i := range 100 {
				want = append(want, fmt.Sprint(i))
			}
			slices.Sort(want)
			assert.Equal(r, want, slices.Sorted(slices.Values(l.texts())))
		}},
		{"full", "What does not fit the buffer is dropped, and the next command buffer has it empty.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			p := r.logging("each", true)
			r.logged(s, p, 1000)
			n := len(l.texts())
			assert.True(r, n > 0 && n < 1000, "%d messages", n)
			r.logged(s, p, 1)
			assert.Equal(r, []string{"0"}, l.texts())
		}},
		{"without logging", "A library that is compiled without logging logs nothing.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			r.logged(s, r.logging("levels", false), 1)
			assert.Empty(r, l.texts())
		}},
		{"of a queue", "A queue's log state is that of its command buffers.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			d := own(r, must(mtl.NewCommandQueueDescriptor()))
			d.SetLogState(s)
			q := own(r, must(r.device.NewCommandQueueWithDescriptor(d)))
			r.runLogged(must(q.CommandBuffer()), r.logging("named", true), 4)
			assert.Equal(r, []string{"thread 3"}, l.texts())
		}},
		{"of queue and command buffer", "A command buffer's log state goes before its queue's.", func(r *rig) {
			first, silent := r.logState(mtl.LogLevelDebug, kib)
			second, l := r.logState(mtl.LogLevelDebug, kib)
			d := own(r, must(mtl.NewCommandQueueDescriptor()))
			d.SetLogState(first)
			q := own(r, must(r.device.NewCommandQueueWithDescriptor(d)))
			b := own(r, must(mtl.NewCommandBufferDescriptor()))
			do(b.SetLogState(second))
			r.runLogged(must(q.CommandBufferWithDescriptor(b)), r.logging("named", true), 4)
			assert.Empty(r, silent.texts())
			assert.Equal(r, []string{"thread 3"}, l.texts())
		}},
		{"several handlers", "Every handler gets every message.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelError, kib)
			other := &listener{}
			s.AddLogHandler(other.hear)
			r.logged(s, r.logging("levels", true), 1)
			assert.Equal(r, []string{"error", "fault"}, l.texts())
			assert.Equal(r, []string{"error", "fault"}, other.texts())
		}},
		{"before completion", "Messages come before the handlers of completion are called.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, kib)
			d := own(r, must(mtl.NewCommandBufferDescriptor()))
			do(d.SetLogState(s))
			b := must(r.queue().CommandBufferWithDescriptor(d))
			heard := make(chan []string, 1)
			do(b.AddCompletedHandler(func(mtl.CommandBuffer) { heard <- l.texts() }))
			r.runLogged(b, r.logging("named", true), 4)
			assert.Equal(r, []string{"thread 3"}, <-heard)
		}},
		{"several dispatches", "The messages of all dispatches of a command buffer come.", func(r *rig) {
			s, l := r.logState(mtl.LogLevelDebug, 64*kib)
			p := r.logging("each", true)
			d := own(r, must(mtl.NewCommandBufferDescriptor()))
			do(d.SetLogState(s))
			b := must(r.queue().CommandBufferWithDescriptor(d))
			r.encode(b, func(e mtl.ComputeCommandEncoder) {
				set(e, p)
				for n := uint(1); n <= 3; n++ {
					do(e.DispatchThreads(line(n), line(1)))
				}
			})
			r.finish(b)
			assert.Equal(r, []string{"0", "0", "0", "1", "1", "2"}, slices.Sorted(slices.Values(l.texts())))
		}},
	}
}
