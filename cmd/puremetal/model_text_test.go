package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/test/tinymodel"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/npy"
)

// TestModelRunText: --json prints the tokens and the text that are printed without it, and --stats
// leaves the text alone.
func TestModelRunText(t *testing.T) {
	file := tinymodel.Write(t)
	args := []string{"model", "run", "--prompt", "Once", "-n", "7", file}
	code, text, problems := puremetal(t, args...)
	require.Zero(t, code, problems)
	assert.Empty(t, problems)
	code, again, problems := puremetal(t, append(args, "--stats")...)
	require.Zero(t, code, problems)
	assert.Equal(t, text, again)
	assert.Regexp(t, `^prompt of 4 tokens: \d+\.\d tokens/s; generated 7: \d+\.\d tokens/s; memory: 0.0 MiB of weights, `+
		`0.0 MiB of keys and values\n$`, problems)

	code, out, problems := puremetal(t, append(args, "--json")...)
	require.Zero(t, code, problems)
	assert.Empty(t, problems)
	lines := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 8)
	for _, line := range lines[:7] {
		var x generatedToken
		require.NoError(t, json.Unmarshal([]byte(line), &x))
		assert.Less(t, x.Token, int32(tinymodel.Vocabulary))
	}
	var all generatedText
	require.NoError(t, json.Unmarshal([]byte(lines[7]), &all))
	assert.Equal(t, strings.ToValidUTF8(strings.TrimSuffix(text, "\n"), ""), strings.ReplaceAll(all.Text, "\ufffd", ""))
	assert.Equal(t, []any{"length", 4, 7}, []any{all.Finish, all.Prompt, all.Generated})
	assert.Positive(t, all.WeightBytes)
	assert.Positive(t, all.Rate)

	code, _, problems = puremetal(t, "model", "run", "--ids", "1", "--json", file)
	assert.Equal(t, exitUsage, code, problems)

	for _, cache := range []string{"float16", "bfloat16"} {
		code, out, problems = puremetal(t, append(args, "--json", "--cache", cache)...)
		require.Zero(t, code, problems)
		var half generatedText
		lines = strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &half))
		assert.Equal(t, all.SequenceBytes/2, half.SequenceBytes, cache)
	}
	code, _, problems = puremetal(t, append(args, "--cache", "q8_0")...)
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, "puremetal: "+file+": heads with keys of 8 and values of 8 elements in a cache of q8_0, "+
		"want multiples of 32: incompatible shapes\n", problems)
}

// TestModelTensor: a tensor's elements, and an error that names the file once.
func TestModelTensor(t *testing.T) {
	file, out := tinymodel.Write(t), filepath.Join(t.TempDir(), "x.npy")
	code, _, problems := puremetal(t, "model", "tensor", file, "token_embd.weight", out)
	require.Zero(t, code, problems)
	a, err := npy.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, []int{tinymodel.Vocabulary, 16}, a.Shape)
	code, _, problems = puremetal(t, "model", "tensor", file, "none", out)
	assert.Equal(t, exitFailed, code)
	assert.FileExists(t, out)
	assert.Equal(t, 1, strings.Count(problems, file), problems)
}

// talk runs model chat with a short template.
func talk(t *testing.T, in string, args ...string) (code int, out, problems string) {
	template := filepath.Join(t.TempDir(), "short.jinja")
	require.NoError(t, os.WriteFile(template, []byte("{% for m in messages %}{{ m.role[0] ~ m.content }};{% endfor %}a"),
		0o666))
	var stdout, stderr bytes.Buffer
	args = append([]string{"model", "chat", "--template", template, "-n", "4", tinymodel.Write(t)}, args...)
	code = newApp(t, in, &stdout, &stderr).main(args)
	return code, stdout.String(), stderr.String()
}

