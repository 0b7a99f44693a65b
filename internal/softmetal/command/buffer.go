package command

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/ir"
)

// Buffer is a command buffer.
type Buffer struct {
	gpu   *GPU
	queue *Queue

	// Recording, by one goroutine at a time.
	list    *list
	encoder *Encoder

	control control // says whether to stop

	status atomic.Uint32
	times  [4]atomic.Uint64 // kernel start and end, GPU start and end, in the GPU's nanoseconds

	// Under the queue's lock.
	order     order
	executed  bool
	ended     bool // handlers have run
	notified  bool // scheduled handlers have run
	changed   sync.Cond
	scheduled []func()
	completed []func()
	slot      bool // holds one of the queue's places

	// Of the record of the order.
	ordered   *ordering // when recording began; nil: none
	committed *clock    // what the program had seen then
	sequence  *sequence // once it runs

	// Of Metal 4.
	from  *Allocator // whose memory list is; nil: the GPU's
	reset uint64     // of the allocator, when recording began
	after *Buffer    // must not have failed if this one is to run
	bare  bool       // a command of the queue's own and no buffer of the program's

	mu     sync.Mutex
	misuse *Error

	err error // written before status becomes Failed

	// What the owner sets before Commit.
	Label         string
	Release       func()       // called when the commands have run, before the completed handlers
	Finish        func()       // called after the completed handlers
	Prepare       func() error // called before the commands run; an error fails the buffer
	Log           Log          // receives what kernels log, or nil
	EncoderStates bool         // errors include the state of each encoder
	// Account, unless it is 0, is the number of an account that the dispatches of consecutive buffers
	// with this number share: all together may do as much work as the queue allows a dispatch.
	Account uint64

	// Traced is called when the buffer has ended, before Release. The observer of commits
	// (GPU.OnCommit) may set it.
	Traced func(*Buffer)
	traced []TraceCommand // for it

	// Resident reports whether the resource that a word refers to (a buffer's address or a
	// texture's handle) is resident; nil: all are.
	Resident func(kind ir.ArgKind, word uint64) bool

	// Reach grants the memory that kernels can reach in addition to bound resources; nil: all
	// memory of the device. It is set before the first declaration is recorded.
	Reach Reach

	reachedLock sync.Mutex // what Reach came to last, and for which declarations
	reachedLast *reached
	reachedSpan span
}

// Log receives what kernels write to logs. Begin and End enclose each dispatch; between them,
// several goroutines call Message.
type Log interface {
	Begin()
	Message(*message.Message)
	End()
}

// order is a buffer's place in its queue.
type order uint8

const (
	notInOrder order = iota
	inOrder
	comingIn // committed, and not to be run before the observer of commits has returned
	handedIn // committed
)

// Queue returns the buffer's queue.
func (b *Buffer) Queue() *Queue { return b.queue }

// GPU returns the buffer's GPU.
func (b *Buffer) GPU() *GPU { return b.gpu }

// Status returns where the buffer is in its life.
func (b *Buffer) Status() Status { return Status(b.status.Load()) }

// Err returns why the buffer failed, an *Error, or nil.
func (b *Buffer) Err() error {
	if b.Status() != Failed {
		return nil
	}
	return b.err
}

// Time is one of the times that a buffer records, in GPU nanoseconds; 0 until then.
type Time uint8

// The times.
const (
	KernelStart Time = iota // the buffer was committed
	KernelEnd               // it was scheduled
	GPUStart
	GPUEnd
)

// Time returns one of the buffer's times.
func (b *Buffer) Time(t Time) uint64 { return b.times[t].Load() }

func (b *Buffer) mark(t Time) { b.times[t].Store(b.gpu.Now()) }

// Misuse makes the buffer fail when it is committed: nothing in it runs. The first of several
// counts. call is the method that was called.
func (b *Buffer) Misuse(call, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.misuse == nil {
		b.misuse = &Error{Code: CodeInvalidResource, Reason: call + ": " + fmt.Sprintf(format, args...)}
		if b.encoder != nil {
			b.misuse.pass = int(b.encoder.pass) + 1
		}
	}
}

