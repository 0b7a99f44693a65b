package observe_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/observe"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// job is a launch of the only kernel of a source, with buffers by slot.
type job struct {
	source      string
	grid, group [3]int
	buffers     [][]byte
	options     observe.Options
	workers     int
	error       string // the launch fails with it
}

func (j *job) kernel(t testing.TB) *ir.Func {
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "k.metal",
		Text: "#include <metal_stdlib>\nusing namespace metal;\n" + j.source}, msl.Options{NoWarnings: true})
	require.Empty(t, diags)
	require.Len(t, m.IR.Funcs, 1)
	return m.IR.Funcs[0]
}

// prepare returns the launch.
func (j *job) prepare() *exec.Launch {
	l := &exec.Launch{Grid: j.grid, Group: j.group, Space: &exec.Space{}}
	for i, data := range j.buffers {
		l.Space.Set(uint32(i+1), exec.Object{Data: data})
		l.Buffers = append(l.Buffers, exec.Address(uint32(i+1), 0))
	}
	return l
}

func (j *job) run(t testing.TB) *event.Launch {
	f, l := j.kernel(t), j.prepare()
	e := exec.NewEngine(max(j.workers, 1))
	defer e.Close()
	o, err := observe.New(l, j.options)
	require.NoError(t, err)
	l.Hook = o
	err = e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l)
	if j.error == "" {
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, j.error)
	}
	r := o.Result(f, err)
	assert.False(t, r.End.Before(r.Start))
	r.Start, r.End = time.Time{}, time.Time{} // so that results can be compared
	return r
}

// site returns the site of an operation on some memory.
func site(t testing.TB, r *event.Launch, o event.Operation, memory string) *event.Site {
	t.Helper()
	for i := range r.Sites {
		if s := &r.Sites[i]; s.Operation == o && s.Memory == memory {
			return s
		}
	}
	require.Failf(t, "no site", "%s of %s in %+v", o, memory, r.Sites)
	return nil
}

func words(n int) []byte { return make([]byte, 4*n) }

// permutation returns the numbers below n in random order.
func permutation(n int) []byte {
	data := words(n)
	for i, x := range rand.New(rand.NewPCG(5, 6)).Perm(n) {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(x))
	}
	return data
}

