package mtl

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/objc"
)

// Limits of Metal that are the same on every Mac.
const (
	maxBufferIndex    = MaxBufferSlots - 1  // of buffers, bytes and function tables
	maxTextureIndex   = MaxTextureSlots - 1 // of textures
	maxSamplerIndex   = MaxSamplerSlots - 1 // of samplers
	maxInlineBytes    = MaxBytesLength      // bytes that SetBytes takes
	maxMemoryIndex    = MaxThreadgroupMemorySlots - 1
	maxIndirectCount  = 16384 // commands of an indirect command buffer
	indirectAlignment = 4     // of the arguments of an indirect call
)

// Descriptions are formatted only after a check has failed: hot calls must not allocate.

// flags checks a set of options: not empty, and nothing outside allowed.
func (c check) flags(what string, value, allowed uint64) error {
	if value == 0 {
		return c.fail(ErrArgument, "%s: the set is empty", what)
	}
	if extra := value &^ allowed; extra != 0 {
		return c.fail(ErrArgument, "%s: %#x is not allowed, %#x is", what, extra, allowed)
	}
	return nil
}

// slots checks that n elements, starting at index first, fit a table whose last index is last.
func (c check) slots(what string, first uint, n int, last uint64) error {
	if err := c.atMost(what, uint64(first), last, ErrIndex); err != nil {
		return err
	}
	if end := uint64(first) + uint64(n); end > last+1 {
		return c.atMost("last "+what, end-1, last, ErrIndex)
	}
	return nil
}

// entries checks a range of the n entries of a table: commands, counters, samples.
func (c check) entries(what string, r Range, n uint64) error {
	switch {
	case uint64(r.Location) > n:
		return c.atMost("first "+what, uint64(r.Location), n, ErrIndex)
	case uint64(r.Length) > n-uint64(r.Location):
		return c.atMost("number of "+what+"s", uint64(r.Length), n-uint64(r.Location), ErrLength)
	}
	return nil
}

// entry checks the index of one of n entries.
func (c check) entry(what string, i, n uint64) error {
	if n == 0 {
		return c.fail(ErrIndex, "%s %d: the table has no entries", what, i)
	}
	return c.atMost(what, i, n-1, ErrIndex)
}

// same checks that slices that belong together have the same length.
func (c check) same(what string, have, want int) error {
	if have == want {
		return nil
	}
	return &LimitError{Call: string(c), What: "number of " + what, Value: uint64(have), Limit: uint64(want), Rule: Exactly,
		Err: ErrLength}
}

// described checks a factory object and the descriptor passed to it.
func (c check) described(maker string, id, descriptor objc.ID) error {
	if err := c.object(maker, id); err != nil {
		return err
	}
	return c.object("descriptor", descriptor)
}

// objects checks that no element is nil.
func objects[T interface{ ID() objc.ID }](c check, what string, elements []T) error {
	for i, e := range elements {
		if e.ID().IsNil() {
			return c.fail(ErrNil, "%s %d", what, i)
		}
	}
	return nil
}

// threadgroup checks the size of a threadgroup against the pipeline's and the device's limits.
func (c check) threadgroup(t Size, p *pipelineFact, d *deviceFacts) error {
	if err := c.atLeastOne("threads per threadgroup", t, ErrThreadgroupSize); err != nil {
		return err
	}
	if d != nil {
		if err := c.atMost("threads per threadgroup, width", uint64(t.Width), uint64(d.maxThreads.Width),
			ErrThreadgroupSize); err != nil {
			return err
		}
		if err := c.atMost("threads per threadgroup, height", uint64(t.Height), uint64(d.maxThreads.Height),
			ErrThreadgroupSize); err != nil {
			return err
		}
		if err := c.atMost("threads per threadgroup, depth", uint64(t.Depth), uint64(d.maxThreads.Depth),
			ErrThreadgroupSize); err != nil {
			return err
		}
	}
	limit := uint64(defaultMaxThreads)
	if p != nil {
		limit = p.maxThreads
	}
	if err := c.atMost("threads per threadgroup", volume(t), limit, ErrThreadgroupSize); err != nil {
		return err
	}
	if p != nil && p.required != (Size{}) && p.required != t {
		return c.fail(ErrThreadgroupSize, "threadgroup is %d x %d x %d, the pipeline requires %d x %d x %d",
			t.Width, t.Height, t.Depth, p.required.Width, p.required.Height, p.required.Depth)
	}
	return nil
}

