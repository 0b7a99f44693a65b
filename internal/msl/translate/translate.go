// Package translate writes programs of a dialect as programs in Metal: the source with edits, so
// that comments, names, macros and layout stay. What the dialect's library says in Metal goes in
// front.
package translate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Options are the options of a translation.
type Options struct {
	// Compile are the options for the program. Dialect is required.
	Compile msl.Options
	// Lines adds #line directives, so that a compiler names the places of the source.
	Lines bool
	// Instances are instances of kernels that are templates, besides those that the program
	// launches: k<float, 4>.
	Instances []string
	// Fast leaves out the pragmas for safe mathematics.
	Fast bool
	// Direct compiles the program without a text too, for Result.Direct.
	Direct bool
}

// Result is a translation.
type Result struct {
	Text    string // "" if nothing could be translated
	Kernels []Kernel
	// Refused are the errors of the program, by place. The functions in which they are, and those
	// that need them, are not in Text.
	Refused  []Refusal
	Warnings []Refusal
	// Doubles are the places, one a line, where a macro of that name makes double something else.
	Doubles []diag.Position
	Module  *msl.Module // the compiled text
	Direct  *msl.Module // the program compiled without a text, with Options.Direct
}

// Kernel is a translated kernel.
type Kernel struct {
	Name, As string // in the source and in the text
	File     string
	Line     int
	Group    [3]int // work-items of a work-group, if the source says so
	Args     []Arg

	direct string
}

// Direct is the name of the kernel as the program is compiled without a text.
func (k *Kernel) Direct() string { return cmp.Or(k.direct, k.Name) }

// Arg is an argument of a kernel, which Metal takes at Index of its kind.
type Arg struct {
	Name, As string
	Kind     string // buffer, value, threadgroup, texture or sampler
	Index    int
	Type     string // of an element of a buffer, or of the value
}

// Refusal is a diagnostic of a program. Kernel is "" if all kernels need what it is about.
type Refusal struct {
	File         string
	Line, Column int
	Kernel       string
	Code         diag.Code
	Reason       string
}

// ErrInternal is the error of a translation that is wrong. It is a bug of this package.
var ErrInternal = errors.New("internal error: the translation is wrong")

// Translate translates a program. Its result is never nil. An error is an ErrInternal or the
// context's; what the program has wrong is in Refused.
func Translate(ctx context.Context, src msl.Source, o Options) (*Result, error) {
	r := &Result{}
	if src.Name == "" {
		src.Name = "program_source"
	}
	if !o.Fast && o.Compile.Math == "" {
		o.Compile.Math = "safe"
	}
	without, all := map[string]bool{}, false
	lowered := o.Direct || o.Compile.Warnings.On(diag.DivergentBarrier)
	for {
		p := &program{options: o, all: all, snapshot: newSnapshot()}
		p.trace = msl.Trace{Without: without, Instances: o.Instances, Parsed: p.snapshot.take, CheckOnly: !lowered}
		compile := o.Compile
		compile.Trace = &p.trace
		m, diags := msl.Compile(ctx, src, compile)
		if err := ctx.Err(); err != nil {
			return r, context.Cause(ctx)
		}
		more := p.blame(m.Files, diags, r)
		if more == nil {
			r.Kernels = nil
			return r, nil
		}
		if len(more) == 0 {
			if o.Direct {
				r.Direct = m
			}
			err := p.write(ctx, src, m.Files, r)
			switch {
			case err == nil || ctx.Err() != nil || all && lowered:
				return r, err
			case all:
				lowered = true // the program may have what its text cannot have either
			default:
				all = true // a function may be in use without being called
			}
			continue
		}
		maps.Copy(without, more)
	}
}

