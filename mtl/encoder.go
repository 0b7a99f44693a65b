package mtl

import (
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// CommandEncoder wraps an object that conforms to the protocol MTLCommandEncoder; every encoder
// embeds it. It also has the methods of [objc.Object], such as Release.
//
// An encoder comes from a [CommandBuffer], +0: it lives until the current autorelease pool is
// drained. End it before that, because Metal ends the process if an encoder is deallocated while it
// is still encoding.
//
// The wrapper remembers what has been set, so that every call is checked before Metal sees it;
// copies of the wrapper share this state. An encoder made by one of the From functions has no such
// state, so only the arguments of its calls are checked. Calling an encoder from several goroutines
// is safe, but then the order of the calls is undefined.
type CommandEncoder struct {
	objc.Object
	state *encoderState
}

// CommandEncoderFrom wraps id without changing its ownership.
func CommandEncoderFrom(id objc.ID) CommandEncoder {
	return CommandEncoder{Object: objc.ObjectFrom(id)}
}

// encoderState is the state of an encoder, including Metal 4's.
type encoderState struct {
	// mu is held during each message: an encoder must not end while another goroutine is sending one.
	mu      sync.Mutex
	ended   bool
	groups  debugGroups
	device  *deviceFacts
	owner   *bufferState
	scratch *scratch      // bytes for SetBytes, from its first use until the encoder ends
	compute *computeState // nil unless a compute encoder
	networkState
}

func newEncoderState() *encoderState { return new(encoderState) }

// begin checks that the encoder is encoding; it stays so until end.
func (o CommandEncoder) begin(c check) error { return o.state.begin(c, o.ID()) }

// end undoes begin.
func (o CommandEncoder) end() { o.state.end() }

// device returns the facts of the encoder's device, or nil if they are unknown.
func (o CommandEncoder) device() *deviceFacts { return o.state.deviceFacts() }

func (s *encoderState) deviceFacts() *deviceFacts {
	if s == nil {
		return nil
	}
	return s.device
}

func (s *encoderState) begin(c check, id objc.ID) error {
	if s == nil {
		return c.object("encoder", id)
	}
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return c.fail(ErrClosed, "encoder")
	}
	if err := c.object("encoder", id); err != nil {
		s.mu.Unlock()
		return err
	}
	return nil
}

func (s *encoderState) end() {
	if s != nil {
		s.mu.Unlock()
	}
}

// finish marks the encoder as ended. The caller holds its lock.
func (s *encoderState) finish() {
	if s == nil {
		return
	}
	s.ended = true
	s.scratch.free()
	s.scratch = nil
	if s.owner != nil {
		s.owner.ended(s)
	}
}

func (s *encoderState) debugGroups() *debugGroups {
	if s == nil {
		return nil
	}
	return &s.groups
}

// EndEncoding ends the encoder, once: later calls are refused with [ErrClosed]. Afterwards the
// command buffer can open another encoder or be committed.
//
//	-[MTLCommandEncoder endEncoding]
func (o CommandEncoder) EndEncoding() error {
	const c = check("-[MTLCommandEncoder endEncoding]")
	return encode(o, c, nil, func() {
		sendCommandEncoderEndEncoding(o)
		o.state.finish()
	})
}

// BarrierAfterQueueStages makes the stages beforeStages of this encoder and of later ones wait for
// the stages afterQueueStages of earlier work in the queue. Since macOS 26.0.
//
//	-[MTLCommandEncoder barrierAfterQueueStages:beforeStages:]
func (o CommandEncoder) BarrierAfterQueueStages(afterQueueStages, beforeStages Stages) error {
	const c = check("-[MTLCommandEncoder barrierAfterQueueStages:beforeStages:]")
	if err := c.flags("stages to wait for", uint64(afterQueueStages), uint64(StageAll)); err != nil {
		return err
	}
	return tryEncode(o, c, c.flags("stages that wait", uint64(beforeStages), uint64(StageAll)), func() error {
		return sendCommandEncoderBarrierAfterQueueStages(o, afterQueueStages, beforeStages)
	})
}

// InsertDebugSignpost inserts a mark into the command stream that captures show and errors list.
//
//	-[MTLCommandEncoder insertDebugSignpost:]
func (o CommandEncoder) InsertDebugSignpost(text string) error {
	return encode(o, "-[MTLCommandEncoder insertDebugSignpost:]", nil,
		func() { sendCommandEncoderInsertDebugSignpost(o, text) })
}

// PushDebugGroup opens a named group of commands; PopDebugGroup closes it.
//
//	-[MTLCommandEncoder pushDebugGroup:]
func (o CommandEncoder) PushDebugGroup(name string) error {
	return pushGroup(o, "-[MTLCommandEncoder pushDebugGroup:]", o.state.debugGroups(),
		func() { sendCommandEncoderPushDebugGroup(o, name) })
}

// PopDebugGroup closes the innermost open group. If none is open, it is refused with [ErrState].
//
//	-[MTLCommandEncoder popDebugGroup]
func (o CommandEncoder) PopDebugGroup() error {
	return popGroup(o, "-[MTLCommandEncoder popDebugGroup]", o.state.debugGroups(),
		func() { sendCommandEncoderPopDebugGroup(o) })
}

// scratch is memory off the stack from which a message reads bytes.
type scratch [maxInlineBytes]byte

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) free() {
	if s != nil {
		scratches.Put(s)
	}
}

// bytes returns a copy of b for a message to read. Without a state the caller must free it.
func (s *encoderState) bytes(b []byte) (*scratch, []byte) {
	if s == nil {
		m := scratches.Get().(*scratch)
		return m, m[:copy(m[:], b)]
	}
	if s.scratch == nil {
		s.scratch = scratches.Get().(*scratch)
	}
	return nil, s.scratch[:copy(s.scratch[:], b)]
}
