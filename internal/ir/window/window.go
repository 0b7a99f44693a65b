// Package window rewrites kernels so that a launch can execute a part of a grid as if it were
// within the whole: positions and sizes are those of the whole grid. Metal has no such launches.
package window

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
)

// The window is a buffer of four vectors of three words, each of which takes 16 bytes: the position
// of the window's first thread and of its first threadgroup, and the threads and threadgroups of
// the whole grid.
const (
	FirstThread = 0
	FirstGroup  = 16
	GridThreads = 32
	GridGroups  = 48
	Size        = 64
)

// maxBuffers is the number of buffers that a kernel may have.
const maxBuffers = 31

// Rewrite returns a copy of a kernel that has its window in a buffer, and the index of the buffer.
// Parts of a kernel that synchronizes the grid cannot run one after another: that is an error.
func Rewrite(f *ir.Func) (rewritten *ir.Func, buffer int, err error) {
	if f.HasGridBarrier() {
		return nil, 0, fmt.Errorf("kernel %q synchronizes its grid", f.Name)
	}
	f = f.Clone()
	used := map[int]bool{}
	for i := range f.Args {
		if a := &f.Args[i]; a.Kind == ir.ArgBuffer || a.Kind == ir.ArgFunctionTable {
			used[a.Index] = true
		}
	}
	for buffer = maxBuffers - 1; used[buffer]; buffer-- {
		if buffer == 0 {
			return nil, 0, fmt.Errorf("kernel %q uses all %d buffers, and its parts need one more", f.Name, maxBuffers)
		}
	}
	f.Args = append(f.Args, ir.Arg{Kind: ir.ArgBuffer, Index: buffer, Name: "grid_window", Type: "uint", Space: "constant",
		Access: "read", Size: Size, Align: 16, Active: true})
	w := &rewriter{b: ir.NewBuilder(f), arg: len(f.Args) - 1}
	w.region(f.Body)
	return f, buffer, nil
}

// rewriter replaces the inputs that depend on the grid.
type rewriter struct {
	b   *ir.Builder
	arg int // the number of the window's argument
}

func (w *rewriter) region(r *ir.Region) {
	old := r.Instrs
	r.Instrs = nil
	for _, in := range old {
		for _, sub := range in.Regions {
			w.region(sub)
		}
		if in.Op == ir.OpIn {
			w.b.SetLoc(in.Loc)
			w.b.In(r, func() { w.input(in) })
		}
		r.Instrs = append(r.Instrs, in)
	}
}

// input makes an input one of the whole grid.
func (w *rewriter) input(in *ir.Instr) {
	switch i := ir.Input(in.Imm); i {
	case ir.ThreadPositionInGrid:
		w.shift(in, i, FirstThread)
	case ir.ThreadgroupPositionInGrid:
		w.shift(in, i, FirstGroup)
	case ir.ThreadsPerGrid, ir.GridSize:
		in.Op, in.Imm, in.Args = ir.OpLoad, 0, []*ir.Value{w.field(GridThreads)}
	case ir.ThreadgroupsPerGrid:
		in.Op, in.Imm, in.Args = ir.OpLoad, 0, []*ir.Value{w.field(GridGroups)}
	}
}

// shift adds a vector of the window to a position in the part.
func (w *rewriter) shift(in *ir.Instr, i ir.Input, at int64) {
	first := w.b.Load(i.Type(), w.field(at))
	in.Op, in.Imm, in.Args = ir.OpAdd, 0, []*ir.Value{w.b.Input(i), first}
}

func (w *rewriter) field(at int64) *ir.Value {
	return w.b.Field(w.b.Arg(w.arg, ir.PointerTo(ir.Constant)), at)
}

// Waits reports whether a kernel may wait for other threadgroups: it loads an atomic in a loop. It
// does not see waits by other means.
func Waits(f *ir.Func) (at ir.Loc, waits bool) { return waitsIn(f.Body, false) }

func waitsIn(r *ir.Region, loop bool) (at ir.Loc, waits bool) {
	for _, in := range r.Instrs {
		if loop && in.Op == ir.OpAtomicLoad && in.Args[0].Type.Space == ir.Device {
			return in.Loc, true
		}
		for _, sub := range in.Regions {
			if at, waits = waitsIn(sub, loop || in.Op == ir.OpLoop); waits {
				return at, true
			}
		}
	}
	return at, false
}
