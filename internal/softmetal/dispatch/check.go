package dispatch

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// Size is a number of things in three dimensions.
type Size [3]uint64

// Volume returns the product of the three, at most the largest number.
func (s Size) Volume() uint64 {
	hi, v := bits.Mul64(s[0], s[1])
	hi2, w := bits.Mul64(v, s[2])
	if hi != 0 && s[2] != 0 || hi2 != 0 {
		return math.MaxUint64
	}
	return w
}

// Bindings is what a dispatch finds bound, by slot. 0 is nothing: buffers are addresses, textures
// and samplers handles, memory is bytes.
type Bindings struct {
	Buffers, Textures, Samplers, Memory []uint64
}

// Resources is what bindings lead to on a device. It is safe for concurrent use.
type Resources interface {
	// Space returns the memory that kernels reach.
	Space() *exec.Space
	// RemoteView reports whether an address leads to a remote view, which kernels do not reach.
	RemoteView(address uint64) bool
	// Texture returns the texture that a handle names, or nil if there is none.
	Texture(handle uint64) *Texture
}

// CheckGrid returns an error for an invalid grid of the given number of units, each with some
// threads.
func CheckGrid(units, each Size) error {
	for i, axis := range axes {
		if units[i] == 0 {
			return fmt.Errorf("the grid's %s is 0, want at least 1", axis)
		}
		if hi, n := bits.Mul64(units[i], each[i]); hi != 0 || n > limits.MaxGridThreads {
			return fmt.Errorf("the grid's %s is %d x %d threads, want at most %d", axis, units[i], each[i],
				uint64(limits.MaxGridThreads))
		}
	}
	return nil
}

var axes = [3]string{"width", "height", "depth"}

// CheckGroup returns an error for a threadgroup that no pipeline can run.
func CheckGroup(group Size) error {
	if n := group.Volume(); n == 0 || n > limits.MaxThreads {
		return fmt.Errorf("the threadgroup is %d x %d x %d threads, want 1 to %d", group[0], group[1], group[2],
			limits.MaxThreads)
	}
	return nil
}

// CheckGroup returns an error for an invalid threadgroup size or invalid lengths of its memory.
func (p *Pipeline) CheckGroup(group Size, memory []uint64) error {
	n := group.Volume()
	switch {
	case n == 0:
		return fmt.Errorf("kernel %q: the threadgroup is %d x %d x %d threads, want at least 1 each way", p.Name, group[0],
			group[1], group[2])
	case n > uint64(p.MaxThreads):
		return fmt.Errorf("kernel %q: the threadgroup has %d threads (%d x %d x %d), want at most %d", p.Name, n, group[0],
			group[1], group[2], p.MaxThreads)
	case p.Required != [3]int{} && group != Size{uint64(p.Required[0]), uint64(p.Required[1]), uint64(p.Required[2])}:
		return fmt.Errorf("kernel %q: the threadgroup is %d x %d x %d threads, the pipeline requires %d x %d x %d",
			p.Name, group[0], group[1], group[2], p.Required[0], p.Required[1], p.Required[2])
	case p.MultipleOfWidth && n%limits.SimdgroupWidth != 0:
		return fmt.Errorf("kernel %q: the threadgroup has %d threads, and the pipeline was made for multiples of %d", p.Name,
			n, limits.SimdgroupWidth)
	}
	total := uint64(p.StaticMemory)
	for _, m := range memory {
		total += m
	}
	if total > limits.MaxThreadgroupMemory {
		return fmt.Errorf("kernel %q: threadgroup memory is %d bytes, %d of them the kernel's own, want at most %d",
			p.Name, total, p.StaticMemory, limits.MaxThreadgroupMemory)
	}
	return nil
}

// CheckMemory returns an error for an invalid length of a slot of threadgroup memory.
func CheckMemory(length uint64) error {
	switch {
	case length%limits.MemoryAlignment != 0:
		return fmt.Errorf("length is %d bytes, want a multiple of %d", length, limits.MemoryAlignment)
	case length > limits.MaxThreadgroupMemory:
		return fmt.Errorf("length is %d bytes, want at most %d", length, limits.MaxThreadgroupMemory)
	}
	return nil
}

// CheckArguments says which argument is missing, or bound to what the kernel does not declare; nil
// if none is.
func (p *Pipeline) CheckArguments(b *Bindings, r Resources) error {
	for i := range p.needs {
		n := &p.needs[i]
		var err error
		switch n.kind {
		case ir.ArgBuffer:
			err = n.checkBuffer(b, r)
		case ir.ArgFunctionTable:
			err = n.checkBound("buffer", b.Buffers)
		case ir.ArgTexture:
			err = n.checkTextures(b, r)
		case ir.ArgSampler:
			err = n.checkBound("sampler", b.Samplers)
		case ir.ArgThreadgroup:
			err = n.checkBound("threadgroup", b.Memory)
		}
		if err != nil {
			return fmt.Errorf("kernel %q: %w", p.Name, err)
		}
	}
	for _, x := range p.shared {
		if err := checkShared(&p.needs[x[0]], &p.needs[x[1]], b.Textures, r); err != nil {
			return fmt.Errorf("kernel %q: %w", p.Name, err)
		}
	}
	return nil
}

