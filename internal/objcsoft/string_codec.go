package objcsoft

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Values of NSStringEncoding that are supported.
const (
	encASCII   = 1
	encUTF8    = 4
	encLatin1  = 5
	encUTF16   = 10
	encUTF16BE = 0x90000100
	encUTF16LE = 0x94000100
	encUTF32   = 0x8c000100
	encUTF32BE = 0x98000100
	encUTF32LE = 0x9c000100
)

// codec is how one encoding writes a unit, and whether it begins with a byte
// order mark when written for the outside.
type codec struct {
	width int // bytes of a unit; 1 for the byte encodings
	order binary.AppendByteOrder
	read  binary.ByteOrder
	mark  bool
	limit rune // for the byte encodings, the first rune they do not have
}

var littleEndian, bigEndian = binary.LittleEndian, binary.BigEndian

func codecOf(encoding uint64) (codec, bool) {
	switch encoding {
	case encASCII:
		return codec{width: 1, limit: 0x80}, true
	case encLatin1:
		return codec{width: 1, limit: 0x100}, true
	case encUTF8:
		return codec{width: 1, limit: utf8.MaxRune + 1}, true
	case encUTF16:
		return codec{2, littleEndian, littleEndian, true, 0}, true
	case encUTF16LE:
		return codec{2, littleEndian, littleEndian, false, 0}, true
	case encUTF16BE:
		return codec{2, bigEndian, bigEndian, false, 0}, true
	case encUTF32:
		return codec{4, littleEndian, littleEndian, true, 0}, true
	case encUTF32LE:
		return codec{4, littleEndian, littleEndian, false, 0}, true
	case encUTF32BE:
		return codec{4, bigEndian, bigEndian, false, 0}, true
	default:
		return codec{}, false
	}
}

// appendRune writes one rune, which may be a lone surrogate; ok is false when
// the encoding does not have it.
func (c codec) appendRune(b []byte, r rune) (_ []byte, ok bool) {
	switch {
	case c.width == 2 && r >= 0x10000:
		hi, lo := utf16.EncodeRune(r)
		return c.order.AppendUint16(c.order.AppendUint16(b, uint16(hi)), uint16(lo)), true
	case c.width == 2:
		return c.order.AppendUint16(b, uint16(r)), true
	case utf16.IsSurrogate(r):
		return b, false
	case c.width == 4:
		return c.order.AppendUint32(b, uint32(r)), true
	case r >= c.limit:
		return b, false
	case c.limit > 0x100:
		return utf8.AppendRune(b, r), true
	default:
		return append(b, byte(r)), true
	}
}

func (c codec) appendMark(b []byte) []byte {
	if c.mark {
		b, _ = c.appendRune(b, 0xfeff)
	}
	return b
}

// runeAt returns the rune that begins at a unit and how many units it takes. A
// lone surrogate is itself.
func runeAt(units []uint16, i int) (rune, int) {
	r := rune(units[i])
	if utf16.IsSurrogate(r) && i+1 < len(units) {
		if full := utf16.DecodeRune(r, rune(units[i+1])); full != utf8.RuneError {
			return full, 2
		}
	}
	return r, 1
}

// encode writes the units from lo to hi, at most limit bytes and whole
// characters only, and says where it stopped. With lossy, a character that the
// encoding does not have becomes a question mark; without, it stops there.
func (v *stringValue) encode(c codec, lo, hi int, lossy, mark bool, limit int) (b []byte, stop int) {
	if mark {
		if b = c.appendMark(b); len(b) > limit {
			return nil, lo
		}
	}
	units := v.utf16()[:hi]
	for lo < hi {
		r, n := runeAt(units, lo)
		next, ok := c.appendRune(b, r)
		if !ok && lossy {
			next, ok = c.appendRune(b, '?')
		}
		if !ok || len(next) > limit {
			break
		}
		b, lo = next, lo+n
	}
	return b, lo
}

// encodeAll writes the whole string; ok is false when the encoding is unknown or
// does not have a character of it.
func (v *stringValue) encodeAll(encoding uint64, lossy, mark bool) (b []byte, ok bool) {
	c, ok := codecOf(encoding)
	if !ok {
		return nil, false
	}
	if encoding == encUTF8 && v.wide == nil || v.ascii && c.width == 1 {
		return []byte(v.text), true
	}
	b, stop := v.encode(c, 0, v.units, lossy, mark, int(^uint(0)>>1))
	return b, stop == v.units
}

// decodeString reads bytes of an encoding; ok is false when they are none of it.
func decodeString(b []byte, encoding uint64) (v *stringValue, ok bool) {
	c, ok := codecOf(encoding)
	if !ok || len(b)%c.width != 0 {
		return nil, false
	}
	switch {
	case c.width == 1 && c.limit > 0x100:
		if !utf8.Valid(b) {
			return nil, false
		}
		return newString(string(b)), true
	case c.width == 1:
		var s strings.Builder
		for _, x := range b {
			if rune(x) >= c.limit {
				return nil, false
			}
			s.WriteRune(rune(x))
		}
		return newString(s.String()), true
	case c.width == 2:
		if c.mark && len(b) >= 2 {
			switch bigEndian.Uint16(b) {
			case 0xfeff:
				c.read, b = bigEndian, b[2:]
			case 0xfffe:
				b = b[2:]
			}
		}
		units := make([]uint16, 0, len(b)/2)
		for ; len(b) > 0; b = b[2:] {
			units = append(units, c.read.Uint16(b))
		}
		return newStringUnits(units), true
	default:
		if c.mark && len(b) >= 4 {
			switch bigEndian.Uint32(b) {
			case 0xfeff:
				c.read, b = bigEndian, b[4:]
			case 0xfffe0000:
				b = b[4:]
			}
		}
		var s strings.Builder
		for ; len(b) > 0; b = b[4:] {
			r := c.read.Uint32(b)
			if r > utf8.MaxRune || utf16.IsSurrogate(rune(r)) {
				return nil, false
			}
			s.WriteRune(rune(r))
		}
		return newString(s.String()), true
	}
}