// program is a program while it is translated.
type program struct {
	options  Options
	trace    msl.Trace
	snapshot snapshot
	*tokens
	namedBy map[string][]string // functions by the names in them
	names   map[string]bool     // all identifiers of the source
	used    map[string]bool     // those that may be of the library
	renamed map[string]string
	aliases string // macros that say where the library's types are
	library *library
	types   map[string]bool      // types that edits name
	needs   map[string][]string  // the built-ins that functions of a name need
	inputs  map[string]string    // the parameters for built-ins, by built-in
	values  map[*ast.Param]value // parameters by value
	once    map[int]bool         // tokens before which an address space stands already
	later   []func()             // edits that need the text of a node with its own edits
	cuts    []cut
	cut     []bool // the tokens in cuts

	device      *device         // of a language with code for the host
	site        diag.Pos        // of the call that is written
	all         bool            // declarations of the library that have the names of those in use
	made        map[string]bool // functions of the library that edits call
	refused     []Refusal       // what has no text
	kernelNames map[*typed.Kernel]string
	variables   map[string]*deviceInput // that functions get from kernels
	leading     map[string]bool         // functions to which inputs are handed down first

	operators map[diag.Pos]string     // functions that are operators of classes, with these
	varTypes  map[diag.Pos]types.Type // of variables of functions

	functionNames map[string]bool

	apart map[ast.TypeExpr]bool // pointers that have their address space already

	unwritten error // why there is no text
}

// blame records diagnostics and returns the functions to leave out: those with errors, and those
// that call them. It returns nil if the rest cannot be translated either.
func (p *program) blame(files *diag.FileSet, diags []diag.Diagnostic, r *Result) map[string]bool {
	out := map[string]bool{}
	r.Warnings = nil
	failed := p.trace.File == nil
	var bad []Refusal
	var inside []*ast.FuncDecl
	for _, d := range diags {
		at := files.Position(d.Pos)
		x := Refusal{File: at.File, Line: at.Line, Column: at.Column, Code: d.Code, Reason: d.Message}
		if d.Severity != diag.Error {
			r.Warnings = append(r.Warnings, x)
			continue
		}
		var f *ast.FuncDecl
		if p.trace.File != nil {
			f = p.function(files, d.Pos)
		}
		if f == nil {
			failed = true
		} else {
			out[f.Name.Last().Ident] = true
		}
		bad, inside = append(bad, x), append(inside, f)
	}
	if len(bad) > 0 && !failed {
		p.callers(out)
	}
	for i, x := range bad {
		kernels := p.kernelsThatNeed(inside[i], failed)
		if len(kernels) == 0 {
			kernels = []string{""}
		}
		for _, k := range kernels {
			x.Kernel = k
			if !slices.Contains(r.Refused, x) {
				r.Refused = append(r.Refused, x)
			}
		}
	}
	if failed {
		return nil
	}
	return out
}

// functions returns the functions of the program. Those of OpenCL C are all outside of classes.
func (p *program) functions() (list []*ast.FuncDecl) {
	var add func(decls []ast.Decl, depth int)
	add = func(decls []ast.Decl, depth int) {
		for _, d := range decls {
			for {
				t, ok := d.(*ast.TemplateDecl)
				if !ok {
					break
				}
				d = t.Decl
			}
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name != nil && d.Name.Last().Ident != "" {
					list = append(list, d)
				}
			case *ast.NamespaceDecl:
				if depth < 64 {
					add(d.Decls, depth+1)
				}
			case *ast.LinkageDecl:
				if depth < 64 {
					add(d.Decls, depth+1)
				}
			case *ast.RecordDecl:
				if depth < 64 {
					add(d.Members, depth+1)
				}
			}
		}
	}
	add(p.trace.File.Decls, 0)
	return list
}

// declared returns the names that the program declares outside of functions.
func (p *program) declared() map[string]bool {
	names := map[string]bool{}
	for _, d := range p.trace.File.Decls {
		switch d := ast.Templated(d).(type) {
		case *ast.FuncDecl:
			names[d.Name.Last().Ident] = true
		case *ast.VarDecl:
			names[d.Name.Last().Ident] = true
		case *ast.TypedefDecl:
			names[d.Ident.Name] = true
		case *ast.RecordDecl:
			names[d.Name.Simple()] = true
		case *ast.EnumDecl:
			names[d.Name.Simple()] = true
			for _, e := range d.Items {
				names[e.Ident.Name] = true
			}
		}
	}
	return names
}

