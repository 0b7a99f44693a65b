package graph

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/sanitizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const orderSource = `#include <metal_stdlib>
using namespace metal;
kernel void set(device uint *out [[buffer(0)]], constant uint &value [[buffer(1)]],
                uint i [[thread_position_in_grid]]) {
    out[i] = value;
}
kernel void add(device atomic_uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(&out[i], 1u, memory_order_relaxed);
}
kernel void look(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
    out[i] = in[i];
}
kernel void paint(texture2d<uint, access::write> x [[texture(0)]], constant uint &value [[buffer(0)]],
                  constant uint &from [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    x.write(uint4(value), uint2((i + from) % 20, (i + from) / 20));
}
kernel void peek(texture2d<uint, access::read> x [[texture(0)]], device uint *out [[buffer(0)]],
                 uint i [[thread_position_in_grid]]) {
    out[i] = x.read(uint2(i % 20, i / 20)).x;
}
kernel void shade(texture2d<uint, access::sample> x [[texture(0)]], device uint *out [[buffer(0)]],
                  uint i [[thread_position_in_grid]]) {
    constexpr sampler s(coord::pixel, filter::nearest);
    out[i] = x.sample(s, float2(i % 20, i / 20) + 0.5f).x;
}`

// fillSource encodes one command, and sets numbers.
const fillSource = `#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;
struct Fill { command_buffer commands; compute_pipeline_state state; device uint *out; uint n; };
kernel void one(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i; }
kernel void fill(device const Fill &f [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    compute_command c(f.commands, 1 - i % 2);
    c.set_compute_pipeline_state(f.state);
    c.set_kernel_buffer(f.out, 0);
    c.concurrent_dispatch_threads(uint3(f.n, 1, 1), uint3(f.n, 1, 1));
}`

