package texel

import "strings"

// Format is the memory layout of a texel.
type Format struct {
	fields [4]field // components r, g, b, a; the width of a missing one is 0
	bytes  int
	kind   formatKind
	srgb   bool
	fast   shape
}

// field is the position of a component in a texel: its lowest bit, counted from the texel's first
// byte, and its width.
type field struct{ at, bits int }

type formatKind uint8

const (
	formatUnorm formatKind = iota + 1
	formatSnorm
	formatUint
	formatSint
	formatFloat
	formatShared // rgb9e5: three mantissas with a common exponent
)

func formatKindOf(name string) formatKind {
	switch name {
	case "unorm":
		return formatUnorm
	case "snorm":
		return formatSnorm
	case "uint":
		return formatUint
	case "sint":
		return formatSint
	case "float":
		return formatFloat
	}
	return 0
}

// part is one component of a packed format.
type part struct {
	component byte
	bits      int
}

// packed returns the components of a format whose components differ in width, from the lowest bit
// of a little-endian word up, and the rest of the name; nil for other formats.
func packed(name string) (parts []part, word, rest string) {
	switch {
	case strings.HasPrefix(name, "rgb10a2"):
		return []part{{'r', 10}, {'g', 10}, {'b', 10}, {'a', 2}}, name[:7], name[7:]
	case strings.HasPrefix(name, "bgr10a2"):
		return []part{{'b', 10}, {'g', 10}, {'r', 10}, {'a', 2}}, name[:7], name[7:]
	case strings.HasPrefix(name, "rg11b10"):
		return []part{{'r', 11}, {'g', 11}, {'b', 10}}, name[:7], name[7:]
	case strings.HasPrefix(name, "rgb9e5"):
		return []part{{'r', 9}, {'g', 9}, {'b', 9}, {'e', 5}}, name[:6], name[6:]
	case strings.HasPrefix(name, "b5g6r5"):
		return []part{{'b', 5}, {'g', 6}, {'r', 5}}, name[:6], name[6:]
	case strings.HasPrefix(name, "a1bgr5"):
		return []part{{'a', 1}, {'b', 5}, {'g', 5}, {'r', 5}}, name[:6], name[6:]
	case strings.HasPrefix(name, "abgr4"):
		return []part{{'a', 4}, {'b', 4}, {'g', 4}, {'r', 4}}, name[:5], name[5:]
	case strings.HasPrefix(name, "bgr5a1"):
		return []part{{'b', 5}, {'g', 5}, {'r', 5}, {'a', 1}}, name[:6], name[6:]
	}
	return nil, "", ""
}

// ParseFormat parses Metal's name of a pixel format that is neither compressed nor planar: R8Unorm,
// RG16Float, BGRA8Unorm_sRGB, RGB9E5Float.
func ParseFormat(name string) (f Format, ok bool) {
	rest, srgb := strings.CutSuffix(strings.ToLower(name), "_srgb")
	f.srgb = srgb
	switch rest {
	case "depth16unorm":
		rest = "r16unorm"
	case "depth32float":
		rest = "r32float"
	case "stencil8":
		rest = "r8uint"
	}
	defer func() { f.fast = f.shape() }()
	if parts, word, kind := packed(rest); parts != nil {
		f.kind = formatKindOf(kind)
		total, floats := 0, false
		for _, p := range parts {
			if i := strings.IndexByte("rgba", p.component); i >= 0 {
				f.fields[i] = field{total, p.bits}
			}
			total += p.bits
		}
		f.bytes = total / 8
		switch word {
		case "rgb9e5":
			floats = true
			if f.kind == formatFloat {
				f.kind = formatShared
			} else {
				f.kind = 0
			}
		case "rg11b10":
			floats = true
		case "rgb10a2":
			return f, !srgb && (f.kind == formatUnorm || f.kind == formatUint)
		}
		return f, f.kind != 0 && !srgb && (floats && f.kind >= formatFloat || !floats && f.kind == formatUnorm)
	}
	return f.regular(rest)
}

// regular parses the name of a format whose components have the same width.
func (f Format) regular(rest string) (Format, bool) {
	order := ""
	for _, p := range []string{"bgra", "rgba", "rg", "r", "a"} {
		if r, found := strings.CutPrefix(rest, p); found {
			rest, order = r, p
			break
		}
	}
	bits := 0
	for _, n := range []struct {
		text string
		bits int
	}{{"8", 8}, {"16", 16}, {"32", 32}} {
		if r, found := strings.CutPrefix(rest, n.text); found {
			rest, bits = r, n.bits
			break
		}
	}
	f.kind = formatKindOf(rest)
	for i := range order {
		f.fields[strings.IndexByte("rgba", order[i])] = field{i * bits, bits}
	}
	f.bytes = len(order) * bits / 8
	byte8 := bits == 8 && f.kind == formatUnorm
	normalized := f.kind == formatUnorm || f.kind == formatSnorm
	bad := order == "" || bits == 0 || f.kind == 0 || normalized && bits == 32 || f.kind == formatFloat && bits == 8 ||
		(f.srgb || order == "bgra" || order == "a") && !byte8 || f.srgb && order == "a"
	return f, !bad
}

// Size returns the size of a texel in bytes.
func (f *Format) Size() int { return f.bytes }

// Numbers is the kind of numbers that programs see in a texel.
type Numbers uint8

// The kinds of numbers.
const (
	Fractions Numbers = iota // floating-point numbers
	Unsigned                 // unsigned integers
	Signed                   // signed integers
)

// String names the kind.
func (n Numbers) String() string {
	return [...]string{"floating-point numbers", "unsigned integers", "signed integers"}[n]
}

// Numbers returns the kind of numbers that programs see.
func (f *Format) Numbers() Numbers {
	switch f.kind {
	case formatUint:
		return Unsigned
	case formatSint:
		return Signed
	}
	return Fractions
}

// isInt reports whether texels are integers, which are neither converted nor filtered.
func (f *Format) isInt() bool { return f.kind == formatUint || f.kind == formatSint }

// shape identifies common formats that can be read and written without looking at each field.
type shape uint8

const (
	anyShape    shape = iota
	bytesShape        // components of 8 bits, unorm
	halfShape         // halves in the order of the components
	floatShape        // 32-bit floats in the order of the components
	numberShape       // 32-bit integers in the order of the components
)

func (f *Format) shape() shape {
	if f.kind == formatUnorm && f.fields[0].bits == 8 {
		return bytesShape
	}
	for i, p := range f.fields {
		if p.bits != 0 && (p.at != i*p.bits || p.bits != f.fields[0].bits) {
			return anyShape
		}
	}
	switch bits := f.fields[0].bits; {
	case f.kind == formatFloat && bits == 16:
		return halfShape
	case f.kind == formatFloat && bits == 32:
		return floatShape
	case f.isInt() && bits == 32:
		return numberShape
	}
	return anyShape
}
