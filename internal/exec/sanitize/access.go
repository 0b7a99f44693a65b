package sanitize

import (
	"fmt"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// access checks an access of several lanes.
func (g *group) access(a *hook.Access, m mode) {
	if !g.quick(a, m) {
		a.Fill()
		g.lanes(a, m)
	}
	g.report()
}

// report reports what has been found while something was locked.
func (g *group) report() {
	for _, f := range g.found {
		g.launch.s.add(f)
	}
	g.found = g.found[:0]
}

// shadowed reports whether accesses to a space are compared with others.
func (g *group) shadowed(s ir.Space) bool {
	kinds := g.launch.s.kinds
	return s == ir.Threadgroup && kinds&(sanitizer.Race|sanitizer.Uninitialized) != 0 ||
		s == ir.Device && kinds&sanitizer.Race != 0
}

// quick checks an access whose addresses are rows, unless that takes a look at each lane.
func (g *group) quick(a *hook.Access, m mode) bool {
	l := g.launch
	if a.From == nil || l.bytewise {
		return false
	}
	r, size := a.Rows, int64(a.Size)
	if l.s.Used != nil && a.Space != ir.Threadgroup {
		end := r.Base + size
		for i, step := range r.Step {
			end += max(step*int64(a.Group.Shape[i]-1), 0)
		}
		if end > int64(l.sizeOf(g.id.fn, r.Object<<exec.OffsetBits)) {
			return false
		}
	}
	if to, at := alignmentOf(a); (r.Base-at|r.Step[0]|r.Step[1]|r.Step[2])&(max(to, size)-1) != 0 {
		return false
	}
	if g.shadowed(a.Space) {
		g.rows(a, m)
	}
	return true
}

// lanes checks an access lane by lane.
func (g *group) lanes(a *hook.Access, m mode) {
	kinds := g.launch.s.kinds
	g.limit(a)
	if kinds&sanitizer.Bounds != 0 && a.Out != (hook.Mask{}) {
		g.outside(a, m)
	}
	if kinds&sanitizer.Misaligned != 0 && a.Kind != ir.Void && a.Kind.Size() > 1 {
		g.aligned(a, m)
	}
	if a.Space == ir.Thread && kinds&sanitizer.Uninitialized != 0 {
		g.thread(a, m)
	}
	if !g.shadowed(a.Space) || a.Size == 0 {
		return
	}
	t := g.touching(a, classOf(a.Space), m)
	for l := range a.Lanes.All {
		if !a.Out.Has(l) {
			t.use(a.Addrs[l] >> exec.OffsetBits)
			t.bytes(l, t.base+int(a.Addrs[l]&exec.OffsetMask), a.Size)
		}
	}
	t.unlock()
}

// seen identifies findings of a launch that are certainly the same.
type seen struct {
	kind         sanitizer.Kinds
	instr, other *ir.Instr
	object       uint64
}

// known reports whether an earlier call was for the same finding about an access to memory, so that
// loops with a mistake do not describe it again and again.
func (g *group) known(k sanitizer.Kinds, a *hook.Access, other *ir.Instr) bool {
	object := a.Addrs[0] >> exec.OffsetBits
	if a.Rows != nil {
		object = a.Rows.Object
	}
	return g.launch.seen(k, a.Instr, other, object)
}

// seen reports whether an earlier call was for the same finding.
func (l *launch) seen(k sanitizer.Kinds, instr, other *ir.Instr, object uint64) bool {
	_, known := l.known.LoadOrStore(seen{k, instr, other, object}, true)
	return known
}

// where says in a finding what a lane has accessed.
func (g *group) where(f *sanitizer.Finding, a *hook.Access, lane int) {
	a.Fill()
	f.Memory = g.launch.describe(g.id.fn, a.Space, a.Addrs[lane])
	f.Offset, f.Size = a.Addrs[lane]&exec.OffsetMask, a.Size
	if stores(a) {
		f.Value = valueOf(a.Kind, a.Value[lane])
	}
	if label := g.launch.s.Label; label != nil && (a.Space == ir.Device || a.Space == ir.Constant) {
		f.Label = label(a.Addrs[lane] >> exec.OffsetBits)
	}
}

// limit adds the lanes whose bytes are in a buffer, but not among those that the program uses.
func (g *group) limit(a *hook.Access) {
	if g.launch.s.Used == nil || a.Space != ir.Device && a.Space != ir.Constant {
		return
	}
	object, size := uint64(0), uint64(0)
	for l := range a.Lanes.All {
		if o := a.Addrs[l] >> exec.OffsetBits; o != object {
			object, size = o, uint64(max(g.launch.sizeOf(g.id.fn, a.Addrs[l]), 0))
		}
		if a.Addrs[l]&exec.OffsetMask+uint64(a.Size) > size {
			a.Out[l/32] |= 1 << (l % 32)
		}
	}
}

// outside reports the lanes that are out of bounds.
func (g *group) outside(a *hook.Access, m mode) {
	for l := range a.Lanes.All {
		if !a.Out.Has(l) {
			continue
		}
		address := a.Addrs[l]
		if a.Kind != ir.Void && m&isAtomic != 0 && address%uint64(a.Size) != 0 {
			continue // aligned reports it
		}
		if g.known(sanitizer.Bounds, a, nil) {
			return
		}
		f := g.finding(&a.Event, sanitizer.Bounds, a.First+l, m.String())
		g.where(f, a, l)
		size := g.launch.sizeOf(g.id.fn, address)
		switch {
		case address>>exec.OffsetBits == 0:
			f.Message = fmt.Sprintf("%s through a null pointer", noun(m))
			f.Advice = "bind a buffer to the argument"
		case size < 0:
			f.Message = fmt.Sprintf("%s outside of %s", noun(m), f.Memory)
		case int64(f.Offset<<(64-exec.OffsetBits))>>(64-exec.OffsetBits) < 0:
			f.Message = fmt.Sprintf("%s %d bytes before the beginning of %s", noun(m),
				-(int64(f.Offset<<(64-exec.OffsetBits)) >> (64 - exec.OffsetBits)), f.Memory)
		case int(f.Offset)+a.Size <= size:
			f.Message = fmt.Sprintf("%s of read-only memory", noun(m))
		default:
			f.Message = fmt.Sprintf("%s of %d bytes at offset %d of %s, which has %d", noun(m), a.Size, f.Offset,
				f.Memory, size)
			each := g.launch.elementSize(g.id.fn, address)
			if each == 0 {
				each = a.Size
			}
			f.Advice = fmt.Sprintf("the index is %d, and there are %d elements of %d bytes", int(f.Offset)/each, size/each,
				each)
		}
		g.found = append(g.found, f)
		return
	}
}

func noun(m mode) string {
	if m&writes == 0 {
		return "read"
	}
	return "write"
}

// alignmentOf returns what the addresses of an access minus at have to be a multiple of: the size
// of an element or, of a vector, matrix or structure, the alignment of its type.
func alignmentOf(a *hook.Access) (to, at int64) {
	to = int64(a.Kind.Size())
	if op := a.Instr.Op; op == ir.OpLoad || op == ir.OpStore {
		if wanted, before := a.Instr.Alignment(); wanted > to {
			return wanted, before + int64(a.Part)
		}
	}
	return to, 0
}

// aligned reports an address that is not a multiple of the alignment of what is there.
func (g *group) aligned(a *hook.Access, m mode) {
	to, at := alignmentOf(a)
	wrong := func(l int) bool { return (int64(a.Addrs[l])-at)&(to-1) != 0 }
	for l := range a.Lanes.All {
		if !wrong(l) || g.known(sanitizer.Misaligned, a, nil) {
			continue
		}
		f := g.finding(&a.Event, sanitizer.Misaligned, a.First+l, m.String())
		g.where(f, a, l)
		f.Message = fmt.Sprintf("%s of %v at offset %d, which is not a multiple of %d", noun(m), a.Kind, f.Offset, to)
		if at != 0 || to > int64(a.Kind.Size()) {
			f.Message = fmt.Sprintf("%s of %v at offset %d, in an object whose type has an alignment of %d and that begins "+
				"at offset %d", noun(m), a.Kind, f.Offset, to, int64(f.Offset)-at)
		}
		f.Advice = "read the bytes separately, or use a packed type"
		g.found = append(g.found, f)
		return
	}
}

// thread keeps track of which bytes of the threads' variables are initialized.
func (g *group) thread(a *hook.Access, m mode) {
	same, first := a.Out == (hook.Mask{}), -1 // whether all lanes access the same variable at the same place
	for l := range a.Lanes.All {
		if first < 0 {
			first = l
		}
		same = same && a.Addrs[l] == a.Addrs[first]
	}
	if same && first >= 0 {
		g.threadBytes(a, first, &a.Lanes, m)
		return
	}
	for l := range a.Lanes.All {
		if !a.Out.Has(l) {
			var one hook.Mask
			one[l/32] = 1 << (l % 32)
			g.threadBytes(a, l, &one, m)
		}
	}
}

// threadBytes is thread for lanes with the same address, which is that of lane l.
func (g *group) threadBytes(a *hook.Access, l int, lanes *hook.Mask, m mode) {
	k := privateKey{a.First, a.Addrs[l] >> exec.OffsetBits}
	at := int(a.Addrs[l] & exec.OffsetMask)
	known := g.private[k]
	if at+a.Size > len(known) {
		known = append(known, make([]hook.Mask, at+a.Size-len(known))...)
		g.private[k] = known
	}
	for i := range known[at:][:a.Size] {
		b := &known[at+i]
		for w, x := range lanes {
			if missing := x &^ b[w]; missing != 0 && m&reads != 0 && a.Kind != ir.Void {
				g.uninitialized(a, w*32+bits.TrailingZeros32(missing), m)
				return
			}
			if m&writes != 0 {
				b[w] |= x
			}
		}
	}
}

// uninitialized reports a read of bytes that nothing has written.
func (g *group) uninitialized(a *hook.Access, lane int, m mode) {
	if g.known(sanitizer.Uninitialized, a, nil) {
		return
	}
	f := g.finding(&a.Event, sanitizer.Uninitialized, a.First+lane, m.String())
	g.where(f, a, lane)
	f.Message = fmt.Sprintf("read of %s before anything has written it", f.Memory)
	g.found = append(g.found, f)
}

// early reports an atomic operation that may come before the one that initializes its memory.
func (g *group) early(t *touching, lane int, first stamp) {
	a, r := t.access, g.at(t.class, first.record())
	if g.known(sanitizer.Uninitialized, a, r.instr) {
		return
	}
	f := g.finding(&a.Event, sanitizer.Uninitialized, a.First+lane, t.mode.String())
	t.where(f, lane)
	f.Value = t.value(lane)
	f.Other = &sanitizer.Access{Place: placeOf(r.group.fn, r.instr.Loc), Kernel: r.group.fn.Name,
		Thread: r.group.thread(r.first + first.lane()), Does: "initializes it atomically"}
	f.Message = fmt.Sprintf("read of %s, which another thread initializes, and nothing orders the two", f.Memory)
	f.Advice = fmt.Sprintf("no threadgroup_barrier for %v memory is between %v and %v", t.class, f.Other.Place, f.Place)
	g.found = append(g.found, f)
}
