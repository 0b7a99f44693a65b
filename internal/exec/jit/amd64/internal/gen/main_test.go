package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCurrent: zops.go is what instructions.def says.
func TestCurrent(t *testing.T) {
	want, err := generate("../..")
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join("../..", "zops.go"))
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "zops.go is not current: run go generate in package amd64")
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"NOP nop - 90", "want a name, a mnemonic, operands, an opcode and an encoding"},
		{"NOP nop - 90 lock", "no encoding"},
		{"NOP nop - 90 R0 R1", "second legacy"},
		{"NOP nop - 90 R0 R0", "second legacy"},
		{"NOP nop - 9 R0", "opcode 9"},
		{"NOP nop - 67.90 R0", "opcode 67.90"},
		{"NOP nop - 90/8 R0", "opcode 90/8"},
		{"NOP nop - 90 R0=other", "R0 has no name of its own"},
		{"NOP nop Zv 90 R0", "operand Zv"},
		{"NOP nop Dv,Dv,Dv,Dv,Dv 90 R0", "more than 4 operands"},
		{"NOP nop Dv 90 R0 m3", "unknown word m3"},
		{"NOP nop Dv 90 R0 full m4", "second size"},
	} {
		_, err := parse("\n# comment\n" + c.line + "\n")
		assert.EqualError(t, err, "3: "+c.line+": "+c.want)
	}
	_, err := parse("NOP nop - 90 R0\nNOP nop - 90 R0\n")
	assert.EqualError(t, err, "2: NOP nop - 90 R0: defined before")
}
