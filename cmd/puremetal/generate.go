//go:build !puremetal_run

package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/generate"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/translate"
)

// generateCmd is the generate command.
type generateCmd struct {
	File string `arg:"" help:"Source file, in Metal, OpenCL C (.cl) or CUDA C++ (.cu), a Go package, or ./... for all."`

	languageFlags

	Out     string   `short:"o" placeholder:"FILE" help:"The Go file; by default z and the source's name, beside it."`
	Package string   `placeholder:"NAME" help:"The package; by default that of the Go file's directory."`
	Type    string   `placeholder:"NAME" help:"The type that has the methods; by default the source's name."`
	Define  []string `short:"D" sep:"none" placeholder:"NAME[=VALUE]" help:"Define a macro, also at run time."`
	Std     string   `placeholder:"metalX.Y" help:"Language version; metal3.2 by default, compute.DefaultLanguage."`
	Extern  []string `placeholder:"NAME" help:"A structure that the package declares elsewhere."`
	Check   bool     `help:"Write nothing; exit with 1 unless the file is current."`
}

// Help returns the details of generate --help.
func (*generateCmd) Help() string {
	return `The file embeds the source and declares a type with a method for each kernel. The
method's parameters are the kernel's: a buffer is a *compute.Buffer of the element's type, a
constant reference a Go value, a texture a compute.AnyTexture, a sampler a *compute.Sampler. Bind
methods prepare a launch that runs many times. Structures become Go types with Metal's layout,
function constants the fields of a structure. An argument with a function constant as its condition
may be nil.

NewType compiles the file. Functions as its last arguments change the compile options, such as
func(o *compute.CompileOptions) { o.PreciseFunctions = true }.

Texture parameters take any type of texel, because a kernel sees the same numbers whatever the
format. Every launch checks formats and layouts against the device's reflection.

Method names are the kernels' in Go's spelling. A name that is taken gets a number: a kernel named
close has the methods Close2 and BindClose2.

A structure with members that overlap, such as a union, has no Go type: its parameter is a
*compute.Buffer[byte]. Kernels that take function tables are left out.

Of OpenCL C, methods take the grid in work-items and the size of a work-group; of CUDA C++, blocks and
the threads of a block. Kernels have the names of the source, instances of templates as k_float_4.
What is refused is said, and has no method.

The source must be in the Go file's directory or below, for go:embed. #include finds files there,
which are embedded too.

A folder with kernels in Go gets zkernels.metal, their translation, and zkernels.go, with a function
for each kernel: saxpy has the launcher Saxpy, and Saxpy, which is taken, LaunchSaxpy. SaxpyKernel
returns the *compute.Kernel. Slices are buffers, and values have the types of the package. Packages
whose sources have not changed take no time. A kernel that is refused has no launcher, and the exit
code is 1. Of a package that has no kernels any more, the files are removed.

Examples:

  go get -tool github.com/puremetal/puremetal/cmd/puremetal    # once in your module
  //go:generate go tool puremetal generate balls.metal         # in a Go file of the package
  //go:generate go tool puremetal generate ./...               # for kernels in Go

  puremetal generate balls.metal
  puremetal generate --type Physics -D GRAVITY=9.81f -o physics/zkernels.go physics/balls.metal
  puremetal generate --check balls.metal
`
}

