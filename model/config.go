package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model/gguf"
)

// Kinds of error. Errors of packages gguf and safetensors, such as [gguf.ErrFormat], are passed on.
var (
	// ErrArchitecture: the model's architecture is not known, or the model does not have what it
	// needs.
	ErrArchitecture = errors.New("unknown architecture")
	// ErrContext: a sequence has no room for more tokens.
	ErrContext = errors.New("context is full")
	// ErrToken: a token is not of the vocabulary.
	ErrToken = errors.New("token out of range")
)

// Config is the size and the kind of a transformer. Package model reads it from the metadata of a
// GGUF file or from a JSON file; the JSON names are those of the second.
type Config struct {
	Architecture string  `json:"architecture"`
	Context      int     `json:"context_length"`
	Embedding    int     `json:"embedding_length"`
	Layers       int     `json:"block_count"`
	FeedForward  int     `json:"feed_forward_length"`
	Heads        int     `json:"head_count"`
	KVHeads      int     `json:"head_count_kv"`
	Epsilon      float64 `json:"rms_epsilon"`
	RopeBase     float64 `json:"rope_base"`

	HeadSize      int     `json:"head_length,omitempty"` // features of a head; 0: Embedding/Heads
	ValueSize     int     `json:"value_length,omitempty"`
	RopeFeatures  int     `json:"rope_dimension_count,omitempty"` // of a head that are turned; 0: all
	RopeScaling   string  `json:"rope_scaling_type,omitempty"`    // "", "linear" or "yarn"
	RopeFactor    float64 `json:"rope_scaling_factor,omitempty"`
	RopeContext   int     `json:"rope_scaling_original_context_length,omitempty"`
	Window        int     `json:"sliding_window,omitempty"`
	AttnSoftcap   float64 `json:"attn_logit_softcapping,omitempty"`
	FinalSoftcap  float64 `json:"final_logit_softcapping,omitempty"`
	Experts       int     `json:"expert_count,omitempty"`
	ExpertsUsed   int     `json:"expert_used_count,omitempty"`
	Vocabulary    int     `json:"vocab_size,omitempty"` // 0: the rows of the embedding
	quantBits     int     // of MLX's affine weights in safetensors
	quantGroup    int
	huggingFace   bool // tensors have the names of Hugging Face
	ropeAttention float64
	ropeFactors   []float32 // frequencies are divided by them
}

// architecture is what a family of models does, apart from its sizes.
type architecture struct {
	name        string
	neox        bool // layout of rotary embeddings
	activation  activation
	scaleInput  bool    // embeddings are multiplied with sqrt(Embedding)
	layerNorm   bool    // LayerNorm with a bias in place of RMSNorm
	positions   bool    // learned positions in place of rotary ones
	localPeriod int     // every so many layers, the last one of a period sees all positions; 0: all or none
	localBase   float64 // the base of rotary embeddings in layers with a window; 0: RopeBase
	encoder     bool    // every token sees every other, and there are no logits
	normExperts bool    // weights of the chosen experts are divided by their sum
}

// activation is the function between the products of the feed-forward layers.
type activation uint8

const (
	silu activation = iota
	gelu
	relu2
)

// architectures returns the known ones.
func architectures() []architecture {
	return []architecture{
		{name: "llama", normExperts: true}, // also mistral, mixtral, smollm, tinyllama
		{name: "mistral3", normExperts: true},
		{name: "qwen2", neox: true},
		{name: "qwen3", neox: true},
		{name: "qwen2moe", neox: true},
		{name: "qwen3moe", neox: true, normExperts: true},
		{name: "phi3", neox: true},
		{name: "gemma", neox: true, activation: gelu, scaleInput: true},
		{name: "gemma2", neox: true, activation: gelu, scaleInput: true, localPeriod: 2},
		{name: "gemma3", neox: true, activation: gelu, scaleInput: true, localPeriod: 6, localBase: 10000},
		{name: "bitnet", neox: true},
		{name: "bitnet-25", neox: true, activation: relu2},
		{name: "bitnet-b1.58", neox: true, activation: relu2},
		{name: "gpt2", activation: gelu, layerNorm: true, positions: true},
		{name: "bert", activation: gelu, layerNorm: true, positions: true, encoder: true},
	}
}

