package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Operations on textures are subroutines of the range: those on the same texture that want the same
// components share one. Operands and results are in the context, one vector of lanes for each.
//
// Texels of common formats at integer coordinates are read and written by machine code, and planes
// of such formats are sampled by it: see texture_sample.go. For everything else the code calls the
// engine: it is suspended as if it had no fuel, the engine executes the operation for the vector's
// lanes, and the code goes on.

// Texture is a layer of a level of a texture that a range reads, writes or samples by itself.
type Texture struct {
	Handle       lir.Ref // a Once variable
	Type         ir.Type
	Layer, Level uint32
	Sampler      lir.Ref // a Once variable with its handle; 0: the texture is not sampled
	Sample       sample
	At           int32
}

// Call is an operation for which the code of a range calls the engine.
type Call struct {
	Inst     int   // the instruction, or one like it
	Mask     int32 // where the lanes' bits are in the context
	Operands []Place
	Results  []Place // At is negative if a result is not needed
}

// Place is where the context has the elements of an operand or a result.
type Place struct {
	At    int32
	Class lir.Class
	Size  int
}

// textureState is what a range's operations on textures share.
type textureState struct {
	textures    []*textureCode
	textureUses map[textureUse]*textureCode
	samples     *samplePlaces // nil before the first sample
}

// textureCode is a subroutine for an operation on a texture.
type textureCode struct {
	textureUse // one of those that share it
	pc         int
	number     int64
	slots      []int32 // of the operands that are vectors in the context; 0 for those that are Once variables
	outs       []int32 // of the results; 0 for those that are not needed
	mask       int32
	view       int32 // of the texture that it accesses by itself, or 0
}

// texture compiles an operation on a texture.
func (l *lanes) texture(in *lir.Inst) {
	c := l.c
	t := c.textureCode(in, l.pc, func(r lir.Ref) bool {
		_, lives := c.HomeOf(r)
		return lives || l.last(r) > l.pc
	})
	for i, r := range in.More {
		if at := t.slots[i]; at != 0 {
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.reg(r, valueScratch), Y: ctx(at)})
		}
	}
	load, store := c.bitOps()
	c.scalar(load, amd64.RAX, l.bitsOf(in.Mask))
	c.Emit(store, amd64.Args{X: uint8(amd64.RAX), Y: ctx(t.mask)})
	in.Reads(func(r lir.Ref) { // the operands' registers may be those of the results
		if l.last(r) == l.pc {
			l.release(r)
		}
	})
	c.call(routine{"texture", [7]int64{t.number}}, l.pc, func() { c.emitTexture(t) })
	for i, r := range in.Outs {
		if r == 0 {
			continue
		}
		l.folded.remove(r)
		if t.outs[i] == 0 {
			continue
		}
		d := l.def(r)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(t.outs[i])})
		l.done(r, d)
		if l.last(r) < l.pc {
			l.release(r)
		}
	}
}

// textureUse is an instruction and which of its results something uses, as bits.
type textureUse struct {
	in     *lir.Inst
	wanted uint64
}

// textureCode returns the subroutine for an instruction. wanted reports whether something uses a
// result.
func (c *compiler) textureCode(in *lir.Inst, pc int, wanted func(lir.Ref) bool) *textureCode {
	use := textureUse{in: in}
	for i, r := range in.Outs {
		if r != 0 && wanted(r) {
			use.wanted |= 1 << i
		}
	}
	t, ok := c.textureUses[use]
	if !ok {
		t = c.sharedTextureCode(use, pc)
		if c.textureUses == nil {
			c.textureUses = map[textureUse]*textureCode{}
		}
		c.textureUses[use] = t
	}
	return t
}

// sharedTextureCode returns the subroutine for an instruction, which others may use too.
func (c *compiler) sharedTextureCode(use textureUse, pc int) *textureCode {
	in := use.in
	first := textureArgs(in)
	static := func(i int) bool { // the subroutine finds the operand by itself
		v := c.Program.Var(in.More[i])
		if v.Class != lir.Once {
			return false
		}
		integer := i >= first[1] && (in.Op.IR() != ir.OpTexRead && in.Op.IR() != ir.OpTexWrite || i >= first[2])
		return v.Const || i == 0 || integer && !v.Kind.IsFloat()
	}
	for _, t := range c.textures {
		same := t.in.Op == in.Op && t.in.HIR.Imm == in.HIR.Imm && t.in.HIR.Args[0].Type == in.HIR.Args[0].Type &&
			t.wanted == use.wanted && len(t.in.More) == len(in.More)
		for i := 0; same && i < len(in.More); i++ {
			same = static(i) == (t.slots[i] == 0) && (!static(i) || t.in.More[i] == in.More[i])
		}
		if same {
			return t
		}
	}
	t := &textureCode{textureUse: use, pc: pc, number: int64(len(c.textures)), slots: make([]int32, len(in.More)),
		outs: make([]int32, len(in.Outs)), mask: c.Alloc(4*lir.MaskWords, 8)}
	for i := range in.More {
		if !static(i) {
			t.slots[i] = c.Alloc(4*c.Width, 64)
		}
	}
	for i := range in.Outs {
		if use.wanted>>i&1 != 0 {
			t.outs[i] = c.Alloc(4*c.Width, 64)
		}
	}
	t.view = c.viewOf(in, first)
	c.textures = append(c.textures, t)
	return t
}

// textureArgs returns the index of each operand's first component.
func textureArgs(in *lir.Inst) []int {
	first := []int{0}
	for i, a := range in.HIR.Args {
		first = append(first, first[i]+a.Type.Lanes())
	}
	return first
}

