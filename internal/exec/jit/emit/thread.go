package emit

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Thread memory has 4 bytes of lane 0, of lane 1 and so on, then the next 4 bytes of each. Where
// all lanes access the same offset, theirs are in a row. Which variable an access is for is known
// in advance, and also that none crosses a word: other accesses are not compiled.

// The thread memory in the context: its address for the current block's lanes, the distance of a
// lane's words, its address for the first block, and its length.
const (
	ThreadAt     = 0
	ThreadStride = 8
	ThreadFirst  = 16
	ThreadLength = 24
	threadBytes  = 32
)

// threadMemory returns where the context has the thread memory.
func (c *compiler) threadMemory() int32 {
	if c.r.Thread == 0 {
		c.r.Thread = c.Alloc(threadBytes, 8)
	}
	return c.r.Thread
}

// moveThread makes the thread memory that of the lanes of the block whose number is in RAX.
func (c *compiler) moveThread() {
	if c.Program.ThreadBytes == 0 {
		return
	}
	m := c.threadMemory()
	c.scalar(amd64.MOV64, amd64.RCX, amd64.G(amd64.RAX))
	c.scale(amd64.RCX, int64(c.Column(0, 4, c.Block)))
	c.scalar(amd64.ADD64, amd64.RCX, ctx(m+ThreadFirst))
	c.store64(ctx(m+ThreadAt), amd64.RCX)
}

// thread compiles a load or a store of thread memory. Out of bounds a load is 0, and a store does
// nothing.
func (l *lanes) thread(in *lir.Inst) {
	const i, v = uint8(indexScratch), uint8(valueScratch)
	c := l.c
	number, _ := c.Alloca(in.A)
	uniform := c.Class(in.A) <= lir.Simd && (in.B == 0 || c.Class(in.B) <= lir.Simd)
	load := in.Op.IR() == ir.OpLoad
	lo, hi, simple := c.threadIndices(in, c.Program.AllocaSizes[number])
	switch {
	case uniform && in.Kind.Size() == 4 && (c.evex() || !load || !c.Partial()):
		l.threadRow(in, number)
	case simple && !plan.Wide(in.Kind):
		if c.Class(in.B) == lir.Affine {
			c.materialize(i, c.affine(in.B), l.j)
		} else {
			c.loadSource(i, l.source(in.B), 0)
		}
		if !load {
			c.loadSource(v, l.source(in.C), 0)
		}
		l.mask(1, in.Mask)
		c.MovImm64(amd64.RDX, int64(c.Column(0, 4, l.j)))
		size := in.Kind.Size()
		key := routine{"thread", [7]int64{int64(in.Op), int64(size), int64(number), in.Scale, in.Disp, lo, hi}}
		c.call(key, l.pc, func() {
			c.threadOffsets(in, lo, hi)
			c.threadWords(size, number, amd64.Index(ctxReg, amd64.RDX, 1, c.laneOffsets()))
			if load {
				c.loadThread(size)
			} else {
				c.storeThread(size)
			}
		})
		if load {
			l.set(in.D, v)
		}
	default:
		l.threadAddresses(in, c.Program.AllocaSizes[number])
		c.threadWords(in.Kind.Size(), number, ctx(c.Column(c.laneOffsets(), 4, l.j)))
		switch {
		case load && plan.Wide(in.Kind):
			l.loadThreadWide(in)
		case load:
			c.loadThread(in.Kind.Size())
			l.set(in.D, v)
		case plan.Wide(in.Kind):
			l.storeThreadWide(in)
		default:
			c.loadSource(v, l.source(in.C), 0)
			size := in.Kind.Size()
			c.call(routine{"store", [7]int64{int64(size)}}, l.pc, func() { c.storeThread(size) })
		}
	}
}

