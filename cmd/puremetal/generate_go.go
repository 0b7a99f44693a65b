//go:build !puremetal_run

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/generate"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/gokernel/folders"
	built "github.com/puremetal/puremetal/internal/version"
	"github.com/puremetal/puremetal/translate"
)

// The files of a package's launchers.
const (
	launchersFile = "zkernels.go"
	metalFile     = "zkernels.metal"
)

// goPackages returns the folders of Go packages that the argument names, nil if it is a file. A
// package that has launchers and no kernels any more is one of them.
func (c *generateCmd) goPackages() ([]string, error) {
	wanted := func(dir string) bool { return folders.HasKernels(dir) || hasLaunchers(dir) }
	if dirs, err := folders.Match(c.File, wanted); err != nil || len(dirs) != 1 || dirs[0] != c.File {
		return dirs, err
	}
	if ok, err := c.isGo(c.File); err != nil || ok || hasLaunchers(c.File) {
		return []string{c.File}, err
	}
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return nil, noGoKernels(c.File)
	}
	return nil, nil
}

// launchers writes the launchers of the Go packages in folders, or checks them.
func (c *generateCmd) launchers(a *app, dirs []string) error {
	if c.Out != "" || c.Package != "" || c.Type != "" || len(c.Define) > 0 || c.Std != "" || len(c.Extern) > 0 {
		return usage("-o, --package, --type, -D, --std and --extern are not for Go packages, whose files are %s and %s",
			launchersFile, metalFile)
	}
	var errs []error
	for _, dir := range dirs {
		if err := c.launchersOf(a, dir); err != nil {
			if a.ctx.Err() != nil {
				return err
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// launchersOf writes the launchers of one package, unless they are current.
func (c *generateCmd) launchersOf(a *app, dir string) error {
	have, err := readLaunchers(dir)
	if err != nil {
		return err
	}
	if !folders.HasKernels(dir) {
		return have.remove(c.Check)
	}
	m, err := moduleOf(dir, nil)
	if err != nil {
		return err
	}
	// Names of files are those of the module, so that the result does not depend on where it is.
	sources, err := gokernel.ReadSources(m.files, m.dir, nil)
	if err != nil {
		return err
	}
	release := built.Release
	if a.release != nil {
		release = a.release
	}
	want := launchersState{sources: hex.EncodeToString(sources.Sum[:]), by: release()}
	if c.Checked {
		want.sources += " checked"
	}
	if c.doubleAsFloat() {
		want.sources += " with float64 as float"
	}
	if want.by != "" && have.state == want && have.whole() {
		return nil
	}
	if want.by == "" { // this program may translate as no other one does
		want.by = "a development version"
		if have.state.sources == want.sources && have.state.by != "" {
			want.by = have.state.by // which only matters if all else is the same
		}
	}
	r, err := gokernel.Translate(a.ctx, sources, m.dir, gokernel.Options{Lines: true, Checked: c.Checked,
		DoubleAsFloat: c.doubleAsFloat()})
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.ToSlash(dir), err)
	}
	for _, k := range r.Kernels {
		if k.Constrained != "" {
			r.Refused = append(r.Refused, gokernel.Refusal{Pos: k.Pos, Kernel: k.Name, Code: "T0021",
				Reason: fmt.Sprintf("it needs %s, which not all builds have, and its launcher is for all; "+
					"move what it needs to a file without a build constraint", k.Constrained)})
		}
	}
	var warnings, refused []translate.Message
	for _, p := range r.Doubles {
		warnings = append(warnings, translate.Message{File: m.show(p.Filename), Line: p.Line, Column: p.Column,
			Code: translate.CodeDouble, Reason: "float64 is float here"})
	}
	for _, x := range r.Refused {
		refused = append(refused, translate.Message{File: m.show(x.Pos.Filename), Line: x.Pos.Line, Column: x.Pos.Column,
			Kernel: x.Kernel, Code: string(x.Code), Reason: x.Reason})
	}
	writeWarnings(a, warnings)
	writeRefused(a, refused)
	r.Kernels = slices.DeleteFunc(r.Kernels, func(k *gokernel.Kernel) bool { return k.Constrained != "" })
	if len(r.Refused) > 0 {
		err = errFindings
		want.sources = "incomplete" // so that the next run refuses again
	}
	if len(r.Kernels) == 0 && err != nil { // all refused; what callers need stays until they are mended
		return err
	}
	if len(r.Kernels) == 0 { // they are in files of other builds, or of tests
		return have.remove(c.Check)
	}
	made, e := newLaunchers(dir, r, want)
	if e == nil {
		e = made.write(have, c.Check)
	}
	if e != nil {
		return fmt.Errorf("%s: %w", filepath.ToSlash(dir), e)
	}
	return err
}

// launcherFiles are the launchers of a package.
type launcherFiles struct {
	dir       string
	text      []byte // of the Go file
	metal     []byte
	state     launchersState
	signature string // of both files
}

// launchersState says what launchers were made of: the sum of the sources, and the version of this
// module.
type launchersState struct{ sources, by string }

// stateLine is the line of the Go file with the state and the sum of both files.
var stateLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^// Sources (.+), translated by (.+); files (\w+)\.$`)
})