// Architectures returns the names of the architectures that this package runs, sorted.
func Architectures() (names []string) {
	for _, a := range architectures() {
		names = append(names, a.name)
	}
	slices.Sort(names)
	return names
}

func architectureOf(name string) (architecture, error) {
	for _, a := range architectures() {
		if a.name == name {
			return a, nil
		}
	}
	return architecture{}, fmt.Errorf("%q; known are %s: %w", name, strings.Join(Architectures(), ", "),
		ErrArchitecture)
}

// configOf reads the configuration from a GGUF file's metadata.
func configOf(f *gguf.File) (c Config, err error) {
	if c.Architecture, err = f.Text("general.architecture"); err != nil {
		return c, err
	}
	if _, err := architectureOf(c.Architecture); err != nil {
		return c, fmt.Errorf("%s: general.architecture %w", f.Name, err)
	}
	key := func(name string) string { return c.Architecture + "." + name }
	integer := func(at *int, name string, needed bool) {
		if err != nil {
			return
		}
		v, e := f.Uint(key(name))
		switch {
		case e == nil && v > math.MaxInt32:
			err = fmt.Errorf("%s: %s is %d, at most %d: %w", f.Name, key(name), v, math.MaxInt32, gguf.ErrFormat)
		case e == nil:
			*at = int(v)
		case needed || !errors.Is(e, gguf.ErrNoKey):
			err = e
		}
	}
	number := func(at *float64, name string) {
		if err != nil {
			return
		}
		v, e := f.Float(key(name))
		switch {
		case e == nil:
			*at = v
		case !errors.Is(e, gguf.ErrNoKey):
			err = e
		}
	}
	integer(&c.Context, "context_length", true)
	integer(&c.Embedding, "embedding_length", true)
	integer(&c.Layers, "block_count", true)
	integer(&c.FeedForward, "feed_forward_length", false)
	integer(&c.Heads, "attention.head_count", true)
	integer(&c.KVHeads, "attention.head_count_kv", false)
	integer(&c.HeadSize, "attention.key_length", false)
	integer(&c.ValueSize, "attention.value_length", false)
	integer(&c.RopeFeatures, "rope.dimension_count", false)
	integer(&c.RopeContext, "rope.scaling.original_context_length", false)
	integer(&c.Window, "attention.sliding_window", false)
	integer(&c.Experts, "expert_count", false)
	integer(&c.ExpertsUsed, "expert_used_count", false)
	number(&c.RopeBase, "rope.freq_base")
	number(&c.RopeFactor, "rope.scaling.factor")
	number(&c.ropeAttention, "rope.scaling.attn_factor")
	number(&c.AttnSoftcap, "attn_logit_softcapping")
	number(&c.FinalSoftcap, "final_logit_softcapping")
	number(&c.Epsilon, "attention.layer_norm_rms_epsilon")
	if c.Epsilon == 0 {
		number(&c.Epsilon, "attention.layer_norm_epsilon")
	}
	if err == nil {
		if t, e := f.Text(key("rope.scaling.type")); e == nil && t != "none" {
			c.RopeScaling = t
		}
	}
	return c, err
}

