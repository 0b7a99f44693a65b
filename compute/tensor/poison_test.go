package tensor_test

import (
	"context"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var poisonPrograms = flag.Int("poison.programs", 12, "how many random programs TestPoisoned runs")

// inject sets the faults of a device, or skips the test where there are none.
func inject(t *testing.T, a *compute.Accelerator, f softmetal.Faults) {
	t.Helper()
	rt := softmetal.Opened()
	if rt == nil {
		t.Skip("only the software device has faults to inject")
	}
	require.NoError(t, softmetal.Inject(rt, objcsoft.ID(a.Device().ID()), f))
}

// poisonProgram is a run of a program of random operations, which a seed decides: each run of it
// has the same operations and reads.
type poisonProgram struct {
	e   *tensor.Engine
	r   *rand.Rand
	dir string // for files

	// before and after surround the work of each operation, which it numbers. after reports whether
	// a command of it has failed, if the run knows that.
	before func(operation int)
	after  func(operation int) (failed bool)

	all    []poisonEntry
	used   []int // the memories that the operation reads
	alias  bool  // the operation's result is in the memory that it used last
	kept   []*tensor.Tensor
	failed []bool // by memory: it has elements of a failed command, or what depends on one
	synced bool   // a failure has been returned by Sync
	reads  []poisonRead
}

// poisonEntry is a Float32 tensor [4 4], which may be a view.
type poisonEntry struct {
	x      *tensor.Tensor
	memory int
}

// poisonRead is what a read gave.
type poisonRead struct {
	by     string
	values []float64
	err    error
	failed bool // what it depends on has failed, if the run knows that
}

// source adds a tensor with numbers of the host.
func (p *poisonProgram) source(s *tensor.Scope) {
	data := make([]float32, 16)
	for i := range data {
		data[i] = float32(p.r.IntN(9)) / 4
	}
	p.add(tensor.Of(s, data, 4, 4), false)
}

// add adds a tensor with memory of its own.
func (p *poisonProgram) add(x *tensor.Tensor, failed bool) {
	p.all = append(p.all, poisonEntry{x, len(p.failed)})
	p.failed = append(p.failed, failed)
}

// choose returns an entry, later ones more often.
func (p *poisonProgram) choose() poisonEntry {
	n := len(p.all)
	return p.all[max(p.r.IntN(n), p.r.IntN(n))]
}

// pick returns an operand of an operation.
func (p *poisonProgram) pick() *tensor.Tensor {
	c := p.choose()
	p.used = append(p.used, c.memory)
	switch p.r.IntN(6) {
	case 0:
		return c.x.Transpose()
	case 1:
		return c.x.Flip(1)
	}
	return c.x
}

func (p *poisonProgram) operand(*tensor.Scope) *tensor.Tensor { return p.pick() }

// shaped returns an operand with a shape of at most 16 elements.
func (p *poisonProgram) shaped(s *tensor.Scope, shape ...int) *tensor.Tensor {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return s.Reshape(p.pick(), 16).Slice(0, 0, n).Reshape(shape...)
}

// indices returns indices of a dimension, [4 4].
func (p *poisonProgram) indices(s *tensor.Scope) *tensor.Tensor {
	return s.FloorMod(s.Cast(p.pick(), tensor.Int32), tensor.Scalar(4))
}

// packed returns packed weights: a Float32 [4 4], or 16 rows of 8 ternary weights.
func (p *poisonProgram) packed(s *tensor.Scope, f tensor.Format) *tensor.Packed {
	data, rows, columns := s.Contiguous(p.pick()), 4, 4
	if f == tensor.I2_S {
		data, rows, columns = s.Tile(data, 1, 4).Reshape(64).Slice(0, 0, 16), 16, 8
	}
	w, err := tensor.NewPacked(f, data, rows, columns)
	if err != nil {
		return nil // the scope has failed
	}
	return w
}

// recurrence returns a network of 4 inputs and 2 units.
func (p *poisonProgram) recurrence(s *tensor.Scope, gates int) tensor.Recurrence {
	return tensor.Recurrence{InputWeights: s.Tile(p.shaped(s, 2, 4), gates, 1),
		Weights: s.Tile(p.shaped(s, 2, 2), gates, 1), State: p.shaped(s, 2, 2)}
}

// matrix returns the elements of a result as a Float32 [4 4].
func matrix(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
	if x.Err() != nil {
		return x
	}
	if x.Type() != tensor.Float32 {
		x = s.Cast(x, tensor.Float32)
	}
	if shape := x.Shape(); len(shape) == 2 && shape[0] == 4 && shape[1] == 4 {
		return x
	}
	x = s.Reshape(x, -1)
	if n := x.Len(); n < 16 {
		x = s.Tile(x, (15+n)/n)
	}
	return x.Slice(0, 0, 16).Reshape(4, 4)
}

// read reads an entry by any reader.
func (p *poisonProgram) read(ctx context.Context, c poisonEntry, names []string) {
	by := names[p.r.IntN(len(names))]
	if strings.HasPrefix(by, "Save") && p.r.IntN(16) > 0 { // files are slow
		by = "Data"
	}
	v, err := readers[by](ctx, p, c.x)
	p.reads = append(p.reads, poisonRead{by, v, err, p.failed[c.memory]})
}

// run runs the program, which fails in part if the scope fails.
func (p *poisonProgram) run(ctx context.Context, ops []func(*poisonProgram, *tensor.Scope) *tensor.Tensor) error {
	s := p.e.Scope(ctx)
	defer func() {
		s.Close()
		for _, x := range p.kept {
			x.Close()
		}
	}()
	names := slices.Sorted(maps.Keys(readers))
	p.source(s)
	p.source(s)
	for i := range 7 + p.r.IntN(6) {
		if p.r.IntN(5) == 0 {
			p.source(s)
		}
		p.used, p.alias = p.used[:0], false
		p.before(i)
		x := matrix(s, ops[p.r.IntN(len(ops))](p, s))
		failed := p.after(i)
		if err := s.Err(); err != nil {
			return err
		}
		for _, m := range p.used {
			failed = failed || p.failed[m]
		}
		if p.alias {
			m := p.used[len(p.used)-1]
			p.failed[m] = failed
			p.all = append(p.all, poisonEntry{x, m})
		} else {
			p.add(x, failed)
		}
		if p.r.IntN(4) == 0 {
			p.read(ctx, p.choose(), names)
		}
	}
	for _, c := range p.all {
		p.read(ctx, c, names)
	}
	return nil
}

// sameNumbers reports whether two lists have the same numbers; NaN is the same as NaN.
func sameNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// TestPoisoned: in programs of random operations, of which some commands fail, each read gives the
// value of a run without faults, or an error. It gives an error only if a command failed, and where
// the failed operations are known, only if the value depends on one of them, and then always.
func TestPoisoned(t *testing.T) {
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("operations read what failed commands should have written, and PUREMETAL_SANITIZE logs that")
	}
	acc := computetest.Open(t)
	inject(t, acc, softmetal.Faults{}) // skips where there are none
	e, err := tensor.New(acc)
	require.NoError(t, err)
	ops, names := operations(t)
	ctx, dir := t.Context(), t.TempDir()
	program := func(seed uint64) *poisonProgram {
		return &poisonProgram{e: e, r: rand.New(rand.NewPCG(seed, 1)), dir: dir, before: func(int) {},
			after: func(int) bool { return false }}
	}
	begin, failed, right := time.Now(), 0, 0
	// judge compares a run with that without faults.
	judge := func(seed uint64, want, got *poisonProgram, err error) {
		if err != nil { // of an operation's call
			require.ErrorIs(t, err, compute.ErrExecution, "program %d", seed)
		} else {
			require.Len(t, got.reads, len(want.reads), "program %d", seed)
		}
		for i, r := range got.reads {
			if r.err != nil {
				require.ErrorIs(t, r.err, compute.ErrExecution, "program %d, read %d by %s", seed, i, r.by)
				failed++
				continue
			}
			right++
			if !sameNumbers(want.reads[i].values, r.values) {
				require.Equal(t, want.reads[i].values, r.values, "program %d, read %d by %s", seed, i, r.by)
			}
		}
	}
	for seed := range uint64(*poisonPrograms) {
		if seed%250 == 249 {
			t.Logf("%d programs in %v: %d reads were right, %d failed", seed+1, time.Since(begin), right, failed)
		}
		want := program(seed)
		require.NoError(t, want.run(ctx, ops), "program %d", seed)
		for i, r := range want.reads {
			require.NoError(t, r.err, "program %d without faults, read %d by %s", seed, i, r.by)
		}

		// Any commands fail.
		inject(t, acc, softmetal.Faults{CommandEvery: 2 + int(seed%7), CommandCode: 9})
		got := program(seed)
		err := got.run(ctx, ops)
		inject(t, acc, softmetal.Faults{})
		judge(seed, want, got, err)
		if e.Sync(ctx) == nil && !got.synced {
			require.NoError(t, err)
			for i, r := range got.reads {
				require.NoError(t, r.err, "program %d without a failed command, read %d by %s", seed, i, r.by)
			}
		}

		// Those of one operation fail.
		got = program(seed)
		at := int(seed % 7)
		got.before = func(i int) {
			if i == at {
				require.NoError(t, e.Sync(ctx), "program %d before operation %d", seed, i)
				inject(t, acc, softmetal.Faults{CommandEvery: 1, CommandCode: 9})
			}
		}
		got.after = func(i int) bool {
			if i != at {
				return false
			}
			err := e.Sync(ctx)
			inject(t, acc, softmetal.Faults{})
			return err != nil
		}
		err = got.run(ctx, ops)
		judge(seed, want, got, err)
		for i, r := range got.reads {
			require.Equal(t, r.failed, r.err != nil, "program %d, read %d by %s: %v", seed, i, r.by, r.err)
		}
		require.NoError(t, e.Sync(ctx))
	}
	assert.Positive(t, failed)
	assert.Positive(t, right)
	t.Logf("%d programs of %d operations in %v: %d reads were right, %d failed", *poisonPrograms, len(names),
		time.Since(begin), right, failed)
	require.NoError(t, e.Close(ctx))
}

