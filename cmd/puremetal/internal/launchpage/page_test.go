package launchpage

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
)

func testPage() *Page {
	return &Page{Device: "Test <device>", Line: 128, File: "dir/k.metal", Source: "first\n\tsecond < third\n",
		Launches: []Launch{{
			Launch: &event.Launch{Kernel: "k", Grid: [3]int{1024, 4, 1}, Threadgroup: [3]int{32, 4, 1}, Threadgroups: 32,
				Observed: 32, Instructions: 1000, ActiveLanes: 16000, FloatOperations: 4096,
				Sites: []event.Site{{Place: event.Place{File: "k.metal", Line: 2, Column: 3}, Operation: event.Load,
					Space: event.Device, Memory: "a", Size: 4, Executions: 128, Accesses: 4096, Bytes: 16384, Unique: 16384,
					Transactions: [3]int64{4096, 4096, 4096}, Footprint: 16384, Patterns: event.Patterns{Strided: 16384},
					Strides: []event.Stride{{Stride: 4096, Bytes: 16384}}}},
				Memories: []event.Memory{{Name: "a", Size: 16384, Footprint: 16384,
					Hot: []event.Hot{{Offset: 128, Transactions: 7}}}},
				Branches: []event.Branch{{Kind: "else", Entries: 5, Divergent: 4}, {Kind: "if", Entries: 5}},
				Lines: []event.Line{{File: "k.metal", Line: 2, Instructions: 250, ActiveLanes: 4000,
					Transactions: [3]int64{1, 1, 2048}}},
				Reuse: event.Reuse{Threadgroups: 3, First: 9, Distances: []int64{0, 1, 2, 3}},
			},
			Advice: []analyze.Recommendation{{Remedy: analyze.Pad, Message: "message & more", Before: 2000, After: 1, Gain: 2}},
		}},
		Tries: []Try{{Change: "--group 64", Measure: "lines <128>", Predicted: 2, Measured: 1.5,
			Before: 3000, After: 2000, SecondsBefore: 0.25, SecondsAfter: 2.5e-5},
			{Change: "--group 32", Measure: "lines", Measured: 1, Before: 3000, After: 3000},
			{Change: "vectors", Rejected: "line 3: a & b", Before: 12345}},
		TimeModel: "the model"}
}

// TestWrite: the page is well-formed, has no scripts or addresses, and shows what there is.
func TestWrite(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Write(&b, testPage()))
	page := b.String()
	assert.NotContains(t, page, "threads on a core", "there is no model")
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if s, ok := token.(xml.StartElement); ok {
			assert.NotContains(t, []string{"script", "link", "img", "iframe"}, s.Name.Local)
		}
	}
	assert.NotContains(t, page, "http:")
	assert.NotContains(t, page, "https:")
	assert.Contains(t, page, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src`)
	assert.NotContains(t, page, "ZgotmplZ", "a value that the template refuses")
	for _, want := range []string{"Test &lt;device&gt;", "second &lt; third", "message &amp; more", "strided 4096",
		"3.12 %", "50 % of them all", "prefers-color-scheme: dark", "1.5×", "<svg", "2–3", "128 × 7",
		"lines &lt;128&gt;", "<td>3\u202f000</td><td>2\u202f000</td>", "width: 66.7%", "<td>250 ms</td><td>25 µs</td>",
		"Modeled time: the model.", "Other changes", "line 3: a &amp; b",
		"Grid 1024 × 4, threadgroups of 32 × 4", "2\u202f000", "0.00781 if every line is transferred"} {
		assert.Contains(t, page, want)
	}
	assert.Contains(t, page, `<td class="l">else</td>`)
	assert.NotContains(t, page, `<td class="l">if</td>`, "does not diverge")

	assert.NotContains(t, page, "12\u202f345", "nothing was counted after it")

	// What gains nothing leads nowhere, also if nothing gains.
	assert.Greater(t, strings.Index(page, "it gains nothing: 3000 of 3000 lines are left"), strings.Index(page, "<h2>"))
	none := testPage()
	none.Tries = none.Tries[1:]
	b.Reset()
	require.NoError(t, Write(&b, none))
	assert.NotContains(t, b.String(), "Advice tried")
	assert.Greater(t, strings.Index(b.String(), "it gains nothing"), strings.Index(b.String(), "<h2>"))

	empty := &Page{Line: 64, Launches: []Launch{{Launch: &event.Launch{Threadgroup: [3]int{1, 1, 1}}}}}
	b.Reset()
	require.NoError(t, Write(&b, empty), "nothing ran")
	assert.NotContains(t, b.String(), "NaN")
}

// TestModels: the page of every model, with and without peaks and a report of the source.
func TestModels(t *testing.T) {
	list, err := analyze.Kernels(t.Context(), analyze.Source{Name: "k.metal",
		Text: "kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i * 2] += 1; }"},
		analyze.KernelOptions{})
	require.NoError(t, err)
	for _, m := range analyze.Models() {
		p := testPage()
		p.Model, p.Static = m, list
		p.Peaks, _ = analyze.ChipPeaks("M2")
		var b strings.Builder
		require.NoError(t, Write(&b, p))
		for _, want := range []string{"Threads that fit on a core of " + m.Description, "The roof is that of Apple M2",
			"What the source tells", "strided", "split structures", "at most 0.7812 GFLOPS"} {
			assert.Contains(t, b.String(), want, m.Name)
		}
		assert.NotContains(t, b.String(), "NaN", m.Name)
		assert.Equal(t, m.Registers > 0, strings.Contains(b.String(), "this kernel: about"), m.Name)
		p.Peaks, _ = analyze.ChipPeaks("M3") // whose arithmetic is not published
		b.Reset()
		require.NoError(t, Write(&b, p))
		assert.Contains(t, b.String(), "share of peak arithmetic", m.Name)
	}
}
