package mtl

import "github.com/puremetal/puremetal/objc"

// CommandEncoder4 wraps an object that conforms to the protocol MTL4CommandEncoder; Metal 4's
// encoders embed it. It also has the methods of [objc.Object], such as Release. Its state and
// checks are like those of [CommandEncoder].
type CommandEncoder4 struct {
	objc.Object
	state *encoderState
}

// CommandEncoder4From wraps id without changing its ownership.
func CommandEncoder4From(id objc.ID) CommandEncoder4 {
	return CommandEncoder4{Object: objc.ObjectFrom(id)}
}

// begin checks that the encoder is encoding; it stays so until end.
func (o CommandEncoder4) begin(c check) error { return o.state.begin(c, o.ID()) }

// end undoes begin.
func (o CommandEncoder4) end() { o.state.end() }

// device returns the facts of the encoder's device, or nil if they are unknown.
func (o CommandEncoder4) device() *deviceFacts { return o.state.deviceFacts() }

// EndEncoding ends the encoder, once: later calls are refused with [ErrClosed].
//
//	-[MTL4CommandEncoder endEncoding]
func (o CommandEncoder4) EndEncoding() error {
	const c = check("-[MTL4CommandEncoder endEncoding]")
	return encode(o, c, nil, func() {
		sendCommandEncoder4EndEncoding(o)
		o.state.finish()
	})
}

// PushDebugGroup opens a named group of commands; PopDebugGroup closes it.
//
//	-[MTL4CommandEncoder pushDebugGroup:]
func (o CommandEncoder4) PushDebugGroup(name string) error {
	return pushGroup(o, "-[MTL4CommandEncoder pushDebugGroup:]", o.state.debugGroups(),
		func() { sendCommandEncoder4PushDebugGroup(o, name) })
}

// PopDebugGroup closes the innermost open group. If none is open, it is refused with [ErrState].
//
//	-[MTL4CommandEncoder popDebugGroup]
func (o CommandEncoder4) PopDebugGroup() error {
	return popGroup(o, "-[MTL4CommandEncoder popDebugGroup]", o.state.debugGroups(),
		func() { sendCommandEncoder4PopDebugGroup(o) })
}

// BarrierAfterQueueStages makes the stages beforeStages of this encoder and of later ones wait for
// the stages afterQueueStages of earlier work in the queue. Neither set may be empty.
//
//	-[MTL4CommandEncoder barrierAfterQueueStages:beforeStages:visibilityOptions:]
func (o CommandEncoder4) BarrierAfterQueueStages(afterQueueStages, beforeStages Stages,
	visibilityOptions VisibilityOptions4) error {
	const c = check("-[MTL4CommandEncoder barrierAfterQueueStages:beforeStages:visibilityOptions:]")
	return encode(o, c, c.barrier(afterQueueStages, beforeStages, visibilityOptions), func() {
		sendCommandEncoder4BarrierAfterQueueStages(o, afterQueueStages, beforeStages, visibilityOptions)
	})
}

// BarrierAfterStages makes the stages beforeQueueStages of later encoders wait for the stages
// afterStages of this encoder and of earlier ones. Neither set may be empty.
//
//	-[MTL4CommandEncoder barrierAfterStages:beforeQueueStages:visibilityOptions:]
func (o CommandEncoder4) BarrierAfterStages(afterStages, beforeQueueStages Stages,
	visibilityOptions VisibilityOptions4) error {
	const c = check("-[MTL4CommandEncoder barrierAfterStages:beforeQueueStages:visibilityOptions:]")
	return encode(o, c, c.barrier(afterStages, beforeQueueStages, visibilityOptions), func() {
		sendCommandEncoder4BarrierAfterStages(o, afterStages, beforeQueueStages, visibilityOptions)
	})
}

// BarrierAfterEncoderStages makes stages of this encoder's later commands wait for stages of its
// earlier ones. Neither set may be empty.
//
//	-[MTL4CommandEncoder barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:]
func (o CommandEncoder4) BarrierAfterEncoderStages(afterEncoderStages, beforeEncoderStages Stages,
	visibilityOptions VisibilityOptions4) error {
	const c = check("-[MTL4CommandEncoder barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:]")
	return encode(o, c, c.barrier(afterEncoderStages, beforeEncoderStages, visibilityOptions), func() {
		sendCommandEncoder4BarrierAfterEncoderStages(o, afterEncoderStages, beforeEncoderStages, visibilityOptions)
	})
}

// UpdateFence signals a fence after the given stages of the encoder.
//
//	-[MTL4CommandEncoder updateFence:afterEncoderStages:]
func (o CommandEncoder4) UpdateFence(fence Fence, afterEncoderStages Stages) error {
	const c = check("-[MTL4CommandEncoder updateFence:afterEncoderStages:]")
	if err := c.object("fence", fence.ID()); err != nil {
		return err
	}
	return encode(o, c, c.flags("stages", uint64(afterEncoderStages), uint64(StageAll)),
		func() { sendCommandEncoder4UpdateFence(o, fence, afterEncoderStages) })
}

// WaitForFence makes the given stages of the encoder wait for a fence that an earlier encoder
// updates.
//
//	-[MTL4CommandEncoder waitForFence:beforeEncoderStages:]
func (o CommandEncoder4) WaitForFence(fence Fence, beforeEncoderStages Stages) error {
	const c = check("-[MTL4CommandEncoder waitForFence:beforeEncoderStages:]")
	if err := c.object("fence", fence.ID()); err != nil {
		return err
	}
	return encode(o, c, c.flags("stages", uint64(beforeEncoderStages), uint64(StageAll)),
		func() { sendCommandEncoder4WaitForFence(o, fence, beforeEncoderStages) })
}

// InsertDebugSignpost inserts a mark into the command stream that captures show.
//
//	-[MTL4CommandEncoder insertDebugSignpost:]
func (o CommandEncoder4) InsertDebugSignpost(text string) error {
	const c = check("-[MTL4CommandEncoder insertDebugSignpost:]")
	return encode(o, c, nil, func() { sendCommandEncoder4InsertDebugSignpost(o, text) })
}

// barrier checks the stages of a barrier.
func (c check) barrier(after, before Stages, options VisibilityOptions4) error {
	if err := c.flags("stages to wait for", uint64(after), uint64(StageAll)); err != nil {
		return err
	}
	if err := c.flags("stages that wait", uint64(before), uint64(StageAll)); err != nil {
		return err
	}
	if options == VisibilityOption4None {
		return nil
	}
	return c.flags("visibility options", uint64(options), uint64(VisibilityOption4Device|VisibilityOption4ResourceAlias))
}
