package resilience

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/compute/tree"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
)

// The tests in this file use streams of a manager's accelerator as the rest of the library does.

// underFaults runs a test with a device that fails at each so many command buffers, and with one
// that is removed and comes back.
func underFaults(t *testing.T, every int, o Options, use func(t *testing.T, m *Manager, fail func()),
	options ...compute.Option) {
	for name, faults := range map[string]softmetal.Faults{
		"transient": failing(every, mtl.CommandBufferErrorNotPermitted),
		"internal":  failing(every+1, mtl.CommandBufferErrorInternal),
		"memory":    failing(every+2, mtl.CommandBufferErrorOutOfMemory),
		"removed":   {RemoveAfter: 2},
		"at once":   failing(1, mtl.CommandBufferErrorDeviceRemoved),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFaulty(t, 0)
			o := o
			o.Open, o.Attempts, o.Trip = f.opener(0, options...), 20, 1000
			m := manager(t, o)
			use(t, m, func() { f.inject(faults) })
			require.Positive(t, m.Report().Retries, m.Report())
			require.Empty(t, m.Report().Lost)
		})
	}
}

// TestTensor: tensors survive if all memory has host copies.
func TestTensor(t *testing.T) {
	underFaults(t, 3, Options{KeepAll: true}, func(t *testing.T, m *Manager, fail func()) {
		e, err := tensor.New(m.Accelerator())
		require.NoError(t, err)
		s := e.Scope(t.Context())
		x := tensor.Of(s, []float32{1, 2, 3, 4}, 2, 2)
		fail()
		sum, want := s.Add(x, x), [4]float32{2, 4, 6, 8}
		for range 5 {
			sum = s.Add(s.MatMul(sum, x), x)
			_, err := tensor.Data[float32](t.Context(), sum)
			require.NoError(t, err)
			want = [4]float32{want[0]*1 + want[1]*3 + 1, want[0]*2 + want[1]*4 + 2, want[2]*1 + want[3]*3 + 3,
				want[2]*2 + want[3]*4 + 4}
		}
		got, err := tensor.Data[float32](t.Context(), sum)
		require.NoError(t, err)
		require.Equal(t, want[:], got)
		s.Close()
		require.NoError(t, e.Close(t.Context()))
	})
}

// TestTensorWithoutCopies: without host copies, operations whose kernels could read what they write
// are not repeated, and those on lost memory fail. Nothing else does.
func TestTensorWithoutCopies(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0), Trip: 1000})
	e, err := tensor.New(m.Accelerator())
	require.NoError(t, err)
	s := e.Scope(t.Context())
	x := tensor.Of(s, []float32{1, 2, 3, 4}, 4)
	add := func() ([]float32, error) {
		got, err := tensor.Data[float32](t.Context(), s.Add(x, x))
		if synced := e.Sync(t.Context()); synced != nil {
			require.ErrorIs(t, synced, ErrNotRepeatable)
			require.ErrorContains(t, synced, "has no host copy")
		}
		return got, err
	}
	f.inject(failing(1, mtl.CommandBufferErrorNotPermitted))
	_, err = add()
	require.ErrorIs(t, err, ErrNotRepeatable)
	f.inject(softmetal.Faults{})
	got, err := add()
	require.NoError(t, err)
	require.Equal(t, []float32{2, 4, 6, 8}, got)
	f.inject(failing(1, mtl.CommandBufferErrorDeviceRemoved))
	_, err = add()
	require.ErrorIs(t, err, ErrNotRepeatable)
	_, err = tensor.Data[float32](t.Context(), x)
	require.ErrorIs(t, err, ErrLost)
	y := tensor.Of(s, []float32{1, 1, 1, 1}, 4)
	got, err = tensor.Data[float32](t.Context(), s.Add(y, y))
	require.NoError(t, err)
	require.Equal(t, []float32{2, 2, 2, 2}, got)
	s.Close()
	require.NoError(t, e.Close(t.Context()))
}

