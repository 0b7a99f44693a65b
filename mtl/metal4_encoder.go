package mtl

import "github.com/puremetal/puremetal/objc"

// CommandEncoder4 wraps an object that adopts the protocol MTL4CommandEncoder; Metal 4's encoders embed it. It remembers and checks as
// [CommandEncoder] does.
type CommandEncoder4 struct {
	objc.Object
	state *encoderState
}

// CommandEncoder4From wraps id without changing its ownership.
func CommandEncoder4From(id objc.ID) CommandEncoder4 {
	return CommandEncoder4{Object: objc.ObjectFrom(id)}
}

// begin checks that the encoder is encoding and keeps it so until end.
func (o CommandEncoder4) begin(c check) error { return o.state.begin(c, o.ID()) }

// end ends what begin began.
func (o CommandEncoder4) end() { o.state.end() }

// device returns the facts of the encoder's device, nil where they are not known.
func (o CommandEncoder4) device() *deviceFacts {
	if o.state == nil {
		return nil
	}
	return o.state.device
}

// EndEncoding ends the encoder, once: every later call of it is refused with [ErrClosed].
func (o CommandEncoder4) EndEncoding() error {
	const c = check("-[MTL4CommandEncoder endEncoding]")
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendEndEncoding()
	o.state.finish()
	return nil
}

// PushDebugGroup opens a named group of commands, which PopDebugGroup closes.
func (o CommandEncoder4) PushDebugGroup(name string) error {
	if err := o.begin("-[MTL4CommandEncoder pushDebugGroup:]"); err != nil {
		return err
	}
	defer o.end()
	o.sendPushDebugGroup(name)
	if o.state != nil {
		o.state.groups++
	}
	return nil
}

// PopDebugGroup closes the group opened last. Without one it is refused with [ErrState].
func (o CommandEncoder4) PopDebugGroup() error {
	const c = check("-[MTL4CommandEncoder popDebugGroup]")
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	if err := o.state.pop(c); err != nil {
		return err
	}
	o.sendPopDebugGroup()
	return nil
}

// BarrierAfterQueueStages makes the stages beforeStages of this encoder and of later ones wait for the stages
// afterQueueStages of earlier work in the queue. Neither set is empty.
func (o CommandEncoder4) BarrierAfterQueueStages(afterQueueStages, beforeStages Stages, visibilityOptions VisibilityOptions4) error {
	const c = check("-[MTL4CommandEncoder barrierAfterQueueStages:beforeStages:visibilityOptions:]")
	if err := c.barrier(afterQueueStages, beforeStages, visibilityOptions); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendBarrierAfterQueueStages(afterQueueStages, beforeStages, visibilityOptions)
	return nil
}

// BarrierAfterStages makes the stages beforeQueueStages of later encoders wait for the stages afterStages of this one and
// of earlier ones. Neither set is empty.
func (o CommandEncoder4) BarrierAfterStages(afterStages, beforeQueueStages Stages, visibilityOptions VisibilityOptions4) error {
	const c = check("-[MTL4CommandEncoder barrierAfterStages:beforeQueueStages:visibilityOptions:]")
	if err := c.barrier(afterStages, beforeQueueStages, visibilityOptions); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendBarrierAfterStages(afterStages, beforeQueueStages, visibilityOptions)
	return nil
}

// BarrierAfterEncoderStages makes stages of later commands of this encoder wait for stages of its earlier ones. Neither
// set is empty.
func (o CommandEncoder4) BarrierAfterEncoderStages(afterEncoderStages, beforeEncoderStages Stages, visibilityOptions VisibilityOptions4) error {
	const c = check("-[MTL4CommandEncoder barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:]")
	if err := c.barrier(afterEncoderStages, beforeEncoderStages, visibilityOptions); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendBarrierAfterEncoderStages(afterEncoderStages, beforeEncoderStages, visibilityOptions)
	return nil
}

// UpdateFence signals a fence after stages of the encoder.
func (o CommandEncoder4) UpdateFence(fence Fence, afterEncoderStages Stages) error {
	const c = check("-[MTL4CommandEncoder updateFence:afterEncoderStages:]")
	if err := c.object("fence", fence.ID()); err != nil {
		return err
	}
	if err := c.flags("stages", uint64(afterEncoderStages), uint64(StageAll)); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendUpdateFence(fence, afterEncoderStages)
	return nil
}

// WaitForFence makes stages of the encoder wait for a fence that an earlier encoder updates.
func (o CommandEncoder4) WaitForFence(fence Fence, beforeEncoderStages Stages) error {
	const c = check("-[MTL4CommandEncoder waitForFence:beforeEncoderStages:]")
	if err := c.object("fence", fence.ID()); err != nil {
		return err
	}
	if err := c.flags("stages", uint64(beforeEncoderStages), uint64(StageAll)); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendWaitForFence(fence, beforeEncoderStages)
	return nil
}

// InsertDebugSignpost puts a mark into the command stream that captures show.
func (o CommandEncoder4) InsertDebugSignpost(text string) error {
	const c = check("-[MTL4CommandEncoder insertDebugSignpost:]")
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendInsertDebugSignpost(text)
	return nil
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
