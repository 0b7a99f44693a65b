package command

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// meeting returns commands that all wait for each other, which only commands that overlap can.
func meeting(t *testing.T, n int) func() error {
	var here atomic.Int32
	all := make(chan struct{})
	return func() error {
		if int(here.Add(1)) == n {
			close(all)
		}
		select {
		case <-all:
			return nil
		case <-time.After(settle.Limit(t)):
			return errors.New("the others have not come")
		}
	}
}

// TestConcurrentEncoderOverlaps has as many commands as there are workers meet.
func TestConcurrentEncoderOverlaps(t *testing.T) {
	r := newRig(t, Limits{})
	b := r.gpu.NewQueue(0).NewBuffer()
	e := b.Begin("begin", Compute, true, nil)
	meet, again := meeting(t, 2), meeting(t, 2)
	for range 2 {
		e.Do("d", meet)
	}
	e.Barrier("b")
	e.Barrier("b")
	for range 2 {
		e.Do("d", again)
	}
	e.End("end")
	b.Commit("c")
	b.WaitCompleted()
	require.NoError(t, b.Err())
}

// TestSerialEncoderDoesNot counts the commands of a serial encoder that run at one time.
func TestSerialEncoderDoesNot(t *testing.T) {
	r := newRig(t, Limits{})
	b := r.gpu.NewQueue(0).NewBuffer()
	e := b.Begin("begin", Compute, false, nil)
	var now atomic.Int32
	order := 0
	for i := range 50 {
		e.Do("d", func() error {
			assert.Equal(t, int32(1), now.Add(1))
			assert.Equal(t, i, order)
			order++
			now.Add(-1)
			return nil
		})
		e.Barrier("b")
	}
	e.End("end")
	b.Commit("c")
	b.WaitCompleted()
	require.NoError(t, b.Err())
	assert.Equal(t, 50, order)
}

// TestBarriers runs programs of random dispatches in concurrent encoders, with barriers only where
// two of them touch the same word. What comes out must be what one worker that takes them in their
// order computes.
func TestBarriers(t *testing.T) {
	const words, commands = 16, 200
	run := func(workers int, seed uint64) []uint32 {
		r := newRig(t, Limits{})
		e := exec.NewEngine(workers)
		defer e.Close()
		gpu := NewGPU(e, r.memory, Limits{})
		defer gpu.Close()
		x, mem := r.words(make([]uint32, words)...)
		plus, twice := r.kernel("plus"), r.kernel("twice")
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := gpu.NewQueue(0).NewBuffer()
		p := b.Begin("begin", Compute, true, nil)
		var touched [words]bool
		for range commands {
			at := rnd.IntN(words)
			if touched[at] {
				p.Barrier("b")
				touched = [words]bool{}
			}
			touched[at] = true
			p.SetBuffer("b", x+uint64(4*at), 0)
			if rnd.IntN(2) == 0 {
				p.SetPipeline("k", twice)
			} else {
				p.SetPipeline("k", plus)
				p.setBytes("b", []byte{byte(rnd.IntN(200)), 0, 0, 0}, 1)
			}
			p.Dispatch("d", Size{1, 1, 1}, Size{1, 1, 1})
		}
		p.End("end")
		b.Commit("c")
		b.WaitCompleted()
		require.NoError(t, b.Err())
		return read(mem)
	}
	for seed := range uint64(5) {
		want := run(1, seed)
		for _, workers := range []int{2, 3, 8} {
			assert.Equal(t, want, run(workers, seed), "%d workers, seed %d", workers, seed)
		}
	}
}

// TestOverlappingFailure: the error is that of the first command that fails, all before it have
// run, and none after the next barrier.
func TestOverlappingFailure(t *testing.T) {
	r := newRig(t, Limits{})
	for range 50 {
		b := r.gpu.NewQueue(0).NewBuffer()
		b.EncoderStates = true
		r.encode(b, r.kernel("nothing"), 1)
		e := b.Begin("begin", Compute, true, nil)
		var ran [40]atomic.Bool
		for i := range ran {
			e.Do("d", func() error {
				ran[i].Store(true)
				if i == 20 || i == 21 || i == 30 {
					return fmt.Errorf("command %d", i)
				}
				return nil
			})
		}
		e.Barrier("b")
		var late atomic.Bool
		e.Do("d", func() error { late.Store(true); return nil })
		e.End("end")
		r.encode(b, r.kernel("nothing"), 1)
		b.Commit("c")
		b.WaitCompleted()
		require.EqualError(t, b.Err(), "Internal Error: command 20")
		for i := range 21 {
			require.True(t, ran[i].Load(), "command %d", i)
		}
		require.False(t, late.Load())
		var got *Error
		require.ErrorAs(t, b.Err(), &got)
		var states []EncoderState
		for _, s := range got.Encoders {
			states = append(states, s.State)
		}
		require.Equal(t, []EncoderState{EncoderCompleted, EncoderFaulted, EncoderPending}, states)
	}
}

