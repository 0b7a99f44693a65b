package vm

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// The code that a JumpNone may skip is only for the lanes of its mask: a strip with none of them
// continues after it. So inside that code, the strip is shortened to the last of these lanes. In a
// reduction tree, where each iteration has half as many active lanes as the one before, most
// iterations then work on few lanes.
//
// A region is the code between a JumpNone and its target. Regions nest, and region 0 is all of the
// code. At any point, the strip has the length set by the last JumpNone of the innermost enclosing
// region; where lanes arrive from another region, there is an opWiden.

// opWiden restores the strip's length in the operation's region. It is specific to this engine and
// numbered after the operations of package lir.
const opWiden = lir.Op(lir.NumOps)

// worthNarrowing is the minimum number of operations in a region.
const worthNarrowing = 3

// narrow finds the regions and inserts the operations that widen strips. It relies on the code that
// lowering generates: the verifier does not check that a region serves only the lanes of its mask,
// so operations ignore lanes of their mask beyond the end of the strip. If the code does not have
// the form that narrow expects, there are no regions.
func (p *program) narrow() {
	regions, count, ok := p.findRegions()
	if !ok || count == 0 {
		return
	}
	widen := make([]bool, len(p.ops))
	arrive := func(region int32, at int) bool {
		if regions.of[at] == region {
			return true
		}
		widen[at] = true
		return regions.within(region, regions.of[at])
	}
	for i := range p.ops {
		o := &p.ops[i]
		if o.code.IsJump() && !arrive(regions.of[i], int(o.target)) {
			return
		}
		on := regions.of[i] // region of the preceding operation
		if k := regions.begins[i]; k != 0 {
			on = k
		}
		if o.code != lir.OpJump && o.code != lir.OpEnd && i+1 < len(p.ops) && !arrive(on, i+1) {
			return
		}
	}
	at, widening := make([]int32, len(p.ops)), &lir.Inst{Op: opWiden}
	var ops []op
	for i := range p.ops {
		at[i] = int32(len(ops))
		if widen[i] {
			ops = append(ops, op{code: opWiden, region: regions.of[i], in: widening})
		}
		o := p.ops[i]
		o.region = regions.begins[i]
		ops = append(ops, o)
	}
	for i := range ops {
		if ops[i].code.IsJump() {
			ops[i].target = at[ops[i].target]
		}
	}
	p.ops, p.regions = ops, count+1
}

// regions are the regions of a program, by number from 1.
type regions struct {
	of     []int32 // the innermost region around each operation
	begins []int32 // the region that a JumpNone begins; 0 for none
	parent []int32 // by region
}

// within reports whether region equals outer or is nested in it.
func (r *regions) within(region, outer int32) bool {
	for region != outer && region != 0 {
		region = r.parent[region]
	}
	return region == outer
}

func (p *program) findRegions() (r regions, count int, ok bool) {
	r = regions{of: make([]int32, len(p.ops)), begins: make([]int32, len(p.ops)), parent: []int32{0}}
	type open struct {
		end    int
		region int32
	}
	around := []open{{len(p.ops), 0}}
	for i := range p.ops {
		for around[len(around)-1].end <= i {
			around = around[:len(around)-1]
		}
		inner := around[len(around)-1]
		r.of[i] = inner.region
		end := int(p.ops[i].target)
		if p.ops[i].code != lir.OpJumpNone || end-i <= worthNarrowing {
			continue
		}
		if end > inner.end {
			return r, 0, false
		}
		count++
		r.begins[i] = int32(count)
		r.parent = append(r.parent, inner.region)
		around = append(around, open{end, int32(count)})
	}
	return r, count, true
}

// enter sets the strip's length for a region, given the mask of lanes that enter it.
func (f *frame) enter(region int32, m *[lir.MaskWords]uint32) {
	w := lir.MaskWords - 1
	for w > 0 && m[w] == 0 {
		w--
	}
	n := w*lir.SimdWidth + bits.Len32(m[w])
	if n+lir.SimdWidth/2 > f.lanes { // too little to gain
		n = f.lanes
	}
	f.extents[region] = n
	f.resize(n)
}

// resize sets the strip's length to n lanes.
func (f *frame) resize(n int) {
	if n == f.lanes {
		return
	}
	f.lanes, f.simds, f.blocks = n, (n+lir.SimdWidth-1)/lir.SimdWidth, (n+15)/16
	f.counts[lir.Simd], f.counts[lir.Affine], f.counts[lir.Lane] = f.simds, n, n
	whole := n / lir.SimdWidth
	copy(f.full[:], wholeWords[lir.MaskWords-whole:])
	if rest := n % lir.SimdWidth; rest != 0 {
		f.full[whole] = 1<<rest - 1
	}
}

// wholeWords contains the mask words for any number of whole simdgroups, as the words before the
// first 0.
var wholeWords = [2 * lir.MaskWords]uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0),
	^uint32(0), ^uint32(0)}
