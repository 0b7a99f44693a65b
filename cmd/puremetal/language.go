package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"

	"github.com/puremetal/puremetal/internal/gokernel/folders"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/translate"
)

// languageFlags say which language a source is in.
type languageFlags struct {
	From string `placeholder:"LANGUAGE" help:"Language: metal, opencl, cuda or, of a directory, go; by default by name."`
	FP64 string `name:"fp64" default:"refuse" placeholder:"MODE" help:"Double: refuse, or float with warnings."`

	Checked bool `help:"Go: end a launch with an error where Go would panic, such as at an index out of range."`
}

// language returns the language of a file; "" is Metal.
func (f *languageFlags) language(name string) (translate.Language, error) {
	if mode := cmp.Or(f.FP64, "refuse"); mode != "refuse" && mode != "float" {
		return "", usage("--fp64 %q; want refuse or float", f.FP64)
	}
	if info, err := os.Stat(name); f.Checked && (err != nil || !info.IsDir()) {
		return "", usage("--checked is for the directory of a Go package, and %s is none", name)
	}
	switch l := translate.Language(f.From); l {
	case "":
		return translate.OfFile(name), nil
	case "metal":
		return "", nil
	case translate.OpenCL, translate.CUDA:
		return l, nil
	case translate.Go:
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return l, nil
		}
		return "", usage("--from go is for the directory of a package, and %s is none", name)
	}
	return "", usage("--from %q; want metal, opencl, cuda or go", f.From)
}

func (f *languageFlags) doubleAsFloat() bool { return f.FP64 == "float" }

// set sets the compiler's options for the language of a file.
func (f *languageFlags) set(name string, o *msl.Options) error {
	l, err := f.language(name)
	if err != nil || l == "" {
		return err
	}
	if o.Dialect = dialect.OpenCL; l == translate.CUDA {
		o.Dialect = dialect.CUDA
	}
	if f.doubleAsFloat() {
		macros := o.Dialect.FloatMacros()
		maps.Copy(macros, o.Defines)
		o.Defines = macros
	}
	return nil
}

// isGo reports whether a name is that of the directory of a Go package with kernels.
func (f *languageFlags) isGo(name string) (bool, error) {
	language, err := f.language(name)
	return language == translate.Go || err == nil && f.From == "" && folders.HasKernels(name), err
}

// noGoKernels is the error of a folder that must have kernels in Go.
func noGoKernels(name string) error {
	return fmt.Errorf("%s is a directory without kernels in Go: no function has a line //puremetal:kernel above it", name)
}

// writeRefused says what has no translation.
func writeRefused(a *app, list []translate.Message) {
	for _, m := range list {
		if m.Kernel != "" {
			m.Reason = "kernel " + m.Kernel + ": " + m.Reason
		}
		fmt.Fprintf(a.err, "%s:%d:%d: refused: %s [%s]\n", m.File, m.Line, m.Column, m.Reason, m.Code)
	}
}