// huggingFace is config.json of models of Hugging Face and MLX.
type huggingFace struct {
	ModelType    string   `json:"model_type"`
	Context      int      `json:"max_position_embeddings"`
	Embedding    int      `json:"hidden_size"`
	Layers       int      `json:"num_hidden_layers"`
	FeedForward  int      `json:"intermediate_size"`
	Heads        int      `json:"num_attention_heads"`
	KVHeads      int      `json:"num_key_value_heads"`
	HeadSize     int      `json:"head_dim"`
	Epsilon      float64  `json:"rms_norm_eps"`
	RopeBase     float64  `json:"rope_theta"`
	Window       *int     `json:"sliding_window"`
	UseWindow    *bool    `json:"use_sliding_window"`
	AttnSoftcap  *float64 `json:"attn_logit_softcapping"`
	FinalSoftcap *float64 `json:"final_logit_softcapping"`
	RopeScaling  *struct {
		Type    string  `json:"rope_type"`
		Old     string  `json:"type"`
		Factor  float64 `json:"factor"`
		Low     float64 `json:"low_freq_factor"`
		High    float64 `json:"high_freq_factor"`
		Context int     `json:"original_max_position_embeddings"`
	} `json:"rope_scaling"`
	Quantization *struct {
		Bits  int    `json:"bits"`
		Group int    `json:"group_size"`
		Mode  string `json:"mode"`
	} `json:"quantization"`
}

