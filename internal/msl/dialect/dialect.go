// Package dialect says what OpenCL C and CUDA C++ change in the front end of the Metal Shading
// Language: keywords, predefined macros, the library, and what declarations mean. The preprocessor,
// the parser and the checker ask a [Dialect] where the languages differ; a nil *Dialect is Metal.
//
// The tests are programs in these languages: in internal/test/dialects those that run, in
// internal/msl/translate and internal/msl those that are refused or translated.
package dialect

//go:generate go run ./internal/gen

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Dialect is a language that the front end reads besides Metal.
type Dialect struct {
	// Name is the language's name for messages.
	Name string
	// Namespace holds the language's library.
	Namespace string
	// Macros are the definitions of the predefined macros, as text.
	Macros string
	// Library is the library: declarations in Metal, which go into Namespace. Only those that a
	// program uses are declared. Names of Metal's library that mean the same are in using
	// declarations. Before each is a line with what it declares, as internal/gen writes it.
	Library string
	// VectorLiterals: (float4)(a, b) constructs a vector. Elsewhere it is a comma expression.
	VectorLiterals bool
	// VectorMasks: a comparison of vectors gives integers as wide as the components, -1 for true,
	// and a condition may be such a vector. Selectors are OpenCL's: .s0, .hi, .even.
	VectorMasks bool
	// C: the language is C. A comparison is an int, a pointer to void converts to others, an
	// integer to an enumeration, and a function of the program hides those of the library.
	C bool
	// HostCode: the source has the program of the host in it, and specifiers that say what the
	// device has: __global__, __device__, __shared__. Pointers and references need no address
	// space.
	HostCode bool
	// Header returns the text of a system header that has one, and whether it has.
	Header func(name string) (text string, ok bool)
	// Headers reports whether an include file that is not found is known to be empty; others are
	// only warned about. Nil means that every file must be found.
	Headers func(name string, angled bool) bool

	keywords   func() map[string]token.Kind
	qualifiers string                    // separated by blanks
	refused    func(name string) string  // the reason, or ""
	spaces     func(metal string) string // the name of an address space, or ""
	adapt      func(*ast.File)
}

// Keyword returns the kind of a name as token.Keyword does.
func (d *Dialect) Keyword(name string) token.Kind {
	if d != nil {
		if k, ok := d.keywords()[name]; ok {
			return k
		}
	}
	return token.Keyword(name)
}

// Qualifier reports whether a name qualifies declarations. The tree has it as an attribute.
func (d *Dialect) Qualifier(name string) bool {
	return d != nil && strings.Contains(name, "_") && slices.Contains(words(d.qualifiers), name)
}

// Refused returns why a name of the language means nothing on Metal, or "".
func (d *Dialect) Refused(name string) string { return d.refused(name) }

// Speak replaces the names of Metal's address spaces in the types that a message quotes.
func (d *Dialect) Speak(message string) string {
	if d.spaces == nil || !strings.Contains(message, "'") {
		return message
	}
	parts := strings.Split(message, "'")
	for i := 1; i < len(parts); i += 2 {
		words := strings.Split(parts[i], " ")
		for k, w := range words {
			if s := d.spaces(w); s != "" {
				words[k] = s
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, "'")
}

// Host reports whether the source has the program of the host in it.
func (d *Dialect) Host() bool { return d != nil && d.HostCode }

// Adapt rewrites the tree of a program so that the rules of Metal give what the language means.
func (d *Dialect) Adapt(f *ast.File) { d.adapt(f) }

// OfFile returns the dialect of a file by its name, nil for Metal.
func OfFile(name string) *Dialect {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".cl"):
		return OpenCL
	case strings.HasSuffix(name, ".cu"), strings.HasSuffix(name, ".cuh"):
		return CUDA
	}
	return nil
}

func words(list string) []string { return strings.Fields(list) }
