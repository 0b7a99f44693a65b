//go:build !puremetal_run

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
)

// modelQuantizeCmd is model quantize.
type modelQuantizeCmd struct {
	In  string `arg:"" help:"A .gguf or .safetensors file, or a .safetensors.index.json."`
	Out string `arg:"" help:"The .gguf file to write."`

	Type          string `required:"" enum:"q8_0,q4_0,q4_K,tq2_0,mxfp4,I2_S" help:"One of ${enum}."`
	KeepEmbedding bool   `help:"Leave the embedding and the output matrix as they are."`
	Config        string `placeholder:"FILE" help:"Configuration of safetensors; by default config.json beside it."`
	Quiet         bool   `short:"q" help:"Show no progress, and no messages about single tensors."`
	Device        string `placeholder:"DEVICE" help:"Index or name of the device."`
}

// Help returns the text that model quantize --help shows after the flags.
func (*modelQuantizeCmd) Help() string {
	return `Matrices whose columns do not fit the blocks of the type become q8_0, or stay as they are, with
a message. Vectors, such as the weights of norms, stay as they are, and so does the metadata. With
tq2_0 and I2_S, which are for ternary weights, the embedding and the output matrix become q8_0.
Of safetensors, llama, mistral, qwen2 and qwen3 can be written, with their tokenizers.

Examples:

  puremetal model quantize --type q4_K llama-f16.gguf llama-q4_K.gguf
`
}

// Run packs the model.
func (c *modelQuantizeCmd) Run(a *app) error {
	if err := c.checkOut(); err != nil {
		return err
	}
	format, _ := tensor.FormatOf(c.Type)
	q := model.Quantization{Format: format, KeepEmbedding: c.KeepEmbedding, Config: c.Config}
	var stop func()
	q.Progress, stop = a.progressOfBytes("packing "+c.In, c.Quiet)
	defer stop()
	if !c.Quiet {
		q.Note = func(text string) { fmt.Fprintln(a.err, text) }
	}
	return a.onEngine(c.Device, func(e *tensor.Engine) error {
		return storeLate(c.Out, func(w io.Writer) error { return model.Quantize(a.ctx, e, c.In, w, q) })
	})
}

// checkOut refuses an output that is a file of the model, which is mapped while it is read.
func (c *modelQuantizeCmd) checkOut() error {
	out, err := os.Stat(c.Out)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	inputs := []string{c.In}
	if strings.HasSuffix(c.In, ".index.json") || strings.Contains(c.In, "-of-") { // a model in several files
		more, err := os.ReadDir(filepath.Dir(c.In))
		if err != nil {
			return err
		}
		for _, f := range more {
			if strings.HasSuffix(f.Name(), ".safetensors") || strings.Contains(f.Name(), "-of-") {
				inputs = append(inputs, filepath.Join(filepath.Dir(c.In), f.Name()))
			}
		}
	}
	for _, name := range inputs {
		if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("%s is a file of the model that is read; write to another", c.Out)
		}
	}
	return nil
}
