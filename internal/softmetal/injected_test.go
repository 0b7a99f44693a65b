package softmetal_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inject has a device fail until the end of the test.
func inject(t *testing.T, d mtl.Device, f softmetal.Faults) {
	t.Helper()
	require.NoError(t, softmetal.Inject(softmetal.Opened(), objcsoft.ID(d.ID()), f))
	t.Cleanup(func() {
		assert.NoError(t, softmetal.Inject(softmetal.Opened(), objcsoft.ID(d.ID()), softmetal.Faults{}))
	})
}

// checked returns a command buffer whose error says what became of its encoders.
func checked(t *testing.T, q mtl.CommandQueue) mtl.CommandBuffer {
	t.Helper()
	d, err := mtl.NewCommandBufferDescriptor()
	require.NoError(t, err)
	defer d.Release()
	d.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
	b, err := q.CommandBufferWithDescriptor(d)
	require.NoError(t, err)
	return b
}

// fills records an encoder that fills a buffer.
func fills(t *testing.T, b mtl.CommandBuffer, x mtl.Buffer, label string, v uint8) {
	t.Helper()
	e, err := b.BlitCommandEncoder()
	require.NoError(t, err)
	e.SetLabel(label)
	require.NoError(t, e.FillBuffer(x, mtl.Range{Length: x.Length()}, v))
	require.NoError(t, e.EndEncoding())
}

func TestInjectedErrors(t *testing.T) {
	a, other, _ := rig(t)
	x, err := a.NewBuffer(4, 0)
	require.NoError(t, err)
	defer x.Release()
	q, err := a.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	for _, code := range []mtl.CommandBufferError{
		mtl.CommandBufferErrorInternal, mtl.CommandBufferErrorTimeout, mtl.CommandBufferErrorPageFault,
		mtl.CommandBufferErrorAccessRevoked,
		mtl.CommandBufferErrorNotPermitted, mtl.CommandBufferErrorOutOfMemory, mtl.CommandBufferErrorInvalidResource,
		mtl.CommandBufferErrorMemoryless, mtl.CommandBufferErrorStackOverflow,
	} {
		inject(t, a, softmetal.Faults{CommandEvery: 2, CommandCode: int(code)})
		var mu sync.Mutex
		var called []int
		var bs []mtl.CommandBuffer
		for i := range 4 {
			b := checked(t, q)
			b.SetLabel("batch")
			fills(t, b, x, "first", uint8(i))
			fills(t, b, x, "second", uint8(i))
			require.NoError(t, b.AddCompletedHandler(func(b mtl.CommandBuffer) {
				mu.Lock()
				defer mu.Unlock()
				called = append(called, i)
				assert.Equal(t, i%2 == 1, b.Status() == mtl.CommandBufferStatusError)
			}))
			bs = append(bs, b)
		}
		for _, b := range bs {
			require.NoError(t, b.Commit())
		}
		for i, b := range bs {
			err := b.Wait(context.Background())
			if i%2 == 0 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, code)
			var failed *mtl.CommandError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, "batch", failed.Label)
			var got []mtl.CommandEncoderErrorState
			for _, e := range failed.Encoders {
				got = append(got, e.State)
			}
			assert.Equal(t, slices.Repeat([]mtl.CommandEncoderErrorState{mtl.CommandEncoderErrorStateAffected}, 2), got,
				"none of them is at fault")
		}
		mu.Lock()
		assert.Equal(t, []int{0, 1, 2, 3}, called)
		mu.Unlock()
		bytes, err := x.Bytes()
		require.NoError(t, err)
		assert.EqualValues(t, 2, bytes[0], "what failed has not run")
	}
	// The other device is as it was.
	oq, err := other.NewCommandQueue()
	require.NoError(t, err)
	defer oq.Release()
	for range 3 {
		b, err := oq.CommandBuffer()
		require.NoError(t, err)
		require.NoError(t, b.Commit())
		require.NoError(t, b.Wait(context.Background()))
	}
}

func TestInjectedAllocationFailures(t *testing.T) {
	a, _, _ := rig(t)
	hd, err := mtl.NewHeapDescriptor()
	require.NoError(t, err)
	defer hd.Release()
	hd.SetSize(4096)
	td, err := mtl.NewTextureDescriptor()
	require.NoError(t, err)
	defer td.Release()
	td.SetPixelFormat(mtl.PixelFormatR8Unorm)
	td.SetWidth(4)
	for name, alloc := range map[string]func() (interface{ Release() }, error){
		"buffer":            func() (interface{ Release() }, error) { return a.NewBuffer(4, 0) },
		"buffer with bytes": func() (interface{ Release() }, error) { return a.NewBufferWithBytes([]byte{1}, 0) },
		"heap":              func() (interface{ Release() }, error) { return a.NewHeap(hd) },
		"texture":           func() (interface{ Release() }, error) { return a.NewTexture(td) },
	} {
		inject(t, a, softmetal.Faults{AllocationEvery: 3})
		for i := 1; i <= 9; i++ {
			x, err := alloc()
			if i%3 == 0 {
				require.Error(t, err, name)
				require.ErrorIs(t, err, mtl.ErrMemory, name)
				continue
			}
			require.NoError(t, err, name)
			x.Release()
		}
	}
}