// ReadConfig reads a configuration of safetensors: JSON with the names of [Config], or config.json
// of Hugging Face.
func ReadConfig(name string) (c Config, err error) {
	text, err := document.Config.ReadFile(name)
	if err != nil {
		return c, err
	}
	var h huggingFace
	if err := document.Config.JSON(text, &c); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	if c.Architecture == "" {
		if err := json.Unmarshal(text, &h); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
		if c, err = h.config(); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := architectureOf(c.Architecture); err != nil {
		return c, fmt.Errorf("%s: architecture %w", name, err)
	}
	return c, nil
}

// config converts a configuration of Hugging Face.
func (h *huggingFace) config() (c Config, err error) {
	c = Config{Architecture: h.ModelType, Context: h.Context, Embedding: h.Embedding, Layers: h.Layers,
		FeedForward: h.FeedForward, Heads: h.Heads, KVHeads: h.KVHeads, HeadSize: h.HeadSize, Epsilon: h.Epsilon,
		RopeBase: h.RopeBase, huggingFace: true}
	switch h.ModelType {
	case "mistral", "smollm3":
		c.Architecture = "llama"
	case "gemma3_text":
		c.Architecture = "gemma3"
	case "llama", "qwen2", "qwen3":
	default:
		return c, fmt.Errorf("model_type %q; known are llama, mistral, qwen2, qwen3: %w", h.ModelType, ErrArchitecture)
	}
	if h.Window != nil && (h.UseWindow == nil || *h.UseWindow) {
		c.Window = *h.Window
	}
	if r := h.RopeScaling; r != nil {
		kind := r.Type
		if kind == "" {
			kind = r.Old
		}
		switch kind {
		case "", "default":
		case "linear", "yarn":
			c.RopeScaling, c.RopeFactor, c.RopeContext = kind, r.Factor, r.Context
		case "llama3":
			if c.ropeFactors, err = llama3Factors(&c, r.Factor, r.Low, r.High, r.Context); err != nil {
				return c, err
			}
		default:
			return c, fmt.Errorf("rope_scaling of type %q; known are linear, llama3 and yarn: %w", kind, ErrArchitecture)
		}
	}
	if q := h.Quantization; q != nil {
		if q.Mode != "" && q.Mode != "affine" {
			return c, fmt.Errorf("quantization of mode %q; known is affine: %w", q.Mode, ErrArchitecture)
		}
		c.quantBits, c.quantGroup = q.Bits, q.Group
	}
	return c, nil
}

// llama3Factors returns what llama 3.1 divides the frequencies of rotary embeddings by: nothing for
// wavelengths that fit the context of its training several times, factor for those that do not fit,
// and what is between them in between.
func llama3Factors(c *Config, factor, low, high float64, context int) (factors []float32, err error) {
	features := c.HeadSize
	if features == 0 && c.Heads > 0 {
		features = c.Embedding / c.Heads
	}
	if !(factor >= 1) || !(low > 0) || !(high > low) || context < 1 || features < 2 || features > 512 {
		return nil, fmt.Errorf("rope_scaling of type llama3 with factor %g, low_freq_factor %g, high_freq_factor %g, "+
			"original_max_position_embeddings %d, heads of %d: %w", factor, low, high, context, features, ErrArchitecture)
	}
	base := c.RopeBase
	if base == 0 {
		base = 10000
	}
	for i := range features / 2 {
		turns := float64(context) / (2 * math.Pi * math.Pow(base, 2*float64(i)/float64(features)))
		smooth := min(max((turns-low)/(high-low), 0), 1)
		factors = append(factors, float32(1/((1-smooth)/factor+smooth)))
	}
	return factors, nil
}

// check completes a configuration, and refuses what cannot be.
func (c *Config) check() error {
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.HeadSize == 0 && c.Heads > 0 {
		c.HeadSize = c.Embedding / c.Heads
	}
	if c.ValueSize == 0 {
		c.ValueSize = c.HeadSize
	}
	if c.RopeFeatures == 0 {
		c.RopeFeatures = c.HeadSize
	}
	if c.RopeBase == 0 {
		c.RopeBase = 10000
	}
	for _, x := range []struct {
		name  string
		value int
		most  int
	}{{"context_length", c.Context, 1 << 24}, {"embedding_length", c.Embedding, 1 << 20}, {"block_count", c.Layers,
		1 << 12},
		{"head_count", c.Heads, 1 << 12}, {"head_count_kv", c.KVHeads, 1 << 12}, {"key_length", c.HeadSize, 512},
		{"value_length", c.ValueSize, 512}} {
		if x.value < 1 || x.value > x.most {
			return fmt.Errorf("%s is %d, want 1 to %d: %w", x.name, x.value, x.most, ErrArchitecture)
		}
	}
	switch {
	case c.Heads%c.KVHeads != 0:
		return fmt.Errorf("head_count %d is not a multiple of head_count_kv %d: %w", c.Heads, c.KVHeads,
			ErrArchitecture)
	case c.RopeFeatures > c.HeadSize || c.RopeFeatures%2 != 0:
		return fmt.Errorf("rope.dimension_count is %d, want an even number up to %d: %w", c.RopeFeatures, c.HeadSize,
			ErrArchitecture)
	case !(c.RopeBase > 0) || !(c.Epsilon >= 0):
		return fmt.Errorf("rope.freq_base %g, epsilon %g: %w", c.RopeBase, c.Epsilon, ErrArchitecture)
	case !slices.Contains([]string{"", "linear", "yarn", "longrope"}, c.RopeScaling):
		return fmt.Errorf("rope.scaling.type %q; known are none, linear, yarn and longrope: %w", c.RopeScaling,
			ErrArchitecture)
	case c.Experts > 0 && (c.ExpertsUsed < 1 || c.ExpertsUsed > c.Experts):
		return fmt.Errorf("expert_used_count is %d, want 1 to %d: %w", c.ExpertsUsed, c.Experts, ErrArchitecture)
	}
	return nil
}

// rotary returns how a layer turns queries and keys.
func (c *Config) rotary(a architecture, local bool, factors []float32) tensor.Rotary {
	r := tensor.Rotary{Features: c.RopeFeatures, NeoX: a.neox || c.huggingFace, Base: c.RopeBase, Factors: factors}
	if local && a.localBase > 0 {
		r.Base, r.Factors = a.localBase, nil
		return r
	}
	switch {
	case c.RopeScaling == "linear" && c.RopeFactor > 0:
		r.Scale = 1 / c.RopeFactor
	case c.RopeScaling == "yarn" && c.RopeFactor > 0:
		r.Scale = 1 / c.RopeFactor
		r.YaRN = &tensor.YaRN{Context: c.RopeContext, Attention: c.ropeAttention}
		if r.YaRN.Context == 0 {
			r.YaRN.Context = c.Context
		}
	case c.ropeAttention > 0:
		r.Magnitude = c.ropeAttention
	}
	return r
}
