//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import "github.com/puremetal/puremetal/internal/typeenc"

// The System V convention for x86-64, section 3.2.3 of its specification.

const (
	sysvInts   = 6
	sysvFloats = 8
)

// class is the class of one eightbyte.
type class uint8

const (
	classNone class = iota
	classInteger
	classSSE
	classSSEUp // the upper half of a 16-byte vector
)

// sysv hands out registers and stack.
type sysv struct {
	ints, floats, stack int
}

func layoutSysV(sig *typeenc.Signature) layout {
	var l layout
	var s sysv
	if sig.Ret.Kind != typeenc.Void {
		l.ret = s.result(&sig.Ret)
	}
	for i := range sig.Args {
		l.args = append(l.args, s.arg(&sig.Args[i]))
	}
	l.stackBytes = s.stack
	return l
}

// result places a result. One in memory takes the first integer register for
// the address where the caller wants it.
func (s *sysv) result(t *typeenc.Type) Placement {
	classes, ok := sysvClassify(t)
	if !ok {
		s.ints++
		return Placement{Indirect: true, Locs: []Loc{{Kind: InInt, Size: 8}}}
	}
	return Placement{Locs: sysvRegisters(t, classes, 0, 0)}
}

func (s *sysv) arg(t *typeenc.Type) Placement {
	classes, ok := sysvClassify(t)
	if ok {
		var ints, floats int
		for _, c := range classes {
			switch c {
			case classInteger:
				ints++
			case classSSE:
				floats++
			}
		}
		// A value is never split: if a part of it finds no register, all of it
		// goes to the stack, and what is left serves later arguments.
		if s.ints+ints <= sysvInts && s.floats+floats <= sysvFloats {
			locs := sysvRegisters(t, classes, s.ints, s.floats)
			s.ints += ints
			s.floats += floats
			return Placement{Locs: locs}
		}
	}
	s.stack = roundUp(s.stack, max(8, t.Align))
	loc := Loc{Kind: OnStack, Index: s.stack, Size: t.Size}
	s.stack += roundUp(t.Size, 8)
	return Placement{Locs: []Loc{loc}}
}

// sysvRegisters gives each eightbyte the next register of its class.
func sysvRegisters(t *typeenc.Type, classes [2]class, ints, floats int) []Loc {
	var locs []Loc
	for i, c := range classes {
		off := i * 8
		size := min(8, t.Size-off)
		switch c {
		case classInteger:
			locs = append(locs, Loc{Kind: InInt, Index: ints, Size: size, Offset: off})
			ints++
		case classSSE:
			locs = append(locs, Loc{Kind: InFloat, Index: floats, Size: size, Offset: off})
			floats++
		case classSSEUp:
			locs[len(locs)-1].Size += size
		}
	}
	return locs
}

// sysvClassify returns the classes of a value's eightbytes; !ok means memory.
func sysvClassify(t *typeenc.Type) (classes [2]class, ok bool) {
	if t.Size > 16 {
		return classes, false
	}
	sysvMerge(t, 0, &classes)
	if classes[1] == classSSEUp && classes[0] != classSSE {
		classes[1] = classSSE
	}
	return classes, true
}

func sysvMerge(t *typeenc.Type, off int, classes *[2]class) {
	merge := func(i int, c class) {
		switch old := classes[i]; {
		case old == c || old == classNone:
			classes[i] = c
		case old == classInteger || c == classInteger:
			classes[i] = classInteger
		default:
			classes[i] = classSSE
		}
	}
	switch t.Kind {
	case typeenc.Struct, typeenc.Union:
		for i := range t.Fields {
			sysvMerge(&t.Fields[i], off+t.Fields[i].Offset, classes)
		}
	case typeenc.Array:
		// Of empty elements there may be any number: they take no place.
		for i := 0; t.Elem.Size > 0 && i < t.Len; i++ {
			sysvMerge(t.Elem, off+i*t.Elem.Size, classes)
		}
	case typeenc.Float, typeenc.Double:
		merge(off/8, classSSE)
	case typeenc.Vector:
		switch {
		case t.Size < 8:
			merge(off/8, classInteger)
		case t.Size == 8:
			merge(off/8, classSSE)
		default:
			merge(0, classSSE)
			merge(1, classSSEUp)
		}
	case typeenc.BitField:
		if t.Len > 0 {
			merge(off/8, classInteger)
		}
	default:
		merge(off/8, classInteger)
	}
}