// threadRow compiles an access of words at an offset that all lanes share. The block's first vector
// finds the address for all.
func (l *lanes) threadRow(in *lir.Inst, number int) {
	const v = uint8(valueScratch)
	c := l.c
	load := in.Op.IR() == ir.OpLoad
	key := routine{"row", [7]int64{int64(Bit(load)), int64(in.A), int64(in.B), int64(in.Ext), in.Scale, in.Disp}}
	at, ok := c.threadRows[key]
	if !ok {
		if c.threadRows == nil {
			c.threadRows = map[routine]int32{}
		}
		at = c.Alloc(8, 8)
		c.threadRows[key] = at
	}
	switch {
	case c.Class(in.A) == lir.Simd, in.B != 0 && c.Class(in.B) == lir.Simd:
		c.threadRowAddress(in, number, at)
	case l.jj == 0 || l.cold || l.guarded:
		c.call(key, l.pc, func() { c.threadRowAddress(in, number, at) })
	default:
		c.load64(amd64.RDX, ctx(at))
	}
	row := amd64.At(amd64.RDX, c.Column(0, 4, l.j))
	switch {
	case !load && !c.evex() && in.Mask != 0 && !c.Partial(): // stores under masks are slow there
		const t = uint8(placeScratch)
		value := l.reg(in.C, v)
		l.mask(1, in.Mask)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: t, Y: row})
		c.Emit(amd64.VMOVAPS, amd64.Args{D: t, Y: vec(value), K: 1})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: t, Y: row})
	case !load:
		l.store(row, l.reg(in.C, v), in)
	case c.Partial():
		l.mask(1, 0)
		d := l.def(in.D)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: row, K: 1})
		l.done(in.D, d)
	default:
		d := l.def(in.D)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: row})
		l.done(in.D, d)
	}
}

// threadRowAddress sets RDX, and a place in the context, to the address of the words of the strip's
// lanes. If they are not inside of the variable, that is of zeros, or of memory that nothing reads.
func (c *compiler) threadRowAddress(in *lir.Inst, number int, to int32) {
	over, m := c.NewLabel(), c.threadMemory()
	nowhere := &c.zeros
	if in.Op.IR() == ir.OpStore {
		nowhere = &c.ignored
	}
	if *nowhere == 0 {
		*nowhere = c.Alloc(int(c.Column(0, 4, c.Vectors)), 64)
	}
	c.offsetIn(amd64.RDX, in)
	inside, limit := c.NewLabel(), uint64(max(c.Program.AllocaSizes[number]-3, 0))
	c.compare(amd64.CMP64, amd64.RDX, ctx(c.word(limit)))
	c.Jcc(amd64.B, inside)
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.RDX), Y: ctx(*nowhere)})
	c.Jmp(over)
	c.Bind(inside)
	c.scalarImm(amd64.SHR64Imm, amd64.RDX, 2)
	c.addConstant(amd64.RDX, int64(c.Program.Allocas[number]/4))
	c.scalar(amd64.IMUL64, amd64.RDX, ctx(m+ThreadStride))
	c.scalar(amd64.ADD64, amd64.RDX, ctx(m+ThreadAt))
	c.Bind(over)
	c.store64(ctx(to), amd64.RDX)
}

// threadState are places in the context for accesses of thread memory; 0 before the first use.
type threadState struct {
	sizes      map[int]int32     // where objects of thread memory are, by their size
	lanesAt    int32             // see laneOffsets
	zeros      int32             // a row of zeros
	ignored    int32             // a row that nothing reads
	threadRows map[routine]int32 // where addresses of rows are
}

// laneOffsets returns where the context has the distance of each lane from the first in a row of
// words.
func (c *compiler) laneOffsets() int32 {
	if c.lanesAt == 0 {
		n := c.Vectors * c.Width
		c.lanesAt = c.Alloc(4*n, 64)
		var words []uint64
		for i := 0; i < n; i += 2 {
			words = append(words, uint64(4*i)|uint64(4*(i+1))<<32)
		}
		c.constants = append(c.constants, Constant{c.lanesAt, words})
	}
	return c.lanesAt
}

