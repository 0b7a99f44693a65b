package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/translate"
)

// option is the text of a flag or of a spec file's entry, with its origin.
type option struct {
	text   string
	origin string // "--arg", or "job.toml:4: args"
	dir    string // that names of @files are relative to
}

// flags returns the texts of a flag as options.
func flags(name string, texts ...string) (out []option) {
	for _, t := range texts {
		out = append(out, option{text: t, origin: name})
	}
	return out
}

// flag returns the text of a flag as an option, and the spec file's option if there is none.
func flag(name, text string, file option) option {
	if text == "" && file.origin != "" {
		return file
	}
	return option{text: text, origin: name}
}

// String returns "--arg 0=float:1" or "job.toml:4: args 0=float:1".
func (o option) String() string { return diag.EscapeLine(o.origin + " " + o.text) }

// key returns what precedes the equals sign.
func (o option) key() string {
	key, _, _ := strings.Cut(o.text, "=")
	return key
}

// plan is what to run, from the flags and the spec file.
type plan struct {
	source  option             // file name
	text    string             // of the source
	dialect translate.Language // of the source; "" is Metal
	// goPackage is the translation whose text it is, nil if the source is no Go package.
	goPackage *translate.Result
	std       option
	define    []option
	steps     []*step
	buffers   []option // that the steps share: NAME=VALUE
	formats   []option // of buffers that are textures: NAME=FORMAT
	out       []option // of these buffers: NAME=FILE
}

// step is a launch of a kernel.
type step struct {
	at     string // "job.toml:7: step 2: ", or "job.toml: " for its only kernel, or "" without a spec file
	number int    // from 1, or 0 for an only kernel

	kernel, grid, group               option
	args, out, constants, threadgroup []option
	formats                           []option // of textures
	cooperative                       bool     // the kernel may synchronize its grid
}

// usage returns an error about the step as a whole.
func (s *step) usage(format string, args ...any) error { return usage(s.at+format, args...) }

// missing returns an error about a setting that was not given.
func (s *step) missing(key, format string, args ...any) error {
	if s.at == "" {
		key = "--" + key
	}
	return s.usage(key+" is missing"+format, args...)
}

// entry returns how to write an option: "--arg 0=float:1" on the command line, or in a spec file
// `args = ["0=float:1"]`.
func (s *step) entry(flag, key, text string) string {
	if s.at == "" {
		return flag + " " + text
	}
	return fmt.Sprintf("%s = [%q]", key, text)
}

// cooperativeEntry returns how to let the step's kernel synchronize its grid.
func (s *step) cooperativeEntry() string {
	if s.at == "" {
		return "--cooperative"
	}
	return "cooperative = true"
}

// plan combines the flags with the spec file, which may be nil. Flags override the file.
func (c *runCmd) makePlan(f *spec) (*plan, error) {
	args, out := flags("--arg", c.Arg...), flags("--out", c.Out...)
	threadgroup := flags("--threadgroup-memory", c.ThreadgroupMemory...)
	constants, formats := flags("--const", c.Const...), flags("--pixel-format", c.PixelFormat...)
	if f == nil {
		f = new(spec)
	}
	p := &plan{source: option{text: c.source, origin: f.source.origin}, std: flag("--std", c.Std, f.std),
		define: override(f.define, flags("-D", c.Define...))}
	if len(f.steps) == 0 {
		if len(f.buffers) > 0 {
			return nil, usage("%s: [buffers] are for [[step]] entries, and the spec file has none; use args",
				f.place("buffers"))
		}
		only := &step{kernel: flag("--kernel", c.Kernel, f.kernel), grid: flag("--grid", c.Grid, f.grid),
			group: flag("--group", c.Group, f.group), args: override(f.args, args), out: override(f.out, out),
			constants: override(f.constants, constants), threadgroup: override(f.threadgroup, threadgroup),
			formats: override(f.formats, formats), cooperative: c.Cooperative || f.cooperative}
		if f.name != "" {
			only.at = f.name + ": "
		}
		p.steps = []*step{only}
		return p, nil
	}
	for _, single := range []struct{ flag, text string }{{"--kernel", c.Kernel}, {"--grid", c.Grid},
		{"--group", c.Group}, {"--threadgroup-memory", strings.Join(c.ThreadgroupMemory, ",")}} {
		if single.text != "" {
			return nil, usage("%s %s: the steps of %s have their own", single.flag, single.text, f.name)
		}
	}
	for _, o := range slices.Concat(args, out, formats) {
		if !slices.ContainsFunc(f.buffers, func(b option) bool { return b.key() == o.key() }) {
			return nil, usage("%v: %s", o, noBuffer(f.buffers, o.key()))
		}
	}
	p.buffers, p.out, p.formats = override(f.buffers, args), override(f.out, out), override(f.formats, formats)
	for _, s := range f.steps {
		s.constants = override(override(f.constants, s.constants), constants)
		s.cooperative = s.cooperative || f.cooperative || c.Cooperative
		p.steps = append(p.steps, s)
	}
	return p, nil
}

// instances returns the kernels of the steps that are instances of templates.
func (p *plan) instances() (list []string) {
	for _, s := range p.steps {
		if p.dialect == translate.CUDA && strings.Contains(s.kernel.text, "<") {
			list = append(list, s.kernel.text)
		}
	}
	return list
}

// silent returns the plan without outputs.
func (p *plan) silent() *plan {
	silent := *p
	silent.out, silent.steps = nil, nil
	for _, s := range p.steps {
		s := *s
		s.out = nil
		silent.steps = append(silent.steps, &s)
	}
	return &silent
}

// noBuffer says that no buffer has a name, and which there are.
func noBuffer(buffers []option, name string) string {
	var names []string
	for _, b := range buffers {
		names = append(names, b.key())
	}
	if len(names) == 0 {
		return fmt.Sprintf("there is no buffer %q; the spec file has no [buffers]", name)
	}
	return fmt.Sprintf("[buffers] has no %q; %s", name, meant(name, "it has", names))
}

// meant returns "did you mean NAME?" if one of the names is similar, and otherwise lists them after
// a verb: "it has a, b".
func meant(name, verb string, names []string) string {
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return verb + " " + strings.Join(names, ", ")
}

// nearest returns the name that may be meant by another: one that differs in few letters, or else
// the one with the longest beginning in common, if that is most of either, as const of constant.
func nearest(name string, names []string) string {
	if near := diag.Suggest(name, slices.Values(names)); near != "" {
		return near
	}
	best, length := "", 0
	for _, n := range names {
		common := 0
		for common < min(len(n), len(name)) && n[common] == name[common] {
			common++
		}
		if common > max(2, length) && 3*common >= 2*min(len(n), len(name)) {
			best, length = n, common
		}
	}
	return best
}

// override returns the options whose keys no later option has, followed by these.
func override(first, later []option) []option {
	var out []option
	for _, o := range first {
		if !slices.ContainsFunc(later, func(l option) bool { return l.key() == o.key() }) {
			out = append(out, o)
		}
	}
	return append(out, later...)
}
