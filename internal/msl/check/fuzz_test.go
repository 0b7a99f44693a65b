package check

import (
	"io"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/fuzztest"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// FuzzCheck checks whatever parses: nothing goes on for long or ends in an internal error, and an
// accepted program is complete and can be printed.
func FuzzCheck(f *testing.F) {
	for _, text := range fuzztest.Seeds(f, "../../../testdata/msl") {
		f.Add(text, []byte(nil))
	}
	f.Add("", []byte("a program of these bytes"))
	f.Fuzz(func(t *testing.T, text string, changes []byte) {
		if text = fuzztest.Mix(text, changes); len(text) <= 1<<16 {
			fuzztest.Bound(t, func() { fuzzCheck(t, text) })
		}
	})
}

func fuzzCheck(t *testing.T, text string) {
	fs, sink := diag.NewFileSet(), diag.NewSink()
	toks := pp.Process(fs, fs.AddFile("fuzz.metal", text), pp.Options{}, sink)
	tree := parse.File(fs, toks, sink)
	if sink.Errors() > 0 {
		return
	}
	p := Program(fs, tree, Options{}, sink)
	if sink.Errors() == 0 {
		checkComplete(t, p)
		if err := typed.Print(io.Discard, p); err != nil {
			t.Fatal(err)
		}
	}
}
