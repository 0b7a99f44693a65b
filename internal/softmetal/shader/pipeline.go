package shader

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// maxThreadMemory is how many bytes of thread memory (arrays and structs in the thread space) the
// threads of one threadgroup may have together: more than that would take the processor's caches
// out of use. A kernel whose threads have much of it runs in smaller threadgroups, as one that
// needs many registers does on a GPU.
const maxThreadMemory = 32 << 20

// PipelineSpec is what a pipeline is made from.
type PipelineSpec struct {
	Function *Function
	Linked   []*Function // visible functions that tables may hold

	MaxThreads      int    // of a threadgroup; 0 asks for nothing
	Required        [3]int // threads of every threadgroup; zero for none
	MultipleOfWidth bool   // threadgroups are whole simdgroups
	Indirect        bool   // usable in indirect command buffers
	AddFunctions    bool   // other visible functions may be added later
	Validation      int    // an MTLShaderValidation
	Label           string
}

// NewPipeline makes a pipeline, or returns the reason why it cannot.
func NewPipeline(spec PipelineSpec) (*dispatch.Pipeline, *Error) {
	f := spec.Function
	if f.Type != Kernel {
		return nil, failf(CompileFailure, "function '%s' is not a compute function", f.Name)
	}
	if f.unset {
		return nil, failf(CompileFailure,
			"function '%s' uses function constants and must be created with newFunctionWithName:constantValues:error:", f.Name)
	}
	if err := linkable(f, spec.Linked); err != nil {
		return nil, err
	}
	k := f.kernel
	p := dispatch.Pipeline{
		Name: f.Name, Args: f.Args(), Constants: f.constants, ThreadMemory: f.Library.threadMemory(k),
		StaticMemory: staticMemory(k),
		Logging:      f.Library.Options.Logging, MultipleOfWidth: spec.MultipleOfWidth, Indirect: spec.Indirect,
		Validation: spec.Validation,
	}
	if p.StaticMemory > limits.MaxThreadgroupMemory {
		return nil, failf(CompileFailure,
			"function '%s': threadgroup memory size (%d) exceeds the maximum threadgroup memory allowed (%d)",
			f.Name, p.StaticMemory, limits.MaxThreadgroupMemory)
	}
	if err := spec.threads(&p, k.Attributes); err != nil {
		return nil, err
	}
	var wrong error
	if p.Code, wrong = f.Library.kernelFor(k, f.constants); wrong != nil {
		return nil, failf(CompileFailure, "function '%s': %v", f.Name, wrong)
	}
	return dispatch.New(p), nil
}

// staticMemory returns the bytes of threadgroup memory that a kernel declares: what the compiler
// says, and no less than the variables have.
func staticMemory(k *ir.Func) int {
	total := 0
	for _, v := range k.Threadgroup {
		total += v.Size
	}
	return max(total, k.Attributes.ThreadgroupStatic)
}

// linkable checks the functions that a pipeline links.
func linkable(f *Function, linked []*Function) *Error {
	for _, g := range linked {
		if g.Type != Visible {
			return failf(CompileFailure, "linked function '%s' is not a visible function", g.Name)
		}
		if g.Library.Hash != f.Library.Hash {
			return failf(Unsupported, "linked function '%s' is of another library than '%s': the software device links visible functions of the kernel's own library", g.Name, f.Name)
		}
	}
	return nil
}

// threads determines how many threads a threadgroup may have, and those it must have.
func (spec *PipelineSpec) threads(p *dispatch.Pipeline, a ir.Attributes) *Error {
	o, name := &spec.Function.Library.Options, p.Name
	p.MaxThreads = limits.MaxThreads
	if p.ThreadMemory > 0 {
		p.MaxThreads = min(limits.MaxThreads, maxThreadMemory/p.ThreadMemory/limits.SimdgroupWidth*limits.SimdgroupWidth)
		if p.MaxThreads == 0 {
			return failf(CompileFailure, "function '%s': %d bytes of thread memory are more than the %d that a thread may have",
				name, p.ThreadMemory, maxThreadMemory/limits.SimdgroupWidth)
		}
	}
	for _, most := range []int{a.MaxTotalThreads, spec.MaxThreads} {
		if most > 0 {
			p.MaxThreads = min(p.MaxThreads, most)
		}
	}
	if a.MaxTotalThreads == 0 && o.MaxThreads > 0 {
		p.MaxThreads = min(p.MaxThreads, o.MaxThreads)
	}
	p.Required = o.Required
	for _, r := range [][3]int{a.RequiredThreads, spec.Required} {
		if r == ([3]int{}) {
			continue
		}
		if p.Required != ([3]int{}) && p.Required != o.Required && p.Required != r {
			return failf(CompileFailure, "function '%s' requires threadgroups of %v threads, and the pipeline of %v", name,
				p.Required, r)
		}
		p.Required = r
	}
	if p.Required != ([3]int{}) {
		n := 1
		for _, c := range p.Required {
			n = min(n*min(max(c, 1), 1<<20), 1<<40) // does not wrap
		}
		if n > p.MaxThreads {
			return failf(CompileFailure, "function '%s': a threadgroup of the required %v threads has %d, more than %d", name,
				p.Required, n, p.MaxThreads)
		}
	}
	return nil
}

// Extended returns the specification with more linked functions.
func (spec *PipelineSpec) Extended(more []*Function) (PipelineSpec, *Error) {
	if !spec.AddFunctions {
		return PipelineSpec{}, failf(CompileFailure, "the pipeline of '%s' was not made with supportAddingBinaryFunctions",
			spec.Function.Name)
	}
	extended := *spec
	extended.Linked = append(slices.Clip(spec.Linked), more...)
	return extended, nil
}

// LinkedFunction returns the linked function of a name, nil when there is none.
func (spec *PipelineSpec) LinkedFunction(name string) *Function {
	for _, f := range spec.Linked {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Links reports whether a function is linked.
func (spec *PipelineSpec) Links(f *Function) bool {
	g := spec.LinkedFunction(f.Name)
	return g != nil && g.Library.Hash == f.Library.Hash
}

// threadMemory adds up a kernel's allocas as the engine lays them out.
func threadMemory(f *ir.Func) int {
	total := 0
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpAlloca {
			total += (int(in.Imm) + 15) &^ 15
		}
		return true
	})
	return total
}