// kept makes a buffer with a host copy.
func kept[T any](t *testing.T, m *Manager, data ...T) *compute.Buffer[T] {
	t.Helper()
	b, err := compute.NewBuffer[T](m.Accelerator(), len(data), compute.BufferOptions{HostCopy: true})
	require.NoError(t, err)
	require.NoError(t, b.Upload(t.Context(), data))
	return b
}

func contents[T any](t *testing.T, b *compute.Buffer[T]) []T {
	t.Helper()
	data := make([]T, b.Len())
	require.NoError(t, b.Download(t.Context(), data))
	return data
}

// TestOps: the operations of package ops, on the accelerator's shared streams.
func TestOps(t *testing.T) {
	underFaults(t, 3, Options{KeepAll: true}, func(t *testing.T, m *Manager, fail func()) {
		ctx := t.Context()
		o := ops.New(m.Accelerator())
		array := func(rows, columns int, data ...float32) ops.Array[float32] {
			a, err := ops.Of(kept(t, m, data...), rows, columns)
			require.NoError(t, err)
			return a
		}
		a, b := array(2, 3, 1, 2, 3, 4, 5, 6), array(3, 2, 1, 0, 0, -1, 1, 1)
		c, sums := array(2, 2, 0, 0, 0, 0), array(2, 1, 0, 0)
		flat, err := ops.Of(sums.Buffer, 2)
		require.NoError(t, err)
		fail()
		for range 6 {
			s, err := m.Accelerator().NextStream()
			require.NoError(t, err)
			require.NoError(t, ops.MatMul(ctx, o, s, c, a, b))
			require.NoError(t, ops.Map(ctx, o, s, ops.ReLU, c, c))
			require.NoError(t, ops.Reduce(ctx, o, s, ops.Sum, flat, c))
			require.NoError(t, s.Sync(ctx))
			require.Equal(t, []float32{4, 0 + 1, 10, 1}, contents(t, c.Buffer))
			require.Equal(t, []float32{5, 11}, contents(t, sums.Buffer))
			require.NoError(t, sums.Buffer.Upload(ctx, []float32{0, 0}))
		}
		o.Close()
	})
}

// TestInstance: a graph is replayed, with the indirect commands that its launches have become.
func TestInstance(t *testing.T) {
	underFaults(t, 3, Options{}, func(t *testing.T, m *Manager, fail func()) {
		ctx, s, add := t.Context(), streamOf(t, m), kernelOf(t, m, "add")
		x := kept(t, m, make([]uint32, 4)...)
		g := graph.New(m.Accelerator(), "adds")
		for range 8 {
			_, err := g.Launch(add, compute.Threads1D(4), x, uint32(1))
			require.NoError(t, err)
		}
		i, err := g.Instantiate(ctx)
		require.NoError(t, err)
		fail()
		for range 6 {
			require.NoError(t, i.Replay(ctx, s))
			require.NoError(t, s.Sync(ctx))
		}
		require.Equal(t, []uint32{48, 96, 144, 192}, contents(t, x))
		i.Close()
	})
}

// TestEvents: streams that wait for each other lose nothing, although only one batch runs at once.
func TestEvents(t *testing.T) {
	underFaults(t, 3, Options{Concurrent: 1, Delay: time.Millisecond}, func(t *testing.T, m *Manager, fail func()) {
		ctx, add := t.Context(), kernelOf(t, m, "add")
		a, b := streamOf(t, m), streamOf(t, m)
		x := kept(t, m, 0, 0, uint32(0), 0)
		e, err := m.Accelerator().NewEvent(compute.EventOptions{Timing: true})
		require.NoError(t, err)
		fail()
		for i := range 10 {
			from, to := a, b
			if i%2 == 1 {
				from, to = b, a
			}
			require.NoError(t, from.Launch(ctx, add, compute.Threads1D(4), x, uint32(1)))
			require.NoError(t, from.Record(ctx, e))
			require.NoError(t, to.WaitFor(ctx, e))
			require.NoError(t, to.Launch(ctx, add, compute.Threads1D(4), x, uint32(1)))
			require.NoError(t, to.Record(ctx, e))
			require.NoError(t, from.WaitFor(ctx, e))
		}
		require.NoError(t, a.Sync(ctx))
		require.NoError(t, b.Sync(ctx))
		require.NoError(t, e.Wait(ctx))
		require.True(t, e.Reached())
		require.Equal(t, []uint32{20, 40, 60, 80}, contents(t, x))
		e.Close()
	})
}

