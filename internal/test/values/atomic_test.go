package values

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// atomics define what an atomic operation leaves in memory.
var atomics = map[builtin.Op]func(g *lanes, old, x uint64) uint64{
	builtin.OpAtomicLoad:     func(_ *lanes, old, _ uint64) uint64 { return old },
	builtin.OpAtomicStore:    func(_ *lanes, _, x uint64) uint64 { return x },
	builtin.OpAtomicExchange: func(_ *lanes, _, x uint64) uint64 { return x },
	builtin.OpAtomicFetchAdd: func(g *lanes, old, x uint64) uint64 { return g.sum(old, x) },
	builtin.OpAtomicFetchSub: func(g *lanes, old, x uint64) uint64 {
		if g.t.IsFloat() {
			return nearest(g.t, meaning(g.t, old)-meaning(g.t, x))
		}
		return wrapped(g.t, number(g.t, old).Sub(number(g.t, old), number(g.t, x)))
	},
	builtin.OpAtomicFetchAnd: func(_ *lanes, old, x uint64) uint64 { return old & x },
	builtin.OpAtomicFetchOr:  func(_ *lanes, old, x uint64) uint64 { return old | x },
	builtin.OpAtomicFetchXor: func(_ *lanes, old, x uint64) uint64 { return old ^ x },
	builtin.OpAtomicFetchMax: func(g *lanes, old, x uint64) uint64 { return g.largest(old, x) },
	builtin.OpAtomicFetchMin: func(g *lanes, old, x uint64) uint64 { return g.smallest(old, x) },
	builtin.OpAtomicMax:      func(g *lanes, old, x uint64) uint64 { return g.largest(old, x) },
	builtin.OpAtomicMin:      func(g *lanes, old, x uint64) uint64 { return g.smallest(old, x) },
	// In every other thread, the expected value equals the old one.
	builtin.OpAtomicCompareExchangeWeak: nil,
}