// function returns the function in which a position is.
func (p *program) function(files *diag.FileSet, pos diag.Pos) *ast.FuncDecl {
	at := files.Resolve(pos)
	for _, f := range p.functions() {
		if from, to := files.Resolve(f.Pos()), files.Resolve(f.End()); at >= from && at <= to && at > 0 {
			return f
		}
	}
	return nil
}

// callers adds the functions that name others in the set.
func (p *program) callers(set map[string]bool) {
	if p.namedBy == nil {
		p.namedBy = map[string][]string{}
		for _, f := range p.functions() {
			ast.Inspect(f, func(n ast.Node) bool {
				if x, ok := n.(*ast.NameExpr); ok {
					p.namedBy[x.Name.Simple()] = append(p.namedBy[x.Name.Simple()], f.Name.Last().Ident)
				}
				return true
			})
		}
	}
	reach(p.namedBy, set)
}

// reach adds what is reached from a set.
func reach(next map[string][]string, set map[string]bool) {
	list := slices.Collect(maps.Keys(set))
	for len(list) > 0 {
		name := list[len(list)-1]
		list = list[:len(list)-1]
		for _, other := range next[name] {
			if !set[other] {
				set[other] = true
				list = append(list, other)
			}
		}
	}
}

// kernelsThatNeed returns the kernels that reach a function.
func (p *program) kernelsThatNeed(f *ast.FuncDecl, all bool) (list []string) {
	if f == nil || all {
		return nil
	}
	set := map[string]bool{f.Name.Last().Ident: true}
	p.callers(set)
	for _, k := range p.functions() {
		if k.Spec.Stage == ast.Kernel && k.Body != nil && set[k.Name.Last().Ident] {
			list = append(list, k.Name.Last().Ident)
		}
	}
	return list
}

// write makes the text of a program without errors, and compiles it.
func (p *program) write(ctx context.Context, src msl.Source, files *diag.FileSet, r *Result) error {
	p.tokens = newTokens(files, p.trace.Tokens)
	p.names = map[string]bool{}
	for _, f := range files.Files() {
		if !strings.HasPrefix(f.Name, "<") {
			identifiers(f.Text, func(name string) { p.names[name] = true })
		}
	}
	p.library = libraryOf(p.options.Compile.Dialect)
	p.renamed, p.inputs = map[string]string{}, map[string]string{}
	p.apart = map[ast.TypeExpr]bool{}
	p.leading, p.variables = map[string]bool{}, map[string]*deviceInput{}
	p.types, p.made, p.kernelNames = map[string]bool{}, map[string]bool{}, map[*typed.Kernel]string{}
	p.values, p.once, p.cut = map[*ast.Param]value{}, map[int]bool{}, make([]bool, len(p.list))
	if p.options.Compile.Dialect.Host() {
		for _, r := range p.trace.Host {
			for i := r[0]; i < r[1] && i < len(p.list); i++ {
				p.cut[i] = true
			}
		}
		for i, t := range p.list {
			f := p.files.File(p.files.Resolve(t.Pos))
			if f != nil && (strings.HasPrefix(f.Name, "<puremetal/") || isCooperative(f)) { // a line includes it
				p.cut[i] = true
			}
		}
		p.readDevice()
		if len(p.refused) > 0 {
			r.Refused = append(r.Refused, p.refused...)
			return nil
		}
		p.deviceWords()
	}
	p.words()
	p.leaveOut()
	p.find()
	p.freeze()
	ast.Inspect(p.trace.File, p.visit)
	for _, f := range slices.Backward(p.later) {
		f()
	}
	main := files.Files()[0]
	s := &source{tokens: p.tokens, main: main, lines: p.options.Lines, cuts: p.cuts, cut: p.cut,
		functions: p.macrosWithParameters(), host: p.device != nil}
	s.drops(p.trace.Host)
	version := p.options.Compile.MetalVersion
	head := p.head(main, true)
	s.aliases = p.aliases
	text, err := s.write(head, pp.Options{MetalVersion: version, Include: p.options.Compile.Include})
	if err != nil {
		text = s.flat(p.head(main, false))
	}
	if p.device != nil && len(p.device.tail) > 0 {
		text = strings.TrimRight(text, "\n") + "\n\n" + strings.Join(p.device.tail, "\n") + "\n"
	}
	if p.unwritten != nil {
		return fmt.Errorf("%w: %w", ErrInternal, p.unwritten)
	}
	if strings.Contains(text, "__puremetal_") {
		return fmt.Errorf("%w: it needs a built-in that Metal does not have", ErrInternal)
	}
	again := p.options.Compile
	again.Dialect, again.Trace, again.Defines, again.NoWarnings = nil, nil, nil, true
	m, diags := msl.Compile(ctx, msl.Source{Name: src.Name + ".metal", Text: text}, again)
	for _, d := range diags {
		if d.Severity == diag.Error {
			r.Text = text
			return fmt.Errorf("%w: %v: %s", ErrInternal, m.Files.Position(d.Pos), d.Message)
		}
	}
	r.Text, r.Module = text, m
	p.describe(files, r)
	p.doubles(files, r)
	return nil
}

