package shader

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// Layout is the memory layout of an argument buffer, which is Metal's layout of the struct.
type Layout struct {
	Length, Align int
	members       []ir.Member
}

// Slot is one argument of a layout.
type Slot struct {
	Offset  int // bytes
	Size    int // bytes
	Data    ir.DataType
	Pointer *ir.Arg // the target of a pointer, if known
}

// HandleSize is the size of a pointer and of a handle of a texture, sampler, table or command
// buffer.
const HandleSize = 8

// LayoutOf returns the layout of the argument buffer that an argument is bound to, or nil if it is
// not an argument buffer.
func LayoutOf(a *ir.Arg) *Layout {
	if !a.ArgumentBuffer {
		return nil
	}
	l := &Layout{Length: a.Size, Align: max(a.Align, HandleSize)}
	switch {
	case a.Struct != nil:
		l.members = a.Struct.Members
	case a.Array != nil:
		l.members = []ir.Member{{Data: ir.DataArray, Array: a.Array, Size: a.Size, Align: a.Align}}
	default:
		return nil
	}
	return l
}

// Descriptor is an MTLArgumentDescriptor.
type Descriptor struct {
	Data      ir.DataType
	Index     int
	Array     int // elements, 0 for no array
	Alignment int // of a constant block; 0 for the type's
}

// LayoutOfDescriptors returns the layout of a struct whose members are the arguments in the order
// of their indices.
func LayoutOfDescriptors(list []Descriptor) *Layout {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Descriptor) int { return cmp.Compare(a.Index, b.Index) })
	l := &Layout{Align: HandleSize}
	for _, d := range list {
		size, align := HandleSize, HandleSize
		if x := d.Data.Shape(); x.Size() > 0 {
			size, align = x.Size(), x.Align()
		}
		stride := (size + align - 1) / align * align
		align = max(align, d.Alignment)
		l.Length = (l.Length + align - 1) / align * align
		m := ir.Member{Offset: l.Length, Index: d.Index, Data: d.Data, Size: size, Align: align}
		if d.Array > 0 {
			m.Array = &ir.Array{Len: d.Array, Stride: stride, Data: m.Data, IndexStride: 1}
			m.Data, m.Size = ir.DataArray, stride*d.Array
		}
		l.members = append(l.members, m)
		l.Length += m.Size
		l.Align = max(l.Align, align)
	}
	l.Length = (l.Length + l.Align - 1) / l.Align * l.Align
	return l
}

// At returns the argument at an index. An argument outside the layout's bytes, which only an
// archive can contain, does not count.
func (l *Layout) At(index int) (Slot, bool) {
	s, ok := slotIn(l.members, index, 0)
	if !ok || s.Offset < 0 || s.Size < 0 || s.Offset > l.Length-s.Size {
		return Slot{}, false
	}
	return s, true
}

// slotIn finds an argument among the members of a struct at an offset. index counts from the
// struct's own.
func slotIn(members []ir.Member, index, offset int) (Slot, bool) {
	for i := range members {
		m := &members[i]
		n := index - m.Index
		if n < 0 || n >= memberSpan(m) {
			continue
		}
		switch {
		case m.Array != nil:
			return slotInArray(m.Array, n, offset+m.Offset)
		case m.Struct != nil:
			return slotIn(m.Struct.Members, n, offset+m.Offset)
		}
		return Slot{offset + m.Offset, m.Size, m.Data, m.Pointer}, true
	}
	return Slot{}, false
}

func slotInArray(a *ir.Array, index, offset int) (Slot, bool) {
	step := max(a.IndexStride, 1)
	offset += index / step * a.Stride
	index %= step
	switch {
	case a.Array != nil:
		return slotInArray(a.Array, index, offset)
	case a.Struct != nil:
		return slotIn(a.Struct.Members, index, offset)
	}
	return Slot{offset, a.Stride, a.Data, a.Pointer}, index == 0
}

// memberSpan is how many argument indices a member takes.
func memberSpan(m *ir.Member) int {
	switch {
	case m.Array != nil:
		return m.Array.Len * max(m.Array.IndexStride, 1)
	case m.Struct != nil:
		return structSpan(m.Struct)
	}
	return 1
}

func structSpan(s *ir.Struct) int {
	n := 0
	for i := range s.Members {
		n = max(n, s.Members[i].Index+memberSpan(&s.Members[i]))
	}
	return n
}
