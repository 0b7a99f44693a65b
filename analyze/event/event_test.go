package event_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze/event"
)

// TestTotals: sums are over device and constant memory; threadgroup memory has no lines.
func TestTotals(t *testing.T) {
	l := event.Launch{Instructions: 10, ActiveLanes: 80, Threadgroups: 4, Observed: 4, Sites: []event.Site{
		{Space: event.Device, Accesses: 32, Bytes: 128, Unique: 128, Transactions: [3]int64{4, 2, 1}},
		{Space: event.Constant, Accesses: 32, Bytes: 128, Unique: 4, Transactions: [3]int64{1, 1, 1}},
		{Space: event.Threadgroup, Accesses: 32, Bytes: 128, Unique: 128},
	}}
	totals := l.Totals()
	assert.Equal(t, event.Totals{Accesses: 64, Bytes: 256, Unique: 132, Transactions: [3]int64{5, 3, 2}}, totals)
	e, ok := totals.Efficiency(64)
	assert.True(t, ok)
	assert.InDelta(t, 132.0/192, e, 1e-12)
	_, ok = totals.Efficiency(48)
	assert.False(t, ok)
	_, ok = l.Sites[2].Efficiency(64)
	assert.False(t, ok)
	assert.InDelta(t, 0.25, l.SimdEfficiency(), 1e-12)
	assert.True(t, l.Whole())
	assert.Zero(t, (&event.Launch{}).SimdEfficiency())
}

// TestPatterns: the main pattern and shares.
func TestPatterns(t *testing.T) {
	p := event.Patterns{Sequential: 30, Random: 60, Single: 10}
	assert.Equal(t, "random", p.Main())
	assert.InDelta(t, 0.3, p.Share("sequential"), 1e-12)
	assert.Zero(t, p.Share("strided"))
	none := event.Patterns{}
	assert.Empty(t, none.Main())
	assert.Zero(t, none.Share("random"))
}

// TestWithin: distances are below powers of 2.
func TestWithin(t *testing.T) {
	r := event.Reuse{First: 10, Distances: []int64{20, 30, 40}} // at 0, at 1, at 2 to 3
	assert.Zero(t, r.Within(0))
	assert.InDelta(t, 0.2, r.Within(1), 1e-12)
	assert.InDelta(t, 0.5, r.Within(3), 1e-12)
	assert.InDelta(t, 0.9, r.Within(4), 1e-12)
}

// TestJSON: a launch survives its JSON form.
func TestJSON(t *testing.T) {
	l := event.Launch{Kernel: "k", Start: time.Unix(5, 6).UTC(), End: time.Unix(7, 8).UTC(), Threadgroups: 3, Observed: 2,
		Sites: []event.Site{{Place: event.Place{File: "k.metal", Line: 2, Column: 3}, Operation: event.Atomic,
			Strides: []event.Stride{{Stride: -4, Bytes: 8}}, Contention: &event.Contention{Operations: 5}}},
		Memories: []event.Memory{{Name: "a", Hot: []event.Hot{{Offset: 128, Transactions: 9}}}},
		Branches: []event.Branch{{Kind: "if", Entries: 4}}, Lines: []event.Line{{File: "k.metal", Line: 2}},
		Balance: event.Balance{Simdgroups: event.Spread{Min: 1, Median: 2, Max: 3}},
		Reuse:   event.Reuse{First: 4, Distances: []int64{5}}}
	data, err := json.Marshal(&l)
	require.NoError(t, err)
	var back event.Launch
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, l, back)
	assert.Equal(t, "k.metal:2:3", back.Sites[0].Place.String())
	assert.Equal(t, "unknown place", event.Place{}.String())
}
