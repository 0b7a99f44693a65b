package sanitize

import (
	"sync"
	"sync/atomic"
)

// Memory is shadowed in units of unitSize bytes: one cell for each, until threads access parts of
// it separately. Then each of its bytes has a cell.
const (
	unitSize  = 4
	pageUnits = 1024
	pageSize  = pageUnits * unitSize
)

// cell has the last write and the last read of some bytes.
type cell struct{ write, read stamp }

// stamp is an access: a record, a lane, and the bytes of the unit. 0 is none.
//
//	bits 0-3   the bytes of the unit
//	bits 4-11  the lane
//	bits 12-13 of a read: how widely it and earlier unordered reads are spread
//	bits 16-   the record
type stamp uint64

const (
	wholeUnit   stamp = 1<<unitSize - 1
	scopeShift        = 12
	recordShift       = 16
)

// scope says how widely readers are spread.
type scope uint8

const (
	oneThread scope = iota
	oneSimdgroup
	oneThreadgroup
	everywhere
)

func makeStamp(record uint64, lane int, mask stamp) stamp {
	return stamp(record<<recordShift) | stamp(lane)<<4 | mask
}

func (s stamp) record() uint64        { return uint64(s >> recordShift) }
func (s stamp) lane() int             { return int(s>>4) & 0xff }
func (s stamp) scope() scope          { return scope(s >> scopeShift & 3) }
func (s stamp) spread(c scope) stamp  { return s&^(3<<scopeShift) | stamp(c)<<scopeShift }
func (s stamp) covers(m stamp) bool   { return s == 0 || s&wholeUnit == m }
func (s stamp) with(mask stamp) stamp { return s&^wholeUnit | mask }

// page shadows pageSize bytes.
type page struct {
	mu    sync.Mutex
	cells [pageUnits]cell
	split map[int]*[unitSize]cell // units whose bytes have been accessed separately
}

// shadow shadows an object. Its pages are made when they are first accessed.
type shadow struct{ pages []atomic.Pointer[page] }

func newShadow(bytes int) *shadow {
	return &shadow{pages: make([]atomic.Pointer[page], (bytes+pageSize-1)/pageSize)}
}

func (s *shadow) page(i int) *page {
	p := s.pages[i].Load()
	if p == nil {
		s.pages[i].CompareAndSwap(nil, new(page))
		p = s.pages[i].Load()
	}
	return p
}

// each calls f with the cells of a range of bytes that must be inside the object, and the bytes of
// the unit that each stands for.
func (s *shadow) each(offset, size int, f func(c *cell, mask stamp)) {
	for end := offset + size; offset < end; {
		p := s.page(offset / pageSize)
		p.mu.Lock()
		for stop := min(end, (offset/pageSize+1)*pageSize); offset < stop; {
			unit, first := offset/unitSize%pageUnits, offset%unitSize
			n := min(unitSize-first, stop-offset)
			mask := stamp(1<<n-1) << first
			c := &p.cells[unit]
			if parts := p.parts(unit, c, mask); parts != nil {
				for i := range n {
					f(&parts[first+i], 1<<(first+i))
				}
			} else {
				f(c, mask)
			}
			offset += n
		}
		p.mu.Unlock()
	}
}

// parts returns the cells of a unit's bytes if they are separate, or must be: an access to some of
// them follows one to others.
func (p *page) parts(unit int, c *cell, mask stamp) *[unitSize]cell {
	if parts := p.split[unit]; parts != nil {
		return parts
	}
	if c.write.covers(mask) && c.read.covers(mask) {
		return nil
	}
	parts := new([unitSize]cell)
	for i := range parts {
		one := stamp(1) << i
		if c.write&one != 0 {
			parts[i].write = c.write.with(one)
		}
		if c.read&one != 0 {
			parts[i].read = c.read.with(one)
		}
	}
	if p.split == nil {
		p.split = map[int]*[unitSize]cell{}
	}
	p.split[unit] = parts
	return parts
}
