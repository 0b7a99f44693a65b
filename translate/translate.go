// Package translate translates kernels of other languages to Metal: OpenCL C, CUDA C++ and Go.
//
// The translation is the source with edits. Comments, names, macros and layout stay, so that a
// reader recognizes the file. In front are the functions of the language's library that it uses, in
// a namespace. What Metal gives only to kernels, such as the position of a thread, is handed down
// as parameters. See docs/translate.md for what is translated and what is refused.
//
// Each text has been compiled by this module's compiler. The package needs no device.
package translate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
)

// Language is the language of a source.
type Language string

// Languages. OpenCL is OpenCL C 1.2, with what kernels use of 2.0 and 3.0. CUDA is CUDA C++; of a
// file with code for the host, what the kernels use is translated, and launches in that code say
// which instances of templates there are. Go is for package compute/gokernel, which reads packages.
const (
	OpenCL Language = "opencl"
	CUDA   Language = "cuda"
	Go     Language = "go"
)

// OfFile returns the language of a file by its name: OpenCL for .cl, CUDA for .cu and .cuh. It
// returns "" for others.
func OfFile(name string) Language {
	switch strings.ToLower(path.Ext(name)) {
	case ".cl":
		return OpenCL
	case ".cu", ".cuh":
		return CUDA
	}
	return ""
}

// Options are the options of a translation. The zero value translates a file whose name says its
// language.
type Options struct {
	// Name is the file's name for messages and #line, with slashes. It says the language unless
	// Language does.
	Name     string
	Language Language
	// Macros are defined before the source, by name; a key may be "name(parameters)". They are in
	// the text, so it stays correct without them, and the library's text does not see them.
	Macros map[string]string
	// Include is the file system for #include, nil for none. Files are looked up beside the
	// including file and then in IncludeDirs. Dir is the source's folder in it; "" is that of Name.
	Include     fs.FS
	IncludeDirs []string
	Dir         string
	// Show, if set, returns the name of an included file for messages.
	Show func(path string) string
	// Version is OpenCL's version: 1.2, the default, 2.0 or 3.0.
	Version string
	// DoubleAsFloat computes in float what the source computes in double, with a warning for each
	// line. Otherwise double is refused.
	DoubleAsFloat bool
	// Instances are instances of CUDA's kernels that are templates, such as k<float,4>. Those that
	// the file launches need not be here.
	Instances []string
	// Lines adds #line directives, so that compilers name the places of the source.
	Lines bool
	// Checked is for Go: where Go would panic, such as at an index out of range, the software device
	// ends the launch with an error that has the file and line, and other devices write a message to
	// the log. It needs version 3.2 of the language.
	Checked bool
	// FastMath leaves out the pragmas for safe mathematics; Metal's compiler may then reorder
	// operations and assume that there are no NaNs.
	FastMath bool
}

// Result is a translation. Its JSON form is that of puremetal translate --report json.
type Result struct {
	// Text is the program in Metal; "" if nothing could be translated.
	Text string `json:"-"`
	// Kernels are the kernels in Text, in the order of the source.
	Kernels []Kernel `json:"kernels"`
	// Refused says what is not in Text, and why. A reason that concerns several kernels is there
	// for each of them.
	Refused []Message `json:"refused"`
	// Warnings are about what is in Text.
	Warnings []Message `json:"warnings"`
}

// Kernel is a translated kernel.
type Kernel struct {
	Name string `json:"name"` // in the source
	As   string `json:"as"`   // in the text: different if Metal reserves the name
	File string `json:"file"` // of its name in the source, as messages name it
	Line int    `json:"line"` // from 1
	// Group is the threads of a threadgroup that the source requires, 0 each if it does not.
	Group [3]int     `json:"group"`
	Args  []Argument `json:"args"`
}

// Argument is an argument of a kernel.
type Argument struct {
	Name string `json:"name"` // in the source
	As   string `json:"as"`   // in the text
	// Kind is buffer, value, threadgroup, texture or sampler, or in Go also length: the number of
	// elements of the slice Of, which is a value. A value is bound as a buffer with one element, or
	// as bytes.
	Kind string `json:"kind"`
	Of   string `json:"of,omitempty"`
	// Index is where Metal binds it. Buffers and values, threadgroup memory, textures and samplers
	// are numbered separately.
	Index int `json:"index"`
	// Type is the type of an element of a buffer or threadgroup memory, or of the value, in the
	// source. Integers have Metal's names, such as uint.
	Type string `json:"type"`
}

