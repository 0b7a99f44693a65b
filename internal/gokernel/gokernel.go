// Package gokernel translates kernels that are Go functions to Metal.
//
// It reads a package and what its kernels use of other packages of the same module (load.go),
// checks it with go/types, and writes a program in Metal: each function that a kernel reaches once
// for each combination of its type arguments and of the address spaces of its pointers
// (function.go), with Go's meaning of each operation (operator.go, text.go). What Metal cannot
// do is refused with its place and a remedy; the other kernels are still written.
package gokernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/gokernel/folders"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// Options are the options of a translation.
type Options struct {
	// Show returns the name of a file of the file system for messages; nil leaves it as it is.
	Show func(name string) string
	// Lines adds #line directives.
	Lines bool
	// Checked ends a launch with an error where Go would panic.
	Checked bool
	// DoubleAsFloat computes in float what the program computes in float64.
	DoubleAsFloat bool
}

// Result is a translation.
type Result struct {
	Text    string
	Module  *msl.Module // the text, compiled
	Package *types.Package
	Kernels []*Kernel
	Refused []Refusal
	Doubles []token.Position // lines with float64, with DoubleAsFloat
}

// Kernel is a kernel in the text.
type Kernel struct {
	Name, As string
	Pos      token.Position
	Group    [3]int
	Args     []Arg
	// Signature is that of the function.
	Signature *types.Signature
	// Constrained is a file that the kernel needs and that not all builds have: it has a build
	// constraint, or its name ends with a system or processor. It is "" if there is none.
	Constrained string
}

// Arg is an argument of a kernel in the text. A slice is a buffer and its length.
type Arg struct {
	Name, As string
	Kind     string // buffer, value, threadgroup, length or texture
	Of       string // the name of the slice that a length is of
	Index    int
	Type     string
}

// Refusal says what has no translation, and what to do about it. Kernel is "" if it concerns all.
type Refusal struct {
	Pos    token.Position
	Kernel string
	Code   diag.Code
	Reason string
}

// ErrInternal is the error of a translation that does not compile. It is a bug of this package.
var ErrInternal = errors.New("internal error: the translation is wrong")

// Translate translates the kernels of the package in a folder. What the package has wrong is in
// the result. An error is that of reading the package, ErrInternal or the context's.
func Translate(ctx context.Context, fsys fs.FS, dir string, o Options) (*Result, error) {
	l := newLoader(fsys, o.Show)
	r := &Result{}
	p, err := l.load(dir)
	if err != nil {
		r.Refused = syntaxErrors(err)
		if len(r.Refused) > 0 {
			err = nil
		}
		return r, err
	}
	t := &translation{loader: l, options: o, pkg: p, instances: map[string]*instance{}, structs: map[string]*structure{},
		funcs: map[types.Object]*source{}, vars: map[types.Object]*table{}, names: map[string]bool{},
		helpers: map[string]bool{}, thread: map[string]bool{}, made: map[string]*instance{},
		doubles: map[token.Position]bool{}, expansions: map[ast.Expr]*ast.FuncLit{}, result: r}
	for _, p := range l.packages { // variables may be assigned in packages that import theirs
		t.index(p)
	}
	r.Package = p.types
	t.kernels()
	if err := ctx.Err(); err != nil {
		return r, context.Cause(ctx)
	}
	r.Doubles = slices.SortedFunc(maps.Keys(t.doubles), func(a, b token.Position) int {
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line))
	})
	return r, t.write(ctx)
}

// translation is the state of a translation.
type translation struct {
	*loader
	options Options
	pkg     *pkg
	result  *Result

	funcs     map[types.Object]*source
	vars      map[types.Object]*table
	instances map[string]*instance
	order     []*instance // callees before callers
	structs   map[string]*structure
	types     []*structure // members before what has them
	tables    []*table
	names     map[string]bool // taken outside of functions
	helpers   map[string]bool // functions of the prelude in use
	thread    map[string]bool // the members of Thread in use

	logs        bool // it has messages
	doubles     map[token.Position]bool
	cooperative bool // threads wait for those of the whole grid
	shares      bool // threads read textures that threads write

	made       map[string]*instance      // functions that the translator makes, by what they do
	expansions map[ast.Expr]*ast.FuncLit // function literals for functions that are values

	typeContext *types.Context
}

// source is a function that the program declares.
type source struct {
	pkg  *pkg
	decl *ast.FuncDecl
}

// table is a variable of a package. Kernels can read those that nothing assigns.
type table struct {
	pkg      *pkg
	value    ast.Expr // nil for zero, or if it is one of the results of a call
	assigned token.Pos
	name     string // in the text, once it is used
	text     string
	length   int // of a slice
	structs  []*structure
	used     bool // by a function in the text
}

