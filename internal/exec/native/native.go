// Package native contains Go bodies that may compute a kernel's launch instead of the kernel's own
// code. A kernel selects one with the attribute puremetal::native, which is reserved for kernels of
// this module: the body computes the same bits as the kernel's code, so that only the time tells
// which of the two ran. docs/RATIONALE.md gives the reasons.
package native

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/ir"
)

// For returns the native body of a valid function, or nil if it has none.
func For(f *ir.Func) exec.Native {
	// Only safe math guarantees the order of operations and the NaNs that the bodies produce.
	if f.Attributes.MathMode != "safe" {
		return nil
	}
	switch f.Attributes.Native {
	case "matmul":
		return newMatmul(f.Args)
	case "packed_product", "ternary_product":
		return newPacked(f.Attributes.Native, f.Args)
	case "":
		return nil
	}
	return newConv(f.Attributes.Native, f.Args)
}

// runner runs the tasks of a product as those of a launch.
func runner(t *exec.Tasks) gemm.Runner {
	return gemm.Runner{Workers: t.Workers(), Run: t.Each, Stop: t.Stop}
}

// extent is one dimension of a view: its size and stride.
type extent struct{ size, stride int }

// last returns the offset of the last element of a view with an offset and sizes of at least 1. It
// returns false for strides and offsets that a body leaves to the kernel: negative ones, and those
// whose product overflows in the kernel, which computes it as an int.
func last(offset int, dims ...extent) (int, bool) {
	inner := 0
	for _, d := range dims {
		if d.stride < 0 || d.stride > 0 && d.size-1 > math.MaxInt32/d.stride {
			return 0, false
		}
		inner += (d.size - 1) * d.stride
	}
	return offset + inner, offset >= 0 && inner <= math.MaxInt32
}

// find returns the memory of a view in a buffer, from its first element to its last. It returns
// false if the kernel must handle the access itself: if anything is out of bounds, misaligned or,
// where it is written, read-only.
func find(l *exec.Launch, slot int, t gemm.Type, written bool, offset int, dims ...extent) ([]byte, bool) {
	address := l.Buffers[slot]
	size := t.Size()
	object := l.Space.Object(address >> exec.OffsetBits)
	if written && object.ReadOnly || exec.OffsetOf(address)%uint64(size) != 0 {
		return nil, false
	}
	end, ok := last(offset, dims...)
	memory := l.Space.Bytes(address)
	if !ok || end >= len(memory)/size {
		return nil, false
	}
	return memory[offset*size : (end+1)*size], true
}
