package token

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// scan returns all tokens of a text except the last, and the diagnostics.
func scan(src string) ([]Token, []diag.Diagnostic) {
	sink := diag.NewSink()
	s := NewScanner(new(diag.FileSet).AddFile("a", src), sink)
	var toks []Token
	for t := s.Next(); t.Kind != EOF; t = s.Next() {
		toks = append(toks, t)
	}
	return toks, sink.Diagnostics()
}

// show formats tokens as kind and text; operators have no kind.
func show(toks []Token) string {
	var parts []string
	for _, t := range toks {
		switch {
		case t.Kind.IsOperator():
			parts = append(parts, t.Text)
		default:
			parts = append(parts, fmt.Sprintf("%s:%s",
				map[Kind]string{Ident: "n", Int: "i", Float: "f", Char: "c", String: "s", Other: "o"}[t.Kind], t.Text))
		}
	}
	return strings.Join(parts, " ")
}

func TestScan(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"names", "a _b c9 $d über 変数", "n:a n:_b n:c9 n:$d n:über n:変数"},
		{"longest operator wins", "a+++b-->c->*d.*e<<=f>>=g...h::i",
			"n:a ++ + n:b -- > n:c ->* n:d .* n:e <<= n:f >>= n:g ... n:h :: n:i"},
		{"every two-character operator", "== != <= >= && || += -= *= /= %= ^= &= |= << >> ##",
			"== != <= >= && || += -= *= /= %= ^= &= |= << >> ##"},
		{"every single operator", "(){}[];,?~.:+-*/%^&|!=<>#", "( ) { } [ ] ; , ? ~ . : + - * / % ^ & | != < > #"},
		{"digraphs", "<: :> <% %> %: %:%: %:% ", "<: :> <% %> %: %:%: %: %"},
		{"a template argument that begins with ::", "a<::b> <:::c <::>", "n:a < :: n:b > <: :: n:c <: :>"},
		{"integers", "0 1u 0x1F 0b101 017 1'000 12ull", "i:0 i:1u i:0x1F i:0b101 i:017 i:1'000 i:12ull"},
		{"floats", "1. .5 1e3 1E-3f 0x1p3 0x.8p+1 2.0h 1e+5bf 1.5'5",
			"f:1. f:.5 f:1e3 f:1E-3f f:0x1p3 f:0x.8p+1 f:2.0h f:1e+5bf f:1.5'5"},
		{"a preprocessing number takes more than a number", "1.2.3 0xe+1 1_x 1e+e+2 1..2",
			"f:1.2.3 f:0xe+1 i:1_x f:1e+e+2 f:1..2"},
		{"a quote ends a number when no digit follows", "1'' 1'", "i:1 c:'' i:1 o:'"},
		{"characters and strings", `'a' '\'' L'x' u8"y" "\"" u"z" U'\n'`,
			`c:'a' c:'\'' c:L'x' s:u8"y" s:"\"" s:u"z" c:U'\n'`},
		{"raw strings", `R"(a"b)" R"x(a)"b)x" LR"()"`, `s:R"(a"b)" s:R"x(a)"b)x" s:LR"()"`},
		{"a raw string keeps lines and backslashes", "R\"(a\\\nb)\" c", "s:R\"(a\\\nb)\" n:c"},
		{"a prefix needs its quote at once", `L 'a' uR'b'`, `n:L c:'a' n:uR c:'b'`},
		{"literals without an end", "\"abc\nd 'x\ne", "o:\"abc n:d o:'x n:e"},
		{"a raw string without an end", "R\"x(abc)y\"", "o:R\"x(abc)y\""},
		{"a raw string with a bad delimiter", "R\"a b(x)\"", "o:R\"a n:b ( n:x ) o:\""},
		{"comments", "a//b\nc/*d\n*/e/**/f", "n:a n:c n:e n:f"},
		{"comments do not nest", "/* /* */ a */", "n:a * /"},
		{"stray characters", "a@b`\\c \u00a7", "n:a o:@ n:b o:` o:\\ n:c o:\u00a7"},
		{"bytes that are no UTF-8", "a\xffb", "n:a o:\xff n:b"},
		{"carriage returns", "a\r\nb\rc", "n:a n:b n:c"},
		{"a byte order mark", "\uFEFFa", "n:a"},

		{"backslash-newline in a name", "ab\\\ncd", "n:abcd"},
		{"in a name, twice, and at its end", "a\\\nb\\\r\nc\\\n d", "n:abc n:d"},
		{"with white space before the newline", "ab\\ \t\ncd", "n:abcd"},
		{"in an operator", "+\\\n+ <\\\n<\\\n= .\\\n..", "++ <<= ..."},
		{"in a number", "1\\\n2e\\\n+3", "f:12e+3"},
		{"in a string", "\"a\\\nb\" 'c\\\n'", "s:\"ab\" c:'c'"},
		{"in an escape", "\"\\\\\nn\"", `s:"\n"`},
		{"between a prefix and its quote", "u\\\n8\"a\"", `s:u8"a"`},
		{"in comments", "/\\\n/ a\\\nb\nc /\\\n* d *\\\n/ e", "n:c n:e"},
		{"between tokens", "a \\\n b", "n:a n:b"},
		{"alone", "\\\n\\\na\\\n", "n:a"},
		{"a string that still has no end", "\"a\\\nb\nc", "o:\"ab n:c"},
		{"a backslash at the end of the text", "a\\", "n:a o:\\"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			toks, diags := scan(tc.src)
			assert.Equal(t, tc.want, show(toks))
			assert.Empty(t, diags)
		})
	}
}