// checkShared returns an error if the texels that an argument only reads are written by another
// argument. GPUs keep what a kernel reads through such an argument in a cache that its writes pass
// by, so that the kernel reads old texels or new ones.
func checkShared(reads, writes *need, textures []uint64, r Resources) error {
	if max(reads.index, writes.index) >= len(textures) {
		return nil
	}
	from, to := r.Texture(textures[reads.index]), r.Texture(textures[writes.index])
	if from == nil || to == nil || !from.Part.overlaps(&to.Part) {
		return nil
	}
	return fmt.Errorf("the texture at index %d, argument %q, which the kernel reads, has the texels of the one "+
		"at index %d, argument %q, which it writes; use a second texture, other levels or slices, or "+
		"one argument with access::read_write",
		reads.index, reads.name, writes.index, writes.name)
}

func (n *need) checkBound(what string, slots []uint64) error {
	if n.count == 0 && (n.index >= len(slots) || slots[n.index] == 0) {
		return fmt.Errorf("nothing is bound at %s index %d, argument %q", what, n.index, n.name)
	}
	return nil
}

func (n *need) checkBuffer(b *Bindings, r Resources) error {
	if err := n.checkBound("buffer", b.Buffers); err != nil {
		return err
	}
	if n.index >= len(b.Buffers) {
		return nil
	}
	address := b.Buffers[n.index]
	data := r.Space().Bytes(address)
	offset := exec.OffsetOf(address)
	switch {
	case data == nil && r.RemoteView(address):
		return fmt.Errorf("the buffer at index %d, argument %q, is a remote view, which only blits may read", n.index, n.name)
	case data == nil: // a buffer that is gone has no memory, and reads as zeros
		return nil
	case offset%n.align != 0:
		return fmt.Errorf("the offset of the buffer at index %d, argument %q, is %d bytes, want a multiple of %d", n.index,
			n.name, offset, n.align)
	case uint64(len(data)) < n.size:
		return fmt.Errorf("the buffer at index %d, argument %q, has %d bytes from offset %d on, the argument takes %d",
			n.index, n.name, len(data), offset, n.size)
	}
	return nil
}

func (n *need) checkTextures(b *Bindings, r Resources) error {
	if err := n.checkBound("texture", b.Textures); err != nil {
		return err
	}
	for slot := n.index; slot < min(n.index+max(n.count, 1), len(b.Textures)); slot++ {
		if b.Textures[slot] == 0 {
			continue
		}
		if t := r.Texture(b.Textures[slot]); t != nil {
			if err := n.checkTexture(slot, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *need) checkTexture(slot int, t *Texture) error {
	want := &n.texture
	switch {
	case t.Remote:
		return fmt.Errorf("the texture at index %d, argument %q, is a remote view, which only blits may read", slot, n.name)
	case want.kind != "" && t.Kind != want.kind:
		return fmt.Errorf("the texture at index %d, argument %q, has the type %s, want %s", slot, n.name, t.Kind, want.kind)
	case t.Usage != 0 && want.usage&^t.Usage != 0:
		return fmt.Errorf("the texture at index %d, argument %q, has the usage %#x, want %#x too", slot, n.name, t.Usage,
			want.usage&^t.Usage)
	case want.numbers != AnyNumbers && want.numbers != t.Numbers:
		return fmt.Errorf("the texture at index %d, argument %q, has the pixel format %s, want one of %s", slot, n.name,
			t.Format, want.numbers)
	case t.Allows != 0 && want.usage&UsageWrite != 0 && t.Allows&UsageWrite == 0:
		return fmt.Errorf("the texture at index %d, argument %q, has the pixel format %s, which kernels cannot write; "+
			"use a format such as %s", slot, n.name, t.Format, t.Numbers.readWriteFormats())
	case t.Allows != 0 && want.usage == UsageRead|UsageWrite && t.Allows&UsageReadWrite == 0 && t.Usage&UsageAtomic == 0:
		return fmt.Errorf("the texture at index %d, argument %q, has the pixel format %s, which one argument cannot both "+
			"read and write; use two textures, or one of the formats %s", slot, n.name, t.Format,
			t.Numbers.readWriteFormats())
	}
	return nil
}
