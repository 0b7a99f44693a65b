package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestColors: files, pipes and buffers get none, whatever the environment says; a terminal cannot
// be had in a test, so what it gets is tested by itself.
func TestColors(t *testing.T) {
	a := &app{env: func(string) string { return "" }}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	for _, out := range []io.Writer{w, &bytes.Buffer{}} {
		assert.False(t, a.colors(out))
	}
	text := "in file included from a.metal:1:\nb.h:2:3: error: no 'x' [E1100]\n int error: y;\n     ^~~~~\nb.h:1:1: note: here\n"
	got := colored(text)
	assert.Equal(t, "in file included from a.metal:1:\n"+
		bold+"b.h:2:3: "+plain+red+"error: "+plain+bold+"no 'x' [E1100]"+plain+"\n int error: y;\n"+
		green+"     ^~~~~"+plain+"\n"+
		bold+"b.h:1:1: "+plain+cyan+"note: "+plain+bold+"here"+plain+"\n", got)
}

// TestFindingsColored: colors move nothing.
func TestFindingsColored(t *testing.T) {
	found := []finding{{"driver", "note", "software", "use a Mac"}, {"device 0", "ok", "Abacus", ""},
		{"kernel", "fail", "no", "report it"}}
	var without, with bytes.Buffer
	require.NoError(t, writeFindings(&without, found, false))
	require.NoError(t, writeFindings(&with, found, true))
	assert.NotEqual(t, without.String(), with.String())
	assert.Equal(t, without.String(), regexp.MustCompile("\x1b[^m]*m").ReplaceAllString(with.String(), ""))
}
