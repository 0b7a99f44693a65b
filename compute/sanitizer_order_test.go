package compute

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
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

// TestSanitizerTransfers: a program knows that a texture is unused once it has been downloaded or
// uploaded.
func TestSanitizerTransfers(t *testing.T) {
	o := newOrderTest(t, sanitizer.All)
	x, err := NewTexture[uint32](o.a, TextureShape{Type: mtl.TextureType2D, Width: 20, Height: 5},
		TextureOptions{Format: mtl.PixelFormatR32Uint})
	require.NoError(t, err)
	t.Cleanup(x.Close)
	data := make([]uint32, 100)
	for stream := range o.s {
		require.NoError(t, x.Upload(t.Context(), data))
		o.launch(stream, "paint", x, uint32(7), uint32(0))
		require.NoError(t, x.Download(t.Context(), data))
		require.EqualValues(t, 7, data[99])
	}
	require.Empty(t, o.found())
}

// orderTest is an accelerator with a sanitizer and two streams.
type orderTest struct {
	*testing.T
	a    *Accelerator
	s    [2]*Stream
	p    *Program
	mu   sync.Mutex
	list []*sanitizer.Finding
}

func newOrderTest(t *testing.T, kinds sanitizer.Kinds) *orderTest {
	plantsMistakes(t)
	o := &orderTest{T: t}
	if !accelerator(t).Info().Software {
		t.Skip("the sanitizer is one of the software device")
	}
	o.a = accelerator(t, WithSanitizer(kinds, func(f *sanitizer.Finding) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.list = append(o.list, f)
	}))
	var err error
	o.p, err = o.a.Compile(t.Context(), orderSource, CompileOptions{Name: "order.metal"})
	require.NoError(t, err)
	t.Cleanup(o.p.Close)
	for i, name := range []string{"a", "b"} {
		o.s[i], err = o.a.NewStream(StreamOptions{Label: name})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, o.s[i].Close(context.Background())) })
	}
	return o
}

// launch launches a kernel over 100 threads and waits, without the program's knowing it, for its
// end.
func (o *orderTest) launch(stream int, kernel string, args ...any) {
	k, err := o.p.Kernel(kernel)
	require.NoError(o, err)
	require.NoError(o, o.s[stream].Launch(o.Context(), k, Threads1D(100), args...))
	o.settle(stream)
}

func (o *orderTest) settle(stream int) {
	o.s[stream].Flush()
	require.Eventually(o, func() bool { return o.s[stream].outstanding() == 0 }, time.Minute, time.Millisecond)
}

func (o *orderTest) buffer() *Buffer[uint32] {
	b, err := NewBuffer[uint32](o.a, 100, BufferOptions{Label: "data"})
	require.NoError(o, err)
	o.Cleanup(b.Close)
	return b
}

func (o *orderTest) found() []*sanitizer.Finding {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.list)
}

// TestSanitizerStreamValues: races between commands have the values that memory still holds.
func TestSanitizerStreamValues(t *testing.T) {
	for name, x := range map[string]struct {
		second string
		args   []any
		want   [2]string // of the second access and of the first, "" for unknown
	}{
		"overwritten":        {"set", []any{uint32(2)}, [2]string{"2", ""}},
		"read":               {"look", []any{nil}, [2]string{"1", "1"}},
		"changed atomically": {"add", nil, [2]string{"2", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrderTest(t, sanitizer.Race)
			b := o.buffer()
			args := append([]any{b}, x.args...)
			if x.second == "look" {
				args[1] = o.buffer()
			}
			o.launch(0, "set", b, uint32(1))
			o.launch(1, x.second, args...)
			list := o.found()
			require.Len(t, list, 1)
			assert.Equal(t, x.want, [2]string{list[0].Value.Text, list[0].Other.Value.Text})
		})
	}
}

