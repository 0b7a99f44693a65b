package generate

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/translate"
)

// Input is a compiled source and what the generated file is to be called.
type Input struct {
	Package  string
	Type     string   // of the launcher; "" takes the file's name
	Source   string   // the source's path from the generated file, with slashes
	Includes []string // the paths of what it includes
	// Dialect is the source's language if it is not Metal. Names are then the source's names of
	// kernels, by Metal's.
	Dialect       translate.Language
	DoubleAsFloat bool
	Names         map[string]string

	Language string // the name of a constant of package mtl; "" is the default of package compute
	Macros   map[string]string
	Extern   []string // structures that the package declares elsewhere

	Kernels   []msl.Kernel
	Constants []msl.Constant
}

// Skipped is a kernel that package compute cannot launch.
type Skipped struct{ Kernel, Reason string }

// file is what the template writes.
type file struct {
	Input
	Base        string // of the source's name
	Prefix      string // of variables
	Embedded    string // the arguments of go:embed for Includes
	Structures  []*structure
	Fields      []constant
	Methods     []*method
	Skipped     []Skipped
	MacroNames  []string
	Imports     map[string]bool       // of this module
	structures  map[string]*structure // by name and layout
	outer       map[string]bool       // the package's names
	methodNames map[string]bool
}

// constant is a function constant as a field of the constants' structure.
type constant struct {
	msl.Constant
	Field, Go string
	Optional  bool // no kernel needs it
}

//go:embed file.tmpl
var text string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("file").Funcs(template.FuncMap{"quote": strconv.Quote}).Parse(text))
})

// Go returns the source of the generated file, and the kernels that it leaves out.
func Go(in Input) ([]byte, []Skipped, error) {
	f := &file{Input: in, Base: path.Base(in.Source), MacroNames: slices.Sorted(maps.Keys(in.Macros)),
		Imports:    map[string]bool{"github.com/puremetal/puremetal/compute": true},
		structures: map[string]*structure{}, outer: map[string]bool{},
		methodNames: map[string]bool{"Close": true}}
	if f.Type == "" {
		f.Type = exported(strings.TrimSuffix(f.Base, path.Ext(f.Base)))
	}
	if in.Language != "" {
		f.Imports["github.com/puremetal/puremetal/mtl"] = true
	}
	if in.Dialect != "" {
		f.Imports["github.com/puremetal/puremetal/translate"] = true
	}
	f.Prefix = unexported(f.Type)
	for _, name := range []string{"", "Constants"} {
		f.outer[f.Type+name], f.outer["New"+f.Type] = true, true
	}
	f.Embedded = embedded(in.Includes)
	if err := f.constants(); err != nil {
		return nil, nil, err
	}
	for i := range in.Kernels {
		if err := f.kernel(&in.Kernels[i]); err != nil {
			return nil, nil, err
		}
	}
	if len(f.Methods) == 0 {
		return nil, f.Skipped, fmt.Errorf("%s has no kernels that Go can launch", in.Source)
	}
	var b bytes.Buffer
	if err := page().Execute(&b, f); err != nil {
		return nil, nil, err
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("internal error: the generated file is no Go: %w\n%s", err, b.Bytes())
	}
	return source, f.Skipped, nil
}

// embedded returns files as arguments of go:embed.
func embedded(files []string) string {
	quoted := make([]string, len(files))
	for i, name := range files {
		quoted[i] = embedName(name)
	}
	return strings.Join(quoted, " ")
}

// embedName quotes the name of a file where go:embed wants that.
func embedName(name string) string {
	if strings.ContainsAny(name, " \t\"`") {
		return strconv.Quote(name)
	}
	return name
}

// DialectName returns the constant of package translate.
func (f *file) DialectName() string {
	if f.Dialect == translate.CUDA {
		return "translate.CUDA"
	}
	return "translate.OpenCL"
}

// Grid is how a method's grid is written: its parameters, their names, and the value that package
// compute takes.
func (f *file) Grid() gridText {
	switch f.Dialect {
	case translate.CUDA:
		return gridText{"blocks, threads compute.Extent", "blocks, threads",
			"compute.Threadgroups{Grid: blocks, Group: threads}"}
	case translate.OpenCL:
		return gridText{"global, local compute.Extent", "global, local",
			"compute.Threads{Grid: global, Group: local}"}
	}
	return gridText{"grid compute.Grid", "grid", "grid"}
}

type gridText struct{ Params, Names, Value string }

// EmbeddedSource returns the source as an argument of go:embed.
func (f *file) EmbeddedSource() string { return embedName(f.Source) }

// constants collects the function constants that kernels use.
func (f *file) constants() error {
	used := map[int]bool{} // by index, whether a kernel needs it
	for _, k := range f.Kernels {
		for _, c := range k.Constants {
			used[c.Index] = used[c.Index] || c.Required
		}
	}
	names := map[string]bool{}
	for _, c := range f.Input.Constants {
		required, ok := used[c.Index]
		if !ok {
			continue
		}
		shape := c.Type.Shape()
		typ, err := f.scalar(shape)
		if err != nil {
			return fmt.Errorf("the function constant %s: %w", c.Name, err)
		}
		if shape.Rows > 1 {
			typ = fmt.Sprintf("[%d]%s", shape.Rows, typ)
		}
		f.Fields = append(f.Fields, constant{c, unique(names, exported(c.Name)), typ, !required})
	}
	return nil
}