// TestTransfers: copies that are commands of a stream, in memory that the host cannot access.
func TestTransfers(t *testing.T) {
	underFaults(t, 9, Options{KeepAll: true}, func(t *testing.T, m *Manager, fail func()) {
		ctx, s, add := t.Context(), streamOf(t, m), kernelOf(t, m, "add")
		x, err := compute.NewBuffer[uint32](m.Accelerator(), 4, compute.BufferOptions{Intent: compute.DeviceOnly})
		require.NoError(t, err)
		shared := kept(t, m, 0, 0, uint32(0), 0)
		got := make([]uint32, 4)
		fail()
		for i := range uint32(5) {
			require.NoError(t, compute.UploadAsync(ctx, s, x, []uint32{i, i, i, i}, nil))
			require.NoError(t, s.Sync(ctx))
			require.NoError(t, s.Launch(ctx, add, compute.Threads1D(4), x, uint32(1)))
			require.NoError(t, compute.Copy(ctx, s, shared, x))
			require.NoError(t, s.Sync(ctx))
			require.NoError(t, compute.DownloadAsync(ctx, s, got, shared, nil))
			require.NoError(t, s.Sync(ctx))
			require.Equal(t, []uint32{i + 1, i + 2, i + 3, i + 4}, got)
			require.NoError(t, x.Upload(ctx, []uint32{7, 7, 7, 7}))
			require.Equal(t, []uint32{7, 7, 7, 7}, contents(t, x))
		}
	})
}

const textureSource = `
using namespace metal;
kernel void brighten(texture2d<float, access::read_write> t [[texture(0)]], uint2 at [[thread_position_in_grid]]) {
  t.write(t.read(at) + 1, at);
}
kernel void sampled(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device float *out [[buffer(0)]],
                    uint2 at [[thread_position_in_grid]]) {
  out[at.y * 4 + at.x] = t.sample(s, (float2(at) + 0.5) / 4).x;
}
`

// TestTextures: kernels, copies and transfers of textures with levels, views and samplers.
func TestTextures(t *testing.T) {
	underFaults(t, 9, Options{}, func(t *testing.T, m *Manager, fail func()) {
		ctx, s, acc := t.Context(), streamOf(t, m), m.Accelerator()
		p, err := acc.Compile(ctx, textureSource, compute.CompileOptions{})
		require.NoError(t, err)
		brighten, err := p.Kernel("brighten")
		require.NoError(t, err)
		sampled, err := p.Kernel("sampled")
		require.NoError(t, err)
		shape := compute.Texture2D(4, 4)
		shape.Levels = 2
		x, err := compute.NewTexture[float32](acc, shape, compute.TextureOptions{HostCopy: true})
		require.NoError(t, err)
		level, err := x.Level(1)
		require.NoError(t, err)
		y, err := compute.NewTexture[float32](acc, compute.Texture2D(4, 4), compute.TextureOptions{HostCopy: true})
		require.NoError(t, err)
		nearest, err := acc.Sampler(compute.SamplerOptions{})
		require.NoError(t, err)
		out := kept(t, m, make([]float32, 16)...)
		run, err := sampled.Bind(compute.Threads2D(4, 4), y, nearest, out)
		require.NoError(t, err)
		zero, want := make([]float32, 16), make([]float32, 16)
		require.NoError(t, x.Upload(ctx, zero))
		require.NoError(t, level.Upload(ctx, zero[:4]))
		fail()
		for i := range 6 {
			require.NoError(t, s.Launch(ctx, brighten, compute.Threads2D(4, 4), x))
			require.NoError(t, s.Launch(ctx, brighten, compute.Threads2D(2, 2), level))
			require.NoError(t, s.Sync(ctx))
			require.NoError(t, compute.CopyTexture(ctx, s, y, x))
			require.NoError(t, s.Sync(ctx))
			require.NoError(t, s.Run(ctx, run))
			require.NoError(t, s.Sync(ctx))
			for j := range want {
				want[j] = float32(i + 1)
			}
			require.Equal(t, want, contents(t, out))
		}
		got := make([]float32, 16)
		require.NoError(t, x.Download(ctx, got))
		require.Equal(t, want, got)
		require.NoError(t, level.Download(ctx, got[:4]))
		require.Equal(t, want[:4], got[:4])
		require.NoError(t, compute.CopyFromTexture(ctx, s, out, x))
		require.NoError(t, s.Sync(ctx))
		require.Equal(t, want, contents(t, out))
		require.NoError(t, compute.UploadTextureAsync(ctx, s, y, compute.Region{}, zero, nil))
		require.NoError(t, s.Sync(ctx))
		require.NoError(t, y.Download(ctx, got))
		require.Equal(t, zero, got)
	})
}

