package gokernel

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/puremetal/puremetal/translate"
)

// Package translates the kernels of the package in a folder of fsys. See Translate of package
// compute/gokernel, which is this function.
func Package(ctx context.Context, fsys fs.FS, dir string, o translate.Options) (*translate.Result, error) {
	out := &translate.Result{Kernels: []translate.Kernel{}, Refused: []translate.Message{},
		Warnings: []translate.Message{}}
	switch {
	case len(o.Macros)+len(o.Instances) > 0 || o.Version != "":
		return out, fmt.Errorf("%w: Macros, Instances and Version are for OpenCL C and CUDA C++", translate.ErrOptions)
	case o.Language != "" && o.Language != translate.Go:
		return out, fmt.Errorf("%w: language %q; want %q", translate.ErrOptions, o.Language, translate.Go)
	}
	r, err := Translate(ctx, fsys, dir, Options{Show: o.Show, Lines: o.Lines, Checked: o.Checked,
		DoubleAsFloat: o.DoubleAsFloat})
	out.Text = r.Text
	for _, k := range r.Kernels {
		x := translate.Kernel{Name: k.Name, As: k.As, File: k.Pos.Filename, Line: k.Pos.Line, Group: k.Group,
			Args: []translate.Argument{}}
		for _, a := range k.Args {
			x.Args = append(x.Args, translate.Argument(a))
		}
		out.Kernels = append(out.Kernels, x)
	}
	for _, m := range r.Refused {
		out.Refused = append(out.Refused, translate.Message{File: m.Pos.Filename, Line: m.Pos.Line, Column: m.Pos.Column,
			Kernel: m.Kernel, Code: string(m.Code), Reason: m.Reason})
	}
	for _, p := range r.Doubles {
		out.Warnings = append(out.Warnings, translate.Message{File: p.Filename, Line: p.Line, Column: p.Column,
			Code: translate.CodeDouble, Reason: "float64 is float here"})
	}
	return out, err
}
