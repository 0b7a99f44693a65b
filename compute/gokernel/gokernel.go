// Package gokernel compiles kernels that are functions of a Go package: those with a line
// //puremetal:kernel in the comment above them. See package kernel for what they are, and
// docs/go-kernels.md for what they may do. No Go toolchain is needed.
//
// It is apart from package compute because it contains Go's parser and type checker.
package gokernel

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/translate"
)

// Translate translates the kernels of a package to Metal, without a device. Dir is the package's
// folder in fsys; kernels may call functions of other packages of its module, whose go.mod file is
// in dir or above it.
//
// Of the options, Show, Lines, DoubleAsFloat and Checked apply. What kernels cannot do is in the
// result's Refused. The error is translate.ErrOptions, translate.ErrInternal, that of the context,
// or that of reading the package.
func Translate(ctx context.Context, fsys fs.FS, dir string, o translate.Options) (*translate.Result, error) {
	return gokernel.Package(ctx, fsys, dir, o)
}

// Compile compiles the kernels of a package. dir is the package's folder in fsys, which has the
// files of its module, as far as the kernels use them, and go.mod if there are several packages. If
// fsys is nil, dir is a folder of this machine, and its module is found. The package is translated
// to Metal on every device; [compute.Program.Translation] has the text. Programs are cached as with
// [compute.Accelerator.Compile], until one of the files changes.
//
// A launch takes a slice of the kernel as one argument, a *[compute.Buffer] of its elements or a
// part of one, which has the slice's length. A slice of [kernel.SharedSlice] is a threadgroup
// memory parameter, for [compute.ThreadgroupElements]. Where the kernel's directive has group=,
// that is the threadgroup of all launches.
//
// Of the options, Name, which is the folder's by default, DoubleAsFloat, Checked, Language,
// PreciseFunctions and Logging apply. A mistake in the package, or a package none of whose kernels
// has a translation, is a *[compute.CompileError] with the places in the Go files; of other
// kernels, [compute.Program.Kernel] says why they have none. A package without kernels is
// [compute.ErrNoKernel].
//
// [kernel.SharedSlice]: https://pkg.go.dev/github.com/puremetal/puremetal/kernel#SharedSlice
func Compile(ctx context.Context, acc *compute.Accelerator, fsys fs.FS, dir string,
	o compute.CompileOptions) (*compute.Program, error) {
	if err := stream.CheckCall(ctx, "gokernel: Compile", stream.DeviceOf(acc) == nil); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = packageName(fsys, dir)
	}
	if o.Dialect != "" && o.Dialect != translate.Go || len(o.Instances) > 0 || len(o.Macros) > 0 ||
		o.Includes != nil || len(o.Translated) > 0 {
		return nil, fmt.Errorf("compute: compiling %s: Dialect, Instances, Macros, Includes and Translated "+
			"are not for Go packages: %w", o.Name, compute.ErrOption)
	}
	p, err := stream.CompileSource(ctx, acc, o, func() (*stream.Source, error) {
		p, err := readPackage(fsys, dir)
		if err != nil {
			return nil, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
		}
		return &stream.Source{Sum: append(p.sum[:], fmt.Sprint(o.DoubleAsFloat, o.Checked)...), Size: p.size,
			Translate: func(ctx context.Context) (any, error) {
				r, err := p.translate(ctx, o)
				if err == nil && len(r.Kernels)+len(r.Refused) == 0 {
					err = fmt.Errorf("compute: compiling %s: no function has a line //puremetal:kernel above it: %w",
						o.Name, compute.ErrNoKernel)
				}
				return r, err
			}}, nil
	})
	if err != nil {
		return nil, err
	}
	return p.(*compute.Program), nil
}

// packageName returns a name for the package in a folder.
func packageName(fsys fs.FS, dir string) string {
	dir = path.Clean(filepath.ToSlash(dir))
	if fsys == nil && dir == "." {
		if full, err := filepath.Abs(dir); err == nil {
			return filepath.Base(full)
		}
	}
	return dir
}
