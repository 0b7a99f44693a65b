package ref

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// Limits of a launch.
const (
	SimdWidth       = ir.SimdWidth
	MaxGroupThreads = ir.MaxThreads
	MaxThreadMemory = 1 << 26                // bytes of variables of all threads of a threadgroup
	MaxGroupMemory  = ir.MaxThreadgroupBytes // of all threadgroup memory together
)

// What makes a launch fail. A program that is not valid, arguments that are missing and the context's own errors do too.
var (
	ErrFuel             = errors.New("ref: out of fuel")
	ErrDivergentBarrier = errors.New("ref: barrier in divergent control flow")
	ErrUnsupported      = errors.New("ref: not supported")
	ErrLaunch           = errors.New("ref: invalid launch")
)

// Launch is what a host says when it starts a kernel.
type Launch struct {
	Grid  [3]int // threads; a component 0 counts as 1
	Group [3]int // threads of a threadgroup; those at the grid's edge are cut

	Buffers           map[int]Buffer          // by slot
	Resident          map[uint32][]byte       // buffers that argument buffers point to, by a number from MinResident to MaxResident
	ThreadgroupMemory map[int]int             // lengths in bytes by slot
	Textures          map[int]*Texture        // by slot
	ResidentTextures  map[uint64]*Texture     // by the handle that an argument buffer holds
	Samplers          map[int]ir.SamplerState // by slot
	Constants         map[int][]byte          // function constants by index, as they lie in memory

	CommandBuffers CommandBuffers // by the handle that an argument buffer holds, below 2^32

	Fuel int64        // back edges that all threads together may take; 0 for no limit
	Log  message.Sink // receives what the kernel writes to logs; nil drops it
}

// Buffer is memory that the host binds.
type Buffer struct {
	Data     []byte
	Offset   int  // where the argument points; what lies before is in bounds too
	ReadOnly bool // stores vanish
}

// The numbers that resident buffers may have.
const (
	MinResident = 0x100
	MaxResident = 0xfffff
)

// Address returns what an argument buffer holds to point to an offset in a resident buffer.
func Address(id uint32, offset uint64) uint64 { return uint64(id)<<40 | offset&offsetMask }

const offsetMask = 1<<40 - 1

// Numbers of objects: buffers have 1 + slot, resident ones their own.
const (
	firstGlobal    = 0x100000
	firstShared    = 0x200000
	firstSharedArg = 0x300000
	firstAlloca    = 0x800000
)

// object is a piece of memory that addresses lead to.
type object struct {
	data     []byte
	space    ir.Space
	readOnly bool
}

// machine is a launch that runs.
type machine struct {
	ctx      context.Context
	f        *ir.Func
	l        *Launch
	slots    []int32           // place of each value in a thread's registers, by ID
	regs     int               // registers of a thread
	allocas  map[*ir.Instr]int // number of each alloca
	consts   [][4]uint64       // function constants
	defined  []bool
	objects  map[uint64]*object
	images   map[uint64]*texel.Image   // by handle
	samplers map[uint64]*texel.Sampler // by handle
	fuel     int64
	steps    int64
	groups   [3]int
	seen     func(*thread, *ir.Instr) // told of each result, in tests
}

// Run runs an entry point over a grid. It verifies the entry point first.
func Run(ctx context.Context, f *ir.Func, l Launch) error {
	if err := f.Verify(); err != nil {
		return err
	}
	return newMachine(ctx, f, &l).run()
}

func newMachine(ctx context.Context, f *ir.Func, l *Launch) *machine {
	return &machine{ctx: ctx, f: f, l: l, fuel: l.Fuel, allocas: map[*ir.Instr]int{}, objects: map[uint64]*object{}}
}

