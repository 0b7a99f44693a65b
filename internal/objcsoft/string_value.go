package objcsoft

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// stringValue is the payload of an NSString, which is a sequence of UTF-16
// units. What UTF-8 can hold is kept as UTF-8, so that equal strings have equal
// representations; only a string with lone surrogates is kept as units.
type stringValue struct {
	text  string
	wide  []uint16 // instead of text, when there are lone surrogates
	units int      // length in UTF-16 units
	ascii bool

	expanded unitsPointer  // text as units, made when it is indexed
	c        pinnedPointer // text as a C string, made when asked for
}

// newString takes valid UTF-8.
func newString(s string) *stringValue {
	v := &stringValue{text: s, ascii: true, units: len(s)}
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			v.ascii = false
			v.units = 0
			for _, r := range s {
				v.units += utf16.RuneLen(r)
			}
			break
		}
	}
	return v
}

// newStringUnits takes any units. It does not keep the slice.
func newStringUnits(units []uint16) *stringValue {
	for i := 0; i < len(units); i++ {
		switch u := rune(units[i]); {
		case !utf16.IsSurrogate(u):
		case i+1 < len(units) && utf16.DecodeRune(u, rune(units[i+1])) != utf8.RuneError:
			i++
		default:
			return &stringValue{wide: slices.Clone(units), units: len(units)}
		}
	}
	return newString(string(utf16.Decode(units)))
}

// utf16 returns the string's units, which are not to be changed.
func (v *stringValue) utf16() []uint16 {
	if v.wide != nil {
		return v.wide
	}
	if p := v.expanded.Load(); p != nil {
		return *p
	}
	units := make([]uint16, 0, v.units)
	for _, r := range v.text {
		units = utf16.AppendRune(units, r)
	}
	if !v.ascii { // ASCII is indexed as bytes; its units are wanted rarely
		v.expanded.Store(&units)
	}
	return units
}

// unit returns one unit; i is within the string.
func (v *stringValue) unit(i int) uint16 {
	if v.ascii {
		return uint16(v.text[i])
	}
	return v.utf16()[i]
}

// slice returns the units from lo up to hi.
func (v *stringValue) slice(lo, hi int) *stringValue {
	switch {
	case lo == 0 && hi == v.units:
		return v.clone()
	case v.ascii:
		return &stringValue{text: v.text[lo:hi], units: hi - lo, ascii: true}
	default:
		return newStringUnits(v.utf16()[lo:hi])
	}
}

// clone shares the content but not the C string, which its owner frees.
func (v *stringValue) clone() *stringValue {
	return &stringValue{text: v.text, wide: v.wide, units: v.units, ascii: v.ascii}
}

func (v *stringValue) append(w *stringValue) *stringValue {
	if v.wide == nil && w.wide == nil {
		return newString(v.text + w.text)
	}
	return newStringUnits(slices.Concat(v.utf16(), w.utf16()))
}

func (v *stringValue) equal(w *stringValue) bool {
	return v.text == w.text && v.units == w.units && slices.Equal(v.wide, w.wide)
}

// compare orders by units, as a literal comparison does.
func (v *stringValue) compare(w *stringValue) int {
	if v.ascii && w.ascii {
		return strings.Compare(v.text, w.text)
	}
	return slices.Compare(v.utf16(), w.utf16())
}

// index returns where w begins in v, in units, or -1.
func (v *stringValue) index(w *stringValue) int {
	if v.wide == nil && w.wide == nil {
		i := strings.Index(v.text, w.text)
		if i <= 0 || v.ascii {
			return i
		}
		return newString(v.text[:i]).units
	}
	a, b := v.utf16(), w.utf16()
	for i := 0; i+len(b) <= len(a); i++ {
		if slices.Equal(a[i:i+len(b)], b) {
			return i
		}
	}
	return -1
}

// hash is FNV-1a over the representation.
func (v *stringValue) hash() uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(v.text); i++ {
		h = (h ^ uint64(v.text[i])) * 1099511628211
	}
	for _, u := range v.wide {
		h = (h ^ uint64(u)) * 1099511628211
	}
	return h
}

// goString returns the string as UTF-8; lone surrogates become U+FFFD.
func (v *stringValue) goString() string {
	if v.wide != nil {
		return string(utf16.Decode(v.wide))
	}
	return v.text
}

// cString returns the address of the string as UTF-8 with a NUL behind it. It
// stays good while the object lives. A lone surrogate has no UTF-8: nil.
func (v *stringValue) cString() uintptr {
	if v.wide != nil {
		return 0
	}
	if p := v.c.Load(); p != nil {
		return p.address()
	}
	b := make([]byte, len(v.text)+1)
	copy(b, v.text)
	p := pinBytes(b)
	if !v.c.CompareAndSwap(nil, p) {
		p.unpin()
	}
	return v.c.Load().address()
}
