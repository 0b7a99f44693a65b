package analyze_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
)

// kernelOf analyzes the only kernel of a source.
func kernelOf(t *testing.T, body string, o analyze.KernelOptions) *analyze.Report {
	t.Helper()
	list, err := analyze.Kernels(t.Context(), analyze.Source{Name: "k.metal",
		Text: "#include <metal_stdlib>\nusing namespace metal;\n" + body}, o)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

func model(t *testing.T, name string) analyze.Model {
	t.Helper()
	m, err := analyze.ModelByName(name)
	require.NoError(t, err)
	return m
}

const head = `struct S { float x, y, z, w; };
kernel void k(device float *a [[buffer(0)]], device float4 *v [[buffer(1)]], device S *s [[buffer(2)]],
	device uint *u [[buffer(3)]], constant uint &n [[buffer(4)]], uint2 g [[thread_position_in_grid]],
	uint2 t [[thread_position_in_threadgroup]], uint i [[thread_index_in_threadgroup]],
	uint2 b [[threadgroup_position_in_grid]]) {
	threadgroup float m[1024];
`

// TestHandWorked: patterns, lines and efficiencies worked out by hand, for lines of 128 bytes and
// threadgroups of 32×8 threads: a simdgroup is a row, with x from 0 to 31.
func TestHandWorked(t *testing.T) {
	for _, c := range []struct {
		statement  string
		pattern    analyze.Pattern
		stride     string
		lines      string
		efficiency string
	}{
		// 32 × 4 bytes from a multiple of 128: a line that is used in full.
		{"a[g.x] = 1;", analyze.Sequential, "4", "1", "1"},
		// One row after the other, whose length of 1024 × 4 bytes is a multiple of 128.
		{"a[g.y * 1024 + g.x] = 1;", analyze.Sequential, "4", "1", "1"},
		// The length of a row is known at the launch: the row begins anywhere in a line, so that its 128
		// bytes are in one line or in two.
		{"a[g.y * n + g.x] = 1;", analyze.Sequential, "4", "1 to 2", "0.5 to 1"},
		// 4 bytes later than a line's begin: 31 elements in the first line, one in the second.
		{"a[g.x + 1] = 1;", analyze.Sequential, "4", "2", "0.5"},
		// Backward: the same bytes as forward.
		{"a[1023 - g.x] = 1;", analyze.Strided, "-4", "1", "1"},
		// 8 bytes apart: 256 bytes, of which half are used.
		{"a[g.x * 2] = 1;", analyze.Strided, "8", "2", "0.5"},
		// 4 KiB apart: each lane has a line, of which 4 of 128 bytes are used.
		{"a[g.x * 1024 + g.y] = 1;", analyze.Strided, "4096", "32", "0.03125"},
		// A row for each lane, of a length known at the launch: at best (n is 0) all are in one line.
		{"a[g.x * n + g.y] = 1;", analyze.LaunchDependent, "unknown", "1 to 32", "0.03125 to 1"},
		// Structures of 16 bytes: 512 bytes, of which a quarter is used.
		{"s[g.x].y = 1;", analyze.Strided, "16", "4", "0.25"},
		// Vectors of 16 bytes: 512 bytes, all used.
		{"v[g.x] = 1;", analyze.Sequential, "16", "4", "1"},
		// All lanes the same 4 bytes.
		{"a[b.x * 32] = 1;", analyze.Broadcast, "0", "1", "0.03125"},
		{"a[n] = 1;", analyze.Broadcast, "0", "1", "0.03125"},
		// Rows of 8 lanes with 4 bytes each, 256 bytes apart: 4 lines, of which 32 bytes are used.
		{"a[i % 8 + i / 8 * 64] = 1;", analyze.Tiled, "4", "4", "0.25"},
		// The same with shifts and masks.
		{"a[(i & 7) | (i >> 3 << 6)] = 1;", analyze.Tiled, "4", "4", "0.25"},
		// Neighbors exchanged: rows of two lanes backward, which are 8 bytes apart.
		{"a[i ^ 1] = 1;", analyze.Tiled, "-4", "1", "1"},
		// Two lanes for each element: rows of two at distance 0. 64 bytes, but simdgroups with an odd
		// number begin in the middle of a line, which changes nothing.
		{"a[i / 2] = 1;", analyze.Tiled, "0", "1", "0.5"},
		// What data says: 1 line at best, 32 at worst, of which 4 bytes are used.
		{"a[u[g.x]] = 1;", analyze.DataDependent, "unknown", "1 to 32", "0.03125 to 1"},
		// One address from memory for all lanes, then in sequence: anywhere in a line.
		{"a[u[0] + g.x] = 1;", analyze.Sequential, "4", "1 to 2", "0.5 to 1"},
		// i × i: 0, 1, 4, 9 ... 961 for the first simdgroup, and others for the next.
		{"a[i * i] = 1;", analyze.Irregular, "unknown", "", ""},
		// Loops: c × 32 floats are a multiple of a line.
		{"for (uint c = 0; c < 8; c++) a[c * 32 + g.x] = 1;", analyze.Sequential, "4", "1", "1"},
		// A pointer that moves by one float in each iteration.
		{"device float *p = a + g.x; for (uint c = 0; c < 8; c++) *p++ = 1;", analyze.Sequential, "4", "1 to 2", "0.5 to 1"},
		// Halves: 2 bytes of 32 lanes are half a line.
		{"((device half *)a)[t.x] = 1;", analyze.Sequential, "2", "1", "0.5"},
	} {
		r := kernelOf(t, head+c.statement+"}", analyze.KernelOptions{Threadgroup: [3]int{32, 8, 1}})
		require.NotEmpty(t, r.Accesses, c.statement)
		s := r.Accesses[len(r.Accesses)-1]
		assert.Equal(t, c.pattern, s.Pattern, c.statement)
		assert.Equal(t, c.stride, s.Stride.String(), c.statement)
		if c.lines != "" {
			assert.Equal(t, c.lines, s.Lines.String(), c.statement)
			assert.Equal(t, c.efficiency, s.Efficiency.String(), c.statement)
		}
	}
}

// TestBanks: passes of 32 banks of 4 bytes, and none claimed where they are not documented.
func TestBanks(t *testing.T) {
	for _, c := range []struct {
		index string
		want  string
	}{
		{"i", "1"}, {"i % 32 * 32", "32"}, {"i % 16 * 33", "1"}, {"i % 32 * 2", "2"}, {"0", "1"},
	} {
		for _, name := range []string{"nvidia", "vega"} {
			r := kernelOf(t, head+"m["+c.index+"] = 1; a[i] = m[0]; }", analyze.KernelOptions{Model: model(t, name)})
			assert.Equal(t, c.want, r.Accesses[0].BankPasses.String(), c.index)
		}
		r := kernelOf(t, head+"m["+c.index+"] = 1; a[i] = m[0]; }", analyze.KernelOptions{})
		assert.Equal(t, analyze.Unknown, r.Accesses[0].BankPasses.Certainty)
		assert.Contains(t, r.Accesses[0].BankPasses.Reason, "not documented")
	}
}

// TestPublishedOccupancy: Mesa's table of the threads that registers suffice for on families 7
// and 8.
func TestPublishedOccupancy(t *testing.T) {
	m := model(t, "apple7")
	for registers, threads := range map[int]float64{104: 1024, 112: 896, 128: 832, 136: 768, 144: 704, 160: 640, 184: 576,
		208: 512, 232: 448, 256: 384} {
		f := m.ThreadsOf(registers)
		assert.Equal(t, analyze.Exact, f.Certainty)
		assert.InDelta(t, threads, f.Value, 0, "%d registers", registers)
	}
	assert.InDelta(t, 3072, m.ThreadsOf(1).Value, 0)
	m = model(t, "apple9")
	assert.Equal(t, analyze.Unknown, m.ThreadsOf(104).Certainty)
}

// TestOccupancyLimits: what limits a core to fewer threads.
func TestOccupancyLimits(t *testing.T) {
	m := model(t, "apple8")
	fixed := func(n float64) analyze.Figure { return analyze.Figure{Certainty: analyze.Exact, Value: n} }
	for _, c := range []struct {
		threads, memory int
		registers       float64
		want, limit     string
	}{
		{256, 0, 16, "3072", "threads"},
		{1024, 0, 104, "1024", "registers"},
		{256, 0, 136, "768", "registers"},
		{256, 30000, 16, "512", "threadgroup memory"}, // 61440 / 30000 is 2
		{640, 0, 16, "2560", "threads"},
		{48, 0, 16, "2304", "threads"}, // 48 groups, each of which takes 64 lanes
		{2048, 0, 16, "unknown", ""},
		{256, 40000, 16, "unknown", ""},
	} {
		o := m.Occupancy(c.threads, c.memory, fixed(c.registers))
		assert.Equal(t, c.want, o.Threads.String(), "%+v", c)
		assert.Equal(t, c.limit, o.Limit, "%+v", c)
	}
	assert.Len(t, m.Sweep(0, fixed(16)), 6)
}

// TestIntensity: operations and bytes of a thread, by hand.
func TestIntensity(t *testing.T) {
	for _, c := range []struct{ body, operations, bytes, intensity string }{
		// A product and a sum for 8 bytes read and 4 written.
		{"a[g.x] = a[g.x + 32] * a[g.x + 64] + 1;", "2", "12", "0.1667"},
		// 16 times a sum for 4 bytes, and 4 bytes written.
		{"float x = 0; for (int c = 0; c < 16; c++) x += a[c * 32 + g.x]; a[g.x] = x;", "16", "68", "0.2353"},
		{"float x = 0; for (uint c = 0; c < n; c++) x += a[c * 32 + g.x]; a[g.x] = x;", "unknown", "unknown", "unknown"},
		// Four sums of a vector of 16 bytes, which is written back.
		{"v[g.x] += 1;", "4", "32", "0.125"},
		{"if (g.x < 5) a[g.x] = a[g.x] + 1;", "0 to 1", "0 to 8", "about 0.125"},
	} {
		r := kernelOf(t, head+c.body+"}", analyze.KernelOptions{})
		assert.Equal(t, c.operations, r.Operations.String(), c.body)
		assert.Equal(t, c.bytes, r.Bytes.String(), c.body)
		assert.Equal(t, c.intensity, r.Intensity.String(), c.body)
	}
}

// TestControl: loops with their trip counts, and branches at which lanes diverge.
func TestControl(t *testing.T) {
	r := kernelOf(t, head+`for (int c = 0; c < 4; c++)
	for (uint d = 0; d < n; d++) if (d < i) a[d] += 1;
	if (n > 3) a[i] = 1;
	for (uint d = 0; d < i; d++) a[d] = 2;
}`, analyze.KernelOptions{})
	require.Len(t, r.Loops, 3)
	assert.Equal(t, "4", r.Loops[0].Trips.String())
	assert.Equal(t, []int{1, 2, 1}, []int{r.Loops[0].Depth, r.Loops[1].Depth, r.Loops[2].Depth})
	assert.Equal(t, analyze.Unknown, r.Loops[1].Trips.Certainty)
	// An iteration of the second loop reads n, and reads and writes a[d] if a branch is taken.
	assert.Equal(t, "0 to 1", r.Loops[1].Operations.String())
	assert.Equal(t, "4 to 12", r.Loops[1].Bytes.String())
	assert.Equal(t, analyze.Unknown, r.Loops[0].Bytes.Certainty, "the second loop is in it")
	assert.Equal(t, "0", r.Loops[2].Intensity.String())
	require.Len(t, r.Branches, 2)
	assert.Equal(t, "if", r.Branches[0].Kind)
	assert.Equal(t, "loop", r.Branches[1].Kind)
	assert.Equal(t, 12, r.Branches[1].Line)
}

// TestAdvice: what the source of textbook kernels needs, and that good ones need nothing.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		body   string
		remedy analyze.Remedy
		gain   float64
	}{
		{"a[g.x * 1024 + g.y] = 1;", analyze.Interchange, 32},
		{"s[g.x].y = 1;", analyze.SplitStructures, 4},
		{"a[g.x * 4] = 1;", analyze.SplitStructures, 4},
		{"a[g.x] = 1;", "", 0},
		{"v[g.x] = 1;", "", 0},
		{"a[g.y * n + g.x] = 1;", "", 0},
		{"a[u[g.x]] = 1;", "", 0}, // nothing is known
	} {
		r := kernelOf(t, head+c.body+"}", analyze.KernelOptions{})
		if c.remedy == "" {
			assert.Empty(t, r.Advice, c.body)
			continue
		}
		require.Len(t, r.Advice, 1, c.body)
		assert.Equal(t, c.remedy, r.Advice[0].Remedy, c.body)
		assert.InDelta(t, c.gain, r.Advice[0].Gain, 1e-9, c.body)
		assert.Equal(t, "k.metal", r.Advice[0].File)
		assert.Equal(t, 9, r.Advice[0].Line, "the line after the head, with two lines before it")
	}
	r := kernelOf(t, strings.Replace(head, "m[1024]", "m[4]", 1)+"a[g.y * 64 + g.x] = 1; }",
		analyze.KernelOptions{Threadgroup: [3]int{8, 8, 1}})
	require.Len(t, r.Advice, 1)
	assert.Equal(t, analyze.Widen, r.Advice[0].Remedy)
	assert.InDelta(t, 4, r.Advice[0].Gain, 1e-9)
	r = kernelOf(t, head+"m[i % 32 * 32] = 1; a[i] = m[0]; }", analyze.KernelOptions{Model: model(t, "nvidia")})
	require.Len(t, r.Advice, 1)
	assert.Equal(t, analyze.Pad, r.Advice[0].Remedy)
	r = kernelOf(t, strings.Replace(head, "m[1024]", "m[4]", 1)+"a[i] = 1; }",
		analyze.KernelOptions{Threadgroup: [3]int{40, 1, 1}})
	require.Len(t, r.Advice, 1)
	assert.Equal(t, analyze.Regroup, r.Advice[0].Remedy)
	assert.InDelta(t, 1.6, r.Advice[0].Gain, 1e-9)
	r = kernelOf(t, strings.Replace(head, "1024", "7680", 1)+"m[i] = 1; a[i] = m[255 - i]; }", analyze.KernelOptions{})
	require.Len(t, r.Advice, 1)
	assert.Equal(t, analyze.Shrink, r.Advice[0].Remedy)
}

