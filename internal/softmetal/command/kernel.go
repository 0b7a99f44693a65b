package command

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// Kernel is a pipeline as the queue needs it: code, and what a dispatch must bring. It does not change.
type Kernel struct {
	Name         string
	Code         *exec.Kernel
	Constants    map[int][]byte // function constants by index
	MaxThreads   int            // of a threadgroup
	Required     [3]int         // threads of a threadgroup; zeros where the kernel leaves it open
	StaticMemory int            // bytes of threadgroup memory that the kernel declares
	Needs        []Need         // what it cannot do without
	Indirect     bool           // may be put into commands of indirect command buffers
}

// Need is an argument that a kernel uses.
type Need struct {
	Kind  ir.ArgKind
	Index int
	Name  string
}

// missing returns the first need that the bindings do not meet.
func (k *Kernel) missing(b *bindings) (Need, bool) {
	for _, n := range k.Needs {
		ok := true
		switch n.Kind {
		case ir.ArgBuffer, ir.ArgFunctionTable:
			ok = n.Index < len(b.buffers) && b.buffers[n.Index] != 0
		case ir.ArgTexture:
			ok = n.Index < len(b.textures) && b.textures[n.Index] != 0
		case ir.ArgSampler:
			ok = n.Index < len(b.samplers) && b.samplers[n.Index] != 0
		case ir.ArgThreadgroup:
			ok = n.Index < len(b.memory) && b.memory[n.Index] != 0
		}
		if !ok {
			return n, true
		}
	}
	return Need{}, false
}

// fits returns what is wrong with a threadgroup and its memory, "" if nothing is.
func (k *Kernel) fits(group Size, memory *[MaxMemory]uint64, limit int) string {
	n := group.volume()
	switch {
	case n == 0:
		return fmt.Sprintf("the threadgroup is %d x %d x %d threads, want at least 1 each way", group[0], group[1], group[2])
	case n > uint64(k.MaxThreads):
		return fmt.Sprintf("the threadgroup has %d threads (%d x %d x %d), want at most %d", n, group[0], group[1], group[2], k.MaxThreads)
	case k.Required != [3]int{} && Size{uint64(k.Required[0]), uint64(k.Required[1]), uint64(k.Required[2])} != group:
		return fmt.Sprintf("the threadgroup is %d x %d x %d threads, the pipeline requires %d x %d x %d", group[0], group[1], group[2], k.Required[0], k.Required[1], k.Required[2])
	}
	total := uint64(k.StaticMemory)
	for _, m := range memory {
		total += m
	}
	if total > uint64(limit) {
		return fmt.Sprintf("threadgroup memory is %d bytes, %d of them the kernel's own, want at most %d", total, k.StaticMemory, limit)
	}
	return ""
}
