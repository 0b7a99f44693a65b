//go:build !puremetal_run

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
)

// modelBenchCmd is model bench.
type modelBenchCmd struct {
	File string `arg:"" help:"A .gguf or .safetensors file, or a .safetensors.index.json."`

	Prompt int  `default:"128" placeholder:"N" help:"Tokens of the prompt."`
	Tokens int  `short:"n" default:"64" placeholder:"N" help:"Tokens to generate, at least 2."`
	Runs   int  `default:"3" placeholder:"N" help:"How often; the medians are printed."`
	JSON   bool `name:"json" help:"Print JSON."`
	modelFlags
}

// modelSpeeds is what model bench --json prints.
type modelSpeeds struct {
	Model      string  `json:"model"`
	Device     string  `json:"device"`
	Prompt     int     `json:"promptTokens"`
	Generated  int     `json:"generatedTokens"`
	PromptRate float64 `json:"promptTokensPerSecond"`     // median
	Rate       float64 `json:"generatedTokensPerSecond"`  // median
	Slowest    float64 `json:"slowestGeneratedPerSecond"` // of the runs
}

// Run measures the model's speeds.
func (c *modelBenchCmd) Run(a *app) error {
	if c.Prompt < 1 || c.Tokens < 2 || c.Runs < 1 {
		return usage("--prompt %d, --tokens %d, --runs %d: want at least 1, 2 and 1", c.Prompt, c.Tokens, c.Runs)
	}
	return a.onModel(c.modelFlags, c.File, func(e *tensor.Engine, m *model.Model) error {
		s, err := c.measure(a, m)
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		s.Model, s.Device = c.File, e.Accelerator().Info().Name
		if c.JSON {
			return json.NewEncoder(a.out).Encode(s)
		}
		fmt.Fprintf(a.out, "prompt of %d tokens: %.1f tokens/s\ngenerating %d: %.1f tokens/s, at least %.1f\n",
			s.Prompt, s.PromptRate, s.Generated, s.Rate, s.Slowest)
		return nil
	})
}

func (c *modelBenchCmd) measure(a *app, m *model.Model) (s modelSpeeds, err error) {
	s.Prompt, s.Generated = c.Prompt, c.Tokens
	prompt := make([]int32, c.Prompt)
	for i := range prompt {
		prompt[i] = int32(i * 7919 % m.Config().Vocabulary)
	}
	var prompts, rates []float64
	for range c.Runs + 1 { // the first compiles the kernels, and does not count
		seq, err := m.NewSequence()
		if err != nil {
			return s, err
		}
		begin, first := time.Now(), time.Time{}
		for _, err := range seq.Generate(a.ctx, prompt, model.Generation{Tokens: c.Tokens}) {
			if err != nil {
				seq.Close()
				return s, err
			}
			if first.IsZero() {
				first = time.Now()
			}
		}
		prompts = append(prompts, float64(c.Prompt)/first.Sub(begin).Seconds())
		rates = append(rates, float64(c.Tokens-1)/time.Since(first).Seconds())
		seq.Close()
	}
	prompts, rates = prompts[1:], rates[1:]
	slices.Sort(prompts)
	slices.Sort(rates)
	s.PromptRate, s.Rate, s.Slowest = prompts[len(prompts)/2], rates[len(rates)/2], rates[0]
	return s, nil
}