// maxGridWidth is the limit of a kernel's 32-bit positions in the grid.
const maxGridWidth = math.MaxUint32

// grid checks a grid of g units of t threads: at least one thread, positions that fit 32 bits, and
// a total that fits 64.
func (c check) grid(g, t Size) error {
	if err := c.atLeastOne("grid", g, ErrGridSize); err != nil {
		return err
	}
	if err := c.gridDimension("threads in the grid, width", g.Width, t.Width); err != nil {
		return err
	}
	if err := c.gridDimension("threads in the grid, height", g.Height, t.Height); err != nil {
		return err
	}
	if err := c.gridDimension("threads in the grid, depth", g.Depth, t.Depth); err != nil {
		return err
	}
	total := Size{g.Width * t.Width, g.Height * t.Height, g.Depth * t.Depth}
	if volume(total) == math.MaxUint64 {
		return c.fail(ErrGridSize, "%d x %d x %d threads exceed 64 bits", total.Width, total.Height, total.Depth)
	}
	return nil
}

func (c check) gridDimension(what string, groups, threads uint) error {
	hi, lo := bits.Mul64(uint64(groups), uint64(threads))
	if hi != 0 {
		lo = math.MaxUint64
	}
	return c.atMost(what, lo, maxGridWidth, ErrGridSize)
}

// atLeastOne checks that no dimension is zero.
func (c check) atLeastOne(what string, s Size, kind error) error {
	if s.Width > 0 && s.Height > 0 && s.Depth > 0 {
		return nil
	}
	which := ", width"
	switch {
	case s.Width == 0:
	case s.Height == 0:
		which = ", height"
	default:
		which = ", depth"
	}
	return c.atLeast(what+which, 0, 1, kind)
}

// volume returns the product of the dimensions, or the largest uint64 on overflow.
func volume(s Size) uint64 {
	hi, lo := bits.Mul64(uint64(s.Width), uint64(s.Height))
	hi2, v := bits.Mul64(lo, uint64(s.Depth))
	if hi != 0 && s.Depth != 0 || hi2 != 0 {
		return math.MaxUint64
	}
	return v
}

// memory checks the total of threadgroup memory.
func (c check) memory(static, dynamic uint64, d *deviceFacts) error {
	limit := uint64(defaultThreadgroupMemory)
	if d != nil {
		limit = d.maxThreadgroupMemory
	}
	return c.atMost("threadgroup memory in bytes, that of the kernel included", static+dynamic, limit,
		ErrThreadgroupMemory)
}

// indirect checks where a buffer holds n bytes of indirect arguments.
func (c check) indirect(what string, b Buffer, offset uint, n uint64, d *deviceFacts) error {
	if err := c.object(what, b.ID()); err != nil {
		return err
	}
	if offset%indirectAlignment != 0 {
		return c.multipleOf(what+" offset in bytes", uint64(offset), indirectAlignment)
	}
	return c.span(what, b, uint64(offset), n, d)
}

// span is readSpan for a buffer that is not the source of a blit. It therefore rejects remote
// views.
func (c check) span(what string, b Buffer, offset, n uint64, d *deviceFacts) error {
	if err := c.readSpan(what, b, offset, n, d); err != nil {
		return err
	}
	return c.notRemote(what, factsOfBuffer(b).remote)
}

// readSpan checks that a buffer is not nil and contains n bytes at offset.
func (c check) readSpan(what string, b Buffer, offset, n uint64, d *deviceFacts) error {
	if err := c.object(what, b.ID()); err != nil {
		return err
	}
	f := factsOfBuffer(b)
	if err := c.device(what, f.device, d); err != nil {
		return err
	}
	if offset > f.length || n > f.length-offset {
		return c.within(what, offset, n, f.length)
	}
	return nil
}

// count checks the number of elements of something that must not be empty.
func (c check) count(what string, n int) error { return c.atLeast(what, uint64(n), 1, ErrLength) }