// TestSanitizerCommands: streams that encode and execute the same commands need an order.
func TestSanitizerCommands(t *testing.T) {
	type commandsTest struct {
		*orderTest
		c       *Commands
		one     *compute.Kernel
		fill    *compute.Kernel
		handles *compute.Buffer[encodeArguments]
		out     *compute.Buffer[uint32]
	}
	encodeBy := func(o *commandsTest, threads, group, stream int) {
		require.NoError(o, o.s[stream].Launch(o.Context(), o.fill, compute.Threads1D(threads).In(compute.Extent{X: group}),
			o.handles,
			Fills(o.c), compute.Writes(o.out)))
		o.settle(stream)
	}
	encode := func(o *commandsTest, stream int) { encodeBy(o, 1, 1, stream) }
	execute := func(o *commandsTest, stream, from, to int) {
		require.NoError(o, o.c.Execute(o.Context(), o.s[stream], from, to, compute.Writes(o.out)))
		o.settle(stream)
	}
	event := func(o *commandsTest) {
		e, err := o.a.NewEvent(compute.EventOptions{})
		require.NoError(o, err)
		defer e.Close()
		require.NoError(o, o.s[0].Record(o.Context(), e))
		require.NoError(o, o.s[1].WaitFor(o.Context(), e))
	}
	for name, x := range map[string]struct {
		run     func(o *commandsTest)
		message string // of the finding, "" for none
		line    int
	}{
		"executed elsewhere": {func(o *commandsTest) {
			encode(o, 0)
			execute(o, 1, 1, 2)
		}, "command 1 of the same indirect", 8},
		"encoded twice": {func(o *commandsTest) {
			encode(o, 0)
			encode(o, 1)
		}, "command 1 of the same indirect", 8},
		"encoded by two threads": {func(o *commandsTest) {
			encodeBy(o, 3, 3, 0)
		}, "two threads of a simdgroup access command 1 of the same indirect", 8},
		"encoded by two threadgroups": {func(o *commandsTest) {
			encodeBy(o, 3, 1, 0)
		}, "two threadgroups access command 1 of the same indirect", 8},
		"each thread encodes another": {func(o *commandsTest) {
			encodeBy(o, 2, 2, 0)
		}, "", 0},
		"reset elsewhere": {func(o *commandsTest) {
			require.NoError(o, o.c.ResetOn(o.Context(), o.s[0], 0, 1))
			o.settle(0)
			execute(o, 1, 0, 2)
		}, "command 0 of the same indirect", 0},
		"event": {func(o *commandsTest) {
			encode(o, 0)
			event(o)
			execute(o, 1, 0, 2)
		}, "", 0},
		"other commands": {func(o *commandsTest) {
			encode(o, 0)
			execute(o, 1, 0, 1)
		}, "", 0},
		"one stream": {func(o *commandsTest) {
			encode(o, 0)
			execute(o, 0, 0, 2)
			require.NoError(o, o.c.ResetOn(o.Context(), o.s[0], 0, 2))
			encode(o, 0)
			execute(o, 0, 0, 2)
		}, "", 0},
		"Set waits": {func(o *commandsTest) {
			encode(o, 0)
			require.NoError(o, o.c.Set(o.Context(), 1, o.one, compute.Threads1D(4), o.out))
			execute(o, 1, 0, 2)
		}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := &commandsTest{orderTest: newOrderTest(t, sanitizer.All)}
			p, err := o.a.Compile(t.Context(), fillSource, compute.CompileOptions{Name: "fill.metal"})
			require.NoError(t, err)
			t.Cleanup(p.Close)
			o.one, err = p.Kernel("one")
			require.NoError(t, err)
			o.fill, err = p.Kernel("fill")
			require.NoError(t, err)
			o.c, o.out = commandsOf(t, o.a, 2), o.buffer()
			h := encodeArguments{N: 4}
			h.Commands, err = o.c.Handle()
			require.NoError(t, err)
			h.Twice, err = o.c.KernelHandle(t.Context(), o.one)
			require.NoError(t, err)
			h.X, err = o.out.Address()
			require.NoError(t, err)
			o.handles = bufferOf(t, o.a, h)
			x.run(o)
			list := o.found()
			if x.message == "" {
				require.Empty(t, list)
				return
			}
			require.NotEmpty(t, list)
			assert.Equal(t, sanitizer.Race, list[0].Kind)
			assert.Contains(t, list[0].Message, x.message)
			assert.Contains(t, list[0].String(), `indirect command buffer "TestSanitizerCommands`)
			assert.Equal(t, x.line, list[0].Line)
			assert.NotNil(t, list[0].Other)
		})
	}
}

// orderTest is an accelerator with a sanitizer and two streams.
type orderTest struct {
	*testing.T
	a    *compute.Accelerator
	s    [2]*compute.Stream
	p    *compute.Program
	mu   sync.Mutex
	list []*sanitizer.Finding
}

func newOrderTest(t *testing.T, kinds sanitizer.Kinds) *orderTest {
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("the kernels are wrong on purpose, and PUREMETAL_SANITIZE logs that")
	}
	o := &orderTest{T: t}
	if !accelerator(t).Info().Software {
		t.Skip("the sanitizer is one of the software device")
	}
	o.a = accelerator(t, compute.WithSanitizer(kinds, func(f *sanitizer.Finding) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.list = append(o.list, f)
	}))
	var err error
	o.p, err = o.a.Compile(t.Context(), orderSource, compute.CompileOptions{Name: "order.metal"})
	require.NoError(t, err)
	t.Cleanup(o.p.Close)
	for i, name := range []string{"a", "b"} {
		o.s[i], err = o.a.NewStream(compute.StreamOptions{Label: name})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, o.s[i].Close(context.Background())) })
	}
	return o
}

func (o *orderTest) buffer() *compute.Buffer[uint32] {
	b, err := compute.NewBuffer[uint32](o.a, 100, compute.BufferOptions{Label: "data"})
	require.NoError(o, err)
	o.Cleanup(b.Close)
	return b
}

func (o *orderTest) found() []*sanitizer.Finding {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.list)
}

// settle waits for a stream's work.
func (o *orderTest) settle(stream int) {
	o.s[stream].Flush()
	require.Eventually(o, func() bool { s := o.s[stream].Stats(); return s.InFlight+s.Waiting == 0 }, time.Minute,
		time.Millisecond)
}