// viewOf returns where the context describes the texture of a read or a write, or 0 if the code
// does not access it by itself: if its layer or level depend on the launch, or its handle on the
// range.
func (c *compiler) viewOf(in *lir.Inst, first []int) int32 {
	op, typ := in.Op.IR(), in.HIR.Args[0].Type
	if op == ir.OpTexSample {
		return c.sampledViewOf(in, first)
	}
	if op != ir.OpTexRead && op != ir.OpTexWrite || op == ir.OpTexRead && in.HIR.Imm == ir.TexReadAtomic ||
		typ.Dim.IsMultisample() || typ.Elem != ir.F32 && typ.Elem != ir.F16 && typ.Elem != ir.I32 {
		return 0
	}
	layer, level := c.Program.Var(in.More[first[2]]), c.Program.Var(in.More[first[3]])
	if !layer.Const || !level.Const {
		return 0
	}
	h := in.More[0]
	if !c.knownHandle(h) {
		return 0
	}
	return c.view(Texture{Handle: h, Type: typ, Layer: uint32(layer.Bits), Level: uint32(level.Bits)})
}

// view returns where the context describes a texture.
func (c *compiler) view(x Texture) int32 {
	for _, o := range c.r.Textures {
		if x.At = o.At; x == o {
			return o.At
		}
	}
	x.At = c.Alloc(viewBytes, 64)
	c.r.Textures = append(c.r.Textures, x)
	return x.At
}

// A texel.View in the context, in bytes from its begin.
const (
	ViewData    = 0  // address of the first texel
	ViewAligned = 8  // the same, or less if there is a skew
	ViewRead    = 16 // the texel.Shape if the code may read, else 0
	ViewWrite   = 20
	ViewSize    = 24 // three numbers
	ViewScale   = 36 // logarithm of the bytes of a texel
	ViewRow     = 40
	ViewPlane   = 44
	ViewSkew    = 48 // of texels of less than 4 bytes: what is to be added to an offset from ViewAligned
	ViewKeep    = 52 // the bits of an offset that are those of a word's
	ViewSmall   = 56 // 1 if a texel has at most 4 bytes
	ViewShift   = 64
	ViewPresent = 80
	ViewLacking = 96
	ViewCurve   = 112                         // addresses of the tables of an sRGB format: of reads and of writes
	ViewSteps   = 128                         // the offsets of texels in a row
	ViewFactor  = ViewSteps + 4*plan.MaxWidth // of a sample: two doubles by which positions are multiplied
	ViewHalf    = ViewFactor + 16             // a double that is subtracted then
	ViewNext    = ViewFactor + 24             // how far the second texel is from the first: 0 or 1
	ViewStrict  = ViewFactor + 28             // all bits if no texel may be outside, else 0
	ViewLast    = ViewFactor + 32             // the highest coordinates
	ViewSampled = ViewFactor + 40             // address of the table of an sRGB format
	viewBytes   = ViewFactor + 64
)

// Bit returns 1 if x is true, else 0.
func Bit(x bool) uint32 {
	if x {
		return 1
	}
	return 0
}

// emitTexture emits the subroutine.
func (c *compiler) emitTexture(t *textureCode) {
	done, other := c.NewLabel(), c.NewLabel()
	switch {
	case t.view == 0:
	case t.in.Op.IR() == ir.OpTexRead:
		c.readTexels(t, done, other)
	case t.in.Op.IR() == ir.OpTexSample:
		c.sampleTexels(t, done, other)
	default:
		c.writeTexels(t, done, other)
	}
	c.Bind(other)
	c.callEngine(t)
	c.Bind(done)
}

// callEngine emits a call of the engine. It wants operands with the size that they have in its
// columns, and gives such results.
func (c *compiler) callEngine(t *textureCode) {
	x := Call{Inst: t.pc, Mask: t.mask}
	var widened []func()
	for i, r := range t.in.More {
		v := c.Program.Var(r)
		p := Place{At: t.slots[i], Class: lir.Lane, Size: v.Kind.Size()}
		switch {
		case p.At == 0:
			p.At, p.Class = c.Alloc(8, 8), lir.Once
			c.load64(amd64.RAX, c.place(r))
			c.store64(ctx(p.At), amd64.RAX)
		case p.Size < 4:
			p.At = c.Alloc(4*c.Width, 64)
			c.Emit(amd64.VMOVUPS, amd64.Args{D: valueScratch, Y: ctx(t.slots[i])})
			c.Emit(narrowing[p.Size], amd64.Args{X: valueScratch, Y: ctx(p.At)})
		}
		x.Operands = append(x.Operands, p)
	}
	for i, r := range t.in.Outs {
		p := Place{At: -1, Class: lir.Lane, Size: c.Program.Var(r).Kind.Size()}
		if t.outs[i] != 0 {
			if p.At = t.outs[i]; p.Size < 4 {
				p.At = c.Alloc(4*c.Width, 64)
				widened = append(widened, func() {
					c.Emit(widen[p.Size], amd64.Args{D: valueScratch, Y: ctx(p.At)})
					c.Emit(amd64.VMOVUPSStore, amd64.Args{X: valueScratch, Y: ctx(t.outs[i])})
				})
			}
		}
		x.Results = append(x.Results, p)
	}
	back := c.NewLabel()
	c.MovImm64(amd64.RDX, FirstCall+int64(len(c.r.Calls)))
	c.LeaLabel(amd64.RAX, back)
	c.Jmp(c.suspend)
	c.Bind(back)
	for _, f := range widened {
		f()
	}
	c.r.Calls = append(c.r.Calls, x)
}
