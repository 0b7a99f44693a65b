//go:build !puremetal_run

package main

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/translate"
)

// goModule is the module that the directory of a Go package belongs to.
type goModule struct {
	files fs.FS
	dir   string // of the package, in files
	show  func(name string) string
}

// moduleOf returns the module of a package. The files that are read are added to those that are
// watched.
func moduleOf(name string, watched *machine.WatchedFiles) (m goModule, err error) {
	m.files, m.dir, m.show, err = gokernel.Module(name)
	if watched != nil {
		m.files = watchedFS{m.files, func(name string) { watched.Add(filepath.FromSlash(m.show(name))) }}
	}
	return m, err
}

// watchedFS calls opened with the name of each Go file that is opened.
type watchedFS struct {
	fs.FS
	opened func(name string)
}

// Open implements fs.FS.
func (f watchedFS) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".go") {
		f.opened(name)
	}
	return f.FS.Open(name)
}

// translateGo translates the Go package in a directory, with #line directives if lines is set.
func (f *languageFlags) translateGo(a *app, name string, lines bool,
	watched *machine.WatchedFiles) (*translate.Result, error) {
	m, err := moduleOf(name, watched)
	if err != nil {
		return nil, err
	}
	r, err := gokernel.Package(a.ctx, m.files, m.dir, translate.Options{Show: m.show, Lines: lines, Checked: f.Checked,
		DoubleAsFloat: f.doubleAsFloat()})
	if err == nil && len(r.Kernels)+len(r.Refused) == 0 {
		err = noGoKernels(name)
	}
	return r, err
}

// goPackage translates the source, which is a Go package, for a plan.
func (c *runCmd) goPackage(a *app, p *plan) (err error) {
	if len(p.define) > 0 || len(c.Include) > 0 {
		return usage("-D and -I are not for Go; %s is a Go package", c.source)
	}
	if p.goPackage, err = c.translateGo(a, c.source, true, c.files); err != nil {
		return err
	}
	p.text = p.goPackage.Text
	if p.text == "" {
		writeRefused(a, p.goPackage.Refused)
		return errFindings
	}
	return nil
}

// compileGo checks a Go package: what it has wrong, and what the compiler says about its text, at
// the lines of the Go files.
func (c *checkCmd) compileGo(a *app, name string, opts msl.Options) (*checked, error) {
	if len(c.Define) > 0 || len(c.Include) > 0 {
		return nil, usage("-D and -I are not for Go; %s is a Go package", name)
	}
	places := goPlaces{set: diag.NewFileSet(), files: map[string]*diag.File{}}
	f := &checked{name: filepath.ToSlash(name), program: &msl.Program{Files: diag.NewFileSet()}, places: places.set}
	r, err := c.translateGo(a, name, true, nil)
	switch {
	case a.ctx.Err() != nil:
		return nil, a.ctx.Err()
	case err != nil:
		f.diagnostics = []diag.Diagnostic{{Message: message(err)}}
		return f, nil
	}
	for _, m := range r.Refused {
		text := m.Reason
		if m.Kernel != "" {
			text = "kernel " + m.Kernel + ": " + text
		}
		pos := places.at(m.File, m.Line, m.Column)
		f.diagnostics = append(f.diagnostics, diag.Diagnostic{Code: diag.Code(m.Code), Pos: pos, Message: text})
	}
	defer func() {
		slices.SortStableFunc(f.diagnostics, func(a, b diag.Diagnostic) int { return cmp.Compare(a.Pos, b.Pos) })
	}()
	if r.Text == "" {
		return f, nil
	}
	var list []diag.Diagnostic
	f.program, list = msl.Check(a.ctx, msl.Source{Name: filepath.ToSlash(name), Text: r.Text}, opts)
	if c.Kernels {
		list = append(list, f.reflect(a.ctx)...)
	}
	for _, d := range list {
		if d.Severity == diag.Error || d.Code == diag.DivergentBarrier || d.Code == diag.ThreadgroupSize {
			f.diagnostics = append(f.diagnostics, places.ofLine(f.program.Files, d))
		}
	}
	return f, nil
}

// goPlaces finds positions in the Go files that messages are about.
type goPlaces struct {
	set   *diag.FileSet
	files map[string]*diag.File
}

// file returns a file; one that cannot be read is empty.
func (g goPlaces) file(name string) *diag.File {
	if f := g.files[name]; f != nil {
		return f
	}
	text, err := document.Source.ReadFile(filepath.FromSlash(name))
	if err != nil {
		text = nil
	}
	g.files[name] = g.set.AddFile(name, string(text))
	return g.files[name]
}

// at returns the position of a line and a column in bytes, no position if there is no such line.
func (g goPlaces) at(name string, line, column int) diag.Pos {
	f := g.file(name)
	if line < 1 || line > f.LineCount() {
		return diag.NoPos
	}
	return f.Pos(f.LineStart(line) + min(max(column-1, 0), len(f.Line(line))))
}

// line returns the range of the text in the line of the Go file that a position of a translation
// with #line is in.
func (g goPlaces) line(set *diag.FileSet, pos diag.Pos) (from, to diag.Pos) {
	at := set.Position(pos)
	if !strings.HasSuffix(at.File, ".go") {
		return diag.NoPos, diag.NoPos
	}
	text := g.file(at.File).Line(at.Line)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	return g.at(at.File, at.Line, indent+1), g.at(at.File, at.Line, len(text)+1)
}

// ofLine returns a diagnostic of a translation for the lines of the Go files.
func (g goPlaces) ofLine(set *diag.FileSet, d diag.Diagnostic) diag.Diagnostic {
	out := diag.Diagnostic{Code: d.Code, Severity: d.Severity, Message: d.Message}
	out.Pos, out.End = g.line(set, d.Pos)
	for _, n := range d.Notes {
		n.Pos, n.End = g.line(set, n.Pos)
		out.Notes = append(out.Notes, n)
	}
	return out
}
