package command

// Fence orders encoders of a queue: what comes before an update happens before what comes after a
// later wait. The device runs encoders one after the other, so that only the record of the order
// needs it.
type Fence struct {
	clock *clock // under the lock of
	of    *ordering
}

// sequence follows the commands of one buffer that runs. Its fields change only between commands,
// on the goroutine that runs the queue.
type sequence struct {
	order    *ordering
	line     *line
	explicit bool
	pass     *orderPass // or nil
	barrier  uint32
	parts    []partBarrier // since that barrier
	before   *clock        // of the next command
	end      *clock        // what has happened when the buffer has ended
}

// startOrder begins to follow the commands of a buffer; nil if no order is recorded.
func (b *Buffer) startOrder() *sequence {
	o := b.ordered
	if o == nil || b.gpu.order.Load() != o {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	l := o.line(b.queue)
	l.floor = l.floor.plus(b.committed)
	s := &sequence{order: o, line: l, explicit: b.from != nil}
	b.sequence = s
	for i := range b.list.ops {
		b.list.ops[i].at = uint32(i + 1)
	}
	return s
}

// all returns the set of all commands of the queue so far, and what happens before its next ones.
// The record's lock is held.
func (s *sequence) all() *clock {
	return s.line.floor.plus(&clock{lines: map[*line]uint64{s.line: s.line.passes}})
}

// begin opens an encoder.
func (s *sequence) begin(p *pass) {
	if s == nil {
		return
	}
	s.order.mu.Lock()
	defer s.order.mu.Unlock()
	s.open(&orderPass{kind: p.kind, label: p.label, concurrent: p.concurrent})
}

func (s *sequence) open(p *orderPass) {
	s.line.passes++
	p.line, p.number, p.explicit = s.line, s.line.passes, s.explicit
	s.pass, s.barrier, s.parts, s.before = p, 0, nil, s.line.floor
}

// close ends the encoder, with the last one of some commands.
func (s *sequence) close(ops []op) {
	if s == nil || s.pass == nil {
		return
	}
	i := len(ops) - 1
	for ops[i-1].kind != opBegin && !ops[i-1].kind.overlaps() {
		i--
	}
	s.order.mu.Lock()
	defer s.order.mu.Unlock()
	s.pass.commands = ops[i].at
	s.pass = nil
}

// finish ends the buffer.
func (s *sequence) finish() {
	if s == nil {
		return
	}
	s.order.mu.Lock()
	defer s.order.mu.Unlock()
	if s.pass != nil {
		s.pass.commands = wholePass
		s.pass = nil
	}
	s.end = s.all()
	s.line.ended = s.end
}

// step follows a command that orders others, or begins one that does not.
func (s *sequence) step(o *op) {
	if s == nil {
		return
	}
	s.order.mu.Lock()
	defer s.order.mu.Unlock()
	switch o.kind {
	case opBarrier:
		if o.orders != nil {
			s.parts = append(s.parts, partBarrier{o.orders, o.at})
		} else {
			s.barrier, s.parts = o.at, nil
		}
	case opWait:
		s.line.floor = s.line.floor.plus(o.event.before(s.order, o.value))
	case opFence:
		s.fence(o)
	default:
		if s.pass == nil { // the command is outside of any encoder: all before it happens before it
			s.line.floor = s.all()
			s.open(&orderPass{kind: Blit, label: o.call})
			s.pass.commands = wholePass
			s.line.floor = s.all()
		}
		if !s.pass.concurrent {
			s.barrier = o.at
		}
	}
}

// signal records what happens before a signal, before others can see the signal.
func (s *sequence) signal(o *op) {
	if s == nil {
		return
	}
	s.order.mu.Lock()
	defer s.order.mu.Unlock()
	o.event.signaled(s.order, o.value, s.all())
}

// fence follows a fence or a barrier with stages of the queue.
func (s *sequence) fence(o *op) {
	here := func() *clock {
		k := s.before
		if s.pass != nil {
			k = k.plus(&clock{passes: map[*orderPass]uint32{s.pass: o.at}})
		}
		return k
	}
	switch {
	case o.flags == queueBefore: // what the queue has begun before this encoder
		if s.pass != nil {
			s.before = s.before.plus(&clock{lines: map[*line]uint64{s.line: s.pass.number - 1}})
			s.line.floor = s.line.floor.plus(s.before)
			s.barrier = o.at
		}
	case o.flags == queueAfter:
		s.line.floor = s.line.floor.plus(here())
		s.barrier = o.at
	case o.flags == fenceUpdate:
		if o.fence.of != s.order {
			o.fence.of, o.fence.clock = s.order, nil
		}
		o.fence.clock = o.fence.clock.plus(here())
	case o.flags == fenceWait && o.fence.of == s.order:
		s.before = s.before.plus(o.fence.clock)
	}
}

// turn returns the place of a command, or of one of an indirect command buffer.
func (s *sequence) turn(o *op, group, index int) *Turn {
	if s == nil || s.pass == nil {
		return nil
	}
	return &Turn{pass: s.pass, op: o.at, barrier: s.barrier, parts: s.parts, group: group, index: index, before: s.before}
}

// Copies reports what memory a command other than a dispatch accesses.
type Copies struct {
	turn *Turn
	call string
	of   *ordering
}

// Copied is what a command other than a dispatch has copied, only written or only read.
type Copied struct {
	Turn      *Turn
	Call      string
	To, From  []byte
	Untracked bool // Metal does not track the hazards of the memory
}

// Copied says that the command has copied bytes, or that it has written some of its own, or only
// read.
func (c *Copies) Copied(to, from []byte) {
	if c != nil && len(to)+len(from) > 0 {
		(*c.of.copied.Load())(&Copied{Turn: c.turn, Call: c.call, To: to, From: from})
	}
}

// Encoded says that the command has changed or read n commands of an indirect command buffer from
// the i-th on.
func (c *Copies) Encoded(icb *Indirect, i, n int, writes bool) {
	if c == nil || n == 0 {
		return
	}
	x := &Copied{Turn: c.turn, Call: c.call, From: icb.marks[i : i+n], Untracked: !icb.Tracked}
	if writes {
		x.To, x.From = x.From, nil
	}
	(*c.of.copied.Load())(x)
}

// copies returns what a command reports to, nil if nobody wants to know.
func (s *sequence) copies(o *op) *Copies { return s.copiesOf(o, 0) }

// copiesOf is copies for what a command does after its first commands of an indirect command
// buffer.
func (s *sequence) copiesOf(o *op, group int) *Copies {
	if t := s.turn(o, group, -1); t != nil {
		return &Copies{t, o.call, s.order}
	}
	return nil
}

// WaitFence makes the commands after it happen after the last update of a fence, UpdateFence makes
// those before it happen before later waits.
func (e *Encoder) WaitFence(call string, f *Fence) { e.sequence(call, fenceWait, f) }

// UpdateFence is described with WaitFence.
func (e *Encoder) UpdateFence(call string, f *Fence) { e.sequence(call, fenceUpdate, f) }

// BarrierAfterQueue makes the commands after it, and later encoders, happen after all that the
// queue has begun before.
func (e *Encoder) BarrierAfterQueue(call string) {
	e.Barrier(call)
	e.sequence(call, queueBefore, nil)
}

// BarrierBeforeQueue makes later encoders of the queue happen after the commands before it.
func (e *Encoder) BarrierBeforeQueue(call string) {
	e.Barrier(call)
	e.sequence(call, queueAfter, nil)
}

func (e *Encoder) sequence(call string, kind uint8, f *Fence) {
	if e.open(call) && e.b.ordered != nil {
		e.b.list.ops = append(e.b.list.ops, op{kind: opFence, call: call, flags: kind, fence: f})
	}
}