// TestAccesses: what launches of 1024 threads in threadgroups of 64 do, worked out by hand: 32
// executions of each access, with 32 lanes each.
func TestAccesses(t *testing.T) {
	for _, c := range []struct {
		name, source, memory string
		operation            event.Operation
		bytes                int // of a lane
		unique               int64
		lines                [3]int64 // of an execution
		pattern              string
		stride               int64 // of strided ones
		footprint            int64
	}{
		// 128 bytes in a row: 4 sectors of 32, 2 lines of 64, 1 of 128.
		{"copy in", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[i]; }`, "a", event.Load, 4, 128, [3]int64{4, 2, 1},
			"sequential", 0, 4096},
		{"copy out", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[i]; }`, "b", event.Store, 4, 128, [3]int64{4, 2, 1},
			"sequential", 0, 4096},
		// A float4 is one access of 16 bytes: 512 bytes in a row.
		{"vectors", `kernel void k(device const float4 *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { float4 x = a[i]; b[i] = x.x + x.w; }`, "a", event.Load, 16, 512,
			[3]int64{16, 8, 4}, "sequential", 0, 16384},
		// One word for all: one line.
		{"broadcast", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[3]; }`, "a", event.Load, 4, 4, [3]int64{1, 1, 1},
			"broadcast", 0, 32},
		// A distance of 128 bytes: each lane has a line of its own.
		{"columns", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[32 * (i % 32) + i / 32]; }`, "a", event.Load, 4, 128,
			[3]int64{32, 32, 32}, "strided", 128, 4096},
		// Every third float: 380 bytes, which begin at a multiple of 384: all 12 sectors.
		{"a member", `struct S { float x, y, z; }; kernel void k(device const S *a [[buffer(0)]],
			device float *b [[buffer(1)]], uint i [[thread_position_in_grid]]) { b[i] = a[i].x; }`, "a", event.Load, 4,
			128, [3]int64{12, 6, 3}, "strided", 12, 12288},
		// Backwards, aligned.
		{"backwards", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[1023 - i]; }`, "a", event.Load, 4, 128, [3]int64{4, 2, 1},
			"strided", -4, 4096},
		// Rows of 8 floats, 256 bytes apart: four sectors, each in a line of its own.
		{"tiles", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[i % 8 + i / 8 % 4 * 64 + i / 32 * 256]; }`, "a", event.Load, 4,
			128, [3]int64{4, 4, 4}, "tiled", 4, 4096},
		// A byte for each lane.
		{"bytes", `kernel void k(device const uchar *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[i]; }`, "a", event.Load, 1, 32, [3]int64{1, 1, 1},
			"sequential", 0, 1024},
		// Off by a word: one more sector and line.
		{"unaligned", `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) { b[i] = a[i + 1]; }`, "a", event.Load, 4, 128, [3]int64{5, 3, 2},
			"sequential", 0, 4128},
		// A structure copied as a whole.
		{"copies", `struct S { float x[8]; }; kernel void k(device const S *a [[buffer(0)]],
			device S *b [[buffer(1)]], uint i [[thread_position_in_grid]]) { b[i] = a[i]; }`, "b", event.Store, 32, 1024,
			[3]int64{32, 16, 8}, "sequential", 0, 32768},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := (&job{source: c.source, grid: [3]int{1024}, group: [3]int{64},
				buffers: [][]byte{words(16384), words(16384)}}).run(t)
			require.True(t, r.Whole())
			require.EqualValues(t, 16, r.Observed)
			s := site(t, r, c.operation, c.memory)
			assert.Equal(t, event.Device, s.Space)
			assert.Equal(t, "k.metal", s.File)
			assert.Equal(t, c.bytes, s.Size)
			assert.EqualValues(t, 32, s.Executions)
			assert.EqualValues(t, 1024, s.Accesses)
			assert.EqualValues(t, 1024*c.bytes, s.Bytes)
			assert.Equal(t, 32*c.unique, s.Unique)
			assert.Equal(t, [3]int64{32 * c.lines[0], 32 * c.lines[1], 32 * c.lines[2]}, s.Transactions)
			assert.Equal(t, c.pattern, s.Patterns.Main())
			assert.Equal(t, s.Bytes, int64(s.Patterns.Share(c.pattern)*float64(s.Bytes)), "all bytes have the pattern")
			if c.stride != 0 {
				assert.Equal(t, []event.Stride{{Stride: c.stride, Bytes: s.Bytes}}, s.Strides)
			}
			assert.Equal(t, c.footprint, s.Footprint)
			e, ok := s.Efficiency(128)
			require.True(t, ok)
			assert.InDelta(t, float64(c.unique)/float64(128*c.lines[2]), e, 1e-12)
			_, ok = s.Efficiency(100)
			assert.False(t, ok)
		})
	}
}

// TestRandom: a gather through a permutation is random, with a high entropy.
func TestRandom(t *testing.T) {
	r := (&job{source: `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
		device const uint *at [[buffer(2)]], uint i [[thread_position_in_grid]]) { b[i] = a[at[i]]; }`,
		grid: [3]int{1024}, group: [3]int{64}, buffers: [][]byte{words(1024), words(1024), permutation(1024)}}).run(t)
	s := site(t, r, event.Load, "a")
	assert.Equal(t, "random", s.Patterns.Main())
	assert.Greater(t, s.Entropy, 8.0)
	assert.EqualValues(t, 4096, s.Footprint)
	assert.Greater(t, s.Transactions[2], int64(32*15), "32 words in 32 lines of the buffer: about 20 lines")
	at := site(t, r, event.Load, "at")
	assert.Equal(t, "sequential", at.Patterns.Main())
	assert.Zero(t, at.Entropy)
	totals := r.Totals()
	assert.Equal(t, s.Transactions[0]+at.Transactions[0]+32*4, totals.Transactions[0])
	assert.EqualValues(t, 3*4096, totals.Bytes)
}

