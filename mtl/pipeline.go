package mtl

import "github.com/puremetal/puremetal/objc"

// NewComputePipelineState creates the pipeline state of a kernel, +1. A function that is not a
// kernel is an error wrapping [ErrFunction], one of another device [ErrDevice].
//
//	-[MTLDevice newComputePipelineStateWithFunction:error:]
func (o Device) NewComputePipelineState(kernel Function) (ComputePipelineState, error) {
	const c = check("-[MTLDevice newComputePipelineStateWithFunction:error:]")
	if err := c.receiver(&zmethods[mDeviceNewComputePipelineStateWithFunction], o.ID()); err != nil {
		return ComputePipelineState{}, err
	}
	if err := c.kernel(kernel, o); err != nil {
		return ComputePipelineState{}, err
	}
	return sendDeviceNewComputePipelineStateWithFunction(o, kernel)
}

// NewComputePipelineStateWithReflection is NewComputePipelineState with a description of the
// kernel's arguments; both results are +1. PipelineOptionBindingInfo is implied;
// PipelineOptionBufferTypeInfo adds the types that buffers point to.
//
//	-[MTLDevice newComputePipelineStateWithFunction:options:reflection:error:]
func (o Device) NewComputePipelineStateWithReflection(kernel Function, options PipelineOption) (ComputePipelineState,
	ComputePipelineReflection, error) {
	const c = check("-[MTLDevice newComputePipelineStateWithFunction:options:reflection:error:]")
	if err := c.receiver(&zmethods[mDeviceNewComputePipelineStateWithFunctionOptions], o.ID()); err != nil {
		return ComputePipelineState{}, ComputePipelineReflection{}, err
	}
	if err := c.kernelOptions(kernel, o, options); err != nil {
		return ComputePipelineState{}, ComputePipelineReflection{}, err
	}
	return sendDeviceNewComputePipelineStateWithFunctionOptions(o, kernel, options|PipelineOptionBindingInfo)
}

// NewComputePipelineStateAsync is NewComputePipelineState in the background. done is called once,
// on a goroutine of its own, with the pipeline state, +1, or the error. If
// NewComputePipelineStateAsync itself returns an error, done is not called.
//
//	-[MTLDevice newComputePipelineStateWithFunction:completionHandler:]
func (o Device) NewComputePipelineStateAsync(kernel Function, done func(ComputePipelineState, error)) error {
	const c = check("-[MTLDevice newComputePipelineStateWithFunction:completionHandler:]")
	if err := c.receiver(&zmethods[mDeviceNewComputePipelineStateWithFunctionCompletionHandler], o.ID()); err != nil {
		return err
	}
	if err := c.kernel(kernel, o); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendDeviceNewComputePipelineStateWithFunctionCompletionHandler(o, kernel,
		func(p ComputePipelineState, err error) { done(handedOver(p, err)) })
	return nil
}

// NewComputePipelineStateWithReflectionAsync is NewComputePipelineStateWithReflection in the
// background, under the rules of [Device.NewComputePipelineStateAsync].
//
//	-[MTLDevice newComputePipelineStateWithFunction:options:completionHandler:]
func (o Device) NewComputePipelineStateWithReflectionAsync(kernel Function, options PipelineOption,
	done func(ComputePipelineState, ComputePipelineReflection, error)) error {
	const c = check("-[MTLDevice newComputePipelineStateWithFunction:options:completionHandler:]")
	if err := c.receiver(&zmethods[mDeviceNewComputePipelineStateWithFunctionOptionsCompletionHandler],
		o.ID()); err != nil {
		return err
	}
	if err := c.kernelOptions(kernel, o, options); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendDeviceNewComputePipelineStateWithFunctionOptionsCompletionHandler(o, kernel, options|PipelineOptionBindingInfo,
		reflected(done))
	return nil
}

// NewComputePipelineStateWithDescriptor creates the pipeline state that a descriptor describes, +1,
// and, with PipelineOptionBindingInfo, its reflection, +1. Errors are those of
// [Device.NewComputePipelineState], and [ErrThreadgroupSize] for a descriptor that asks for more
// threads per threadgroup than the device has.
//
//	-[MTLDevice newComputePipelineStateWithDescriptor:options:reflection:error:]
func (o Device) NewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor,
	options PipelineOption) (ComputePipelineState, ComputePipelineReflection, error) {
	const c = check("-[MTLDevice newComputePipelineStateWithDescriptor:options:reflection:error:]")
	if err := c.receiver(&zmethods[mDeviceNewComputePipelineStateWithDescriptor], o.ID()); err != nil {
		return ComputePipelineState{}, ComputePipelineReflection{}, err
	}
	if err := c.descriptorOptions(descriptor, o, options); err != nil {
		return ComputePipelineState{}, ComputePipelineReflection{}, err
	}
	return sendDeviceNewComputePipelineStateWithDescriptor(o, descriptor, options)
}

