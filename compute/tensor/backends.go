package tensor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
)

// Own is the name of the backend of this library's own kernels, which has every operation.
const Own = backend.OwnName

// BackendVariable is the environment variable that forces a backend as [WithBackend] does, which
// overrides it.
const BackendVariable = "PUREMETAL_TENSOR_BACKEND"

// WithBackend forces a backend by its name: [Own], or one that the program added, such as "mps" and
// "mpsgraph" of package mpsbackend. It computes each operation that it can, and Own the others;
// [Engine.Explain] says which. New fails if there is no such backend, or if the machine does not
// have it.
func WithBackend(name string) Option {
	return func(e *Engine) error {
		e.force, e.forcedBy = name, "WithBackend"
		return nil
	}
}

// AddBackends is the option that mpsbackend.With returns; its parameters are internal.
func AddBackends(makers ...backend.Maker) Option {
	return func(e *Engine) error {
		for _, m := range makers {
			if m.Name == Own || slices.ContainsFunc(e.others, func(o *other) bool { return o.name == m.Name }) {
				return fmt.Errorf("tensor: the backend %q is added twice: %w", m.Name, compute.ErrOption)
			}
			e.others = append(e.others, &other{name: m.Name, maker: m})
		}
		return nil
	}
}

// other is a backend that the program added.
type other struct {
	name  string
	maker backend.Maker
	backend.Backend
	missing error // why the machine does not have it
}

// refuse returns why the backend does not compute a call, or "".
func (o *other) refuse(c *backend.Call) string {
	if o.missing != nil {
		return "the machine does not have it: " + o.missing.Error()
	}
	return o.Refuse(c)
}

// openBackends makes the backends that were added, and checks the name of the forced one.
func (e *Engine) openBackends() error {
	if e.forcedBy == "" {
		e.force, e.forcedBy = os.Getenv(BackendVariable), BackendVariable
	}
	names := []string{Own}
	known := e.force == "" || e.force == Own
	for _, o := range e.others {
		if o.Backend, o.missing = o.maker.Make(e.acc); o.missing != nil && e.force == o.name {
			return fmt.Errorf("tensor: %s: backend %q: %w", e.forcedBy, e.force, o.missing)
		}
		known = known || e.force == o.name
		names = append(names, o.name)
	}
	if !known {
		return fmt.Errorf("tensor: %s: no backend %q, the program has %s; package mpsbackend adds mps and mpsgraph: %w",
			e.forcedBy, e.force, strings.Join(names, ", "), compute.ErrOption)
	}
	return nil
}

func (e *Engine) closeBackends() {
	for _, o := range e.others {
		if o.Backend != nil {
			o.Close()
		}
	}
}

// call returns an operation as backends see it.
func (o *operation) call() *backend.Call {
	c := &backend.Call{Spec: o.spec}
	for i, t := range append(o.inputs[:len(o.inputs):len(o.inputs)], o.outputs...) {
		operand := backend.Operand{View: t.view, Buffer: o.buffers[i]}
		if i < len(o.inputs) {
			c.In = append(c.In, operand)
		} else {
			c.Out = append(c.Out, operand)
		}
	}
	return c
}

// choose returns the backend for an operation, nil for own, with the reason.
func (e *Engine) choose(o *operation, c *backend.Call) (*other, string) {
	switch {
	case len(e.others) == 0:
		return nil, "the program adds no other backend"
	case o.spec == nil:
		return nil, "no other backend has the operation"
	case e.force == Own:
		return nil, "forced by " + e.forcedBy
	}
	var able []*other
	var refusals []string
	same := false
	for _, b := range e.others {
		why := b.refuse(c)
		switch {
		case why != "" && e.force == b.name:
			return nil, fmt.Sprintf("%s, forced by %s, refuses: %s", b.name, e.forcedBy, why)
		case why != "":
			refusals = append(refusals, b.name+": "+why)
		case b.maker.Same(e.acc) && e.force == b.name:
			return nil, fmt.Sprintf("%s, forced by %s, has the same kernels on the software device", b.name, e.forcedBy)
		case b.maker.Same(e.acc):
			same = true
		case e.force == b.name:
			return b, "forced by " + e.forcedBy
		default:
			able = append(able, b)
		}
	}
	switch {
	case len(able) == 0 && same:
		return nil, "by rule: on the software device all backends run the same kernels"
	case len(able) == 0:
		return nil, strings.Join(refusals, "; ")
	}
	names := []string{Own}
	for _, b := range able {
		names = append(names, b.name)
	}
	name, why := e.crossover.choose(o.sort(), names)
	if k := o.sort(); name == "" {
		name, why = backend.Rule(k.op, k.log2, names)
	}
	for _, b := range able {
		if b.name == name {
			return b, why
		}
	}
	return nil, why
}

