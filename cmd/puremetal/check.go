package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/gokernel/folders"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
)

// checkCmd is the check command.
type checkCmd struct {
	Files []string `arg:"" name:"file" help:"Source files (Metal, .cl, .cu), Go packages, dir/... or -."`

	languageFlags

	Define     []string `short:"D" sep:"none" placeholder:"NAME[=VALUE]" help:"Define a macro."`
	Include    []string `short:"I" sep:"none" placeholder:"DIR" help:"Add a directory to search for #include files, after the source's own."`
	Std        string   `placeholder:"metalX.Y" help:"Language version: metal1.0 to metal4.0, also as macos-metal2.4 or ios-metal2.4; metal3.2 by default."`
	Kernels    bool     `help:"List the kernels with their arguments and resource usage."`
	Warning    []string `short:"W" sep:"none" placeholder:"OPTION" help:"Choose warnings as clang does."`
	AllWarning bool     `name:"all-warnings" help:"Enable all warnings, such as unused variables and barriers in divergent control flow; the same as -Weverything."`
	NoWarning  bool     `name:"no-warnings" short:"w" help:"Suppress warnings."`
	Werror     bool     `name:"warnings-are-errors" help:"Exit with 1 if there are warnings."`
	JSON       bool     `name:"json" xor:"format" help:"Write JSON."`
	SARIF      bool     `name:"sarif" xor:"format" help:"Write SARIF 2.1.0, for code hosts and editors."`
}

// Help returns the text that check --help shows after the flags.
func (*checkCmd) Help() string {
	return `Diagnostics look like clang's: position, message with its code in brackets, source line with a caret, and notes. docs/msl-diagnostics.md explains the codes, docs/msl-support.md the supported language. No device is needed.

Warnings are chosen as with clang: -Wall, -WGROUP, -Wno-GROUP, -Werror, -Werror=GROUP. A later option wins.

The directory of a Go package with kernels is checked without a Go toolchain: what kernels cannot do
is an error at its place, and warnings are about barriers and threadgroup memory. dir/... is all
packages with kernels in and below dir, as for the go command: without vendor, testdata, other
modules, and names that begin with a dot or an underscore.

Examples:

  puremetal check kernels.metal
  puremetal check ./...
  puremetal check -I include -D HEAD_DIM=128 --std metal3.1 src/*.metal
  puremetal check -Wall -Wno-unused-value -Werror=return-type kernels.metal
  puremetal check --kernels kernels.metal
  puremetal check --sarif kernels.metal > kernels.sarif

The exit code is 0 without errors, 1 with errors, and 2 for an invalid command line.
`
}

// Run compiles each file and reports the diagnostics.
func (c *checkCmd) Run(a *app) error {
	macros, err := defines(flags("-D", c.Define...))
	if err != nil {
		return err
	}
	version, err := languageVersion(option{text: c.Std, origin: "--std"})
	if err != nil {
		return err
	}
	var warnings diag.Warnings
	if c.AllWarning {
		warnings = diag.EveryWarning()
	}
	for _, option := range c.Warning {
		if err := warnings.Set(option); err != nil {
			return usage("-W%s: %v", option, err)
		}
	}
	opts := msl.Options{Defines: macros, MetalVersion: metalVersion(version), Warnings: warnings,
		NoWarnings: c.NoWarning}
	var all []*checked
	names, err := c.names()
	if err != nil {
		return err
	}
	bar := a.progress(len(names), "checking")
	defer bar.stop()
	for _, name := range names {
		f, err := c.compile(a, name, opts)
		if err != nil {
			return err
		}
		if err := a.ctx.Err(); err != nil {
			return err
		}
		bar.add()
		all = append(all, f)
	}
	bar.stop()
	sum := summarize(all)
	switch {
	case c.JSON:
		err = c.writeJSON(a.out, all, sum)
	case c.SARIF:
		var found []diag.Found
		for _, f := range all {
			found = append(found, diag.Found{Files: f.places, Diagnostics: f.diagnostics})
		}
		err = diag.SARIFOf(a.out, found...)
	default:
		err = c.writeText(a, all, sum)
	}
	if err == nil && (sum.Errors > 0 || c.Werror && sum.Warnings > 0) {
		err = errFindings
	}
	return err
}

