package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
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

// TestScreen: whatever is written is escaped, however it is split, and colors of the command itself
// are not.
func TestScreen(t *testing.T) {
	const hostile = "a\x1b]0;x\a\u009b\x9b\r\nµ中👩\rb\u202e\t\xe4"
	const want = "a<U+001B>]0;x<U+0007><U+009B><9B>\nµ中👩<U+000D>b<U+202E>\t<E4>"
	for step := range len(hostile) {
		var b bytes.Buffer
		s := &screen{to: &b}
		for rest := hostile; rest != ""; {
			n := min(step+1, len(rest))
			_, err := io.WriteString(s, rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		s.flush()
		assert.Equal(t, want, b.String(), step)
	}
	var b bytes.Buffer
	s := &screen{to: &b, json: true}
	_, err := io.WriteString(s, "{\"a\": \"\u009b\x7f\u202eµ\"}\n")
	require.NoError(t, err)
	assert.Equal(t, "{\"a\": \"\\u009b\\u007f\\u202eµ\"}\n", b.String(), "the same value")
	b.Reset()
	_, err = io.WriteString(raw(s), colored("a.metal:1:1: error: \x1b[31m"))
	require.NoError(t, err)
	assert.Equal(t, bold+"a.metal:1:1: "+plain+red+"error: "+plain+bold+"<U+001B>[31m"+plain, b.String())
}

// hostile is a name that changes a terminal's title and color, in C0 and C1, and turns its text.
const hostile = "x\x1b]0;owned\a\u009b31m\x9b\u202e\x7f"

// TestNothingControls: no argument, source, kernel or file name gets a control character to the
// output, in text and in JSON.
func TestNothingControls(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software")
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		return name
	}
	quiet := strings.NewReplacer("\n", "", "\x9b", "").Replace(hostile) // a source is UTF-8
	source := file("k.metal", "#include <metal_stdlib>\n#include <metal_logging>\nusing namespace metal;\n"+
		"kernel void k(device float *x) { os_log_default.log(\""+quiet+"\"); x[1] = 2; }\n")
	wrong := file("wrong.metal", "#include \""+quiet+"\"\n#line 7 \""+quiet+"\"\n#warning "+quiet+"\n#error "+quiet+
		"\nstatic_assert(false, \""+quiet+"\");\nkernel void k() { "+quiet+" }\n")
	spec := file("k.toml", "source = \"k.metal\"\ngrid = [1]\nkernel = \"\\u001b]0;owned\\u0007\\u009b\\u202e\"\n")
	key := file("key.toml", "source = \"k.metal\"\n\"\\u001b]0;owned\\u0007\\u009b\\u202e\" = 1\n")
	trace := file("trace.json", `{"traceEvents":[],"puremetalProfile":{"device":"\u001b[31m\u009b\u202e","commands":[`+
		`{"kind":"launch","kernel":"\u001b[31m\u009b\u202e","buffer":-1,"end":5,"timed":1}]}}`)
	for _, args := range [][]string{
		{"run", source, "--grid", "1", "--arg", "0=zeros:float[1]"},
		{"run", source, "--grid", "1", "--arg", "0=zeros:float[1]", "--json"},
		{"run", source, "--grid", "1", "--arg", "0=zeros:float[1]", "--sanitize"},
		{"run", source, "--grid", "1", "--arg", "0=" + hostile},
		{"run", source, "--grid", "1", "--arg", hostile + "=float:1"},
		{"run", source, "--grid", "1", "--arg", hostile},
		{"run", source, "--grid", hostile}, {"run", source, "--kernel", hostile, "--grid", "1"},
		{"run", source, "--" + hostile}, {"run", source, "--const", hostile, "--grid", "1"},
		{"run", source, "--out", "x=" + hostile, "--grid", "1"}, {"run", source, "--grid", "1", "-D", hostile},
		{"run", hostile}, {"run", spec}, {"run", key}, {"run", wrong, "--grid", "1"},
		{"check", wrong}, {"check", wrong, "--color", "always"}, {"check", wrong, "--json"}, {"check", wrong, "--sarif"},
		{"check", hostile}, {"check", hostile, "--json"}, {"check", source, "--kernels"}, {"check", source, "-W", hostile},
		{"generate", hostile}, {"generate", source, "--type", hostile}, {"trace", "view", trace},
		{"trace", "view", trace, "--json"}, {"trace", "view", hostile}, {"bench", "--only", hostile},
		{"bench", "--compare", hostile}, {"devices", hostile}, {"report", hostile}, {hostile}, {"help", hostile},
		{"completions", hostile}, {"run", source, "--device", hostile, "--grid", "1"},
	} {
		var out, problems bytes.Buffer
		a := &app{ctx: t.Context(), in: strings.NewReader(""), out: &out, err: &problems,
			env: func(string) string { return "" }, exit: func(int) {}}
		a.main(args)
		text := out.String() + problems.String()
		if strings.Contains(strings.Join(args, " "), "--color always") {
			text = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text, "")
		}
		assert.NotEmpty(t, text, args)
		assert.Equal(t, diag.Escape(text), text, args)
		if strings.HasPrefix(out.String(), "{") {
			assert.True(t, json.Valid(out.Bytes()), args)
		}
	}
}
