package tree

import (
	"context"
	_ "embed" // for the kernels that encode launches
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Tree is what kernels need to launch one another: a numbered set of kernels, and memory for
// the launches of each level. A kernel that launches includes <puremetal/launch> or
// <puremetal/cooperative>, and calls puremetal::launch with the number of a kernel of the tree. The
// launcher is at buffer index 30: a parameter that the compiler adds, unless the kernel has it as a
// parameter of its own. [Tree.Launch] launches the first kernel, which is level 0; what the
// kernels of one level launch is the next level. Continuations belong to the level of the kernels
// that they continue.
//
// All runs of a tree use the same memory, so runs on different streams must be ordered by events. A
// tree is safe for concurrent use. Close it when done; recorded runs still run.
type Tree struct {
	acc     *compute.Accelerator
	core    *stream.Device // of acc
	options Options
	kernels []*compute.Kernel

	described []kernel // of the kernels

	program  *compute.Program // that encodes
	commands stream.Indirect
	made     bool                    // commands
	memory   *compute.Buffer[byte]   // the state, the trace and the queues: see the offsets below
	records  []*compute.Buffer[byte] // of the launches: two, which the levels use in turns
	later    *compute.Buffer[byte]   // of the continuations: two for each level
	table    *compute.Buffer[byte]   // the descriptions, []kernel
	into     *compute.Buffer[byte]   // treeCommands
	reset    *stream.Launch
	steps    []*stream.Launch // that encode, one for each step that is recorded in advance

	last atomic.Pointer[[]Level] // of the run that ended last without an error
	life stream.Lifetime
}

// Options configures [New].
type Options struct {
	Label string
	// Depth is how many levels of launches there may be below the first kernel, 1 to 64. Each costs a
	// small launch, also if a run has fewer levels; with Continuations two.
	Depth int
	// Capacity is how many launches each level may have, 1 to 16384. Each takes 640 bytes.
	Capacity int
	// Continuations is how many continue_with each level may have at a time, 0 to 16384. Each takes
	// 640 bytes for each level.
	Continuations int
	// Steps is how many times a run may launch what a level wants, 1 to 1048576; 0 means 65536.
	// Only runs whose continuations launch or continue can exceed 2 * Depth + 1. What exceeds
	// 2 * Depth + 2 is recorded by the host once it sees that the run goes on.
	Steps int
	// Timing measures the time of each level, which ends a command buffer after each.
	Timing bool
}

// ErrLaunch: kernels have launched what their tree cannot run; a *[OverflowError] if it
// is too many.
var ErrLaunch = errors.New("launches from kernels failed")

// OverflowError is the error of a run whose kernels launched more than there is room for. It
// wraps [ErrLaunch]. Launches of the level, and of those below it, did not run.
type OverflowError struct {
	Tree          string
	Level         int  // of the kernels that launched
	Continuations bool // whether they wanted too many of them, instead of launches
	Wanted        int  // how many they wanted
	Capacity      int  // 0 if they may not launch at all
	Depth         int  // of the tree
}

// Error names the level, the number wanted and the limit.
func (e *OverflowError) Error() string {
	what, room := "launches", "capacity"
	if e.Continuations {
		what, room = "continuations", "room for continuations"
	}
	switch {
	case e.Level == e.Depth && !e.Continuations:
		return fmt.Sprintf("%s: the kernels of level %d want %d launches, but the tree's depth is %[2]d", e.Tree, e.Level,
			e.Wanted)
	}
	return fmt.Sprintf("%s: the kernels of level %d want %d %s, but the tree's %s is %d", e.Tree, e.Level, e.Wanted,
		what, room, e.Capacity)
}

// Unwrap returns ErrLaunch.
func (e *OverflowError) Unwrap() error { return ErrLaunch }

// Limits of trees: of <puremetal/launch> and of tree.metal.
const (
	maxTreeDepth     = 64
	maxTreeKernels   = 1 << 16
	maxTreeArguments = 8
	maxTreeValue     = 32 // bytes
	launcherIndex    = 30
	recordBytes      = 320
	queueBytes       = 128
	encodingThreads  = 256
	maxTreeSteps     = 1 << 20
	usualTreeSteps   = 1 << 16
)

// Offsets in Tree.memory.
const (
	treeMore    = 4 // whether the run goes on; the first number is how far it is
	treeRange   = 16
	treeTrace   = 128 // a number for each step that is recorded in advance
	treeQueues  = treeTrace + 1024
	noTreeQueue = ^uint32(0)
)

// queue is a queue of launches in the device's memory.
type queue struct {
	Wanted, Capacity uint32
	Records          uint64
	Launched         uint64
	Threads          uint64
	Wrong, Value     uint32
	Stages           [8]uint32
	Others           uint64
	_                [12]uint32
}

// samplerKind describes samplers to the encoding kernel.
const samplerKind = ^uint32(0)

// kernel describes a kernel to the encoding kernel.
type kernel struct {
	State                uint64
	Parameters, Launches uint32
	Most                 uint32
	Pointers             uint32
	Slots, Sizes         [maxTreeArguments]uint32
	Memory, Room         uint32
	Kinds                [maxTreeArguments]uint32 // of textures; samplerKind of samplers; 0 of other parameters
	Group                [4]uint32                // the threadgroup that it requires; 0 for any
}

// treeCommands is the indirect command buffer as the encoding kernel sees it.
type treeCommands struct{ Handle uint64 }

//go:embed tree.metal
var treeSource string

// Numbers returns macros for [compute.CompileOptions].Macros that give kernels the numbers by which
// they are launched: LAUNCH_name is the index of name.
func Numbers(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for i, name := range names {
		m["LAUNCH_"+name] = fmt.Sprintf("%du", i)
	}
	return m
}

// New makes a tree of the given kernels; the number of a kernel is its index. They must not use
// arrays of textures or samplers, messages or grid syncs, and have at most 8 parameters besides the
// launcher: buffers, threadgroup memory, textures and samplers. It compiles what the kernels need
// for indirect commands, which may take as long as [compute.Program.Kernel]; the program of a
// kernel with textures or samplers is compiled again. Errors: a *[compute.LaunchError] that wraps
// [graph.ErrIndirect], [compute.ErrOption], [compute.ErrOutOfMemory].
func New(ctx context.Context, a *compute.Accelerator, kernels []*compute.Kernel, o Options) (*Tree, error) {
	if err := stream.CheckCall(ctx, "tree: New", stream.DeviceOf(a) == nil); err != nil {
		return nil, err
	}
	t := &Tree{acc: a, core: stream.DeviceOf(a), options: o, kernels: append([]*compute.Kernel(nil), kernels...)}
	t.life.Init(t, t.release)
	for _, x := range []struct {
		what       string
		n, lo, max int
	}{{"kernels", len(kernels), 1, maxTreeKernels - 1}, {"Depth", o.Depth, 1, maxTreeDepth},
		{"Capacity", o.Capacity, 1, stream.MaxCommands}, {"Continuations", o.Continuations, 0, stream.MaxCommands},
		{"Steps", o.Steps, 0, maxTreeSteps}} {
		if x.n < x.lo || x.n > x.max {
			return nil, fmt.Errorf("compute: %v: %s %d, want %d to %d: %w", t, x.what, x.n, x.lo, x.max, compute.ErrOption)
		}
	}
	if err := t.make(ctx); err != nil {
		t.release()
		return nil, fmt.Errorf("compute: %v: %w", t, err)
	}
	if err := t.core.AddOpen(t, t.String(), t.drop); err != nil {
		t.release()
		return nil, err
	}
	return t, nil
}

// String names the tree for messages.
func (t *Tree) String() string {
	if t.missing() {
		return "nil launch tree"
	}
	return fmt.Sprintf("launch tree %q", t.options.Label)
}

// Close closes the tree. Closing a closed or nil tree does nothing.
func (t *Tree) Close() {
	if t.missing() {
		return
	}
	t.core.RemoveOpen(t)
	t.life.Close()
}

func (t *Tree) drop() { t.life.Close() }

func (t *Tree) release() {
	t.program.Close()
	if t.made {
		t.commands.Life.Close()
	}
	for _, b := range append(t.records, t.memory, t.later) {
		b.Close()
	}
	t.table.Close()
	t.into.Close()
}

// describeKernel returns what the encoding kernel knows of a kernel.
func describeKernel(ctx context.Context, public *compute.Kernel) (d kernel, b stream.Bindless, slots uint, err error) {
	k := stream.KernelOf(public)
	switch {
	case k.Phases > 1:
		err = fmt.Errorf("it synchronizes the whole grid, which needs Stream.LaunchCooperative: %w", stream.ErrIndirect)
	case k.Logs:
		err = fmt.Errorf("it logs, and messages need a command buffer of their own: %w", stream.ErrIndirect)
	}
	if err == nil {
		b, err = stream.BindlessOf(ctx, public)
	}
	if err != nil {
		return d, b, 0, &compute.LaunchError{Kernel: k.Name, Err: err}
	}
	d.Most = uint32(b.Kernel().Made().Limits.MaxTotalThreadsPerThreadgroup)
	group := k.Made().Limits.RequiredThreadsPerThreadgroup
	d.Group = [4]uint32{uint32(group.Width), uint32(group.Height), uint32(group.Depth)}
	d.Room = uint32(k.Acc.Info.Limits.MaxThreadgroupMemoryLength - b.Kernel().Made().Limits.StaticThreadgroupMemory)
	for _, p := range public.Parameters() {
		switch n := d.Parameters; {
		case err != nil:
		case p.Kind == compute.OtherParameter:
			err = fmt.Errorf("%v: a kernel cannot set it: %w", &p, stream.ErrIndirect)
		case p.Kind == compute.BufferParameter && p.Index == launcherIndex:
			d.Launches = 1
		case n == maxTreeArguments:
			err = fmt.Errorf("%v: launches from kernels have at most %d arguments: %w", &p, maxTreeArguments, stream.ErrIndirect)
		case p.Kind == compute.ThreadgroupParameter:
			d.Slots[n] = uint32(p.Index)
			d.Memory |= 1 << n
			d.Parameters++
		case p.Kind == compute.TextureParameter || p.Kind == compute.SamplerParameter:
			at, texture, ok := b.Handle(stream.ParameterKind(p.Kind), p.Index)
			if !ok {
				err = fmt.Errorf("%v: a kernel cannot set it: %w", &p, stream.ErrIndirect)
				break
			}
			d.Slots[n], d.Kinds[n] = uint32(at), texture
			if p.Kind == compute.SamplerParameter {
				d.Kinds[n] = samplerKind
			}
			slots = max(slots, at+1)
			d.Parameters++
		default:
			d.Slots[n], d.Sizes[n] = uint32(p.Index), uint32(p.Size)
			if p.Access != mtl.BindingAccessReadOnly || p.Size > maxTreeValue {
				d.Pointers |= 1 << n
			}
			d.Parameters++
		}
		if p.Kind == compute.BufferParameter {
			slots = max(slots, p.Index+1)
		}
	}
	if err != nil {
		err = &compute.LaunchError{Kernel: k.Name, Err: err}
	}
	return d, b, slots, err
}

// make makes everything that runs use.
func (t *Tree) make(ctx context.Context) error {
	var slots uint = 1
	t.described = make([]kernel, len(t.kernels))
	forms := make([]stream.Bindless, len(t.kernels))
	for i, k := range t.kernels {
		c := stream.KernelOf(k)
		if c == nil {
			return fmt.Errorf("kernel %d: %w", i, compute.ErrNil)
		}
		if c.Acc != t.core {
			return &compute.LaunchError{Kernel: c.Name, Err: compute.ErrAccelerator}
		}
		d, b, n, err := describeKernel(ctx, k)
		if err != nil {
			return err
		}
		t.described[i], forms[i], slots = d, b, max(slots, n)
	}
	var err error
	capacity := max(t.options.Capacity, t.options.Continuations)
	t.commands.Acc, t.commands.Label, t.commands.N, t.commands.Buffers = t.core, t.options.Label, capacity, slots
	if err = t.commands.Init(commandsName{t}, func() {}); err != nil {
		return err
	}
	t.made = true
	for i := range forms {
		if t.described[i].State, err = t.commands.KernelHandle(ctx, forms[i].Kernel()); err != nil {
			return err
		}
	}
	handle, err := t.commands.Handle()
	if err != nil {
		return err
	}
	if t.table, err = compute.BufferOf(ctx, t.acc, encoded(t.described)); err != nil {
		return err
	}
	if t.into, err = compute.BufferOf(ctx, t.acc, encoded([]treeCommands{{handle}})); err != nil {
		return err
	}
	if err := t.allocate(); err != nil {
		return err
	}
	t.program, err = t.acc.Compile(ctx, treeSource, compute.CompileOptions{Name: "tree.metal"})
	if err != nil {
		return err
	}
	return t.prepare(ctx)
}

// allocate makes the queues and the memory of their launches.
func (t *Tree) allocate() error {
	bytes := func(n int, storage mtl.StorageMode) (*compute.Buffer[byte], error) {
		return compute.NewBuffer[byte](t.acc, n, compute.BufferOptions{Label: t.options.Label, Storage: &storage})
	}
	levels := t.options.Depth + 1
	var at [2]uint64
	for i := range at {
		b, err := bytes(t.options.Capacity*recordBytes, mtl.StorageModePrivate)
		if err != nil {
			return err
		}
		t.records = append(t.records, b)
		if at[i], err = b.Address(); err != nil {
			return err
		}
	}
	var later uint64
	var err error
	if t.options.Continuations > 0 {
		if t.later, err = bytes(2*levels*t.options.Continuations*recordBytes, mtl.StorageModePrivate); err != nil {
			return err
		}
		if later, err = t.later.Address(); err != nil {
			return err
		}
	}
	if t.memory, err = bytes(treeQueues+2*levels*queueBytes, mtl.StorageModeShared); err != nil {
		return err
	}
	data, err := stream.BufferOf(t.memory).Bytes()
	if err != nil {
		return err
	}
	clear(data)
	for level := range levels {
		launches := queue{Capacity: uint32(t.options.Capacity), Records: at[level%2]}
		if level == t.options.Depth {
			launches.Capacity = 0
		}
		size := uint64(t.options.Continuations * recordBytes)
		continuations := queue{Capacity: uint32(t.options.Continuations), Records: later + 2*uint64(level)*size,
			Others: later + (2*uint64(level)+1)*size}
		for i, q := range [2]queue{launches, continuations} {
			if _, err := binary.Encode(data[treeQueues+(2*level+i)*queueBytes:], binary.LittleEndian, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare prepares the launches of the encoding kernels.
func (t *Tree) prepare(ctx context.Context) error {
	state, err := t.memory.Slice(0, treeTrace)
	if err != nil {
		return err
	}
	queues, err := t.memory.Slice(treeQueues, t.memory.Len())
	if err != nil {
		return err
	}
	k, err := t.program.KernelContext(ctx, "tree_reset")
	if err != nil {
		return err
	}
	fresh := []any{t.memory, t.records[0], t.records[1]} // what a run before has left there does not matter
	if t.later != nil {
		fresh = append(fresh, t.later)
	}
	reset, err := k.Bind(compute.Threads1D(queues.Len()/queueBytes), state, queues, compute.Overwrites(fresh...))
	if err != nil {
		return err
	}
	t.reset = stream.LaunchOf(reset)
	if k, err = t.program.KernelContext(ctx, "tree_step"); err != nil {
		return err
	}
	records := compute.Reads(t.records[0], t.records[1])
	if t.later != nil {
		records = compute.Reads(t.records[0], t.records[1], t.later)
	}
	one := compute.Threads{Grid: compute.Extent{X: encodingThreads}, Group: compute.Extent{X: encodingThreads}}
	for i := range t.inAdvance() {
		trace, err := t.memory.Slice(treeTrace+4*i, treeTrace+4*(i+1))
		if err != nil {
			return err
		}
		step, err := k.Bind(one, state, queues, t.table, t.into, uint32(len(t.kernels)), trace, records,
			stream.Fills{&t.commands})
		if err != nil {
			return err
		}
		l := stream.LaunchOf(step)
		for i := range l.Args {
			if a := &l.Args[i]; a.Commands != nil || a.View == stream.BufferOf(trace) {
				a.Overwrites = true
			}
		}
		t.steps = append(t.steps, l)
	}
	return nil
}

// inAdvance returns how many steps are recorded in advance: enough for runs whose continuations
// neither launch nor continue, and one more that finds that such a run is over.
func (t *Tree) inAdvance() int {
	if t.options.Continuations == 0 {
		return t.options.Depth
	}
	return min(2*t.options.Depth+2, t.maxSteps())
}

// maxSteps returns how many steps a run may have.
func (t *Tree) maxSteps() int {
	if t.options.Steps == 0 {
		return usualTreeSteps
	}
	return t.options.Steps
}

// execution returns the execution of the launches of a step.
func (t *Tree) execution(access []stream.Listed) *stream.Execution {
	v := stream.BufferOf(t.memory)
	v.Offset += treeRange
	v.Length = 8 // two numbers
	return t.commands.ExecutionOf(0, t.commands.N, v, access)
}

// commandsName names a tree's commands for messages.
type commandsName struct{ *Tree }

func (c commandsName) String() string { return fmt.Sprintf("commands %q", c.options.Label) }

// encoded returns values as a kernel has them in memory.
func encoded(values any) []byte {
	b, err := binary.Append(nil, binary.NativeEndian, values)
	if err != nil {
		panic(err) // the types are those above
	}
	return b
}

// A handle is missing if it is nil or the zero value of its type.

func (t *Tree) missing() bool         { return t == nil || t.acc == nil }
func (r *Run) missing() bool          { return r == nil || r.run == nil }
func (q *WorkQueue[T]) missing() bool { return q == nil || q.acc == nil }
