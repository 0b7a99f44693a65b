package tensor

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// Scope is a piece of work with tensors: a step of training, a request, a model's lifetime. Its
// methods are the operations. It owns their results, which Close closes, and keeps the first error:
// after that, operations do nothing and return failed tensors, so that a program can nest them and
// test for an error once, with Err, Keep or [Data].
//
// Operations only enqueue work. Their errors are those of arguments, memory and compilation;
// failures on the device are returned by [Data] and [Engine.Sync].
//
// A Scope is safe for concurrent use.
type Scope struct {
	engine *Engine
	ctx    context.Context

	mu     sync.Mutex
	err    error
	closed bool
	owned  []*Tensor
	outer  *Scope    // of an inner scope
	spare  []*memory // of inner scopes that were closed, each with a count of its own

	trial *trial // of Calibrate
}

// Scope returns a new scope. Operations fail once ctx has ended. Close the scope when done.
func (e *Engine) Scope(ctx context.Context) *Scope {
	s := &Scope{engine: e, ctx: ctx}
	switch {
	case e.missing():
		s.err = fmt.Errorf("tensor: Scope of a nil engine: %w", compute.ErrNil)
	case ctx == nil:
		s.err = fmt.Errorf("tensor: Scope with a nil context: %w", compute.ErrNil)
	}
	return s
}

// Inner returns a scope for a part of the work of s. Its memory goes to s when it is closed, for
// the results of later operations of s and of its inner scopes, which all come after that part on
// the engine's stream: so a long chain of operations takes as much memory as its largest part. What
// the part returns must be made by s, or kept. Close the inner scope before s.
func (s *Scope) Inner() *Scope {
	if s.missing() {
		return &Scope{err: fmt.Errorf("tensor: Inner of a nil scope: %w", compute.ErrNil)}
	}
	inner := &Scope{engine: s.engine, ctx: s.ctx, trial: s.trial, outer: s}
	if s.outer != nil {
		inner.outer = s.outer
	}
	inner.err = s.Err()
	return inner
}

// missing reports whether the scope is nil or was not made by [Engine.Scope]. One of a missing
// engine or context has an error from the beginning.
func (s *Scope) missing() bool { return s == nil || s.ctx == nil && s.err == nil }

// Err returns the first error of the scope's operations.
func (s *Scope) Err() error {
	if s.missing() {
		return fmt.Errorf("tensor: a nil scope: %w", compute.ErrNil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close closes the tensors of the scope, except those that Keep has returned. It does not wait:
// memory is released once the work that uses it has ended. Closing a closed scope does nothing.
func (s *Scope) Close() {
	if s.missing() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, t := range s.owned {
		if s.outer != nil {
			s.outer.takeBack(t)
		}
		t.Close()
	}
	for _, m := range s.spare {
		m.release()
	}
	s.owned, s.spare = nil, nil
}

// takeBack keeps the memory of an inner scope's tensor for later results, unless it has another
// owner.
func (s *Scope) takeBack(t *Tensor) {
	m, err := t.owner.hold()
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || m.adopted || m.owners.Load() != 2 {
		m.release()
		return
	}
	s.spare = append(s.spare, m)
}

// spared returns spare memory of a size, or nil.
func (s *Scope) spared(bytes int) *memory {
	if s.outer != nil {
		return s.outer.spared(bytes)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.spare) - 1; i >= 0; i-- {
		if m := s.spare[i]; m.buffer.Len() == memoryBytes(bytes) {
			s.spare = slices.Delete(s.spare, i, i+1)
			return m
		}
	}
	return nil
}

// Keep returns a tensor that outlives the scope: it shares the memory of t, which may be a view,
// and belongs to the program, which closes it. Keep returns the error of the scope, if there is
// one, or that of t.
func (s *Scope) Keep(t *Tensor) (*Tensor, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	kept, err := s.share(t)
	if err != nil {
		return nil, s.fail("keep", []*Tensor{t}, err).err
	}
	return kept, nil
}

// share returns another owner of a tensor's memory.
func (s *Scope) share(t *Tensor) (*Tensor, error) {
	if err := s.check(t); err != nil {
		return nil, err
	}
	if t.number != nil {
		return nil, fmt.Errorf("a scalar without a type has no memory; use Full: %w", ErrType)
	}
	m, err := t.owner.hold()
	if err != nil {
		return nil, err
	}
	return &Tensor{engine: t.engine, view: t.view, owner: &owner{mem: m}}, nil
}

// fail records an error and returns a tensor that stands for the first one.
func (s *Scope) fail(op string, in []*Tensor, err error) *Tensor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		of := ""
		if len(in) > 0 {
			of = " of " + describe(in)
		}
		s.err = fmt.Errorf("tensor: %s%s%s: %w", op, of, callSite(), err)
		for _, t := range in { // the cause has everything already
			if t != nil && t.err != nil {
				s.err = t.err
				break
			}
		}
	}
	return failed(s.err)
}

// check returns an error if a tensor cannot be an operand.
func (s *Scope) check(t *Tensor) error {
	switch {
	case t.missing():
		return errNil()
	case t.err != nil:
		return t.err
	case t.number == nil && t.engine != s.engine:
		return fmt.Errorf("%v %w", t, ErrEngine)
	}
	return nil
}

// begin checks operands before an operation. It reports whether the operation can go on, or returns
// what it should return.
func (s *Scope) begin(op string, in ...*Tensor) (*Tensor, bool) {
	if s.missing() {
		return failed(fmt.Errorf("tensor: %s: a nil scope: %w", op, compute.ErrNil)), false
	}
	if err := s.Err(); err != nil {
		return failed(err), false
	}
	err := s.engine.open()
	if err == nil && s.ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", compute.ErrCanceled, context.Cause(s.ctx))
	}
	for _, t := range in {
		if err == nil {
			err = s.check(t)
		}
	}
	if err != nil {
		return s.fail(op, in, err), false
	}
	return nil, true
}