// TestPoisonOperations: TestPoisoned calls all operations with operands that they take.
func TestPoisonOperations(t *testing.T) {
	e, err := tensor.New(computetest.Open(t))
	require.NoError(t, err)
	ops, names := operations(t)
	s := e.Scope(t.Context())
	for i, op := range ops {
		p := &poisonProgram{e: e, r: rand.New(rand.NewPCG(uint64(i), 1))}
		p.source(s)
		p.source(s)
		x := matrix(s, op(p, s))
		require.NoError(t, s.Err(), names[i])
		require.Equal(t, []int{4, 4}, x.Shape(), names[i])
		for _, k := range p.kept {
			k.Close()
		}
	}
	s.Close()
	require.NoError(t, e.Close(t.Context()))
}

// TestCloseAfterFailure: Close releases everything although an operation has failed, and returns
// that failure once.
func TestCloseAfterFailure(t *testing.T) {
	acc := computetest.Open(t) // its end finds what is open
	inject(t, acc, softmetal.Faults{})
	e, err := tensor.New(acc)
	require.NoError(t, err)
	s := e.Scope(t.Context())
	x := tensor.Of(s, []float32{1, 2}, 2)
	require.NoError(t, s.Err())
	inject(t, acc, softmetal.Faults{CommandEvery: 1, CommandCode: 9})
	s.Add(x, x)
	require.ErrorIs(t, e.Close(t.Context()), compute.ErrExecution)
	inject(t, acc, softmetal.Faults{})
	s.Close()
	require.NoError(t, e.Close(t.Context()), "again")
}