// threadWords changes the offsets in placeScratch from those in a variable to those of the lanes'
// words in the thread memory. It sets startScratch to the lowest bit of what is narrower than a
// word.
func (c *compiler) threadWords(size, number int, lanes amd64.Operand) {
	const at, t = uint8(placeScratch), uint8(startScratch)
	if size < 4 {
		c.Emit(amd64.VPANDD, amd64.Args{D: t, X: at, Y: c.constant32(3)})
		c.Emit(amd64.VPSLLDImm, amd64.Args{D: t, Y: vec(t), Imm: 3})
	}
	c.Emit(amd64.VPSRLDImm, amd64.Args{D: at, Y: vec(at), Imm: 2})
	if first := c.Program.Allocas[number] / 4; first > 0 {
		c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: c.constant32(uint32(first))})
	}
	c.Emit(amd64.VPMULLD, amd64.Args{D: at, X: at, Y: ctx(c.threadMemory() + ThreadStride).Broadcast()})
	c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: lanes})
}

// threadOffsets sets placeScratch to the offsets in a variable of what an instruction accesses, and
// K2 to the lanes of K1 for which that is inside of it: those with indices from lo to hi. The
// indices are in indexScratch.
func (c *compiler) threadOffsets(in *lir.Inst, lo, hi int64) {
	const at, i, t = uint8(placeScratch), uint8(indexScratch), uint8(startScratch)
	c.Emit(amd64.VPSUBD, amd64.Args{D: t, X: i, Y: c.constant32(uint32(lo))})
	c.Emit(amd64.VPCMPUD, amd64.Args{D: 2, X: t, Y: c.constant32(uint32(hi - lo)), Imm: 2}) // at most
	c.Emit(amd64.KANDW, amd64.Args{D: 2, X: 1, Y: amd64.K(2)})
	if s := in.Scale; s&(s-1) == 0 {
		c.Emit(amd64.VPSLLDImm, amd64.Args{D: at, Y: vec(i), Imm: int64(bits.TrailingZeros64(uint64(s)))})
	} else {
		c.Emit(amd64.VPMULLD, amd64.Args{D: at, X: i, Y: c.constant32(uint32(s))})
	}
	if in.Disp != 0 {
		c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: c.constant32(uint32(in.Disp))})
	}
}

// threadAddresses sets placeScratch to the offsets of the lanes in a variable of a size, and K2 to
// the lanes of the mask whose access is inside of it.
func (l *lanes) threadAddresses(in *lir.Inst, size int) {
	const at, v = uint8(placeScratch), uint8(valueScratch)
	c := l.c
	var x affine
	if in.B != 0 && c.Class(in.B) == lir.Affine {
		x = c.affine(in.B)
	}
	a := &access{in: in, index: x, obj: c.objectOfSize(size)}
	i := l.indexOf(a)
	l.startOf(in)
	l.mask(1, in.Mask)
	if !c.evex() {
		l.narrowOffsets(a, i)
		return
	}
	l.offsets(a, i, 0)
	c.Emit(amd64.VPMOVQD, amd64.Args{D: v, Y: vec(at)})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(2)})
	l.offsets(a, i, 1)
	c.Emit(amd64.VPMOVQD, amd64.Args{D: at, Y: vec(at)})
	c.Emit(amd64.VINSERTI64X4, amd64.Args{D: at, X: v, Y: vec(at), Imm: 1})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(2)})
	c.scalarImm(amd64.SHL32Imm, amd64.RAX, 8)
	c.scalar(amd64.OR32, amd64.RAX, amd64.G(laneMask))
	c.Emit(amd64.KMOVWFromReg, amd64.Args{D: 2, Y: amd64.G(amd64.RAX)})
}

// threadIndices returns the smallest and the largest index with which an access is inside of a
// variable; ok is false if that is not all that decides.
func (c *compiler) threadIndices(in *lir.Inst, size int) (lo, hi int64, ok bool) {
	root, _ := c.RootOf(in.A)
	const most = 128 // a multiple of a number of 32 bits by it does not wrap
	if in.A != root || in.B == 0 || in.Ext == lir.NoExt || c.Class(in.B) <= lir.Simd || in.Scale < 1 || in.Scale > most {
		return 0, 0, false
	}
	floor := func(n int64) int64 { // n / scale
		q := n / in.Scale
		if n%in.Scale < 0 {
			q--
		}
		return q
	}
	lo, hi = -floor(in.Disp), floor(int64(size-in.Kind.Size())-in.Disp)
	if in.Ext == lir.ZExt {
		lo = max(lo, 0)
	}
	return lo, hi, lo <= hi
}

