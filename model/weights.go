package model

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/safetensors"
)

// stored is a tensor of a file of either kind.
type stored struct {
	name   string
	shape  []int
	format tensor.Format // 0: none that this package reads
	kind   string        // the type's name in the file
	bytes  []byte
	pages  []byte // whole pages around bytes, or nil
	at     int    // where bytes begin in pages
}

// elements returns how many elements a tensor has.
func (x *stored) elements() int {
	n := 1
	for _, d := range x.shape {
		n *= d
	}
	return n
}

// source is an open file with weights.
type source struct {
	name   string
	find   func(name string) (stored, bool)
	bytes  int // of all tensors
	close  io.Closer
	gguf   *gguf.File // nil for safetensors
	config Config

	safetensors *safetensors.File // nil for GGUF
}

// ErrTensor is wrapped by errors about tensors that are missing or do not fit the model.
var ErrTensor = errors.New("bad tensor")

func fromGGUF(f *gguf.File) *source {
	bytes := 0
	for i := range f.Tensors {
		bytes += len(f.Tensors[i].Bytes())
	}
	return &source{name: f.Name, bytes: bytes, close: f, gguf: f, find: func(name string) (stored, bool) {
		t := f.Tensor(name)
		if t == nil {
			return stored{}, false
		}
		x := stored{name: name, shape: t.Shape, kind: t.Type.String(), bytes: t.Bytes()}
		x.format, _ = tensor.FormatOf(x.kind)
		x.pages, x.at = t.Pages()
		return x, true
	}}
}

func fromSafetensors(f *safetensors.File, c Config) *source {
	find := func(name string) (stored, bool) {
		t := f.Tensor(name)
		if t == nil {
			return stored{}, false
		}
		x := stored{name: name, shape: t.Shape, kind: string(t.Type), bytes: t.Bytes()}
		switch t.Type {
		case safetensors.F32:
			x.format = tensor.PackedF32
		case safetensors.F16:
			x.format = tensor.PackedF16
		case safetensors.BF16:
			x.format = tensor.PackedBF16
		}
		x.pages, x.at = t.Pages()
		return x, true
	}
	if c.huggingFace {
		plain := find
		find = func(name string) (stored, bool) { return plain(huggingFaceName(name)) }
	}
	bytes := 0
	for i := range f.Tensors {
		bytes += len(f.Tensors[i].Bytes())
	}
	return &source{name: f.Name, bytes: bytes, close: f, find: find, config: c, safetensors: f}
}

// huggingFaceName returns the name that Hugging Face's llama-like models have for a tensor.
func huggingFaceName(name string) string {
	switch name {
	case "token_embd.weight":
		return "model.embed_tokens.weight"
	case "output_norm.weight":
		return "model.norm.weight"
	case "output.weight":
		return "lm_head.weight"
	}
	rest, ok := strings.CutPrefix(name, "blk.")
	if !ok {
		return name
	}
	layer, part, _ := strings.Cut(rest, ".")
	part, suffix, _ := strings.Cut(part, ".")
	to := part
	for _, x := range [][2]string{{"attn_norm", "input_layernorm"}, {"attn_q", "self_attn.q_proj"},
		{"attn_k", "self_attn.k_proj"}, {"attn_v", "self_attn.v_proj"}, {"attn_output", "self_attn.o_proj"},
		{"attn_q_norm", "self_attn.q_norm"}, {"attn_k_norm", "self_attn.k_norm"},
		{"ffn_norm", "post_attention_layernorm"},
		{"ffn_gate", "mlp.gate_proj"}, {"ffn_up", "mlp.up_proj"}, {"ffn_down", "mlp.down_proj"}} {
		if part == x[0] {
			to = x[1]
		}
	}
	return "model.layers." + layer + "." + to + "." + suffix
}

// loader makes tensors of a source's weights, which belong to a scope.
type loader struct {
	*source
	s   *tensor.Scope
	err error

	ctx      context.Context
	done     int                   // bytes of tensors that were looked up
	progress func(done, total int) // or nil
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: "+format+": %w", append(append([]any{l.name}, args...), ErrTensor)...)
	}
}

