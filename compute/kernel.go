package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute/internal/fallback"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/plainmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Kernel is an entry point of a program, ready to launch: a Metal pipeline state and its
// parameters. It lives as long as its program, and is safe for concurrent use.
type Kernel struct {
	core       stream.Kernel
	acc        *Accelerator
	function   string      // Metal's name: another one if a translation had to rename it
	shared     *cacheEntry // owns the pipeline and the parameters
	parameters []Parameter
	phased     *plainmetal.Phased // nil if the kernel was not split
	timed      atomic.Bool        // its phases
	lastPhased atomic.Pointer[CooperativeRun]
	perGroup   atomic.Int64                  // nanoseconds that a threadgroup took in LaunchParts, last; 0 if unknown
	onCPU      atomic.Pointer[fallback.Code] // nil until the first LaunchFallback
	from       *Program
	constants  []Constant
	shapes     shapeSearches // likewise
}

// ParameterKind is the kind of argument that a kernel takes at an index.
type ParameterKind uint8

// The kinds of parameter.
const (
	BufferParameter ParameterKind = iota
	ThreadgroupParameter
	TextureParameter
	SamplerParameter
	// OtherParameter is a kind that launches of this package cannot set: function tables, acceleration
	// structures, tensors.
	OtherParameter
)

// String returns "buffer", "threadgroup memory" and so on.
func (k ParameterKind) String() string { return stream.ParameterKind(k).String() }

// Parameter describes a parameter of a kernel, from the pipeline's reflection.
type Parameter struct {
	Kind      ParameterKind
	Index     uint // [[buffer(Index)]], [[texture(Index)]] and so on: each kind has its own indices
	Name      string
	Type      string // Metal's name of the element type: "float4", "struct"; of a texture's component: "float", "uint"
	Size      uint   // bytes of one element; 0 if unknown
	Alignment uint   // bytes
	Access    mtl.BindingAccess
	Used      bool            // whether the kernel uses it; arguments for unused parameters may be omitted
	Texture   mtl.TextureType // of a texture
	Count     uint            // the length of an array of textures, for [Textures]; otherwise 1

	typ      *metalType
	lengthOf int // 1 + the place of the slice that it is the length of; 0 if it is no length
}

// String returns "buffer 2 (out)".
func (p *Parameter) String() string {
	if p == nil {
		return "nil parameter"
	}
	return fmt.Sprintf("%v %d (%s)", p.Kind, p.Index, p.Name)
}

// writes reports whether the kernel may write to the parameter.
func (p *Parameter) writes() bool { return p.Access != mtl.BindingAccessReadOnly }

// Constant is the value of a function constant: a bool, int8 to int64, uint8 to uint64, float32,
// simd.Half or simd.BFloat16, or an array of 2 to 4 of them for a vector.
type Constant struct {
	Name  string // the constant's name, or
	Index uint   // if Name is empty, the index of [[function_constant(Index)]]
	Value any
}

// Kernel returns the kernel with the given name, specialized on function constants; equal arguments
// return the same kernel. Errors: [ErrNoKernel], with the existing names; Metal's error for an
// unknown constant or one of the wrong type. The first call waits while Metal generates machine
// code; [Program.KernelContext] limits the wait.
func (p *Program) Kernel(name string, constants ...Constant) (*Kernel, error) {
	return p.KernelContext(context.Background(), name, constants...)
}

// KernelContext is [Program.Kernel] with a context. If ctx ends first, it returns the context's
// error. Metal's compiler cannot be stopped: it finishes the kernel, which later calls then get.
// The software device's compiler stops, unless other callers are waiting for the same kernel.
func (p *Program) KernelContext(ctx context.Context, name string, constants ...Constant) (*Kernel, error) {
	if err := stream.CheckCall(ctx, "program: Kernel", p.missing()); err != nil {
		return nil, err
	}
	if p.acc.core.Guard == nil {
		return p.kernel(ctx, name, constants)
	}
	var k *Kernel
	err := p.acc.protect(ctx, "kernel "+name, func() (err error) {
		k, err = p.kernel(ctx, name, constants)
		return err
	})
	return k, err
}

