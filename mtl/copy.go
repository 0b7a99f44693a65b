package mtl

// Checks of copies, shared by the blit encoder and Metal 4's compute encoder.

// blitAlignment is the alignment of offsets and sizes of blits on a Mac without an Apple GPU.
const blitAlignment = 4

// blitUnit returns a device's alignment for buffer blits.
func blitUnit(d *deviceFacts) uint64 {
	if d == nil || d.anyBlitAlignment {
		return 1
	}
	return blitAlignment
}

// copyBuffer checks a copy between buffers.
func (c check) copyBuffer(from Buffer, fromOffset uint, to Buffer, toOffset, size uint, d *deviceFacts) error {
	if err := c.atLeast("size in bytes", uint64(size), 1, ErrLength); err != nil {
		return err
	}
	if err := c.readSpan("source buffer", from, uint64(fromOffset), uint64(size), d); err != nil {
		return err
	}
	if err := c.span("destination buffer", to, uint64(toOffset), uint64(size), d); err != nil {
		return err
	}
	return c.copyRanges(uint64(fromOffset), uint64(toOffset), uint64(size), from.ID() == to.ID(), blitUnit(d))
}

// copyRanges checks two ranges that are within their buffers: they must be aligned and, in the same
// buffer, must not overlap.
func (c check) copyRanges(from, to, size uint64, same bool, unit uint64) error {
	if err := c.multipleOf("source offset in bytes", from, unit); err != nil {
		return err
	}
	if err := c.multipleOf("destination offset in bytes", to, unit); err != nil {
		return err
	}
	if err := c.multipleOf("size in bytes", size, unit); err != nil {
		return err
	}
	if same && from < to+size && to < from+size {
		return c.fail(ErrOverlap, "%d bytes copied from offset %d to %d of one buffer", size, from, to)
	}
	return nil
}

// fill checks a fill of a part of a buffer.
func (c check) fill(b Buffer, r Range, d *deviceFacts) error {
	if err := c.span("buffer", b, uint64(r.Location), uint64(r.Length), d); err != nil {
		return err
	}
	return c.fillRange(uint64(r.Location), uint64(r.Length), blitUnit(d))
}

func (c check) fillRange(at, n, unit uint64) error {
	if err := c.atLeast("length in bytes", n, 1, ErrLength); err != nil {
		return err
	}
	if err := c.multipleOf("offset in bytes", at, unit); err != nil {
		return err
	}
	return c.multipleOf("length in bytes", n, unit)
}
