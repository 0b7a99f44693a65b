package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/simd/float16"
)

// Ops holds the kernels of one accelerator, compiled at first use. It is safe for concurrent use.
type Ops struct {
	acc    *compute.Accelerator
	own    *backend.Own
	others []other
	closed atomic.Bool

	mu    sync.RWMutex
	plans map[call]*tensorop.Plan
}

// other is a backend that the program added.
type other struct {
	name string
	backend.Backend
}

// Option configures operations.
type Option func(*Ops)

// AddBackends is the option that mpsbackend.ForOps returns; its parameters are internal.
func AddBackends(makers ...backend.Maker) Option {
	return func(o *Ops) {
		for _, m := range makers {
			if m.Same(o.acc) {
				continue
			}
			if b, err := m.Make(o.acc); err == nil { // else the machine does not have it
				o.others = append(o.others, other{m.Name, b})
			}
		}
	}
}

// New returns the operations for an accelerator. Close them when done.
func New(acc *compute.Accelerator, options ...Option) *Ops {
	o := &Ops{acc: acc, own: backend.NewOwn(acc, errClosed()), plans: map[call]*tensorop.Plan{}}
	for _, option := range options {
		if option != nil {
			option(o)
		}
	}
	return o
}

func errClosed() error { return fmt.Errorf("ops: %w", compute.ErrClosed) }

// missing reports whether the operations are nil or were not made by [New].
func (o *Ops) missing() bool { return o == nil || o.own == nil }

// Close releases the kernels. Later operations fail with [compute.ErrClosed]; work already enqueued
// on a stream still runs.
func (o *Ops) Close() {
	if o.missing() || o.closed.Swap(true) {
		return
	}
	o.own.Close()
	for _, b := range o.others {
		b.Close()
	}
}

// operand is an array of any type.
type operand struct {
	layout
	buffer backend.Buffer
}

// layout is the type of an array and where its elements are. It can be compared.
type layout struct {
	typ            tensorop.Type
	rank           int
	shape, strides [maxDims]int
}

// operand returns an array for a plan.
func (a Array[T]) operand() operand {
	l := layout{typ: typeOf[T](), rank: len(a.Shape)}
	copy(l.shape[:], a.Shape)
	copy(l.strides[:], a.Strides)
	return operand{l, a.Buffer}
}

func (l *layout) view() tensorop.View {
	return tensorop.View{Type: l.typ, Shape: l.shape[:l.rank], Strides: l.strides[:l.rank]}
}

// call is an operation on arrays, the result first, from which its plan follows.
type call struct {
	op     string
	arrays [3]layout
}

func newCall(op string, out operand, in ...operand) call {
	c := call{op: op, arrays: [3]layout{out.layout}}
	for i, a := range in {
		c.arrays[i+1] = a.layout
	}
	return c
}

// maxPlans is how many plans are kept: those of a program, unless its shapes keep changing.
const maxPlans = 1024

// plan returns the plan of a call.
func (o *Ops) plan(c call, operands int, build builder) (*tensorop.Plan, error) {
	o.mu.RLock()
	p := o.plans[c]
	o.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	var views []tensorop.View
	for i := range operands {
		views = append(views, c.arrays[i+1].view())
	}
	b, in, out := tensorop.NewBuilder(views, []tensorop.View{c.arrays[0].view()})
	build(b, out[0], in)
	p, err := b.Plan()
	if err != nil {
		return nil, fmt.Errorf("ops: %w: %w", err, ErrShape)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.plans) == maxPlans {
		clear(o.plans)
	}
	o.plans[c] = p
	return p, nil
}

// builder writes an operation, whose name says all that its plan depends on but the arrays.
type builder func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand)

// run enqueues an operation on arrays that fit.
func (o *Ops) run(ctx context.Context, s *compute.Stream, op string, build builder, out operand,
	in ...operand) error {
	if o.missing() {
		return fmt.Errorf("ops: the operations are nil or were not made by New: %w", compute.ErrNil)
	}
	p, err := o.plan(newCall(op, out, in...), len(in), build)
	if err != nil {
		return err
	}
	buffers := make([]backend.Buffer, 0, 3)
	for _, a := range in {
		buffers = append(buffers, a.buffer)
	}
	return o.own.Run(ctx, s, p, append(buffers, out.buffer))
}

// typeOf returns the type of elements.
func typeOf[T any]() tensorop.Type {
	switch any(*new(T)).(type) {
	case float32:
		return tensorop.Float32
	case float16.Half:
		return tensorop.Float16
	case float16.BFloat16:
		return tensorop.BFloat16
	case int8:
		return tensorop.Int8
	case int32:
		return tensorop.Int32
	case uint32:
		return tensorop.Uint32
	}
	return 0
}

// same checks that arrays have the same shape.
func same(what string, shapes ...[]int) error {
	for _, s := range shapes[1:] {
		if !slices.Equal(s, shapes[0]) {
			return fmt.Errorf("ops: %s: shapes %v must be equal; see Array.Broadcast: %w", what,
				shapes, ErrShape)
		}
	}
	return nil
}

// first returns the first error of several.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var errKind = errors.New("unknown operation")
