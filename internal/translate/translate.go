// Package translate turns programs that only this module's compiler understands into programs that
// any Metal compiler takes: kernels with groups of threads, and kernels that synchronize their
// grid, which are split into phases.
package translate

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/ir/split"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/lower"
)

// Program is a translated program.
type Program struct {
	Text   string             // to be compiled in the safe math mode; it says where less exact functions do
	Phased map[string]*Phased // by name, the kernels that were split
}

// Phased says how to launch a kernel that was split: see package split, which defines the two
// buffers.
type Phased = split.Layout

// CompileError is the error of a program with errors.
type CompileError struct {
	Errors []Mistake // at least one
}

// Mistake is an error in a program.
type Mistake struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns the first error.
func (e *CompileError) Error() string { return e.Errors[0].text() }

func (m *Mistake) text() string {
	return fmt.Sprintf("%s:%d:%d: error: %s", m.File, m.Line, m.Column, m.Message)
}

// FlowError is the error of a grid barrier in control flow that may not be the same for the whole
// grid.
type FlowError struct{ Mistake }

// Error returns the error with its place.
func (e *FlowError) Error() string { return e.Mistake.text() }

// ControlStride is the number of bytes by which the offset of the control buffer advances with each
// launch.
const ControlStride = split.ControlStride

// Options are a program and how it is compiled.
type Options struct {
	Name, Text             string
	Macros                 map[string]string
	Language               int  // such as 320
	Safe, Relaxed, Precise bool // the math mode, fast if neither, and the variants of functions
}

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
		if d := &diags[i]; d.Severity >= diag.Error {
			at := m.Files.Position(d.Pos)
			wrong.Errors = append(wrong.Errors, Mistake{at.File, at.Line, at.Column, d.Message})
		}
	}
	if len(wrong.Errors) > 0 {
		return nil, wrong
	}
	p := &Program{Phased: map[string]*Phased{}}
	var fs []*ir.Func
	for _, f := range m.IR.Funcs {
		// without what computes constants: values in variables become visible, and the text shorter
		opt.Run(f, opt.Options{})
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
