package pp

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Process preprocesses a file of the set. The tokens end with an EOF; names that are keywords have become such. Mistakes
// go to sink, and what comes back is the best that could be made of the text.
func Process(fs *diag.FileSet, main *diag.File, opts Options, sink *diag.Sink) []token.Token {
	return nil
}