// TestIndirectBarriers has the commands of an indirect command buffer overlap but for those with
// barriers.
func TestIndirectBarriers(t *testing.T) {
	r := newRig(t, Limits{})
	const n = 64
	x, mem := r.words(make([]uint32, n)...)
	one, _ := r.words(1)
	icb, err := r.gpu.NewIndirect(Shape{Threads: true, Buffers: 2}, 2*n)
	require.NoError(t, err)
	defer icb.Close()
	plus, twice := r.kernel("plus"), r.kernel("twice")
	for i := range n {
		for at, k := range []*dispatch.Pipeline{plus, twice} {
			c := at*n + i
			require.NoError(t, icb.SetPipeline(c, k))
			require.NoError(t, icb.SetBuffer(c, x+uint64(4*i), 0))
			require.NoError(t, icb.SetBuffer(c, one, 1))
			require.NoError(t, icb.Dispatch(c, Size{1, 1, 1}, Size{1, 1, 1}))
		}
	}
	icb.SetBarrier(n, true)
	for _, concurrent := range []bool{false, true} {
		b := r.gpu.NewQueue(0).NewBuffer()
		e := b.Begin("begin", Compute, concurrent, nil)
		for range 3 {
			e.Execute("x", icb, 0, 2*n)
			e.Barrier("b")
		}
		e.End("end")
		b.Commit("c")
		b.WaitCompleted()
		require.NoError(t, b.Err())
	}
	for i, v := range read(mem) {
		require.Equal(t, uint32(2+4+8+16+32+64), v, "word %d", i)
	}
}

// BenchmarkIndependent runs 64 independent dispatches, of one threadgroup each: in a serial
// encoder, in a concurrent one, and dealt out to four queues.
func BenchmarkIndependent(b *testing.B) {
	const text = `#include <metal_stdlib>
using namespace metal;
kernel void work(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    float v = x[i];
    for (int n = 0; n < 50; n++) { v = v * 0.999f + 0.5f; }
    x[i] = v;
}`
	const dispatches = 64
	m, diags := msl.Compile(context.Background(), msl.Source{Text: text}, msl.Options{})
	require.Empty(b, diags)
	for _, threads := range []uint64{32, 256} {
		for _, how := range []string{"serial", "concurrent", "1 queue", "4 queues"} {
			b.Run(fmt.Sprintf("%d threads/%s", threads, how), func(b *testing.B) {
				e := exec.NewEngine(2)
				defer e.Close()
				mem := &memory{objs: map[uint32]exec.Object{}}
				gpu := NewGPU(e, mem, Limits{})
				defer gpu.Close()
				k := dispatch.New(dispatch.Pipeline{Name: "work",
					Code: exec.NewKernel(m.IR.Func("work"), exec.Options{Backend: engines.Default()}), MaxThreads: ir.MaxThreads})
				var xs [dispatches]uint64
				for i := range xs {
					data := make([]byte, 4*threads)
					binary.LittleEndian.PutUint32(data, 1)
					xs[i] = exec.Address(mem.Add(exec.Object{Data: data}), 0)
				}
				queues := make([]*Queue, 1)
				if how == "4 queues" {
					queues = make([]*Queue, 4)
				}
				for i := range queues {
					queues[i] = gpu.NewQueue(64)
				}
				bufs := make([]*Buffer, len(queues))
				for b.Loop() {
					for q := range queues {
						buf := queues[q].NewBuffer()
						p := buf.Begin("begin", Compute, how == "concurrent", nil)
						p.SetPipeline("k", k)
						for i := q; i < dispatches; i += len(queues) {
							p.SetBuffer("b", xs[i], 0)
							p.Dispatch("d", Size{threads, 1, 1}, Size{threads, 1, 1})
						}
						p.End("end")
						buf.Commit("c")
						bufs[q] = buf
					}
					for _, buf := range bufs {
						buf.WaitCompleted()
					}
				}
			})
		}
	}
}