// TestSanitizerStreams: streams that access the same bytes need an order.
func TestSanitizerStreams(t *testing.T) {
	for name, x := range map[string]struct {
		run   func(o *orderTest, b *Buffer[uint32])
		wrong bool
	}{
		"both write": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			o.launch(1, "set", b, uint32(2))
		}, true},
		"one reads": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			o.launch(1, "look", b, o.buffer())
		}, true},
		"one is atomic": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			o.launch(1, "add", b)
		}, true},
		"copy": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, Copy(o.Context(), o.s[1], o.buffer(), b))
			o.settle(1)
		}, true},
		"a wait before the other's record": {func(o *orderTest, b *Buffer[uint32]) {
			e, err := o.a.NewEvent(EventOptions{})
			require.NoError(o, err)
			defer e.Close()
			require.NoError(o, o.s[0].Record(o.Context(), e))
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, o.s[1].WaitFor(o.Context(), e))
			o.launch(1, "set", b, uint32(2))
		}, true},
		"Sync of the wrong stream": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, o.s[1].Sync(o.Context()))
			o.launch(1, "set", b, uint32(2))
		}, true},
		"event": {func(o *orderTest, b *Buffer[uint32]) {
			e, err := o.a.NewEvent(EventOptions{})
			require.NoError(o, err)
			defer e.Close()
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, o.s[0].Record(o.Context(), e))
			require.NoError(o, o.s[1].WaitFor(o.Context(), e))
			o.launch(1, "set", b, uint32(2))
		}, false},
		"Sync": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, o.s[0].Sync(o.Context()))
			o.launch(1, "set", b, uint32(2))
		}, false},
		"Wait for an event": {func(o *orderTest, b *Buffer[uint32]) {
			e, err := o.a.NewEvent(EventOptions{})
			require.NoError(o, err)
			defer e.Close()
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, o.s[0].Record(o.Context(), e))
			require.NoError(o, e.Wait(o.Context()))
			o.launch(1, "set", b, uint32(2))
		}, false},
		"Upload": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, b.Upload(o.Context(), make([]uint32, 100)))
			o.launch(1, "set", b, uint32(2))
		}, false},
		"callback": {func(o *orderTest, b *Buffer[uint32]) {
			called := make(chan bool)
			o.launch(0, "set", b, uint32(1))
			require.NoError(o, o.s[0].Callback(o.Context(), func(error) { close(called) }))
			<-called
			o.launch(1, "set", b, uint32(2))
		}, false},
		"one stream": {func(o *orderTest, b *Buffer[uint32]) {
			for i := range 5 {
				o.launch(0, "set", b, uint32(i))
				o.launch(0, "look", b, o.buffer())
				require.NoError(o, Copy(o.Context(), o.s[0], o.buffer(), b))
			}
		}, false},
		"both read": {func(o *orderTest, b *Buffer[uint32]) {
			require.NoError(o, b.Upload(o.Context(), make([]uint32, 100)))
			o.launch(0, "look", b, o.buffer())
			o.launch(1, "look", b, o.buffer())
		}, false},
		"both are atomic": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "add", b)
			o.launch(1, "add", b)
		}, false},
		"other bytes": {func(o *orderTest, _ *Buffer[uint32]) {
			b, err := NewBuffer[uint32](o.a, 200, BufferOptions{})
			require.NoError(o, err)
			defer b.Close()
			low, err := b.Slice(0, 100)
			require.NoError(o, err)
			high, err := b.Slice(100, 200)
			require.NoError(o, err)
			o.launch(0, "set", low, uint32(1))
			o.launch(1, "set", high, uint32(2))
		}, false},
		"memory that the pool rents again": {func(o *orderTest, _ *Buffer[uint32]) {
			for i := range 2 {
				b, err := NewBuffer[uint32](o.a, 100, BufferOptions{})
				require.NoError(o, err)
				o.launch(i, "set", b, uint32(1))
				b.Close()
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrderTest(t, sanitizer.Race)
			x.run(o, o.buffer())
			found := o.found()
			if !x.wrong {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			f := found[0]
			t.Log(f)
			assert.Equal(t, sanitizer.Race, f.Kind)
			assert.Contains(t, f.Message, `nothing orders queue "a" and queue "b"`)
			assert.Contains(t, f.Advice, "Stream.WaitFor")
			assert.Equal(t, "data", f.Label)
			assert.NotZero(t, f.Line)
			require.NotNil(t, f.Other)
			assert.NotEqual(t, f.Command, f.Other.Command)
		})
	}
}

