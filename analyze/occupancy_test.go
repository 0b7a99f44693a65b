package analyze_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
)

// TestPublishedWaves: the waves of a SIMD by vector registers, of which a row has those of Vega and
// of RDNA 1, 2 and 3 with waves of 32. They are what LLVM's test of AMDGPU's occupancy levels
// expects for gfx900, gfx1010, gfx1030 and gfx1100.
func TestPublishedWaves(t *testing.T) {
	for registers, waves := range map[int][4]int{
		24: {10, 20, 16, 16}, 28: {9, 20, 16, 16}, 32: {8, 20, 16, 16}, 36: {7, 20, 16, 16}, 40: {6, 20, 16, 16},
		44: {5, 20, 16, 16}, 48: {5, 20, 16, 16}, 56: {4, 18, 16, 16}, 64: {4, 16, 16, 16}, 72: {3, 14, 12, 16},
		80: {3, 12, 12, 16}, 84: {3, 11, 10, 16}, 88: {2, 11, 10, 16}, 96: {2, 10, 10, 16}, 100: {2, 9, 9, 12},
		112: {2, 9, 9, 12}, 128: {2, 8, 8, 10}, 144: {1, 7, 7, 10}, 168: {1, 6, 5, 9}, 200: {1, 5, 4, 7},
		256: {1, 4, 4, 5},
	} {
		for i, name := range []string{"vega", "rdna", "rdna2", "rdna3"} {
			m := model(t, name)
			f := m.ThreadsOf(2 * registers) // of 16 bits
			require.Equal(t, analyze.Exact, f.Certainty)
			assert.InDelta(t, waves[i], f.Value/float64(m.Partitions*m.Widths[0]), 0, "%s, %d registers", name, registers)
		}
	}
}

// TestPublishedWarps: the warps of a multiprocessor by registers and compute capability, from
// NVIDIA's occupancy calculator.
func TestPublishedWarps(t *testing.T) {
	for _, c := range []struct {
		registers int
		warps     [4]int // of 7.5, 8.0, 8.6 and 9.0
	}{
		{16, [4]int{32, 64, 48, 64}}, {32, [4]int{32, 64, 48, 64}}, {33, [4]int{32, 48, 48, 48}},
		{40, [4]int{32, 48, 48, 48}}, {48, [4]int{32, 40, 40, 40}}, {56, [4]int{32, 36, 36, 36}},
		{64, [4]int{32, 32, 32, 32}}, {72, [4]int{28, 28, 28, 28}}, {80, [4]int{24, 24, 24, 24}},
		{96, [4]int{20, 20, 20, 20}}, {128, [4]int{16, 16, 16, 16}}, {168, [4]int{12, 12, 12, 12}},
		{255, [4]int{8, 8, 8, 8}},
	} {
		for i, name := range []string{"nvidia75", "nvidia80", "nvidia86", "nvidia90"} {
			m := model(t, name)
			assert.InDelta(t, c.warps[i], m.ThreadsOf(2*c.registers).Value/32, 0, "%s, %d registers", name, c.registers)
		}
	}
}

// TestOccupancyOfVendors: what limits the cores of other vendors, with 32-bit registers.
func TestOccupancyOfVendors(t *testing.T) {
	for _, c := range []struct {
		model                      string
		threads, memory, registers int
		groups, limit              string
		share                      string
	}{
		{"nvidia80", 256, 0, 32, "8", "threads", "1"},
		{"nvidia80", 32, 0, 16, "32", "threadgroups", "0.5"},                 // 32 of 64 warps
		{"nvidia80", 128, 48 << 10, 32, "3", "threadgroup memory", "0.1875"}, // 164 KiB over 49 KiB
		{"nvidia80", 1024, 0, 64, "1", "registers", "0.5"},
		{"nvidia86", 1024, 0, 32, "1", "threads", "0.6667"}, // 32 of 48 warps
		{"nvidia86", 32, 0, 16, "16", "threadgroups", "0.3333"},
		{"nvidia89", 32, 0, 16, "24", "threadgroups", "0.5"},
		{"nvidia75", 1024, 0, 64, "1", "threads", "1"},
		// LLVM's test of LDS expects 2, 4 and 4 waves of a SIMD for 8,252 bytes: 7 threadgroups of 8,704.
		{"vega", 64, 8252, 16, "7", "threadgroup memory", "0.175"},
		{"vega", 96, 8252, 16, "7", "threadgroup memory", "0.35"},
		{"vega", 128, 8252, 16, "7", "threadgroup memory", "0.35"},
		{"vega", 128, 0, 16, "16", "threadgroups", "0.8"},            // 16 of two waves, of 40 waves
		{"vega", 32, 0, 16, "40", "threads", "1"},                    // a wave of which half is idle
		{"rdna3", 256, 0, 128, "2", "registers", "0.5"},              // 10 waves of a SIMD, in groups of 8
		{"intel", 256, 0, 64, "4 to 16", "threads", "1"},             // 32, 16 or 8 of 128 threads
		{"intel", 64, 0, 64, "16 to 32", "threadgroups", "0.5 to 1"}, // 32 barriers
		{"intel", 1024, 20000, 64, "1 to 4", "threads", "1"},         // 32 KiB of 128
		{"intel", 256, 64 << 10, 64, "2", "threadgroup memory", "0.125 to 0.5"},
	} {
		m := model(t, c.model)
		o := m.Occupancy(c.threads, c.memory, analyze.Figure{Certainty: analyze.Exact, Value: float64(2 * c.registers)})
		assert.Equal(t, c.groups, o.Threadgroups.String(), "%+v", c)
		assert.Equal(t, c.limit, o.Limit, "%+v", c)
		assert.Equal(t, c.share, o.Share.String(), "%+v", c)
	}
	m := model(t, "apple9")
	o := m.Occupancy(256, 0, analyze.Figure{Certainty: analyze.Exact, Value: 64})
	assert.Equal(t, "256 to 3072", o.Threads.String())
	assert.Contains(t, o.Threads.Reason, "allocated while threads run")
}

// TestEnlarge: threadgroups that are too small to fill a core whose threadgroups are limited.
func TestEnlarge(t *testing.T) {
	r := kernelOf(t, head+"a[g.x] = 1; m[0] = 1; }", analyze.KernelOptions{Model: model(t, "nvidia86"),
		Threadgroup: [3]int{32, 1, 1}})
	require.Len(t, r.Advice, 1)
	assert.Equal(t, analyze.Enlarge, r.Advice[0].Remedy)
	assert.Contains(t, r.Advice[0].Message, "those of 32 threads do not fill it; use")
	assert.Greater(t, r.Advice[0].Gain, 2.0)
	r = kernelOf(t, head+"a[g.x] = 1; m[0] = 1; }", analyze.KernelOptions{Model: model(t, "nvidia86"),
		Threadgroup: [3]int{256, 1, 1}})
	assert.Empty(t, r.Advice)
}
