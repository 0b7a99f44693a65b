// Command generate continues a text with a language model from a GGUF file:
//
//	go run ./examples/generate -n 100 llama.gguf "Once upon a time"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/tokenizer"
)

func main() {
	n := flag.Int("n", 64, "tokens to generate")
	temperature := flag.Float64("temperature", 0, "0 takes the likeliest token each time")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate [flags] MODEL.gguf PROMPT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, flag.Arg(0), flag.Arg(1), *n, *temperature); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes a prompt's continuation, token by token.
func run(ctx context.Context, out io.Writer, file, prompt string, n int, temperature float64) (err error) {
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	closing := context.WithoutCancel(ctx) // what is open is closed after an interrupt too
	defer func() { err = errors.Join(err, acc.Close(closing)) }()
	engine, err := tensor.New(acc)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close(closing)) }()
	m, err := model.Open(ctx, engine, file, model.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close(closing)) }()
	words, err := m.Tokenizer()
	if err != nil {
		return err
	}
	seq, err := m.NewSequence()
	if err != nil {
		return err
	}
	defer seq.Close()
	text := words.NewStream(tokenizer.DecodeOptions{Continue: true})
	ids := words.Encode(prompt, tokenizer.EncodeOptions{AddSpecial: true})
	for id, err := range seq.Generate(ctx, ids, model.Generation{Tokens: n,
		Sampling: tensor.Sampling{Temperature: temperature}}) {
		if err != nil {
			return err
		}
		if words.EndsGeneration(id) {
			break
		}
		part, err := text.Write(id)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, part); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, text.Flush())
	return err
}
