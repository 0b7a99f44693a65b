package ref

import (
	"math"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// format is how a texel lies in memory: components of equal width in this order, or a packed one.
type format struct {
	n    int // components
	bits int // of each
	kind formatKind
	bgra bool
	srgb bool
}

type formatKind uint8

const (
	formatUnorm formatKind = iota + 1
	formatSnorm
	formatUint
	formatSint
	formatFloat
)

// parseFormat reads Metal's name of a pixel format whose components are all as wide: R8Unorm, RG16Float, BGRA8Unorm_sRGB, Depth32Float.
func parseFormat(name string) (f format, ok bool) {
	rest, srgb := strings.CutSuffix(strings.ToLower(name), "_srgb")
	f.srgb = srgb
	for _, p := range [...]struct {
		prefix string
		n      int
		bgra   bool
	}{{"bgra", 4, true}, {"rgba", 4, false}, {"rg", 2, false}, {"r", 1, false}, {"depth", 1, false}} {
		if r, found := strings.CutPrefix(rest, p.prefix); found {
			rest, f.n, f.bgra = r, p.n, p.bgra
			break
		}
	}
	for _, w := range [...]struct {
		text string
		bits int
	}{{"8", 8}, {"16", 16}, {"32", 32}} {
		if r, found := strings.CutPrefix(rest, w.text); found {
			rest, f.bits = r, w.bits
			break
		}
	}
	switch rest {
	case "unorm":
		f.kind = formatUnorm
	case "snorm":
		f.kind = formatSnorm
	case "uint":
		f.kind = formatUint
	case "sint":
		f.kind = formatSint
	case "float":
		f.kind = formatFloat
	}
	normalized := f.kind == formatUnorm || f.kind == formatSnorm
	bad := f.n == 0 || f.bits == 0 || f.kind == 0 || normalized && f.bits == 32 || f.kind == formatFloat && f.bits == 8 ||
		srgb && (f.bits != 8 || f.kind != formatUnorm) || f.bgra && (f.bits != 8 || f.kind != formatUnorm)
	return f, !bad
}

func (f format) size() int { return f.n * f.bits / 8 }

// place returns which component of a texel's memory is component i.
func (f format) place(i int) int {
	if f.bgra && i != 3 {
		return 2 - i
	}
	return i
}

func (f format) element() ir.Kind { return [...]ir.Kind{8: ir.I8, 16: ir.I16, 32: ir.I32}[f.bits] }

// isInt reports whether texels are integers, which are neither converted nor filtered.
func (f format) isInt() bool { return f.kind == formatUint || f.kind == formatSint }

// number returns component i of a texel as a number: 0, or for alpha 1, where the format lacks it.
func (f format) number(texel []byte, i int) float64 {
	if i >= f.n {
		return float64(bit(i == 3))
	}
	k := f.element()
	bits := getBits(k, texel[f.place(i)*k.Size():])
	switch f.kind {
	case formatUnorm:
		c := float64(bits) / float64(uint64(1)<<f.bits-1)
		if f.srgb && i < 3 {
			if c <= 0.04045 {
				return c / 12.92
			}
			return math.Pow((c+0.055)/1.055, 2.4)
		}
		return c
	case formatSnorm:
		return max(float64(signed(bits, f.bits))/float64(uint64(1)<<(f.bits-1)-1), -1)
	case formatUint:
		return float64(bits)
	case formatSint:
		return float64(signed(bits, f.bits))
	}
	if f.bits == 16 {
		return ir.F16Float(uint16(bits))
	}
	return ir.BitsFloat(ir.F32, bits)
}

// component returns component i of a texel as a program sees it: a number of kind k.
func (f format) component(texel []byte, i int, k ir.Kind) uint64 {
	switch {
	case k.IsFloat():
		return round(k, f.number(texel, i))
	case k == ir.I64 && i == 0 && f.isInt() && f.size() == 8:
		return getBits(k, texel)
	case k == ir.I64:
		return bit(i == 3)
	}
	return uint64(int64(f.number(texel, i))) & (^uint64(0) >> (64 - k.Bits()))
}

// setComponent writes component i of a texel, given as a number of kind k.
func (f format) setComponent(texel []byte, i int, k ir.Kind, v uint64) {
	if k == ir.I64 {
		if i == 0 && f.isInt() && f.size() == 8 {
			putBits(k, texel, v)
		}
		return
	}
	if i >= f.n {
		return
	}
	e := f.element()
	to := texel[f.place(i)*e.Size():]
	top := float64(uint64(1)<<f.bits - 1)
	if f.kind == formatSnorm {
		top = float64(uint64(1)<<(f.bits-1) - 1)
	}
	switch x := ir.BitsFloat(k, v); f.kind {
	case formatUint:
		putBits(e, to, min(v, 1<<f.bits-1))
	case formatSint:
		putBits(e, to, clampSigned(signed(v, k.Bits()), f.bits))
	case formatFloat:
		kind := ir.F32
		if f.bits == 16 {
			kind = ir.F16
		}
		putBits(e, to, round(kind, x))
	default:
		low := 0.0
		if f.kind == formatSnorm {
			low = -1
		}
		if x != x {
			x = 0
		}
		if x = min(max(x, low), 1); f.srgb && i < 3 {
			if x <= 0.0031308 {
				x *= 12.92
			} else {
				x = float64(1.055*math.Pow(x, 1/2.4)) - 0.055
			}
		}
		putBits(e, to, uint64(int64(math.RoundToEven(x*top))))
	}
}