// TestKernelsErrors: errors name what is wrong.
func TestKernelsErrors(t *testing.T) {
	_, err := analyze.Kernels(t.Context(), analyze.Source{Name: "k.metal", Text: "kernel void f() { x; }"},
		analyze.KernelOptions{})
	require.ErrorIs(t, err, analyze.ErrCompile)
	require.ErrorContains(t, err, "k.metal:1:19")
	good := analyze.Source{Name: "k.metal", Text: "kernel void f() {}"}
	_, err = analyze.Kernels(t.Context(), good, analyze.KernelOptions{Kernel: "g"})
	require.ErrorIs(t, err, analyze.ErrOptions)
	require.ErrorContains(t, err, `no kernel "g" in k.metal, which has: f`)
	_, err = analyze.Kernels(t.Context(), good, analyze.KernelOptions{Threadgroup: [3]int{64, 64, 1}})
	require.ErrorContains(t, err, "64×64×1 threads, want 1 to 1024")
	_, err = analyze.ModelByName("x")
	require.ErrorContains(t, err, `no model "x", want one of apple7`)
}

// TestPrivateArrays: arrays of a thread whose elements depend on data take registers, as far as
// they fit there; those with constant indices are values.
func TestPrivateArrays(t *testing.T) {
	registers := func(body string) float64 {
		list, err := analyze.Kernels(t.Context(), analyze.Source{Name: "k.metal", Text: `kernel void k(
			device float *x [[buffer(0)]], device const uint *n [[buffer(1)]], uint i [[thread_position_in_grid]]) {` +
			body + "}"},
			analyze.KernelOptions{})
		require.NoError(t, err)
		return list[0].Registers.Value
	}
	array := func(n string) string {
		return "float a[" + n + "]; for (uint j = 0; j < n[0]; j++) a[j % " + n + "] = x[i + j]; x[i] = a[n[i] % " + n + "];"
	}
	small, large, huge := registers(array("8")), registers(array("32")), registers(array("256"))
	assert.InDelta(t, 48, large-small, 0, "24 more floats of two registers")
	assert.Less(t, huge, small, "it is in memory")
}

