//go:build !puremetal_run

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// modelTokenizeCmd is model tokenize.
type modelTokenizeCmd struct {
	File    string `arg:"" help:"A .gguf file, a tokenizer.json, or a .safetensors file beside one."`
	Special bool   `help:"Find control tokens in the text, and add those around it."`
}

// Run turns standard input into tokens.
func (c *modelTokenizeCmd) Run(a *app) error {
	t, err := abandonable(a.ctx, func() (*tokenizer.Tokenizer, error) { return model.ReadTokenizer(c.File) })
	if err != nil {
		return err
	}
	text, err := abandonable(a.ctx, func() ([]byte, error) { return document.Text.Read(a.in) })
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	ids := t.Encode(string(text), tokenizer.EncodeOptions{AddSpecial: c.Special, ParseSpecial: c.Special})
	w := bufio.NewWriter(a.out)
	for i, id := range ids {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(strconv.Itoa(int(id)))
	}
	w.WriteByte('\n')
	return w.Flush()
}

// modelDetokenizeCmd is model detokenize.
type modelDetokenizeCmd struct {
	File string `arg:"" help:"A .gguf file, a tokenizer.json, or a .safetensors file beside one."`
}

// Run turns tokens of standard input, separated by blanks, into text.
func (c *modelDetokenizeCmd) Run(a *app) error {
	t, err := abandonable(a.ctx, func() (*tokenizer.Tokenizer, error) { return model.ReadTokenizer(c.File) })
	if err != nil {
		return err
	}
	ids, err := abandonable(a.ctx, func() ([]int32, error) { return readIDs(document.Text.Limit(a.in)) })
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	text, err := t.Decode(ids, tokenizer.DecodeOptions{Special: true})
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	_, err = io.WriteString(raw(a.out), text)
	return err
}

// readIDs reads numbers separated by blanks.
func readIDs(r io.Reader) (ids []int32, err error) {
	words := bufio.NewScanner(r)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		id, err := strconv.ParseInt(words.Text(), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("word %d: %q is no token", len(ids)+1, words.Text())
		}
		ids = append(ids, int32(id))
	}
	return ids, words.Err()
}

// generatedToken is a line of model run --json.
type generatedToken struct {
	Token int32  `json:"token"`
	Text  string `json:"text"` // that the token completes: "" in the middle of a character
}

// generatedText is the last line of model run --json.
type generatedText struct {
	Text          string  `json:"text"`
	Finish        string  `json:"finish"` // "stop": the model ended the text; "length": it has -n tokens
	Prompt        int     `json:"promptTokens"`
	Generated     int     `json:"generatedTokens"`
	PromptRate    float64 `json:"promptTokensPerSecond"`
	Rate          float64 `json:"generatedTokensPerSecond"` // 0 for a single token
	WeightBytes   int     `json:"weightBytes"`
	SequenceBytes int     `json:"sequenceBytes"` // of keys and values
}

// text returns where a model's text goes: escaped on a terminal, which it could control otherwise.
func (a *app) text() io.Writer {
	if terminal(a.out) {
		return a.out
	}
	return raw(a.out)
}

// generate continues a prompt.
func (c *modelRunCmd) generate(a *app, m *model.Model) error {
	t, err := model.ReadTokenizer(c.File)
	if err != nil {
		return err
	}
	prompt := t.Encode(*c.Prompt, tokenizer.EncodeOptions{AddSpecial: true})
	if len(prompt) == 0 {
		return usage("--prompt %q has no tokens", *c.Prompt)
	}
	seq, err := m.NewSequence()
	if err != nil {
		return err
	}
	defer seq.Close()
	show, lines := a.text(), json.NewEncoder(a.out)
	result := generatedText{Finish: "length", Prompt: len(prompt), WeightBytes: m.WeightBytes(),
		SequenceBytes: m.SequenceBytes()}
	var whole strings.Builder
	write := func(id int32, part string) error {
		if c.JSON {
			whole.WriteString(part)
			return lines.Encode(generatedToken{id, part})
		}
		_, err := io.WriteString(show, part)
		return err
	}
	text := t.NewStream(tokenizer.DecodeOptions{Continue: true})
	begin, first := time.Now(), time.Time{}
	generated := seq.Generate(a.ctx, prompt, c.generation(c.Tokens))
	if c.Tokens == 0 { // which is no limit there
		generated = func(func(int32, error) bool) {}
	}
	for id, err := range generated {
		var part string
		if err == nil {
			part, err = text.Write(id)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		if result.Generated++; first.IsZero() {
			first = time.Now()
		}
		if err := write(id, part); err != nil {
			return err
		}
		if t.EndsGeneration(id) {
			result.Finish = "stop"
			break
		}
	}
	if result.Generated > 0 {
		result.PromptRate = float64(result.Prompt) / max(first.Sub(begin).Seconds(), 1e-9)
		result.Rate = float64(result.Generated-1) / max(time.Since(first).Seconds(), 1e-9)
	}
	rest := text.Flush()
	if c.JSON {
		result.Text = whole.String() + rest
		err = lines.Encode(result)
	} else {
		_, err = io.WriteString(show, rest+"\n")
	}
	if err == nil && (c.Stats || terminal(a.err) && !c.Quiet) {
		fmt.Fprintln(a.err, result.line())
	}
	return err
}

// line is what is printed behind the text.
func (g *generatedText) line() string {
	const unit = 1 << 20
	return fmt.Sprintf("prompt of %d tokens: %.1f tokens/s; generated %d: %.1f tokens/s; memory: %.1f MiB of weights, "+
		"%.1f MiB of keys and values", g.Prompt, g.PromptRate, g.Generated, g.Rate, float64(g.WeightBytes)/unit,
		float64(g.SequenceBytes)/unit)
}
