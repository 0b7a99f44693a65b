package sanitize

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// Values are looked up when a finding is reported, so other accesses do not pay for them.

// valueOf returns a number of a kind from its bits. The IR's integers have no sign: those that may
// be negative are given in hexadecimal too.
func valueOf(k ir.Kind, bits uint64) sanitizer.Value {
	float := func(name string, x float64) sanitizer.Value {
		return sanitizer.Value{Type: name, Text: strconv.FormatFloat(x, 'g', -1, 32)}
	}
	switch k {
	case ir.I1:
		return sanitizer.Value{Type: "bool", Text: strconv.FormatBool(bits&1 != 0)}
	case ir.F16:
		return float("half", ir.F16Float(uint16(bits)))
	case ir.BF16:
		return float("bfloat", ir.BF16Float(uint16(bits)))
	case ir.F32:
		return float("float", float64(math.Float32frombits(uint32(bits))))
	case ir.Pointer, ir.Texture, ir.Sampler:
		return sanitizer.Value{Type: "address", Text: fmt.Sprintf("%#x", bits)}
	}
	name, ok := map[ir.Kind]string{ir.I8: "char", ir.I16: "short", ir.I32: "int", ir.I64: "long"}[k]
	if !ok {
		return sanitizer.Value{}
	}
	unused := 64 - k.Bits()
	x := int64(bits<<unused) >> unused
	text := strconv.FormatInt(x, 10)
	if x < 0 {
		text += fmt.Sprintf(" (%#x)", bits<<unused>>unused)
	}
	return sanitizer.Value{Type: name, Text: text}
}

// valueAt returns the number of a kind at an offset of some memory, or the zero Value if it is not
// all there.
func valueAt(k ir.Kind, data []byte, offset int) sanitizer.Value {
	n := k.Size()
	if n == 0 || offset < 0 || offset+n > len(data) {
		return sanitizer.Value{}
	}
	var b [8]byte
	copy(b[:], data[offset:][:n])
	return valueOf(k, binary.LittleEndian.Uint64(b[:]))
}

// stores reports whether an access has the values that it writes.
func stores(a *hook.Access) bool {
	return a.Kind != ir.Void && (a.Instr.Op == ir.OpStore || a.Instr.Op == ir.OpMatStore)
}

// contents returns what the object holds.
func (t *touching) contents() []byte {
	if t.data == nil {
		if t.access.Space == ir.Threadgroup {
			t.data = t.g.memory(t.object)
		} else {
			t.data = t.g.launch.space.Object(t.object).Data
		}
	}
	return t.data
}

// value returns what a lane writes or has read. An atomic operation has read what it changes.
func (t *touching) value(lane int) sanitizer.Value {
	a := t.access
	switch {
	case t.texels != nil && t.mode == writes:
		return t.texel(t.texels.Next[lane][:a.Size])
	case t.texels != nil:
		return t.texel(t.texels.Bytes[lane])
	case stores(a), len(a.Instr.Results) > 0 && isAtomicAccess(a.Instr.Op):
		return valueOf(a.Kind, a.Value[lane])
	}
	return valueAt(a.Kind, t.contents(), int(a.Addrs[lane]&exec.OffsetMask))
}

// earlier returns what memory has held since an earlier access of the byte that the lane accesses
// now. A load or an atomic operation has been executed already; a store has not.
func (t *touching) earlier(lane int, old stamp, r *record) sanitizer.Value {
	a, from := t.access, old.lane()
	now := old.record() == t.record && from < lane && a.Lanes.Has(from) // it may be in the same event
	if x := t.texels; x != nil {
		if now && t.mode == writes && &x.Bytes[from][0] == &x.Bytes[lane][0] {
			return t.texel(x.Next[from][:a.Size])
		}
		return t.texel(x.Bytes[lane])
	}
	if now && stores(a) && a.Addrs[from] == a.Addrs[lane] {
		return valueOf(a.Kind, a.Value[from])
	}
	if isAtomicAccess(a.Instr.Op) && t.mode&writes != 0 {
		if len(a.Instr.Results) == 0 || r.kind.Size() != a.Size {
			return sanitizer.Value{} // overwritten
		}
		return valueOf(r.kind, a.Value[lane])
	}
	if r.kind.Size() == 0 {
		return sanitizer.Value{}
	}
	at := t.byte - t.base
	return valueAt(r.kind, t.contents(), at-at%r.kind.Size())
}

// texel returns a texel as the kernel sees it.
func (t *touching) texel(bytes []byte) sanitizer.Value {
	typ := t.access.Instr.Args[0].Type
	x := t.g.launch.space.Texture(t.texels.Texture)
	if x == nil || typ.Elem.Size() == 0 {
		return sanitizer.Value{}
	}
	var v sanitizer.Value
	var text []string
	for _, bits := range x.Show(typ, bytes) {
		v = valueOf(typ.Elem, bits)
		text = append(text, v.Text)
	}
	return sanitizer.Value{Type: v.Type + "4", Text: "(" + strings.Join(text, ", ") + ")"}
}
