package translate

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/puremetal/puremetal/internal/gokernel"
)

// Package translates the kernels that are functions of a Go package: those with a line
// //puremetal:kernel in the comment above them. See package kernel for what they are, and
// docs/go-kernels.md for what they may do. Dir is the package's folder in fsys; kernels may call
// functions of other packages of its module, whose go.mod file is in dir or above it. No Go
// toolchain is needed.
//
// Of the options, Package uses Show, Lines, DoubleAsFloat and Checked. What kernels cannot do is in
// the result's Refused. The error is ErrOptions, ErrInternal, that of the context, or that of
// reading the package.
func Package(ctx context.Context, fsys fs.FS, dir string, o Options) (*Result, error) {
	out := &Result{Kernels: []Kernel{}, Refused: []Message{}, Warnings: []Message{}}
	switch {
	case len(o.Macros)+len(o.Instances) > 0 || o.Version != "":
		return out, fmt.Errorf("%w: Macros, Instances and Version are for OpenCL C and CUDA C++", ErrOptions)
	case o.Language != "" && o.Language != Go:
		return out, fmt.Errorf("%w: language %q; want %q", ErrOptions, o.Language, Go)
	}
	r, err := gokernel.Translate(ctx, fsys, dir, gokernel.Options{Show: o.Show, Lines: o.Lines, Checked: o.Checked,
		DoubleAsFloat: o.DoubleAsFloat})
	out.Text = r.Text
	for _, k := range r.Kernels {
		x := Kernel{Name: k.Name, As: k.As, File: k.Pos.Filename, Line: k.Pos.Line, Group: k.Group,
			Args: []Argument{}}
		for _, a := range k.Args {
			x.Args = append(x.Args, Argument(a))
		}
		out.Kernels = append(out.Kernels, x)
	}
	for _, m := range r.Refused {
		out.Refused = append(out.Refused, Message{File: m.Pos.Filename, Line: m.Pos.Line, Column: m.Pos.Column,
			Kernel: m.Kernel, Code: string(m.Code), Reason: m.Reason})
	}
	for _, p := range r.Doubles {
		out.Warnings = append(out.Warnings, Message{File: p.Filename, Line: p.Line, Column: p.Column, Code: CodeDouble,
			Reason: "float64 is float here"})
	}
	return out, err
}