// noSum is in the place of the sum of the files for that sum.
const noSum = "unknown"

// readLaunchers reads the launchers that a package has. It refuses files of other origin.
func readLaunchers(dir string) (f *launcherFiles, err error) {
	f = &launcherFiles{dir: dir}
	for _, x := range []struct {
		name string
		text *[]byte
	}{{launchersFile, &f.text}, {metalFile, &f.metal}} {
		name := filepath.Join(dir, x.name)
		*x.text, err = document.Header.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && !bytes.HasPrefix(*x.text, []byte(gokernel.GeneratedMark)) {
			return nil, fmt.Errorf("%s is no launcher of kernels in Go; move it, since the package's launchers have this name",
				filepath.ToSlash(name))
		}
	}
	if m := stateLine().FindSubmatch(f.text); m != nil {
		f.state, f.signature = launchersState{string(m[1]), string(m[2])}, string(m[3])
	}
	return f, nil
}

// hasLaunchers reports whether a folder has launchers, or one of their files.
func hasLaunchers(dir string) bool {
	f, err := readLaunchers(dir)
	return err == nil && (f.text != nil || f.metal != nil)
}

// remove removes the launchers of a package that has no kernels any more, or returns an error if
// there are any.
func (f *launcherFiles) remove(check bool) error {
	if err := (&launcherFiles{dir: f.dir}).write(f, check); err != nil {
		return fmt.Errorf("%s: %w", filepath.ToSlash(f.dir), err)
	}
	return nil
}

// whole reports whether the files are as they were written.
func (f *launcherFiles) whole() bool {
	return f.signature == f.sum(bytes.Replace(f.text, []byte("; files "+f.signature+"."), []byte("; files "+noSum+"."), 1))
}

// sum returns the sum of the files, given the text of the Go file without it.
func (f *launcherFiles) sum(text []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n", len(text))
	h.Write(text)
	h.Write(f.metal)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// newLaunchers makes the launchers of a translated package.
func newLaunchers(dir string, r *gokernel.Result, state launchersState) (*launcherFiles, error) {
	f := &launcherFiles{dir: dir, state: state}
	first := gokernel.GeneratedMark + r.Package.Name() + "; DO NOT EDIT.\n"
	f.metal = []byte(first + "\n" + r.Text)
	header := first + fmt.Sprintf("//\n// Sources %s, translated by %s; files %s.\n", state.sources, state.by, noSum)
	text, err := generate.Launchers(r, header, strings.Contains(r.Text, "os_log"))
	if err != nil {
		return nil, err
	}
	f.signature = f.sum(text)
	f.text = bytes.Replace(text, []byte("; files "+noSum+"."), []byte("; files "+f.signature+"."), 1)
	return f, nil
}

// write writes the files that differ from those that the package has and removes those that it
// should not have, or returns an error for them.
func (f *launcherFiles) write(have *launcherFiles, check bool) error {
	for _, x := range []struct {
		name       string
		want, have []byte
	}{{metalFile, f.metal, have.metal}, {launchersFile, f.text, have.text}} {
		name := filepath.Join(f.dir, x.name)
		switch {
		case bytes.Equal(x.want, x.have):
		case check && x.want == nil:
			return fmt.Errorf("%s is of kernels that the package does not have any more; run puremetal generate", x.name)
		case x.want == nil:
			if err := os.Remove(name); err != nil {
				return err
			}
		case check:
			return fmt.Errorf("%s is not current; run puremetal generate", x.name)
		default:
			if err := os.WriteFile(name, x.want, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}