func TestScanFlagsAndPositions(t *testing.T) {
	src := "#a b/**/c\n  d\\\ne\\\n f"
	toks, _ := scan(src)
	type tok struct {
		text   string
		offset int
		flags  Flags
	}
	var got []tok
	for _, t := range toks {
		got = append(got, tok{t.Text, int(t.Pos) - 1, t.Flags})
	}
	assert.Equal(t, []tok{
		{"#", 0, AtLineStart}, {"a", 1, 0}, {"b", 3, SpaceBefore}, {"c", 8, SpaceBefore},
		{"de", 12, AtLineStart | SpaceBefore}, {"f", 19, SpaceBefore},
	}, got)
}

func TestScanReports(t *testing.T) {
	_, diags := scan("a /* b")
	require.Len(t, diags, 1)
	assert.Equal(t, diag.UnterminatedComment, diags[0].Code)
	assert.EqualValues(t, 3, diags[0].Pos)
	toks, diags := scan("a\x00\x00b")
	assert.Equal(t, "n:a n:b", show(toks))
	require.Len(t, diags, 1)
	assert.Equal(t, diag.NulCharacter, diags[0].Code)
}

func TestScanLine(t *testing.T) {
	s := NewScanner(new(diag.FileSet).AddFile("a", "a /* x\n */ b // c\n <d e> \"f\" (rest \\\n of) it\n\n g (h"),
		diag.NewSink())
	line := func() (texts []string) {
		for t := s.NextOnLine(); t.Kind != EOF; t = s.NextOnLine() {
			texts = append(texts, t.Text)
		}
		return texts
	}
	assert.Equal(t, []string{"a", "b"}, line())
	assert.Empty(t, line(), "the end of the line stays the end of the line")
	assert.Equal(t, "<", s.Next().Text)
	assert.False(t, s.TouchesLParen())
	_, ok := s.HeaderName()
	assert.False(t, ok)
	assert.Equal(t, []string{"d", "e", ">", `"f"`, "(", "rest", "of", ")", "it"}, line())
	g := s.Next()
	assert.Equal(t, "g", g.Text)
	assert.True(t, s.PeekLParen())
	assert.False(t, s.TouchesLParen())
	assert.Equal(t, "(h", s.RestOfLine())
	assert.Equal(t, EOF, s.Next().Kind)
	assert.Equal(t, EOF, s.Next().Kind)

	s = NewScanner(new(diag.FileSet).AddFile("a", " <d e> \"f\\g\" <h\n"), nil)
	for _, want := range []string{"<d e>", `"f\g"`} {
		h, ok := s.HeaderName()
		assert.True(t, ok)
		assert.Equal(t, want, h.Text)
	}
	_, ok = s.HeaderName()
	assert.False(t, ok)
	s.SkipLine()
	assert.Equal(t, EOF, s.Next().Kind)
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]Kind{"a1": Ident, "1a": Int, ".5": Float, "<<=": ShlAssign, "'x'": Char,
		`u8"x"`: String, "->*": ArrowStar} {
		kind, ok := Classify(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, kind, text)
	}
	for _, text := range []string{"", " ", "a b", "+-", "//", "/*", "/**/", "'x", "a ", "\n", "@", ")("} {
		_, ok := Classify(text)
		assert.False(t, ok, text)
	}
}

