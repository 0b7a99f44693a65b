package compute

import (
	"context"
	_ "embed" // for the kernels that encode launches
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// LaunchTree is what kernels need to launch one another: a numbered set of kernels, and memory for
// the launches of each level. A kernel that launches includes <puremetal/launch> or
// <puremetal/cooperative>, and calls puremetal::launch with the number of a kernel of the tree. The
// launcher is at buffer index 30: a parameter that the compiler adds, unless the kernel has it as a
// parameter of its own. [Stream.LaunchTree] launches the first kernel, which is level 0; what the
// kernels of one level launch is the next level. Continuations belong to the level of the kernels
// that they continue.
//
// All runs of a tree use the same memory, so runs on different streams must be ordered by events. A
// tree is safe for concurrent use. Close it when done; recorded runs still run.
type LaunchTree struct {
	acc     *Accelerator
	options LaunchTreeOptions
	kernels []*Kernel

	described []treeKernel // of the kernels

	program  *Program // that encodes
	commands *Commands
	memory   *Buffer[byte]   // the state, the trace and the queues: see the offsets below
	records  []*Buffer[byte] // of the launches: two, which the levels use in turns
	later    *Buffer[byte]   // of the continuations: two for each level
	table    *Buffer[byte]   // the descriptions, []treeKernel
	into     *Buffer[byte]   // treeCommands
	reset    *Launch
	steps    []*Launch // that encode, one for each step that is recorded in advance

	last atomic.Pointer[[]TreeLevel] // of the run that ended last without an error
	life stream.Lifetime
}

// LaunchTreeOptions configures [Accelerator.NewLaunchTree].
type LaunchTreeOptions struct {
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

// ErrLaunchTree: kernels have launched what their tree cannot run; a *[LaunchOverflowError] if it
// is too many.
var ErrLaunchTree = errors.New("launches from kernels failed")

// LaunchOverflowError is the error of a run whose kernels launched more than there is room for. It
// wraps [ErrLaunchTree]. Launches of the level, and of those below it, did not run.
type LaunchOverflowError struct {
	Tree          string
	Level         int  // of the kernels that launched
	Continuations bool // whether they wanted too many of them, instead of launches
	Wanted        int  // how many they wanted
	Capacity      int  // 0 if they may not launch at all
	Depth         int  // of the tree
}

// Error names the level, the number wanted and the limit.
func (e *LaunchOverflowError) Error() string {
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

// Unwrap returns ErrLaunchTree.
func (e *LaunchOverflowError) Unwrap() error { return ErrLaunchTree }

// Limits of trees: of <puremetal/launch> and of launch_tree.metal.
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

// Offsets in LaunchTree.memory.
const (
	treeMore    = 4 // whether the run goes on; the first number is how far it is
	treeRange   = 16
	treeTrace   = 128 // a number for each step that is recorded in advance
	treeQueues  = treeTrace + 1024
	noTreeQueue = ^uint32(0)
)

// treeQueue is a queue of launches in the device's memory.
type treeQueue struct {
	Wanted, Capacity uint32
	Records          uint64
	Launched         uint64
	Threads          uint64
	Wrong, Value     uint32
	Stages           [8]uint32
	Others           uint64
	_                [12]uint32
}

// treeKernel describes a kernel to the encoding kernel.
type treeKernel struct {
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

//go:embed launch_tree.metal
var treeSource string

// LaunchNumbers returns macros for [CompileOptions].Macros that give kernels the numbers by which
// they are launched: LAUNCH_name is the index of name.
func LaunchNumbers(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for i, name := range names {
		m["LAUNCH_"+name] = fmt.Sprintf("%du", i)
	}
	return m
}

// NewLaunchTree makes a tree of the given kernels; the number of a kernel is its index. They must
// not use arrays of textures or samplers, messages or grid syncs, and have at most 8 parameters
// besides the launcher: buffers, threadgroup memory, textures and samplers. It compiles what the
// kernels need for indirect commands, which may take as long as [Program.Kernel]; the program of a
// kernel with textures or samplers is compiled again. Errors: a *[LaunchError] that wraps
// [ErrIndirect], [ErrOption], [ErrOutOfMemory].
func (a *Accelerator) NewLaunchTree(ctx context.Context, kernels []*Kernel, o LaunchTreeOptions) (*LaunchTree, error) {
	if err := stream.CheckCall(ctx, "accelerator: NewLaunchTree", a.missing()); err != nil {
		return nil, err
	}
	t := &LaunchTree{acc: a, options: o, kernels: append([]*Kernel(nil), kernels...)}
	t.life.Init(t, t.release)
	for _, x := range []struct {
		what       string
		n, lo, max int
	}{{"kernels", len(kernels), 1, maxTreeKernels - 1}, {"Depth", o.Depth, 1, maxTreeDepth},
		{"Capacity", o.Capacity, 1, maxCommands}, {"Continuations", o.Continuations, 0, maxCommands},
		{"Steps", o.Steps, 0, maxTreeSteps}} {
		if x.n < x.lo || x.n > x.max {
			return nil, fmt.Errorf("compute: %v: %s %d, want %d to %d: %w", t, x.what, x.n, x.lo, x.max, ErrOption)
		}
	}
	if err := t.make(ctx); err != nil {
		t.release()
		return nil, fmt.Errorf("compute: %v: %w", t, err)
	}
	if err := a.addOpen(t, t.String()); err != nil {
		t.release()
		return nil, err
	}
	return t, nil
}

// String names the tree for messages.
func (t *LaunchTree) String() string {
	if t.missing() {
		return "nil launch tree"
	}
	return fmt.Sprintf("launch tree %q", t.options.Label)
}

// Close closes the tree. Closing a closed or nil tree does nothing.
func (t *LaunchTree) Close() {
	if t.missing() {
		return
	}
	t.acc.removeOpen(t)
	t.life.Close()
}

func (t *LaunchTree) drop() { t.life.Close() }

func (t *LaunchTree) release() {
	t.program.Close()
	if t.commands != nil {
		t.commands.on.Life.Close()
	}
	for _, b := range append(t.records, t.memory, t.later) {
		b.Close()
	}
	t.table.Close()
	t.into.Close()
}

// describe returns what the encoding kernel knows of a kernel.
func (k *Kernel) describe(ctx context.Context) (d treeKernel, b bindlessKernel, slots uint, err error) {
	switch {
	case k.core.Phases > 1:
		err = fmt.Errorf("it synchronizes the whole grid, which needs Stream.LaunchCooperative: %w", ErrIndirect)
	case k.core.Logs:
		err = fmt.Errorf("it logs, and messages need a command buffer of their own: %w", ErrIndirect)
	}
	if err == nil {
		b, err = k.bindless(ctx)
	}
	if err != nil {
		return d, b, 0, &LaunchError{Kernel: k.core.Name, Err: err}
	}
	d.Most = uint32(b.kernel.core.Limits.MaxTotalThreadsPerThreadgroup)
	group := k.core.Limits.RequiredThreadsPerThreadgroup
	d.Group = [4]uint32{uint32(group.Width), uint32(group.Height), uint32(group.Depth)}
	d.Room = uint32(k.acc.info.Limits.MaxThreadgroupMemoryLength - b.kernel.core.Limits.StaticThreadgroupMemory)
	for i := range k.parameters {
		p := &k.parameters[i]
		switch n := d.Parameters; {
		case err != nil:
		case p.Kind == OtherParameter:
			err = fmt.Errorf("%v: a kernel cannot set it: %w", p, ErrIndirect)
		case p.Kind == BufferParameter && p.Index == launcherIndex:
			d.Launches = 1
		case n == maxTreeArguments:
			err = fmt.Errorf("%v: launches from kernels have at most %d arguments: %w", p, maxTreeArguments, ErrIndirect)
		case p.Kind == ThreadgroupParameter:
			d.Slots[n] = uint32(p.Index)
			d.Memory |= 1 << n
			d.Parameters++
		case p.Kind == TextureParameter || p.Kind == SamplerParameter:
			h := b.handle(p.Kind, p.Index)
			if h == nil {
				err = fmt.Errorf("%v: a kernel cannot set it: %w", p, ErrIndirect)
				break
			}
			d.Slots[n], d.Kinds[n] = uint32(h.Buffer), uint32(h.Kind)
			if h.Sampler {
				d.Kinds[n] = samplerKind
			}
			slots = max(slots, uint(h.Buffer)+1)
			d.Parameters++
		default:
			d.Slots[n], d.Sizes[n] = uint32(p.Index), uint32(p.Size)
			if p.writes() || p.Size > maxTreeValue {
				d.Pointers |= 1 << n
			}
			d.Parameters++
		}
		if p.Kind == BufferParameter {
			slots = max(slots, p.Index+1)
		}
	}
	if err != nil {
		err = &LaunchError{Kernel: k.core.Name, Err: err}
	}
	return d, b, slots, err
}

// make makes everything that runs use.
func (t *LaunchTree) make(ctx context.Context) error {
	var slots uint = 1
	t.described = make([]treeKernel, len(t.kernels))
	forms := make([]bindlessKernel, len(t.kernels))
	for i, k := range t.kernels {
		if k.missing() {
			return fmt.Errorf("kernel %d: %w", i, ErrNil)
		}
		if k.acc != t.acc {
			return &LaunchError{Kernel: k.core.Name, Err: ErrAccelerator}
		}
		d, b, n, err := k.describe(ctx)
		if err != nil {
			return err
		}
		t.described[i], forms[i], slots = d, b, max(slots, n)
	}
	var err error
	capacity := max(t.options.Capacity, t.options.Continuations)
	o := CommandsOptions{Label: t.options.Label, Buffers: int(slots)}
	if t.commands, err = t.acc.NewCommands(capacity, o); err != nil {
		return err
	}
	t.acc.removeOpen(t.commands) // the tree owns it
	for i := range forms {
		if t.described[i].State, err = t.commands.KernelHandle(ctx, forms[i].kernel); err != nil {
			return err
		}
	}
	handle, err := t.commands.Handle()
	if err != nil {
		return err
	}
	if t.table, err = BufferOf(ctx, t.acc, bytesOf(t.described)); err != nil {
		return err
	}
	if t.into, err = BufferOf(ctx, t.acc, bytesOf([]treeCommands{{handle}})); err != nil {
		return err
	}
	if err := t.allocate(); err != nil {
		return err
	}
	t.program, err = t.acc.Compile(ctx, treeSource, CompileOptions{Name: "launch_tree.metal"})
	if err != nil {
		return err
	}
	return t.prepare(ctx)
}

// allocate makes the queues and the memory of their launches.
func (t *LaunchTree) allocate() error {
	bytes := func(n int, storage mtl.StorageMode) (*Buffer[byte], error) {
		return NewBuffer[byte](t.acc, n, BufferOptions{Label: t.options.Label, Storage: &storage})
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
	data, err := t.memory.bytes()
	if err != nil {
		return err
	}
	clear(data)
	for level := range levels {
		launches := treeQueue{Capacity: uint32(t.options.Capacity), Records: at[level%2]}
		if level == t.options.Depth {
			launches.Capacity = 0
		}
		size := uint64(t.options.Continuations * recordBytes)
		continuations := treeQueue{Capacity: uint32(t.options.Continuations), Records: later + 2*uint64(level)*size,
			Others: later + (2*uint64(level)+1)*size}
		for i, q := range [2]treeQueue{launches, continuations} {
			if _, err := binary.Encode(data[treeQueues+(2*level+i)*queueBytes:], binary.LittleEndian, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare prepares the launches of the encoding kernels.
func (t *LaunchTree) prepare(ctx context.Context) error {
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
	if t.reset, err = k.Bind(Threads1D(queues.Len()/queueBytes), state, queues, Overwrites(fresh...)); err != nil {
		return err
	}
	if k, err = t.program.KernelContext(ctx, "tree_step"); err != nil {
		return err
	}
	records := Reads(t.records[0], t.records[1])
	if t.later != nil {
		records = Reads(t.records[0], t.records[1], t.later)
	}
	one := Threads{Grid: Extent{X: encodingThreads}, Group: Extent{X: encodingThreads}}
	for i := range t.inAdvance() {
		trace, err := t.memory.Slice(treeTrace+4*i, treeTrace+4*(i+1))
		if err != nil {
			return err
		}
		l, err := k.Bind(one, state, queues, t.table, t.into, uint32(len(t.kernels)), trace, records, Fills(t.commands))
		if err != nil {
			return err
		}
		for i := range l.core.Args {
			if a := &l.core.Args[i]; a.Commands != nil || a.View == trace.view() {
				a.Overwrites = true
			}
		}
		t.steps = append(t.steps, l)
	}
	return nil
}

// inAdvance returns how many steps are recorded in advance: enough for runs whose continuations
// neither launch nor continue, and one more that finds that such a run is over.
func (t *LaunchTree) inAdvance() int {
	if t.options.Continuations == 0 {
		return t.options.Depth
	}
	return min(2*t.options.Depth+2, t.maxSteps())
}

// maxSteps returns how many steps a run may have.
func (t *LaunchTree) maxSteps() int {
	if t.options.Steps == 0 {
		return usualTreeSteps
	}
	return t.options.Steps
}

// execution returns the execution of the launches of a step.
func (t *LaunchTree) execution(access []listedAccess) *commandRange {
	v := t.memory.view()
	v.Offset += treeRange
	v.Length = sizeOf[CommandRange]()
	c := t.commands
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.executionOf(0, c.on.N, v, access)
}
