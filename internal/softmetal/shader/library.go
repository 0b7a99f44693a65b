package shader

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
	"github.com/puremetal/puremetal/internal/exec/native"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// FunctionType is an MTLFunctionType.
type FunctionType int

// The types of functions.
const (
	Vertex       FunctionType = 1
	Fragment     FunctionType = 2
	Kernel       FunctionType = 3
	Visible      FunctionType = 5
	Intersection FunctionType = 6
	Mesh         FunctionType = 7
	Object       FunctionType = 8
)

// stageType returns the type of a render stage's entry points.
func stageType(stage string) FunctionType {
	switch stage {
	case "fragment":
		return Fragment
	case "mesh":
		return Mesh
	case "object":
		return Object
	case "intersection":
		return Intersection
	}
	return Vertex
}

// Library is a compiled program. It never changes and may be shared.
type Library struct {
	Source  string
	Options Options
	Hash    Hash // of source and options

	index
	names []string

	rest    sync.Mutex   // held while a kernel is compiled that is wanted
	program *msl.Program // the source checked, once a kernel is wanted that no archive had, until all are compiled
	mu      sync.Mutex
	code    map[string]*ir.Func     // kernels that were wanted, or that archives had
	kernels map[string]*exec.Kernel // by specialization
	stack   map[*ir.Func]int        // bytes of thread memory, of kernels that were requested
}

// index is everything about a library except the code of its kernels.
type index struct {
	Warnings string               `json:"warnings,omitempty"` // the compiler's, as Metal writes them; "" for none
	Kernels  []string             `json:"kernels,omitempty"`
	Visible  []ir.VisibleFunction `json:"visible,omitempty"` // in the order of their entries in tables
	Skipped  []string             `json:"skipped,omitempty"` // entry points of render stages
	Stages   []string             `json:"stages,omitempty"`  // theirs
}

// newLibrary makes a library without code.
func newLibrary(h Hash, source string, o Options, x index) *Library {
	l := &Library{Source: source, Options: o.clone(), Hash: h, index: x, code: map[string]*ir.Func{},
		kernels: map[string]*exec.Kernel{}, stack: map[*ir.Func]int{}}
	l.names = slices.Concat(x.Kernels, x.Skipped)
	for _, v := range x.Visible {
		l.names = append(l.names, v.Name)
	}
	slices.Sort(l.names)
	l.names = slices.Compact(l.names)
	return l
}

// Compile compiles source, or finds it already compiled. If the source does not compile, the
// error's text is the compiler's output.
func Compile(ctx context.Context, source string, o Options) (*Library, *Error) {
	h := o.hash(source)
	if l := libraries.get(h); l != nil {
		return l, nil
	}
	p, warnings, err := translate(ctx, source, &o)
	if err != nil {
		return nil, err
	}
	l := newLibrary(h, source, o,
		index{Warnings: warnings, Kernels: p.Kernels, Visible: p.Visible, Skipped: p.Skipped, Stages: p.SkippedStages})
	l.program = p
	return libraries.put(l), nil
}

// add gives the library the code of kernels that it does not have, and returns how many it has now.
func (l *Library) add(funcs []*ir.Func) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range funcs {
		if l.code[f.Name] == nil {
			l.code[f.Name] = f
		}
	}
	return len(l.code)
}

// has returns a kernel's code if it is here.
func (l *Library) has(kernel string) *ir.Func {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.code[kernel]
}

// kernel returns a kernel's code, compiled when it is first wanted. It fails for one that the
// source does not have after all, and when ctx ends before the compiler does.
func (l *Library) kernel(ctx context.Context, name string) (*ir.Func, *Error) {
	if f := l.has(name); f != nil {
		return f, nil
	}
	l.rest.Lock()
	defer l.rest.Unlock()
	if f := l.has(name); f != nil {
		return f, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, stopped(err)
	}
	if l.program == nil {
		p, _, err := translate(ctx, l.Source, &l.Options)
		if err != nil {
			return nil, err
		}
		l.program = p
	}
	f, diags := l.program.Kernel(ctx, name)
	if f == nil {
		if err, _ := errorOf(l.program, diags); err != nil {
			return nil, err
		}
		return nil, failf(FunctionNotFound, "function '%s' was not found in the library", name)
	}
	if l.add([]*ir.Func{f}) == len(l.Kernels) {
		l.program = nil
	}
	return f, nil
}

// translate runs the compiler, except for generating the code of kernels.
func translate(ctx context.Context, source string, o *Options) (p *msl.Program, warned string, err *Error) {
	engines.DumpSource(source)
	p, diags := msl.Check(ctx, msl.Source{Text: source}, o.compiler())
	if err, warned = errorOf(p, diags); err != nil {
		return nil, "", err
	}
	if err := ctx.Err(); err != nil {
		return nil, "", stopped(err)
	}
	return p, warned, nil
}

// stopped is the error of a compilation that nobody is waiting for.
func stopped(err error) *Error { return failf(Internal, "compilation stopped: %v", err) }