// Broken returns the first misuse so far, or nil.
func (b *Buffer) Broken() *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.misuse
}

// recording reports whether commands may be recorded.
func (b *Buffer) recording(call string) bool {
	if b.Status() >= Committed || b.list == nil {
		b.Misuse(call, "the command buffer is committed")
		return false
	}
	if b.encoder != nil {
		b.Misuse(call, "an encoder of the command buffer has not ended")
		return false
	}
	return true
}

// Encoding reports whether an encoder has not ended.
func (b *Buffer) Encoding() bool { return b.encoder != nil }

// Begin opens an encoder. It returns nil if it cannot, which is a misuse.
func (b *Buffer) Begin(call string, kind PassKind, concurrent bool, samples []Boundary) *Encoder {
	if !b.recording(call) {
		return nil
	}
	l := b.list
	e := &Encoder{b: b, pass: int32(len(l.passes))}
	l.passes = append(l.passes, pass{kind: kind, concurrent: concurrent, samples: samples, uses: int32(len(l.uses))})
	l.ops = append(l.ops, op{kind: opBegin, n: e.pass})
	l.table.clear()
	b.encoder = e
	return e
}

// Wait makes the commands after it wait for an event.
func (b *Buffer) Wait(call string, e *Event, value uint64) {
	if b.recording(call) {
		b.list.ops = append(b.list.ops, op{kind: opWait, call: call, event: e, value: value})
	}
}

// Signal raises an event when the commands before it have run.
func (b *Buffer) Signal(call string, e *Event, value uint64) {
	if b.recording(call) {
		b.list.ops = append(b.list.ops, op{kind: opSignal, call: call, event: e, value: value})
	}
}

// Do has fn run in its place, outside any encoder.
func (b *Buffer) Do(call string, fn func() error) {
	if b.recording(call) {
		b.list.ops = append(b.list.ops, op{kind: opDo, call: call, fn: fn})
	}
}

// Copy is Do for a command that accesses memory and reports which; the report may be nil.
func (b *Buffer) Copy(call string, fn func(*Copies) error) {
	if b.recording(call) {
		b.list.ops = append(b.list.ops, op{kind: opDo, call: call, copies: fn})
	}
}

// OnScheduled has fn called when the buffer is scheduled, OnCompleted when it has completed or
// failed; in the order of the calls. After Commit they are misuse, and fn is not called.
func (b *Buffer) OnScheduled(call string, fn func()) { b.handle(call, &b.scheduled, fn) }

// OnCompleted is described with OnScheduled.
func (b *Buffer) OnCompleted(call string, fn func()) { b.handle(call, &b.completed, fn) }

func (b *Buffer) handle(call string, to *[]func(), fn func()) {
	b.queue.mu.Lock()
	late := b.order > inOrder
	if !late {
		*to = append(*to, fn)
	}
	b.queue.mu.Unlock()
	if late {
		b.Misuse(call, "the command buffer is committed")
	}
}

// notRun marks the encoders as not begun, and the encoder of the misuse as faulted, if it has one.
func (b *Buffer) notRun(e *Error) *Error {
	if b.EncoderStates {
		e.Encoders = b.states(-1, -1)
		if e.pass > 0 {
			e.Encoders[e.pass-1].State = EncoderFaulted
		}
	}
	return e
}

// states returns the states of the encoders after the one of a pass failed at a command. Pass -1
// means none; command -1 means that no command has run.
func (b *Buffer) states(failed, at int) []EncoderInfo {
	out := make([]EncoderInfo, len(b.list.passes))
	ended := 0
	for i := 0; i < at; i++ {
		if b.list.ops[i].kind == opEnd {
			ended++
		}
	}
	for i := range b.list.passes {
		p := &b.list.passes[i]
		e := &out[i]
		e.Label = p.label
		switch {
		case i < ended:
			e.State = EncoderCompleted
		case i == failed:
			e.State = EncoderFaulted
		default:
			e.State = EncoderPending
		}
		e.Signposts = []string{}
		for _, s := range p.signposts {
			if s.op <= at {
				e.Signposts = append(e.Signposts, s.text)
			}
		}
	}
	return out
}
