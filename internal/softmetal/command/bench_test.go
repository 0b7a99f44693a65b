package command

import (
	"context"
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"

	"github.com/stretchr/testify/assert"
)

// TestNoGarbage: a dispatch allocates nothing.
func TestNoGarbage(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector pools forget at random")
	}
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	x, _ := r.words(1, 2, 3, 4)
	k := r.kernel("twice")
	run := func(n int) {
		b := q.NewBuffer()
		e := b.Begin("begin", Compute, false, nil)
		e.SetPipeline("k", k)
		for range n {
			e.SetBuffer("b", x, 0)
			e.setBytes("b", []byte{1, 0, 0, 0}, 1)
			e.Dispatch("d", Size{4, 1, 1}, Size{4, 1, 1})
		}
		e.End("end")
		b.Commit("c")
		b.WaitCompleted()
	}
	run(1000)
	least := math.Inf(1)
	for range 5 { // something else may allocate meanwhile: the compiler of machine code does, once
		few, many := testing.AllocsPerRun(20, func() { run(1) }), testing.AllocsPerRun(20, func() { run(501) })
		least = min(least, (many-few)/500)
	}
	assert.Less(t, least, 0.05, "allocations for a dispatch")
}

func BenchmarkEmptyDispatch(b *testing.B) {
	bench(b, 1)
}

func BenchmarkDispatches1000(b *testing.B) {
	bench(b, 1000)
}

func bench(b *testing.B, n int) {
	m, _ := msl.Compile(context.Background(), msl.Source{Text: source}, msl.Options{})
	e := exec.NewEngine(2)
	defer e.Close()
	gpu := NewGPU(e, &memory{objs: map[uint32]exec.Object{}}, Limits{})
	defer gpu.Close()
	q := gpu.NewQueue(64)
	k := dispatch.New(dispatch.Pipeline{Name: "nothing",
		Code: exec.NewKernel(m.IR.Func("nothing"), exec.Options{Backend: engines.Default()}), MaxThreads: ir.MaxThreads})
	b.ReportAllocs()
	for b.Loop() {
		buf := q.NewBuffer()
		e := buf.Begin("begin", Compute, false, nil)
		e.SetPipeline("k", k)
		for range n {
			e.Dispatch("d", Size{1, 1, 1}, Size{1, 1, 1})
		}
		e.End("end")
		buf.Commit("c")
		buf.WaitCompleted()
	}
}
