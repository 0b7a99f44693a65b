//go:build !puremetal_run

package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/npy"
)

// modelOpCmd is model op.
type modelOpCmd struct {
	Op  string `arg:"" enum:"dequantize,matmul,embed,attention,rope,rmsnorm,swiglu,sample" help:"The operation."`
	In  string `arg:"" help:"The .npz file with the operands."`
	Out string `arg:"" help:"The .npz file to write, with the result y."`

	Type        string  `placeholder:"TYPE" help:"Format of weights: q4_K, I2_S, mlx, mlx-mxfp4, int8 ..."`
	Cols        int     `placeholder:"N" help:"Columns of I2_S weights."`
	Bits        int     `placeholder:"N" help:"Bits of mlx weights."`
	Group       int     `placeholder:"N" help:"Elements that share a scale in mlx weights."`
	Activations string  `default:"float" enum:"float,int8" help:"float, or int8 for BitNet b1.58 with ternary weights."`
	Causal      bool    `default:"true" negatable:"" help:"A query sees no key after it."`
	Window      int     `placeholder:"N" help:"Positions that a query sees."`
	Scale       float64 `placeholder:"X" help:"Of attention's scores, by default 1/sqrt(d), or of rope's positions."`
	Softcap     float64 `placeholder:"X" help:"Bound of attention's scores."`
	Start       int     `placeholder:"N" help:"Position of the first query."`
	NeoX        bool    `name:"neox" default:"false" negatable:"" help:"Pairs of rope are i and i + dims/2."`
	Dims        int     `placeholder:"N" help:"Features that rope turns."`
	Base        float64 `default:"10000" help:"Of rope's frequencies."`
	Eps         float64 `default:"1e-5" help:"Of rmsnorm."`
	Temperature float64 `default:"0" help:"Of sample."`
	TopK        int     `placeholder:"K" help:"Of sample."`
	TopP        float64 `placeholder:"P" help:"Of sample."`
	MinP        float64 `placeholder:"P" help:"Of sample."`
	U           float64 `placeholder:"X" help:"The random number of sample, from 0 to 1."`

	Device string `placeholder:"DEVICE" help:"Index or name of the device."`
}

// Run computes the operation.
func (c *modelOpCmd) Run(a *app) error {
	entries, err := abandonable(a.ctx, func() ([]npy.Entry, error) {
		return npy.ReadArchiveFile(c.In,
			npy.ArchiveOptions{})
	})
	if err != nil {
		return err
	}
	return a.onEngine(c.Device, func(e *tensor.Engine) error {
		s := e.Scope(a.ctx)
		defer s.Close()
		o := &operands{s: s, arrays: map[string]*npy.Array{}}
		for _, x := range entries {
			o.arrays[x.Name] = x.Array
		}
		y := c.compute(a.ctx, o)
		if o.err == nil {
			o.err = s.Err()
		}
		if o.err == nil {
			o.err = y.Err()
		}
		if o.err != nil {
			return fmt.Errorf("%s: %s: %w", c.In, c.Op, o.err)
		}
		result, err := tensor.ToNPY(a.ctx, y)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c.In, c.Op, err)
		}
		return npy.WriteArchiveFile(c.Out, npy.Entry{Name: "y", Array: result})
	})
}

// operands are the arrays of an operation. The first mistake is kept.
type operands struct {
	s      *tensor.Scope
	arrays map[string]*npy.Array
	err    error
}

func (o *operands) fail(format string, args ...any) *tensor.Tensor {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
	return nil
}

// optional returns an array as a tensor, or nil if it is not there. Floating-point numbers are
// float32, those of float16 too.
func (o *operands) optional(name string) *tensor.Tensor {
	a := o.arrays[name]
	if a == nil {
		return nil
	}
	typ := tensor.Type(0)
	switch a.Type {
	case npy.Float16, npy.Float64:
		typ = tensor.Float32
	}
	return tensor.FromNPY(o.s, a, typ)
}

func (o *operands) get(name string) *tensor.Tensor {
	t := o.optional(name)
	switch {
	case t == nil:
		return o.fail("array %q is missing", name)
	case t.Err() != nil:
		return o.fail("array %q: %w", name, t.Err())
	}
	return t
}

// packed returns the packed weights w.
func (c *modelOpCmd) packed(o *operands) *tensor.Packed {
	format, ok := tensor.FormatOf(c.Type)
	w := o.get("w")
	switch {
	case o.err != nil:
		return nil
	case !ok:
		o.fail("--type %q is no format of packed weights", c.Type)
		return nil
	}
	var p *tensor.Packed
	var err error
	if format >= tensor.MLXAffine {
		scales := o.get("scales")
		var biases *tensor.Tensor
		if format == tensor.MLXAffine {
			biases = o.get("biases")
		}
		if o.err != nil {
			return nil
		}
		p, err = tensor.NewPackedMLX(format, w, scales, biases, c.Bits, c.Group)
	} else {
		rows, columns, e := c.shape(format, w)
		if err = e; err == nil {
			p, err = tensor.NewPacked(format, w, rows, columns)
		}
	}
	if err != nil {
		o.fail("%w", err)
		return nil
	}
	return p
}

