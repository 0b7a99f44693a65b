package ref

import (
	"cmp"
	"context"
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// maxThreadMemory limits the variables of all threads of a threadgroup, in bytes, and their
// registers, to 16 times that.
const maxThreadMemory = 1 << 26

// machine executes one launch.
type machine struct {
	exec.Geometry
	ctx       context.Context
	f         *ir.Func
	l         *exec.Launch
	slots     []int32           // index of each value in a thread's registers, by ID
	regs      int               // registers of a thread
	allocas   map[*ir.Instr]int // number of each alloca
	constants []exec.Constant   // function constants
	globals   []exec.Object
	samplers  []*texel.Sampler // declared by the program
	fuel      int64
	steps     int64
	seen      func(*thread, *ir.Instr) // in tests, called with each result
	tracer    Tracer
}

// Run runs an entry point over a grid. It verifies the entry point first. A launch's hook is
// ignored.
func Run(ctx context.Context, f *ir.Func, l *exec.Launch) error {
	if err := f.Verify(); err != nil {
		return err
	}
	return newMachine(ctx, f, l).run()
}

func newMachine(ctx context.Context, f *ir.Func, l *exec.Launch) *machine {
	return &machine{ctx: ctx, f: f, l: l, fuel: l.Fuel, allocas: map[*ir.Instr]int{}}
}

func (m *machine) run() error {
	defer func() { m.l.Left = max(m.fuel, 0) }()
	if err := m.prepare(); err != nil {
		return err
	}
	var waiting []*group // at a grid barrier
	for z := range m.Groups[2] {
		for y := range m.Groups[1] {
			for x := range m.Groups[0] {
				if err := m.ctx.Err(); err != nil {
					return err
				}
				g, err := m.newGroup([3]int{x, y, z})
				if err == nil {
					err = g.run()
				}
				if err != nil {
					return m.failed(x, y, z, err)
				}
				if g.waits != nil {
					waiting = append(waiting, g)
				}
			}
		}
	}
	return m.cooperate(waiting)
}

func (m *machine) failed(x, y, z int, err error) error {
	return fmt.Errorf("kernel %q, threadgroup (%d, %d, %d): %w", m.f.Name, x, y, z, err)
}

// cooperate lets threadgroups that wait at a grid barrier go on, one after another up to the next
// one, until all have ended.
func (m *machine) cooperate(waiting []*group) error {
	phases := m.l.Cooperative
	if phases == nil {
		phases = &exec.Cooperative{}
	}
	for *phases = (exec.Cooperative{Phases: 1}); len(waiting) > 0; phases.Phases++ {
		first := waiting[0].waits[0]
		for _, g := range waiting {
			if t := g.waits[0]; t.compare(first) != 0 {
				return m.failed(g.pos[0], g.pos[1], g.pos[2], t.fail(t.at(),
					fmt.Errorf("%w: threadgroup %d waits elsewhere", exec.ErrGridSync, first.g.number())))
			}
		}
		if m.tracer != nil {
			var all []Thread
			for _, g := range waiting {
				all = append(all, ids(g.waits)...)
			}
			m.tracer.Meet(first.at(), all, len(all))
		}
		next := waiting[:0]
		for _, g := range waiting {
			for _, t := range g.waits {
				t.resume()
			}
			g.waits = nil
			if err := g.run(); err != nil {
				return m.failed(g.pos[0], g.pos[1], g.pos[2], err)
			}
			if g.waits != nil {
				next = append(next, g)
			}
		}
		waiting = next
	}
	return nil
}

// prepare checks the launch and lays out registers and memory.
func (m *machine) prepare() (err error) {
	f := m.f
	if m.Geometry, m.constants, err = m.l.Check(f); err != nil {
		return err
	}
	for _, g := range f.Module.Globals {
		m.globals = append(m.globals, exec.Object{Data: g.Data, ReadOnly: true})
	}
	for i := range f.Samplers {
		m.samplers = append(m.samplers, texel.NewSampler(&f.Samplers[i]))
	}
	m.slots = make([]int32, f.NumValues())
	place := func(vs []*ir.Value) {
		for _, v := range vs {
			m.slots[v.ID] = int32(m.regs)
			m.regs += max(v.Type.Lanes(), 1)
			if v.Type.Kind == ir.Matrix {
				m.regs++ // two elements
			}
		}
	}
	var memory int64
	f.Body.Walk(func(in *ir.Instr) bool {
		place(in.Results)
		for _, r := range in.Regions {
			place(r.Params)
		}
		if in.Op == ir.OpAlloca {
			m.allocas[in] = len(m.allocas)
			memory += in.Imm
		}
		return true
	})
	threads := int64(m.Group[0] * m.Group[1] * m.Group[2])
	if f.HasGridBarrier() { // all threadgroups are kept
		threads = min(threads*m.Total, 1<<40)
	}
	if memory*threads > maxThreadMemory || int64(m.regs)*threads*8 > 16*maxThreadMemory {
		return fmt.Errorf("%w: %d threads with %d bytes of variables and %d registers each", exec.ErrUnsupported, threads,
			memory, m.regs)
	}
	return nil
}

// instWork is the oracle's charge for an instruction of a thread, and groupWork that for a
// threadgroup. They exceed those of any engine, which works on several threads at a time and pays
// in advance: if the oracle finishes within some fuel, so do engines.
const (
	instWork  = 1 << 10
	groupWork = 1 << 16
)

// burn charges an instruction of some threads.
func (m *machine) burn(in *ir.Instr, threads int64) error {
	work := int64(instWork)
	if in.Op == ir.OpCopy || in.Op == ir.OpClear {
		work += in.Imm
	}
	return m.pay(work * threads)
}

// pay charges work to the fuel.
func (m *machine) pay(work int64) error {
	if m.l.Fuel > 0 {
		if m.fuel -= work; m.fuel < 0 {
			return &exec.BudgetError{Work: cmp.Or(m.l.Budget, m.l.Fuel)}
		}
	}
	if m.steps++; m.steps%(1<<14) == 0 {
		return m.ctx.Err()
	}
	return nil
}