// TestModelChat talks through pipes.
func TestModelChat(t *testing.T) {
	_, one, problems := talk(t, "one\n")
	assert.Empty(t, problems)
	assert.NotEmpty(t, strings.TrimSuffix(one, "\n"))
	code, both, problems := talk(t, "one\r\ntwo")
	require.Zero(t, code, problems)
	assert.True(t, strings.HasPrefix(both, one) && len(both) > len(one)+1, "%q then %q", one, both)
	code, again, problems := talk(t, "one\n\n/clear\none\n/exit\ntwo\n")
	require.Zero(t, code, problems)
	assert.Equal(t, one+one, again)
	_, other, _ := talk(t, "one\n", "--system", "S")
	assert.NotEqual(t, one, other)
	code, _, problems = talk(t, "/help\n")
	assert.Zero(t, code)
	assert.Contains(t, problems, "/clear")

	code, _, problems = talk(t, "/what\n")
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "puremetal: unknown command \"/what\"; /help lists them\n", problems)
	code, _, problems = talk(t, strings.Repeat("x", tinymodel.Context)+"\n")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, problems, "/clear begins a new conversation")
	code, _, problems = talk(t, "\xff\n")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, problems, "not UTF-8")
	code, _, problems = puremetal(t, "model", "chat", tinymodel.Write(t))
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, problems, "tiny.gguf: tokenizer.chat_template: no chat template; set one with --template chatml, ")
	loops, err := gguf.NewValue(strings.Repeat("{% for i in range(1000) %}", 6) + strings.Repeat("{% endfor %}", 6))
	require.NoError(t, err)
	hostile := tinymodel.Write(t, gguf.Pair{Key: "tokenizer.chat_template", Value: loops})
	var stderr bytes.Buffer
	code = newApp(t, "one\n", io.Discard, &stderr).main([]string{"model", "chat", hostile})
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, "puremetal: "+hostile+": chat template: line 1: more than 67108864 bytes of text: bad template: "+
		"template takes too much\n", stderr.String())
	code, _, problems = puremetal(t, "model", "chat", "--template", "x", "none.gguf")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, problems, `--template: "x"; known are chatml, gemma, llama3, zephyr`)
}

// stopping stops the answer when its first part is written.
type stopping struct {
	text bytes.Buffer
	app  *app
}

func (s *stopping) Write(b []byte) (int, error) {
	s.app.stopAnswer()
	return s.text.Write(b)
}

// TestModelChatStopped: Ctrl-C stops an answer, and the next message has one.
func TestModelChatStopped(t *testing.T) {
	template := filepath.Join(t.TempDir(), "short.jinja")
	require.NoError(t, os.WriteFile(template, []byte("{{ messages[-1].content }}"), 0o666))
	var out stopping
	var problems bytes.Buffer
	out.app = newApp(t, "one\ntwo\n", &out, &problems)
	code := out.app.main([]string{"model", "chat", "--template", template, tinymodel.Write(t)})
	require.Zero(t, code, problems.String())
	assert.Empty(t, problems.String())
	text := out.text.String()
	assert.GreaterOrEqual(t, strings.Count(text, "\n"), 2, "%q", text)
	assert.Less(t, len(text), 40, "a whole answer has some 60 tokens: %q", text)
	assert.False(t, out.app.stopAnswer(), "nothing is being answered")
}

// TestModelQuantize packs a model and runs it, and overwrites no file of a model.
func TestModelQuantize(t *testing.T) {
	file := tinymodel.Write(t)
	out := filepath.Join(filepath.Dir(file), "out.gguf")
	code, stdout, problems := puremetal(t, "model", "quantize", "--type", "q8_0", file, out)
	require.Zero(t, code, problems)
	assert.Empty(t, stdout)
	assert.Contains(t, problems, `tensor "token_embd.weight" has 16 columns, which are no blocks of 32, and stays f32`)
	code, _, problems = puremetal(t, "model", "quantize", "--type", "q8_0", "-q", file, out) // over what is there
	require.Zero(t, code, problems)
	assert.Empty(t, problems)
	_, want, _ := puremetal(t, "model", "run", "--prompt", "Once", "-n", "7", file)
	_, got, _ := puremetal(t, "model", "run", "--prompt", "Once", "-n", "7", out)
	assert.Equal(t, want, got)

	before, err := os.ReadFile(file)
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link.gguf")
	require.NoError(t, os.Symlink(file, link))
	for _, to := range []string{file, link} {
		code, _, problems = puremetal(t, "model", "quantize", "--type", "q8_0", file, to)
		assert.Equal(t, exitFailed, code)
		assert.Equal(t, "puremetal: "+to+" is a file of the model that is read; write to another\n", problems)
	}
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	none := filepath.Join(t.TempDir(), "none.gguf")
	code, _, problems = puremetal(t, "model", "quantize", "--type", "q8_0", none, link+".new")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, problems, "none.gguf: no such file")
	assert.NoFileExists(t, link+".new")
	broken := filepath.Join(t.TempDir(), "broken.gguf")
	require.NoError(t, os.WriteFile(broken, before[:len(before)-1], 0o666))
	code, _, problems = puremetal(t, "model", "quantize", "--type", "q8_0", broken, out)
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, 1, strings.Count(problems, "\n"), problems)
	assert.FileExists(t, out, "what was there stays")
	code, _, _ = puremetal(t, "model", "quantize", "--type", "q6_K", file, out)
	assert.Equal(t, exitUsage, code)
}
