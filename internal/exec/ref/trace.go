package ref

import (
	"context"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// Tracer is called with what threads do, so that tests can judge the sanitizer by addresses alone.
type Tracer interface {
	// Access is called before a thread accesses memory.
	Access(*Access)
	// Fence is called when a thread executes a fence.
	Fence(t Thread, in *ir.Instr)
	// Meet is called when threads have met at a barrier of their simdgroup, of their threadgroup,
	// which has all threads, or of the grid.
	Meet(in *ir.Instr, threads []Thread, all int)
	// Lost is called when a thread takes a value from a lane that is not active.
	Lost(t Thread, in *ir.Instr)
}

// Thread identifies a thread of a launch.
type Thread struct {
	Group int64 // number of its threadgroup
	Index int   // in its threadgroup
}

// Access is an access of one thread: to an element, or to the bytes of a copy.
type Access struct {
	Thread  Thread
	Instr   *ir.Instr
	Space   ir.Space
	Kind    ir.Kind // Void for the bytes of a copy
	Address uint64
	Size    int
	Part    int // of a load or store: how many bytes the address is behind that of its operand
	Reads   bool
	Writes  bool
	Inside  bool // all bytes are in an object, and writable if they are written
	Same    bool // a store of what is there already
}

// RunTraced is Run with a tracer.
func RunTraced(ctx context.Context, f *ir.Func, l *exec.Launch, tracer Tracer) error {
	if err := f.Verify(); err != nil {
		return err
	}
	m := newMachine(ctx, f, l)
	m.tracer = tracer
	return m.run()
}

func (t *thread) id() Thread { return Thread{t.g.number(), t.index} }

// touch tells the tracer of an access.
func (t *thread) touch(in *ir.Instr, s ir.Space, k ir.Kind, addr uint64, n int, reads, writes bool) {
	if tr := t.g.m.tracer; tr != nil {
		tr.Access(&Access{Thread: t.id(), Instr: in, Space: s, Kind: k, Address: addr, Size: n,
			Part: t.behind(in, addr), Reads: reads, Writes: writes, Inside: t.bytes(s, addr, n, writes) != nil})
	}
}

// behind returns how many bytes an address of a load or store is behind that of its operand.
func (t *thread) behind(in *ir.Instr, addr uint64) int {
	if in.Op != ir.OpLoad && in.Op != ir.OpStore {
		return 0
	}
	return int((addr - t.get(in.Args[0], 0)) & exec.OffsetMask)
}

// touchStore tells the tracer of a store of an element.
func (t *thread) touchStore(in *ir.Instr, s ir.Space, k ir.Kind, addr, bits uint64) {
	if tr := t.g.m.tracer; tr != nil {
		b := t.bytes(s, addr, k.Size(), true)
		tr.Access(&Access{Thread: t.id(), Instr: in, Space: s, Kind: k, Address: addr, Size: k.Size(),
			Part: t.behind(in, addr), Writes: true, Inside: b != nil, Same: b != nil && getBits(k, b) == bits})
	}
}

// ids returns the threads of a list that are not nil.
func ids(list []*thread) (all []Thread) {
	for _, t := range list {
		if t != nil {
			all = append(all, t.id())
		}
	}
	return all
}
