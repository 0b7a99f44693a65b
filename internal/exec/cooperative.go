package exec

import (
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// Cooperative counts what a launch did whose threadgroups wait for each other at grid barriers. A
// phase is the work between two barriers.
type Cooperative struct {
	Phases int64           // so far
	Times  []time.Duration // of the first maxPhaseTimes phases
	Bytes  int64           // of memory that kept the threadgroups
}

// maxPhaseTimes bounds the list of times.
const maxPhaseTimes = 1 << 16

// maxCooperative is the maximum number of bytes of memory in which a launch keeps threadgroups.
const maxCooperative = 1 << 30

// waitingBytes is what a threadgroup takes apart from what its program keeps, about.
const waitingBytes = 1 << 10

// Meeting is a grid barrier at which the threads of a threadgroup wait.
type Meeting struct {
	Func   *ir.Func // the function that contains the barrier
	Instr  *ir.Instr
	Loc    ir.Loc
	Rounds []uint64 // the iterations of the enclosing loops
}

// same reports whether two threadgroups wait at the same instance of a barrier. If a hook observes
// only one of them, it knows only the place in the source, since the other runs optimized code.
func (m *Meeting) same(o *Meeting) bool {
	if m.Func != o.Func {
		return m.Loc == o.Loc
	}
	return m.Instr == o.Instr && slices.Equal(m.Rounds, o.Rounds)
}

// Waiting is a threadgroup that waits at a grid barrier.
type Waiting struct {
	Meeting
	State any // of the threadgroup; only its Program knows what it is
}

// gridFlow checks that control flow around grid barriers is the same for the whole grid. Variables
// that only optimization recognizes as values make the flow of the code as compiled look uneven, so
// what counts is the optimized code.
func gridFlow(f *ir.Func, constants []opt.FConst) error {
	err := f.VerifyGridBarriers()
	if err != nil {
		f = f.Clone()
		opt.Run(f, opt.Options{Scalar: num.Scalar, Constants: constants})
		err = f.VerifyGridBarriers()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGridSync, err)
	}
	return nil
}

// checkGrid checks that a kernel with a grid barrier is launched in the way it needs.
func (l *Launch) checkGrid(has bool, flow func() error) error {
	switch {
	case !has:
		return nil
	case l.Cooperative == nil:
		return fmt.Errorf("%w: the kernel synchronizes the whole grid; launch it with Stream.LaunchCooperative",
			ErrLaunch)
	}
	return flow()
}

// cooperate executes all threadgroups up to the next grid barrier, again and again, until all have
// ended. It keeps all of them, so none waits for one that cannot run.
func (r *Run) cooperate(stopper Stopper, chunk, helpers int64) error {
	r.job.stopper = stopper
	p, err := r.program([3]int{}) // no threadgroup is larger
	if err != nil {
		return err
	}
	each := p.Kept() + waitingBytes
	for _, size := range r.Launch.Threadgroup {
		each += int64(size)
	}
	given, err := r.keep("threadgroups", r.Total, each)
	if err != nil {
		return err
	}
	r.waiting, r.begun = make([]*Waiting, r.Total), false
	defer func() {
		r.waiting = nil
		r.giveKept(given)
	}()
	c := r.Launch.Cooperative
	*c = Cooperative{Bytes: given}
	for more := true; more; {
		began := time.Now()
		if _, err := r.job.Share(stopper, r.Total, chunk, helpers); err != nil {
			return err
		}
		c.ended(began)
		if more, err = r.meet(); err != nil {
			return err
		}
		r.begun = true
	}
	return nil
}

// ended counts a phase.
func (c *Cooperative) ended(began time.Time) {
	if c.Phases++; len(c.Times) < maxPhaseTimes {
		c.Times = append(c.Times, time.Since(began))
	}
}

// keep reserves memory for what is kept over grid barriers, so many bytes for each of n threads or
// threadgroups.
func (r *Run) keep(what string, n, each int64) (int64, error) {
	if each > 0 && n > maxCooperative/each {
		return 0, fmt.Errorf("%w: kernel %q synchronizes its grid, and keeping all %d %s takes %d bytes "+
			"each, more than %d in total; use a smaller grid whose threads loop", ErrScratch, r.Kernel.f.Name,
			n, what, each, int64(maxCooperative))
	}
	bytes := n * each
	if r.Launch.Scratch != nil && bytes > 0 {
		if err := r.Launch.Scratch.TakeScratch(bytes); err != nil {
			return 0, fmt.Errorf("%w: kernel %q synchronizes its grid, and keeping all %d %s takes %d bytes: %w",
				ErrScratch, r.Kernel.f.Name, n, what, bytes, err)
		}
	}
	return bytes, nil
}

// giveKept returns what keep reserved.
func (r *Run) giveKept(bytes int64) {
	if r.Launch.Scratch != nil && bytes > 0 {
		r.Launch.Scratch.GiveScratch(bytes)
	}
}

// step executes a threadgroup of a cooperative launch up to the next grid barrier.
func (r *Run) step(g Group, number int64, position [3]int) (err error) {
	w := &r.waiting[number]
	if *w == nil && r.begun {
		return nil // it has ended
	}
	*w, err = g.Step(number, position, *w)
	return err
}

// meet checks that all threadgroups that have not ended wait at the same barrier, and reports
// whether there are any.
func (r *Run) meet() (bool, error) {
	var first *Waiting
	for i, w := range r.waiting {
		switch {
		case w == nil:
		case first == nil:
			first = w
		case !w.same(&first.Meeting):
			return false, r.failed(r.position(int64(i)), fmt.Errorf("%w: it waits at %s, other threadgroups at %s",
				ErrGridSync, w.place(), first.place()))
		}
	}
	return first != nil, nil
}

// place returns the place of a barrier in the source.
func (m *Meeting) place() string {
	file := "the kernel"
	if i := int(m.Loc.File) - 1; i >= 0 && i < len(m.Func.Module.Files) {
		file = m.Func.Module.Files[i]
	}
	return fmt.Sprintf("%s:%d:%d in iteration %d", file, m.Loc.Line, m.Loc.Col, m.Rounds)
}
