package peer

import (
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// BenchmarkCopy compares copies between peers with the same blit written against package mtl, and
// with copies through staging memory.
func BenchmarkCopy(b *testing.B) {
	first, second, alone := device(b, 0), device(b, 1), device(b, 3)
	for _, size := range []struct {
		name string
		n    int
	}{{"4KiB", 1 << 10}, {"8MiB", 2 << 20}, {"64MiB", 16 << 20}} {
		src, dst := buffer(b, first, size.n, private), buffer(b, second, size.n, private)
		staged := buffer(b, alone, size.n, private)
		upload(b, src, counting(size.n, 1))
		remote, far := connect(b, first, second, Options{}), connect(b, first, alone, Options{})
		require.NoError(b, remote.Enable())
		from, offset := src.Metal()
		view, err := from.NewRemoteBufferView(second.Device())
		require.NoError(b, err)
		defer view.Release()
		to, at := dst.Metal()
		queue, err := second.Device().NewCommandQueue()
		require.NoError(b, err)
		defer queue.Release()
		metal := func() {
			objc.Pool(func() {
				c, err := queue.CommandBuffer()
				require.NoError(b, err)
				e, err := c.BlitCommandEncoder()
				require.NoError(b, err)
				require.NoError(b, e.CopyFromBuffer(view, offset, to, at, uint(4*size.n)))
				e.EndEncoding()
				require.NoError(b, c.Commit())
				require.NoError(b, c.WaitUntilCompleted())
			})
		}
		b.Run(size.name+"/metal", func(b *testing.B) {
			b.SetBytes(int64(4 * size.n))
			for b.Loop() {
				metal()
			}
		})
		b.Run(size.name+"/remote-of-metal", func(b *testing.B) { // in turns; medians
			var took [2][]time.Duration
			for b.Loop() {
				for i, run := range []func(){func() { require.NoError(b, Copy(b.Context(), remote, dst, src)) }, metal} {
					start := time.Now()
					run()
					took[i] = append(took[i], time.Since(start))
				}
			}
			for i := range took {
				slices.Sort(took[i])
			}
			middle := len(took[0]) / 2
			b.ReportMetric(float64(took[0][middle])/float64(took[1][middle]), "x-of-metal")
			b.ReportMetric(0, "ns/op")
		})
		for _, c := range []struct {
			name string
			link *Link
			dst  *compute.Buffer[uint32]
		}{{"remote", remote, dst}, {"staged", far, staged}} {
			b.Run(size.name+"/"+c.name, func(b *testing.B) {
				b.SetBytes(int64(4 * size.n))
				for b.Loop() {
					require.NoError(b, Copy(b.Context(), c.link, c.dst, src))
				}
			})
		}
	}
}
