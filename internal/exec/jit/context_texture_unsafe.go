package jit

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/jit/emit"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/exec/texel"
)

// SetTexture implements exec.MachineContext.
func (x *callContext) SetTexture(n int, v texel.View, ok bool) {
	at := x.r.Textures[n].At
	ok = ok && (v.Texel != 2 || x.aligned(&v))
	if !ok {
		x.set(at+emit.ViewRead, 0)
		return
	}
	word := func(off int32, v uint32) { x.set32(at+off, v) }
	data, skew := x.base(v.Data)
	keep, small := ^uint32(0), uint32(0)
	if v.Texel < 4 {
		keep = ^uint32(3)
	} else {
		skew = 0
	}
	if v.Texel <= 4 {
		small = 1
	}
	x.set(at+emit.ViewData, data)
	x.set(at+emit.ViewAligned, data-skew)
	word(emit.ViewRead, uint32(v.Shape)*emit.Bit(v.Readable))
	word(emit.ViewWrite, uint32(v.Shape)*emit.Bit(v.Writable))
	for i := range 3 {
		word(emit.ViewSize+4*int32(i), uint32(v.Size[i]))
	}
	word(emit.ViewScale, uint32(bits.TrailingZeros(uint(v.Texel))))
	word(emit.ViewRow, uint32(v.Row))
	word(emit.ViewPlane, uint32(v.Plane))
	word(emit.ViewSkew, uint32(skew))
	word(emit.ViewKeep, keep)
	word(emit.ViewSmall, small)
	for i := range int32(4) {
		word(emit.ViewShift+4*i, uint32(v.Shift[i]))
		word(emit.ViewPresent+4*i, -emit.Bit(v.Present[i]))
		word(emit.ViewLacking+4*i, v.Lacking[i])
	}
	if v.Curve != nil {
		for i, table := range [][]byte{v.Curve.Read, v.Curve.Written} {
			address, _ := x.base(table)
			x.set(at+emit.ViewCurve+8*int32(i), address)
		}
	}
	for i := range int32(plan.MaxWidth) {
		word(emit.ViewSteps+4*i, uint32(v.Texel)*uint32(i))
	}
}

// SetSampled implements exec.MachineContext.
func (x *callContext) SetSampled(n int, v texel.SampleView, ok bool) {
	x.SetTexture(n, v.View, ok)
	if !ok {
		return
	}
	at := x.r.Textures[n].At
	half := 0.0
	if v.Linear {
		half = 0.5
	}
	for i := range int32(2) {
		x.set(at+emit.ViewFactor+8*i, math.Float64bits(v.Scale[i]))
		x.set32(at+emit.ViewLast+4*i, uint32(v.Size[i]-1))
	}
	if v.Curve != nil {
		address, _ := x.base(v.Curve.Sampled)
		x.set(at+emit.ViewSampled, address)
	}
	x.set(at+emit.ViewHalf, math.Float64bits(half))
	x.set32(at+emit.ViewNext, emit.Bit(v.Linear))
	x.set32(at+emit.ViewStrict, emit.Bit(v.Clamp)-1)
}

// SetQuery implements exec.MachineContext.
func (x *callContext) SetQuery(n int, v uint32) { x.set(x.r.Queries[n].At, uint64(v)) }
