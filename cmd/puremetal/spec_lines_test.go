package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/document"
)

const linesSample = `# a comment with "quotes" and [brackets]
source = "a # b.metal" # and = another
"kernel" = 'literal \'
grid = [1, 2.5,
  # a comment, with a comma
  3,
]
text = """one
two \" ""three"""
after.it = 5
inline = {a = 1, b = ["x", "y"]}

[ buffers ]
x = "zeros:float[4]"
'y' = '''
long'''
z="]"

[[step]]
args = [["nested"],
  [ "b=[c]" ], {d = 4}]

[[step]]
  args = []
  kernel = 1.5
[step.inner]
at = 2026-11-24
[[ step ]]
last = true`

// TestLines: every notation of TOML has its line.
func TestLines(t *testing.T) {
	// It is TOML: the decoder gets as far as the keys.
	name := filepath.Join(t.TempDir(), "sample.toml")
	require.NoError(t, os.WriteFile(name, []byte(linesSample), 0o666))
	_, err := readSpec(name)
	require.ErrorContains(t, err, `sample.toml:4: grid must be a list of integers`)
	lines, err := linesOf(linesSample)
	require.NoError(t, err)
	for path, want := range map[string]int{"source": 2, "kernel": 3, "grid": 4, "grid[0]": 4, "grid[1]": 4,
		"grid[2]": 6,
		"text":    8, "after": 10, "after.it": 10, "inline": 11, "inline.b[1]": 11, "buffers": 13, "buffers.x": 14,
		"buffers.y": 15, "buffers.z": 17, "step": 19, "step[0]": 19, "step[0].args": 20, "step[0].args[0][0]": 20,
		"step[0].args[1]": 21, "step[0].args[2].d": 21, "step[1]": 23, "step[1].args": 24, "step[1].kernel": 25,
		"step[1].args[7]": 24, "step[2]": 28, "step[2].last": 29, "step[2].gone": 28, "nothing": 1} {
		assert.Equal(t, want, lines.line(path), path)
	}
}

// TestLinesEnd: the scanner ends on any text, though it need only understand valid TOML.
func TestLinesEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		from := random.IntN(len(linesSample))
		text := linesSample[from:][:random.IntN(len(linesSample)-from)]
		for range random.IntN(4) {
			at := random.IntN(len(text) + 1)
			text = text[:at] + string("[]{}=,.\"'#\n\\"[random.IntN(12)]) + text[at:]
		}
		lines, _ := linesOf(text)
		for _, line := range lines {
			assert.LessOrEqual(t, line, 1+strings.Count(text, "\n"), text)
		}
	}
}

// TestHostileSpec: a spec file beyond the limits is refused before TOML's decoder sees it, wherever
// the depth or the values are.
func TestHostileSpec(t *testing.T) {
	many := func(n int, text string) string { return strings.Repeat(text, n) }
	name := filepath.Join(t.TempDir(), "k.toml")
	for text, want := range map[string]string{
		many(50_000, "a.") + "b = 1\n":                          ":1: a spec file may have tables, lists and parts",
		"\n\n" + many(20_000, `"a" . `) + "b = 1\n":             ":3: a spec file may have tables, lists",
		many(20_000, "'a'.") + "b = 1\n":                        "at most 8 deep",
		"[" + many(50_000, "a.") + "b]\n":                       "at most 8 deep",
		"[[" + many(50_000, "a.") + "b]]\nx = 1":                "at most 8 deep",
		"[a.a.a.a.a.a]\nb.b.b = 1":                              "at most 8 deep",
		"a = " + many(50_000, "[") + many(50_000, "]"):          "at most 8 deep",
		"a = " + many(20_000, "{b = "):                          "at most 8 deep",
		"a = [" + many(9, "{b = [") + "1" + many(9, "]}") + "]": "at most 8 deep",
		"a = {" + many(50_000, "a.") + "b = 1}":                 "at most 8 deep",
		"a = [" + many(100_000, "1,") + "]":                     "at most 65536 values",
		many(300_000, "#"):                                      "has 300000 bytes; a spec file may have at most",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		_, err := readSpec(name)
		require.ErrorIs(t, err, document.ErrLimit, want)
		require.ErrorContains(t, err, want)
	}
	_, err := linesOf("step = [{args = [\"a\"]}]\n[a.a.a.a.a.a.a]\nb = 1\n[x]\n" + many(20_000, "# .\n"))
	require.NoError(t, err)
}
