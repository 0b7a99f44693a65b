package compute

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// batch is what goes to the device as one command buffer.
type batch struct {
	stream  *Stream
	of      *batch     // the batch that this is an attempt of; nil for none
	attempt chan error // gets how the attempt ended
	number  uint64     // in its stream
	works   []stream.Work
	log     *launchLog    // of its only launch, if that logs
	ended   bool          // on the device
	byHost  bool          // the host's part at its end has run
	err     error         // once it has ended
	took    time.Duration // of the device, once it has ended
	times   [2]float64    // of the device, in seconds: when it began and ended

	timer       *stream.LaunchTimer // until it has ended; nil if launches are not timed
	launchTimes []observe.LaunchTime
	trial       stream.GroupTrial

	canceled   error                   // why it was canceled, nil if it was not; guarded by the stream's lock
	stop       context.CancelCauseFunc // stops a launch on the CPU, nil if there is none; guarded likewise
	failedFrom int                     // with err: commands before this one have succeeded
}

// last returns the number of the last command.
func (b *batch) last() uint64 { return b.works[len(b.works)-1].Number }

// submit encodes the batch and commits it. The stream's finish is called when it has ended, even if
// it could not be encoded.
func (b *batch) submit() {
	if b.onCPU() {
		b.stream.finish(b, nil)
		return
	}
	objc.Pool(func() {
		if err := b.encode(); err != nil {
			b.finish(b.executionError(err))
		}
	})
}

// finish handles the end of the batch on the device.
func (b *batch) finish(err error) {
	if b.of != nil {
		b.log.end()
		b.attempt <- err
		return
	}
	b.stream.finish(b, err)
}

// whole returns the batch that this is an attempt of, or else itself.
func (b *batch) whole() *batch {
	if b.of != nil {
		return b.of
	}
	return b
}

// encode makes the command buffer and commits it.
func (b *batch) encode() error {
	commands, err := b.makeCommands()
	if err != nil {
		return err
	}
	b.stream.stats.Buffers.Add(1)
	if b.of == nil {
		b.observeCommit()
	}
	if err := commands.Commit(); err != nil {
		b.timer.Release()
		return err
	}
	return nil
}

// makeCommands makes the command buffer, ready to be committed.
func (b *batch) makeCommands() (commands mtl.CommandBuffer, err error) {
	if list := b.stream.acc.core.Observers(); list != nil {
		defer b.observeEncode(list, b.stream.acc.now(), b.stream.stats.Encoders.Load(), b.stream.stats.Barriers.Load(), &err)
	}
	if err = b.stream.metal.acquire(b.stream); err != nil {
		return commands, err
	}
	if commands, err = b.commandBuffer(); err != nil {
		return commands, err
	}
	commands.SetLabel(b.stream.label)
	if account := b.works[0].Account; account != 0 {
		client.Send(&extension.SetAccount, commands.ID(), uintptr(account))
	}
	b.timer = stream.NewLaunchTimer(&b.stream.acc.core, b.works)
	b.trial = b.stream.acc.core.BeginTrial(b.works, b.timer)
	s := b.stream
	e := stream.Encoder{Acc: &s.acc.core, Label: s.label, Stats: &s.stats, Fence: s.metal.fence, Order: &s.metal.order,
		Commands: commands, Timer: b.timer, Trial: b.trial}
	defer func() {
		if err != nil {
			b.timer.Release()
			_ = e.Close() // Metal aborts the process for an encoder that is left open; the first error counts
		}
	}()
	for i := range b.works {
		if err = b.works[i].Encode(&e, &b.works[i]); err != nil {
			return commands, fmt.Errorf("%v: %w", &b.works[i], err)
		}
	}
	if err = e.Close(); err != nil {
		return commands, err
	}
	return commands, commands.AddCompletedHandler(b.completed)
}

// commandBuffer makes the command buffer, with a log if the batch's first command needs one.
func (b *batch) commandBuffer() (mtl.CommandBuffer, error) {
	m := &b.stream.metal
	l := b.works[0].Launched()
	if l == nil || !l.Kernel.Logs {
		return m.queue.CommandBufferWithDescriptor(m.descriptor)
	}
	var err error
	if b.log, err = newLaunchLog(b.stream, l.Kernel); err != nil {
		return mtl.CommandBuffer{}, err
	}
	if err = m.descriptor.SetLogState(b.log.state); err != nil {
		return mtl.CommandBuffer{}, err
	}
	commands, err := m.queue.CommandBufferWithDescriptor(m.descriptor)
	return commands, cmp.Or(err, m.descriptor.SetLogState(mtl.LogState{}))
}

// completed is called by Metal when the command buffer has ended.
func (b *batch) completed(commands mtl.CommandBuffer) {
	err := commands.Err()
	b.times = [2]float64{commands.GPUStartTime(), commands.GPUEndTime()}
	b.took = b.stream.stats.AddDeviceTime(commands)
	b.launchTimes = b.timer.Times(b.times)
	b.trial.End(b.took, len(b.works), err)
	if err != nil {
		err = b.executionError(err)
	}
	for i := range b.works {
		if c, ok := b.works[i].Command.(*signalCommand); ok && err == nil {
			c.event.setTimestamp(c.serial, commands.GPUEndTime())
		}
	}
	b.finish(err)
}
