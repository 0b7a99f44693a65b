package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// watched is the source position of a barrier or a return of an entry point.
type watched struct {
	pos   diag.Pos
	calls []*typed.Func // inlined calls around it, outermost first
}

// watch records a barrier or a return for divergence.
func (l *lowerer) watch(in *ir.Instr) {
	if !l.opts.WarnDivergent || in.Op != ir.OpBarrier && in.Op != ir.OpReturn {
		return
	}
	if l.watched == nil {
		l.watched = map[*ir.Instr]watched{}
	}
	l.watched[in] = watched{l.at, slices.Clone(l.calls[1:])}
}

// tileBarrier emits a barrier of the threadgroup on behalf of a tile of several simdgroups. There
// is no barrier of some simdgroups, so all threads of the threadgroup must be there.
func (l *lowerer) tileBarrier(threads int64) {
	in := l.b.Barrier(ir.OpBarrier, ir.MemDevice|ir.MemThreadgroup|ir.MemTexture, ir.Relaxed)
	if l.tiles == nil {
		l.tiles = map[*ir.Instr]tile{}
	}
	pos := l.at
	for i := len(l.places) - 1; i > 0 && l.prog.Files != nil && l.prog.Files.Position(pos).File[0] == '<'; i-- {
		pos = l.places[i]
	}
	l.tiles[in] = tile{pos, threads}
}

// outside returns the place of the call, outside of the compiler's headers, that a place is in.
func (l *lowerer) outside(loc ir.Loc) ir.Loc {
	for loc.Scope > 0 && loc.File > 0 && l.out.Files[loc.File-1][0] == '<' {
		loc = l.f.Inlined[loc.Scope-1].At
	}
	return loc
}

// tile is a barrier of a tile.
type tile struct {
	pos     diag.Pos
	threads int64
}

// checkTiles reports tiles that only some threads of the threadgroup may use.
func (l *lowerer) checkTiles() {
	if len(l.tiles) == 0 {
		return
	}
	u := l.f.Uniformity()
	l.f.Body.Walk(func(in *ir.Instr) bool {
		if t, ok := l.tiles[in]; ok && u.Flow[in] > ir.SharedByThreadgroup {
			l.fail(diag.TileFlow, t.pos, "a tile of %d threads is used where threads of the threadgroup may have diverged: "+
				"tiles of more than %d threads need all threads of the threadgroup, because Metal has no barrier of some "+
				"simdgroups", t.threads, ir.SimdWidth)
		}
		return true
	})
}

// divergence warns about barriers that only some threads of a threadgroup may reach.
func (l *lowerer) divergence() {
	if len(l.watched) == 0 {
		return
	}
	u := l.f.Uniformity()
	l.f.Body.Walk(func(in *ir.Instr) bool {
		b, ok := l.watched[in]
		left := u.Returned[in]
		if !ok || in.Op == ir.OpReturn || u.Flow[in] <= ir.SharedByThreadgroup && left == nil {
			return true
		}
		d := diag.Warnf(diag.DivergentBarrier, b.pos, diag.NoPos,
			"barrier in divergent control flow: all threads of the threadgroup must reach it")
		if left != nil {
			d = d.WithNote(l.watched[left].pos, diag.NoPos, "threads that return here do not reach it")
		}
		for i, f := range slices.Backward(b.calls) {
			if i < 8 {
				d = d.WithNote(f.Pos, diag.NoPos, "in '%s', which is inlined", f.Name)
			}
		}
		l.sink.Report(d.WithNote(l.k.Func.Pos, diag.NoPos, "in entry point '%s'", l.k.HostName))
		return true
	})
}