// Run writes the file, or the files of Go packages.
func (c *generateCmd) Run(a *app) error {
	if dirs, err := c.goPackages(); err != nil || len(dirs) > 0 {
		if err == nil {
			err = c.launchers(a, dirs)
		}
		return err
	}
	if c.Type != "" && (!token.IsIdentifier(c.Type) || !token.IsExported(c.Type)) {
		return usage("--type %q; want an exported Go name", c.Type)
	}
	for _, name := range []string{c.File, c.Out, c.Package} {
		for _, r := range name {
			if !unicode.IsPrint(r) {
				return usage("%q has the character U+%04X, which no name in a Go file may have; rename the file", name, r)
			}
		}
	}
	out := c.Out
	if out == "" {
		base := filepath.Base(c.File)
		base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
		// A name that ends with _test or _darwin would be built for tests or that system only.
		out = filepath.Join(filepath.Dir(c.File), "z"+strings.ReplaceAll(base, "_", "")+".go")
	}
	source, err := c.generate(a, filepath.Dir(out))
	if err != nil {
		return err
	}
	have, err := document.Header.ReadFile(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch current := err == nil && bytes.Equal(have, source); {
	case current:
		return nil
	case c.Check:
		return fmt.Errorf("%s is not current; run puremetal generate", filepath.ToSlash(out))
	}
	return os.WriteFile(out, source, 0o666)
}

// generate returns the source of a file in a directory.
func (c *generateCmd) generate(a *app, dir string) ([]byte, error) {
	in := generate.Input{Package: c.Package, Type: c.Type, Extern: c.Extern}
	var err error
	if in.Macros, err = defines(flags("-D", c.Define...)); err != nil {
		return nil, err
	}
	version, err := languageVersion(option{text: c.Std, origin: "--std"})
	if err != nil {
		return nil, err
	}
	if c.Std != "" {
		in.Language = version.String()
	}
	opts := msl.Options{Defines: in.Macros, NoWarnings: true, MetalVersion: metalVersion(version)}
	if in.Source, err = within(dir, c.File); err != nil {
		return nil, err
	}
	text, err := readSource(a, c.File)
	if err != nil {
		return nil, err
	}
	if in.Package == "" {
		if in.Package, err = packageOf(dir); err != nil {
			return nil, err
		}
	}
	read := &readFiles{FS: document.Header.FS(os.DirFS(dir))}
	opts.Include, opts.IncludeDirs, opts.Dir = read, []string{"."}, path.Dir(in.Source)
	opts.Show = func(name string) string { return filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name))) }
	f := &checked{name: c.File}
	bar := a.progress(1, "compiling "+c.File)
	defer bar.stop()
	t, err := c.translate(a, text, &in, opts)
	if err != nil {
		return nil, err
	}
	if t != nil {
		text, opts.Defines, opts.Include = t.Text, nil, nil
	}
	f.program, f.diagnostics = msl.Check(a.ctx, msl.Source{Name: filepath.ToSlash(c.File), Text: text}, opts)
	f.reflect(a.ctx)
	bar.stop()
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	if len(f.diagnostics) > 0 {
		return nil, notCompiled(a, f)
	}
	in.Includes, in.Kernels, in.Constants = read.names, f.kernels, f.program.Constants
	source, skipped, err := generate.Go(in)
	for _, s := range skipped {
		fmt.Fprintf(a.err, "puremetal: kernel %s is left out: %s\n", s.Kernel, s.Reason)
	}
	return source, err
}

// translate translates a source in another language than Metal, and says so in the input. It
// returns nil for Metal.
func (c *generateCmd) translate(a *app, text string, in *generate.Input, o msl.Options) (*translate.Result, error) {
	language, err := c.language(c.File)
	if err != nil || language == "" {
		return nil, err
	}
	r, err := translate.Source(a.ctx, text, translate.Options{Name: filepath.ToSlash(c.File), Language: language,
		Macros: in.Macros, Include: o.Include, IncludeDirs: o.IncludeDirs, Dir: o.Dir, Show: o.Show,
		DoubleAsFloat: c.doubleAsFloat(), Lines: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	writeRefused(a, r.Refused)
	if len(r.Kernels) == 0 {
		return nil, fmt.Errorf("%s has no kernels with a translation", c.File)
	}
	in.Dialect, in.DoubleAsFloat = language, c.doubleAsFloat()
	in.Names = map[string]string{}
	for _, k := range r.Kernels {
		in.Names[k.As] = k.Name
	}
	return r, nil
}

// within returns the path of a file from a directory above it, with slashes.
func within(dir, file string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(rel) {
		return "", usage("%s is not in %s or below, so a Go file there cannot embed it", file, dir)
	}
	return filepath.ToSlash(rel), nil
}

// packageOf returns the name of the package in a directory.
func packageOf(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	p, err := build.ImportDir(full, 0)
	var none *build.NoGoError
	switch {
	case err == nil:
		return p.Name, nil
	case !errors.As(err, &none):
		return "", err
	}
	name := filepath.Base(full)
	if !token.IsIdentifier(name) {
		return "", usage("--package is missing: %s has no Go files, and %q is no name of a package", dir, name)
	}
	return name, nil
}

// readFiles is a file system that remembers the names of the files that were opened.
type readFiles struct {
	fs.FS
	names []string // sorted
}

func (f *readFiles) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err == nil {
		if i, found := slices.BinarySearch(f.names, name); !found {
			f.names = slices.Insert(f.names, i, name)
		}
	}
	return file, err
}
