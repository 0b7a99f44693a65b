package event_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze/event"
)

// TestAttributes: the figures of a launch by hand, and those that it does not have.
func TestAttributes(t *testing.T) {
	l := event.Launch{Kernel: "k", Label: "frame", Grid: [3]int{100, 2, 1}, Threadgroup: [3]int{32, 2, 1},
		ThreadgroupMemory: 64, Error: "stopped", Threadgroups: 4, Observed: 2, Instructions: 10, ActiveLanes: 160,
		FloatOperations: 7, Textures: 3,
		Sites: []event.Site{
			{Space: event.Device, Accesses: 64, Bytes: 256, Unique: 128, Transactions: [3]int64{8, 4, 2},
				Contention: &event.Contention{Serial: 9}},
			{Space: event.Threadgroup, Accesses: 32, Bytes: 128, Contention: &event.Contention{Serial: 2}}},
		Memories: []event.Memory{{Footprint: 96}, {Footprint: 32}},
		Branches: []event.Branch{{Entries: 6, Divergent: 3}, {Entries: 2}},
		Balance:  event.Balance{Threadgroups: event.Spread{Min: 1, Median: 2, Max: 5}}}
	type figure struct {
		value    any
		unit     string
		estimate bool
	}
	have := map[string]figure{}
	for _, a := range l.Attributes() {
		have[a.Key] = figure{a.Value, a.Unit, a.Estimate}
	}
	assert.Equal(t, map[string]figure{"kernel": {"k", "", false}, "label": {"frame", "", false},
		"error": {"stopped", "", false}, "grid": {"100,2,1", "", false}, "threadgroup": {"32,2,1", "", false},
		"threadgroup_memory": {int64(64), "bytes", false}, "threadgroups": {int64(4), "1", false},
		"observed": {int64(2), "1", false}, "instructions": {int64(10), "1", true}, "simd_efficiency": {0.5, "1", true},
		"float_operations": {int64(7), "1", true}, "textures": {int64(3), "1", true}, "accesses": {int64(64), "1", true},
		"bytes": {int64(256), "bytes", true}, "unique": {int64(128), "bytes", true}, "lines_32": {int64(8), "1", true},
		"lines_64": {int64(4), "1", true}, "lines_128": {int64(2), "1", true}, "efficiency_32": {0.5, "1", true},
		"efficiency_64": {0.5, "1", true}, "efficiency_128": {0.5, "1", true}, "footprint": {int64(128), "bytes", true},
		"atomic_serial": {int64(11), "1", true}, "divergence": {0.375, "1", true}, "imbalance": {2.5, "1", true}}, have)

	page, err := os.ReadFile("../../docs/analyze.md")
	require.NoError(t, err)
	documented := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([a-z1]+) \\|").FindAllStringSubmatch(string(page), -1) {
		documented[m[1]] = m[2]
	}
	units := map[string]string{}
	for key, f := range have {
		if units[key] = f.unit; f.unit == "" {
			units[key] = "text"
		}
	}
	assert.Equal(t, units, documented, "the table in docs/analyze.md")

	whole := event.Launch{Kernel: "k", Threadgroups: 1, Observed: 1}
	for _, a := range whole.Attributes() {
		assert.False(t, a.Estimate, a.Key)
		assert.NotContains(t, []string{"label", "error", "efficiency_128"}, a.Key)
	}
}

// A span of a timeline, in the form of Chrome's trace viewer and Perfetto, from an observed launch.
// Its time is that of the observed launch; a profiler has the span of the launch at full speed, and
// adds the attributes to that.
func ExampleLaunch_Attributes() {
	start := time.UnixMicro(1_000_000)
	l := event.Launch{Kernel: "scale", Grid: [3]int{64, 1, 1}, Threadgroup: [3]int{32, 1, 1}, Threadgroups: 2, Observed: 2,
		Start: start, End: start.Add(250 * time.Microsecond), Instructions: 12, ActiveLanes: 384, FloatOperations: 64,
		Sites: []event.Site{{Space: event.Device, Operation: event.Store, Accesses: 64, Bytes: 256, Unique: 256,
			Transactions: [3]int64{8, 4, 2}}}}
	args := map[string]any{}
	for _, a := range l.Attributes() {
		switch a.Key {
		case "kernel", "grid", "bytes", "efficiency_128", "simd_efficiency":
			args[a.Key] = a.Value
		}
	}
	span, err := json.MarshalIndent(map[string]any{"name": l.Kernel, "ph": "X", "pid": 1, "tid": 1,
		"ts": l.Start.UnixMicro(), "dur": l.End.Sub(l.Start).Microseconds(), "args": args}, "", "  ")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(span))
	// Output:
	// {
	//   "args": {
	//     "bytes": 256,
	//     "efficiency_128": 1,
	//     "grid": "64,1,1",
	//     "kernel": "scale",
	//     "simd_efficiency": 1
	//   },
	//   "dur": 250,
	//   "name": "scale",
	//   "ph": "X",
	//   "pid": 1,
	//   "tid": 1,
	//   "ts": 1000000
	// }
}
