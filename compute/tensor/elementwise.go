package tensor

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// typed returns the operands with scalars as tensors of the other operands' type.
func (s *Scope) typed(in []*Tensor) ([]*Tensor, func(), error) {
	done := func() {}
	var typ Type
	for _, t := range in {
		if t.number == nil {
			typ = t.Type() // the last one: the first operand of select is a condition
		}
	}
	if typ == 0 {
		return nil, done, fmt.Errorf("only scalars; one operand must have an element type: %w", ErrType)
	}
	out := append([]*Tensor(nil), in...)
	var made []*Tensor
	done = func() {
		for _, t := range made {
			t.Close()
		}
	}
	for i, t := range in {
		if t.number == nil {
			continue
		}
		bits, err := t.number.bits(typ)
		if err != nil {
			return nil, done, err
		}
		m, err := s.engine.scalar(s.ctx, typ, bits)
		if err != nil {
			return nil, done, err
		}
		out[i] = &Tensor{engine: s.engine, view: tensorop.Dense(typ.op()), owner: &owner{mem: m}}
		made = append(made, out[i])
	}
	return out, done, nil
}

// elementwise applies an operation to each element of operands that are broadcast together.
func (s *Scope) elementwise(op string, in []*Tensor, parameters ...float32) *Tensor {
	if f, ok := s.begin(op, in...); !ok {
		return f
	}
	operands, done, err := s.typed(in)
	defer done()
	if err != nil {
		return s.fail(op, in, err)
	}
	instr := tensorop.Instr{Op: op, Scalars: parameters}
	var shapes [][]int
	var types []tensorop.Type
	for i, t := range operands {
		shapes, types, instr.Args = append(shapes, t.view.Shape), append(types, t.view.Type), append(instr.Args, i)
	}
	if instr.Type, err = tensorop.Check(op, types...); err != nil {
		return s.fail(op, in, typeError(err))
	}
	shape, err := tensorop.BroadcastShapes(op, shapes...)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, float64(tensorop.Elements(shape)), Type(instr.Type), shape, operands,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Map(out, in, instr) })
}

func typeError(err error) error { return fmt.Errorf("%s: %w", plain(err), ErrType) }

func (s *Scope) unary(op string, x *Tensor) *Tensor     { return s.elementwise(op, []*Tensor{x}) }
func (s *Scope) binary(op string, a, b *Tensor) *Tensor { return s.elementwise(op, []*Tensor{a, b}) }

// Cast converts elements to another type. Floating-point numbers are rounded toward zero and
// saturated to become integers, and NaN becomes 0; integers wrap around; anything but 0 is true. It
// always copies.
func (s *Scope) Cast(x *Tensor, typ Type) *Tensor {
	if f, ok := s.begin("cast", x); !ok {
		return f
	}
	if x.number != nil {
		return s.Full(typ, x.number.value)
	}
	return s.copy("cast", x, typ)
}

// Copy returns a copy of a tensor, which is contiguous.
func (s *Scope) Copy(x *Tensor) *Tensor {
	if f, ok := s.begin("copy", x); !ok {
		return f
	}
	return s.copy("copy", x, x.Type())
}

func (s *Scope) copy(op string, x *Tensor, typ Type) *Tensor {
	if !typ.valid() || x.number != nil {
		return s.fail(op, []*Tensor{x}, fmt.Errorf("to %v: %w", typ, ErrType))
	}
	return s.one(op, 0, typ, x.view.Shape, []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Copy(out, in[0]) })
}

// Contiguous returns x if it is contiguous, else a copy.
func (s *Scope) Contiguous(x *Tensor) *Tensor {
	if f, ok := s.begin("contiguous", x); !ok {
		return f
	}
	if x.IsContiguous() && x.number == nil {
		return x
	}
	return s.copy("contiguous", x, x.Type())
}

// Reshape is [Tensor.Reshape], with a copy if elements have to move.
func (s *Scope) Reshape(x *Tensor, shape ...int) *Tensor {
	if f, ok := s.begin("reshape", x); !ok {
		return f
	}
	v, ok, f := x.reshape(shape)
	switch {
	case f != nil:
		return s.fail("reshape", []*Tensor{f}, f.err)
	case ok:
		return x.derive("reshape", v, nil)
	}
	return s.copy("reshape", x, x.Type()).Reshape(v.Shape...)
}

// Full returns a tensor whose elements are all the same number; without a shape, one element. See
// [Scalar] for the numbers that integer types have.
func (s *Scope) Full(typ Type, value float64, shape ...int) *Tensor {
	if f, ok := s.begin("full"); !ok {
		return f
	}
	fail := func(err error) *Tensor { return s.fail("full", nil, err) }
	if err := checkShape(typ, shape); err != nil {
		return fail(err)
	}
	bits, err := number{value}.bits(typ)
	if err != nil {
		return fail(err)
	}
	m, err := s.engine.scalar(s.ctx, typ, bits)
	if err != nil {
		return fail(err)
	}
	one := &Tensor{engine: s.engine, view: tensorop.Dense(typ.op()), owner: &owner{mem: m}}
	defer one.Close()
	return s.one("full", 0, typ, shape, []*Tensor{one},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Copy(out, in[0]) })
}

// Assign writes the elements of src, which is broadcast, to dst, a tensor or a view of one. The
// tensors have the same element type. They may share memory: Assign writes what src held before.
// Later operations on dst's memory see the new elements; earlier ones do not. It returns dst.
func (s *Scope) Assign(dst, src *Tensor) *Tensor {
	if f, ok := s.begin("assign", dst, src); !ok {
		return f
	}
	both := []*Tensor{dst, src}
	in, done, err := s.typed(both)
	defer done()
	switch {
	case err != nil:
		return s.fail("assign", both, err)
	case dst.number != nil:
		return s.fail("assign", both, fmt.Errorf("to a scalar: %w", ErrType))
	case dst.Type() != in[1].Type():
		return s.fail("assign", both, fmt.Errorf("the element types differ; convert with Cast: %w", ErrType))
	}
	for d, stride := range dst.view.Strides {
		if stride == 0 && dst.view.Shape[d] > 1 {
			return s.fail("assign", both, fmt.Errorf("dimension %d repeats elements, so it cannot be written: %w", d,
				ErrShape))
		}
	}
	from, err := in[1].view.Broadcast(dst.view.Shape...)
	if err != nil {
		return s.fail("assign", both, shapeError(err))
	}
	o := &operation{name: "assign", build: func(b *tensorop.Builder, out, in []tensorop.Operand) {
		src := in[0].With(from)
		if dst.owner != nil && src.Elements() > 0 && both[1].owner != nil && dst.owner.mem == both[1].owner.mem {
			t := b.Temp(src.Type, src.Shape...)
			b.Copy(t, src)
			src = t
		}
		b.Copy(out[0], src)
	}}
	if err := s.enqueue(o, []*Tensor{dst}, in[1:]); err != nil {
		return s.fail("assign", both, err)
	}
	return dst
}
