package msl

import (
	"context"
	"sync"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/lower"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// Program is a checked program whose entry points are lowered on demand. Its methods are safe for
// concurrent use.
type Program struct {
	// Files resolves the positions in diagnostics.
	Files *diag.FileSet
	// Kernels are the names of the entry points that compile, in source order.
	Kernels []string
	// Constants, Visible, Skipped and SkippedStages are as in Module.
	Constants     []Constant
	Visible       []ir.VisibleFunction
	Skipped       []string
	SkippedStages []string

	opts   Options
	mu     sync.Mutex // held while an entry point is lowered
	unit   *lower.Unit
	byName map[string]*typed.Kernel
	kept   map[string]*ir.Func // lowered by Check and not requested yet
}

// keepBytes limits the memory a Program spends on keeping entry points that Check lowered to find
// errors. The others are lowered again on demand.
const keepBytes = 32 << 20

// Check compiles a program except for lowering its entry points. It reports everything that Compile
// reports, except that the entry points together exceed their budget: Kernel reports that for the
// one that exceeds it. The Program is never nil.
func Check(ctx context.Context, src Source, opts Options) (*Program, []diag.Diagnostic) {
	p := &Program{Files: diag.NewFileSet(), opts: opts, byName: map[string]*typed.Kernel{}, kept: map[string]*ir.Func{}}
	return p, guarded(opts.front(ctx, src), p.Files, opts, func(sink *diag.Sink) { p.check(ctx, src, sink) })
}

func (p *Program) check(ctx context.Context, src Source, sink *diag.Sink) {
	main := added(ctx, p.Files, src, sink)
	if main == nil {
		return
	}
	prog := checked(ctx, p.Files, main, p.opts, sink)
	if prog == nil {
		return
	}
	p.Skipped, p.SkippedStages = skipped(prog)
	if sink.Errors() > 0 || canceled(ctx, sink) {
		return
	}
	p.Constants = constantsOf(prog)
	p.unit = lower.NewUnit(prog, p.opts.lowering())
	p.Visible = p.unit.Visible()
	var bytes int64
	kernels := p.unit.Check(ctx, sink, func(f *ir.Func) {
		if bytes += f.Bytes(); bytes <= keepBytes {
			p.kept[f.Name] = f
		}
	})
	if canceled(ctx, sink) {
		return
	}
	for _, k := range kernels {
		p.Kernels = append(p.Kernels, k.HostName)
		p.byName[k.HostName] = k
	}
}

// Kernel lowers one entry point into a module of its own. If the entry point cannot be lowered, it
// returns nil and the diagnostics; for an unknown name it returns nil and none. If ctx ends first,
// it returns nil and a diagnostic, and the next call starts over.
func (p *Program) Kernel(ctx context.Context, name string) (f *ir.Func, diags []diag.Diagnostic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.byName[name]
	if k == nil {
		return nil, nil
	}
	if f := p.kept[name]; f != nil {
		delete(p.kept, name)
		return f, nil
	}
	diags = guarded(budget.New(ctx, "the front end", budget.Limits{}), p.Files, p.opts, func(sink *diag.Sink) {
		f = p.unit.Kernel(ctx, k, sink)
		if canceled(ctx, sink) {
			f = nil
		}
	})
	return f, diags
}
