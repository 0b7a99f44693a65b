package observe

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strconv"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

const (
	sectorShift = 5 // footprints are counted in sectors of 32 bytes
	lineShift   = 7 // hot lines and reuse in lines of 128 bytes

	pageSectors = 1 << 12
	pageLines   = pageSectors >> (lineShift - sectorShift)
)

// extent is the set of sectors of an object that were accessed.
type extent struct {
	object uint64
	pages  []*[pageSectors / 64]uint64
}

// extents are those of a site. It seldom has more than one object.
type extents []extent

func (x *extents) of(object uint64) *extent {
	for i := range *x {
		if (*x)[i].object == object {
			return &(*x)[i]
		}
	}
	*x = append(*x, extent{object: object})
	return &(*x)[len(*x)-1]
}

// add adds n sectors.
func (x *extent) add(first, n uint64) {
	for s := first; s < first+n; s++ {
		p := s / pageSectors
		for uint64(len(x.pages)) <= p {
			x.pages = append(x.pages, nil)
		}
		if x.pages[p] == nil {
			x.pages[p] = new([pageSectors / 64]uint64)
		}
		x.pages[p][s%pageSectors/64] |= 1 << (s % 64)
	}
}

// merge adds the sectors of another extent of the same object.
func (x *extent) merge(y *extent) {
	for i, p := range y.pages {
		if len(x.pages) <= i {
			x.pages = append(x.pages, nil)
		}
		if p == nil {
			continue
		}
		if x.pages[i] == nil {
			x.pages[i] = new([pageSectors / 64]uint64)
		}
		for w, b := range p {
			x.pages[i][w] |= b
		}
	}
}

// count returns the number of sectors.
func (x *extent) count() (n int64) {
	for _, p := range x.pages {
		if p != nil {
			for _, w := range p {
				n += int64(bits.OnesCount64(w))
			}
		}
	}
	return n
}

// each calls f for the sectors in ascending order.
func (x *extent) each(f func(sector uint64)) {
	for i, p := range x.pages {
		if p == nil {
			continue
		}
		for w, b := range p {
			for ; b != 0; b &= b - 1 {
				f(uint64(i*pageSectors + w*64 + bits.TrailingZeros64(b)))
			}
		}
	}
}

// heat counts transactions by line of an object.
type heat struct {
	object uint64
	pages  []*[pageLines]uint32
}

type heats []heat

func (h *heats) of(object uint64) *heat {
	for i := range *h {
		if (*h)[i].object == object {
			return &(*h)[i]
		}
	}
	*h = append(*h, heat{object: object})
	return &(*h)[len(*h)-1]
}

func (h *heat) add(line uint64, n uint32) {
	p := line / pageLines
	for uint64(len(h.pages)) <= p {
		h.pages = append(h.pages, nil)
	}
	if h.pages[p] == nil {
		h.pages[p] = new([pageLines]uint32)
	}
	if at := &h.pages[p][line%pageLines]; *at+n >= *at { // it stays at its maximum
		*at += n
	}
}

func (h *heat) each(f func(line uint64, n uint32)) {
	for i, p := range h.pages {
		if p == nil {
			continue
		}
		for j, n := range p {
			if n > 0 {
				f(uint64(i*pageLines+j), n)
			}
		}
	}
}

// binding is an argument's address.
type binding struct {
	address uint64
	slot    int
}

// bindings returns the bound addresses in ascending order, the first slot of each.
func bindings(buffers []uint64) (list []binding) {
	for slot, address := range buffers {
		if address != 0 {
			list = append(list, binding{address, slot})
		}
	}
	slices.SortStableFunc(list, func(a, b binding) int { return cmp.Compare(a.address, b.address) })
	return slices.CompactFunc(list, func(a, b binding) bool { return a.address == b.address })
}

// region is a part of an object in memory that has a name.
type region struct {
	name        string
	first, size uint64 // bytes; the size is 0 if unknown
}