// errorOf returns the error that diagnostics are, or the text of their warnings, "" for none.
func errorOf(p *msl.Program, diags []diag.Diagnostic) (err *Error, warned string) {
	var errs, warnings int
	code := Unsupported
	for i := range diags {
		d := &diags[i]
		switch d.Severity {
		case diag.Error:
			errs++
			if d.Code == diag.Internal {
				code = Internal
			} else if code == Unsupported && !strings.HasPrefix(string(d.Code), "U") {
				code = CompileFailure
			}
		case diag.Warning:
			warnings++
		}
	}
	if errs > 0 {
		if code == Unsupported {
			code = CompileFailure // that the software device lacks something shows in the text; programs look for this code
		}
		return &Error{LibraryDomain, code, report(p.Files, diags, errs, warnings)}, ""
	}
	if warnings > 0 {
		warned = report(p.Files, diags, 0, warnings)
	}
	return nil, warned
}

// report writes diagnostics in the words of Metal's compiler: no remarks and no codes, and a count
// at the end.
func report(files *diag.FileSet, diags []diag.Diagnostic, errs, warnings int) string {
	var list []diag.Diagnostic
	for _, d := range diags {
		if d.Severity == diag.Remark {
			continue
		}
		d.Code = ""
		list = append(list, d)
	}
	var b strings.Builder
	_ = diag.Text(&b, files, list)                      // a Builder's writes do not fail
	text := strings.ReplaceAll(b.String(), "\n ", "\n") // Metal does not indent the lines of source
	b.Reset()
	b.WriteString(text)
	switch {
	case errs > 0 && warnings > 0:
		fmt.Fprintf(&b, "%s and %s generated.\n", count(warnings, "warning"), count(errs, "error"))
	case errs > 0:
		fmt.Fprintf(&b, "%s generated.\n", count(errs, "error"))
	default:
		fmt.Fprintf(&b, "%s generated.\n", count(warnings, "warning"))
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Names returns the names of the library's functions in order: kernels, visible functions, and
// entry points of render stages, which can be asked about but not run.
func (l *Library) Names() []string { return slices.Clone(l.names) }

// Function returns a function with its function constants unset, nil when there is none of that
// name.
func (l *Library) Function(ctx context.Context, name string) *Function {
	f, _ := l.function(ctx, name)
	return f
}

// function returns what Function does, or why there is none.
func (l *Library) function(ctx context.Context, name string) (*Function, *Error) {
	f := &Function{Library: l, Name: name, unset: true}
	if slices.Contains(l.Kernels, name) {
		var err *Error
		if f.kernel, err = l.kernel(ctx, name); err != nil {
			return nil, err
		}
		f.Type, f.unset = Kernel, needsConstants(f.kernel.Constants)
		return f, nil
	}
	for i, v := range l.Visible {
		if v.Name == name {
			f.Type, f.entry, f.unset = Visible, i+1, false
			return f, nil
		}
	}
	if i := slices.Index(l.Skipped, name); i >= 0 && i < len(l.Stages) {
		f.Type, f.unset = stageType(l.Stages[i]), false
		return f, nil
	}
	return nil, failf(FunctionNotFound, "function '%s' was not found in the library", name)
}

// Specialize returns a function with its constants set. A name that is not there is an error, and
// so are a constant that the function needs and that has no value, and a value of another type than
// the constant's.
func (l *Library) Specialize(ctx context.Context, name string, values *Values) (*Function, *Error) {
	f, err := l.function(ctx, name)
	if err != nil {
		return nil, err
	}
	if f.kernel == nil || values == nil {
		return f, nil
	}
	if err := f.specialize(values); err != nil {
		return nil, err
	}
	return f, nil
}

// threadMemory returns the bytes of thread memory that a thread of a kernel has.
func (l *Library) threadMemory(f *ir.Func) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.stack[f]
	if !ok {
		n = threadMemory(f)
		l.stack[f] = n
	}
	return n
}

// mostKernels is how many specializations of its kernels a library keeps: the values of constants
// may be ever new ones.
const mostKernels = 1024

// kernelFor returns a kernel specialized for the values of its function constants. Equal values
// share one, and with it the programs that were compiled for shapes of threadgroups.
func (l *Library) kernelFor(f *ir.Func, constants map[int][]byte) (*exec.Kernel, error) {
	key := f.Name + "\x00" + constantsKey(constants)
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.kernels[key]; k != nil {
		return k, nil
	}
	known, err := exec.Specialization(f, constants)
	if err != nil {
		return nil, err
	}
	if len(l.kernels) >= mostKernels {
		clear(l.kernels) // pipelines have theirs
	}
	k := exec.NewKernel(f, exec.Options{Backend: engines.Default(), Native: native.For(f), Phases: true,
		Whole: engines.Whole(f, constants), Constants: known})
	l.kernels[key] = k
	return k, nil
}