// TestAtomics tests every overload of the atomic functions, with a separate object per thread and
// with one object for all threads.
func TestAtomics(t *testing.T) {
	lib := builtin.New(types.NewUniverse())
	type atomic struct {
		*builtin.Instance
		name  string
		elem  *types.Basic
		group bool // the object is in threadgroup memory
	}
	var all []atomic
	var text strings.Builder
	text.WriteString(head)
	funcs := builtin.All()
	for i := range funcs {
		f := &funcs[i]
		if _, ok := atomics[f.Op]; !ok || f.Recv != "" || strings.HasPrefix(f.Name, "__") {
			continue
		}
		for _, inst := range lib.Instances(f) {
			object := inst.Params[0].Type.(*types.Pointer).Elem
			a := atomic{inst, fmt.Sprintf("k%d", len(all)), object.Type.(*types.Atomic).Elem, object.Space == types.Threadgroup}
			all = append(all, a)
			args := "x[i], memory_order_relaxed"
			before, after := "r[i] = ", ""
			switch f.Op {
			case builtin.OpAtomicLoad:
				args = "memory_order_relaxed"
			case builtin.OpAtomicStore, builtin.OpAtomicMax, builtin.OpAtomicMin:
				before = ""
			case builtin.OpAtomicCompareExchangeWeak:
				before = fmt.Sprintf("%s e = i %% 2 ? y[i] : x[i]; bool done = ", a.elem)
				args = "&e, x[i], memory_order_relaxed, memory_order_relaxed"
				after = "r[i] = e; f[i] = done;"
			}
			at := "p + i"
			if a.group {
				fmt.Fprintf(&text, `kernel void %s(device const %s *x [[buffer(0)]], device %[2]s *m [[buffer(1)]], device %[2]s *r [[buffer(2)]], device bool *f [[buffer(3)]], device const %[2]s *y [[buffer(4)]],
  threadgroup atomic<%[2]s> *p [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
  atomic_store_explicit(%s, m[i], memory_order_relaxed); %s %s(%s, %s); %s m[i] = atomic_load_explicit(%[3]s, memory_order_relaxed); }
`, a.name, a.elem, at, before, f.Name, at, args, after)
				continue
			}
			fmt.Fprintf(&text, `kernel void %s(device const %s *x [[buffer(0)]], device atomic<%[2]s> *p [[buffer(1)]], device %[2]s *r [[buffer(2)]], device bool *f [[buffer(3)]], device const %[2]s *y [[buffer(4)]],
  uint i [[thread_position_in_grid]]) { %s %s(%s, %s); %s }
`, a.name, a.elem, before, f.Name, at, args, after)
		}
	}
	require.Greater(t, len(all), 60)
	text.WriteString(`kernel void total(device atomic_uint &n [[buffer(0)]], device atomic_int &m [[buffer(1)]], device atomic_float &f [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  threadgroup atomic_uint own;
  if (i % 64 == 0) atomic_store_explicit(&own, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&own, i, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i % 64 == 5) atomic_fetch_add_explicit(&n, atomic_load_explicit(&own, memory_order_relaxed), memory_order_relaxed);
  atomic_fetch_max_explicit(&m, int(i * 7 % 100) - 90, memory_order_relaxed);
  atomic_fetch_add_explicit(&f, 0.5f, memory_order_relaxed);
}
`)
	m := compile(t, "atomics.metal", text.String())
	for _, a := range all {
		const threads = numSpecials * numSpecials / 4
		in := inputs(numSpecials*numSpecials, a.elem, a.elem)
		pick := func(j int) []byte { return fill(a.elem, threads, func(i, _ int) uint64 { return in[j][i*4+i%4] }) }
		l := &launch{kernel: a.name, grid: [3]int{threads}, group: [3]int{threads}, threadgroup: map[int]int{0: threads * 8},
			buffers: map[int][]byte{0: pick(0), 1: pick(1), 2: make([]byte, threads*8), 3: make([]byte, threads), 4: pick(1)}}
		run(t, m, l)
		g := &lanes{t: a.elem}
		bad := 0
		for i := range threads {
			x, old := laneOf(a.elem, l.buffers[0], i, 0), laneOf(a.elem, l.buffers[4], i, 0)
			var want, result uint64
			switch a.Fn.Op {
			case builtin.OpAtomicCompareExchangeWeak:
				want, result = old, old
				if equal := i%2 == 1 || x == old; equal {
					want = x
					if !isSet(l.buffers[3][i]) {
						t.Errorf("%s %s: thread %d does not exchange", a.Fn.Name, a.elem, i)
					}
				} else if isSet(l.buffers[3][i]) {
					t.Errorf("%s %s: thread %d exchanges", a.Fn.Name, a.elem, i)
				}
			case builtin.OpAtomicStore, builtin.OpAtomicMax, builtin.OpAtomicMin:
				want = atomics[a.Fn.Op](g, old, x)
			default:
				want, result = atomics[a.Fn.Op](g, old, x), old
			}
			now, got := laneOf(a.elem, l.buffers[1], i, 0), laneOf(a.elem, l.buffers[2], i, 0)
			if !same(a.elem, want, now, 0) || !same(a.elem, result, got, 0) {
				if bad++; bad <= 2 {
					t.Errorf("%s on %s: of %s and %s it leaves %s, want %s, and gives %s, want %s", a.Fn.Name, a.elem,
						show(a.elem, old), show(a.elem, x),
						show(a.elem, now), show(a.elem, want), show(a.elem, got), show(a.elem, result))
				}
			}
		}
	}
	l := &launch{kernel: "total", grid: [3]int{256}, group: [3]int{64},
		buffers: map[int][]byte{0: make([]byte, 4), 1: {0x9c, 0xff, 0xff, 0xff}, 2: make([]byte, 4)}}
	run(t, m, l)
	require.Equal(t, "[32640 9 128]",
		fmt.Sprint([]any{get(l.buffers[0], 4), int32(get(l.buffers[1], 4)), meaning(types.Float, get(l.buffers[2], 4))}))
}

func isSet(b byte) bool { return b != 0 }
