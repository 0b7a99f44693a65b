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
		}}, Tries: []Try{{Change: "--group 64", Note: "note", Predicted: 2, Measured: 1.5}}}
}

// TestWrite: the page is well-formed, has no scripts or addresses, and shows what there is.
func TestWrite(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Write(&b, testPage()))
	page := b.String()
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
	assert.NotContains(t, page, "http")
	assert.NotContains(t, page, "ZgotmplZ", "a value that the template refuses")
	for _, want := range []string{"Test &lt;device&gt;", "second &lt; third", "message &amp; more", "strided 4096",
		"3.12 %", "50 % of them all", "prefers-color-scheme: dark", "1.5×", "<svg", "threads on a core", "2–3", "128 × 7",
		"Grid 1024 × 4, threadgroups of 32 × 4", "2\u202f000", "0.00781 if every line is transferred"} {
		assert.Contains(t, page, want)
	}
	assert.Contains(t, page, `<td class="l">else</td>`)
	assert.NotContains(t, page, `<td class="l">if</td>`, "does not diverge")

	empty := &Page{Line: 64, Launches: []Launch{{Launch: &event.Launch{Threadgroup: [3]int{1, 1, 1}}}}}
	b.Reset()
	require.NoError(t, Write(&b, empty), "nothing ran")
	assert.NotContains(t, b.String(), "NaN")
}

// TestResident reproduces rows of Mesa's table: threads of one simdgroup, by registers.
func TestResident(t *testing.T) {
	for registers, threads := range map[int]int{104: 1024, 112: 896, 128: 832, 136: 768, 144: 704, 160: 640, 184: 576,
		208: 512, 232: 448, 256: 384} {
		assert.Equal(t, threads, resident(64, registers, 0), registers)
	}
	assert.Equal(t, 3072, resident(32, 16, 0), "the core's own limit")
	assert.Equal(t, 0, resident(1024, 128, 0), "does not fit")
	assert.Equal(t, 3*128, resident(128, 32, 20<<10), "three times 20 KiB")
}
