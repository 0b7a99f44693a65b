package pp

import (
	"io/fs"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// DefaultVersion is the default language version: Metal 3.2.
const DefaultVersion = 320

// Options configures the preprocessor. The zero value is ready to use.
type Options struct {
	// Defines are macros defined before the source text, as by -D. The key is a name, or
	// "name(parameters)" for a function-like macro. An empty value defines a macro that expands to
	// nothing.
	Defines map[string]string

	// Include is the file system for #include "file"; nil has no files. Names are slash-separated
	// and looked up next to the including file first, then in each of IncludeDirs.
	Include     fs.FS
	IncludeDirs []string

	// Dir is the main file's folder in Include; "" means the directory of its name.
	Dir string

	// Show, if set, returns the name that messages show for a file of Include, instead of its path.
	Show func(path string) string

	// MetalVersion is the language version in the form of __METAL_VERSION__, such as 310. 0 is
	// DefaultVersion.
	MetalVersion int

	// Dialect is the program's language; nil is Metal.
	Dialect *dialect.Dialect

	// Pragma, if set, is called for every #pragma except once and every _Pragma, in source order.
	Pragma func(Pragma)

	// Limits; exceeding one is reported as an error. 0 selects the default in parentheses.
	MaxTokens       int // tokens produced by macros, including arguments and intermediate results (1,000,000)
	MaxDepth        int // nested macros, nested conditionals, nested operators in an #if (10,000)
	MaxIncludeDepth int // nested includes (200)
	MaxIncludeBytes int // total bytes of included files (64 MiB)
}

// Pragma is a #pragma or _Pragma.
type Pragma struct {
	Pos    diag.Pos      // the word pragma
	Tokens []token.Token // the rest of the line, not macro-expanded
}
