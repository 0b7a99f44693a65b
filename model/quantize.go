package model

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// Quantization says how [Quantize] packs a model's weights.
type Quantization struct {
	// Format is what matrices are packed to: [tensor.Q8_0], [tensor.Q4_0], [tensor.Q4_K],
	// [tensor.TQ2_0], [tensor.MXFP4] or [tensor.I2_S]. TQ2_0 and I2_S are for ternary weights: then
	// the embedding and the output matrix, which are not ternary, become q8_0.
	Format tensor.Format
	// KeepEmbedding leaves the embedding and the output matrix as they are.
	KeepEmbedding bool
	// Config is that of [Options].
	Config string
	// Progress is called with how many bytes of the weights are packed and how many there are.
	Progress func(done, total int)
	// Note is called with a line about each matrix that gets another format, and about a tokenizer
	// that the file does not get.
	Note func(text string)
}

// Quantize writes a model as a GGUF file, with its matrices packed on the device: those whose
// columns are no multiple of the format's block become q8_0, or stay as they are. Vectors, the
// weights of norms among them, and the matrices that choose experts stay as they are, and so does
// the metadata. GGUF files may have any architecture. Of safetensors, llama, mistral, qwen2 and
// qwen3 can be written, and models with GGUF's names; they get the tokenizer and the chat template
// beside them, if [tokenizer.Keys] knows it. One tensor at a time is in memory. Errors wrap
// [ErrTensor], [ErrArchitecture] or [tensor.ErrType].
func Quantize(ctx context.Context, engine *tensor.Engine, file string, w io.Writer, o Quantization) error {
	if !slices.Contains([]tensor.Format{tensor.Q8_0, tensor.Q4_0, tensor.Q4_K, tensor.TQ2_0, tensor.MXFP4, tensor.I2_S},
		o.Format) {
		return fmt.Errorf("model: matrices cannot be packed to %v; want q8_0, q4_0, q4_K, tq2_0, mxfp4 or I2_S: %w",
			o.Format, tensor.ErrType)
	}
	kind, err := KindOf(file)
	if err != nil {
		return err
	}
	open := func() (*source, error) { return openSource(file, Options{Config: o.Config}) }
	if kind == "gguf" { // of any architecture
		open = func() (*source, error) { return openFile(kind, file, Config{}) }
	}
	src, err := open()
	if err != nil {
		return err
	}
	q := &quantizer{source: src, Quantization: o, ctx: ctx, engine: engine}
	return errors.Join(q.write(w), engine.Sync(ctx), src.close.Close())
}

type quantizer struct {
	*source
	Quantization
	ctx    context.Context
	engine *tensor.Engine
	done   int
}

func (q *quantizer) write(w io.Writer) error {
	metadata, err := q.metadata()
	if err != nil {
		return err
	}
	names, err := q.tensors()
	if err != nil {
		return err
	}
	var out []gguf.NewTensor
	for _, name := range names {
		x, _ := q.find(name)
		x.name = name
		typ, err := q.typeOf(x)
		if err != nil {
			return err
		}
		out = append(out, gguf.NewTensor{Name: name, Type: typ, Shape: x.shape, Make: func() ([]byte, error) {
			data, err := q.convert(x, typ)
			if q.done += len(x.bytes); err == nil && q.Progress != nil {
				q.Progress(min(q.done, q.bytes), q.bytes)
			}
			return data, err
		}})
	}
	if f := q.config.ropeFactors; f != nil {
		data, err := binary.Append(nil, binary.LittleEndian, f)
		if err != nil {
			return err
		}
		out = append(out, gguf.NewTensor{Name: "rope_freqs.weight", Type: gguf.F32, Shape: []int{len(f)}, Data: data})
	}
	err = gguf.Write(w, metadata, out)
	if err != nil && !strings.Contains(err.Error(), q.source.name) { // a loader names the file
		err = fmt.Errorf("%s: %w", q.source.name, err)
	}
	return err
}

// fileType returns the number of general.file_type that llama.cpp has for a format.
func fileType(f tensor.Format) uint32 {
	switch f {
	case tensor.Q4_0:
		return 2
	case tensor.Q8_0:
		return 7
	case tensor.Q4_K:
		return 14
	case tensor.TQ2_0:
		return 37
	case tensor.MXFP4:
		return 38
	}
	return 40 // I2_S of bitnet.cpp
}

// metadata returns that of the file, or what a configuration says.
func (q *quantizer) metadata() (list []gguf.Pair, err error) {
	add := func(key string, x any) {
		v, e := gguf.NewValue(x)
		err = errors.Join(err, e)
		list = append(list, gguf.Pair{Key: key, Value: v})
	}
	if q.gguf == nil {
		for _, x := range q.config.pairs() {
			add(x.key, x.value)
		}
		more, e := q.tokenizer()
		list, err = append(list, more...), errors.Join(err, e)
	} else {
		for _, p := range q.gguf.Metadata {
			if !strings.HasPrefix(p.Key, "split.") && p.Key != "general.file_type" &&
				p.Key != "general.quantization_version" {
				list = append(list, p)
			}
		}
	}
	add("general.file_type", fileType(q.Format))
	add("general.quantization_version", uint32(2))
	return list, err
}

