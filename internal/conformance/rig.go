package conformance

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// rig is the environment of a case: a device, and a queue and kernels created on first use.
// Everything it creates is released at the end of the case, which fails for faults and leaked
// objects.
type rig struct {
	T
	device  mtl.Device
	queue_  mtl.CommandQueue
	library mtl.Library
}

// clean wraps the case in an autorelease pool, and fails it for faults and leaked objects.
func clean(t T) {
	t.Helper()
	must(objc.CurrentDriver())
	objc.Release(objc.NewString("warm")) // some objects are made at the first use and stay
	before := objc.LiveObjects()
	var mu sync.Mutex
	var faults []*objc.Fault
	t.Cleanup(objc.OnFault(func(f *objc.Fault) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, f)
	}))
	pool := must(objc.NewAutoreleasePool())
	t.Cleanup(func() {
		assert.NoError(t, pool.Drain())
		// A block is released on its completion handler's thread, perhaps a moment after the
		// handler's message.
		after := objc.LiveObjects()
		for end := time.Now().Add(5 * time.Second); after > before && time.Now().Before(end); after = objc.LiveObjects() {
			time.Sleep(time.Millisecond)
		}
		if after > before {
			t.Errorf("%d live objects at the end, %d at the beginning: %v", after, before, objc.Leaks())
		}
		mu.Lock()
		defer mu.Unlock()
		for _, f := range faults {
			t.Errorf("unexpected fault: %v", f)
		}
	})
}

// holds ends the case unless a check has passed.
func (r *rig) holds(passed bool) {
	if !passed {
		r.FailNow()
	}
}

// own has an object released at the end of the case.
func own[T interface {
	ID() objc.ID
	Release()
}](r *rig, o T) T {
	r.Helper()
	r.holds(assert.False(r, o.ID().IsNil(), "nil in place of an object"))
	r.Cleanup(o.Release)
	return o
}

// queue returns the case's queue.
func (r *rig) queue() mtl.CommandQueue {
	if r.queue_.IsNil() {
		r.queue_ = own(r, must(r.device.NewCommandQueue()))
	}
	return r.queue_
}

// source compiles a library.
func (r *rig) source(src string) mtl.Library {
	r.Helper()
	return own(r, must(r.device.NewLibrary("#include <metal_stdlib>\nusing namespace metal;\n"+src, mtl.CompileOptions{})))
}

// function returns one of the shared kernels.
func (r *rig) function(name string) mtl.Function {
	r.Helper()
	if r.library.IsNil() {
		r.library = r.source(kernels)
	}
	return own(r, must(r.library.NewFunction(name)))
}

// kernel returns a pipeline of one of the shared kernels.
func (r *rig) kernel(name string) mtl.ComputePipelineState {
	r.Helper()
	return own(r, must(r.device.NewComputePipelineState(r.function(name))))
}

// pipeline returns a pipeline of a kernel of some source.
func (r *rig) pipeline(src, name string) mtl.ComputePipelineState {
	r.Helper()
	f := own(r, must(r.source(src).NewFunction(name)))
	return own(r, must(r.device.NewComputePipelineState(f)))
}

// buffer returns a shared buffer of n bytes.
func (r *rig) buffer(n uint) mtl.Buffer {
	r.Helper()
	return own(r, must(r.device.NewBuffer(n, mtl.ResourceStorageModeShared)))
}

// private returns a private buffer of n bytes.
func (r *rig) private(n uint) mtl.Buffer {
	r.Helper()
	return own(r, must(r.device.NewBuffer(n, mtl.ResourceStorageModePrivate)))
}

// uints returns a shared buffer with words.
func (r *rig) uints(v ...uint32) mtl.Buffer {
	r.Helper()
	b := r.buffer(uint(4 * len(v)))
	copy(must(mtl.Slice[uint32](b)), v)
	return b
}

// floats returns a shared buffer with numbers.
func (r *rig) floats(v ...float32) mtl.Buffer {
	r.Helper()
	b := r.buffer(uint(4 * len(v)))
	copy(must(mtl.Slice[float32](b)), v)
	return b
}

// words returns a copy of the contents.
func (r *rig) words(b mtl.Buffer) []uint32 {
	r.Helper()
	return slices.Clone(must(mtl.Slice[uint32](b)))
}

func (r *rig) commands() mtl.CommandBuffer {
	r.Helper()
	return must(r.queue().CommandBuffer())
}

// encode opens a compute encoder, has f write to it and ends it.
func (r *rig) encode(b mtl.CommandBuffer, f func(mtl.ComputeCommandEncoder)) {
	r.Helper()
	e := must(b.ComputeCommandEncoder())
	f(e)
	do(e.EndEncoding())
}

// blit is encode for copies.
func (r *rig) blit(b mtl.CommandBuffer, f func(mtl.BlitCommandEncoder)) {
	r.Helper()
	e := must(b.BlitCommandEncoder())
	f(e)
	do(e.EndEncoding())
}

// finish commits a command buffer and waits for it.
func (r *rig) finish(b mtl.CommandBuffer) {
	r.Helper()
	do(b.Commit(), b.Wait(r.Context()))
}

// compute runs what f encodes.
func (r *rig) compute(f func(mtl.ComputeCommandEncoder)) {
	r.Helper()
	b := r.commands()
	r.encode(b, f)
	r.finish(b)
}

// copies runs the copies that f encodes.
func (r *rig) copies(f func(mtl.BlitCommandEncoder)) {
	r.Helper()
	b := r.commands()
	r.blit(b, f)
	r.finish(b)
}

// set sets a pipeline, and binds buffers to the slots from 0 on.
func set(e mtl.ComputeCommandEncoder, p mtl.ComputePipelineState, buffers ...mtl.Buffer) {
	do(e.SetComputePipelineState(p))
	for i, b := range buffers {
		do(e.SetBuffer(b, 0, uint(i)))
	}
}

// refused checks that err wraps kind.
func (r *rig) refused(err, kind error) {
	r.Helper()
	assert.ErrorIs(r, err, kind)
}

// beyond checks that err names the rejected value and the limit it broke.
func (r *rig) beyond(err, kind error, value, limit uint64) {
	r.Helper()
	r.holds(assert.ErrorIs(r, err, kind))
	var l *mtl.LimitError
	r.holds(assert.ErrorAs(r, err, &l))
	assert.Equal(r, value, l.Value, "value")
	assert.Equal(r, limit, l.Limit, "limit")
	assert.NotEmpty(r, l.Call)
}

// line is a size of one dimension.
func line(n uint) mtl.Size { return mtl.Size{Width: n, Height: 1, Depth: 1} }

// size is a size of three.
func size(w, h, d uint) mtl.Size { return mtl.Size{Width: w, Height: h, Depth: d} }

// word is a number as kernels read it.
func word(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// float is word for numbers with a fraction.
func float(f float32) []byte { return word(math.Float32bits(f)) }

// count returns 1, 2 ... n.
func count(n int) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = uint32(i + 1)
	}
	return v
}

// pooled runs f in an autorelease pool, for goroutines of a case.
func pooled(f func()) { objc.Pool(f) }