// regionOf returns the region at an address: the argument that begins last before it, if several
// arguments share an object.
func (l *Launch) regionOf(address uint64) region {
	object := address >> exec.OffsetBits
	f := l.code.f
	named := func(name, kind string, i int, size int) region {
		if name == "" {
			name = kind + " " + strconv.Itoa(i)
		}
		return region{name: name, size: uint64(size)}
	}
	argument := func(k ir.ArgKind, kind string, slot, size int) region {
		for _, a := range f.Args {
			if a.Kind == k && a.Index == slot {
				return named(a.Name, kind, slot, size)
			}
		}
		return named("", kind, slot, size)
	}
	switch {
	case object == 0, object >= exec.FirstAlloca:
	case object >= exec.FirstSharedArg:
		i, size := int(object-exec.FirstSharedArg), 0
		if i < len(l.launch.Threadgroup) {
			size = l.launch.Threadgroup[i]
		}
		return argument(ir.ArgThreadgroup, "threadgroup argument", i, size)
	case object >= exec.FirstShared:
		if i := int(object - exec.FirstShared); i < len(f.Threadgroup) {
			return named(f.Threadgroup[i].Name, "threadgroup variable", i, f.Threadgroup[i].Size)
		}
	case object >= exec.FirstGlobal:
		if i := int(object - exec.FirstGlobal); i < len(f.Module.Globals) {
			return named(f.Module.Globals[i].Name, "constant", i, len(f.Module.Globals[i].Data))
		}
	default:
		return l.deviceRegion(address, argument)
	}
	return region{name: "unknown memory"}
}

// deviceRegion is regionOf for device memory.
func (l *Launch) deviceRegion(address uint64, argument func(ir.ArgKind, string, int, int) region) region {
	object, size := address>>exec.OffsetBits, 0
	if l.launch.Space != nil {
		size = len(l.launch.Space.Object(object).Data)
	}
	if l.options.Used != nil {
		if used := l.options.Used(object); used >= 0 {
			size = min(size, used)
		}
	}
	i := sort.Search(len(l.bound), func(i int) bool { return l.bound[i].address > address }) - 1
	if i < 0 || l.bound[i].address>>exec.OffsetBits != object {
		return region{name: "memory reached through an argument", size: uint64(size)}
	}
	first, end := exec.OffsetOf(l.bound[i].address), uint64(size)
	if i+1 < len(l.bound) && l.bound[i+1].address>>exec.OffsetBits == object {
		end = exec.OffsetOf(l.bound[i+1].address)
	}
	r := argument(ir.ArgBuffer, "buffer", l.bound[i].slot, 0)
	r.first = first
	if end > first {
		r.size = end - first
	}
	return r
}

// hotLines is the number of hot lines of a memory in a result.
const hotLines = 8

// memories returns what was accessed, by name.
func (l *Launch) memories(touched extents, hot heats) []event.Memory {
	by := map[string]*event.Memory{}
	at := func(object, offset uint64) (*event.Memory, uint64) {
		r := l.regionOf(object<<exec.OffsetBits | offset)
		m := by[r.name]
		if m == nil {
			m = &event.Memory{Name: r.name, Hot: []event.Hot{}}
			by[r.name] = m
		}
		m.Size = max(m.Size, int64(r.size))
		return m, r.first
	}
	for i := range touched {
		x := &touched[i]
		if !l.shares(x.object) {
			m, _ := at(x.object, 0)
			m.Footprint += x.count() << sectorShift
			continue
		}
		x.each(func(sector uint64) {
			m, _ := at(x.object, sector<<sectorShift+1<<sectorShift-1)
			m.Footprint += 1 << sectorShift
		})
	}
	for i := range hot {
		h := &hot[i]
		h.each(func(line uint64, n uint32) {
			m, first := at(h.object, line<<lineShift)
			m.Lines++
			offset := int64(line<<lineShift) - int64(first)
			m.Hot = insertHot(m.Hot, event.Hot{Offset: offset, Transactions: int64(n)})
		})
	}
	list := []event.Memory{}
	for _, m := range by {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b event.Memory) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// shares reports whether an object has more than one argument, or one that does not begin where it
// does.
func (l *Launch) shares(object uint64) bool {
	n := 0
	for _, b := range l.bound {
		if b.address>>exec.OffsetBits == object {
			n++
			if exec.OffsetOf(b.address) != 0 {
				n = 2
			}
		}
	}
	return n > 1
}

// insertHot inserts a line into a list of those with most transactions, lower offsets first among
// equals.
func insertHot(list []event.Hot, h event.Hot) []event.Hot {
	i := len(list)
	for i > 0 && (list[i-1].Transactions < h.Transactions ||
		list[i-1].Transactions == h.Transactions && list[i-1].Offset > h.Offset) {
		i--
	}
	if i >= hotLines {
		return list
	}
	list = slices.Insert(list, i, h)
	return list[:min(len(list), hotLines)]
}
