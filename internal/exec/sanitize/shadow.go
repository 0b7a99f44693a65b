package sanitize

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Memory is shadowed in lines. While threads access whole lines, with consecutive threads at
// consecutive elements, a line has one cell: a run. Otherwise it has a cell for each unit, until
// threads access parts of a unit separately, and then for each byte.
const (
	lineSize  = 64
	unitSize  = 4
	lineUnits = lineSize / unitSize
	pageSize  = 4096
	pageLines = pageSize / lineSize
)

// cell has the last write and the last read of some bytes. If several threads have read them
// without an order, also is a read of another thread than that of the last one.
type cell struct{ write, read, also stamp }

// stamp is an access: a record and a lane. 0 is none.
//
//	bits 0-1   of a run: the binary logarithm of the elements' size
//	bits 4-11  the lane; of a run, that of the line's first element
//	bits 12-13 of a read: how widely it and earlier unordered reads are spread
//	bits 16-   the record
type stamp uint64

const (
	scopeShift  = 12
	recordShift = 16
)

// scope says how widely readers are spread.
type scope uint8

const (
	oneThread scope = iota
	oneSimdgroup
	oneThreadgroup
	everywhere
)

func makeStamp(record uint64, lane int) stamp { return stamp(record<<recordShift) | stamp(lane)<<4 }

// runOf returns the stamp of a run of elements of a size.
func runOf(record uint64, lane, size int) stamp {
	return makeStamp(record, lane) | stamp(bits.TrailingZeros(uint(size)))
}

func (s stamp) record() uint64       { return uint64(s >> recordShift) }
func (s stamp) lane() int            { return int(s>>4) & 0xff }
func (s stamp) size() int            { return 1 << (s & 3) }
func (s stamp) scope() scope         { return scope(s >> scopeShift & 3) }
func (s stamp) spread(c scope) stamp { return s&^(3<<scopeShift) | stamp(c)<<scopeShift }

// at returns the stamp of a byte of a run.
func (s stamp) at(i int) stamp {
	if s == 0 {
		return 0
	}
	return s&^3 + stamp(i/s.size())<<4
}

// form says which cells a line has.
type form uint8

const (
	oneRun form = iota
	units
	eachByte
)

// page shadows pageSize bytes.
type page struct {
	mu      sync.Mutex
	runs    [pageLines]cell
	forms   [pageLines]form
	cells   *[pageLines]*[lineSize]cell // of lines that are no runs; the first lineUnits of units
	readers map[*cell][]stamp           // all of them, where fences order accesses

	// began has the atomic operations that have initialized bytes of threadgroup memory, by the byte's
	// offset, until all that follows comes after them.
	began map[int]stamp
}

// syncMap is a *sync.Map. As an interface, it is not compiled again by each package that holds a
// Sanitizer.
type syncMap interface {
	Load(key any) (value any, ok bool)
	LoadOrStore(key, value any) (kept any, loaded bool)
}

// shadow shadows an object, or the memory of textures. Its pages are made when they are first
// accessed.
type shadow struct {
	pages []atomic.Pointer[page]
	size  int
	far   syncMap // pages of textures, by number: of any address of the process; nil with pages
}

func newShadow(bytes int) *shadow {
	return &shadow{pages: make([]atomic.Pointer[page], (bytes+pageSize-1)/pageSize), size: bytes}
}

func (s *shadow) page(i int) *page {
	if s.pages == nil {
		p, ok := s.far.Load(i)
		if !ok {
			p, _ = s.far.LoadOrStore(i, new(page))
		}
		return p.(*page)
	}
	p := s.pages[i].Load()
	if p == nil {
		s.pages[i].CompareAndSwap(nil, new(page))
		p = s.pages[i].Load()
	}
	return p
}

// reset forgets all accesses.
func (s *shadow) reset() {
	for i := range s.pages {
		if p := s.pages[i].Load(); p != nil {
			p.runs, p.forms, p.readers, p.began = [pageLines]cell{}, [pageLines]form{}, nil, nil
		}
	}
}

// separate returns the cells of n bytes of a line, which get cells of their own.
func (p *page) separate(line, first, n int, byBytes bool) []cell {
	if p.forms[line] != eachByte && (byBytes || (first|n)%unitSize != 0) {
		p.split(line, eachByte)
	} else if p.forms[line] == oneRun {
		p.splitRun(line)
	}
	if p.forms[line] == units {
		first, n = first/unitSize, n/unitSize
	}
	return p.cells[line][first:][:n:n]
}

// splitRun gives a run as few cells as it can have.
func (p *page) splitRun(line int) {
	r := &p.runs[line]
	small := false
	for _, s := range [...]stamp{r.write, r.read, r.also} {
		small = small || s != 0 && s.size() < unitSize
	}
	if small {
		p.split(line, eachByte)
		return
	}
	p.split(line, units)
}

// split gives a line the cells of another form.
func (p *page) split(line int, to form) {
	if p.cells == nil {
		p.cells = new([pageLines]*[lineSize]cell)
	}
	if p.cells[line] == nil {
		p.cells[line] = new([lineSize]cell)
	}
	cells, r := p.cells[line], p.runs[line]
	switch {
	case p.forms[line] == units: // to bytes
		for i := lineSize - 1; i >= 0; i-- {
			cells[i] = cells[i/unitSize]
		}
	case to == units:
		for i := range lineUnits {
			cells[i] = cell{r.write.at(i * unitSize), r.read.at(i * unitSize), r.also.at(i * unitSize)}
		}
	default:
		for i := range lineSize {
			cells[i] = cell{r.write.at(i), r.read.at(i), r.also.at(i)}
		}
	}
	p.forms[line] = to
}