// TestMemories: footprints and hot lines, by argument, also if arguments share a buffer.
func TestMemories(t *testing.T) {
	j := job{source: `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
		uint i [[thread_position_in_grid]]) { b[i] = a[i % 32] + a[64]; }`, grid: [3]int{1024}, group: [3]int{64},
		buffers: [][]byte{words(1024), words(2048)}}
	r := j.run(t)
	require.Len(t, r.Memories, 2)
	assert.Equal(t, event.Memory{Name: "a", Size: 4096, Footprint: 160, Lines: 2,
		Hot: []event.Hot{{Offset: 0, Transactions: 32}, {Offset: 256, Transactions: 32}}}, r.Memories[0])
	b := r.Memories[1]
	assert.Equal(t, []int64{8192, 4096, 32, 8}, []int64{b.Size, b.Footprint, b.Lines, int64(len(b.Hot))})

	f, l := j.kernel(t), j.prepare()
	l.Buffers[0] = exec.Address(2, 4096) // a is the second half of b's buffer
	e := exec.NewEngine(1)
	defer e.Close()
	o, err := observe.New(l, observe.Options{Used: func(uint64) int { return 8000 }})
	require.NoError(t, err)
	l.Hook = o
	require.NoError(t, e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l))
	r = o.Result(f, nil)
	require.Len(t, r.Memories, 2)
	assert.Equal(t, event.Memory{Name: "a", Size: 8000 - 4096, Footprint: 160, Lines: 2,
		Hot: []event.Hot{{Offset: 0, Transactions: 32}, {Offset: 256, Transactions: 32}}}, r.Memories[0])
	assert.Equal(t, int64(4096), r.Memories[1].Size)
	assert.Equal(t, int64(4096), r.Memories[1].Footprint)
}

// TestDivergence: branches that lanes leave out, and loops that they leave early.
func TestDivergence(t *testing.T) {
	r := (&job{source: `kernel void k(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) {
		float x = b[i];
		if (i % 2 == 0) {
			x = a[i];
		} else {
			x = a[i + 1] * 2.0f;
		}
		if (i < 512) {
			x += a[i + 2];
		}
		for (uint n = 0; n < i % 4; n++) {
			x += b[n];
		}
		b[i] = x;
	}`, grid: [3]int{1024}, group: [3]int{64}, buffers: [][]byte{words(2048), words(2048)}}).run(t)
	byKind := map[string][]event.Branch{}
	for _, b := range r.Branches {
		byKind[fmt.Sprint(b.Kind, " ", b.Line)] = append(byKind[fmt.Sprint(b.Kind, " ", b.Line)], b)
	}
	require.Len(t, byKind["if 6"], 1)
	assert.Equal(t, [4]int64{32, 32, 512, 1024}, counts(byKind["if 6"][0]), "half of the lanes of each simdgroup")
	require.Len(t, byKind["else 6"], 1)
	assert.Equal(t, [4]int64{32, 32, 512, 1024}, counts(byKind["else 6"][0]))
	require.Len(t, byKind["if 11"], 1)
	assert.Equal(t, [4]int64{16, 0, 512, 512}, counts(byKind["if 11"][0]), "whole simdgroups")
	// Lanes go through the body 0, 1, 2 or 3 times: 24, 16 and 8 lanes are in it, and all 32 compare
	// first. The loop's region itself begins with the comparison.
	require.NotEmpty(t, byKind["loop 14"])
	loop := byKind["loop 14"][0]
	assert.Equal(t, [4]int64{32 * 4, 32 * 3, 32 * (32 + 24 + 16 + 8), 32 * 32 * 4}, counts(loop))
	assert.Less(t, r.SimdEfficiency(), 1.0)
	assert.Greater(t, r.SimdEfficiency(), 0.5)
	// A product in the else, a sum in the second if, and sums in the loop.
	assert.EqualValues(t, 512+512+1024*(0+1+2+3)/4, r.FloatOperations)
	half := site(t, r, event.Load, "a")
	assert.Equal(t, "sequential", half.Patterns.Main(), "with gaps where lanes are not active")
	assert.EqualValues(t, 64, half.Unique/half.Executions)
	for _, l := range r.Lines {
		if l.Line == 7 {
			assert.EqualValues(t, 32, 2*l.ActiveLanes/l.Instructions, "half of the lanes are active")
			assert.EqualValues(t, 32, l.Transactions[2])
		}
	}
}

func counts(b event.Branch) [4]int64 { return [4]int64{b.Entries, b.Divergent, b.Active, b.Before} }

