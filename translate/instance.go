package translate

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kernel returns the kernel with a name of the source, nil if there is none. The name of an
// instance of a template may have blanks, and its built-in types any of their spellings:
// k<unsigned, 4> is k<unsigned int,4>.
func (r *Result) Kernel(name string) *Kernel {
	if r == nil {
		return nil
	}
	name = instanceName(name)
	if i := slices.IndexFunc(r.Kernels, func(k Kernel) bool { return k.Name == name }); i >= 0 {
		return &r.Kernels[i]
	}
	return nil
}

// RefusedKernel returns the reasons why the kernel with a name of the source, as in
// [Result.Kernel], is not in the text. There are none if there is no such kernel.
func (r *Result) RefusedKernel(name string) (list []Message) {
	if r == nil {
		return nil
	}
	name = instanceName(name)
	for _, m := range r.Refused {
		if m.Kernel == name {
			list = append(list, m)
		}
	}
	return list
}

var (
	integerType = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:(?:unsigned|signed|char|short|int|long)\b\s*)+`)
	})
	shortType = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:std::)?(?:u(?:char|short|int|long)|u?int(?:8|16|32|64)_t|size_t)\b`)
	})
	aroundMarks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*([<>,*&()\[\]])\s*`) })
)

// longType returns the spelling in words of an integer type that has a name of one word.
func longType(name string) string {
	switch strings.TrimPrefix(name, "std::") {
	case "int8_t":
		return "signed char"
	case "uchar", "uint8_t":
		return "unsigned char"
	case "int16_t":
		return "short"
	case "ushort", "uint16_t":
		return "unsigned short"
	case "int32_t":
		return "int"
	case "uint", "uint32_t":
		return "unsigned int"
	case "int64_t":
		return "long"
	}
	return "unsigned long" // ulong, uint64_t, size_t
}

// instanceName returns the name of an instance of a template with one spelling of each integer
// type, and without needless blanks. Other names stay as they are.
func instanceName(name string) string {
	base, args, ok := strings.Cut(name, "<")
	if !ok {
		return name
	}
	args = shortType().ReplaceAllStringFunc(args, longType)
	args = integerType().ReplaceAllStringFunc(args, func(t string) string {
		words := strings.Fields(t)
		size := "int"
		for _, w := range []string{"char", "short", "long"} {
			if slices.Contains(words, w) {
				size = w
			}
		}
		after := t[len(strings.TrimRight(t, " \t")):] // before another word
		switch {
		case slices.Contains(words, "unsigned"):
			return "unsigned " + size + after
		case size == "char" && slices.Contains(words, "signed"):
			return "signed char" + after
		}
		return size + after
	})
	return strings.TrimSpace(base) + "<" + strings.TrimSpace(aroundMarks().ReplaceAllString(args, "$1"))
}
