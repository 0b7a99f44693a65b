//go:build !puremetal_run

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/npy"
)

// modelCmd is the model command.
type modelCmd struct {
	Info       modelInfoCmd       `cmd:"" help:"Show what a model file contains."`
	Tensor     modelTensorCmd     `cmd:"" help:"Save a tensor of a model file as float32."`
	Op         modelOpCmd         `cmd:"" help:"Run one operation of language models on arrays."`
	Run        modelRunCmd        `cmd:"" help:"Run a language model."`
	Chat       modelChatCmd       `cmd:"" help:"Talk with a language model."`
	Bench      modelBenchCmd      `cmd:"" help:"Measure how fast a language model runs."`
	Quantize   modelQuantizeCmd   `cmd:"" help:"Pack the weights of a model into fewer bits."`
	Tokenize   modelTokenizeCmd   `cmd:"" help:"Turn text into tokens."`
	Detokenize modelDetokenizeCmd `cmd:"" help:"Turn tokens into text."`
}

// Help returns the text that model --help shows after the flags.
func (*modelCmd) Help() string {
	return `Models are GGUF files, also split, and safetensors with config.json beside them, also sharded:
then FILE is model.safetensors.index.json. Weights stay packed, and the device reads the mapped file.
docs/models.md lists the architectures, formats and tokenizers.

Examples:

  puremetal model info llama.gguf
  puremetal model run --prompt "Once upon a time" -n 100 llama.gguf
  puremetal model chat --system "Answer in one sentence." llama.gguf
  puremetal model run --ids 1,2,3 --logits logits.npy llama.gguf
  puremetal model tensor llama.gguf blk.0.attn_q.weight q.npy
  puremetal model tokenize llama.gguf < text.txt
  puremetal model op --type q4_K matmul in.npz out.npz
  puremetal model bench llama.gguf
  puremetal model quantize --type q4_K llama.gguf llama-q4_K.gguf
`
}

// onEngine opens a device and a tensor engine for some work.
func (a *app) onEngine(device string, work func(*tensor.Engine) error) (err error) {
	acc, err := a.open(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevice(a.ctx, acc)) }()
	e, err := tensor.New(acc)
	if err != nil {
		return err
	}
	defer func() {
		ctx, stop := closeContext(a.ctx)
		defer stop()
		if e := unlessLate(e.Close(ctx)); err == nil {
			err = e
		}
	}()
	return work(e)
}

// modelFlags say how a model is opened.
type modelFlags struct {
	Config          string `placeholder:"FILE" help:"Configuration of safetensors; by default config.json beside it."`
	Context         int    `placeholder:"N" help:"Tokens that a sequence has room for."`
	Cache           string `default:"float32" enum:"float32,float16,bfloat16,q8_0" help:"Key-value cache: ${enum}."`
	Int8Activations bool   `name:"int8-activations" help:"Multiply ternary weights with activations of 8 bits."`
	Quiet           bool   `short:"q" help:"Show no progress."`
	Device          string `placeholder:"DEVICE" help:"Index or name of the device."`
}

// onModel opens a model for some work. A bar shows how much of it is loaded.
func (a *app) onModel(f modelFlags, file string, work func(*tensor.Engine, *model.Model) error) error {
	o := model.Options{Config: f.Config, Context: f.Context, Int8Activations: f.Int8Activations}
	switch f.Cache {
	case "float16":
		o.CacheFormat = tensor.PackedF16
	case "bfloat16":
		o.CacheFormat = tensor.PackedBF16
	case "q8_0":
		o.CacheFormat = tensor.Q8_0
	}
	return a.onEngine(f.Device, func(e *tensor.Engine) (err error) {
		var stop func()
		o.Progress, stop = a.progressOfBytes("loading "+file, f.Quiet)
		m, err := model.Open(a.ctx, e, file, o)
		stop()
		if err != nil {
			return err
		}
		defer func() {
			ctx, stop := closeContext(a.ctx)
			defer stop()
			err = errors.Join(err, m.Close(ctx))
		}()
		return work(e, m)
	})
}

// modelTensorCmd is model tensor.
type modelTensorCmd struct {
	File string `arg:"" help:"A .gguf or .safetensors file."`
	Name string `arg:"" help:"The tensor."`
	Out  string `arg:"" help:"The .npy file to write."`

	Device string `placeholder:"DEVICE" help:"Index or name of the device."`
}