// TestAtomics: all threads add to one of 4 counters in device memory and to one of 2 in threadgroup
// memory.
func TestAtomics(t *testing.T) {
	r := (&job{source: `kernel void k(device atomic_uint *a [[buffer(0)]], device uint *b [[buffer(1)]],
			uint i [[thread_position_in_grid]], uint j [[thread_position_in_threadgroup]]) {
		threadgroup atomic_uint n[2];
		if (j < 2) atomic_store_explicit(&n[j], 0, memory_order_relaxed);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		atomic_fetch_add_explicit(&n[j / 32], 1, memory_order_relaxed);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		atomic_fetch_add_explicit(&a[i % 4], 1, memory_order_relaxed);
		b[i] = atomic_load_explicit(&n[0], memory_order_relaxed);
	}`, grid: [3]int{1024}, group: [3]int{64}, buffers: [][]byte{words(4), words(1024)}}).run(t)
	s := site(t, r, event.Atomic, "a")
	assert.Equal(t, &event.Contention{Operations: 1024, Addresses: 4, Combined: 16 * 4, Threadgroups: 16, Serial: 32 * 8,
		Most: 256, Simdgroups: 32}, s.Contention)
	assert.Equal(t, [3]int64{32, 32, 32}, s.Transactions)
	var n []*event.Contention
	for i := range r.Sites {
		if r.Sites[i].Space == event.Threadgroup {
			n = append(n, r.Sites[i].Contention)
			_, ok := r.Sites[i].Efficiency(128)
			assert.False(t, ok)
			assert.Zero(t, r.Sites[i].Footprint)
		}
	}
	require.Len(t, n, 3)
	assert.Equal(t, &event.Contention{Operations: 32, Addresses: 2, Serial: 16, Most: 1, Simdgroups: 1}, n[0])
	assert.Equal(t, &event.Contention{Operations: 1024, Addresses: 2, Serial: 1024, Most: 32, Simdgroups: 1}, n[1])
	assert.Equal(t, &event.Contention{Operations: 1024, Addresses: 1, Serial: 1024, Most: 64, Simdgroups: 2}, n[2])
}

// TestBanks: a column of a square tile in threadgroup memory is in one bank; padding spreads it.
func TestBanks(t *testing.T) {
	for _, c := range []struct {
		width  int
		passes int64
	}{{32, 32}, {33, 1}} {
		r := (&job{source: fmt.Sprintf(`kernel void k(device float *a [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
			threadgroup float tile[32 * %[1]d];
			tile[i * %[1]d] = i;
			a[i] = tile[i * %[1]d];
		}`, c.width), grid: [3]int{32}, group: [3]int{32}, buffers: [][]byte{words(32)}}).run(t)
		assert.Equal(t, 4*32*c.width, r.ThreadgroupMemory)
		assert.Equal(t, c.passes, site(t, r, event.Load, "tile").BankPasses)
		assert.Equal(t, c.passes, site(t, r, event.Store, "tile").BankPasses)
	}
}

// TestBalance: simdgroups and threadgroups with different amounts of work.
func TestBalance(t *testing.T) {
	source := `kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		float x = a[i];
		for (uint n = 0; n < %s; n++) x = x * 0.5f + 1.0f;
		a[i] = x;
	}`
	even := (&job{source: fmt.Sprintf(source, "10"), grid: [3]int{1024}, group: [3]int{64},
		buffers: [][]byte{words(1024)}}).run(t).Balance
	assert.Equal(t, even.Simdgroups.Min, even.Simdgroups.Max)
	assert.Equal(t, 2*even.Simdgroups.Median, even.Threadgroups.Median)
	skewed := (&job{source: fmt.Sprintf(source, "(i < 64 ? 1000 : 10)"), grid: [3]int{1024}, group: [3]int{64},
		buffers: [][]byte{words(1024)}}).run(t).Balance
	assert.Greater(t, skewed.Threadgroups.Max, 20*skewed.Threadgroups.Median)
	assert.Equal(t, skewed.Threadgroups.Min, skewed.Threadgroups.Median)
}