const gridSource = `
#include <puremetal/cooperative>
using namespace puremetal;
kernel void rounds(device uint *x [[buffer(0)]], device uint *y [[buffer(1)]]) {
  auto grid = this_grid();
  uint i = uint(grid.thread_rank()), n = uint(grid.size());
  uint v = x[(i + 1) % n];
  grid.sync();
  y[i] = v + 1;
  grid.sync();
  x[i] = y[i];
}
`

// TestCooperative: kernels that synchronize the grid. Where they are split into phases, their
// memory between these has no host copy unless all has.
func TestCooperative(t *testing.T) {
	for name, options := range map[string][]compute.Option{"whole": nil, "phases": {compute.WithGridPhases()}} {
		t.Run(name, func(t *testing.T) {
			every := 3
			if options != nil {
				every = 9
			}
			underFaults(t, every, Options{KeepAll: true}, func(t *testing.T, m *Manager, fail func()) {
				ctx, s := t.Context(), streamOf(t, m)
				p, err := m.Accelerator().Compile(ctx, gridSource, compute.CompileOptions{})
				require.NoError(t, err)
				rounds, err := p.Kernel("rounds")
				require.NoError(t, err)
				x, y := kept(t, m, 1, 2, uint32(3), 4), kept(t, m, 0, 0, uint32(0), 0)
				fail()
				want := []uint32{1, 2, 3, 4}
				for range 6 {
					require.NoError(t, s.LaunchCooperative(ctx, rounds, compute.Threads1D(4), x, y))
					require.NoError(t, s.Sync(ctx))
					want = []uint32{want[1] + 1, want[2] + 1, want[3] + 1, want[0] + 1}
					require.Equal(t, want, contents(t, x))
				}
			}, options...)
		})
	}
}

