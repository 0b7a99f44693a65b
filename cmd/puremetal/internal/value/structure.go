package value

import "strings"

// structure parses {VALUE;VALUE;...}. Each member starts at a multiple of its alignment, as in
// Metal.
func structure(text, dir string, depth int) (*Value, error) {
	inner, ok := strings.CutSuffix(text[1:], "}")
	if !ok {
		return nil, bad("%q must end in }", clip(text))
	}
	if depth >= maxDepth {
		return nil, bad("structures are nested more than %d deep", maxDepth)
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
			return nil, bad("%s is too large for a structure, which has at most %d bytes", m.Describe(), maxStructure)
		}
		out.structAlign = max(out.structAlign, m.align())
		at := padded(size, m.align())
		out.members = append(out.members, member{at, m})
		if size = at + m.Size(); size > maxStructure {
			return nil, bad("the structure has more than %d bytes", maxStructure)
		}
	}
	out.Shape = []int{padded(size, out.structAlign)}
	return out, nil
}

// structures parses [{...};{...};...], an array of structures of one size, or [@FILE;@FILE;...],
// the layers of an array.
func structures(text, dir string, depth int) (*Value, error) {
	inner, ok := strings.CutSuffix(text[1:], "]")
	if !ok {
		return nil, bad("%q must end in ]", clip(text))
	}
	parts, err := members(inner)
	if err != nil {
		return nil, err
	}
	if isFile(strings.TrimSpace(parts[0])) {
		return layers(parts, dir)
	}
	out := &Value{Type: Type{Scalar: UChar, Lanes: 1}, Struct: true, structAlign: 1, array: true}
	size := 0
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if !strings.HasPrefix(p, "{") {
			return nil, bad("element %d of the array is %q; want a structure such as {int:1;float:2}, or files such as "+
				"@a.png in all elements", i, clip(p))
		}
		m, err := structure(p, dir, depth)
		if err != nil {
			return nil, err
		}
		if i > 0 && m.Size() != out.members[0].value.Size() {
			return nil, bad("element %d of the array has %d bytes, element 0 has %d", i, m.Size(),
				out.members[0].value.Size())
		}
		out.structAlign = max(out.structAlign, m.align())
		out.members = append(out.members, member{size, m})
		size += m.Size()
	}
	out.Shape = []int{size}
	return out, nil
}

// member is a member of a structure with its byte offset.
type member struct {
	at    int
	value *Value
}

// maxStructure is the largest size of a structure in bytes.
const maxStructure = 1 << 16

func (v *Value) align() int {
	if v.Struct {
		return v.structAlign
	}
	return v.Type.Align()
}

func padded(size, align int) int { return (size + align - 1) / align * align }

// members splits the text at semicolons that are not inside nested structures or arrays.
func members(text string) ([]string, error) {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ';':
			if depth == 0 {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
		if depth < 0 {
			return nil, bad("%q has an unmatched }", clip(text))
		}
	}
	out = append(out, text[from:])
	switch {
	case depth > 0:
		return nil, bad("%q has an unmatched {", clip(text))
	case strings.TrimSpace(text) == "":
		return nil, bad("{} has no members")
	case len(out) > maxMembers:
		return nil, bad("%d members in a structure; at most %d are allowed", len(out), maxMembers)
	}
	return out, nil
}
