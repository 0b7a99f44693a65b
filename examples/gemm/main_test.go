package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMethods: each method's product is within the bound of the one in float64, twice in a row, and
// any two of them are within twice that of each other. Nothing is left of them.
func TestMethods(t *testing.T) {
	_, err := objc.CurrentDriver()
	require.NoError(t, err)
	objects := objc.LiveObjects()
	for range 2 {
		for _, n := range []int{1, 7, 65} {
			t.Run(strconv.Itoa(n), func(t *testing.T) { agree(t, newProblem(n)) })
		}
	}
	if !settle.Equal(t, "live objects", objects, objc.LiveObjects) {
		t.Log(objc.Leaks())
	}
}

func agree(t *testing.T, p *problem) {
	acc, ctx := computetest.Open(t), t.Context()
	products := map[string][]float32{}
	for _, m := range methods() {
		if m.name == "mps/graph" && standin.Running() {
			t.Log("the stand-in frameworks have no MPSGraph")
			continue
		}
		x, err := m.open(ctx, acc, p)
		if errors.Is(err, objc.ErrNotFound) {
			t.Logf("%s: %v", m.name, err)
			continue
		}
		require.NoError(t, err, m.name)
		for range 2 {
			require.NoError(t, x.multiply(ctx), m.name)
			got, err := x.product(ctx)
			require.NoError(t, err, m.name)
			_, _, err = p.check(got)
			require.NoError(t, err, m.name)
			products[m.name] = got
		}
		x.close(ctx)
	}
	for one, a := range products {
		for other, b := range products {
			for i := range a {
				require.InDelta(t, a[i], b[i], 2*p.bound[i], "element %d: %s and %s", i, one, other)
			}
		}
	}
	assert.Zero(t, acc.Allocated(), "bytes that no method closed")
}

// TestCheck: the check finds one wrong element, a missing one, one that is no number and two that
// were exchanged.
func TestCheck(t *testing.T) {
	p := newProblem(33)
	good := func() []float32 {
		out := make([]float32, len(p.want))
		for i, x := range p.want {
			out[i] = float32(x)
		}
		return out
	}
	_, share, err := p.check(good())
	require.NoError(t, err)
	assert.Less(t, share, 1.0)
	for what, change := range map[string]func([]float32) []float32{
		"(32, 0)":                      func(x []float32) []float32 { x[32*33] += 1e-3; return x },
		"(0, 5) of the product is NaN": func(x []float32) []float32 { x[5] = float32(math.NaN()); return x },
		"(1, 0)":                       func(x []float32) []float32 { x[33], x[34] = x[34], x[33]; return x },
		"has 1088 elements, want 1089": func(x []float32) []float32 { return x[1:] },
	} {
		_, _, err := p.check(change(good()))
		assert.ErrorContains(t, err, what)
	}
}

// TestRun reads the table and the page back: every method is in both for every size, and the bars
// are as long as the figures say.
func TestRun(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	var text bytes.Buffer
	name := filepath.Join(t.TempDir(), "gemm.html")
	require.NoError(t, run(t.Context(), &text, settings{sizes: []int{8, 48}, time: time.Millisecond, out: name}))
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.NotContains(t, string(page), "ZgotmplZ", "the template package refused a value")
	for _, n := range []string{"8", "48"} {
		assert.Contains(t, string(page), "n = "+n+"<")
		for _, m := range methods() {
			left := strings.Contains(text.String(), m.name+" is left out")
			row := regexp.MustCompile(`(?m)^ *` + n + ` +` + m.name + ` .*%$`)
			assert.NotEqual(t, left, row.MatchString(text.String()), "%s\n%s", m.name, text.String())
			assert.NotEqual(t, left, strings.Contains(string(page), "<span>"+m.name+"</span>"), m.name)
		}
	}
	bars := regexp.MustCompile(`width: ([0-9.]+)%"></div></div><span>([0-9.]+) <`).FindAllStringSubmatch(string(page),
		-1)
	require.NotEmpty(t, bars)
	var widths, figures []float64
	longest, fastest := 0.0, 0.0
	for _, b := range bars {
		width, err := strconv.ParseFloat(b[1], 64)
		require.NoError(t, err)
		figure, err := strconv.ParseFloat(b[2], 64)
		require.NoError(t, err)
		widths, figures = append(widths, width), append(figures, figure)
		longest, fastest = max(longest, width), max(fastest, figure)
	}
	assert.Equal(t, 100.0, longest)
	for i := range widths {
		assert.InDelta(t, 100*figures[i]/fastest, widths[i], 100*0.02/fastest+0.01)
	}
}

func TestSizes(t *testing.T) {
	got, err := parseSizes("64, 2048")
	require.NoError(t, err)
	assert.Equal(t, []int{64, 2048}, got)
	for _, bad := range []string{"", "0", "64,", "2049", "-1", "many"} {
		_, err := parseSizes(bad)
		assert.ErrorContains(t, err, "want a number from 1 to 2048")
	}
	err = run(t.Context(), &bytes.Buffer{}, settings{out: filepath.Join(t.TempDir(), "none", "x.html")})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// BenchmarkTurns measures a product of 1024 by 1024 by each method with the device's fast kernels,
// taking turns, and reports the shortest times of all rounds and how they compare with mps.
func BenchmarkTurns(b *testing.B) {
	acc, ctx, p := computetest.Open(b), b.Context(), newProblem(1024)
	turns := map[string]multiplier{}
	shortest := map[string]time.Duration{}
	for _, m := range methods() {
		if m.name == "plain Go" {
			continue
		}
		x, err := m.open(ctx, acc, p)
		if errors.Is(err, objc.ErrNotFound) {
			b.Skip(err)
		}
		require.NoError(b, err, m.name)
		defer x.close(ctx)
		turns[m.name], shortest[m.name] = x, time.Hour
	}
	for b.Loop() {
		for name, x := range turns {
			start := time.Now()
			require.NoError(b, x.multiply(ctx), name)
			shortest[name] = min(shortest[name], time.Since(start))
		}
	}
	for name, t := range shortest {
		b.ReportMetric(t.Seconds()*1e3, name+"-ms")
		b.ReportMetric(t.Seconds()/shortest["mps"].Seconds(), name+"/mps")
	}
}
