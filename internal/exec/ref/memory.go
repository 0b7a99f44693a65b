package ref

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// moved returns an address plus an offset within the same object.
func moved(addr, by uint64) uint64 { return addr&^exec.OffsetMask | (addr+by)&exec.OffsetMask }

// object returns the object with a number in a space, or nil if there is none.
func (t *thread) object(s ir.Space, id uint64) *exec.Object {
	in := func(list []exec.Object, first uint64) *exec.Object {
		if i := id - first; i < uint64(len(list)) {
			return &list[i]
		}
		return nil
	}
	switch s {
	case ir.Thread:
		return in(t.private, exec.FirstAlloca)
	case ir.Threadgroup:
		if o := in(t.g.shared, exec.FirstShared); o != nil {
			return o
		}
		return in(t.g.args, exec.FirstSharedArg)
	}
	if id > exec.MaxObject {
		return in(t.g.m.globals, exec.FirstGlobal)
	}
	if sp := t.g.m.l.Space; sp != nil {
		return sp.Object(id)
	}
	return nil
}

// bytes returns the n bytes at an address in a space. It returns nil if they are not all inside an
// object of that space, or if they are to be written but are read-only.
func (t *thread) bytes(s ir.Space, addr uint64, n int, write bool) []byte {
	o, offset := t.object(s, addr>>exec.OffsetBits), addr&exec.OffsetMask
	if o == nil || write && o.ReadOnly || offset > uint64(len(o.Data)) || uint64(n) > uint64(len(o.Data))-offset {
		return nil
	}
	return o.Data[offset:][:n]
}

// load reads an element; out of bounds, it returns 0.
func (t *thread) load(in *ir.Instr, k ir.Kind, s ir.Space, addr uint64) uint64 {
	t.touch(in, s, k, addr, k.Size(), true, false)
	if b := t.bytes(s, addr, k.Size(), false); b != nil {
		return getBits(k, b)
	}
	return 0
}

// store writes an element; out of bounds, it does nothing.
func (t *thread) store(in *ir.Instr, k ir.Kind, s ir.Space, addr, bits uint64) {
	t.touchStore(in, s, k, addr, bits)
	if b := t.bytes(s, addr, k.Size(), true); b != nil {
		putBits(k, b, bits)
	}
}

// memory executes a load, store, copy or clear.
func (t *thread) memory(in *ir.Instr) {
	addr, space := t.get(in.Args[0], 0), in.Args[0].Type.Space
	switch in.Op {
	case ir.OpLoad:
		res := in.Results[0]
		k := res.Type.Kind
		for i := range lanes(res) {
			t.set(res, i, t.load(in, k, space, moved(addr, uint64(i*k.Size()))))
		}
	case ir.OpStore:
		v := in.Args[1]
		k := v.Type.Kind
		for i := range lanes(v) {
			t.store(in, k, space, moved(addr, uint64(i*k.Size())), t.get(v, i))
		}
	case ir.OpCopy:
		from, first := t.get(in.Args[1], 0), int64(0)
		t.touch(in, in.Args[1].Type.Space, ir.Void, from, int(in.Imm), true, false)
		t.touch(in, space, ir.Void, addr, int(in.Imm), false, true)
		to := t.part(space, addr, in.Imm, &first)
		read := make([]byte, len(to))
		for i := range read {
			if p := t.bytes(in.Args[1].Type.Space, moved(from, uint64(first)+uint64(i)), 1, false); p != nil {
				read[i] = p[0]
			}
		}
		copy(to, read)
	case ir.OpClear:
		var first int64
		t.touch(in, space, ir.Void, addr, int(in.Imm), false, true)
		clear(t.part(space, addr, in.Imm, &first))
	}
}

// part returns those of the n bytes at an address that are in the object and writable, and how many
// precede them: a negative offset, which appears as one near 2^40, wraps around to 0.
func (t *thread) part(s ir.Space, addr uint64, n int64, before *int64) []byte {
	o := t.object(s, addr>>exec.OffsetBits)
	if o == nil || o.ReadOnly {
		return nil
	}
	if offset := int64(addr & exec.OffsetMask); offset < int64(len(o.Data)) {
		return o.Data[offset:][:min(n, int64(len(o.Data))-offset)]
	} else if *before = exec.OffsetMask + 1 - offset; *before < n {
		return o.Data[:min(n-*before, int64(len(o.Data)))]
	}
	return nil
}

// atomic executes an atomic operation on memory.
func (t *thread) atomic(in *ir.Instr) {
	addr, space := t.get(in.Args[0], 0), in.Args[0].Type.Space
	var k ir.Kind
	if in.Op == ir.OpAtomicLoad {
		k = in.Results[0].Type.Kind
	} else {
		k = in.Args[1].Type.Kind
	}
	t.touch(in, space, k, addr, k.Size(), in.Op != ir.OpAtomicStore, in.Op != ir.OpAtomicLoad)
	b := t.bytes(space, addr, k.Size(), in.Op != ir.OpAtomicLoad)
	if addr%uint64(k.Size()) != 0 {
		b = nil
	}
	if b == nil {
		for _, r := range in.Results {
			t.set(r, 0, 0)
		}
		return
	}
	old := getBits(k, b)
	switch in.Op {
	case ir.OpAtomicLoad:
		t.set(in.Results[0], 0, old)
	case ir.OpAtomicStore:
		putBits(k, b, t.get(in.Args[1], 0))
	case ir.OpAtomicCmpXchg:
		same := old == t.get(in.Args[1], 0)
		if same {
			putBits(k, b, t.get(in.Args[2], 0))
		}
		t.set(in.Results[0], 0, old)
		t.set(in.Results[1], 0, num.Truth(same))
	default:
		putBits(k, b, num.Modify(in.Op, k, old, t.get(in.Args[1], 0)))
		t.set(in.Results[0], 0, old)
	}
}
