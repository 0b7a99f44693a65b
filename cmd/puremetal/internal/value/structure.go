package value

import "strings"

// structure reads {VALUE;VALUE;...}: members one after the other, each at a multiple of its
// alignment, as Metal lays a structure out.
func structure(text, dir string, depth int) (*Value, error) {
	inner, ok := strings.CutSuffix(text[1:], "}")
	if !ok {
		return nil, bad("%q has no } at its end", clip(text))
	}
	if depth >= maxDepth {
		return nil, bad("structures in structures, more than %d deep", maxDepth)
	}
	parts, err := members(inner)
	if err != nil {
		return nil, err
	}
	out := &Value{Type: Type{Scalar: UChar, Lanes: 1}, Struct: true, structAlign: 1}
	size := 0
	for _, p := range parts {
		m, err := parse(strings.TrimSpace(p), dir, depth+1)
		if err != nil {
			return nil, err
		}
		if m.Size() > maxStructure {
			return nil, bad("%s in a structure, which has at most %d bytes", m.Describe(), maxStructure)
		}
		out.structAlign = max(out.structAlign, m.align())
		at := padded(size, m.align())
		out.members = append(out.members, member{at, m})
		if size = at + m.Size(); size > maxStructure {
			return nil, bad("a structure of more than %d bytes", maxStructure)
		}
	}
	out.Shape = []int{padded(size, out.structAlign)}
	return out, nil
}

// member is a value in a structure, and which byte of it is its first.
type member struct {
	at    int
	value *Value
}

// maxStructure is how many bytes a structure has at most.
const maxStructure = 1 << 16

func (v *Value) align() int {
	if v.Struct {
		return v.structAlign
	}
	return v.Type.Align()
}

func padded(size, align int) int { return (size + align - 1) / align * align }

// members splits at the semicolons outside of inner structures.
func members(text string) ([]string, error) {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ';':
			if depth == 0 {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
		if depth < 0 {
			return nil, bad("%q has a } too many", clip(text))
		}
	}
	out = append(out, text[from:])
	switch {
	case depth > 0:
		return nil, bad("%q has a { without }", clip(text))
	case strings.TrimSpace(text) == "":
		return nil, bad("{} has no members")
	case len(out) > maxMembers:
		return nil, bad("%d members of a structure, at most %d", len(out), maxMembers)
	}
	return out, nil
}
