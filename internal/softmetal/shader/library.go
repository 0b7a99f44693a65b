package shader

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/vm"
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

	Warnings string // the compiler's, as Metal writes them; "" for none

	module *msl.Module
	names  []string

	mu      sync.Mutex
	kernels map[string]*vm.Kernel // by specialisation
	stack   map[*ir.Func]int      // bytes of thread memory, of kernels that were asked for
}

// Compile compiles source, or finds it compiled. What the compiler has to say about source that does not compile is the error's text.
func Compile(ctx context.Context, source string, o Options) (*Library, *Error) {
	h := o.hash(source)
	if l := libraries.get(h); l != nil {
		return l, nil
	}
	l := &Library{Source: source, Options: o.clone(), Hash: h, kernels: map[string]*vm.Kernel{}, stack: map[*ir.Func]int{}}
	m, diags := msl.Compile(ctx, msl.Source{Text: source}, o.compiler())
	l.module = m
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
		return nil, &Error{LibraryDomain, code, report(m, diags, errs, warnings)}
	}
	if warnings > 0 {
		l.Warnings = report(m, diags, 0, warnings)
	}
	if err := ctx.Err(); err != nil {
		return nil, failf(Internal, "compilation stopped: %v", err)
	}
	l.list()
	return libraries.put(l), nil
}

// report writes diagnostics in the words of Metal's compiler: no remarks and no codes, and a count at the end.
func report(m *msl.Module, diags []diag.Diagnostic, errs, warnings int) string {
	var list []diag.Diagnostic
	for _, d := range diags {
		if d.Severity == diag.Remark {
			continue
		}
		d.Code = ""
		list = append(list, d)
	}
	var b strings.Builder
	_ = diag.Text(&b, m.Files, list)                    // a Builder's writes do not fail
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

// list collects the names of the functions.
func (l *Library) list() {
	for i := range l.module.Kernels {
		l.names = append(l.names, l.module.Kernels[i].Name)
	}
	for _, v := range l.module.Visible {
		l.names = append(l.names, v.Name)
	}
	l.names = append(l.names, l.module.Skipped...)
	slices.Sort(l.names)
	l.names = slices.Compact(l.names)
}

// Names returns the names of the library's functions in order: kernels, visible functions, and entry points of render stages, which
// can be asked about but not run.
func (l *Library) Names() []string { return slices.Clone(l.names) }

// Function returns a function with its function constants unset, nil when there is none of that name.
func (l *Library) Function(name string) *Function {
	f := &Function{Library: l, Name: name, unset: true}
	if f.kernel = l.module.IR.Func(name); f.kernel != nil {
		f.Type, f.unset = Kernel, needsConstants(f.kernel.Constants)
		return f
	}
	for i, v := range l.module.Visible {
		if v.Name == name {
			f.Type, f.entry, f.unset = Visible, i+1, false
			return f
		}
	}
	if i := slices.Index(l.module.Skipped, name); i >= 0 {
		f.Type, f.unset = stageType(l.module.SkippedStages[i]), false
		return f
	}
	return nil
}

// Specialise returns a function with its constants set. A name that is not there is an error, and so are a constant that the function
// needs and that has no value, and a value of another type than the constant's.
func (l *Library) Specialise(name string, values *Values) (*Function, *Error) {
	f := l.Function(name)
	if f == nil {
		return nil, failf(FunctionNotFound, "function '%s' was not found in the library", name)
	}
	if f.kernel == nil || values == nil {
		return f, nil
	}
	if err := f.specialise(values); err != nil {
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

// kernelFor returns what runs a kernel with certain constants. Those of equal constants share one, and with it the programs that were compiled
// for shapes of threadgroups.
func (l *Library) kernelFor(f *ir.Func, constants string) *vm.Kernel {
	key := f.Name + "\x00" + constants
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.kernels[key]
	if k == nil {
		k = vm.NewKernel(f)
		l.kernels[key] = k
	}
	return k
}
