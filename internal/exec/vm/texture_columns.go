package vm

import (
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// texels is the working memory for reading, writing or sampling columns.
type texels struct {
	columns texel.Columns
	samples texel.Samples
	look    texel.Look
	mask    [lir.MaskWords]uint32
	scratch [7][lir.MaxLanes]uint32 // for operands shared by all lanes
}

// hasColumns reports whether all lanes read or write one image at the same layer and level, with
// 32-bit numbers.
func (t *textureOp) hasColumns(o *op) bool {
	operands := 4
	if t.op == ir.OpTexWrite {
		operands = 5
	}
	if o.per != lir.Lane || t.typ.Elem.Size() != 4 || t.outs < t.first[operands] {
		return false
	}
	once := func(arg int) bool { return o.more[t.first[arg]].class == lir.Once }
	if !once(0) || !once(2) || !once(3) {
		return false
	}
	for i, p := range o.more[1:] {
		result := i+1 >= t.outs
		if p.class != lir.Lane && (result || p.class != lir.Once) || p.size != 4 {
			return false
		}
	}
	return true
}

// columns executes a read or write for all lanes at once if there is a loop for the image's format,
// otherwise lane by lane.
func (t *textureOp) columns(f *frame, o *op) {
	if f.texels == nil {
		f.texels = &texels{}
	}
	x := f.texels
	c := &x.columns
	column := func(p *place, scratch int) []uint32 {
		if p.class == lir.Lane {
			return col[uint32](f, p.off, f.lanes)
		}
		s := x.scratch[scratch][:f.lanes]
		fill(s, *word[uint32](f, p.off))
		return s
	}
	c.At = [3][]uint32{}
	for i := range t.first[2] - t.first[1] {
		c.At[i] = column(&o.more[t.first[1]+i], i)
	}
	image := f.image(*word[uint64](f, o.more[0].off))
	layer, level := *word[uint32](f, o.more[t.first[2]].off), *word[uint32](f, o.more[t.first[3]].off)
	c.Values = [4][]uint32{}
	done := false
	if t.op == ir.OpTexRead {
		for i := range min(len(c.Values), len(o.more)-t.outs) {
			if p := &o.more[t.outs+i]; p.off >= 0 {
				c.Values[i] = col[uint32](f, p.off, f.lanes)
			}
		}
		done = image.ReadColumns(t.typ, c, layer, level)
	} else {
		for i := range c.Values {
			c.Values[i] = column(&o.more[t.first[4]+i], 3+i)
		}
		done = image.WriteColumns(t.typ, c, layer, level, f.mask(o.m)[:])
	}
	if !done {
		t.run(f, o)
	}
}

// hasSamples reports whether all lanes sample one image through one sampler, and only the position
// differs, with 32-bit floats.
func (t *textureOp) hasSamples(o *op) bool {
	if t.op != ir.OpTexSample || o.per != lir.Lane || t.typ.Dim.SampleCoords() != 2 || t.typ.Elem != ir.F32 ||
		t.outs < t.first[6] {
		return false
	}
	for i, p := range o.more {
		position, result := i >= t.first[2] && i < t.first[3], i >= t.outs
		if p.class != lir.Lane && (p.class != lir.Once || result) || p.class == lir.Lane && !position && !result {
			return false
		}
	}
	return true
}

// sampleColumns executes a sample for all lanes at once if there is a loop for it, otherwise lane
// by lane.
func (t *textureOp) sampleColumns(f *frame, o *op) {
	if f.texels == nil {
		f.texels = &texels{}
	}
	x := f.texels
	c := &x.samples
	l := textureLane{textureOp: t, f: f, o: o}
	x.look = l.look()
	for i := range c.Position {
		p := &o.more[t.first[2]+i]
		if p.class == lir.Lane {
			c.Position[i] = col[uint32](f, p.off, f.lanes)
			continue
		}
		c.Position[i] = x.scratch[i][:f.lanes]
		fill(c.Position[i], *word[uint32](f, p.off))
	}
	c.Values = [4][]uint32{}
	for i := range min(len(c.Values), len(o.more)-t.outs) {
		if p := &o.more[t.outs+i]; p.off >= 0 {
			c.Values[i] = col[uint32](f, p.off, f.lanes)
		}
	}
	x.mask = *f.mask(o.m)
	for i := range x.mask {
		x.mask[i] &= f.full[i]
	}
	c.Mask = x.mask[:]
	if !f.image(l.operand(0, 0)).SampleColumns(f.samplerOf(l.operand(1, 0)), &x.look, c) {
		t.run(f, o)
	}
}
