package sanitize_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/sanitizer"
)

// accesses writes random kernels: accesses of several widths and patterns, barriers and branches.
type accesses struct {
	*rand.Rand
	b     strings.Builder
	n     int // variables so far
	shape [3]int
}

func (r *accesses) pick(list ...string) string { return list[r.IntN(len(list))] }

// index returns an index for elements of a size, which is usually inside of 1024 bytes.
func (r *accesses) index(size int) string {
	n := 1024 / size
	if r.IntN(2) == 0 { // whole lines
		return r.pick("t", fmt.Sprintf("t + %d", 64/size*r.IntN(3)), fmt.Sprintf("p.y * %d + p.x", 64/size*r.IntN(3)),
			fmt.Sprintf("p.x * %d + p.y", 64/size*r.IntN(2)), fmt.Sprintf("p.y * 16 + %d", r.IntN(16)))
	}
	switch r.IntN(9) {
	case 0:
		return fmt.Sprint(r.IntN(n))
	case 1:
		return fmt.Sprintf("t + %d", r.IntN(40))
	case 2:
		return fmt.Sprintf("%d * t", 1+r.IntN(3))
	case 3:
		return fmt.Sprintf("p.y * %d + p.x", r.IntN(20))
	case 4:
		return fmt.Sprintf("p.x * %d + p.y", r.IntN(20))
	case 5:
		return fmt.Sprintf("(t * %d + %d) %% %d", r.IntN(50), r.IntN(50), n)
	case 6:
		return fmt.Sprintf("t / %d", 1+r.IntN(40))
	case 7:
		return fmt.Sprintf("%d - t", n/2)
	}
	return "t"
}

func (r *accesses) line(depth int, format string, args ...any) {
	r.b.WriteString(strings.Repeat("    ", depth+1) + fmt.Sprintf(format, args...) + "\n")
}

func (r *accesses) statements(n, depth int) {
	for range n {
		memory := r.pick("a", "s", "s", "c")
		space := map[string]string{"a": "device", "s": "threadgroup", "c": "device"}[memory]
		typ := r.pick("uint", "uint", "uint", "uint", "uint", "uint", "uchar", "ushort", "ulong", "uint2")
		size := map[string]int{"uint": 4, "uchar": 1, "ushort": 2, "ulong": 8, "uint2": 8}[typ]
		at := fmt.Sprintf("((%s %s *)%s)[%s]", space, typ, memory, r.index(size))
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			r.n++
			r.line(depth, "%s v%d = %s;", typ, r.n, at)
			if r.IntN(3) == 0 {
				r.line(depth, "sum += uint(v%d%s);", r.n, map[bool]string{true: ".x"}[typ == "uint2"])
			}
		case 4, 5, 6:
			r.line(depth, "%s = %s;", at, map[bool]string{true: "uint2(sum, t)", false: typ + "(" +
				r.pick("sum", "t", "7", "0", "p.x") + ")"}[typ == "uint2"])
		case 7:
			if depth == 0 {
				r.line(depth, "threadgroup_barrier(mem_flags::%s);", r.pick("mem_threadgroup", "mem_device",
					"mem_threadgroup"))
			}
		case 8:
			r.line(depth, "simdgroup_barrier(mem_flags::mem_threadgroup);")
		case 9, 10:
			if depth < 2 {
				r.line(depth, "if (%s) {", r.pick("t < 16", "t > 5", "t == 0", "t % 2 == 0", "t / 32 == 1", "p.y == 0"))
				r.statements(1+r.IntN(3), depth+1)
				r.line(depth, "}")
			}
		case 11:
			r.line(depth, "atomic_fetch_add_explicit((%s atomic_uint *)%s + %s, 1u, memory_order_relaxed);", space, memory,
				r.index(4))
		}
	}
}

func (r *accesses) kernel() string {
	r.b.WriteString(`#include <metal_stdlib>
using namespace metal;
kernel void k(device uint *a [[buffer(0)]], device uint *c [[buffer(1)]], uint t [[thread_index_in_threadgroup]],
              uint3 p [[thread_position_in_threadgroup]]) {
    threadgroup uint s[256];
    uint sum = t;
`)
	if r.IntN(2) == 0 {
		r.line(0, "for (uint i = t; i < 256; i += %d)", r.shape[0]*r.shape[1]*r.shape[2])
		r.line(1, "s[i] = i;")
		r.line(0, "threadgroup_barrier(mem_flags::mem_threadgroup);")
	}
	r.statements(4+r.IntN(10), 0)
	r.b.WriteString("}\n")
	return r.b.String()
}

// lines is a kernel in which lanes of a simdgroup read whole lines of memory that others of it have
// read, and then write them: that each line is read and written by the same lanes in the end does
// not hide the race.
const lines = `#include <metal_stdlib>
using namespace metal;
kernel void k(device uint *a [[buffer(0)]], device uint *c [[buffer(1)]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[256];
    for (uint i = t; i < 256; i += 32)
        s[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[t];
    uint y = s[t + 16];
    s[t + 16] = 1000 + x + y;
}
`

// TestBytewise: many lanes and bytes at a time are compared as one lane and byte after another are.
func TestBytewise(t *testing.T) {
	kernels, races := 300, 0
	if testing.Short() {
		kernels = 40
	}
	e := exec.NewEngine(1)
	defer e.Close()
	for seed := range uint64(kernels) {
		r := &accesses{Rand: rand.New(rand.NewPCG(seed, 16))}
		r.shape = [][3]int{{64, 1, 1}, {16, 4, 1}, {128, 1, 1}, {8, 8, 2}, {33, 2, 1}, {300, 1, 1},
			{32, 1, 1}}[r.IntN(7)]
		text := r.kernel()
		if seed == 0 {
			r.shape, text = [3]int{32, 1, 1}, lines
		}
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "k.metal", Text: text},
			msl.Options{NoWarnings: true, KeepUninitialized: true})
		require.Empty(t, diags, text)
		k := exec.NewKernel(m.IR.Funcs[0], exec.Options{Backend: vm.Backend{}})
		findings := func(watch func(*sanitize.Sanitizer, *exec.Launch) hook.Hook) []string {
			l := &exec.Launch{Grid: [3]int{r.shape[0] * 2, r.shape[1], r.shape[2]}, Group: r.shape, Space: &exec.Space{},
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}
			l.Space.Set(1, exec.Object{Data: make([]byte, 1024)})
			l.Space.Set(2, exec.Object{Data: make([]byte, 1000)})
			s := sanitize.New(sanitizer.All, nil)
			l.Hook = watch(s, l)
			if err := e.Run(context.Background(), k, l); !errors.Is(err, exec.ErrDivergentBarrier) {
				require.NoError(t, err)
			}
			var list []string
			for _, f := range s.Findings() {
				line := fmt.Sprintf("%v %v %s", f.Kind, f.Place, f.Memory)
				if f.Other != nil {
					line += fmt.Sprint(" and ", f.Other.Place)
					races++
				}
				list = append(list, line)
			}
			sort.Strings(list)
			return list
		}
		want := findings((*sanitize.Sanitizer).Bytewise)
		have := findings((*sanitize.Sanitizer).Launch)
		if !assert.Equal(t, want, have, "seed %d:\n%s", seed, text) {
			break
		}
	}
	assert.Greater(t, races, kernels)
}