func (p *Program) kernel(ctx context.Context, name string, constants []Constant) (*Kernel, error) {
	name, function, err := p.function(name)
	if err != nil {
		return nil, err
	}
	key := kernelKey{name: function}
	if len(constants) > 0 {
		key = keyOf(function, constants)
	}
	p.mu.Lock()
	k, closed, library := p.kernels[key], p.closed, p.library
	if k == nil && !closed {
		library.Use() // until the pipeline is made
	}
	p.mu.Unlock()
	switch {
	case closed:
		return nil, fmt.Errorf("compute: program %q: %w", p.name, ErrClosed)
	case k != nil:
		p.acc.cache.kernelHits.Add(1)
		return k, nil
	}
	if err := p.acc.beginCall(); err != nil {
		library.Release()
		return nil, err
	}
	defer p.acc.core.Calls.Done()
	e, err := p.acc.kernel(ctx, p.name, p.key, library, key, constants)
	if err == nil {
		k, err = p.add(name, key, e, constants)
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return nil, stream.ContextError(ctx, fmt.Sprintf("kernel %s of program %q", name, p.name))
	case err != nil:
		return nil, fmt.Errorf("compute: kernel %s of program %q: %w", name, p.name, err)
	}
	return k, nil
}

// add makes a kernel of a pipeline, and takes ownership of it.
func (p *Program) add(name string, key kernelKey, e *cacheEntry, constants []Constant) (*Kernel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.kernels[key]
	if p.closed || k != nil { // closed, or made by another goroutine, meanwhile
		e.Release()
		if k == nil || p.closed {
			return nil, ErrClosed
		}
		return k, nil
	}
	made := e.Value().pipeline
	k = &Kernel{acc: p.acc, function: key.name, shared: e,
		parameters: p.inSource(name, p.parameters(made.parameters, p.phased[key.name])),
		phased:     p.phased[key.name], from: p,
		constants: slices.Clone(constants)}
	k.core.Program, k.core.Phases = p.name, made.phases
	if k.phased != nil {
		k.core.Phases = k.phased.Phases
	}
	if t := p.translation.Kernel(name); t != nil {
		k.core.File, k.core.Line = t.File, t.Line
	}
	k.core.Acc, k.core.Name, k.core.Logs = &p.acc.core, name, p.logs
	k.core.SetMade(stream.Made{Pipeline: made.state, Limits: p.requiredGroup(name, made.limits),
		Epoch: p.acc.core.Epoch.Load()})
	k.core.IndirectState = k.indirectState
	k.core.Owner = k
	k.core.Life.Init(k, k.release)
	p.kernels[key] = k
	return k, nil
}

// makePipeline makes a pipeline. The software device stops when ctx ends.
func (a *Accelerator) makePipeline(ctx context.Context, program programKey, from *compiled, key kernelKey,
	constants []Constant) (p pipeline, err error) {
	defer a.cancelCompilation(ctx, from.library.ID(), key.name)()
	objc.Pool(func() { p, err = a.newPipeline(program, from, key, constants) })
	return p, err
}

// newPipeline makes a pipeline and reads its reflection. It is called inside an autorelease pool.
func (a *Accelerator) newPipeline(program programKey, from *compiled, key kernelKey, constants []Constant) (p pipeline,
	err error) {
	if names := from.library.FunctionNames(); !slices.Contains(names, key.name) {
		slices.Sort(names)
		return p, fmt.Errorf("%w; the program has %s", ErrNoKernel, strings.Join(names, ", "))
	}
	s := diskPipeline{Accelerator: a, program: program, library: from, key: program.pipeline(key)}
	archive, path := a.fromDisk(s.key) // before making the function: the archive may contain its code
	defer archive.Release()
	function, err := functionOf(from.library, key.name, constants)
	if err != nil {
		return p, err
	}
	defer function.Release()
	state, reflection, err := s.pipeline(function, archive, path)
	if err != nil {
		return p, err
	}
	defer reflection.Release()
	if p.phases, err = a.cooperate(state); err != nil {
		state.Release()
		return p, err
	}
	p.state, p.limits = state, state.Limits()
	for _, b := range reflection.Bindings() {
		if b.IsArgument() {
			p.parameters = append(p.parameters, parameterOf(b))
		}
	}
	slices.SortFunc(p.parameters, func(a, b Parameter) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		return int(a.Index) - int(b.Index)
	})
	return p, nil
}

