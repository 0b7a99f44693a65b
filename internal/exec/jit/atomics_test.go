package jit

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// atomicKernels are operations on numbers of a type TYPE in threadgroup and device memory, with and
// without results, at places of their own and at one for all, also outside of the memory.
const atomicKernels = `
kernel void results(device uint *out [[buffer(0)]], device const TYPE *in [[buffer(1)]],
                    device atomic_TYPE *mem [[buffer(2)]], device const uint *at [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_TYPE s[32];
  if (t < 32) atomic_store_explicit(&s[t], in[t], memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint old = as_type<uint>(OP(&s[at[i] & 63], in[i], memory_order_relaxed));
  if (i % 3 != 0) old ^= as_type<uint>(OP(&mem[at[i + 1] & 127], in[i + 1], memory_order_relaxed));
  threadgroup_barrier(mem_flags::mem_threadgroup);
  old += as_type<uint>(OP(&s[5], in[i + 2], memory_order_relaxed)) * 3;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = old ^ as_type<uint>(atomic_load_explicit(&s[at[i] & 31], memory_order_relaxed)) * 5;
}
kernel void none(device uint *out [[buffer(0)]], device const TYPE *in [[buffer(1)]],
                 device atomic_TYPE *mem [[buffer(2)]], device const uint *at [[buffer(3)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_TYPE s[32];
  OP(&s[at[i] & 63], in[i], memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  OP(&s[at[i + 1] & 31], in[i + 2], memory_order_relaxed);
  if (i % 5 != 0) OP(&mem[at[i + 1] & 127], in[i + 1], memory_order_relaxed);
  OP(&mem[3], in[i], memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = as_type<uint>(atomic_load_explicit(&s[t & 31], memory_order_relaxed));
}`

// atomicFloats are operations on floats, which are in device memory.
const atomicFloats = `
kernel void results(device uint *out [[buffer(0)]], device const float *in [[buffer(1)]],
                    device atomic_float *mem [[buffer(2)]], device const uint *at [[buffer(3)]],
                    uint i [[thread_position_in_grid]]) {
  out[i] = as_type<uint>(OP(&mem[at[i] & 1023], in[i], memory_order_relaxed));
}
kernel void none(device uint *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 device atomic_float *mem [[buffer(2)]], device const uint *at [[buffer(3)]],
                 uint i [[thread_position_in_grid]]) {
  if (i % 5 != 0) OP(&mem[at[i] & 127], in[i] * 2, memory_order_relaxed);
  OP(&mem[3], in[i], memory_order_relaxed);
}`

// atomicLoops wait for others, or try until they succeed.
const atomicLoops = `
kernel void sums(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                 device atomic_uint *mem [[buffer(2)]], device const uint *at [[buffer(3)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint s[32];
  uint x = atomic_load_explicit(&s[at[i] & 31], memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&s[at[i] & 31], &x, x + in[i], memory_order_relaxed,
                                                memory_order_relaxed));
  x = 0;
  while (!atomic_compare_exchange_weak_explicit(&mem[at[i] & 63], &x, x * 3 + 1, memory_order_relaxed,
                                                memory_order_relaxed));
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = atomic_load_explicit(&s[t & 31], memory_order_relaxed);
}
kernel void waits(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                  device atomic_uint *mem [[buffer(2)]], device const uint *at [[buffer(3)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint n [[threads_per_threadgroup]]) {
  threadgroup atomic_uint s[4];
  uint x = in[i], k = x & 3;
  if (t >= n - 4) atomic_store_explicit(&s[t & 3], x | 1, memory_order_relaxed);
  while (atomic_load_explicit(&s[k], memory_order_relaxed) == 0) {}
  out[i] = x + atomic_load_explicit(&s[k ^ 1], memory_order_relaxed);
}`

// runAtomics runs a kernel and returns the memory that it has written.
func runAtomics(t *testing.T, k *exec.Kernel, threads int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	const most = 600
	out, in, at, mem := make([]byte, 4*most), make([]byte, 4*most+8), make([]byte, 4*most+8), make([]byte, 4*most)
	for i := range most + 2 {
		x := rng.Uint32() >> rng.UintN(20)
		binary.LittleEndian.PutUint32(in[4*i:], x&^(1<<30)) // neither a NaN nor an infinity
		binary.LittleEndian.PutUint32(at[4*i:], rng.Uint32())
	}
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	sp.Set(2, exec.Object{Data: in, ReadOnly: true})
	sp.Set(3, exec.Object{Data: mem})
	sp.Set(4, exec.Object{Data: at, ReadOnly: true})
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{2 * threads}, Group: [3]int{threads}, Space: sp,
		Fuel:    1 << 32,
		Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0), exec.Address(4, 0)}}))
	return string(out) + string(mem)
}

// TestMachineCodeAtomics: atomic operations have the interpreter's results, and those of lanes are
// machine code but for the ones that the interpreter has faster ways for.
func TestMachineCodeAtomics(t *testing.T) {
	needMachineCode(t)
	for _, row := range []string{"int fetch_add fetch_sub fetch_min fetch_max fetch_and fetch_or fetch_xor exchange",
		"uint fetch_add fetch_min fetch_max exchange", "float fetch_add fetch_sub exchange"} {
		names := strings.Fields(row)
		typ := names[0]
		for _, name := range names[1:] {
			text := atomicKernels
			if typ == "float" {
				text = atomicFloats
			}
			ks := kernelsOf(t, strings.NewReplacer("TYPE", typ, "OP", "atomic_"+name+"_explicit").Replace(text))
			for _, kernel := range []string{"results", "none"} {
				testAtomics(t, ks[kernel], fmt.Sprintf("%s of %s, %s", name, typ, kernel), func(in *lir.Inst, p *lir.Program) bool {
					apart := p.Var(in.A).Class != lir.Once || in.B != 0 && p.Var(in.B).Class != lir.Once
					return in.Space == ir.Threadgroup || apart && (kernel == "results" || name != "fetch_add" || typ == "float")
				})
			}
		}
	}
	ks := kernelsOf(t, atomicLoops)
	for _, kernel := range []string{"sums", "waits"} {
		testAtomics(t, ks[kernel], kernel, func(*lir.Inst, *lir.Program) bool { return false })
	}
}

// testAtomics compares a kernel in the interpreter and as machine code, in which the instructions
// that compiled reports must be.
func testAtomics(t *testing.T, k *exec.Kernel, what string, must func(*lir.Inst, *lir.Program) bool) {
	t.Helper()
	for _, threads := range []int{20, 256, 300} {
		want := runAtomics(t, k, threads)
		for _, o := range machineCodes(Options{}, Options{Blocks: 1, Spill: true}, Options{Cold: true}) {
			k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			require.True(t, want == runAtomics(t, k, threads), "%s, %d threads, %+v", what, threads, o)
			p, err := compiled(k, [3]int{threads, 1, 1})
			require.NoError(t, err)
			for pc := range p.lir.Code {
				in := &p.lir.Code[pc]
				if !in.Op.IR().Info().Has(ir.Atomic) || in.Per != lir.Lane || !must(in, p.lir) {
					continue
				}
				inside := slices.ContainsFunc(p.ranges, func(r *Range) bool { return r.From <= pc && pc < r.To })
				require.True(t, inside, "instruction %d of %s is interpreted, %d threads, %+v\n%v", pc, what, threads, o, p.lir)
			}
		}
	}
}
