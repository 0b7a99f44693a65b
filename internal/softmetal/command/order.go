package command

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// Which commands happen before which others is recorded while a checker of races wants to know it;
// see GPU.ObserveOrder. The device runs the encoders of a queue one after the other, but Metal
// promises less, and the record has what Metal promises:
//
//   - The commands of a serial encoder are ordered, those of a concurrent one by its barriers,
//     those of an indirect command buffer by their own barriers.
//   - Encoders of a queue are ordered by a fence that one updates and the other waits for, and
//     where both access memory whose hazards Metal tracks. In Metal 4, which tracks nothing, they
//     are ordered by fences and by barriers with stages of the queue.
//   - A signal of an event happens after all earlier work of its queue, and before all later work
//     of a queue that has waited for it.
//   - What the program has seen to end happens before what it commits from then on. It sees that
//     when it waits, in handlers, and by asking for the status of a command buffer or the value of
//     an event.

// clock is a set of commands: all of the first encoders of some queues, and the first commands of
// some encoders. It is immutable; nil is the empty set.
type clock struct {
	lines  map[*line]uint64      // numbers of encoders
	passes map[*orderPass]uint32 // positions in the list of commands, from 1; not of encoders in lines
}

// line is a queue as the record has it. It outlives the queue.
type line struct {
	number uint64 // from 1
	name   func() string
	passes uint64 // encoders that have begun
	floor  *clock // happens before all later commands of the queue
	ended  *clock // what has ended
	quiet  bool   // completed handlers and statuses tell the program nothing
}

// orderPass is an encoder that has begun.
type orderPass struct {
	line       *line
	number     uint64 // among the encoders of its queue, from 1
	kind       PassKind
	label      string
	concurrent bool
	explicit   bool   // of Metal 4
	commands   uint32 // position after the last command, once the encoder has ended
}

// wholePass is a position after all commands of an encoder.
const wholePass = math.MaxUint32

// has reports whether a command is in the set.
func (k *clock) has(t *Turn) bool {
	return k != nil && (k.lines[t.pass.line] >= t.pass.number || k.passes[t.pass] > t.op)
}

// plus returns the union of two sets.
func (k *clock) plus(o *clock) *clock {
	switch {
	case o == nil || k == o:
		return k
	case k == nil:
		return o
	}
	n := &clock{lines: make(map[*line]uint64, len(k.lines)), passes: map[*orderPass]uint32{}}
	for _, x := range [...]*clock{k, o} {
		for l, to := range x.lines {
			n.lines[l] = max(n.lines[l], to)
		}
	}
	for _, x := range [...]*clock{k, o} {
		for p, to := range x.passes {
			if n.lines[p.line] < p.number {
				n.passes[p] = max(n.passes[p], to)
			}
		}
	}
	n.shorten()
	return n
}

// shorten replaces encoders that are in the set as a whole, and follow those of their queue that
// are, by their number.
func (k *clock) shorten() {
	for again := true; again; {
		again = false
		for p, to := range k.passes {
			if p.number <= k.lines[p.line] {
				delete(k.passes, p)
			} else if p.number == k.lines[p.line]+1 && p.commands != 0 && to >= p.commands {
				k.lines[p.line] = p.number
				delete(k.passes, p)
				again = true
			}
		}
	}
}

// ordering is the record.
type ordering struct {
	copied atomic.Pointer[func(*Copied)]

	mu    sync.Mutex
	lines []*line
	seen  *clock // by the program

	// What the program itself does has the places of a queue of its own.
	program    *line
	now        *Turn  // its last place; nil if it must get another one
	seenByThen *clock // and what it had seen then
}

// signaled is what happens before a value of an event.
type signaled struct {
	value uint64
	clock *clock
}

// maxSignals is how many values of an event are kept apart.
const maxSignals = 256

// Scope is a set of kinds of resources.
type Scope uint8

// The kinds of resources, with the values of Metal's barrier scopes.
const (
	Buffers Scope = 1 << iota
	Textures
)

// BarrierOf is what a barrier orders: all memory of kinds of resources, or the memory of some
// resources.
type BarrierOf struct {
	Scope  Scope
	Memory [][]byte
}

