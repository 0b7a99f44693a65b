package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Compile compiles the ranges of a program that it can: all of it as one if possible, which then
// runs rows of threadgroups.
func Compile(p *lir.Program, o Options) []Compiled {
	if !regular(p) {
		return nil
	}
	f := plan.NewFacts(p, o.Target())
	if to, ok := plan.RowEnd(f.Program); ok {
		f.Row = true
		if list := f.Candidates(o.forced()); plan.IsWhole(list, to) {
			if done := compileAll(f, list, o, nil); len(done) == 1 && done[0].To == to {
				return done
			}
		}
		f.Row = false
	}
	halves := func(x plan.Candidate) []plan.Candidate { return f.Halves(x, o.forced()) }
	return compileAll(f, f.Candidates(o.forced()), o, halves)
}

// compileAll compiles ranges, and what halves, if it is not nil, makes of one whose code is too
// long.
func compileAll(f *plan.Facts, list []plan.Candidate, o Options,
	halves func(plan.Candidate) []plan.Candidate) (done []Compiled) {
	for _, x := range list {
		p := x.By
		var by *compiler
		var out Code
		if !slices.ContainsFunc(x.Ways, func(w plan.Way) (ok bool) {
			var err error
			if by, out, err = newCompiler(p, o).compileRange(w.Block); err != nil {
				p = plan.New(f, x.From, x.To, o.Spill, x.By.Usage)
			}
			return err == nil
		}) {
			instead := x.Instead
			if len(instead) == 0 && halves != nil {
				instead = halves(x)
			}
			done = append(done, compileAll(f, instead, o, halves)...)
			continue
		}
		one := Compiled{Description: by.r, Code: out}
		if out.Parts == nil {
			one.CompileParts = by.whole
		}
		done = append(done, one)
	}
	return done
}