// shape returns that of packed weights of bytes.
func (c *modelOpCmd) shape(format tensor.Format, w *tensor.Tensor) (rows, columns int, err error) {
	if w.Type() != tensor.Uint8 {
		return 0, 0, fmt.Errorf("w is %v, want uint8", w)
	}
	if format == tensor.I2_S {
		if c.Cols < 1 || w.Len() < 32 || (w.Len()-32)*4%c.Cols != 0 {
			return 0, 0, fmt.Errorf("w of %d bytes is no I2_S matrix of --cols %d", w.Len(), c.Cols)
		}
		return (w.Len() - 32) * 4 / c.Cols, c.Cols, nil
	}
	elements, bytes := format.Block()
	shape := w.Shape()
	if len(shape) != 2 || shape[1]%bytes != 0 {
		return 0, 0, fmt.Errorf("w has shape %v, want rows of a multiple of %d bytes, the block of %v", shape, bytes,
			format)
	}
	return shape[0], shape[1] / bytes * elements, nil
}

// compute enqueues the operation. The result is nil if o has an error.
func (c *modelOpCmd) compute(ctx context.Context, o *operands) *tensor.Tensor {
	s := o.s
	switch c.Op {
	case "dequantize":
		if p := c.packed(o); p != nil {
			return s.Unpack(p, tensor.Float32)
		}
	case "matmul":
		return c.matmul(o)
	case "embed":
		if p, ids := c.packed(o), o.get("ids"); o.err == nil {
			return s.Embed(p, ids, tensor.Float32)
		}
	case "attention":
		q, k, v := o.get("q"), o.get("k"), o.get("v")
		if o.err != nil {
			return nil
		}
		return s.GroupedAttention(q, k, v, tensor.GroupedAttention{Scale: float32(c.Scale), Causal: c.Causal,
			Start:  c.Start,
			Window: c.Window, Softcap: float32(c.Softcap), Mask: o.optional("mask"), Sinks: o.optional("sinks")})
	case "rope":
		return c.rope(ctx, o)
	case "rmsnorm":
		x, w := o.get("x"), o.get("w")
		if o.err != nil {
			return nil
		}
		return s.RMSNorm(x, w, float32(c.Eps))
	case "swiglu":
		gate, up := o.get("gate"), o.get("up")
		if o.err != nil {
			return nil
		}
		return s.SwiGLU(gate, up)
	case "sample":
		return c.sample(o)
	}
	return nil
}

func (c *modelOpCmd) matmul(o *operands) *tensor.Tensor {
	s := o.s
	if c.Type == "int8" {
		x, w := o.get("x"), o.get("w")
		if o.err != nil {
			return nil
		}
		y := s.MatMulInt8(x, w.T())
		xs, ws := o.optional("xscale"), o.optional("wscale")
		if xs == nil && ws == nil {
			return y
		}
		y = s.Cast(y, tensor.Float32)
		if xs != nil {
			y = s.Mul(y, xs.Reshape(-1, 1))
		}
		if ws != nil {
			y = s.Mul(y, ws.Reshape(1, -1))
		}
		return y
	}
	p, x := c.packed(o), o.get("x")
	switch {
	case o.err != nil:
		return nil
	case c.Activations == "int8":
		return s.MatMulTernary(x, p)
	}
	return s.MatMulPacked(x, p)
}

func (c *modelOpCmd) rope(ctx context.Context, o *operands) *tensor.Tensor {
	s, x, positions := o.s, o.get("x"), o.get("positions")
	if o.err != nil {
		return nil
	}
	if x.Rank() != 4 {
		return o.fail("x has shape %v, want [B, T, heads, d]", x.Shape())
	}
	r := tensor.Rotary{Features: c.Dims, NeoX: c.NeoX, Base: c.Base, Scale: c.Scale}
	if r.Features == 0 {
		r.Features = x.Shape()[3]
	}
	if f := o.optional("factors"); f != nil {
		factors, err := tensor.ToFloat64(ctx, f) // from any type
		if err != nil {
			return o.fail("factors: %w", err)
		}
		for _, x := range factors {
			r.Factors = append(r.Factors, float32(x))
		}
	}
	return s.Rope(x, positions, s.RotaryTable(r))
}

func (c *modelOpCmd) sample(o *operands) *tensor.Tensor {
	s, logits := o.s, o.get("logits")
	if o.err != nil {
		return nil
	}
	shape := logits.Shape()
	rows := 1
	for _, n := range shape[:max(len(shape)-1, 0)] {
		rows *= n
	}
	if len(shape) == 0 || c.U < 0 || c.U > 1 || math.IsNaN(c.U) {
		return o.fail("logits %v, --u %g; want a dimension, and 0 to 1", shape, c.U)
	}
	random := tensor.Of(s, slices.Repeat([]float32{float32(c.U)}, rows))
	id := s.Sample(s.Reshape(logits, rows, shape[len(shape)-1]), random, tensor.Sampling{Temperature: c.Temperature,
		TopK: c.TopK, TopP: c.TopP, MinP: c.MinP})
	return id.Reshape(shape[:len(shape)-1]...)
}
