package fuzztest

import "strings"

// Mix makes the program that a fuzzer tries from a text and bytes: the text alone, a random program
// alone, or the text with random token changes, which produce a program more often than byte
// changes.
func Mix(text string, data []byte) string {
	c := &choices{data}
	switch {
	case len(data) == 0:
		return text
	case text == "":
		return Program(data)
	}
	list := split(text)
	for len(c.rest) > 0 && len(list) > 0 {
		list = change(c, list)
	}
	return strings.Join(list, "")
}

// words are tokens that a change may insert.
var words = []string{
	"int", "uint", "float", "half", "bool", "short", "char", "long", "ulong", "float4", "half2", "int3", "uchar4", "void",
	"auto", "struct", "class", "union", "enum", "template", "typename", "<", ">", "(", ")", "{", "}", "[", "]", "[[",
	"]]", ",", ";", ":", "::", ".", "->", "&", "&&", "*", "+", "-", "/", "%", "=", "==", "!=", "<=", ">=", "+=", "<<=",
	"++", "--", "?", "...", "~", "!", "^", "|", "||", "const", "constant", "device", "thread", "threadgroup", "constexpr",
	"static", "inline", "kernel", "using", "namespace", "return", "if", "else", "for", "while", "do", "switch", "case",
	"default", "break", "continue", "sizeof", "decltype", "operator", "this", "true", "false", "nullptr", "metal", "0",
	"1", "2", "-1", "31", "32", "64", "0x7fffffff", "4294967295u", "1.0f", "0.5h", "1e38f", "buffer",
	"thread_position_in_grid", "host_name", "function_constant", "mem_flags", "simd_sum", "atomic_uint", "texture2d",
	"access", "sampler", "threadgroup_barrier",
}

// change applies one change to a list of tokens.
func change(c *choices, list []string) []string {
	const most = 1 << 14
	i, kind := c.n(len(list)), c.n(8)
	out := append([]string{}, list[:i]...)
	switch kind {
	case 0: // delete a token
		return append(out, list[i+1:]...)
	case 1: // insert one
		return append(append(out, " ", pick(c, words), " "), list[i:]...)
	case 2: // replace one
		return append(append(out, " ", pick(c, words), " "), list[i+1:]...)
	case 3: // replace one by another from the text
		return append(append(out, list[c.n(len(list))]), list[i+1:]...)
	case 4: // swap two
		j := c.n(len(list))
		list[i], list[j] = list[j], list[i]
		return list
	case 5: // duplicate a group or statement
		if end := group(list, i); len(list)+end-i <= most {
			return append(append(out, list[i:end]...), list[i:]...)
		}
	case 6: // delete it
		return append(out, list[group(list, i):]...)
	default: // copy it elsewhere
		if end, j := group(list, i), c.n(len(list)); len(list)+end-i <= most {
			moved := append([]string{}, list[:j]...)
			return append(append(moved, list[i:end]...), list[j:]...)
		}
	}
	return list
}

// group returns the index of the bracket that closes list[i], or of the end of its statement.
func group(list []string, i int) int {
	depth := 0
	for j := i; j < len(list); j++ {
		switch list[j] {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return max(j, i+1)
			} else if depth == 0 && list[j] == "}" {
				return j + 1
			}
		case ";":
			if depth == 0 {
				return j + 1
			}
		}
	}
	return i + 1
}

// split splits a text into words, spaces and single other characters.
func split(text string) (list []string) {
	class := func(b byte) int {
		switch {
		case b == ' ' || b == '\t':
			return 1
		case b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80:
			return 2
		}
		return 0
	}
	for start := 0; start < len(text); {
		end := start + 1
		for k := class(text[start]); k > 0 && end < len(text) && class(text[end]) == k; {
			end++
		}
		list = append(list, text[start:end])
		start = end
	}
	return list
}
