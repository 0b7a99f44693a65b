package compute

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// A condition or loop is replayed in one of two ways. If its body is a single run of indirect
// commands, the device decides: a kernel reads the condition and writes the range of commands to
// execute, none or all, before each iteration; after maxUnrolled of them the host looks whether the
// loop goes on. Otherwise the host decides before each iteration: its copy of the condition ends a
// command buffer, and if the loop goes on, the host puts the body's commands and itself in front of
// the stream's pending commands.

// maxUnrolled is how many iterations the device decides on by itself.
const maxUnrolled = 64

// loopPlan is how a condition or loop is replayed.
type loopPlan struct {
	acc  *Accelerator
	body *plan
	why  string // why the host decides, "" if the device does

	ranges *Buffer[uint32] // a CommandRange, which the device writes
	choose *Kernel
	flag   *Buffer[uint32] // copy of the condition, for the host
}

// chooseBody is the kernel that decides whether a body runs.
var chooseBody = Body{Name: "puremetal_choose", Inputs: []string{"uint condition[]", "uint count"},
	Outputs: []string{"uint2 range"}, Text: "range = uint2(0, condition[0] != 0 ? count : 0);"}

func newLoopPlan(ctx context.Context, a *Accelerator, n *node) (l *loopPlan, err error) {
	l = &loopPlan{acc: a}
	if l.body, err = newPlan(ctx, a, n.body, 1); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	switch {
	case len(l.body.segments) > 1:
		l.why = "the body is more than one run of indirect commands"
	case l.body.segments[0].commands == nil:
		l.why = "the body is no run of indirect commands"
	default:
		if l.choose, err = FromBody(ctx, a, chooseBody, CompileOptions{}); err != nil {
			return nil, err
		}
		if l.ranges, err = owned(a, 2); err != nil {
			return nil, err
		}
	}
	if l.why != "" || n.most > maxUnrolled {
		l.flag, err = owned(a, 1)
	}
	return l, err
}

// owned makes a shared buffer.
func owned(a *Accelerator, n int) (*Buffer[uint32], error) {
	shared := mtl.StorageModeShared
	return NewBuffer[uint32](a, n, BufferOptions{Label: "graph", Storage: &shared})
}

func (l *loopPlan) close() {
	l.body.close()
	l.ranges.Close()
	l.flag.Close()
}

// assemble makes the commands of the loop in a replay.
func (l *loopPlan) assemble(n *node) ([]work, error) {
	if l.why != "" {
		r := &loop{cond: n.cond.view(), flag: l.flag.view(), once: l.body.works, each: 1, most: n.most}
		if works := expand(l.body.works, nil); len(works) > len(l.body.works) { // each run is new
			r.once = works
			body := l.body.works
			r.body = func() ([]work, error) { return expand(body, nil), nil }
		}
		return r.begin(), nil
	}
	c := l.body.segments[0].commands
	choose, err := l.choose.Bind(Threads1D(1), n.cond, uint32(c.on.n), l.ranges, Overwrites(l.ranges))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	execute := c.executionOf(0, c.on.n, l.ranges.view(), nil)
	c.mu.Unlock()
	step := []work{{command: choose}, {command: execute}}
	unrolled := slices.Repeat(step, min(n.most, maxUnrolled))
	if n.most <= maxUnrolled {
		return unrolled, nil
	}
	r := &loop{cond: n.cond.view(), flag: l.flag.view(), once: unrolled, each: maxUnrolled, most: n.most - maxUnrolled}
	return append(slices.Clone(unrolled), r.begin()...), nil
}

// loop is a loop whose host decides. It is immutable.
type loop struct {
	cond, flag view   // flag is the host's copy; the same if the host can read the condition itself
	once       []work // the body, for so many iterations:
	each, most int    // most from the first decision on
	// body makes the body of the next iteration, nil if it is always once. once then has what it uses.
	body func() ([]work, error)
}

// begin returns the commands by which the host first decides.
func (l *loop) begin() []work {
	decide := work{command: l}
	if l.cond == l.flag {
		return []work{decide}
	}
	return []work{l.look(), decide}
}

// look is the copy of the condition that the host reads.
func (l *loop) look() work { return work{command: &copyCommand{transfer{l.cond, l.flag}}} }