// tokenizer returns the keys for the files of a tokenizer beside safetensors. One that GGUF does
// not have is left out, with a note.
func (q *quantizer) tokenizer() ([]gguf.Pair, error) {
	dir := filepath.Dir(q.source.name)
	note := func(err error) {
		if q.Note != nil {
			q.Note(fmt.Sprintf("the file gets no tokenizer, and runs with tokens alone: %v", err))
		}
	}
	data, err := document.Vocabulary.ReadFile(filepath.Join(dir, tokenizerFile))
	if errors.Is(err, fs.ErrNotExist) {
		note(err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows := 0
	if x, ok := q.find("token_embd.weight"); ok && len(x.shape) == 2 {
		rows = x.shape[0]
	}
	pairs, err := tokenizer.Keys(data, rows)
	if errors.Is(err, tokenizer.ErrUnknown) {
		note(err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, tokenizerFile), err)
	}
	template, _, err := ReadChatTemplate(dir)
	if err != nil {
		return nil, err
	}
	if template != "" {
		v, err := gguf.NewValue(template)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, gguf.Pair{Key: "tokenizer.chat_template", Value: v})
	}
	return pairs, nil
}

// keyValue is a key of the metadata with its value.
type keyValue struct {
	key   string
	value any
}

// pairs returns the metadata that configOf reads.
func (c *Config) pairs() (list []keyValue) {
	list = append(list, keyValue{"general.architecture", c.Architecture})
	key := func(name string) string { return c.Architecture + "." + name }
	for _, x := range []struct {
		name  string
		value int
	}{{"context_length", c.Context}, {"embedding_length", c.Embedding}, {"block_count", c.Layers},
		{"feed_forward_length", c.FeedForward}, {"attention.head_count", c.Heads}, {"attention.head_count_kv", c.KVHeads},
		{"attention.key_length", c.HeadSize}, {"attention.value_length", c.ValueSize},
		{"rope.dimension_count", c.RopeFeatures}, {"rope.scaling.original_context_length", c.RopeContext},
		{"attention.sliding_window", c.Window}, {"expert_count", c.Experts}, {"expert_used_count", c.ExpertsUsed},
		{"vocab_size", c.Vocabulary}} {
		if x.value > 0 {
			list = append(list, keyValue{key(x.name), uint32(x.value)})
		}
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"rope.freq_base", c.RopeBase}, {"rope.scaling.factor", c.RopeFactor},
		{"attn_logit_softcapping", c.AttnSoftcap}, {"final_logit_softcapping", c.FinalSoftcap},
		{"attention.layer_norm_rms_epsilon", c.Epsilon}} {
		if x.value > 0 {
			list = append(list, keyValue{key(x.name), float32(x.value)})
		}
	}
	if c.RopeScaling != "" {
		list = append(list, keyValue{key("rope.scaling.type"), c.RopeScaling})
	}
	return list
}

// tensors returns the names of all tensors, as GGUF has them.
func (q *quantizer) tensors() (names []string, err error) {
	if q.gguf != nil {
		for _, t := range q.gguf.Tensors {
			names = append(names, t.Name)
		}
		return names, nil
	}
	c := &q.config
	switch {
	case c.quantBits > 0:
		return nil, fmt.Errorf("%s: its weights are packed by MLX; pack the original: %w", q.source.name, ErrTensor)
	case !c.huggingFace:
		for _, t := range q.safetensors.Tensors {
			names = append(names, t.Name)
		}
		return names, nil
	case !slices.Contains([]string{"llama", "qwen2", "qwen3"}, c.Architecture):
		return nil, fmt.Errorf("%s: %s of Hugging Face cannot be written as GGUF; known are llama, mistral, qwen2, "+
			"qwen3: %w", q.source.name, c.Architecture, ErrArchitecture)
	}
	known := map[string]string{} // GGUF's names of those of Hugging Face
	add := func(name string) { known[huggingFaceName(name)] = name }
	for _, name := range []string{"token_embd", "output_norm", "output"} {
		add(name + ".weight")
	}
	for i := range c.Layers {
		for _, part := range []string{"attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "attn_q_norm", "attn_k_norm",
			"ffn_norm", "ffn_gate", "ffn_up", "ffn_down"} {
			add(fmt.Sprintf("blk.%d.%s.weight", i, part))
			add(fmt.Sprintf("blk.%d.%s.bias", i, part))
		}
	}
	for _, t := range q.safetensors.Tensors {
		name, ok := known[t.Name]
		switch {
		case ok:
			names = append(names, name)
		case !strings.HasSuffix(t.Name, "rotary_emb.inv_freq"): // which the configuration says too
			return nil, fmt.Errorf("%s: tensor %q has no name in GGUF: %w", q.source.name, t.Name, ErrTensor)
		}
	}
	return names, nil
}

