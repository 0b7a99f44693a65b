package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

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
