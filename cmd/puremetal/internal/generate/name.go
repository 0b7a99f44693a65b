package generate

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"
)

// exported returns an exported Go name: "matmul_f32" is MatmulF32.
func exported(name string) string {
	var b strings.Builder
	separator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(name, separator) {
		first, n := utf8.DecodeRuneInString(word)
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(word[n:])
	}
	first, _ := utf8.DecodeRuneInString(b.String())
	if !unicode.IsUpper(first) {
		return "X" + b.String()
	}
	return b.String()
}

// unexported returns a Go name that is not exported: "cell_size" is cellSize, and RGB is rgb.
func unexported(name string) string {
	name = exported(name)
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && (!unicode.IsUpper(r) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// local returns the name of a parameter, one that hides nothing the method's body uses.
func local(taken map[string]bool, name string) string {
	name = unexported(name)
	if token.IsKeyword(name) || types.Universe.Lookup(name) != nil {
		name += "Argument"
	}
	return unique(taken, name)
}

// bodyNames are the names that methods use.
func bodyNames() map[string]bool {
	taken := map[string]bool{}
	for _, name := range []string{"k", "ctx", "stream", "grid", "launch", "err", "args", "compute", "context", "simd"} {
		taken[name] = true
	}
	return taken
}

// unique returns the name, with a number if it is taken, and takes it.
func unique(taken map[string]bool, name string) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s%d", name, n)
	}
	taken[out] = true
	return out
}