// index notes the functions and variables of a package.
func (t *translation) index(p *pkg) {
	if p.info.Defs == nil { // a stub
		return
	}
	for _, f := range p.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					t.funcs[p.info.Defs[d.Name]] = &source{p, d}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						for i, n := range v.Names {
							x := &table{pkg: p}
							if len(v.Values) == len(v.Names) {
								x.value = v.Values[i]
							} else if len(v.Values) > 0 {
								x.assigned = n.Pos()
							}
							t.vars[p.info.Defs[n]] = x
						}
					}
				}
			}
		}
	}
	// A variable whose name stands on the left of an assignment, or whose address is taken, is no
	// table. The rest of an expression does not matter: this is about names.
	mark := func(x ast.Expr) {
		for x != nil {
			switch y := x.(type) {
			case *ast.Ident:
				if v := t.vars[p.info.Uses[y]]; v != nil {
					v.assigned = y.Pos()
				}
				return
			case *ast.ParenExpr:
				x = y.X
			case *ast.IndexExpr:
				x = y.X
			case *ast.SliceExpr:
				x = y.X
			case *ast.SelectorExpr:
				if v := t.vars[p.info.Uses[y.Sel]]; v != nil {
					v.assigned = y.Pos()
				}
				x = y.X
			default:
				return
			}
		}
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			for _, x := range targets(n) {
				mark(x)
			}
			if x := p.addressed(n); x != nil {
				mark(x)
			}
			return true
		})
	}
}

// kernels translates the kernels of the package.
func (t *translation) kernels() {
	var list []*ast.FuncDecl
	for _, f := range t.pkg.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil && directiveIn(d.Doc) != nil {
				list = append(list, d)
			}
		}
		for _, g := range f.Comments {
			if c := directiveIn(g); c != nil && !slices.ContainsFunc(list, func(d *ast.FuncDecl) bool { return d.Doc == g }) {
				t.result.Refused = append(t.result.Refused, Refusal{Pos: t.fset.Position(c.Pos()), Code: diag.GoSubset,
					Reason: "no function follows " + folders.Directive + "; put it into the comment directly above a function"})
			}
		}
	}
	slices.SortFunc(list, func(a, b *ast.FuncDecl) int {
		p, q := t.fset.Position(a.Pos()), t.fset.Position(b.Pos())
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Offset, q.Offset))
	})
	for _, d := range list {
		t.kernel(d)
	}
}

// directiveIn returns the first directive in a comment, nil if there is none.
func directiveIn(g *ast.CommentGroup) *ast.Comment {
	if i := slices.IndexFunc(g.List, func(c *ast.Comment) bool { return folders.IsDirective(c.Text) }); i >= 0 {
		return g.List[i]
	}
	return nil
}

// HasDirective reports whether a file, parsed with its comments, has the line of a kernel.
func HasDirective(f *ast.File) bool {
	return slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool { return directiveIn(g) != nil })
}

// kernel translates a kernel. What it has wrong is refused.
func (t *translation) kernel(d *ast.FuncDecl) {
	k := &Kernel{Name: d.Name.Name, Pos: t.fset.Position(d.Name.Pos())}
	in := &instance{t: t, source: source{t.pkg, d}, kernel: k}
	err := in.guarded(func() {
		k.Group = in.group(d)
		if d.Body == nil {
			in.refuse(d.Name, "the function has no body; write it in Go")
		}
		in.translate()
	})
	if err != nil {
		err.Kernel = k.Name
		t.result.Refused = append(t.result.Refused, *err)
		return
	}
	k.Signature, _ = t.pkg.info.Defs[d.Name].Type().(*types.Signature)
	k.Constrained = in.constrained(map[*instance]bool{})
	t.result.Kernels = append(t.result.Kernels, k)
	in.wanted()
	t.order = append(t.order, in)
}

// group reads the threads of a threadgroup in a kernel's directive.
func (in *instance) group(d *ast.FuncDecl) (group [3]int) {
	for _, c := range d.Doc.List {
		if !folders.IsDirective(c.Text) {
			continue
		}
		for _, word := range strings.Fields(strings.TrimPrefix(c.Text, folders.Directive)) {
			value, ok := strings.CutPrefix(word, "group=")
			if !ok {
				in.refuse(c, "%q is no option of a kernel; want group=X, group=X,Y or group=X,Y,Z", word)
			}
			parts := strings.Split(value, ",")
			group = [3]int{1, 1, 1}
			for i, s := range parts {
				n, err := strconv.Atoi(s)
				if i > 2 || err != nil || n < 1 || n > 1024 {
					in.refuse(c, "group=%s: want up to three numbers from 1 to 1024", value)
				}
				group[i] = n
			}
			if n := group[0] * group[1] * group[2]; n > 1024 {
				in.refuse(c, "group=%s has %d threads; a threadgroup has at most 1024", value, n)
			}
		}
	}
	return group
}

// write writes the text and compiles it.
func (t *translation) write(ctx context.Context) error {
	if len(t.result.Kernels) == 0 {
		return nil
	}
	text := t.text()
	if t.options.Lines {
		text = thinLines(text)
	}
	m, diags := msl.Compile(ctx, msl.Source{Name: t.pkg.types.Name() + ".metal", Text: text},
		msl.Options{NoWarnings: true, Verify: true, Logging: t.logs})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.result.Text, t.result.Module = text, m
	for _, d := range diags {
		if d.Severity == diag.Error {
			return fmt.Errorf("%w: %v: %s", ErrInternal, m.Files.Position(d.Pos), d.Message)
		}
	}
	return nil
}