// NewComputePipelineStateWithDescriptorAsync is NewComputePipelineStateWithDescriptor in the
// background, under the rules of [Device.NewComputePipelineStateAsync].
//
//	-[MTLDevice newComputePipelineStateWithDescriptor:options:completionHandler:]
func (o Device) NewComputePipelineStateWithDescriptorAsync(descriptor ComputePipelineDescriptor, options PipelineOption,
	done func(ComputePipelineState, ComputePipelineReflection, error)) error {
	const c = check("-[MTLDevice newComputePipelineStateWithDescriptor:options:completionHandler:]")
	if err := c.receiver(&zmethods[mDeviceNewComputePipelineStateWithDescriptorCompletionHandler], o.ID()); err != nil {
		return err
	}
	if err := c.descriptorOptions(descriptor, o, options); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendDeviceNewComputePipelineStateWithDescriptorCompletionHandler(o, descriptor, options, reflected(done))
	return nil
}

// reflected calls a completion function with a pipeline state and its reflection, both +1.
func reflected(done func(ComputePipelineState, ComputePipelineReflection, error)) func(ComputePipelineState,
	ComputePipelineReflection, error) {
	return func(p ComputePipelineState, r ComputePipelineReflection, err error) {
		p, err = handedOver(p, err)
		if err != nil {
			r = ComputePipelineReflection{}
		}
		r.Retain()
		done(p, r, err)
	}
}

// kernel checks that a function is a kernel of the device.
func (c check) kernel(f Function, d Device) error {
	if err := c.object("function", f.ID()); err != nil {
		return err
	}
	if typ := f.FunctionType(); typ != FunctionTypeKernel {
		return c.fail(ErrFunction, "function %q is of type %v, want %v", f.Name(), typ, FunctionTypeKernel)
	}
	var same bool
	objc.Pool(func() { same = objc.Equal(f.Device().ID(), d.ID()) })
	if !same {
		return c.fail(ErrDevice, "function %q belongs to another device", f.Name())
	}
	return nil
}

func (c check) kernelOptions(f Function, d Device, options PipelineOption) error {
	if err := c.pipelineOptions(options); err != nil {
		return err
	}
	return c.kernel(f, d)
}

func (c check) descriptorOptions(descriptor ComputePipelineDescriptor, d Device, options PipelineOption) error {
	if err := c.pipelineOptions(options); err != nil {
		return err
	}
	return c.pipelineDescriptor(descriptor, d)
}

func (c check) pipelineOptions(options PipelineOption) error {
	if options&^(PipelineOptionBindingInfo|PipelineOptionBufferTypeInfo|PipelineOptionFailOnBinaryArchiveMiss) != 0 {
		return c.fail(ErrArgument, "options %v", options)
	}
	return nil
}

// pipelineDescriptor checks a descriptor against the device.
func (c check) pipelineDescriptor(descriptor ComputePipelineDescriptor, d Device) (err error) {
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	objc.Pool(func() { err = c.kernel(descriptor.ComputeFunction(), d) })
	if err != nil {
		return err
	}
	required, _ := descriptor.RequiredThreadsPerThreadgroup() // zero before macOS 26
	return c.threads(uint64(descriptor.MaxTotalThreadsPerThreadgroup()), required, d.MaxThreadsPerThreadgroup())
}

// threads checks what a pipeline asks for against the device's limits; 0 asks for nothing.
func (c check) threads(total uint64, required, most Size) error {
	limit := uint64(max(most.Width, most.Height, most.Depth))
	if err := c.atMost("max total threads per threadgroup", total, limit, ErrThreadgroupSize); err != nil {
		return err
	}
	if required == (Size{}) {
		return nil
	}
	for _, d := range [...]struct {
		what        string
		value, most uint
	}{{"required width", required.Width, most.Width}, {"required height", required.Height, most.Height},
		{"required depth", required.Depth, most.Depth}} {
		if err := c.atLeast(d.what, uint64(d.value), 1, ErrThreadgroupSize); err != nil {
			return err
		}
		if err := c.atMost(d.what, uint64(d.value), uint64(d.most), ErrThreadgroupSize); err != nil {
			return err
		}
	}
	if total != 0 {
		limit = total
	}
	all := mulSat(mulSat(uint64(required.Width), uint64(required.Height)), uint64(required.Depth))
	return c.atMost("required threads per threadgroup", all, limit, ErrThreadgroupSize)
}

// PipelineLimits are the limits that a compute pipeline state sets for dispatches.
type PipelineLimits struct {
	MaxTotalThreadsPerThreadgroup uint // may be less than the device's, depending on register use
	ThreadExecutionWidth          uint // threads per simdgroup
	StaticThreadgroupMemory       uint // bytes that the kernel itself declares
	RequiredThreadsPerThreadgroup Size // zero if the kernel requires none, and before macOS 26
	IndirectCommandBuffers        bool // whether indirect command buffers may use it
}

// Limits asks the pipeline state for its limits.
func (o ComputePipelineState) Limits() PipelineLimits {
	required, _ := o.RequiredThreadsPerThreadgroup()
	return PipelineLimits{
		MaxTotalThreadsPerThreadgroup: o.MaxTotalThreadsPerThreadgroup(),
		ThreadExecutionWidth:          o.ThreadExecutionWidth(),
		StaticThreadgroupMemory:       o.StaticThreadgroupMemoryLength(),
		RequiredThreadsPerThreadgroup: required,
		IndirectCommandBuffers:        o.SupportIndirectCommandBuffers(),
	}
}
