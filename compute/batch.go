package compute

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// workKind is the kind of a stream's command.
type workKind uint8

const (
	launchWork workKind = iota
	copyWork
	fillWork
	textureWork     // what a blit encoder does with textures
	synchronizeWork // make what the device wrote to managed memory visible
	signalWork
	waitWork
	callWork
	encodeWork   // a program's own commands
	executeWork  // the execution of indirect commands
	commandsWork // what a blit encoder does with indirect commands
	functionWork // a function of the host, or its part in a loop, in the manner of a hostWork
	fallbackWork // a launch on the CPU, in a batch of its own that has no command buffer
	hostWork     // a copy by the host after all earlier commands have ended; it is the last one of its batch
)

// work is one command of a stream.
type work struct {
	kind    workKind
	number  uint64
	encoder uint64  // the number of its encoder, once it is encoded; 0 for none
	site    uintptr // the program counter of the program's call
	account uint64  // the commands of a call that share a work budget have the same number; 0 for none

	launch   *Launch
	from, to view
	fill     uint8
	event    *Event    // to record
	serial   uint64    // of the record; of a wait, the number of the command that records
	timeline *timeline // to signal or to wait for
	// of the timeline; of a hostWork or textureWork, the bytes that statistics count; of a launch of a
	// TreeRun, which part it is
	value uint64
	// called when it and all before it have ended, with the failure of its command buffer; for a
	// callWork, see Callback
	call func(error)
	host func(error) error // of a hostWork or functionWork: takes the failure of its batch, returns its own

	encoding *encoding     // of an encodeWork
	fallback *fallbackRun  // of a fallbackWork, and so is launch
	before   *fallbackRun  // of what brings memory to the host for a launch on the CPU
	commands *commandRange // of an executeWork or commandsWork

	loop     *loop   // of a functionWork that decides whether it goes on, and in a replay
	branch   *branch // how far it is
	borrowed bool    // its uses are those of a loop around it

	tree  *treeLaunch // of a graph's launch that is the first of a run
	run   *TreeRun    // of its launches and its last command
	part  *partResult // of a part of a launch
	phase *phasedRun  // of its launches, and of the functionWork that decides whether there are more

	blit    func(mtl.BlitCommandEncoder) error // of a textureWork
	partial bool                               // a copy that does not overwrite all of to
}

// byHost reports whether the host does it, after its batch's other commands have ended.
func (w *work) byHost() bool {
	return w.kind == hostWork || w.kind == functionWork || w.kind == fallbackWork
}

// onDevice reports whether the device does more for it than to signal or wait.
func (w *work) onDevice() bool {
	switch w.kind {
	case launchWork, copyWork, fillWork, textureWork, synchronizeWork, encodeWork, executeWork, commandsWork:
		return true
	}
	return false
}

// alone reports whether the launch has a command buffer of its own: to find its messages, or its
// time.
func (w *work) alone() bool {
	return w.launch.kernel.logs || w.part != nil || w.phase != nil && w.phase.timed || w.run.timed()
}

// bytes returns how much memory the command accesses.
func (w *work) bytes() int {
	if w.launch != nil {
		return w.launch.bytes
	}
	if w.commands != nil {
		return w.commands.bytes
	}
	n := w.from.length + w.to.length
	if w.encoding != nil {
		for _, a := range w.encoding.accesses {
			n += a.length
		}
	}
	return int(n)
}

// end ends the command's uses.
func (w *work) end() {
	if w.borrowed {
		return
	}
	if w.loop != nil && (w.branch == nil || !w.branch.again) {
		w.loop.done()
	}
	switch {
	case w.fallback != nil:
		w.fallback.done()
	case w.launch != nil:
		w.launch.done()
	}
	if w.from.mem != nil {
		w.from.mem.done()
	}
	if w.to.mem != nil {
		w.to.mem.done()
	}
	if w.timeline != nil {
		w.timeline.done()
	}
	if w.encoding != nil {
		w.encoding.done()
	}
	if w.commands != nil {
		w.commands.done()
	}
}