// checked is a compiled file. If it could not be read, its only diagnostic is the reason.
type checked struct {
	name        string
	program     *msl.Program
	kernels     []msl.Kernel // their reflection, with --kernels
	diagnostics []diag.Diagnostic
	places      *diag.FileSet // of the diagnostics
}

// names returns the files and Go packages to check.
func (c *checkCmd) names() (all []string, err error) {
	for _, name := range c.Files {
		if name != "..." && !strings.HasSuffix(filepath.ToSlash(name), "/...") {
			all = append(all, name)
			continue
		}
		dirs, err := folders.Match(name, folders.HasKernels)
		if err != nil {
			return nil, err
		}
		all = append(all, dirs...)
	}
	return all, nil
}

// compile reads and compiles a file and, with --kernels, reflects its kernels.
func (c *checkCmd) compile(a *app, name string, opts msl.Options) (*checked, error) {
	if ok, err := c.isGo(name); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return c.compileGo(a, name, opts)
	}
	if err := c.set(name, &opts); err != nil {
		return nil, err
	}
	text, err := readSource(a, name)
	if err == nil {
		err = findIncludes(name, c.Include, &opts)
	}
	if err != nil {
		none := diag.NewFileSet()
		return &checked{name: name, program: &msl.Program{Files: none}, places: none,
			diagnostics: []diag.Diagnostic{{Message: message(err)}}}, nil
	}
	shown := name
	if name == "-" {
		shown = "<stdin>"
	}
	p, list := msl.Check(a.ctx, msl.Source{Name: filepath.ToSlash(shown), Text: text}, opts)
	f := &checked{name: name, program: p, diagnostics: list, places: p.Files}
	if c.Kernels {
		f.diagnostics = append(f.diagnostics, f.reflect(a.ctx)...)
	}
	return f, nil
}

// reflect describes the kernels.
func (f *checked) reflect(ctx context.Context) (all []diag.Diagnostic) {
	for _, kernel := range f.program.Kernels {
		code, list := f.program.Kernel(ctx, kernel)
		all = append(all, list...)
		if code != nil {
			f.kernels = append(f.kernels, msl.KernelOf(code))
		}
	}
	return all
}

// findIncludes sets the options for #include. The compiler gets the whole file system; the source's
// directory and those of -I are paths in it.
func findIncludes(name string, include []string, opts *msl.Options) error {
	if name == "-" {
		name = "stdin" // in the current directory
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	root := filepath.VolumeName(full) + string(filepath.Separator)
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	within := func(path string) (string, error) {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return "", fmt.Errorf("%s and %s are on different volumes", full, path)
		}
		return filepath.ToSlash(rel), nil
	}
	if opts.Dir, err = within(filepath.Dir(full)); err != nil {
		return err
	}
	opts.Include, opts.IncludeDirs = document.Header.FS(os.DirFS(root)), nil
	for _, dir := range include {
		path, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		if path, err = within(path); err != nil {
			return err
		}
		opts.IncludeDirs = append(opts.IncludeDirs, path)
	}
	opts.Show = func(path string) string {
		full := filepath.Join(root, filepath.FromSlash(path))
		if rel, err := filepath.Rel(here, full); err == nil && filepath.IsLocal(rel) {
			full = rel
		}
		return filepath.ToSlash(full)
	}
	return nil
}

// languageVersions are the versions of Metal, with the values of __METAL_VERSION__.
var languageVersions = []int{100, 110, 120, 200, 210, 220, 230, 240, 300, 310, 320, 400}

