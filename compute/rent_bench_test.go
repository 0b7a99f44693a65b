package compute

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// BenchmarkRent compares ways to have memory and to give it back: a fresh buffer of the device, a
// block of the pool, and a buffer of this package, with and without a label. They take turns, so
// that the ratios mean something on a busy machine; the figures are medians over the turns.
func BenchmarkRent(b *testing.B) {
	for _, n := range []int{256, 64 << 10, 4 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", n), func(b *testing.B) {
			a := accelerator(b)
			options := mtl.MakeResourceOptions(mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache,
				mtl.HazardTrackingModeUntracked)
			ways := []struct {
				name  string
				times int
				once  func() error
				took  []float64
			}{
				{"fresh", 100, func() error {
					m, err := a.device.NewBuffer(uint(n), options)
					m.Release()
					return err
				}, nil},
				{"pool", 1000, func() error {
					m, err := a.pool.Rent(uint(n), pool.Kind{Hazards: mtl.HazardTrackingModeUntracked})
					if err != nil {
						return err
					}
					return m.Return()
				}, nil},
				{"buffer", 1000, func() error {
					x, err := NewBuffer[byte](a, n, BufferOptions{})
					x.Close()
					return err
				}, nil},
				{"labeled", 1000, func() error {
					x, err := NewBuffer[byte](a, n, BufferOptions{Label: "activations"})
					x.Close()
					return err
				}, nil},
			}
			for b.Loop() {
				for i := range ways {
					w := &ways[i]
					begin := time.Now()
					for range w.times {
						if err := w.once(); err != nil {
							b.Fatal(err)
						}
					}
					w.took = append(w.took, float64(time.Since(begin).Nanoseconds())/float64(w.times))
				}
			}
			b.ReportMetric(0, "ns/op")
			for i := range ways {
				slices.Sort(ways[i].took)
				b.ReportMetric(middle(ways[i].took), ways[i].name+"-ns")
			}
			for _, w := range ways[1:] {
				b.ReportMetric(middle(ways[0].took)/middle(w.took), "fresh/"+w.name)
			}
		})
	}
}

// middle returns the median of sorted values.
func middle(sorted []float64) float64 { return sorted[len(sorted)/2] }