// TestSanitizerTextures: streams that access the same texels need an order, others do not.
func TestSanitizerTextures(t *testing.T) {
	for name, x := range map[string]struct {
		run   func(o *orderTest, x *Texture[uint32])
		wrong string // what the second command does
	}{
		"both write": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "paint", x, uint32(1), uint32(0))
			o.launch(1, "paint", x, uint32(2), uint32(0))
		}, "writes"},
		"one reads": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "paint", x, uint32(1), uint32(0))
			o.launch(1, "peek", x, o.buffer())
		}, "reads"},
		"one samples": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "paint", x, uint32(1), uint32(0))
			o.launch(1, "shade", x, o.buffer())
		}, "reads"},
		"a copy": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(1, "paint", x, uint32(1), uint32(0))
			b, err := NewBuffer[uint32](o.a, 400, BufferOptions{})
			require.NoError(o, err)
			o.Cleanup(b.Close)
			require.NoError(o, CopyFromTexture(o.Context(), o.s[0], b, x))
			o.settle(0)
		}, "writes"},
		"other texels": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "paint", x, uint32(1), uint32(0))
			o.launch(1, "paint", x, uint32(2), uint32(200))
			o.launch(1, "shade", x, o.buffer())
		}, "reads"},
		"only other texels": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "paint", x, uint32(1), uint32(0))
			o.launch(1, "paint", x, uint32(2), uint32(200))
		}, ""},
		"both read": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "shade", x, o.buffer())
			o.launch(1, "peek", x, o.buffer())
		}, ""},
		"an event": {func(o *orderTest, x *Texture[uint32]) {
			e, err := o.a.NewEvent(EventOptions{})
			require.NoError(o, err)
			defer e.Close()
			o.launch(0, "paint", x, uint32(1), uint32(0))
			require.NoError(o, o.s[0].Record(o.Context(), e))
			require.NoError(o, o.s[1].WaitFor(o.Context(), e))
			o.launch(1, "shade", x, o.buffer())
		}, ""},
		"one stream": {func(o *orderTest, x *Texture[uint32]) {
			o.launch(0, "paint", x, uint32(1), uint32(0))
			o.launch(0, "peek", x, o.buffer())
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrderTest(t, sanitizer.Race)
			x.run(o, newTexture[uint32](t, o.a, Texture2D(20, 20), TextureOptions{}))
			list := o.found()
			if x.wrong == "" {
				require.Empty(t, list)
				return
			}
			require.Len(t, list, 1)
			f := list[0]
			assert.Equal(t, x.wrong, f.Does)
			assert.Equal(t, `texture 0 "x"`, f.Memory)
			assert.True(t, f.Thread.Known)
			assert.Zero(t, f.Thread.Index, "the first texel that both access")
			assert.Contains(t, f.String(), `of kernel "`+f.Kernel+`" in compute encoder`)
			if f.Other.Kernel != "" {
				assert.Equal(t, f.Thread, f.Other.Thread)
			}
		})
	}
}

// TestSanitizerSync: without a function, Sync returns the findings of its stream.
func TestSanitizerSync(t *testing.T) {
	plantsMistakes(t)
	if !accelerator(t).Info().Software {
		t.Skip("the sanitizer is one of the software device")
	}
	a := accelerator(t, WithSanitizer(sanitizer.All, nil))
	p, err := a.Compile(t.Context(), orderSource, CompileOptions{Name: "order.metal"})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("set")
	require.NoError(t, err)
	b, err := NewBuffer[uint32](a, 100, BufferOptions{})
	require.NoError(t, err)
	defer b.Close()
	var streams []*Stream
	for range 2 {
		s, err := a.NewStream(StreamOptions{})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close(t.Context())) }()
		streams = append(streams, s)
	}
	require.NoError(t, streams[0].Launch(t.Context(), k, Threads1D(101), b, uint32(1)))
	other, err := NewBuffer[uint32](a, 1, BufferOptions{})
	require.NoError(t, err)
	defer other.Close()
	require.NoError(t, streams[1].Launch(t.Context(), k, Threads1D(1), other, uint32(1)))
	err = streams[0].Sync(t.Context())
	var f *sanitizer.Finding
	require.True(t, errors.As(err, &f), "%v", err)
	assert.Equal(t, sanitizer.Bounds, f.Kind)
	assert.Equal(t, 5, f.Line)
	require.NoError(t, streams[0].Sync(t.Context()), "a finding is returned once")
}
