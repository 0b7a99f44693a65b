package diag

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEscape: nothing that controls a terminal or the direction of text remains, and nothing else
// changes.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"µ, 中, 👩‍💻, e\u0301\n\tx":           "µ, 中, 👩‍💻, e\u0301\n\tx",
		"\x1b]0;owned\a":                    "<U+001B>]0;owned<U+0007>",
		"a\u009b31m\x7f\x00":                "a<U+009B>31m<U+007F><U+0000>",
		"\x9b31m\xff":                       "<9B>31m<FF>",
		"\u202eabc\u2066\u2069\u200f\u061c": "<U+202E>abc<U+2066><U+2069><U+200F><U+061C>",
		"a\rb\u2028":                        "a<U+000D>b<U+2028>",
		"\ufffd":                            "\ufffd",
	} {
		assert.Equal(t, want, Escape(text))
	}
	assert.Equal(t, "a<U+000A>b<U+0009>", EscapeLine("a\nb\t"))
}

// TestTextOfNames: a line break in a file's name begins no diagnostic.
func TestTextOfNames(t *testing.T) {
	fs := NewFileSet()
	f := fs.AddFile("a\nb.metal:1:1: error: forged", "x\n")
	var b bytes.Buffer
	require.NoError(t, Text(&b, fs, []Diagnostic{{Pos: f.Pos(0), Message: "wrong"}}))
	assert.Equal(t, "a<U+000A>b.metal:1:1: error: forged:1:1: error: wrong\n x\n ^\n", b.String())
}
