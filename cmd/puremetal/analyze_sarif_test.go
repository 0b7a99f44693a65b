package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/sarif"
	"github.com/puremetal/puremetal/internal/test/sariftest"
)

// TestAnalyzeSARIF: the advice of a launch and of its source is valid SARIF, each with the rule of
// its remedy, and advice without a place has no location.
func TestAnalyzeSARIF(t *testing.T) {
	at := event.Place{File: "dir/k é.metal", Line: 3, Column: 7}
	r := &analysis{Launches: []analyzedLaunch{{&event.Launch{Kernel: "k", Threadgroups: 4, Observed: 2},
		[]analyze.Recommendation{{Place: at, Remedy: analyze.Interchange, Message: "m", Measure: "lines", Gain: 2},
			{Remedy: analyze.Regroup, Message: "n", Before: 3}}}},
		Static: []*analyze.Report{{Kernel: "k", Advice: []analyze.Recommendation{
			{Place: at, Remedy: analyze.Interchange, Message: "o"}}}}}
	var b bytes.Buffer
	require.NoError(t, r.sarif(&b))
	sariftest.Valid(t, b.Bytes())
	var log sarif.Log
	require.NoError(t, json.Unmarshal(b.Bytes(), &log))
	require.Len(t, log.Runs, 1)
	run := log.Runs[0]
	require.Len(t, run.Results, 3)
	require.Len(t, run.Tool.Driver.Rules, 2)
	for i, want := range []analyze.Remedy{analyze.Interchange, analyze.Regroup, analyze.Interchange} {
		assert.Equal(t, string(want), run.Results[i].RuleID)
		assert.Equal(t, string(want), run.Tool.Driver.Rules[*run.Results[i].RuleIndex].ID)
		assert.Equal(t, "note", run.Results[i].Level)
	}
	require.Len(t, run.Results[0].Locations, 1)
	assert.Equal(t, 3, run.Results[0].Locations[0].Physical.Region.StartLine)
	assert.Empty(t, run.Results[1].Locations)
	assert.Equal(t, false, run.Results[0].Properties.(map[string]any)["exact"], "half of the threadgroups were observed")
	assert.Equal(t, true, run.Results[2].Properties.(map[string]any)["exact"])
}