// typeOf returns the type that a tensor gets.
func (q *quantizer) typeOf(x stored) (gguf.Type, error) {
	same, ok := gguf.TypeOf(strings.ToLower(x.kind))
	if q.gguf != nil {
		same, ok = gguf.TypeOf(x.kind)
	}
	note := func(format string, args ...any) {
		if q.Note != nil {
			q.Note(fmt.Sprintf("tensor %q "+format, append([]any{x.name}, args...)...))
		}
	}
	switch {
	case !ok:
		return 0, fmt.Errorf("%s: tensor %q has type %s, which GGUF does not have: %w", q.source.name, x.name, x.kind,
			ErrTensor)
	case !quantizable(x):
		if q.gguf == nil && len(x.shape) == 1 {
			return gguf.F32, nil // as llama.cpp needs vectors
		}
		return same, nil
	case x.format == 0:
		note("keeps type %s, which this package does not unpack", x.kind)
		return same, nil
	}
	format := q.Format
	if x.name == "token_embd.weight" || x.name == "output.weight" {
		if q.KeepEmbedding {
			return same, nil
		}
		if format.IsTernary() {
			format = tensor.Q8_0
		}
	}
	columns := x.shape[len(x.shape)-1]
	fits := func(f tensor.Format) bool {
		block, _ := f.Block()
		return columns%block == 0
	}
	block, _ := format.Block()
	switch {
	case fits(format):
	case fits(tensor.Q8_0):
		note("has %d columns, which are no blocks of %d, and becomes q8_0", columns, block)
		format = tensor.Q8_0
	default:
		note("has %d columns, which are no blocks of %d, and stays %v", columns, block, same)
		return same, nil
	}
	typ, _ := gguf.TypeOf(format.String()) // every format of GGUF has one
	return typ, nil
}

// quantizable reports whether a tensor is a matrix of weights that products read.
func quantizable(x stored) bool {
	if len(x.shape) < 2 || !strings.HasSuffix(x.name, ".weight") {
		return false
	}
	for _, part := range []string{"norm", "ffn_gate_inp", "position_embd", "token_types", "rope_"} {
		if strings.Contains(x.name, part) {
			return false
		}
	}
	return true
}

// convert returns a tensor's elements as a type.
func (q *quantizer) convert(x stored, typ gguf.Type) ([]byte, error) {
	if q.ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", compute.ErrCanceled, context.Cause(q.ctx))
	}
	heads := 0
	if q.gguf == nil && q.config.huggingFace && q.config.Architecture == "llama" {
		switch {
		case strings.Contains(x.name, ".attn_q."):
			heads = q.config.Heads
		case strings.Contains(x.name, ".attn_k."):
			heads = cmp.Or(q.config.KVHeads, q.config.Heads)
		}
	}
	n := x.elements()
	if n == 0 {
		return []byte{}, nil
	}
	if heads < 0 || heads > 0 && x.shape[0]%(2*heads) != 0 {
		return nil, fmt.Errorf("%d rows for %d heads: %w", x.shape[0], heads, ErrTensor)
	}
	if heads > 0 {
		x.bytes, x.pages = interleaved(x.bytes, heads, len(x.bytes)/x.shape[0]), nil
	}
	if strings.EqualFold(x.kind, typ.String()) {
		return x.bytes, nil
	}
	columns := n
	if len(x.shape) > 0 {
		columns = x.shape[len(x.shape)-1]
	}
	rows := max(pieceElements/columns, 1)
	if typ == gguf.I2_S || x.format == tensor.I2_S {
		rows = n / columns
	}
	var out []byte
	for from := 0; from < n/columns; from += rows {
		data, err := q.some(x, typ, from, min(from+rows, n/columns), columns)
		if err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	return out, nil
}

// interleaved returns the rows of queries or keys as GGUF's llama has them: Hugging Face has the
// two that rotary embeddings turn together half a head apart, and llama side by side.
func interleaved(data []byte, heads, row int) []byte {
	out := make([]byte, 0, len(data))
	half := len(data) / row / heads / 2
	for h := range heads {
		for i := range 2 * half {
			from := (2*h*half + i%2*half + i/2) * row
			out = append(out, data[from:from+row]...)
		}
	}
	return out
}

// some is convert for some rows.
func (q *quantizer) some(x stored, typ gguf.Type, from, to, columns int) ([]byte, error) {
	s := q.engine.Scope(q.ctx)
	defer s.Close()
	l := &loader{source: q.source, s: s, ctx: q.ctx}
	if x.format != tensor.I2_S {
		block, bytes := x.format.Block()
		row := columns / max(block, 1) * bytes
		x.bytes, x.pages = x.bytes[from*row:to*row], nil
	}
	p := l.packed(x, []int{to - from, columns}, 0, 0, 0, len(x.bytes))
	if l.err != nil {
		return nil, l.err
	}
	y := s.Unpack(p, tensor.Float32)
	if typ == gguf.F32 {
		data, err := tensor.Data[float32](q.ctx, y)
		if err != nil {
			return nil, err
		}
		return binary.Append(nil, binary.LittleEndian, data)
	}
	format, _ := tensor.FormatOf(typ.String())
	packed, err := s.Pack(y, format, 0, 0)
	if err != nil {
		return nil, err
	}
	return tensor.Data[uint8](q.ctx, packed.Data())
}