// covers reports whether a barrier orders accesses of an address, through resources of all kinds of
// a scope.
func (b *BarrierOf) covers(address uintptr, through Scope) bool {
	for _, m := range b.Memory {
		if address-reflect.ValueOf(m).Pointer() < uintptr(len(m)) {
			return true
		}
	}
	return b.Scope != 0 && through&^b.Scope == 0
}

// partBarrier is a barrier that does not order all memory.
type partBarrier struct {
	*BarrierOf
	at uint32
}

// Turn is the place of a command in the order of a GPU's work.
type Turn struct {
	pass    *orderPass
	op      uint32        // position in the list of commands, from 1
	barrier uint32        // that of the last barrier of all memory before it in the encoder
	parts   []partBarrier // since that one
	group   int           // of a command of an indirect command buffer: how many precede the last barrier before it
	index   int           // of such a command; else -1
	before  *clock
}

// Before reports whether the command ends before another one begins, as far as the memory at an
// address is concerned, which they access through resources of some kinds. tracked means that Metal
// tracks the hazards of both.
func (t *Turn) Before(o *Turn, tracked bool, address uintptr, through Scope) bool {
	switch {
	case t.pass == o.pass && t.op == o.op:
		return t.group < o.group
	case t.pass == o.pass:
		return t.op < o.barrier || slices.ContainsFunc(o.parts, func(b partBarrier) bool {
			return t.op < b.at && b.covers(address, through)
		})
	case o.before.has(t):
		return true
	}
	return tracked && t.pass.line == o.pass.line && t.pass.number < o.pass.number && !t.pass.explicit && !o.pass.explicit
}

// Queue returns the number of the command's queue.
func (t *Turn) Queue() uint64 { return t.pass.line.number }

// Where names the encoder and the queue of the command.
func (t *Turn) Where() string {
	if t.isProgram() {
		return "the program"
	}
	text := t.pass.kind.String() + " encoder"
	if t.pass.label != "" {
		text += fmt.Sprintf(" %q", t.pass.label)
	} else {
		text += fmt.Sprintf(" %d", t.pass.number)
	}
	if t.index >= 0 {
		text = fmt.Sprintf("command %d of an indirect command buffer in %s", t.index, text)
	}
	return text + " of " + t.pass.line.String()
}

func (l *line) String() string {
	if l.name != nil {
		if name := l.name(); name != "" {
			return fmt.Sprintf("queue %q", name)
		}
	}
	return fmt.Sprintf("queue %d", l.number)
}

// Missing says which order is missing between two commands, neither of which is before the other,
// and how to make one.
func (t *Turn) Missing(o *Turn) (what, advice string) {
	switch {
	case t.isProgram():
		return fmt.Sprintf("the program changes it while %v may use it", o.pass.line),
			"wait until the commands that use it have ended, or encode it before they are committed"
	case o.isProgram():
		return fmt.Sprintf("the program changes it while %v may use it", t.pass.line),
			"wait until the commands that use it have ended before it is encoded again"
	case t.pass == o.pass && t.op == o.op:
		return "nothing orders two commands of an indirect command buffer", "set a barrier on the later command"
	case t.pass == o.pass:
		return "nothing orders two commands of a concurrent encoder",
			"add a memory barrier of this memory between them, or use a serial encoder"
	case t.pass.line != o.pass.line:
		return fmt.Sprintf("nothing orders %v and %v", t.pass.line, o.pass.line),
			"signal an event after the one and wait for it before the other (compute: Stream.Record and " +
				"Stream.WaitFor), or wait for the first one's end before the second is committed (Stream.Sync)"
	case t.pass.explicit || o.pass.explicit:
		return "nothing orders two encoders of a queue of Metal 4",
			"add a barrier after stages of the queue to the later encoder, or a fence"
	}
	return "nothing orders two encoders, as Metal does not track the hazards of the memory",
		"update a fence in the earlier encoder and wait for it in the later one, or have Metal track the memory's hazards"
}

// ObserveOrder begins to record the order of commands, or ends it. copied is called after a copy,
// which may run at the same time as others. Command buffers whose recording has begun before are
// not recorded.
func (g *GPU) ObserveOrder(copied func(*Copied)) {
	if copied == nil {
		g.order.Store(nil)
		return
	}
	o := g.order.Load()
	if o == nil {
		o = new(ordering)
	}
	o.copied.Store(&copied)
	g.order.Store(o)
}

