package ref

import "strings"

// format is how a texel lies in memory.
type format struct {
	fields [4]field // of the components r, g, b, a; of those that it lacks the width is 0
	bytes  int
	kind   formatKind
	srgb   bool
}

// field is where a component lies in a texel: its lowest bit, counted from the texel's first byte, and its width.
type field struct{ at, bits int }

type formatKind uint8

const (
	formatUnorm formatKind = iota + 1
	formatSnorm
	formatUint
	formatSint
	formatFloat
	formatShared // rgb9e5: three mantissas and one exponent
)

var formatKinds = map[string]formatKind{"unorm": formatUnorm, "snorm": formatSnorm, "uint": formatUint, "sint": formatSint, "float": formatFloat}

// packedFormats are those whose components differ in width: from the lowest bit of a little-endian word upwards.
var packedFormats = map[string][]struct {
	component byte
	bits      int
}{
	"rgb10a2": {{'r', 10}, {'g', 10}, {'b', 10}, {'a', 2}},
	"bgr10a2": {{'b', 10}, {'g', 10}, {'r', 10}, {'a', 2}},
	"rg11b10": {{'r', 11}, {'g', 11}, {'b', 10}},
	"rgb9e5":  {{'r', 9}, {'g', 9}, {'b', 9}, {'e', 5}},
	"b5g6r5":  {{'b', 5}, {'g', 6}, {'r', 5}},
	"a1bgr5":  {{'a', 1}, {'b', 5}, {'g', 5}, {'r', 5}},
	"abgr4":   {{'a', 4}, {'b', 4}, {'g', 4}, {'r', 4}},
	"bgr5a1":  {{'b', 5}, {'g', 5}, {'r', 5}, {'a', 1}},
}

// parseFormat reads Metal's name of a pixel format that is neither compressed nor planar: R8Unorm, RG16Float, BGRA8Unorm_sRGB, RGB9E5Float.
func parseFormat(name string) (f format, ok bool) {
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
	for word, parts := range packedFormats {
		kind, found := strings.CutPrefix(rest, word)
		if !found {
			continue
		}
		f.kind = formatKinds[kind]
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
			f.kind = map[formatKind]formatKind{formatFloat: formatShared}[f.kind]
		case "rg11b10":
			floats = true
		case "rgb10a2":
			return f, !srgb && (f.kind == formatUnorm || f.kind == formatUint)
		}
		return f, f.kind != 0 && !srgb && (floats && f.kind >= formatFloat || !floats && f.kind == formatUnorm)
	}
	return f.regular(rest)
}

// regular reads the name of a format whose components are all as wide.
func (f format) regular(rest string) (format, bool) {
	order := ""
	for _, p := range []string{"bgra", "rgba", "rg", "r", "a"} {
		if r, found := strings.CutPrefix(rest, p); found {
			rest, order = r, p
			break
		}
	}
	bits := 0
	for text, n := range map[string]int{"8": 8, "16": 16, "32": 32} {
		if r, found := strings.CutPrefix(rest, text); found {
			rest, bits = r, n
			break
		}
	}
	f.kind = formatKinds[rest]
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

func (f format) size() int { return f.bytes }

// isInt reports whether texels are integers, which are neither converted nor filtered.
func (f format) isInt() bool { return f.kind == formatUint || f.kind == formatSint }
