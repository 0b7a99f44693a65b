package compute

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

// CompileGo compiles the kernels of a Go package: the functions with a line //puremetal:kernel
// above them; see package kernel and docs/go-kernels.md. dir is the package's folder in fsys, which
// has the files of its module, as far as the kernels use them, and go.mod if there are several
// packages. If fsys is nil, dir is a folder of this machine, and its module is found. No Go
// toolchain is needed. The package is translated to Metal on every device; [Program.Translation]
// has the text.
//
// A launch takes a slice of the kernel as one argument, a *[Buffer] of its elements or a part of
// one, which has the slice's length. A slice of [kernel.SharedSlice] is a threadgroup memory
// parameter, for [ThreadgroupElements]. Where the kernel's directive has group=, that is the
// threadgroup of all launches.
//
// Of the options, Name, which is the folder's by default, DoubleAsFloat, Checked, Language,
// PreciseFunctions and Logging apply. A mistake in the package, or a package none of whose kernels
// has a translation, is a *[CompileError] with the places in the Go files; of other kernels,
// [Program.Kernel] says why they have none. A package without kernels is [ErrNoKernel].
//
// [kernel.SharedSlice]: https://pkg.go.dev/github.com/puremetal/puremetal/kernel#SharedSlice
func (a *Accelerator) CompileGo(ctx context.Context, fsys fs.FS, dir string, o CompileOptions) (*Program, error) {
	if err := stream.CheckCall(ctx, "accelerator: CompileGo", a.missing()); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = packageName(fsys, dir)
	}
	if o.Dialect != "" && o.Dialect != translate.Go || len(o.Instances) > 0 || len(o.Macros) > 0 ||
		o.Includes != nil || len(o.Translated) > 0 {
		return nil, fmt.Errorf("compute: compiling %s: Dialect, Instances, Macros, Includes and Translated "+
			"are not for Go packages: %w", o.Name, ErrOption)
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	p, err := readPackage(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
	}
	sum := append(p.sum[:], fmt.Sprint(o.DoubleAsFloat, o.Checked)...)
	from, err := a.translation(ctx, o.Name, sum, p.size, func(ctx context.Context) (*translate.Result, error) {
		r, err := p.translate(ctx, o)
		if err == nil && len(r.Kernels)+len(r.Refused) == 0 {
			err = fmt.Errorf("compute: compiling %s: no function has a line //puremetal:kernel above it: %w", o.Name,
				ErrNoKernel)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	return a.compileTranslated(ctx, from.Text, o, from)
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

// ThreadgroupElements is an argument for a threadgroup memory parameter, as [ThreadgroupMemory] is:
// its length in elements of the kernel's type.
type ThreadgroupElements int

// threadgroupArgument sets the length of threadgroup memory.
func threadgroupArgument(a *stream.Argument, bytes int) error {
	if bytes < 1 {
		return fmt.Errorf("%d bytes, want at least 1: %w", bytes, ErrRange)
	}
	// Metal requires whole blocks, so the size is rounded up.
	a.Given, a.Length = uint(bytes), stream.RoundUp(uint(bytes), mtl.ThreadgroupMemoryAlignment)
	return nil
}

func elementsArgument(a *stream.Argument, p *Parameter, n int) error {
	switch {
	case p.Size == 0:
		return fmt.Errorf("the size of its elements is unknown; use ThreadgroupMemory: %w", ErrRange)
	case n < 1 || uint(n) > maxSlice/p.Size:
		return fmt.Errorf("%d elements of %d bytes, want 1 to %d: %w", n, p.Size, maxSlice/p.Size, ErrRange)
	}
	return threadgroupArgument(a, n*int(p.Size))
}

// maxSlice is the largest length of a slice of a kernel in Go.
const maxSlice = 1<<31 - 1

// sliceLengths adds the lengths of slices to the arguments of a kernel in Go, and checks those that
// are given.
func (k *Kernel) sliceLengths(args []stream.Argument, taken []bool) ([]stream.Argument, error) {
	for i := range k.parameters {
		p := &k.parameters[i]
		if p.lengthOf == 0 {
			continue
		}
		of := &k.parameters[p.lengthOf-1]
		wrong := func(p *Parameter, format string, a ...any) error {
			return &LaunchError{Kernel: k.core.Name, Argument: p.String(), Err: fmt.Errorf(format, a...)}
		}
		slice := argumentOf(args, of)
		if slice == nil {
			if p.Used && !taken[i] {
				return nil, wrong(of, "missing; the kernel uses its length")
			}
			continue
		}
		size := slice.View.Length
		switch {
		case slice.Kind == stream.ThreadgroupParameter:
			size = slice.Given
		case slice.Bytes != nil:
			size = uint(len(slice.Bytes))
		}
		if of.Size == 0 {
			return nil, wrong(of, "the size of its elements is unknown, and so its length")
		}
		n := size / of.Size
		if slice.Kind == stream.ThreadgroupParameter && size%of.Size != 0 {
			return nil, wrong(of, "%d bytes are not a number of elements of %d bytes: %w", size, of.Size, ErrRange)
		}
		if n > maxSlice {
			return nil, wrong(of, "%d elements; a slice of a kernel has at most %d: %w", n, maxSlice, ErrRange)
		}
		if !taken[i] {
			args = append(args, stream.Argument{Kind: stream.ParameterKind(p.Kind), Index: p.Index,
				Bytes: []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}})
			continue
		}
		b := argumentOf(args, p).Bytes
		if len(b) != 4 {
			return nil, wrong(p, "want a uint32, or nothing: then it is that of the slice")
		}
		if given := uint(b[0]) | uint(b[1])<<8 | uint(b[2])<<16 | uint(b[3])<<24; given > n {
			return nil, wrong(p, "length %d, but %v has %d elements: %w", given, of, n, ErrRange)
		}
	}
	return args, nil
}

// argumentOf returns the argument for a parameter, nil if there is none.
func argumentOf(args []stream.Argument, p *Parameter) *stream.Argument {
	for i := range args {
		if args[i].Kind == stream.ParameterKind(p.Kind) && args[i].Index == p.Index {
			return &args[i]
		}
	}
	return nil
}