func TestKeywords(t *testing.T) {
	for k := keywords + 1; k < keywordsEnd; k++ {
		require.NotEmpty(t, spellings[k], "keyword %d has no spelling", k)
		assert.Equal(t, k, Keyword(k.String()))
		assert.True(t, k.IsKeyword() && !k.IsOperator() && !k.IsLiteral())
	}
	for k := operators + 1; k < operatorsEnd; k++ {
		kind, ok := Classify(k.String())
		assert.True(t, ok)
		assert.Equal(t, k, kind, "operator %s", k)
		assert.True(t, k.IsOperator())
	}
	for word, want := range map[string]Kind{"and": AmpAmp, "not_eq": Ne, "compl": Tilde, "half": Ident, "float4": Ident,
		"uint": Ident, "__restrict__": KwRestrict} {
		assert.Equal(t, want, Keyword(word), word)
	}
	assert.True(t, KwDevice.IsAddrSpace() && KwObjectData.IsAddrSpace() && !KwKernel.IsAddrSpace())
	assert.True(t, ShrAssign.IsAssign() && !Eq.IsAssign())
}

// TestManySplices scans tokens with very many splices, which leave no trace in their text.
// Quadratic effort would not terminate in time.
func TestManySplices(t *testing.T) {
	const n = 200_000
	splices := strings.Repeat("\\\n", n)
	for _, tok := range []struct {
		kind Kind
		text string
	}{{Ident, "ab"}, {String, `"ab"`}, {PlusPlus, "++"}, {Int, "12"}} {
		half := len(tok.text) / 2
		toks, _ := scan(tok.text[:half] + splices + tok.text[half:] + " " + splices + ";")
		if assert.Len(t, toks, 2, tok.text) {
			assert.Equal(t, tok.kind, toks[0].Kind)
			assert.Equal(t, tok.text, toks[0].Text)
			assert.Equal(t, ";", toks[1].Text)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{"", "a + b", "/* x", "R\"x(y)x\"", "\"a\\\nb\"", "1'0e+3", "u8'\\u00e9'",
		"#define A(x) #x\n", "\\\n\\\n", "\xff\x00@", "<::>", "%:%:"} {
		f.Add(seed)
	}
	for _, seed := range fuzztest.Seeds(f, "../../../testdata/msl") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) { fuzztest.Bound(t, func() { fuzzScan(t, src) }) })
}

// fuzzScan scans to the end: tokens advance, and their text is that of the source.
func fuzzScan(t *testing.T, src string) {
	sink := diag.NewSink()
	s := NewScanner(new(diag.FileSet).AddFile("a", src), sink)
	last := -1
	for {
		tok := s.Next()
		offset := int(tok.Pos) - 1
		if tok.Kind == EOF {
			break
		}
		if offset <= last || s.Offset() <= offset || tok.Text == "" {
			t.Fatalf("token %v at %d, scanner at %d, after one at %d", tok, offset, s.Offset(), last)
		}
		if !strings.Contains(src, "\\") && src[offset:offset+len(tok.Text)] != tok.Text {
			t.Fatalf("token %v is not what stands at %d", tok, offset)
		}
		if kind, ok := Classify(tok.Text); tok.Kind != Other && (!ok || kind != tok.Kind) {
			t.Fatalf("token %v of kind %v is one of kind %v by itself", tok, tok.Kind, kind)
		}
		last = offset
	}
}

func BenchmarkScan(b *testing.B) {
	src := strings.Repeat("    const float4 value = args.scale[i*4 + 1] * (x.yzw + 0.5f); // comment\n", 12_000)
	f := new(diag.FileSet).AddFile("a", src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(f, nil)
		for s.Next().Kind != EOF {
		}
	}
}