// shaped is a result to be made.
type shaped struct {
	typ   Type
	shape []int
}

// run enqueues an operation whose operands have been checked, and returns its results.
func (s *Scope) run(op string, flops float64, out []shaped, in []*Tensor,
	build func(b *tensorop.Builder, out, in []tensorop.Operand)) ([]*Tensor, error) {
	return s.runOperation(&operation{name: op, build: build, flops: flops}, out, in)
}

func (s *Scope) runOperation(o *operation, out []shaped, in []*Tensor) ([]*Tensor, error) {
	o.trial = s.trial
	made := make([]*Tensor, 0, len(out))
	for _, r := range out {
		t, err := s.make(r.typ, r.shape)
		if err != nil {
			for _, t := range made {
				t.Close()
			}
			return nil, err
		}
		made = append(made, t)
	}
	err := s.enqueue(o, made, in)
	for _, t := range made {
		if err != nil {
			t.Close()
		} else {
			err = s.own(t)
		}
	}
	return made, err
}

// enqueue runs an operation that writes existing tensors.
func (s *Scope) enqueue(o *operation, out, in []*Tensor) error {
	o.inputs, o.outputs = in, out
	for _, t := range append(in[:len(in):len(in)], out...) {
		m, err := t.owner.hold()
		if err != nil {
			return err
		}
		defer m.release()
		o.buffers = append(o.buffers, m.buffer)
	}
	return s.engine.run(s.ctx, o)
}

// make returns a new tensor with undefined contents, which nobody owns yet. Only operations may
// write it.
func (s *Scope) make(typ Type, shape []int) (*Tensor, error) {
	return s.makeOf(typ, shape, s.spared)
}

// makeOf is make, with memory of a function's, or new memory if that has none.
func (s *Scope) makeOf(typ Type, shape []int, spared func(bytes int) *memory) (*Tensor, error) {
	if err := checkShape(typ, shape); err != nil {
		return nil, err
	}
	v := tensorop.Dense(typ.op(), shape...)
	bytes := v.Elements() * typ.Size()
	m := spared(bytes)
	if m == nil {
		var err error
		if m, err = newMemory(s.engine.acc, bytes); err != nil {
			return nil, err
		}
	}
	return &Tensor{engine: s.engine, view: v, owner: &owner{mem: m}}, nil
}

// own makes the scope close a tensor.
func (s *Scope) own(t *Tensor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		t.Close()
		return fmt.Errorf("the scope: %w", compute.ErrClosed)
	}
	s.owned = append(s.owned, t)
	return nil
}

// one is run for an operation with one result.
func (s *Scope) one(op string, flops float64, typ Type, shape []int, in []*Tensor,
	build func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand)) *Tensor {
	return s.oneOf(op, flops, nil, typ, shape, in, build)
}

// oneOf is one for an operation that other backends may have.
func (s *Scope) oneOf(op string, flops float64, spec any, typ Type, shape []int, in []*Tensor,
	build func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand)) *Tensor {
	o := &operation{name: op, flops: flops, spec: spec,
		build: func(b *tensorop.Builder, out, in []tensorop.Operand) { build(b, out[0], in) }}
	made, err := s.runOperation(o, []shaped{{typ, shape}}, in)
	if err != nil {
		return s.fail(op, in, err)
	}
	return made[0]
}

// callSite returns " at file:line" for the program's call, for errors.
func callSite() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	self := reflect.TypeFor[Scope]().PkgPath() + "."
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, self) || strings.HasSuffix(f.File, "_test.go") {
			if f.File == "" {
				return ""
			}
			return fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

func errNil() error { return fmt.Errorf("no tensor: %w", compute.ErrNil) }

func errEngineClosed() error { return fmt.Errorf("the engine: %w", compute.ErrClosed) }
