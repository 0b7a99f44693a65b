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

// divergence warns about barriers that only some threads of a threadgroup may reach.
func (l *lowerer) divergence() {
	if len(l.watched) == 0 {
		return
	}
	u := l.f.Uniformity()
	l.f.Body.Walk(func(in *ir.Instr) bool {
		b, ok := l.watched[in]
		left := u.Returned[in]
		if !ok || u.Flow[in] <= ir.SharedByThreadgroup && left == nil {
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
