//go:build !puremetal_run

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/translate"
)

// translateCmd is the translate command.
type translateCmd struct {
	File string `arg:"" help:"Source file, the directory of a Go package, or one whose files are translated."`

	Out string `short:"o" placeholder:"OUT.metal" help:"The Metal file, or the directory for the files of a directory; by default standard output."`
	languageFlags
	Define  []string `short:"D" sep:"none" placeholder:"NAME[=VALUE]" help:"Define a macro. The text defines it too."`
	Include []string `short:"I" sep:"none" placeholder:"DIR" help:"Add a directory to search for #include files, after the source's own."`
	CLStd   string   `name:"cl-std" default:"1.2" placeholder:"VERSION" help:"OpenCL version: 1.2, 2.0 or 3.0."`
	Kernel  []string `sep:"none" placeholder:"NAME" help:"A kernel that must be there, or k<float,4>."`
	Report  string   `placeholder:"FORMAT" help:"With -o, describe kernels and what was refused on standard output: json."`
	Lines   bool     `help:"Add #line directives, so that a compiler names lines of the source."`
}

// Help returns the text that translate --help shows after the flags.
func (*translateCmd) Help() string {
	return `The text is the source with edits: comments, names, macros and layout stay. The functions of the
source's library that it uses are in front. docs/translate.md says what is translated, and what is
refused and why. No device is needed.

The directory of a Go package with kernels gives one file: see docs/go-kernels.md. Of other
directories, the .cl and .cu files are translated.

Examples:

  puremetal translate blur.cl
  puremetal translate blur.cl -o blur.metal --report json
  puremetal translate scan.cu --kernel 'scan<float,256>'
  puremetal run blur.metal --kernel blur --grid 640,480 --arg radius=3

The exit code is 0 if all is translated, 1 if something is refused (the other kernels are written),
and 2 for an invalid command line.
`
}

// Run translates the file, or the files of the directory.
func (c *translateCmd) Run(a *app) error {
	switch {
	case c.Report != "" && c.Report != "json":
		return usage("--report %q; want json", c.Report)
	case c.Report != "" && c.Out == "":
		return usage("--report needs -o: standard output cannot have both the text and the report")
	}
	if ok, err := c.isGo(c.File); err != nil || ok {
		if err == nil {
			err = c.goPackage(a)
		}
		return err
	}
	macros, err := defines(flags("-D", c.Define...))
	if err != nil {
		return err
	}
	names, folder, err := c.files()
	if err != nil {
		return err
	}
	if folder && c.Out == "" {
		return usage("%s is a directory; name the directory of the translations with -o", c.File)
	}
	all := &translate.Result{Kernels: []translate.Kernel{}, Refused: []translate.Message{},
		Warnings: []translate.Message{}}
	for _, name := range names {
		out := c.Out
		if folder {
			rel, err := filepath.Rel(c.File, name)
			if err != nil {
				return err
			}
			out = filepath.Join(c.Out, strings.TrimSuffix(rel, filepath.Ext(rel))+".metal")
		}
		r, err := c.translate(a, name, macros)
		if err != nil {
			return err
		}
		if r.Text != "" {
			if err := writeTranslation(a, out, r.Text); err != nil {
				return err
			}
		}
		all.Kernels = append(all.Kernels, r.Kernels...)
		all.Refused = append(all.Refused, r.Refused...)
		all.Warnings = append(all.Warnings, r.Warnings...)
	}
	return c.finish(a, all)
}

// goPackage translates a Go package.
func (c *translateCmd) goPackage(a *app) error {
	if len(c.Define) > 0 || len(c.Include) > 0 {
		return usage("-D and -I are for OpenCL C and CUDA C++; %s is a Go package", c.File)
	}
	r, err := c.translateGo(a, c.File, c.Lines, nil)
	if err != nil {
		return err
	}
	if r.Text != "" {
		if err := writeTranslation(a, c.Out, r.Text); err != nil {
			return err
		}
	}
	return c.finish(a, r)
}

// finish reports what became of the kernels.
func (c *translateCmd) finish(a *app, all *translate.Result) error {
	for _, name := range c.Kernel {
		if all.Kernel(name) == nil && len(all.RefusedKernel(name))+len(all.RefusedKernel("")) == 0 {
			all.Refused = append(all.Refused, translate.Message{File: filepath.ToSlash(c.File), Kernel: name,
				Code: translate.CodeError, Reason: "there is no kernel of this name"})
		}
	}
	if c.Report != "" {
		if err := writeJSON(a.out, all); err != nil {
			return err
		}
	} else {
		writeWarnings(a, all.Warnings)
		writeRefused(a, all.Refused)
	}
	if len(all.Refused) > 0 {
		return errFindings
	}
	return nil
}

// writeWarnings says what a translation makes something else of.
func writeWarnings(a *app, list []translate.Message) {
	for _, m := range list {
		fmt.Fprintf(a.err, "%s:%d:%d: warning: %s [%s]\n", m.File, m.Line, m.Column, m.Reason, m.Code)
	}
}

// files returns the files to translate, and whether the argument is a directory.
func (c *translateCmd) files() (names []string, folder bool, err error) {
	language, err := c.language(c.File)
	if err != nil {
		return nil, false, err
	}
	info, err := os.Stat(c.File)
	if c.File != "-" && err != nil {
		return nil, false, err
	}
	if c.File == "-" || !info.IsDir() {
		if language == "" {
			return nil, false, usage("the name %s does not say the language; use --from opencl or cuda", c.File)
		}
		return []string{c.File}, false, nil
	}
	err = filepath.WalkDir(c.File, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && translate.OfFile(name) != "" {
			names = append(names, name)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no file in another language: want .cl, .cu or .cuh", c.File)
	}
	return names, true, err
}

// translate translates a file.
func (c *translateCmd) translate(a *app, name string, macros map[string]string) (*translate.Result, error) {
	text, err := readSource(a, name)
	if err != nil {
		return nil, err
	}
	var found msl.Options
	if err := findIncludes(name, c.Include, &found); err != nil {
		return nil, err
	}
	shown := name
	if name == "-" {
		shown = "<stdin>"
	}
	from, err := c.language(name)
	if err != nil {
		return nil, err
	}
	r, err := translate.Source(a.ctx, text, translate.Options{Name: filepath.ToSlash(shown), Language: from,
		Macros: macros, Include: found.Include, IncludeDirs: found.IncludeDirs, Dir: found.Dir, Show: found.Show,
		Version: c.CLStd, DoubleAsFloat: c.doubleAsFloat(), Lines: c.Lines,
		Instances: c.Kernel})
	if errors.Is(err, translate.ErrOptions) {
		return nil, usage("%v", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// writeTranslation writes a text to a file, or to standard output.
func writeTranslation(a *app, name, text string) error {
	if name == "" || name == "-" {
		_, err := fmt.Fprint(a.out, text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}
