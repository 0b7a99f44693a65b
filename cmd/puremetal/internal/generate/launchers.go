package generate

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/gokernel"
)

// launchers is the file that launches the kernels of a Go package, which it belongs to.
type launchers struct {
	Header, Name, Path          string
	Source, Program             string     // variables
	Context, Compute, Translate string     // imports
	Imports                     []imported // but those of the template
	Kernels                     []*gokernel.Kernel
	Launchers                   []launcher
	Unexported                  []string // kernels
	Logging                     bool

	scope *types.Scope
	taken map[string]bool // names of the package and of imports
	names map[string]string
}

// imported is an import; its name is "" if it is the package's.
type imported struct{ Name, Path string }

// launcher is a function that launches a kernel.
type launcher struct {
	Kernel, Name, Getter  string
	Group, Params, Args   string
	Lengths               string // a line of the comment
	parameters, arguments []string
}

//go:embed launchers.tmpl
var launchersText string

var launchersPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("launchers").Funcs(template.FuncMap{"quote": strconv.Quote}).Parse(launchersText))
})

// Launchers returns the source of the file that launches the kernels of a Go package, and is one of
// its files. Header is its first lines. The error names what the package has to rename.
func Launchers(r *gokernel.Result, header string, logging bool) ([]byte, error) {
	f := &launchers{Header: header, Name: r.Package.Name(), Path: r.Package.Path(), Kernels: r.Kernels, Logging: logging,
		scope: r.Package.Scope(), taken: map[string]bool{"nil": true}, names: map[string]string{}}
	for _, name := range f.scope.Names() {
		f.taken[name] = true
	}
	f.Source, f.Program = unique(f.taken, "zkernelsSource"), unique(f.taken, "zkernels")
	f.Context, f.Compute = f.use("context", "context"), f.use(computePackage, "compute")
	f.Translate = f.use("github.com/puremetal/puremetal/translate", "translate")
	f.Imports = f.Imports[1:]        // the template has the standard library's
	functions := map[string]string{} // to the kernel
	for _, k := range r.Kernels {
		l, err := f.launcher(k)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{l.Name, l.Getter} {
			if other, ok := functions[name]; ok {
				return nil, fmt.Errorf("the kernels %s and %s would both have a function %s; rename one of them", other, k.Name,
					name)
			}
			functions[name] = k.Name
		}
		f.Launchers = append(f.Launchers, l)
		if !token.IsExported(k.Name) {
			f.Unexported = append(f.Unexported, k.Name)
		}
	}
	slices.SortFunc(f.Imports, func(a, b imported) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	if err := launchersPage().Execute(&b, f); err != nil {
		return nil, err
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("internal error: the generated file is no Go: %w\n%s", err, b.Bytes())
	}
	return source, nil
}

const computePackage = "github.com/puremetal/puremetal/compute"

// use returns the name of an import.
func (f *launchers) use(importPath, name string) string {
	if known, ok := f.names[importPath]; ok {
		return known
	}
	own := unique(f.taken, name)
	f.names[importPath] = own
	i := imported{own, importPath}
	if own == path.Base(importPath) {
		i.Name = ""
	}
	f.Imports = append(f.Imports, i)
	return own
}

// launcher describes the functions of a kernel.
func (f *launchers) launcher(k *gokernel.Kernel) (l launcher, err error) {
	first, n := utf8.DecodeRuneInString(k.Name)
	name := string(unicode.ToUpper(first)) + k.Name[n:]
	if first = []rune(name)[0]; !unicode.IsUpper(first) {
		name = "X" + name
	}
	l = launcher{Kernel: k.Name, Name: name, Getter: name + "Kernel"}
	if f.scope.Lookup(l.Name) != nil {
		l.Name = "Launch" + name
	}
	for _, name := range []string{l.Name, l.Getter} {
		if f.scope.Lookup(name) != nil {
			return l, fmt.Errorf("kernel %s: the package declares %s, the name of a function that launches the kernel; "+
				"rename it or the kernel", k.Name, name)
		}
	}
	if g := k.Group; g[0] > 0 {
		l.Group = fmt.Sprintf("%dx%dx%d", g[0], g[1], g[2])
	}
	qualifier := func(p *types.Package) string {
		if p.Path() == f.Path {
			return ""
		}
		return f.use(p.Path(), p.Name())
	}
	params := k.Signature.Params()
	var kinds []string // of the parameters
	for _, a := range k.Args {
		if a.Kind == "buffer" || a.Kind == "value" || a.Kind == "texture" {
			kinds = append(kinds, a.Kind)
		}
	}
	var typed []string
	for i := 1; i < params.Len(); i++ { // after the thread
		t := params.At(i).Type()
		if kinds[i-1] == "texture" {
			typed = append(typed, f.Compute+".AnyTexture")
			continue
		}
		text := types.TypeString(t, qualifier)
		if s, ok := t.Underlying().(*types.Slice); ok {
			text = "*" + f.Compute + ".Buffer[" + types.TypeString(s.Elem(), qualifier) + "]"
		}
		typed = append(typed, text)
	}
	taken := map[string]bool{"ctx": true, "stream": true, "grid": true, "k": true, "err": true, "nil": true,
		f.Program: true}
	for _, i := range f.names {
		taken[i] = true
	}
	parameter := func(name, text string) string {
		if name == "" || name == "_" {
			name = "unused"
		}
		name = unique(taken, name)
		l.parameters = append(l.parameters, name+" "+text)
		return name
	}
	for i, text := range typed {
		l.arguments = append(l.arguments, parameter(params.At(i+1).Name(), text))
	}
	var lengths []string
	for _, a := range k.Args {
		if a.Kind == "threadgroup" {
			name := parameter(a.Name, "int")
			lengths = append(lengths, name)
			l.arguments = append(l.arguments, f.Compute+".ThreadgroupElements("+name+")")
		}
	}
	if len(lengths) > 0 {
		l.Lengths = "Shared memory: " + strings.Join(lengths, ", ") + " in elements."
	}
	for _, p := range l.parameters {
		l.Params += ", " + p
	}
	for _, a := range l.arguments {
		l.Args += ", " + a
	}
	return l, nil
}
