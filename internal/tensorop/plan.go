package tensorop

import (
	"encoding/binary"
	"math"
	"slices"
)

// Plan is an operation as kernel launches. They run in order: each sees what the ones before it
// wrote.
type Plan struct {
	Inputs  int   // operands 0 to Inputs-1
	Outputs int   // the operands after the inputs
	Temps   []int // the operands after the outputs: temporary buffers of so many bytes
	Steps   []Step
}

// Step is one launch.
type Step struct {
	Source  string // in the Metal Shading Language, to be compiled with safe math
	Kernel  string // the function's name
	Threads [3]int // in the grid, each at least 1
	Group   [3]int // threads in a threadgroup; zero: the executor chooses
	// Buffers are the operands at buffer indices 0, 1, ...; views' offsets are among Arguments.
	Buffers []int
	// Arguments are the bytes for the buffer index after those, as setBytes takes them; none if
	// empty.
	Arguments []byte
	// GPU, unless nil, computes the same with the same buffers in a way that suits GPUs. It is not for
	// the software device.
	GPU *Step
	// Matrices says that the kernel uses simdgroup matrices: the device must have them, and its
	// pipeline must run simdgroups of 32 threads and threadgroups of as many threads as Group has.
	Matrices bool
}

// Operand is a tensor of a plan: a view of one of its buffers.
type Operand struct {
	View
	buffer int
}

// With returns the operand's buffer with another view of it.
func (o Operand) With(v View) Operand { return Operand{v, o.buffer} }

// Builder makes a plan. The first mistake is kept, and Plan returns it.
type Builder struct {
	plan Plan
	err  error
}

// NewBuilder starts a plan with views of inputs and outputs, and returns their operands.
func NewBuilder(inputs, outputs []View) (b *Builder, in, out []Operand) {
	b = &Builder{plan: Plan{Inputs: len(inputs), Outputs: len(outputs)}}
	for i, v := range inputs {
		b.check(v)
		in = append(in, Operand{v, i})
	}
	for i, v := range outputs {
		b.check(v)
		out = append(out, Operand{v, len(inputs) + i})
	}
	return b, in, out
}

func (b *Builder) check(v View) {
	if err := v.Check(); err != nil {
		b.Fail(err)
	}
}

// Fail keeps an error, if there is none yet.
func (b *Builder) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Temp adds a temporary dense tensor, whose contents are undefined at first.
func (b *Builder) Temp(t Type, shape ...int) Operand {
	v := Dense(t, shape...)
	b.check(v)
	b.plan.Temps = append(b.plan.Temps, max(v.Elements()*t.Size(), t.Size(), 4))
	return Operand{v, b.plan.Inputs + b.plan.Outputs + len(b.plan.Temps) - 1}
}

// Plan returns the plan, or the first mistake.
func (b *Builder) Plan() (*Plan, error) {
	if b.err != nil {
		return nil, b.err
	}
	return &b.plan, nil
}

// Launch adds a launch of a kernel with a buffer for each operand and arguments. It adds nothing
// for an empty grid.
func (b *Builder) Launch(source, kernel string, threads, group [3]int, operands []Operand, arguments []byte) {
	if b.err != nil || threads[0] == 0 || threads[1] == 0 || threads[2] == 0 {
		return
	}
	s := Step{Source: source, Kernel: kernel, Threads: threads, Group: group, Arguments: arguments}
	for _, o := range operands {
		s.Buffers = append(s.Buffers, o.buffer)
	}
	b.plan.Steps = append(b.plan.Steps, s)
}

// onGPU gives the last launch another kernel for GPUs, with its buffers and, unless there are
// others, its arguments.
func (b *Builder) onGPU(s Step) {
	if b.err != nil {
		return
	}
	last := &b.plan.Steps[len(b.plan.Steps)-1]
	s.Buffers = last.Buffers
	if s.Arguments == nil {
		s.Arguments = last.Arguments
	}
	last.GPU = &s
}

// Words are the arguments of a kernel: a structure of 32-bit members in the order in which they
// were added.
type Words []byte

// Int adds members of type int.
func (w *Words) Int(values ...int) {
	for _, v := range values {
		*w = binary.LittleEndian.AppendUint32(*w, uint32(int32(v)))
	}
}

// Float adds members of type float.
func (w *Words) Float(values ...float32) {
	for _, v := range values {
		*w = binary.LittleEndian.AppendUint32(*w, math.Float32bits(v))
	}
}

// Buffer returns the number of the operand's buffer in the plan.
func (o Operand) Buffer() int { return o.buffer }

// Same tells whether two operands are the same view of the same buffer.
func (o Operand) Same(p Operand) bool {
	return o.buffer == p.buffer && o.Type == p.Type && o.Offset == p.Offset &&
		slices.Equal(o.Shape, p.Shape) && slices.Equal(o.Strides, p.Strides)
}