// doubles notes where double is something else by the caller's macro.
func (p *program) doubles(files *diag.FileSet, r *Result) {
	if _, ok := p.options.Compile.Defines["double"]; !ok {
		return
	}
	seen := map[diag.Position]bool{}
	for i, t := range p.list {
		if p.cut[i] {
			continue
		}
		use, _ := files.Use(t.Pos)
		if use == nil || !strings.HasPrefix(use.Macro, "double") && !strings.HasPrefix(use.Macro, "convert_double") {
			continue
		}
		at := files.Position(t.Pos)
		line := diag.Position{File: at.File, Line: at.Line}
		if !seen[line] {
			seen[line] = true
			r.Doubles = append(r.Doubles, at)
		}
	}
}

// describe describes the kernels of the compiled text.
func (p *program) describe(files *diag.FileSet, r *Result) {
	if p.device != nil {
		p.describeDevice(files, r)
		return
	}
	for _, f := range p.functions() {
		if f.Spec.Stage != ast.Kernel || f.Body == nil {
			continue
		}
		name := f.Name.Last().Ident
		at := files.Position(f.Name.Pos())
		k := Kernel{Name: name, As: p.named(name), File: at.File, Line: at.Line, Group: p.snapshot.groups[f], Args: []Arg{}}
		compiled := r.Module.Kernel(k.As)
		if compiled == nil {
			continue
		}
		i := 0
		for _, a := range compiled.Args {
			if a.Name == "" || i >= len(f.Params) {
				continue
			}
			k.Args = append(k.Args, p.argument(f.Params[i], a))
			i++
		}
		r.Kernels = append(r.Kernels, k)
	}
}

// named returns how the text calls a name of the source.
func (p *program) named(name string) string {
	if as, ok := p.renamed[name]; ok {
		return as
	}
	return name
}

// fresh returns a name that the source does not have, and takes it.
func (p *program) fresh(name string) string {
	name = p.unused(name)
	p.names[name] = true
	return name
}

// unused returns a name that the source does not have, for a parameter.
func (p *program) unused(name string) string {
	for p.names[name] || token.Keyword(name) != token.Ident || taken(name) {
		name += "_"
	}
	return name
}

