package jit

import (
	"math"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec/jit/emit"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Context is the memory of a call of a range, apart from the frame. It is used by one goroutine.
type Context struct {
	r    *Range
	v    *version // whose code it runs
	mem  []uint64 // keeps the memory alive
	left []uint64 // memory that it had before, into which addresses may point
	at   unsafe.Pointer
	code uintptr // where the code begins
}

// ContextBytes returns the memory that a context takes, until the rest of the code is compiled.
func (r *Range) ContextBytes() int64 { return int64(r.now.Load().Context) }

// NewContext returns a context for a range.
func NewContext(r *Range) *Context {
	x := &Context{r: r}
	x.grow(r.now.Load())
	return x
}

// grow makes the context one for a version of the code.
func (x *Context) grow(v *version) {
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

func (x *Context) set(at int32, v uint64) { *(*uint64)(unsafe.Add(x.at, at)) = v }
func (x *Context) get(at int32) uint64    { return *(*uint64)(unsafe.Add(x.at, at)) }

func (x *Context) set32(at int32, v uint32) { *(*uint32)(unsafe.Add(x.at, at)) = v }

// base returns the address of memory and how far it is behind a word's begin.
func (x *Context) base(data []byte) (address, skew uint64) {
	address = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	return address, address & 3
}

// aligned reports whether no texel of 2 bytes is in two words.
func (x *Context) aligned(v *texel.View) bool {
	_, skew := x.base(v.Data)
	return (skew|uint64(v.Row)|uint64(v.Plane))&1 == 0
}

// Begin returns where the context is.
func (x *Context) Begin() unsafe.Pointer { return x.at }

// SetFrame sets where the strip's variables are.
func (x *Context) SetFrame(p unsafe.Pointer) { x.set(emit.CtxFrame, uint64(uintptr(p))) }

// SetStrip sets the position in the threadgroup of the strip's first lane, and the lanes that
// exist.
func (x *Context) SetStrip(first [3]int32, full *[lir.MaskWords]uint32) {
	for i, v := range first {
		x.set(emit.CtxFirst+8*int32(i), uint64(v))
	}
	*(*[lir.MaskWords]uint32)(unsafe.Add(x.at, emit.CtxFull)) = *full
}

// SetObject sets the memory of object n of the range.
func (x *Context) SetObject(n int, data []byte, readOnly bool) {
	o := &x.r.Objects[n]
	if readOnly && o.Written { // stores are discarded
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

// Forget makes the range ask for a dynamic object when it needs it.
func (x *Context) Forget(n int) { x.set(x.r.Objects[n].At+emit.ObjHandle, math.MaxUint64) }

// Asked returns the dynamic object that a suspended range asks for, and which of the launch's
// objects that is; ok is false if it was suspended for another reason. SetObject must set it before
// the range continues.
func (x *Context) Asked() (n int, handle uint64, ok bool) {
	n = int(x.get(emit.CtxObject)) - 1
	if n < 0 {
		return 0, 0, false
	}
	handle = x.get(emit.CtxHandle)
	x.set(emit.CtxObject, 0)
	x.set(x.r.Objects[n].At+emit.ObjHandle, handle)
	return n, handle, true
}

// SetGiven sets given number n of the range.
func (x *Context) SetGiven(n int, v uint64) { x.set(x.r.Givens[n].At, v) }

// Given returns given number n of the range.
func (x *Context) Given(n int) uint64 { return x.get(x.r.Givens[n].At) }

// SetRow makes Run execute a number of threadgroups; each but the first costs an amount of fuel,
// and finds the threadgroup memory cleared. Its length must be a multiple of PieceAlign. The first
// threadgroup is at a position in a grid with so many columns.
func (x *Context) SetRow(groups, work int64, shared []byte, first [3]int, columns int) {
	x.set(emit.CtxColumn, uint64(first[0]))
	x.set(emit.CtxColumns, uint64(columns))
	x.set(emit.CtxLine, uint64(first[1]))
	x.set(emit.CtxGroups, uint64(groups))
	x.set(emit.CtxGroupWork, uint64(work))
	x.set(emit.CtxShared, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(shared)))))
	x.set(emit.CtxShared+8, uint64(len(shared)))
}

// Left returns how many threadgroups of a row have not ended. The fuel of the first is spent, if
// there is one.
func (x *Context) Left() int64 { return int64(x.get(emit.CtxGroups)) }

// Run runs the range with an amount of fuel, from its begin or, if resume is true, from where it
// was suspended. It returns the number of the exit, -1 if it ran out of fuel, or -2 minus the
// number of a call that the engine must execute first, and the fuel that is left, which may be
// negative. After an error, which says why more of the code could not be compiled, the range cannot
// continue.
func (x *Context) Run(fuel int64, resume bool) (exit int, left int64, err error) {
	x.set(emit.CtxFuel, uint64(fuel))
	entry := x.code
	if resume {
		entry += uintptr(x.v.Resume)
	}
	n := call(entry, x.at)
	for n >= emit.FirstPart && n < emit.FirstCall {
		v, err := x.r.whole()
		if err != nil {
			return -1, int64(x.get(emit.CtxFuel)), err
		}
		if x.v != v {
			x.grow(v)
		}
		x.set(emit.CtxResume, uint64(v.mem.Entry(v.begin+v.Parts[n-emit.FirstPart])))
		n = call(x.code+uintptr(v.Resume), x.at)
	}
	left = int64(x.get(emit.CtxFuel))
	switch {
	case n == emit.Suspended:
		return -1, left, nil
	case n >= emit.FirstCall:
		return -2 - (int(n) - emit.FirstCall), left, nil
	}
	return int(n), left, nil
}