// execute enqueues an operation on the backend that is chosen for it.
func (e *Engine) execute(ctx context.Context, o *operation) error {
	var c *backend.Call
	if o.spec != nil && len(e.others) > 0 {
		c = o.call()
	}
	b, why := e.choose(o, c)
	if err := e.runOn(ctx, b, o, c); err != nil {
		return err
	}
	e.choices.add(o.sort(), b, why)
	return nil
}

// runOn enqueues an operation on a backend, nil for own.
func (e *Engine) runOn(ctx context.Context, b *other, o *operation, c *backend.Call) error {
	if b == nil {
		return e.executor.run(ctx, e.stream, o)
	}
	if err := e.open(); err != nil {
		return err
	}
	if err := b.Run(ctx, e.stream, c); err != nil {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	return nil
}

// try enqueues an operation on the backend that its trial says, unless that refuses it.
func (e *Engine) try(ctx context.Context, o *operation) error {
	t, c := o.trial, o.call()
	t.sort = o.sort()
	if t.refused = t.backend != nil && (o.spec == nil || t.backend.refuse(c) != ""); t.refused {
		return nil
	}
	return e.runOn(ctx, t.backend, o, c)
}

// sort is what the choice of a backend depends on, but for what they refuse: an operation, the type
// of its first operand, or of its result if it has none, and the size.
type sort struct {
	op   string
	typ  Type
	log2 int // of the number of operations
}

func (o *operation) sort() sort {
	first := o.outputs
	if len(o.inputs) > 0 {
		first = o.inputs
	}
	return sort{o.name, first[0].Type(), backend.Log2(o.flops)}
}

// Choice is what computed some calls of an operation, and why.
type Choice struct {
	Op      string
	Type    Type // of the first operand
	Log2    int  // of the number of operations, rounded down
	Backend string
	Reason  string
	Calls   uint64
}

// String returns one line.
func (c Choice) String() string {
	return fmt.Sprintf("%s of %v, 2^%d operations, %d calls: %s, %s", c.Op, c.Type, c.Log2, c.Calls, c.Backend,
		c.Reason)
}

// LogValue returns the choice as a group.
func (c Choice) LogValue() slog.Value {
	return slog.GroupValue(slog.String("op", c.Op), slog.String("type", c.Type.String()), slog.Int("log2", c.Log2),
		slog.String("backend", c.Backend), slog.String("reason", c.Reason), slog.Uint64("calls", c.Calls))
}

// Explain returns which backends computed the operations so far, and why: by force, by rule, by the
// times of [Engine.Calibrate], or because others refused them. It is sorted by operation, type and
// size.
func (e *Engine) Explain() []Choice {
	if e.missing() {
		return nil
	}
	return e.choices.list()
}

// choices count what was chosen.
type choices struct {
	mu    sync.Mutex
	calls map[Choice]uint64 // with Calls 0
}

// maxChoices bounds the different choices that are counted; there are a few hundred at most, unless
// a reason contains an error that changes.
const maxChoices = 1 << 12

func (c *choices) add(s sort, b *other, why string) {
	k := Choice{Op: s.op, Type: s.typ, Log2: s.log2, Backend: Own, Reason: why}
	if b != nil {
		k.Backend = b.name
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[Choice]uint64{}
	}
	if _, ok := c.calls[k]; !ok && len(c.calls) == maxChoices {
		return
	}
	c.calls[k]++
}

func (c *choices) list() (all []Choice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.calls {
		k.Calls = n
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Log2, b.Log2),
			cmp.Compare(a.Backend, b.Backend), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}