// languageVersion parses --std. The default is that of package compute.
func languageVersion(o option) (mtl.LanguageVersion, error) {
	std := o.text
	if std == "" {
		return compute.DefaultLanguage, nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(std, "macos-"), "ios-")
	if text, ok := strings.CutPrefix(name, "metal"); ok {
		major, minor, _ := strings.Cut(text, ".")
		x, err1 := strconv.ParseUint(major, 10, 16)
		y, err2 := strconv.ParseUint(minor, 10, 16)
		v := mtl.LanguageVersion(x<<16 | y)
		if err1 == nil && err2 == nil && y < 10 && slices.Contains(languageVersions, metalVersion(v)) {
			return v, nil
		}
	}
	var names []string
	for _, n := range languageVersions {
		names = append(names, fmt.Sprintf("metal%d.%d", n/100, n/10%10))
	}
	return 0, usage("%s %q; want one of %s", o.origin, std, strings.Join(names, ", "))
}

// metalVersion returns the value of __METAL_VERSION__ for a version.
func metalVersion(v mtl.LanguageVersion) int { return 100*int(v>>16) + 10*int(v&0xffff) }

// summary counts the results of a check.
type summary struct {
	Files    int `json:"files"`
	Kernels  int `json:"kernels"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
}

func summarize(all []*checked) summary {
	s := summary{Files: len(all)}
	for _, f := range all {
		s.Kernels += len(f.program.Kernels)
		for _, d := range f.diagnostics {
			switch d.Severity {
			case diag.Error:
				s.Errors++
			case diag.Warning:
				s.Warnings++
			}
		}
	}
	return s
}

func (s summary) String() string {
	text := fmt.Sprintf("%s, %s, %s", count(s.Files, "file"), count(s.Kernels, "kernel"), count(s.Errors, "error"))
	if s.Warnings > 0 {
		text += ", " + count(s.Warnings, "warning")
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (c *checkCmd) writeText(a *app, all []*checked, sum summary) error {
	for _, f := range all {
		if err := writeDiagnostics(a, a.out, f.places, f.diagnostics); err != nil {
			return err
		}
		if c.Kernels {
			if err := listKernels(a.out, f); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(a.out, sum)
	return err
}

// writeDiagnostics writes diagnostics in clang's format, in color on a terminal.
func writeDiagnostics(a *app, w io.Writer, fs *diag.FileSet, list []diag.Diagnostic) error {
	var b bytes.Buffer
	if err := diag.Text(&b, fs, list); err != nil {
		return err
	}
	text := b.String()
	if a.colors(w) {
		text, w = colored(text), raw(w)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (c *checkCmd) writeJSON(w io.Writer, all []*checked, sum summary) error {
	type jsonFile struct {
		File        string            `json:"file"`
		Diagnostics []json.RawMessage `json:"diagnostics"`
		Kernels     []msl.Kernel      `json:"kernels,omitempty"`
		KernelNames []string          `json:"kernel_names"`
	}
	out := struct {
		Files   []jsonFile `json:"files"`
		Summary summary    `json:"summary"`
	}{Summary: sum}
	for _, f := range all {
		j := jsonFile{File: f.name, KernelNames: []string{}}
		var b bytes.Buffer
		if err := diag.JSON(&b, f.places, f.diagnostics); err != nil {
			return err
		}
		if err := json.Unmarshal(b.Bytes(), &j); err != nil {
			return err
		}
		j.KernelNames = append(j.KernelNames, f.program.Kernels...)
		j.Kernels = f.kernels
		out.Files = append(out.Files, j)
	}
	return writeJSON(w, out)
}

// notCompiled shows why a file does not compile.
func notCompiled(a *app, f *checked) error {
	if err := writeDiagnostics(a, a.err, f.program.Files, f.diagnostics); err != nil {
		return err
	}
	return fmt.Errorf("%s does not compile: %s", f.name, count(len(f.diagnostics), "error"))
}