// lookup returns a tensor of the file. It fails if one that is needed is missing.
func (l *loader) lookup(name string, needed bool) (x stored, ok bool) {
	if x, ok = l.find(name); !ok && needed {
		l.fail("tensor %q is missing", name)
	}
	if l.ctx.Err() != nil && l.err == nil {
		l.err = fmt.Errorf("%s: %w: %w", l.name, compute.ErrCanceled, context.Cause(l.ctx))
	}
	if l.progress != nil && l.err == nil {
		l.progress(min(l.done, l.bytes), l.bytes) // this tensor is not ready yet
		l.done += len(x.bytes)
	}
	return x, ok
}

// raw returns a tensor's bytes on the device: those of the file, without a copy where the system
// maps files.
func (l *loader) raw(x stored) *tensor.Tensor {
	if x.pages == nil || len(x.pages) > maxAdopted {
		return tensor.Of(l.s, x.bytes)
	}
	return tensor.Adopt(l.s, x.pages, nil, []int{len(x.pages)}, nil).Slice(0, x.at, x.at+len(x.bytes))
}

// maxAdopted limits what one tensor's view can reach.
const maxAdopted = 1<<31 - 1

// matrix returns a matrix of packed weights, or nil if it is not there and not needed. Rows and
// columns that are 0 are those of the file.
func (l *loader) matrix(name string, rows, columns int, needed bool) *tensor.Packed {
	x, ok := l.lookup(name+".weight", needed)
	if !ok {
		return nil
	}
	if x.kind == string(safetensors.U32) && l.config.quantBits > 0 {
		return l.affine(name, x, rows, columns)
	}
	return l.packed(x, x.shape, rows, columns, 0, len(x.bytes))
}

// packed makes packed weights of a part of a tensor's bytes.
func (l *loader) packed(x stored, shape []int, rows, columns, from, to int) *tensor.Packed {
	if len(shape) != 2 || rows > 0 && shape[0] != rows || columns > 0 && shape[1] != columns {
		l.fail("tensor %q has shape %v, want [%d %d]", x.name, x.shape, rows, columns)
		return nil
	}
	if x.format == 0 {
		l.fail("tensor %q has type %s, which this package does not read", x.name, x.kind)
		return nil
	}
	data := l.raw(x)
	if from > 0 || to < len(x.bytes) {
		data = data.Slice(0, from, to)
	}
	p, err := tensor.NewPacked(x.format, data, shape[0], shape[1])
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("%s: tensor %q: %w", l.name, x.name, err)
	}
	return p
}

// affine makes packed weights of MLX's format, whose scales and biases are tensors too.
func (l *loader) affine(name string, x stored, rows, columns int) *tensor.Packed {
	scales, ok := l.find(name + ".scales")
	biases, both := l.find(name + ".biases")
	bits, group := l.config.quantBits, l.config.quantGroup
	if !ok || !both || len(x.shape) != 2 || bits < 1 || columns > 0 && x.shape[1]*32/bits != columns ||
		rows > 0 && x.shape[0] != rows {
		l.fail("tensor %q of shape %v has no scales and biases, or does not have %d rows of %d columns", x.name,
			x.shape, rows, columns)
		return nil
	}
	data := make([]uint32, len(x.bytes)/4)
	for i := range data {
		data[i] = binary.LittleEndian.Uint32(x.bytes[4*i:])
	}
	p, err := tensor.NewPackedMLX(tensor.MLXAffine, tensor.Of(l.s, data, x.shape...), l.floats(scales),
		l.floats(biases), bits, group)
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("%s: tensor %q: %w", l.name, x.name, err)
	}
	return p
}

// floats returns a tensor as Float32.
func (l *loader) floats(x stored) *tensor.Tensor {
	columns := 1
	for _, n := range x.shape {
		columns *= n
	}
	p := l.packed(x, []int{1, columns}, 0, 0, 0, len(x.bytes))
	if p == nil || l.err != nil {
		return nil
	}
	return l.s.Unpack(p, tensor.Float32).Reshape(x.shape...)
}

// vector returns a vector of Float32, or nil if it is not there and not needed.
func (l *loader) vector(name string, n int, needed bool) *tensor.Tensor {
	x, ok := l.lookup(name, needed)
	switch {
	case !ok:
		return nil
	case len(x.shape) != 1 || n > 0 && x.shape[0] != n:
		l.fail("tensor %q has shape %v, want [%d]", name, x.shape, n)
		return nil
	}
	return l.floats(x)
}
