package jit

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
)

// TestMachineCodePairs: two functions of the same number that are computed together have the bits
// that they have alone. The number is overwritten between them in the last kernels.
func TestMachineCodePairs(t *testing.T) {
	needMachineCode(t)
	type pair struct {
		name string
		a, b ir.Op
		same bool // the number
	}
	const kernel = `
kernel void %s(device float *out [[buffer(0)]], device const float *x [[buffer(1)]],
               uint i [[thread_position_in_grid]]) {
  float a = x[i];
  %s
  out[2*i] = p;
  out[2*i+1] = q;
}`
	var pairs []pair
	var text strings.Builder
	add := func(p pair, body string) {
		p.name = fmt.Sprintf("pair%d", len(pairs))
		pairs = append(pairs, p)
		fmt.Fprintf(&text, kernel, p.name, body)
	}
	for _, defs := range []struct {
		space string
		of    func(ir.Op) *fast.Program
	}{{"fast", fast.Of}, {"precise", fast.Exact}} {
		for a := range ir.NumOps {
			for b := range ir.NumOps {
				a, b := ir.Op(a), ir.Op(b)
				p, q := defs.of(a), defs.of(b)
				if p == nil || q == nil || a == b || p.Args != 1 || q.Args != 1 || fast.Of2(p, q).Shared < 8 {
					continue
				}
				add(pair{a: a, b: b, same: true}, fmt.Sprintf("float p = %s::%s(a), q = %s::%s(a);", defs.space,
					a.Info().Name, defs.space, b.Info().Name))
			}
		}
	}
	require.Greater(t, len(pairs), 10)
	add(pair{a: ir.OpSin, b: ir.OpCos}, "float p = sin(a); a = p * 3; float q = cos(a);")
	add(pair{a: ir.OpCos, b: ir.OpSin},
		"float p, q; for (uint k = 0; k <= i % 3; k++) { p = cos(a); a = a + 1; q = sin(a); }")
	ks := kernelsOf(t, text.String())
	const n = 1 << 12
	xs := make([]uint32, n)
	for i := range xs {
		xs[i] = math.Float32bits(float32(int32(uint32(i)*2654435761)) / (1 << 27))
	}
	copy(xs, hardNumbers)
	e := exec.NewEngine(1)
	run := func(p pair, b backend) (out []byte, pairs int) {
		out = make([]byte, 8*n)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: out})
		sp.Set(2, exec.Object{Data: words(xs...), ReadOnly: true})
		b.compiled = func(list []*Range) {
			for _, r := range list {
				pairs += r.Pairs
			}
		}
		k := exec.NewKernel(ks[p.name].Func(), exec.Options{Backend: b})
		require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{n}, Group: [3]int{256}, Space: sp,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
		return out, pairs
	}
	for _, p := range pairs {
		want, _ := run(p, backend{})
		for _, o := range machineCodes(Options{}, Options{Spill: true}, Options{Cold: true},
			Options{Calls: true}) {
			have, found := run(p, backend{Machine: o})
			switch {
			case !p.same:
				require.Zero(t, found, "%v and %v are computed together", p.a, p.b)
			case !o.AVX2: // some find too few registers there
				require.NotZero(t, found, "%v and %v are computed alone", p.a, p.b)
			}
			for i := range 2 * n {
				w, h := binary.LittleEndian.Uint32(want[4*i:]), binary.LittleEndian.Uint32(have[4*i:])
				a, b := math.Float32frombits(w), math.Float32frombits(h)
				if w != h && (a == a || b == b) {
					t.Fatalf("%v and %v of %#x: result %d is %v, want %v", p.a, p.b, xs[i/2], i%2, b, a)
				}
			}
		}
	}
}
