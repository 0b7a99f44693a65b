package sanitizer_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/sanitizer"
)

const source = `kernel void k(device uint *x) {
    x[0] = 1;
	y = x[0];
}
`

func findings() []*sanitizer.Finding {
	race := &sanitizer.Finding{Kind: sanitizer.Race, Message: "two threads race", Memory: `buffer 0 "x"`, Label: "w",
		Size: 4, Advice: "add a barrier",
		Access: sanitizer.Access{Place: sanitizer.Place{File: "k.metal", Line: 3, Column: 6}, Kernel: "k", Does: "reads",
			Value:  sanitizer.Value{Type: "int", Text: "1"},
			Thread: sanitizer.Thread{Known: true, Position: [3]int{33}, Index: 33}},
		Other: &sanitizer.Access{Place: sanitizer.Place{File: "k.metal", Line: 2, Column: 10}, Kernel: "k",
			Does: "writes atomically", Value: sanitizer.Value{Type: "int", Text: "-1 (0xffffffff)"},
			Thread: sanitizer.Thread{Known: true}}}
	copies := &sanitizer.Finding{Kind: sanitizer.Race, Message: "two commands race", Memory: "a buffer", Size: 8,
		Access: sanitizer.Access{Command: "copy in blit encoder 1 of queue 1", Does: "writes"},
		Other:  &sanitizer.Access{Command: "fill in blit encoder 1 of queue 2", Does: "writes"}}
	return []*sanitizer.Finding{race, copies}
}

// TestText: carets are under the places, behind tabs too; without the text there are places only.
func TestText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sanitizer.Text(&b, findings(), func(string) string { return source }))
	assert.Equal(t, `k.metal:3:6: error: two threads race [race]
         y = x[0];
             ^
note: thread [33 0 0] of threadgroup [0 0 0] of kernel "k" reads 4 bytes at offset 0 of buffer 0 "x", labeled "w": int 1
k.metal:2:10: note: thread [0 0 0] of threadgroup [0 0 0] writes int -1 (0xffffffff) atomically here
     x[0] = 1;
          ^
note: add a barrier
error: two commands race [race]
note: copy in blit encoder 1 of queue 1 writes 8 bytes at offset 0 of a buffer
note: fill in blit encoder 1 of queue 2 writes
`, b.String())
	b.Reset()
	require.NoError(t, sanitizer.Text(&b, findings()[:1], nil))
	assert.Equal(t, `error: k.metal:3:6: two threads race [race]
note: thread [33 0 0] of threadgroup [0 0 0] of kernel "k" reads 4 bytes at offset 0 of buffer 0 "x", labeled "w": int 1
note: k.metal:2:10: thread [0 0 0] of threadgroup [0 0 0] writes int -1 (0xffffffff) atomically
note: add a barrier
`, b.String())
	b.Reset()
	short := func(string) string { return "one line" }
	require.NoError(t, sanitizer.Text(&b, findings()[:1], short), "places past the end")
	assert.Contains(t, b.String(), "k.metal:3:6: two threads race")
}

// TestSARIF: the log has what section 3 of the standard requires of the objects that it has, and
// rules that results refer to rightly.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sanitizer.SARIF(&b, findings()))
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
						HelpURI          string
					}
				}
			}
			Results []struct {
				RuleID                      string
				RuleIndex                   *int
				Level                       string
				Message                     struct{ Text string }
				Locations, RelatedLocations []struct {
					PhysicalLocation *struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
					Message struct{ Text string }
				}
				Properties sanitizer.Finding
			}
		}
	}
	d := json.NewDecoder(&b)
	require.NoError(t, d.Decode(&log))
	assert.Equal(t, "2.1.0", log.Version)
	assert.Contains(t, log.Schema, "sarif-2.1.0")
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	assert.NotEmpty(t, run.Tool.Driver.Name)
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		assert.False(t, ids[r.ID], "rules have different ids")
		ids[r.ID] = true
		assert.NotEmpty(t, r.ShortDescription.Text)
	}
	require.Len(t, run.Results, 2)
	for _, r := range run.Results {
		require.NotNil(t, r.RuleIndex)
		assert.Equal(t, "sanitizer.race", r.RuleID)
		assert.Equal(t, r.RuleID, run.Tool.Driver.Rules[*r.RuleIndex].ID)
		assert.Equal(t, "error", r.Level)
		assert.NotEmpty(t, r.Message.Text)
	}
	r := run.Results[0]
	require.NotNil(t, r.Locations[0].PhysicalLocation)
	assert.Equal(t, "k.metal", r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, 3, r.Locations[0].PhysicalLocation.Region.StartLine)
	assert.Equal(t, 6, r.Locations[0].PhysicalLocation.Region.StartColumn)
	assert.Equal(t, 2, r.RelatedLocations[0].PhysicalLocation.Region.StartLine)
	assert.Equal(t, *findings()[0], r.Properties)
	assert.Contains(t, r.Locations[0].Message.Text, ": int 1")
	assert.Contains(t, r.RelatedLocations[0].Message.Text, "writes int -1 (0xffffffff) atomically")
	assert.Nil(t, run.Results[1].Locations[0].PhysicalLocation, "a copy has no place in a source")
	b.Reset()
	require.NoError(t, sanitizer.SARIF(&b, nil))
	assert.Contains(t, b.String(), `"results": []`)
}