// TestReuseOfLaunch: each threadgroup reads 2 lines 16 times each, one after the other.
func TestReuseOfLaunch(t *testing.T) {
	r := (&job{source: `kernel void k(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
			uint i [[thread_position_in_grid]]) {
		float x = 0;
		for (uint n = 0; n < 16; n++) x += a[n % 2 * 32];
		if (x == 1) b[i] = x;
	}`, grid: [3]int{256}, group: [3]int{32}, buffers: [][]byte{words(64), words(256)},
		options: observe.Options{ReuseThreadgroups: 4}}).run(t)
	assert.Equal(t, event.Reuse{Threadgroups: 4, First: 8, Distances: []int64{0, 4 * 14}}, r.Reuse)
	assert.Zero(t, r.Reuse.Within(1))
	assert.InDelta(t, 14.0/16, r.Reuse.Within(2), 1e-12)
}

// mixed has all kinds of accesses.
const mixed = `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
		device const uint *at [[buffer(2)]], device atomic_uint *n [[buffer(3)]], uint2 p [[thread_position_in_grid]],
		uint2 q [[thread_position_in_threadgroup]], uint2 size [[threads_per_grid]]) {
	threadgroup float tile[8][9];
	uint i = p.x + p.y * size.x;
	tile[q.y][q.x] = a[at[i]] + a[i / 3];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (p.x % 3 == 0) atomic_fetch_add_explicit(&n[at[i] % 5], 1, memory_order_relaxed);
	b[p.y + p.x * size.y] = tile[q.x % 4][q.y % 4];
}`

func mixedJob() *job {
	return &job{source: mixed, grid: [3]int{60, 60}, group: [3]int{8, 8},
		buffers: [][]byte{words(3600), words(3600), permutation(3600), words(5)}}
}

// TestOrder: results do not depend on the number of workers.
func TestOrder(t *testing.T) {
	one := mixedJob()
	want := one.run(t)
	require.NotEmpty(t, want.Sites)
	for range 3 {
		two := mixedJob()
		two.workers = 2
		have := two.run(t)
		assert.Equal(t, want, have)
		assert.Equal(t, one.buffers, two.buffers)
	}
}

// TestSampled: a sample of threadgroups counts what they do, and the launch computes the same.
func TestSampled(t *testing.T) {
	whole, part := mixedJob(), mixedJob()
	all := whole.run(t)
	part.options = observe.Options{Threadgroups: 16, Seed: 3}
	r := part.run(t)
	assert.Equal(t, whole.buffers, part.buffers)
	assert.False(t, r.Whole())
	assert.EqualValues(t, 16, r.Observed)
	assert.EqualValues(t, 64, r.Threadgroups)
	require.Equal(t, len(all.Sites), len(r.Sites))
	assert.InDelta(t, 0.25, float64(r.Totals().Accesses)/float64(all.Totals().Accesses), 0.05)
	want, have := all.Totals(), r.Totals()
	for _, line := range event.LineSizes {
		x, _ := want.Efficiency(line)
		y, _ := have.Efficiency(line)
		assert.InDelta(t, x, y, 0.1*x)
	}
	again := mixedJob()
	again.options = part.options
	second := again.run(t)
	assert.Equal(t, r, second, "the same seed")
}

// TestFailed: what a failed launch did until then is reported, with its error; threadgroups that
// have not ended are not counted.
func TestFailed(t *testing.T) {
	r := (&job{source: `kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]],
			uint j [[thread_position_in_threadgroup]]) {
		a[i] = 1;
		if (i >= 64 && j < 32) threadgroup_barrier(mem_flags::mem_threadgroup);
		else if (i >= 64) threadgroup_barrier(mem_flags::mem_device);
	}`, grid: [3]int{128}, group: [3]int{64}, buffers: [][]byte{words(128)}, error: "barrier"}).run(t)
	assert.NotEmpty(t, r.Error)
	assert.False(t, r.Whole())
	assert.EqualValues(t, 1, r.Observed)
	out := (&job{source: `kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		a[i] = 1; }`, grid: [3]int{128}, group: [3]int{64}, buffers: [][]byte{words(100)}}).run(t)
	assert.EqualValues(t, 28, out.Sites[0].Outside)
	assert.EqualValues(t, 100, out.Sites[0].Accesses)
	_, err := observe.New(&exec.Launch{Grid: [3]int{-1}}, observe.Options{})
	require.ErrorIs(t, err, exec.ErrLaunch)
}