// functionOf returns a function with its constants set, +1.
func functionOf(library mtl.Library, name string, constants []Constant) (mtl.Function, error) {
	if len(constants) == 0 {
		return library.NewFunction(name)
	}
	values, err := mtl.NewFunctionConstantValues()
	if err != nil {
		return mtl.Function{}, err
	}
	defer values.Release()
	for _, c := range constants {
		if c.Name != "" {
			err = values.SetNamed(c.Name, c.Value)
		} else {
			err = values.Set(c.Index, c.Value)
		}
		if err != nil {
			return mtl.Function{}, err
		}
	}
	return library.NewFunctionWithConstants(name, values)
}

// parameterOf reads one binding of the reflection.
func parameterOf(b mtl.Binding) Parameter {
	p := Parameter{Index: b.Index(), Name: b.Name(), Access: b.Access(), Used: b.IsUsed(), Kind: OtherParameter, Count: 1}
	switch b.Type() {
	case mtl.BindingTypeBuffer:
		p.Kind = BufferParameter
		buffer := mtl.BufferBindingFrom(b.ID())
		p.Size, p.Alignment = buffer.BufferDataSize(), buffer.BufferAlignment()
		p.typ = metalOf(buffer.BufferDataType(), buffer.BufferStructType,
			func() mtl.ArrayType { return buffer.BufferPointerType().ElementArrayType() })
		p.Type = p.typ.String()
	case mtl.BindingTypeThreadgroupMemory:
		p.Kind = ThreadgroupParameter
		memory := mtl.ThreadgroupBindingFrom(b.ID())
		p.Size, p.Alignment = memory.ThreadgroupMemoryDataSize(), memory.ThreadgroupMemoryAlignment()
	case mtl.BindingTypeTexture:
		texture := mtl.TextureBindingFrom(b.ID())
		p.Kind, p.Count = TextureParameter, max(texture.ArrayLength(), 1)
		p.Type, p.Texture = plainMetal(texture.TextureDataType()).String(), texture.TextureType()
	case mtl.BindingTypeSampler:
		p.Kind = SamplerParameter
	}
	return p
}

// Name returns the kernel's name.
func (k *Kernel) Name() string {
	if k.missing() {
		return ""
	}
	return k.core.Name
}

// String returns "kernel saxpy".
func (k *Kernel) String() string {
	if k.missing() {
		return "nil kernel"
	}
	return k.core.String()
}

// Parameters returns the kernel's parameters: buffers, threadgroup memory, textures, samplers, each
// sorted by index.
func (k *Kernel) Parameters() []Parameter {
	if k.missing() {
		return nil
	}
	return slices.Clone(k.parameters)
}

// MaxThreads returns the maximum number of threads in a threadgroup of the kernel.
func (k *Kernel) MaxThreads() int { return int(k.pipelineLimits().MaxTotalThreadsPerThreadgroup) }

// ExecutionWidth returns the number of threads in a simdgroup.
func (k *Kernel) ExecutionWidth() int { return int(k.pipelineLimits().ThreadExecutionWidth) }

// ThreadgroupMemory returns the bytes of threadgroup memory that the kernel itself declares.
func (k *Kernel) ThreadgroupMemory() int { return int(k.pipelineLimits().StaticThreadgroupMemory) }

// pipelineLimits returns the limits, zero for a nil kernel.
func (k *Kernel) pipelineLimits() mtl.PipelineLimits {
	if k.missing() {
		return mtl.PipelineLimits{}
	}
	return k.core.Made().Limits
}

func (k *Kernel) release() {
	k.shared.Release()
	k.core.Indirect.Release()
}

// named returns the index of the named parameter in the list.
func (k *Kernel) named(name string) (int, error) {
	names := make([]string, len(k.parameters))
	for i := range k.parameters {
		if k.parameters[i].Name == name {
			return i, nil
		}
		names[i] = k.parameters[i].Name
	}
	return 0, fmt.Errorf("no argument is named %q; the kernel has %s: %w", name, strings.Join(names, ", "), errNoArgument)
}

var errNoArgument = errors.New("no such argument")