// identifiers calls f with the words of a text.
func identifiers(text string, f func(string)) {
	for i := 0; i < len(text); {
		if !word(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && word(text[i]) {
			i++
		}
		f(text[from:i])
	}
}

// head is what precedes the source.
func (p *program) head(main *diag.File, macros bool) string {
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\n")
	for i, t := range p.list {
		if !t.Is("os_log_default") && !t.Is("__assertion") && !(t.Is("printf") && p.device == nil) || p.cut[i] {
			continue
		}
		b.WriteString("#include <metal_logging>\n")
		break
	}
	if p.device != nil && slices.ContainsFunc(p.files.Files(), isCooperative) {
		b.WriteString("#include <puremetal/cooperative>\n") // before names of the library hide Metal's
	}
	if !p.options.Fast {
		b.WriteString("#pragma METAL fp math_mode(safe)\n#pragma METAL fp contract(off)\n")
	}
	b.WriteString(p.library.write(p))
	if macros {
		for _, line := range p.definitions() {
			b.WriteString(line + "\n")
		}
	}
	b.WriteByte('\n')
	if p.options.Lines {
		b.WriteString(lineDirective(1, main.Name))
	}
	return b.String()
}

// definitions returns the definitions of macros that the source has from outside: the language's
// own if the source names them, and those that the caller gave.
func (p *program) definitions() (lines []string) {
	own := map[string]string{}
	var order []string
	for name, line := range macros(p.options.Compile.Dialect) {
		own[name] = line
		order = append(order, name)
	}
	used := map[string]bool{}
	var use func(string)
	use = func(name string) {
		if line, ok := own[name]; ok && !used[name] {
			used[name] = true
			identifiers(strings.TrimPrefix(line, "#define "+name), use)
		}
	}
	for name := range p.macroNames() {
		use(name)
	}
	for _, name := range []string{"__METAL_VERSION__", "__METAL__", "__METAL_MACOS__"} {
		if p.names[name] {
			lines = append(lines, "#undef "+name)
		}
	}
	for _, name := range order {
		if used[name] {
			lines = append(lines, own[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.options.Compile.Defines)) {
		lines = append(lines, strings.TrimRight("#define "+name+" "+p.options.Compile.Defines[name], " "))
	}
	return lines
}

// macroNames are the names that may be those of macros: all of the source or, if it has code for
// the host, those of macros that the device's program uses and those in directives.
func (p *program) macroNames() map[string]bool {
	if p.device == nil {
		return p.names
	}
	names := map[string]bool{}
	for i, t := range p.list {
		if e, _ := p.files.Use(t.Pos); e != nil && !p.cut[i] {
			names[e.Macro] = true
			for _, step := range p.files.ExpansionSteps(t.Pos) {
				names[step.Macro] = true
			}
		}
	}
	for _, f := range p.files.Files() {
		if strings.HasPrefix(f.Name, "<") {
			continue
		}
		for line := range strings.Lines(f.Text) {
			if text := strings.TrimSpace(line); strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#define") {
				identifiers(text, func(name string) { names[name] = true })
			}
		}
	}
	return names
}

// macros are the definitions of a language's own macros, a line each, by name.
func macros(d *dialect.Dialect) iter.Seq2[string, string] {
	return func(yield func(name, line string) bool) {
		for line := range strings.Lines(strings.ReplaceAll(d.Macros, "\\\n", " ")) {
			line = strings.TrimSuffix(line, "\n")
			if !yield(macroName(line), line) {
				return
			}
		}
	}
}

// macroName returns the name that a #define defines.
func macroName(line string) (name string) {
	identifiers(strings.TrimPrefix(line, "#define "), func(s string) {
		if name == "" {
			name = s
		}
	})
	return name
}

// macrosWithParameters returns the macros from outside that take arguments.
func (p *program) macrosWithParameters() map[string]bool {
	list := map[string]bool{}
	for name, line := range macros(p.options.Compile.Dialect) {
		list[name] = strings.HasPrefix(line, "#define "+name+"(")
	}
	for key := range p.options.Compile.Defines {
		name, _, ok := strings.Cut(key, "(")
		list[name] = ok
	}
	return list
}
