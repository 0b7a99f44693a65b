package computetest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// DeviceTime makes a benchmark report how long the device worked for each iteration, as
// "device-ns/op": the sum of the times of all command buffers of the accelerator that end before
// the returned function is called. Call DeviceTime just before the loop, and the returned function
// after it, when the streams have been synchronized:
//
//	report := computetest.DeviceTime(b, acc)
//	for b.Loop() {
//		...
//	}
//	... // Sync
//	report()
//
// Work of several streams at the same time counts once for each.
func DeviceTime(b *testing.B, acc *compute.Accelerator) (report func()) {
	b.Helper()
	var sum atomic.Int64
	stop, err := acc.Observe(&observe.Observer{Complete: func(e observe.CompleteEvent) {
		sum.Add(int64((e.DeviceEnd - e.DeviceStart) * float64(time.Second)))
	}})
	if err != nil {
		b.Fatalf("computetest: %v", err)
	}
	return func() {
		stop()
		b.ReportMetric(float64(sum.Load())/float64(max(b.N, 1)), "device-ns/op")
	}
}
