package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	lines := linesOf(linesSample)
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
		for _, line := range linesOf(text) {
			assert.LessOrEqual(t, line, 1+strings.Count(text, "\n"), text)
		}
	}
}