// objectOfSize returns an object in the context of which only the size is known.
func (c *compiler) objectOfSize(size int) int32 {
	if at, ok := c.sizes[size]; ok {
		return at
	}
	at := c.Alloc(objBytes, 8)
	length, bound4, bound2, bound8, short := ObjectLimits(size)
	c.constants = append(c.constants, Constant{at + ObjLength, []uint64{length, bound4, bound2, bound8, short}})
	if c.sizes == nil {
		c.sizes = map[int]int32{}
	}
	c.sizes[size] = at
	return at
}

// loadThread sets valueScratch to the numbers of at most 4 bytes in the words of the lanes of K2.
func (c *compiler) loadThread(size int) {
	const at, v, t = uint8(placeScratch), uint8(valueScratch), uint8(startScratch)
	c.load64(amd64.RCX, ctx(c.threadMemory()+ThreadAt))
	c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
	c.gatherWords(v, at, 0)
	if size < 4 {
		c.Emit(amd64.VPSRLVD, amd64.Args{D: v, X: v, Y: vec(t)})
		c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(1<<(8*size) - 1)})
	}
}

// loadThreadWide loads two words for each lane.
func (l *lanes) loadThreadWide(in *lir.Inst) {
	const at, v, t, x = uint8(placeScratch), uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	c := l.c
	m := c.threadMemory()
	c.load64(amd64.RCX, ctx(m+ThreadAt))
	c.Emit(amd64.KMOVW, amd64.Args{D: 1, Y: amd64.K(2)})
	for i, d := range []uint8{v, t} {
		if i > 0 {
			c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: ctx(m + ThreadStride).Broadcast()})
			c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
		}
		c.Emit(amd64.VPXORD, amd64.Args{D: d, X: d, Y: vec(d)})
		c.gatherWords(d, at, 0)
	}
	for h := range 2 {
		if h > 0 {
			c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: v, Y: vec(v), Imm: 1})
			c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: t, Y: vec(t), Imm: 1})
		}
		c.Emit(amd64.VPMOVZXDQ, amd64.Args{D: at, Y: vec(v)})
		c.Emit(amd64.VPMOVZXDQ, amd64.Args{D: x, Y: vec(t)})
		c.Emit(amd64.VPSLLQImm, amd64.Args{D: x, Y: vec(x), Imm: 32})
		c.Emit(amd64.VPORQ, amd64.Args{D: at, X: at, Y: vec(x)})
		l.setHalf(in.D, h, at)
	}
}

// storeThread stores numbers of at most 4 bytes from valueScratch in the words of the lanes of K2.
func (c *compiler) storeThread(size int) {
	const at, t = uint8(placeScratch), uint8(startScratch)
	if size < 4 {
		c.Emit(amd64.VPSRLDImm, amd64.Args{D: t, Y: vec(t), Imm: 3})
		c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: vec(t)})
	}
	if !c.evex() || size < 4 {
		c.storeOffsets()
	}
	c.scatterNumbers(size, c.threadMemory()+ThreadAt, 0)
}

// storeThreadWide stores two words for each lane.
func (l *lanes) storeThreadWide(in *lir.Inst) {
	const at, v, t = uint8(placeScratch), uint8(valueScratch), uint8(startScratch)
	c := l.c
	kept := c.Alloc(4*c.Width, 64)
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: at, Y: ctx(kept)})
	c.Emit(amd64.KMOVW, amd64.Args{D: 1, Y: amd64.K(2)})
	for part := range 2 {
		for h, d := range []uint8{v, t} {
			l.loadHalf(d, in.C, h)
			if part > 0 {
				c.Emit(amd64.VPSRLQImm, amd64.Args{D: d, Y: vec(d), Imm: 32})
			}
			c.Emit(amd64.VPMOVQD, amd64.Args{D: d, Y: vec(d)})
		}
		c.Emit(amd64.VINSERTI64X4, amd64.Args{D: v, X: v, Y: vec(t), Imm: 1})
		if part > 0 {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: at, Y: ctx(kept)})
			c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: ctx(c.threadMemory() + ThreadStride).Broadcast()})
			c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
		}
		c.call(routine{"store", [7]int64{4}}, l.pc, func() { c.storeThread(4) })
	}
}