// TestLostHandles: what belongs to a device that is lost and cannot be made again is an error where
// it is used, not a wrong value.
func TestLostHandles(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0)})
	ctx, acc, s, add := t.Context(), m.Accelerator(), streamOf(t, m), kernelOf(t, m, "add")
	x, y := kept(t, m, 1, 2, uint32(3), 4), kept(t, m, 1, 2, uint32(3), 4)
	lose := func() {
		t.Helper()
		f.inject(failing(1, mtl.CommandBufferErrorDeviceRemoved))
		require.NoError(t, s.Launch(ctx, add, compute.Threads1D(4), y, uint32(1)))
		require.NoError(t, s.Sync(ctx))
	}
	_, err := x.Data()
	require.ErrorIs(t, err, compute.ErrStorage)

	// A command of the program has Metal's objects in it.
	held := streamOf(t, m)
	called := 0
	encode := func(mtl.CommandBuffer) error { called++; return nil }
	require.NoError(t, held.Encode(ctx, encode, compute.Writes(x)))
	lose()
	err = held.Sync(ctx)
	require.ErrorIs(t, err, ErrLost)
	require.ErrorContains(t, err, "recorded for a device that is lost")
	require.Zero(t, called)
	require.Equal(t, []uint32{1, 2, 3, 4}, contents(t, x), "it has not run")
	require.NoError(t, held.Encode(ctx, encode, compute.Writes(x)))
	require.NoError(t, held.Sync(ctx))
	require.Equal(t, 1, called)

	// An address in memory.
	p, err := acc.Compile(ctx, `
struct place { device uint *at; };
kernel void through(constant place &p [[buffer(0)]]) { p.at[0] += 1; }`,
		compute.CompileOptions{})
	require.NoError(t, err)
	through, err := p.Kernel("through")
	require.NoError(t, err)
	address, err := x.Address()
	require.NoError(t, err)
	type place struct{ At uint64 }
	at := kept(t, m, place{address})
	run := func() error {
		require.NoError(t, s.Launch(ctx, through, compute.Threads1D(1), at, compute.Writes(x)))
		return s.Sync(ctx)
	}
	require.NoError(t, run())
	lose()
	err = run()
	require.ErrorIs(t, err, ErrLost)
	require.ErrorContains(t, err, "by its address")
	address, err = x.Address()
	require.NoError(t, err)
	require.NoError(t, at.Upload(ctx, []place{{address}}))
	require.NoError(t, run())
	require.Equal(t, []uint32{3, 2, 3, 4}, contents(t, x))

	// A kernel whose program is closed.
	require.NoError(t, held.Launch(ctx, through, compute.Threads1D(1), at, compute.Writes(x)))
	p.Close()
	lose()
	require.ErrorIs(t, held.Sync(ctx), ErrLost)
	require.Equal(t, []uint32{3, 2, 3, 4}, contents(t, x))
	require.Equal(t, Healthy, m.Report().Health)
}

const treeSource = `#include <puremetal/launch>
kernel void root(device uint *x [[buffer(0)]], device puremetal::launcher &l [[buffer(30)]]) {
  puremetal::launch(l, LAUNCH_child, 1, 1, x);
}
kernel void child(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] += 1; }
`

// TestLaunchTree: launch trees read what they write, so that some fail; the others are right.
func TestLaunchTree(t *testing.T) {
	for name, all := range map[string]bool{"none": false, "all": true} {
		t.Run(name, func(t *testing.T) {
			f := newFaulty(t, 0)
			m := manager(t, Options{Open: f.opener(0), KeepAll: all, Trip: 1000, Delay: time.Millisecond})
			ctx, acc, s := t.Context(), m.Accelerator(), streamOf(t, m)
			p, err := acc.Compile(ctx, treeSource, compute.CompileOptions{Macros: tree.Numbers("child")})
			require.NoError(t, err)
			root, err := p.Kernel("root")
			require.NoError(t, err)
			child, err := p.Kernel("child")
			require.NoError(t, err)
			x := kept(t, m, uint32(0))
			done := uint32(0)
			for _, faults := range []softmetal.Faults{{}, failing(5, mtl.CommandBufferErrorInternal), {RemoveAfter: 3}} {
				f.inject(faults)
				for range 4 {
					launches, err := tree.New(ctx, acc, []*compute.Kernel{child},
						tree.Options{Depth: 1, Capacity: 4})
					if err != nil {
						continue
					}
					for range 3 {
						_, err := launches.Launch(ctx, s, root, compute.Threads1D(1), x)
						if err == nil && s.Sync(ctx) == nil {
							done++
						}
						require.Equal(t, []uint32{done}, contents(t, x))
					}
					launches.Close()
				}
			}
			require.Greater(t, done, uint32(12))
		})
	}
}