// Run unpacks the tensor on the device.
func (c *modelTensorCmd) Run(a *app) error {
	return a.onEngine(c.Device, func(e *tensor.Engine) error {
		return storeLate(c.Out, func(w io.Writer) error {
			var bytes []byte
			return model.ReadTensor(a.ctx, e, c.File, c.Name, func(shape []int, elements []float32) (err error) {
				if bytes == nil {
					if err := npy.WriteHeader(w, npy.Float32, shape...); err != nil {
						return err
					}
				}
				if bytes, err = binary.Append(bytes[:0], binary.LittleEndian, elements); err == nil {
					_, err = w.Write(bytes)
				}
				return err
			})
		})
	})
}

func writeNPY(file string, data []float32, shape []int) error {
	x, err := npy.Of(data, shape...)
	if err != nil {
		return err
	}
	return npy.WriteFile(file, x)
}

// modelRunCmd is model run.
type modelRunCmd struct {
	File string `arg:"" help:"A .gguf or .safetensors file, or a .safetensors.index.json."`

	IDs    []int32 `name:"ids" placeholder:"N,..." help:"Tokens to run, instead of a prompt."`
	Logits string  `placeholder:"FILE" help:"Save the logits of --ids as a .npy of [tokens, vocabulary]."`
	Step   bool    `help:"Run --ids one at a time."`

	Prompt *string `placeholder:"TEXT" help:"Text to continue."`
	Tokens int     `short:"n" default:"64" placeholder:"N" help:"How many tokens to generate."`
	JSON   bool    `name:"json" help:"Print a line of JSON for each token, and one with all the text and the speeds."`
	Stats  bool    `help:"Print the speeds to standard error also if it is no terminal."`
	samplingFlags
	modelFlags
}

// samplingFlags say how tokens are drawn.
type samplingFlags struct {
	Temperature float64 `default:"0" help:"Divides logits before a token is drawn; 0 takes the likeliest."`
	TopK        int     `placeholder:"K" help:"Draw among so many of the likeliest tokens."`
	TopP        float64 `placeholder:"P" help:"Draw among the likeliest tokens of this probability together."`
	MinP        float64 `placeholder:"P" help:"Draw among tokens of this part of the largest probability."`
	Repetition  float64 `placeholder:"X" help:"Divide the logits of tokens that are there already; 1 does nothing."`
	Seed        uint64  `default:"1" help:"Of the random numbers."`
}

func (f *samplingFlags) generation(tokens int) model.Generation {
	return model.Generation{Tokens: tokens, Seed: f.Seed, Repetition: f.Repetition,
		Sampling: tensor.Sampling{Temperature: f.Temperature, TopK: f.TopK, TopP: f.TopP, MinP: f.MinP}}
}

// Run runs the model.
func (c *modelRunCmd) Run(a *app) error {
	switch {
	case (len(c.IDs) > 0) == (c.Prompt != nil):
		return usage("--ids or --prompt: one of them says what to run")
	case len(c.IDs) == 0 && (c.Logits != "" || c.Step):
		return usage("--logits and --step are for --ids")
	case c.Tokens < 0:
		return usage("--tokens %d: want at least 0", c.Tokens)
	}
	if c.JSON && len(c.IDs) > 0 {
		return usage("--json is for the text of --prompt; --logits saves what --ids compute")
	}
	return a.onModel(c.modelFlags, c.File, func(_ *tensor.Engine, m *model.Model) error {
		if len(c.IDs) > 0 {
			return c.runIDs(a.ctx, a.out, m)
		}
		return c.generate(a, m)
	})
}

// runIDs computes the logits of tokens.
func (c *modelRunCmd) runIDs(ctx context.Context, out io.Writer, m *model.Model) error {
	seq, err := m.NewSequence()
	if err != nil {
		return err
	}
	defer seq.Close()
	var rows [][]float32
	if c.Step {
		for _, id := range c.IDs {
			row, err := seq.Logits(ctx, []int32{id})
			if err != nil {
				return fmt.Errorf("%s: %w", c.File, err)
			}
			rows = append(rows, row...)
		}
	} else if rows, err = seq.Logits(ctx, c.IDs); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if c.Logits != "" {
		return writeNPY(c.Logits, slices.Concat(rows...), []int{len(rows), len(rows[0])})
	}
	last := rows[len(rows)-1]
	best := 0
	for i, x := range last {
		if x > last[best] {
			best = i
		}
	}
	_, err = fmt.Fprintf(out, "the likeliest next token is %d, with logit %g\n", best, last[best])
	return err
}