// line returns a queue's line.
func (o *ordering) line(q *Queue) *line {
	if q.line == nil || q.lineOf != o {
		l := &line{number: uint64(len(o.lines) + 1), name: q.Name, quiet: q.quiet}
		o.lines = append(o.lines, l)
		q.line, q.lineOf = l, o
	}
	return q.line
}

// QuietHandlers says that completed handlers and statuses of the queue's command buffers tell the
// program nothing; Seen does. The result is the queue's number for Seen, 0 while no order is
// recorded.
func (q *Queue) QuietHandlers() uint64 {
	q.quiet = true
	o := q.gpu.order.Load()
	if o == nil {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	l := o.line(q)
	l.quiet = true
	return l.number
}

// Seen says that the program has seen the end of all that has ended on a queue.
func (g *GPU) Seen(number uint64) {
	if o := g.order.Load(); o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if number > 0 && number <= uint64(len(o.lines)) {
			o.seen = o.seen.plus(o.lines[number-1].ended)
		}
	}
}

// SeenTurn says that the program has seen the end of a command and of all before it on its queue.
func (g *GPU) SeenTurn(t *Turn) {
	if o := g.order.Load(); o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.seen = o.seen.plus(&clock{lines: map[*line]uint64{t.pass.line: t.pass.number}}).plus(t.before)
	}
}

// note records what the program has seen when it commits the buffer.
func (b *Buffer) note() {
	if o := b.ordered; o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		b.committed, o.now = o.seen, nil
	}
}

// seen records that the program knows that the buffer has ended.
func (b *Buffer) seen() {
	if o := b.ordered; o != nil && b.sequence != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !b.sequence.line.quiet {
			o.seen = o.seen.plus(b.sequence.end)
		}
	}
}

// Asked says that the program has learned that the buffer has ended.
func (b *Buffer) Asked() {
	if b.Status() >= Completed {
		b.seen()
	}
}

// SeenEvent says that the program has seen that an event has reached a value.
func (g *GPU) SeenEvent(e *Event, value uint64) {
	if o := g.order.Load(); o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.seen = o.seen.plus(e.before(o, value))
	}
}

// SignalByProgram is Signal by the program, which happens after all that the program has seen.
func (g *GPU) SignalByProgram(e *Event, value uint64) {
	if o := g.order.Load(); o != nil {
		o.mu.Lock()
		e.signaled(o, value, o.seen)
		o.now = nil
		o.mu.Unlock()
	}
	e.Signal(value)
}

// EncodedByProgram says that the program itself changes n commands of an indirect command buffer
// from the i-th on: after all that it has seen, and before what it commits and signals from now on.
func (g *GPU) EncodedByProgram(call string, icb *Indirect, i, n int) {
	if o := g.order.Load(); o != nil {
		(&Copies{o.byProgram(), call, o}).Encoded(icb, i, n, true)
	}
}

// byProgram returns the place of what the program does now.
func (o *ordering) byProgram() *Turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now == nil || o.seen != o.seenByThen {
		if o.program == nil {
			o.program = &line{}
		}
		o.program.passes++
		p := &orderPass{line: o.program, number: o.program.passes}
		o.now = &Turn{pass: p, op: 1, index: -1, before: o.seen}
		o.seen = o.seen.plus(&clock{lines: map[*line]uint64{o.program: p.number}})
		o.seenByThen = o.seen
	}
	return o.now
}

// isProgram reports whether it is the program that acts.
func (t *Turn) isProgram() bool { return t.pass.line.number == 0 }

// before returns what happens before the first signal that has raised the event to a value. The
// record's lock is held.
func (e *Event) before(o *ordering, value uint64) *clock {
	if e.signalsOf == o {
		for _, s := range e.signals {
			if s.value >= value {
				return s.clock
			}
		}
	}
	return nil
}

// signaled records a signal. The record's lock is held.
func (e *Event) signaled(o *ordering, value uint64, k *clock) {
	if e.signalsOf != o {
		e.signals, e.signalsOf = nil, o
	}
	if n := len(e.signals); n > 0 && e.signals[n-1].value >= value {
		return // it raises nothing
	}
	if len(e.signals) == maxSignals { // the two oldest become one, whose order is that of both
		e.signals[1].clock = e.signals[1].clock.plus(e.signals[0].clock)
		e.signals = e.signals[1:]
	}
	e.signals = append(e.signals, signaled{value, k})
}
