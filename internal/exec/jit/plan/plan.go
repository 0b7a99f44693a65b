package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Plan is how a range of instructions is compiled: in blocks of how many vectors, and where its
// variables are.
type Plan struct {
	*Facts
	*Usage
	From, To int
	Vectors  int  // vectors of a strip
	Block    int  // of them that run to the end of the range together: a block
	Loop     bool // blocks are iterations of a loop, with the same code
	Spill    bool // no variable has a register across segments

	Homes    []Home // of variables that live across segments, by their numbers
	Homeless bool   // see solo: variables are not where vectors have them
	Solo     []*SoloLoop
	Spots    []spots // by variable
	Size     int     // of the context, so far
	Locals   int     // registers within segments
	spilled  int     // uses of variables that have no register
}

// New returns the plan of a range. Its usage of variables is found if it is not known.
// UseBlocks must follow.
func New(f *Facts, from, to int, spill bool, known *Usage) *Plan {
	c := &Plan{Facts: f, From: from, To: to, Vectors: f.vectorsOf(f.Program), Spill: spill, Usage: known,
		Spots: make([]spots, len(f.Program.Vars))}
	if c.Usage == nil {
		c.Usage = c.findUsage()
	}
	return c
}

// canLoop reports whether the blocks can be iterations of a loop: each must have all of its lanes,
// and the same places relative to the first.
func (c *Plan) canLoop() bool {
	n := c.Block * c.Width
	return c.Row && !c.Partial() && c.Vectors*c.Width == c.Program.Lanes && Translates(c.Program.Shape, n) &&
		c.Program.Shape[0]*c.Program.Shape[1]*c.Program.Shape[2] == c.Program.Lanes
}

// straightLine reports whether the range has no loops.
func (c *Plan) straightLine() bool {
	return !slices.ContainsFunc(c.Loops, func(l [2]int) bool { return c.From <= l[1] && l[1] < c.To })
}

// Alloc reserves n bytes of the context.
func (c *Plan) Alloc(n, align int) int32 {
	at := (c.Size + align - 1) &^ (align - 1)
	c.Size = at + n
	return int32(at)
}

// UseBlocks makes blocks have u vectors, and assigns registers. It may be called again, for another
// size.
func (c *Plan) UseBlocks(u int) {
	c.Block, c.Size = u, c.Fixed
	clear(c.Spots)
	if c.Block*c.Width%lir.SimdWidth != 0 && c.Block < c.Vectors && c.whole {
		Fail("a block of %d vectors has not whole simdgroups", c.Block)
	}
	c.assign()
	if c.Loop = c.Block < c.Vectors && c.canLoop(); c.Block < c.Vectors && !c.Loop {
		c.checkBlocks()
	}
}

// checkBlocks fails if blocks may disturb each other. The columns of numbers of two sizes must not
// have the same place. And no block may leave other shared numbers behind than the others: code
// that a mask lets one block skip and another not must not change them.
func (c *Plan) checkBlocks() {
	sizes := map[int32]int{} // for a simdgroup, of what has a place
	use := func(vars Set) {
		for r := range vars.All {
			v := c.Program.Var(r)
			if !c.Touched.Has(r) || v.Class != lir.Lane && v.Class != lir.Simd {
				continue
			}
			bytes := v.ElemSize()
			if v.Class == lir.Lane {
				bytes *= lir.SimdWidth
			}
			if n, ok := sizes[v.Off]; ok && n != bytes {
				Fail("a block may write over what another reads: both %d and %d bytes have a place", n, bytes)
			}
			sizes[v.Off] = bytes
		}
	}
	use(c.Live.At(c.From))
	for _, pc := range exits(c.Program, [2]int{c.From, c.To}) {
		use(c.Live.At(pc))
	}
	here := NewSet(len(c.Program.Vars)) // what is in the frame within the range
	for r := range c.Touched.All {
		if h, ok := c.HomeOf(r); c.Class(r) == lir.Simd || ok && h.inFrame() {
			here.Add(r)
		}
	}
	use(here)
	var skipped [][2]int // what blocks execute unequal numbers of times
	for pc := c.From; pc < c.To; pc++ {
		switch in := &c.Program.Code[pc]; {
		case in.Op == lir.OpJumpNone:
			skipped = append(skipped, [2]int{pc, int(in.Target)})
		case in.Op == lir.OpBack && in.A != 0:
			skipped = append(skipped, [2]int{int(in.Target), pc})
		}
	}
	left := func(r lir.Ref) bool { // in the frame, by code that may be skipped
		needs := func(pc int) bool { return c.Live.At(pc).Has(r) }
		return slices.ContainsFunc(exits(c.Program, [2]int{c.From, c.To}), needs) &&
			slices.ContainsFunc(c.Defs[r], func(pc int) bool {
				return slices.ContainsFunc(skipped, func(s [2]int) bool { return s[0] <= pc && pc < s[1] })
			})
	}
	for r := range c.Written.All {
		if len(skipped) > 0 && c.Class(r) == lir.Once && !c.Private.Has(r) && !c.Keeps[r] ||
			c.Class(r) == lir.Affine && left(r) {
			Fail("variable %d is shared, and its value may depend on the block", r)
		}
	}
}

// Class returns how widely a variable is shared.
func (c *Plan) Class(r lir.Ref) lir.Class { return c.Program.Var(r).Class }

// Straight reports whether the lanes of each vector are in a row.
func (c *Plan) Straight() bool {
	s := c.Program.Shape
	return s[0]%c.Width == 0 || s[1] == 1 && s[2] == 1
}

// HasIndex reports whether an access counts from an index.
func (c *Plan) HasIndex(in *lir.Inst) bool {
	return in.B != 0 && in.Ext == lir.NoExt && c.Class(in.B) == lir.Affine
}

// IsTruth reports whether a variable is a truth value of each lane.
func (c *Plan) IsTruth(r lir.Ref) bool { return c.Program.Var(r).Kind == ir.I1 }

// PrivateSlot returns where a variable is that only the range uses.
func (c *Plan) PrivateSlot(r lir.Ref) int32 {
	at := &c.Spots[r].Own
	if *at == 0 {
		*at = c.Alloc(8, 8)
	}
	return *at
}

// MatrixSlot returns where a block's matrices are.
func (c *Plan) MatrixSlot(r lir.Ref) int32 {
	at := &c.Spots[r].Own
	if *at == 0 {
		*at = c.Alloc(int(c.Column(0, c.Program.Var(r).ElemSize(), c.Block)), 64)
	}
	return *at
}

// WideSlot returns where the 64-bit numbers of a block's lanes are.
func (c *Plan) WideSlot(r lir.Ref) int32 {
	at := &c.Spots[r].Own
	if *at == 0 {
		*at = c.Alloc(int(c.Column(0, 8, c.Block)), 64)
	}
	return *at
}

// spots are where the context has a variable, or copies of it; 0 for nowhere.
type spots struct {
	Own     int32 // see PrivateSlot, truthSlot, WideSlot and MatrixSlot
	Widened int32 // a narrow shared number with 32 bits
	Evicted int32 // a value of a segment, while it has no register
	Saved   int32 // a shared number that each block must find as the first did
}
