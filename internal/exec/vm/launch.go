package vm

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/ir"
)

// What makes a launch fail. A launch that is not valid, and the context's own errors, do too.
var (
	ErrFuel             = errors.New("vm: out of fuel")
	ErrDivergentBarrier = errors.New("vm: barrier in divergent control flow")
	ErrUnsupported      = errors.New("vm: not supported")
	ErrLaunch           = errors.New("vm: invalid launch")

	errStopped = errors.New("vm: another threadgroup failed")
)

// Launch is what a host says when it starts a kernel. It may be used again; Run does not keep it.
type Launch struct {
	Grid  [3]int // threads; a component 0 counts as 1
	Group [3]int // threads of a threadgroup; those at the grid's edge are cut

	Space       *Space         // the memory that addresses lead to; nil for none
	Buffers     []uint64       // addresses by slot: Address(id, offset), 0 for nothing
	Threadgroup []int          // lengths of threadgroup memory in bytes, by slot
	Textures    []uint64       // handles by slot, 0 for none
	Samplers    []uint64       // handles by slot, 0 for the default sampler
	Constants   map[int][]byte // function constants by index, as they lie in memory
	Commands    Commands       // indirect command buffers; nil for none
	Fuel        int64          // back edges that all strips together may take, an eighth of them perhaps not; 0 for no limit
	Log         message.Sink   // receives what the kernel writes to logs; nil drops it
}

// Address returns the address of an offset in an object.
func Address(id uint32, offset uint64) uint64 { return uint64(id)<<40 | offset&offsetMask }

const offsetMask = 1<<40 - 1

// Numbers of objects that are the engine's.
const (
	firstGlobal    = 0x800000
	firstShared    = 0x900000
	firstSharedArg = 0x980000
	firstAlloca    = 0xa00000
)

// constants reads the function constants.
func (r *run) constants() error {
	r.values = r.values[:0]
	for i := range r.k.f.Constants {
		c := &r.k.f.Constants[i]
		data, ok := r.l.Constants[c.Index]
		t := r.k.constants[i]
		switch {
		case !ok && c.Required:
			return fmt.Errorf("%w: function constant %d %q is not set", ErrLaunch, c.Index, c.Name)
		case ok && len(data) < t.Size():
			return fmt.Errorf("%w: function constant %d %q has %d bytes, want %d", ErrLaunch, c.Index, c.Name, len(data), t.Size())
		}
		var v constant
		v.defined = ok
		for lane := 0; ok && lane < t.Lanes(); lane++ {
			for i := t.Kind.Size() - 1; i >= 0; i-- {
				v.bits[lane] = v.bits[lane]<<8 | uint64(data[lane*t.Kind.Size()+i])
			}
			if t.Kind == ir.I1 && v.bits[lane] != 0 {
				v.bits[lane] = 1
			}
		}
		r.values = append(r.values, v)
	}
	return nil
}
