//go:build !puremetal_run

package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/puremetal/puremetal/compute/tensor"
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

// generate continues a prompt.
func (c *modelRunCmd) generate(a *app, m *model.Model) error {
	t, err := model.ReadTokenizer(c.File)
	if err != nil {
		return err
	}
	prompt := t.Encode(c.Prompt, tokenizer.EncodeOptions{AddSpecial: true})
	if len(prompt) == 0 {
		return usage("--prompt %q has no tokens", c.Prompt)
	}
	seq, err := m.NewSequence()
	if err != nil {
		return err
	}
	defer seq.Close()
	g := model.Generation{Tokens: c.Tokens, Seed: c.Seed, Repetition: c.Repetition,
		Sampling: tensor.Sampling{Temperature: c.Temperature, TopK: c.TopK, TopP: c.TopP, MinP: c.MinP}}
	out := a.out // escapes what controls a terminal
	if !terminal(a.out) {
		out = raw(a.out)
	}
	text := t.NewStream(tokenizer.DecodeOptions{Continue: true})
	begin, n := time.Now(), 0
	for id, err := range seq.Generate(a.ctx, prompt, g) {
		var part string
		if err == nil {
			part, err = text.Write(id)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		if _, err := io.WriteString(out, part); err != nil {
			return err
		}
		if n++; t.EndsGeneration(id) {
			break
		}
	}
	if _, err := io.WriteString(out, text.Flush()+"\n"); err != nil {
		return err
	}
	if c.Stats {
		took := time.Since(begin).Seconds()
		fmt.Fprintf(a.err, "%d tokens of prompt, %d generated, %.1f tokens/s\n", len(prompt), n, float64(n)/took)
	}
	return nil
}
