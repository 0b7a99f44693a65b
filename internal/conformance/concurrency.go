package conformance

import (
	"sync"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// together runs f on n goroutines, each in its own pool, and fails the case with the first error.
func (r *rig) together(n int, f func(i int) error) {
	r.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() { // must and do panic, and nothing else recovers on this goroutine
				if p := recover(); p != nil {
					r.Errorf("goroutine %d: %v", i, p)
				}
			}()
			pooled(func() { assert.NoError(r, f(i)) })
		})
	}
	wg.Wait()
}

func concurrencyCases() []aCase {
	const many = 64
	// number runs a kernel on a queue and looks at what it wrote.
	number := func(r *rig, q mtl.CommandQueue, p mtl.ComputePipelineState, n int) error {
		x := must(r.device.NewBuffer(uint(4*n), 0))
		defer x.Release()
		b := must(q.CommandBuffer())
		e := must(b.ComputeCommandEncoder())
		set(e, p, x)
		do(e.DispatchThreads(line(uint(n)), line(32)), e.EndEncoding(), b.Commit(), b.Wait(r.Context()))
		assert.Equal(r, count(n), append([]uint32(nil), must(mtl.Slice[uint32](x))...))
		return nil
	}
	return []aCase{
		{"buffers", "64 goroutines make, fill and release buffers of one device.", func(r *rig) {
			before := r.device.CurrentAllocatedSize()
			r.together(many, func(i int) error {
				for n := range 20 {
					b := must(r.device.NewBuffer(uint(1+n*100), 0))
					m := must(b.Bytes())
					m[0] = byte(i)
					assert.Equal(r, byte(i), m[0])
					b.Release()
				}
				return nil
			})
			assert.Equal(r, before, r.device.CurrentAllocatedSize())
		}},
		{"one queue", "64 goroutines run command buffers of one queue.", func(r *rig) {
			q, p := r.queue(), r.kernel("number")
			r.together(many, func(i int) error { return number(r, q, p, 100+i) })
		}},
		{"queue each", "Goroutines with a queue each run apart.", func(r *rig) {
			p := r.kernel("number")
			r.together(16, func(i int) error {
				q := must(r.device.NewCommandQueue())
				defer q.Release()
				return number(r, q, p, 200+i)
			})
		}},
		{"one buffer", "Atomic additions of 64 command buffers to one buffer add up.", func(r *rig) {
			q, p, x := r.queue(), r.kernel("hits"), r.uints(0)
			r.together(many, func(int) error {
				b := must(q.CommandBuffer())
				r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(100), line(32))) })
				r.finish(b)
				return nil
			})
			assert.Equal(r, []uint32{6400}, r.words(x))
		}},
		{"libraries", "Goroutines compile libraries and make pipelines at the same time.", func(r *rig) {
			r.together(8, func(int) error {
				l := must(r.device.NewLibrary(preamble+kernels, mtl.CompileOptions{}))
				defer l.Release()
				f := must(l.NewFunction("twice"))
				defer f.Release()
				p := must(r.device.NewComputePipelineState(f))
				p.Release()
				return nil
			})
		}},
		{"one pipeline", "64 goroutines ask one pipeline and one device for their limits.", func(r *rig) {
			p := r.kernel("number")
			n := p.MaxTotalThreadsPerThreadgroup()
			r.together(many, func(int) error {
				assert.Equal(r, n, p.MaxTotalThreadsPerThreadgroup())
				assert.NotEmpty(r, r.device.Name())
				return nil
			})
		}},
		{"heap", "64 goroutines take from one heap, and all is given back.", func(r *rig) {
			h := r.heap(1<<22, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
			r.together(many, func(i int) error {
				b := must(h.NewBuffer(4096, mtl.ResourceStorageModeShared))
				m := must(b.Bytes())
				for k := range m {
					m[k] = byte(i)
				}
				for k := range m {
					if m[k] != byte(i) {
						r.Errorf("byte %d of buffer %d is %d", k, i, m[k])
						break
					}
				}
				b.Release()
				return nil
			})
			assert.Zero(r, h.UsedSize())
		}},
		{"event", "64 goroutines wait for one event.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeSignalEvent(e.Event, 1))
			var wg sync.WaitGroup
			for range many {
				wg.Go(func() { pooled(func() { assert.NoError(r, e.Wait(r.Context(), 1)) }) })
			}
			r.finish(b)
			wg.Wait()
		}},
		{"labels", "Goroutines set and read a label without tearing it.", func(r *rig) {
			x := r.buffer(4)
			x.SetLabel("aaaa")
			r.together(many, func(i int) error {
				x.SetLabel([]string{"aaaa", "bbbbbbbb"}[i%2])
				assert.Contains(r, []string{"aaaa", "bbbbbbbb"}, x.Label())
				return nil
			})
		}},
	}
}
