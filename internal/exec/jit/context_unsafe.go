package jit

import (
	"math"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit/emit"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// callContext is the memory of a call of a range, apart from the frame. It implements
// exec.MachineContext.
type callContext struct {
	r     *Range
	frame []byte   // of the strip; the code has its address
	v     *version // whose code it runs
	mem   []uint64 // keeps the memory alive
	left  []uint64 // memory that it had before, into which addresses may point
	at    unsafe.Pointer
	code  uintptr // where the code begins
}

// ContextBytes implements exec.MachineCode. Once the parts are compiled, it may be more.
func (r *Range) ContextBytes() int64 { return int64(r.now.Load().Context) }

// NewContext implements exec.MachineCode.
func (r *Range) NewContext(frame, thread []byte, lanes int) exec.MachineContext {
	x := &callContext{r: r, frame: frame}
	x.grow(r.now.Load())
	address, _ := x.base(frame)
	x.set(emit.CtxFrame, address)
	if at := r.Thread; at != 0 {
		address, _ := x.base(thread)
		x.set(at+emit.ThreadAt, address)
		x.set(at+emit.ThreadStride, uint64(4*lanes))
		x.set(at+emit.ThreadFirst, address)
		x.set(at+emit.ThreadLength, uint64(len(thread)))
	}
	return x
}

// grow makes the context one for a version of the code.
func (x *callContext) grow(v *version) {
	from, words, constants := x.at, 0, v.Constants
	if x.v != nil {
		words, constants = x.v.Context/8, constants[len(x.v.Constants):]
		x.left = x.mem
	}
	x.code = v.mem.Entry(v.begin)
	x.v, x.mem = v, make([]uint64, v.Context/8+9)
	p := unsafe.Pointer(unsafe.SliceData(x.mem))
	x.at = unsafe.Add(p, -uintptr(p)&63)
	copy(unsafe.Slice((*uint64)(x.at), words), unsafe.Slice((*uint64)(from), words))
	for _, c := range constants {
		for i, w := range c.Words {
			x.set(c.At+8*int32(i), w)
		}
	}
}

func (x *callContext) set(at int32, v uint64) { *(*uint64)(unsafe.Add(x.at, at)) = v }
func (x *callContext) get(at int32) uint64    { return *(*uint64)(unsafe.Add(x.at, at)) }

func (x *callContext) set32(at int32, v uint32) { *(*uint32)(unsafe.Add(x.at, at)) = v }

// base returns the address of memory and how far it is behind a word's begin.
func (x *callContext) base(data []byte) (address, skew uint64) {
	address = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	return address, address & 3
}

// aligned reports whether no texel of 2 bytes is in two words.
func (x *callContext) aligned(v *texel.View) bool {
	_, skew := x.base(v.Data)
	return (skew|uint64(v.Row)|uint64(v.Plane))&1 == 0
}

// Memory implements exec.MachineContext.
func (x *callContext) Memory() []byte { return unsafe.Slice((*byte)(x.at), x.v.Context) }

// SetStrip implements exec.MachineContext.
func (x *callContext) SetStrip(first [3]int32, full *[lir.MaskWords]uint32) {
	for i, v := range first {
		x.set(emit.CtxFirst+8*int32(i), uint64(v))
	}
	*(*[lir.MaskWords]uint32)(unsafe.Add(x.at, emit.CtxFull)) = *full
}

// SetObject implements exec.MachineContext.
func (x *callContext) SetObject(n int, data []byte, readOnly bool) {
	o := &x.r.Objects[n]
	if readOnly && o.Written {
		data = nil
	}
	x.set(o.At+emit.ObjAddress, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))))
	length, bound4, bound2, bound8, short := emit.ObjectLimits(len(data))
	x.set(o.At+emit.ObjLength, length)
	x.set(o.At+emit.ObjBound4, bound4)
	x.set(o.At+emit.ObjBound2, bound2)
	x.set(o.At+emit.ObjBound8, bound8)
	x.set(o.At+emit.ObjShort, short)
}

// Forget implements exec.MachineContext.
func (x *callContext) Forget(n int) { x.set(x.r.Objects[n].At+emit.ObjHandle, math.MaxUint64) }

// Asked implements exec.MachineContext.
func (x *callContext) Asked() (n int, handle uint64, ok bool) {
	n = int(x.get(emit.CtxObject)) - 1
	if n < 0 {
		return 0, 0, false
	}
	handle = x.get(emit.CtxHandle)
	x.set(emit.CtxObject, 0)
	x.set(x.r.Objects[n].At+emit.ObjHandle, handle)
	return n, handle, true
}

// SetGiven implements exec.MachineContext.
func (x *callContext) SetGiven(n int, v uint64) { x.set(x.r.Givens[n].At, v) }

// SetGroups implements exec.MachineContext.
func (x *callContext) SetGroups(first *[3]int, n, work int64, shared []byte, columns int) {
	for _, g := range x.r.moving {
		x.set(g.at, uint64(first[g.axis]))
	}
	if !x.r.Row {
		return
	}
	x.set(emit.CtxColumn, uint64(first[0]))
	x.set(emit.CtxColumns, uint64(columns))
	x.set(emit.CtxLine, uint64(first[1]))
	x.set(emit.CtxGroups, uint64(n))
	x.set(emit.CtxGroupWork, uint64(work))
	x.set(emit.CtxShared, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(shared)))))
	x.set(emit.CtxShared+8, uint64(len(shared)))
}

// GroupsLeft implements exec.MachineContext.
func (x *callContext) GroupsLeft() int64 { return int64(x.get(emit.CtxGroups)) }

// Run implements exec.MachineContext. Its error says why more of the code could not be compiled.
func (x *callContext) Run(fuel int64, resume bool) (exit int, left int64, err error) {
	kept := int64(0) // that the code does not get
	if x.r.starve {
		kept = fuel
	}
	x.set(emit.CtxFuel, uint64(fuel-kept))
	entry := x.code
	if resume {
		entry += uintptr(x.v.Resume)
	}
	n := call(entry, x.at)
	for n >= emit.FirstPart && n < emit.FirstCall {
		v, err := x.r.whole()
		if err != nil {
			return -1, int64(x.get(emit.CtxFuel)) + kept, err
		}
		if x.v != v {
			x.grow(v)
		}
		x.set(emit.CtxResume, uint64(v.mem.Entry(v.begin+v.Parts[n-emit.FirstPart])))
		n = call(x.code+uintptr(v.Resume), x.at)
	}
	left = int64(x.get(emit.CtxFuel)) + kept
	switch {
	case n == emit.Suspended:
		return -1, left, nil
	case n >= emit.FirstCall:
		return -2 - (int(n) - emit.FirstCall), left, nil
	}
	return int(n), left, nil
}