// Message is a refusal or a warning, at a place in the source.
type Message struct {
	File   string `json:"file"`
	Line   int    `json:"line"`   // from 1; 0 if it has no place
	Column int    `json:"column"` // in bytes, from 1
	Kernel string `json:"kernel"` // "" if it concerns all
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// String returns the message as compilers write them.
func (m Message) String() string {
	return fmt.Sprintf("%s:%d:%d: %s [%s]", m.File, m.Line, m.Column, m.Reason, m.Code)
}

// The codes of messages. Codes do not change their meaning.
const (
	// CodeError: the program has an error. The reason ends with the compiler's own code.
	CodeError = "T0010"
	// CodeUnsupported: Metal, or its software device, has no such thing.
	CodeUnsupported = "T0011"
	// CodeDouble warns that a line computes in float what the source computes in double.
	CodeDouble = "T0012"
	// CodeWarning: the compiler warns. The reason ends with the compiler's own code.
	CodeWarning = "T0013"
)

// ErrOptions is the error of options that are not valid. ErrInternal is the error of a translation
// that does not compile or has another meaning than the source: a bug in this package.
var (
	ErrOptions  = errors.New("translate: invalid options")
	ErrInternal = translate.ErrInternal
)

// Source translates a program. What the program has wrong, and what has no translation, is in the
// result, which has the other kernels. The error is ErrOptions, ErrInternal or that of the context.
//
// Time and memory are limited by the size of the program, as when it is compiled.
func Source(ctx context.Context, text string, o Options) (*Result, error) {
	out := &Result{Kernels: []Kernel{}, Refused: []Message{}, Warnings: []Message{}}
	compile, err := o.compile()
	if err == nil && o.Checked {
		err = fmt.Errorf("%w: Checked is for Go", ErrOptions)
	}
	if err != nil {
		return out, err
	}
	r, err := translate.Translate(ctx, msl.Source{Name: o.Name, Text: text},
		translate.Options{Compile: compile, Lines: o.Lines, Fast: o.FastMath, Instances: o.Instances})
	out.Text = r.Text
	for _, k := range r.Kernels {
		x := Kernel{Name: instanceName(k.Name), As: k.As, File: k.File, Line: k.Line, Group: k.Group, Args: []Argument{}}
		for _, a := range k.Args {
			x.Args = append(x.Args, Argument{Name: a.Name, As: a.As, Kind: a.Kind, Index: a.Index, Type: a.Type})
		}
		out.Kernels = append(out.Kernels, x)
	}
	for _, m := range r.Refused {
		out.Refused = append(out.Refused, message(m, CodeError))
	}
	for _, m := range r.Warnings {
		out.Warnings = append(out.Warnings, message(m, CodeWarning))
	}
	for _, p := range r.Doubles {
		out.Warnings = append(out.Warnings, Message{File: p.File, Line: p.Line, Column: p.Column, Code: CodeDouble,
			Reason: "double is float here"})
	}
	return out, err
}

func message(m translate.Refusal, code string) Message {
	x := Message{File: m.File, Line: m.Line, Column: m.Column, Kernel: instanceName(m.Kernel), Code: code,
		Reason: m.Reason}
	switch {
	case strings.HasPrefix(string(m.Code), "T"):
		x.Code = string(m.Code)
		return x
	case strings.HasPrefix(string(m.Code), "U"), m.Code == diag.NotInMSL, m.Code == diag.Recursion:
		x.Code = CodeUnsupported
	}
	x.Reason += " [" + string(m.Code) + "]"
	return x
}

// compile returns the options of the compiler.
func (o *Options) compile() (msl.Options, error) {
	language := o.Language
	if language == "" {
		language = OfFile(o.Name)
	}
	c := msl.Options{Include: o.Include, IncludeDirs: o.IncludeDirs, Dir: o.Dir, Show: o.Show,
		Defines: map[string]string{},
		Ignore:  []diag.Code{diag.UnusedVariable}}
	switch language {
	case OpenCL:
		c.Dialect = dialect.OpenCL
	case CUDA:
		c.Dialect = dialect.CUDA
	case "":
		return c, fmt.Errorf("%w: the name %q does not say the language; want .cl or .cu", ErrOptions, o.Name)
	case Go:
		return c, fmt.Errorf("%w: language %q is for Package, which reads a folder", ErrOptions, language)
	default:
		return c, fmt.Errorf("%w: language %q; want %q or %q", ErrOptions, language, OpenCL, CUDA)
	}
	switch o.Version {
	case "", "1.2":
	case "2.0", "3.0":
		number := strings.Replace(o.Version, ".", "", 1) + "0"
		c.Defines["__OPENCL_C_VERSION__"] = number
		c.Defines["__OPENCL_VERSION__"] = number
		c.Defines["CL_VERSION_2_0"] = "200"
		if o.Version == "3.0" {
			c.Defines["CL_VERSION_3_0"] = "300"
		}
	default:
		return c, fmt.Errorf("%w: OpenCL version %q; want 1.2, 2.0 or 3.0", ErrOptions, o.Version)
	}
	if o.DoubleAsFloat {
		maps.Copy(c.Defines, c.Dialect.FloatMacros())
	}
	for _, name := range slices.Sorted(maps.Keys(o.Macros)) {
		c.Defines[name] = o.Macros[name]
	}
	return c, nil
}
