package pp

import (
	"io/fs"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// DefaultVersion is the language version when Options names none: Metal 3.2.
const DefaultVersion = 320

// Options are what a compilation asks of the preprocessor. The zero Options are ready for use.
type Options struct {
	// Defines are macros defined before the text, as by -D: by name, or "name(parameters)" for one
	// that takes arguments. An empty value defines a macro that expands to nothing.
	Defines map[string]string

	// Include is where #include "file" looks; nil has no files. Names are slash-separated, first
	// beside the file that includes, then in each of IncludeDirs.
	Include     fs.FS
	IncludeDirs []string

	// Dir is the folder of Include that the main file lies in; "" is that of its name.
	Dir string

	// Show, if set, says what messages call a file of Include; else it is called by its path there.
	Show func(path string) string

	// MetalVersion is the language version as __METAL_VERSION__ gives it, such as 310. 0 is
	// DefaultVersion.
	MetalVersion int

	// Pragma, if set, is called for every #pragma and _Pragma but once, in the order of the text.
	Pragma func(Pragma)

	// Limits, each of which is a diagnostic when it is passed. 0 is the default in parentheses.
	MaxTokens       int // tokens that macros bring, arguments and intermediate results included (1,000,000)
	MaxDepth        int // macros within macros, conditionals within conditionals, operators within an #if (10,000)
	MaxIncludeDepth int // files within files (200)
	MaxIncludeBytes int // bytes of all included files (64 MiB)
}

// Pragma is one #pragma.
type Pragma struct {
	Pos    diag.Pos      // the word pragma
	Tokens []token.Token // what stands behind it on its line, macros not expanded
}