// batch is what goes to the device as one command buffer.
type batch struct {
	stream *Stream
	number uint64 // in its stream
	works  []work
	log    *launchLog    // of its only launch, if that logs
	ended  bool          // on the device
	byHost bool          // the host's part at its end has run
	err    error         // once it has ended
	took   time.Duration // of the device, once it has ended
	times  [2]float64    // of the device, in seconds: when it began and ended

	timer       *launchTimer // until it has ended; nil if launches are not timed
	launchTimes []LaunchTime
	trial       groupTrial

	canceled   error                   // why it was canceled, nil if it was not; guarded by the stream's lock
	stop       context.CancelCauseFunc // stops a launch on the CPU, nil if there is none; guarded likewise
	failedFrom int                     // with err: commands before this one have succeeded
}

// last returns the number of the last command.
func (b *batch) last() uint64 { return b.works[len(b.works)-1].number }

// submit encodes the batch and commits it. The stream's finish is called when it has ended, even if
// it could not be encoded.
func (b *batch) submit() {
	if b.onCPU() {
		b.stream.finish(b, nil)
		return
	}
	objc.Pool(func() {
		if err := b.encode(); err != nil {
			b.stream.finish(b, b.executionError(err))
		}
	})
}

// encode makes the command buffer and commits it.
func (b *batch) encode() error {
	commands, err := b.makeCommands()
	if err != nil {
		return err
	}
	b.stream.stats.buffers.Add(1)
	b.observeCommit()
	if err := commands.Commit(); err != nil {
		b.timer.release()
		return err
	}
	return nil
}

// makeCommands makes the command buffer, ready to be committed.
func (b *batch) makeCommands() (commands mtl.CommandBuffer, err error) {
	if list := b.stream.acc.observers(); list != nil {
		defer b.observeEncode(list, b.stream.acc.now(), b.stream.stats.encoders.Load(), b.stream.stats.barriers.Load(), &err)
	}
	if err = b.stream.metal.acquire(b.stream); err != nil {
		return commands, err
	}
	if commands, err = b.commandBuffer(); err != nil {
		return commands, err
	}
	commands.SetLabel(b.stream.label)
	if account := b.works[0].account; account != 0 {
		setAccount.Call(commands.ID(), uintptr(account))
	}
	b.timer = newLaunchTimer(b)
	b.trial = b.beginTrial()
	e := encoder{stream: b.stream, commands: commands, timer: b.timer, trial: b.trial}
	defer func() {
		if err != nil {
			b.timer.release()
			_ = e.close() // Metal aborts the process for an encoder that is left open; the first error counts
		}
	}()
	for i := range b.works {
		if err = e.encode(&b.works[i]); err != nil {
			return commands, fmt.Errorf("%v: %w", &b.works[i], err)
		}
	}
	if err = e.close(); err != nil {
		return commands, err
	}
	return commands, commands.AddCompletedHandler(b.completed)
}

// commandBuffer makes the command buffer, with a log if the batch's first command needs one.
func (b *batch) commandBuffer() (mtl.CommandBuffer, error) {
	m := &b.stream.metal
	l := b.works[0].launch
	if l == nil || !l.kernel.logs {
		return m.queue.CommandBufferWithDescriptor(m.descriptor)
	}
	var err error
	if b.log, err = newLaunchLog(b.stream, l.kernel); err != nil {
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
	b.took = b.stream.stats.addDeviceTime(commands)
	b.launchTimes = b.timer.times(b.times)
	b.trial.end(b.took, len(b.works), err)
	if err != nil {
		err = b.executionError(err)
	}
	for i := range b.works {
		if w := &b.works[i]; w.kind == signalWork && err == nil {
			w.event.setTimestamp(w.serial, commands.GPUEndTime())
		}
	}
	b.stream.finish(b, err)
}
