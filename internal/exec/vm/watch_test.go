package vm

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// shadow maintains a copy of an object from a hook's store events alone.
type shadow struct {
	hook.None
	data          []byte
	object        uint64
	begun, ended  int
	events, loads int
	wrong         string
}

func (s *shadow) GroupBegin(*hook.Group)  { s.begun++ }
func (s *shadow) GroupEnd(*hook.Group)    { s.ended++ }
func (s *shadow) Instruction(*hook.Event) { s.events++ }

func (s *shadow) Load(a *hook.Access) {
	for l := range a.Lanes.All {
		s.loads++
		if a.Out.Has(l) && a.Value[l] != 0 && a.Kind != ir.Void {
			s.wrong = fmt.Sprintf("%v reads %x out of bounds", a.Instr.Op, a.Value[l])
		}
	}
}

func (s *shadow) Store(a *hook.Access) {
	for l := range a.Lanes.All {
		if a.Space != ir.Device || a.Addrs[l]>>40 != s.object || a.Out.Has(l) {
			continue
		}
		for i := range a.Size {
			s.data[a.Addrs[l]&exec.OffsetMask+uint64(i)] = byte(a.Value[l] >> (8 * i))
		}
	}
}

// TestHookSeesStores: the hook's events include everything that random kernels write, and the hook
// does not change the results.
func TestHookSeesStores(t *testing.T) {
	e := exec.NewEngine(1)
	loads := 0
	for seed := range uint64(60) {
		k := testlaunch.NewRandomKernel(seed)
		want, err := k.Oracle(ref.Run)
		require.NoError(t, err)
		out, _ := k.Output()
		s := &shadow{data: out, object: 2}
		got, err := k.Run(e, exec.NewKernel(k.Module.Funcs[0], exec.Options{Backend: Backend{}}), s)
		k.Require(t, "with a hook", want, got, err)
		k.Require(t, "by the stores that the hook saw", want[:len(out)], string(s.data), nil)
		assert.Empty(t, s.wrong, "seed %d", seed)
		assert.Positive(t, s.begun)
		assert.Equal(t, s.begun, s.ended)
		assert.Greater(t, s.events, 10)
		loads += s.loads
	}
	assert.Greater(t, loads, 1000)
}

// journal records events.
type journal struct {
	hook.None
	lines []string
}

func (j *journal) add(e *hook.Event, format string, args ...any) {
	var lanes []int
	for l := range e.Lanes.All {
		lanes = append(lanes, e.First+l)
	}
	j.lines = append(j.lines, fmt.Sprintf("%v %v: ", e.Group.Position[0], lanes)+fmt.Sprintf(format, args...))
}

func (j *journal) access(what string, a *hook.Access) {
	var at []string
	for l := range a.Lanes.All {
		s := fmt.Sprintf("%d+%d=%d", a.Addrs[l]>>40, a.Addrs[l]&exec.OffsetMask, a.Value[l])
		if a.Out.Has(l) {
			s += "!"
		}
		at = append(at, s)
	}
	j.add(&a.Event, "%s %v %v", what, a.Kind, at)
}

func (j *journal) GroupBegin(g *hook.Group) {
	j.lines = append(j.lines, fmt.Sprint("begin ", g.Position[0], " ", g.Shape))
}
func (j *journal) GroupEnd(g *hook.Group) {
	j.lines = append(j.lines, fmt.Sprint("end ", g.Position[0]))
}
func (j *journal) Load(a *hook.Access)   { j.access("load", a) }
func (j *journal) Store(a *hook.Access)  { j.access("store", a) }
func (j *journal) Atomic(a *hook.Access) { j.access(a.Instr.Op.String(), a) }
func (j *journal) Barrier(events []hook.Event) {
	for i := range events {
		j.add(&events[i], "barrier")
	}
}
func (j *journal) Instruction(e *hook.Event) {
	if e.Instr.Op == ir.OpMul {
		j.add(e, "mul at line %d", e.Instr.Loc.Line)
	}
}

