package conformance

import (
	"errors"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// rig4 is what a case of Metal 4 works with: a queue with a residency set, an allocator and a
// command buffer.
type rig4 struct {
	*rig
	queue     mtl.CommandQueue4
	set       mtl.ResidencySet
	allocator mtl.CommandAllocator4
	buffer4   mtl.CommandBuffer4
}

// metal4 skips the case where the system is older than Metal 4.
func (r *rig) metal4() *rig4 {
	r.Helper()
	a, err := r.device.NewCommandAllocator4()
	if errors.Is(err, objc.ErrUnavailable) {
		r.Skipf("no Metal 4: %v", err)
	}
	m := &rig4{rig: r, allocator: own(r, must(a, err)), queue: own(r, must(r.device.NewCommandQueue4()))}
	m.set = r.residency()
	do(m.queue.AddResidencySet(m.set))
	m.buffer4 = own(r, must(r.device.NewCommandBuffer4()))
	return m
}

// reside adds resources to the queue's residency set.
func (m *rig4) reside(resources ...mtl.Resource) {
	m.Helper()
	for _, x := range resources {
		do(m.set.AddAllocation(x.Allocation))
	}
	m.set.Commit()
}

// table returns an argument table with buffers in the slots from 0 on, and makes them resident.
func (m *rig4) table(buffers ...mtl.Buffer) mtl.ArgumentTable4 {
	m.Helper()
	d := own(m.rig, must(mtl.NewArgumentTableDescriptor4()))
	d.SetMaxBufferBindCount(31)
	d.SetMaxTextureBindCount(128)
	d.SetMaxSamplerStateBindCount(16)
	t := own(m.rig, must(m.device.NewArgumentTable4WithDescriptor(d)))
	for i, b := range buffers {
		m.reside(b.Resource)
		do(t.SetAddress(b.GPUAddress(), uint(i)))
	}
	return t
}

// record begins the command buffer, has f write to it and ends it.
func (m *rig4) record(b mtl.CommandBuffer4, f func()) {
	m.Helper()
	do(b.BeginCommandBufferWithAllocator(m.allocator))
	f()
	do(b.EndCommandBuffer())
}

// encode4 opens an encoder of a command buffer that is begun, has f write to it and ends it.
func encode4(b mtl.CommandBuffer4, f func(e mtl.ComputeCommandEncoder4)) {
	e := must(b.ComputeCommandEncoder())
	f(e)
	do(e.EndEncoding())
}

// feedback is what a commit's feedback says.
type feedback struct {
	err        error
	start, end float64
}

// commit commits command buffers and waits for the feedback.
func (m *rig4) commit(buffers ...mtl.CommandBuffer4) feedback {
	m.Helper()
	o := own(m.rig, must(mtl.NewCommitOptions4()))
	reports := make(chan feedback, 1)
	do(o.AddFeedbackHandler(func(f mtl.CommitFeedback4) {
		reports <- feedback{f.Err(), f.GPUStartTime(), f.GPUEndTime()}
	}))
	do(m.queue.CommitOptions(buffers, o))
	return <-reports
}

// try runs what f encodes and returns the feedback's error.
func (m *rig4) try(f func(e mtl.ComputeCommandEncoder4)) error {
	m.Helper()
	m.record(m.buffer4, func() { encode4(m.buffer4, f) })
	err := m.commit(m.buffer4).err
	do(m.allocator.Reset())
	return err
}

// run is try for what must not fail.
func (m *rig4) run(f func(e mtl.ComputeCommandEncoder4)) {
	m.Helper()
	do(m.try(f))
}

// set4 sets a pipeline and a table.
func set4(e mtl.ComputeCommandEncoder4, p mtl.ComputePipelineState, t mtl.ArgumentTable4) {
	do(e.SetComputePipelineState(p), e.SetArgumentTable(t))
}

// barrier4 has what follows in an encoder wait for what came before.
func barrier4(e mtl.ComputeCommandEncoder4) {
	const both = mtl.StageDispatch | mtl.StageBlit
	do(e.BarrierAfterEncoderStages(both, both, mtl.VisibilityOption4Device))
}

// failed checks that a commit failed with one of Metal 4's errors that says something.
func (m *rig4) failed(err error, code mtl.CommandQueueError4, words ...string) {
	m.Helper()
	var e *objc.Error
	m.holds(assert.ErrorAs(m, err, &e))
	m.holds(assert.Equal(m, must(mtl.CommandQueueErrorDomain4()), e.Domain))
	m.holds(assert.Equal(m, int(code), e.Code))
	for _, w := range words {
		m.holds(assert.Contains(m, e.Error(), w))
	}
}
