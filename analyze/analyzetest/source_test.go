package analyzetest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/analyzetest"
)

const strided = `kernel void strided(device float *a [[buffer(0)]], device const uint *u [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
	a[i * 8] = u[i];
	a[u[i]] = 1;
}
`

func ExampleSource() {
	// The body of a test, such as TestScaleSource.
	test := func(t *testing.T) {
		analyzetest.Source(t, analyze.Source{Name: "k.metal", Text: source}, analyze.KernelOptions{},
			analyzetest.Bounds{SiteEfficiency: 0.9})
	}
	_ = test
}

// TestSource: an efficient kernel passes; one below the bound fails with place and figure, except
// for what the source leaves open.
func TestSource(t *testing.T) {
	good := analyzetest.Source(t, analyze.Source{Name: "k.metal", Text: source}, analyze.KernelOptions{},
		analyzetest.Bounds{SiteEfficiency: 1})
	require.Len(t, good, 2)
	for _, c := range []struct {
		text   string
		bounds analyzetest.Bounds
		want   string
	}{
		{strided, analyzetest.Bounds{SiteEfficiency: 0.5}, "k.metal:3:11: store of a, strided: efficiency 0.125"},
		{strided, analyzetest.Bounds{SiteEfficiency: 0.1}, ""},
		{strided, analyzetest.Bounds{SiteEfficiency: 0.5, Kernels: []string{"other"}}, "no kernels of other in k.metal"},
		{strided, analyzetest.Bounds{Efficiency: 0.5}, "want only SiteEfficiency"},
		{"kernel void k() { x; }", analyzetest.Bounds{}, "does not compile"},
	} {
		r := &recorder{TB: t}
		analyzetest.Source(r, analyze.Source{Name: "k.metal", Text: c.text}, analyze.KernelOptions{}, c.bounds)
		if c.want == "" {
			assert.Empty(t, r.failures)
			continue
		}
		require.Len(t, r.failures, 1)
		assert.Contains(t, r.failures[0], c.want)
	}
}