func TestInjectedSlowness(t *testing.T) {
	a, _, _ := rig(t)
	q, err := a.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	inject(t, a, softmetal.Faults{Slow: 3 * time.Millisecond})
	b, err := q.CommandBuffer()
	require.NoError(t, err)
	require.NoError(t, b.Commit())
	require.NoError(t, b.Wait(context.Background()))
	assert.GreaterOrEqual(t, b.GPUEndTime()-b.GPUStartTime(), 0.003)
}

// TestDeviceRemoval: all that comes after it fails with the right error, what waits is woken,
// observers are told, and memory can still be read.
func TestDeviceRemoval(t *testing.T) {
	a, other, _ := rig(t)
	type change struct {
		device uint64
		what   string
	}
	changes := make(chan change, 8)
	all, observer, err := mtl.ObserveDevices(func(d mtl.Device, what string) { changes <- change{d.RegistryID(), what} })
	require.NoError(t, err)
	mtl.ReleaseAll(all)
	silent, gone, err := mtl.ObserveDevices(func(mtl.Device, string) { t.Error("an observer that was removed") })
	require.NoError(t, err)
	mtl.ReleaseAll(silent)
	require.NoError(t, gone.Remove())

	x, err := a.NewBufferWithBytes([]byte{7, 7, 7, 7}, 0)
	require.NoError(t, err)
	defer x.Release()
	var qs []mtl.CommandQueue
	for range 2 {
		q, err := a.NewCommandQueue()
		require.NoError(t, err)
		defer q.Release()
		qs = append(qs, q)
	}
	never, begins := a.NewSharedEvent(), a.NewSharedEvent()
	defer never.Release()
	defer begins.Release()
	removed, err := mtl.DeviceWasRemovedNotification()
	require.NoError(t, err)
	added, err := mtl.DeviceWasAddedNotification()
	require.NoError(t, err)
	inject(t, a, softmetal.Faults{RemoveAfter: 2})
	waits := checked(t, qs[0])
	fills(t, waits, x, "before", 8)
	require.NoError(t, waits.EncodeSignalEvent(begins.Event, 1))
	require.NoError(t, waits.EncodeWaitForEvent(never.Event, 1))
	fills(t, waits, x, "behind", 9)
	require.NoError(t, waits.Commit())
	require.NoError(t, begins.Wait(context.Background(), 1))
	begun := checked(t, qs[1])
	require.NoError(t, begun.Commit())
	require.NoError(t, begun.Wait(context.Background()))
	for range 3 { // the first of them is the one before which the device goes
		b := checked(t, qs[1])
		fills(t, b, x, "fill", 1)
		require.NoError(t, b.Commit())
		err := b.Wait(context.Background())
		require.ErrorIs(t, err, mtl.CommandBufferErrorDeviceRemoved)
		var failed *mtl.CommandError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, []mtl.EncoderError{{Label: "fill", State: mtl.CommandEncoderErrorStatePending}},
			stripped(failed.Encoders))
	}
	err = waits.Wait(context.Background())
	require.ErrorIs(t, err, mtl.CommandBufferErrorDeviceRemoved)
	assert.Equal(t, change{a.RegistryID(), removed}, <-changes)

	left, err := mtl.Devices()
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, other.RegistryID(), left[0].RegistryID())
	mtl.ReleaseAll(left)
	bytes, err := x.Bytes()
	require.NoError(t, err)
	assert.Equal(t, []byte{8, 8, 8, 8}, bytes, "what ran before has its effect, and the memory is the program's")

	inject(t, a, softmetal.Faults{})
	assert.Equal(t, change{a.RegistryID(), added}, <-changes)
	b, err := qs[0].CommandBuffer()
	require.NoError(t, err)
	fills(t, b, x, "fill", 3)
	require.NoError(t, b.Commit())
	require.NoError(t, b.Wait(context.Background()))
	assert.EqualValues(t, 3, bytes[0])
	require.NoError(t, observer.Remove())
	assert.Empty(t, changes)
}

// stripped leaves the signposts out.
func stripped(list []mtl.EncoderError) []mtl.EncoderError {
	for i := range list {
		list[i].Signposts = nil
	}
	return list
}