func (l *loop) side() side                     { return byHost }
func (l *loop) encode(*encoder, *work) error   { return nil }
func (l *loop) launched() *Launch              { return nil }
func (l *loop) size() int                      { return 0 }
func (l *loop) hazards(spans []span) []span    { return spans }
func (l *loop) summarize(s *commandSummary)    { s.form = "function of the host" }
func (l *loop) observe(e *observe.RecordEvent) { e.Kind = observe.CommandFunction }
func (l *loop) tally(c *streamCounters)        { c.functions.Add(1) }
func (l *loop) recorded()                      {}

// accesses appends that the host reads the condition.
func (l *loop) accesses(list []rangeAccess) []rangeAccess {
	return append(list, rangeAccess{view: l.flag, reads: true})
}

// use keeps what the body uses alive until done.
func (l *loop) use() error {
	look := l.look()
	if err := look.use(); err != nil {
		return err
	}
	if err := useAll(l.once); err != nil {
		look.end()
		return err
	}
	return nil
}

func (l *loop) done() {
	endAll(l.once)
	look := l.look()
	look.end()
}

// branch is one run of a loop. It is used by the host's part of one command after another.
type branch struct {
	*loop
	top    bool   // not within another loop: its command has a number for each of its ends
	failed uint64 // batches of the stream that failed before the first decision
	begun  bool   // there was one
	ran    int    // iterations
	again  bool   // the last decision

	stopped error // why the loop does not go on, if it should have
}

// done ends the uses after the last decision.
func (b *branch) done() {
	if !b.again {
		b.loop.done()
	}
}

func (b *branch) always() bool { return false }

// poison lets a failure spread to what will not run.
func (b *branch) poison(a *Accelerator, _ *work, failed error) bool {
	if failed = cmp.Or(failed, b.stopped); failed != nil {
		for i := range b.once {
			a.settlePoison(&b.once[i], failed)
		}
	}
	return true
}

// decide decides whether the loop goes on. failures is the number of failures of the stream, and
// cause the last one.
func (b *branch) decide(failed error, failures uint64, cause error) error {
	b.again = false
	if !b.begun {
		b.begun, b.failed = true, failures
	}
	if failures != b.failed {
		failed = cmp.Or(failed, cause)
	}
	if b.stopped = failed; failed != nil || b.ran >= b.loop.most {
		return nil // the failure is reported
	}
	var word [4]byte
	if err := b.loop.flag.mem.read(b.loop.flag.offset, word[:]); err != nil {
		return err
	}
	b.again = binary.NativeEndian.Uint32(word[:]) != 0
	return nil
}

// next returns the commands of the next iterations, followed by those of the next decision. Their
// uses are those of the loop.
func (b *branch) next(last *work) ([]work, error) {
	l := b.loop
	once := l.once
	if l.body != nil {
		var err error
		if once, err = l.body(); err != nil {
			return nil, err
		}
	}
	n := min(l.each, l.most-b.ran)
	b.ran += n
	once = once[:len(once)/l.each*n]
	works := make([]work, 0, len(once)+2)
	works = append(works, once...)
	if b.ran < l.most && l.cond != l.flag {
		works = append(works, l.look())
	}
	for i := range works {
		w := &works[i]
		w.borrowed = true
		switch inner := w.command.(type) {
		case *loop:
			w.command = &branch{loop: inner}
		case *branch: // of a run of a launch tree
			w.command = &branch{loop: inner.loop}
		}
	}
	works = append(works, *last)
	for i := range works {
		works[i].number, works[i].encoder, works[i].account = last.number, 0, last.account
		if works[i].site == 0 {
			works[i].site = last.site
		}
	}
	return works, nil
}

// branch decides whether the loop of a batch's last command goes on, and if so puts its next
// commands before all pending ones. All of them have the number of the deciding command. Recording
// reserved a second number after it, which the last decision gets: who waits for the loop waits for
// that one. failed is the failure of the batch.
func (b *batch) branch(w *work, c *branch, failed error) error {
	s := b.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	var canceled error // the batch itself may have run
	if failed == nil && b.canceled != nil {
		canceled = fmt.Errorf("the loop does not go on: %w", b.canceled)
	}
	err := cmp.Or(canceled, c.decide(cmp.Or(failed, canceled), s.submission.failed, s.submission.cause))
	var works []work
	if c.again {
		works, err = c.next(w)
		c.again = err == nil
	}
	if !c.again {
		if c.top {
			w.number++
		}
		return err
	}
	for i := range works {
		works[i].tally(&s.stats)
		works[i].counted()
	}
	s.submission.pending.pushFront(works)
	return err
}