func (m *machine) run() error {
	if err := m.prepare(); err != nil {
		return err
	}
	for z := range m.groups[2] {
		for y := range m.groups[1] {
			for x := range m.groups[0] {
				if err := m.ctx.Err(); err != nil {
					return err
				}
				if err := m.runGroup([3]int{x, y, z}); err != nil {
					return fmt.Errorf("kernel %q, threadgroup (%d, %d, %d): %w", m.f.Name, x, y, z, err)
				}
			}
		}
	}
	return nil
}

// prepare checks the launch and lays out registers and memory.
func (m *machine) prepare() error {
	l, f := m.l, m.f
	threads := 1
	for i := range 3 {
		l.Grid[i], l.Group[i] = max(l.Grid[i], 1), max(l.Group[i], 1)
		m.groups[i] = (l.Grid[i] + l.Group[i] - 1) / l.Group[i]
		threads *= min(l.Group[i], MaxGroupThreads+1)
	}
	if threads > MaxGroupThreads {
		return fmt.Errorf("%w: %v is more than %d threads in a threadgroup", ErrLaunch, l.Group, MaxGroupThreads)
	}
	shared := 0
	for _, v := range f.Threadgroup {
		shared += min(v.Size, MaxGroupMemory+1)
	}
	for slot, n := range l.ThreadgroupMemory {
		if shared += min(n, MaxGroupMemory+1); n < 0 || slot < 0 || slot >= MinResident {
			return fmt.Errorf("%w: threadgroup memory %d of %d bytes", ErrLaunch, slot, n)
		}
	}
	if shared > MaxGroupMemory {
		return fmt.Errorf("%w: more than %d bytes of threadgroup memory", ErrLaunch, MaxGroupMemory)
	}
	for slot, b := range l.Buffers {
		if b.Offset < 0 || b.Offset > len(b.Data) || slot < 0 || slot >= MinResident-1 {
			return fmt.Errorf("%w: buffer %d: offset %d is outside of %d bytes, or the slot is out of range", ErrLaunch, slot, b.Offset, len(b.Data))
		}
		m.objects[uint64(1+slot)] = &object{b.Data, ir.Device, b.ReadOnly}
	}
	for id, data := range l.Resident {
		if id < MinResident || id > MaxResident {
			return fmt.Errorf("%w: resident buffer %#x is not from %#x to %#x", ErrLaunch, id, MinResident, MaxResident)
		}
		m.objects[uint64(id)] = &object{data, ir.Device, false}
	}
	for i, g := range f.Module.Globals {
		m.objects[uint64(firstGlobal+i)] = &object{g.Data, ir.Constant, true}
	}
	for i, c := range f.Constants {
		data, ok := l.Constants[c.Index]
		t, _ := ir.ParseType(c.Type)
		switch {
		case !ok && c.Required:
			return fmt.Errorf("%w: function constant %d %q is not set", ErrLaunch, c.Index, c.Name)
		case ok && len(data) < t.Size():
			return fmt.Errorf("%w: function constant %d %q has %d bytes, want %d", ErrLaunch, c.Index, c.Name, len(data), t.Size())
		}
		m.consts = append(m.consts, [4]uint64{})
		m.defined = append(m.defined, ok)
		for lane := 0; ok && lane < t.Lanes(); lane++ {
			m.consts[i][lane] = getBits(t.Kind, data[lane*t.Kind.Size():])
		}
	}
	if err := m.prepareTextures(); err != nil {
		return err
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
	if memory*int64(threads) > MaxThreadMemory || int64(m.regs)*int64(threads)*8 > 16*MaxThreadMemory {
		return fmt.Errorf("%w: %d threads with %d bytes of variables and %d registers each", ErrUnsupported, threads, memory, m.regs)
	}
	return nil
}

// burn pays for a back edge.
func (m *machine) burn() error {
	if m.l.Fuel > 0 {
		if m.fuel--; m.fuel < 0 {
			return fmt.Errorf("%w after %d back edges", ErrFuel, m.l.Fuel)
		}
	}
	if m.steps++; m.steps%1024 == 0 {
		return m.ctx.Err()
	}
	return nil
}
