//go:build !puremetal_nosoftware

package plainmetal

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/bindless"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/ir/split"
	"github.com/puremetal/puremetal/internal/ir/window"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/lower"
)

func (o *Options) compiler() msl.Options {
	c := msl.Options{Defines: o.Macros, MetalVersion: o.Language, Math: lower.Fast}
	switch {
	case o.Safe || o.Precise:
		c.Math = lower.Safe
	case o.Relaxed:
		c.Math = lower.Relaxed
	}
	return c
}

// Source translates a program. Errors are a *CompileError, an *mslprint.Unsupported for a kernel
// that has no form in plain Metal, or a *FlowError.
func Source(ctx context.Context, o Options) (*Program, error) {
	m, diags := msl.Compile(ctx, msl.Source{Name: o.Name, Text: o.Text}, o.compiler())
	wrong := &CompileError{}
	for i := range diags {
		if d := &diags[i]; d.Severity == diag.Error {
			at := m.Files.Position(d.Pos)
			wrong.Errors = append(wrong.Errors, Mistake{at.File, at.Line, at.Column, d.Message})
		}
	}
	if len(wrong.Errors) > 0 {
		return nil, wrong
	}
	p := &Program{Phased: map[string]*Phased{}}
	var fs []*ir.Func
	only := cmp.Or(o.Bindless, o.Window)
	for _, f := range m.IR.Funcs {
		if only != "" && f.Name != only {
			continue
		}
		// without what computes constants: values in variables become visible, and the text shorter
		opt.Run(f, opt.Options{})
		if o.Bindless != "" {
			var err error
			if f, p.Handles, err = bindless.Rewrite(f); err != nil {
				return nil, err
			}
		}
		if o.Window != "" {
			if at, waits := window.Waits(f); waits {
				p.Waits = &Mistake{m.IR.Files[max(at.File, 1)-1], int(at.Line), int(at.Col), "an atomic is loaded in a loop"}
			}
			var err error
			if f, p.Window, err = window.Rewrite(f); err != nil {
				return nil, err
			}
		}
		if f.HasGridBarrier() {
			k, err := split.Split(f)
			var at *ir.VerifyError
			if errors.As(err, &at) {
				return nil, &FlowError{Mistake{at.File, int(at.Loc.Line), int(at.Loc.Col),
					fmt.Sprintf("kernel %q: %s", f.Name, at.Msg)}}
			}
			if err != nil {
				return nil, fmt.Errorf("kernel %q: %w", f.Name, err)
			}
			f = k.Func
			p.Phased[f.Name] = &k.Layout
		}
		fs = append(fs, f)
	}
	var err error
	p.Text, err = mslprint.Program(fs)
	return p, err
}