// TestTail: a grid's threadgroups, those at its edges, and the waves on the cores of a GPU.
func TestTail(t *testing.T) {
	tail := func(grid, group [3]int, cores int) (*analyze.Tail, string) {
		list, err := analyze.Kernels(t.Context(), analyze.Source{Name: "k.metal", Text: `kernel void k(
			device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1; }`},
			analyze.KernelOptions{Threadgroup: group, Grid: grid, Cores: cores})
		require.NoError(t, err)
		return list[0].Tail, list[0].Occupancy.Limit
	}
	// 3,072 threads of a core are 12 threadgroups of 256.
	x, limit := tail([3]int{256 * 12 * 8 * 2, 1, 1}, [3]int{256, 1, 1}, 8)
	assert.Equal(t, []string{"1", "about 16", "about 2", "about 1", "threads"},
		[]string{x.Lanes.String(), x.Cores.String(), x.Waves.String(), x.Last.String(), limit})
	assert.Zero(t, x.Partial)
	x, limit = tail([3]int{256*12*8 + 1, 1, 1}, [3]int{256, 1, 1}, 8)
	assert.Equal(t, []int{97, 1}, []int{x.Threadgroups, x.Partial})
	assert.Equal(t, []string{"about 2", "about 0.01042", "threads"}, []string{x.Waves.String(), x.Last.String(), limit})
	x, limit = tail([3]int{70, 50, 3}, [3]int{16, 16, 1}, 0)
	assert.Equal(t, []int{5 * 4 * 3, (5*4 - 4*3) * 3}, []int{x.Threadgroups, x.Partial})
	assert.InDelta(t, 70*50*3./(3*(12*256+3*96+4*32+1*32)), x.Lanes.Value, 1e-9)
	assert.Equal(t, analyze.Unknown, x.Waves.Certainty)
	assert.Equal(t, "threads", limit)
	_, limit = tail([3]int{300, 1, 1}, [3]int{256, 1, 1}, 0)
	assert.Equal(t, "grid", limit)
	_, err := analyze.Kernels(t.Context(), analyze.Source{Text: "kernel void k() {}"},
		analyze.KernelOptions{Grid: [3]int{4, 0, 1}})
	require.ErrorIs(t, err, analyze.ErrOptions)
}

// TestNumbers: figures have no exponents.
func TestNumbers(t *testing.T) {
	list, err := analyze.Kernels(t.Context(), analyze.Source{Text: `kernel void k(device float *x [[buffer(0)]],
		uint i [[thread_position_in_grid]]) { threadgroup float t[8192]; t[i % 8192] = 1; x[i] = t[0]; }`},
		analyze.KernelOptions{})
	require.NoError(t, err)
	assert.Equal(t, "32,768", list[0].ThreadgroupMemory.String())
	assert.Equal(t, "about 1,234,568 to", (analyze.Figure{Certainty: analyze.Estimate, Value: 1234567.6}).String()+" to")
	assert.Equal(t, "999.5 to 1000", (analyze.Figure{Certainty: analyze.Bound, Low: 999.5, High: 1000}).String())
}
