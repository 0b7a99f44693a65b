package pp

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// fuzzSeeds are texts that together use every feature.
var fuzzSeeds = []string{
	"#define F(x, ...) x ## __VA_ARGS__ #x __VA_OPT__(,) \nF(a, b) F() F(F(1), 2)",
	"#define A B\n#define B A\nA B",
	"#if defined(A) && __has_include(<metal_stdlib>) || 1 ? 2 : 3\n#elif 0x1p / 0\n#else\n#endif",
	"#include \"a.h\"\n#include <b.h>\n#include A\n#import \"a.h\"\n#include \"self.h\"",
	"#line 3 \"x\"\n__LINE__ __FILE__ __COUNTER__\n# 4 \"y\" 2",
	"_Pragma(\"once\") _Pragma(\"a\" #pragma push_macro(\"A\")\n#pragma pop_macro(\"A\")",
	"#define E\n#define S(x) #x\nS(\"a\\n\" '\\'') S(E) E##E",
	"#error x\n#warning y\n#undef A\n#nonsense \\\n z",
	"a \\\n b\\\nc /* x \n */ // y \\\n z\nR\"(\n#endif)\"",
	"@ 09 0x 'a \"b\n\xff\x00 ## #",
	"#define __VA_ARGS__\n#define defined\n#define G(a...) a, ##a\nG() G(1)",
	"#define L (\n#define F(x) x\nF L 1) F(F L 2))",
	"#include \"half.h\"\n1)",
}

var fuzzFiles = files(
	"a.h", "#pragma once\n#define A a.h\nx",
	"b.h", "#ifndef B\n#define B\n#include \"a.h\"\n#endif",
	"self.h", "#include \"self.h\"\n#include \"self.h\"",
	"half.h", "#define F(x) <x>\nF(",
)

// FuzzProcess checks that the preprocessor terminates, that its output is bounded, and that
// positions are valid.
func FuzzProcess(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed)
	}
	for _, seed := range fuzztest.Seeds(f, "../../../testdata/msl") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) <= 1<<16 {
			fuzztest.Bound(t, func() { fuzzProcess(t, src) })
		}
	})
}

func fuzzProcess(t *testing.T, src string) {
	const most = 20_000
	fs, sink := diag.NewFileSet(), diag.NewSink()
	toks := Process(fs, fs.AddFile("a.metal", src),
		Options{Include: fuzzFiles, IncludeDirs: []string{"."}, MaxTokens: most, MaxIncludeBytes: 1 << 16, MaxDepth: 500},
		sink)
	size := 0
	for _, file := range fs.Files() {
		size += len(file.Text)
	}
	if len(toks) == 0 || toks[len(toks)-1].Kind != token.EOF || len(toks) > most+size+1 {
		t.Fatalf("%d tokens of %d bytes, at the end %v", len(toks), size, toks[max(0, len(toks)-1):])
	}
	for _, tok := range toks[:len(toks)-1] {
		switch {
		case tok.Kind == token.EOF, tok.Kind == token.Other, tok.Kind == token.Hash, tok.Kind == token.HashHash,
			tok.Text == "":
			t.Fatalf("token %v of kind %v in the output", tok, tok.Kind)
		case !fs.Position(tok.Pos).IsValid() && fs.Position(tok.Pos).File == "":
			t.Fatalf("token %v has no place", tok)
		case strings.Contains(tok.Text, "\n") && tok.Kind != token.String:
			t.Fatalf("token %q of kind %v", tok.Text, tok.Kind)
		}
	}
	for _, write := range []func(io.Writer, *diag.FileSet, []diag.Diagnostic) error{diag.Text, diag.JSON, diag.SARIF} {
		require.NoError(t, write(io.Discard, fs, sink.Diagnostics()))
	}
	for _, d := range sink.Diagnostics() {
		if _, ok := diag.Lookup(d.Code); !ok || d.Message == "" {
			t.Fatalf("diagnostic %+v", d)
		}
	}
}
