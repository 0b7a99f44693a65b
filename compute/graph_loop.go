package compute

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute/internal/stream"
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
func (l *loopPlan) assemble(n *node) ([]stream.Work, error) {
	if l.why != "" {
		r := &stream.Loop{Cond: n.cond.view(), Flag: l.flag.view(), Once: l.body.works, Each: 1, Most: n.most}
		if works := expand(l.body.works, nil); len(works) > len(l.body.works) { // each run is new
			r.Once = works
			body := l.body.works
			r.Body = func() ([]stream.Work, error) { return expand(body, nil), nil }
		}
		return r.Begin(), nil
	}
	c := l.body.segments[0].commands
	choose, err := l.choose.Bind(Threads1D(1), n.cond, uint32(c.on.N), l.ranges, Overwrites(l.ranges))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	execute := c.executionOf(0, c.on.N, l.ranges.view(), nil)
	c.mu.Unlock()
	step := []stream.Work{{Command: &choose.core}, {Command: execute}}
	unrolled := slices.Repeat(step, min(n.most, maxUnrolled))
	if n.most <= maxUnrolled {
		return unrolled, nil
	}
	r := &stream.Loop{Cond: n.cond.view(), Flag: l.flag.view(), Once: unrolled, Each: maxUnrolled,
		Most: n.most - maxUnrolled}
	return append(slices.Clone(unrolled), r.Begin()...), nil
}

// branch decides whether the loop of a batch's last command goes on, and if so puts its next
// commands before all pending ones. All of them have the number of the deciding command. Recording
// reserved a second number after it, which the last decision gets: who waits for the loop waits for
// that one. failed is the failure of the batch.
func (b *batch) branch(w *stream.Work, c *stream.Branch, failed error) error {
	s := b.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	var canceled error // the batch itself may have run
	if failed == nil && b.canceled != nil {
		canceled = fmt.Errorf("the loop does not go on: %w", b.canceled)
	}
	err := cmp.Or(canceled, c.Decide(cmp.Or(failed, canceled), s.submission.failed, s.submission.cause))
	var works []stream.Work
	if c.Again {
		works, err = c.Next(w)
		c.Again = err == nil
	}
	if !c.Again {
		if c.Top {
			w.Number++
		}
		return err
	}
	for i := range works {
		works[i].Tally(&s.stats)
		works[i].Counted()
	}
	s.submission.pending.pushFront(works)
	return err
}
