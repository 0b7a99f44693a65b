package graph

import (
	"context"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// maxUnrolled is how many iterations the device decides on by itself.
const maxUnrolled = 64

// loopPlan is how a condition or loop is replayed.
type loopPlan struct {
	acc  *compute.Accelerator
	body *plan
	why  string // why the host decides, "" if the device does

	ranges *compute.Buffer[uint32] // a CommandRange, which the device writes
	choose *compute.Kernel
	flag   *compute.Buffer[uint32] // copy of the condition, for the host
}

// chooseBody is the kernel that decides whether a body runs.
var chooseBody = compute.Body{Name: "puremetal_choose", Inputs: []string{"uint condition[]", "uint count"},
	Outputs: []string{"uint2 range"}, Text: "range = uint2(0, condition[0] != 0 ? count : 0);"}

func newLoopPlan(ctx context.Context, a *compute.Accelerator, n *node) (l *loopPlan, err error) {
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
		if l.choose, err = compute.FromBody(ctx, a, chooseBody, compute.CompileOptions{}); err != nil {
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
func owned(a *compute.Accelerator, n int) (*compute.Buffer[uint32], error) {
	shared := mtl.StorageModeShared
	return compute.NewBuffer[uint32](a, n, compute.BufferOptions{Label: "graph", Storage: &shared})
}

func (l *loopPlan) close() {
	l.body.close()
	l.ranges.Close()
	l.flag.Close()
}

// assemble makes the commands of the loop in a replay.
func (l *loopPlan) assemble(n *node) ([]stream.Work, error) {
	if l.why != "" {
		r := &stream.Loop{Cond: stream.BufferOf(n.cond), Flag: stream.BufferOf(l.flag), Once: l.body.works, Each: 1,
			Most: n.most}
		if works := stream.Expand(l.body.works); len(works) > len(l.body.works) { // each run is new
			r.Once = works
			body := l.body.works
			r.Body = func() ([]stream.Work, error) { return stream.Expand(body), nil }
		}
		return r.Begin(), nil
	}
	c := l.body.segments[0].commands
	choose, err := l.choose.Bind(compute.Threads1D(1), n.cond, uint32(c.core.N), l.ranges, compute.Overwrites(l.ranges))
	if err != nil {
		return nil, err
	}
	execute := c.core.ExecutionOf(0, c.core.N, stream.BufferOf(l.ranges), nil)
	step := []stream.Work{{Command: stream.LaunchOf(choose)}, {Command: execute}}
	unrolled := slices.Repeat(step, min(n.most, maxUnrolled))
	if n.most <= maxUnrolled {
		return unrolled, nil
	}
	r := &stream.Loop{Cond: stream.BufferOf(n.cond), Flag: stream.BufferOf(l.flag), Once: unrolled, Each: maxUnrolled,
		Most: n.most - maxUnrolled}
	return append(slices.Clone(unrolled), r.Begin()...), nil
}
