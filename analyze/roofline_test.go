package analyze_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
)

// TestRoofline: what kernels reach, by hand: a sum of two numbers is limited by memory, a long
// polynomial of one by arithmetic.
func TestRoofline(t *testing.T) {
	p, err := analyze.MeasuredPeaks("device", 1000, 100) // 10 operations for a byte
	require.NoError(t, err)
	r := kernelOf(t, head+"a[g.x] = a[g.x + 32] + a[g.x + 64];}", analyze.KernelOptions{}) // 1 for 12 bytes
	l := r.Roofline(p)
	assert.Equal(t, "memory", l.Limit)
	assert.InDelta(t, 100.0/12, l.GFLOPS.Value, 1e-9)
	assert.InDelta(t, 10, l.Ridge.Value, 1e-9)
	r = kernelOf(t, head+"float x = a[g.x]; for (int c = 0; c < 64; c++) x = x * x + 1; a[g.x] = x;}",
		analyze.KernelOptions{}) // 128 for 8 bytes
	l = r.Roofline(p)
	assert.Equal(t, "arithmetic", l.Limit)
	assert.InDelta(t, 1000, l.GFLOPS.Value, 0)
	r = kernelOf(t, head+"float x = a[g.x]; for (uint c = 0; c < n; c++) x = x * x + 1; a[g.x] = x;}",
		analyze.KernelOptions{})
	l = r.Roofline(p)
	assert.Equal(t, analyze.Unknown, l.GFLOPS.Certainty)
	assert.Empty(t, l.Limit)
	_, err = analyze.MeasuredPeaks("device", 0, 100)
	require.ErrorIs(t, err, analyze.ErrOptions)
}

// TestChipPeaks: the table says that it is one, and has no number that is not published.
func TestChipPeaks(t *testing.T) {
	p, ok := analyze.ChipPeaks("m2 pro")
	require.True(t, ok)
	assert.Equal(t, "Apple M2 Pro", p.Name)
	assert.Contains(t, p.Source, "table")
	assert.Equal(t, analyze.Bound, p.GFLOPS.Certainty)
	p, ok = analyze.ChipPeaks("Apple M4")
	require.True(t, ok)
	assert.Equal(t, analyze.Unknown, p.GFLOPS.Certainty)
	assert.Equal(t, analyze.Unknown, (&analyze.Report{}).Roofline(p).GFLOPS.Certainty)
	_, ok = analyze.ChipPeaks("M99")
	assert.False(t, ok)
}

// TestCorpus: reports of real kernels have sound figures, on all models, and a JSON form.
func TestCorpus(t *testing.T) {
	kernels, known := 0, 0
	for _, pattern := range []string{"../testdata/kernels/*.metal", "../testdata/msl/run/*.metal"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for i, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all := analyze.Models()
			list, err := analyze.Kernels(t.Context(), analyze.Source{Name: file, Text: string(text), Version: 400,
				Include: os.DirFS(filepath.Dir(file)), Dir: "."}, analyze.KernelOptions{Model: all[i%len(all)]})
			require.NoError(t, err, file)
			_, err = json.Marshal(list)
			require.NoError(t, err, file)
			for _, r := range list {
				kernels++
				assert.Positive(t, r.Registers.Value, r.Kernel)
				for _, a := range r.Accesses {
					for _, f := range []analyze.Figure{a.Lines, a.Efficiency, a.Stride, a.BankPasses} {
						assert.LessOrEqual(t, f.Low, f.High, "%s %v", r.Kernel, a)
						if f.Certainty == analyze.Unknown {
							assert.NotEmpty(t, f.Reason, "%s %v", r.Kernel, a)
						}
					}
					assert.LessOrEqual(t, a.Efficiency.High, 1.0, "%s %v", r.Kernel, a)
					if a.Pattern != analyze.DataDependent && a.Pattern != analyze.LaunchDependent {
						known++
					}
				}
			}
		}
	}
	t.Logf("%d kernels, %d accesses with a known pattern", kernels, known)
	assert.Greater(t, kernels, 50)
	assert.Greater(t, known, 100)
}

// TestWithCores: fewer cores have less arithmetic and the same bandwidth.
func TestWithCores(t *testing.T) {
	m2, ok := analyze.ChipPeaks("Apple M2")
	require.True(t, ok)
	p, err := m2.WithCores(8, "the IORegistry")
	require.NoError(t, err)
	assert.Equal(t, 8, p.Cores)
	assert.InDelta(t, 2880, p.GFLOPS.High, 1e-9)
	assert.Equal(t, m2.GBs, p.GBs)
	assert.Contains(t, p.Source, "table of the vendor's figures by chip name")
	assert.Contains(t, p.Source, "for the 8 cores that the IORegistry tells")
	for _, n := range []int{0, 11} {
		_, err = m2.WithCores(n, "the IORegistry")
		require.ErrorIs(t, err, analyze.ErrOptions)
		require.ErrorContains(t, err, "want 1 to 10")
	}
	m3, _ := analyze.ChipPeaks("M3")
	p, err = m3.WithCores(8, "the IORegistry")
	require.NoError(t, err)
	assert.Equal(t, analyze.Unknown, p.GFLOPS.Certainty)
	if _, err = analyze.LocalPeaks(); runtime.GOOS != "darwin" {
		require.ErrorContains(t, err, "the system does not tell the GPU")
	}
}