// TestHookEvents: the events of a small kernel, with the lanes of each.
func TestHookEvents(t *testing.T) {
	m, err := ir.Parse(`file "k.metal"
kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = input thread_position_in_grid : i32x3
    %2 = extract %1 : i32
    %3 = zext %2 : i64
    %4 = offset %0, %3 #4 : ptr.device
    %5 = load %4 : i32
    %6 = const 1 : i32
    %7 = slt %6, %5 : i1
    if %7 {
      %8 = mul %5, %5 : i32 @1:7:1
      store %4, %8
      yield
    } else {
      yield
    }
    barrier mem.device
    %9 = atomic.add %0, %6 : i32
    return
  }
}
`)
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	j := &journal{}
	e := exec.NewEngine(1)
	sp := &exec.Space{}
	data := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}
	sp.Set(1, exec.Object{Data: data})
	k := exec.NewKernel(m.Funcs[0], exec.Options{Backend: Backend{}})
	require.NoError(t, e.Run(context.Background(), k,
		&exec.Launch{Hook: j, Grid: [3]int{4}, Group: [3]int{3}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
	assert.Equal(t, []string{
		"begin 0 [3 1 1]",
		"0 [0 1 2]: load i32 [1+0=1 1+4=2 1+8=3]",
		"0 [1 2]: mul at line 7",
		"0 [1 2]: store i32 [1+4=4 1+8=9]",
		"0 [0 1 2]: barrier",
		"0 [0 1 2]: atomic.add i32 [1+0=1 1+0=2 1+0=3]",
		"end 0",
		"begin 1 [1 1 1]",
		"1 [0]: load i32 [1+12=0!]",
		"1 [0]: barrier",
		"1 [0]: atomic.add i32 [1+0=4]",
		"end 1",
	}, j.lines)
	assert.Equal(t, []byte{5, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0}, data)
}

// reads checks the load events of an object.
type reads struct {
	shadow
	from   []byte
	number uint64
	seen   int
}

func (r *reads) Load(a *hook.Access) {
	for l := range a.Lanes.All {
		if at := a.Addrs[l] & exec.OffsetMask; a.Addrs[l]>>40 == r.number {
			r.seen++
			want := uint64(0)
			if in := int(at)+a.Size <= len(r.from); in != !a.Out.Has(l) {
				r.wrong = fmt.Sprintf("lane %d at %d: out of bounds is %v", l, at, a.Out.Has(l))
			} else if in {
				want = peekBytes(r.from[at:], a.Size)
			}
			if a.Value[l] != want {
				r.wrong = fmt.Sprintf("lane %d at %d: %x, want %x", l, at, a.Value[l], want)
			}
		}
	}
}

func peekBytes(b []byte, size int) (x uint64) {
	for i := range size {
		x |= uint64(b[i]) << (8 * i)
	}
	return x
}

// TestHookSeesMatrices: loads and stores of matrices are reported element by element.
func TestHookSeesMatrices(t *testing.T) {
	for _, elem := range []string{"float", "half", "bfloat"} {
		ks := kernelsOf(t, fmt.Sprintf(`kernel void k(device %[1]s *out [[buffer(0)]], device const %[1]s *in [[buffer(1)]], uint s [[simdgroup_index_in_threadgroup]]) {
  simdgroup_matrix<%[1]s, 8, 8> a, b, c;
  simdgroup_load(a, in + 5 * s, 9, ulong2(1, 2));
  simdgroup_load(b, in + 64, 8, ulong2(0, 0), true);
  simdgroup_multiply(c, a, b);
  simdgroup_store(c, out + 64 * s, 8);
}`, elem))
		in := noise(64*4 + 64*4 - 20) // the last row is incomplete
		out := make([]byte, 2*64*4)
		r := &reads{from: in, number: 2, shadow: shadow{data: make([]byte, len(out)), object: 1}}
		e := exec.NewEngine(1)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: out})
		sp.Set(2, exec.Object{Data: in, ReadOnly: true})
		require.NoError(t, e.Run(context.Background(), ks["k"],
			&exec.Launch{Hook: r, Grid: [3]int{64}, Group: [3]int{64}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
		e.Close()
		assert.Empty(t, r.wrong, elem)
		assert.Equal(t, 2*2*64, r.seen, elem)
		assert.Equal(t, out, r.data, elem)
	}
}
