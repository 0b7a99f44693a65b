package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/puremetal/puremetal/internal/document"
)

// spec is a spec file, which sets the flags of run in TOML:
//
//	source  = "mandelbrot.metal"     # relative to the spec file
//	kernel  = "mandelbrot"
//	grid    = [768, 512]             # threads; one to three numbers
//	group   = [16, 16]               # optional
//	args    = ["0=zeros:uchar4[512,768]", "1=float:1.5"]
//	out     = ["0=mandelbrot.png"]   # relative to the current directory
//	const   = ["max_iterations=uint:256"]
//	threadgroup-memory = ["0=1024"]
//	pixel-format = ["photo=sRGB"]
//	cooperative = true               # kernels may synchronize their grid
//	define  = ["FAST=1"]
//	include = ["include"]            # relative to the spec file
//	std     = "metal3.1"
//	repeat  = 5
//	seed    = 1
//
// Instead of one kernel it can have several launches, which share buffers:
//
//	out     = ["image=blurred.png"]
//
//	[buffers]
//	image   = "@photo.png"
//	between = "zeros:uchar4[480,640]"
//
//	[[step]]
//	kernel  = "rows"
//	grid    = [640, 480]
//	args    = ["in=image", "out=between"]
//
//	[[step]]
//	kernel  = "columns"
//	grid    = [640, 480]
//	args    = ["in=between", "out=image", "weight=float:0.5"]
type spec struct {
	name  string
	lines specLines

	source, kernel, grid, group, std                   option
	args, out, constants, threadgroup, define, include []option
	repeat                                             int
	seed                                               *uint64
	formats, buffers                                   []option
	steps                                              []*step
	cooperative                                        bool
}

// specKey is a key of a spec file.
type specKey struct {
	name string
	// set takes the value at a path, and returns what is wrong with it and where.
	set func(path string, v any) (problem, at string)
}

// keys returns the keys of spec files.
func (s *spec) keys() []specKey {
	keys := []specKey{
		{"source", s.text(&s.source)},
		{"kernel", s.text(&s.kernel)},
		{"grid", s.sizes(&s.grid)},
		{"group", s.sizes(&s.group)},
		{"args", s.texts(&s.args)},
		{"out", s.texts(&s.out)},
		{"const", s.texts(&s.constants)},
		{"threadgroup-memory", s.texts(&s.threadgroup)},
		{"pixel-format", s.texts(&s.formats)},
		{"cooperative", boolean(&s.cooperative)},
		{"define", s.texts(&s.define)},
		{"include", s.texts(&s.include)},
		{"std", s.text(&s.std)},
		{"repeat", s.number(1, maxRepeat, func(n int64) { s.repeat = int(n) })},
		{"seed", s.number(0, math.MaxInt64, func(n int64) { s.seed = new(uint64); *s.seed = uint64(n) })},
		{"buffers", nil},
		{"step", nil},
	}
	return keys
}

// stepKeys returns the keys of a [[step]].
func (s *spec) stepKeys(to *step) []specKey {
	return []specKey{
		{"kernel", s.text(&to.kernel)},
		{"grid", s.sizes(&to.grid)},
		{"group", s.sizes(&to.group)},
		{"args", s.texts(&to.args)},
		{"out", s.texts(&to.out)},
		{"const", s.texts(&to.constants)},
		{"threadgroup-memory", s.texts(&to.threadgroup)},
		{"pixel-format", s.texts(&to.formats)},
		{"cooperative", boolean(&to.cooperative)},
	}
}

// stepOnly lists the keys that belong in the [[step]] entries of a spec file that has any.
func stepOnly() []string { return []string{"kernel", "grid", "group", "args", "threadgroup-memory"} }

// text returns a key's setter for text in quotes.
func (s *spec) text(to *option) func(string, any) (string, string) {
	return func(path string, v any) (string, string) {
		text, ok := v.(string)
		if !ok {
			return "must be text in quotes", path
		}
		*to = s.option(path, text)
		return "", ""
	}
}

// texts returns a key's setter for a list of texts.
func (s *spec) texts(to *[]option) func(string, any) (string, string) {
	const problem = `must be a list of texts, such as ["a", "b"]`
	return func(path string, v any) (string, string) {
		list, ok := v.([]any)
		if !ok {
			return problem, path
		}
		for i, e := range list {
			entry := fmt.Sprintf("%s[%d]", path, i)
			text, ok := e.(string)
			if !ok {
				return problem, entry
			}
			*to = append(*to, s.option(entry, text))
		}
		return "", ""
	}
}

// sizes returns a key's setter for one to three integers, which become "640,480".
func (s *spec) sizes(to *option) func(string, any) (string, string) {
	return func(path string, v any) (string, string) {
		list, ok := v.([]any)
		var parts []string
		for _, e := range list {
			n, isInt := e.(int64)
			ok = ok && isInt
			parts = append(parts, strconv.FormatInt(n, 10))
		}
		switch {
		case !ok:
			return "must be a list of integers, such as [640, 480]", path
		case len(parts) < 1 || len(parts) > 3:
			return "has " + count(len(parts), "number") + "; want one to three", path
		}
		*to = s.option(path, strings.Join(parts, ","))
		return "", ""
	}
}

// number returns a key's setter for an integer.
func (s *spec) number(least, most int64, to func(int64)) func(string, any) (string, string) {
	return func(path string, v any) (string, string) {
		n, ok := v.(int64)
		switch {
		case !ok:
			return "must be an integer", path
		case n < least && most == math.MaxInt64:
			return fmt.Sprintf("is %d; want %d or more", n, least), path
		case n < least || n > most:
			return fmt.Sprintf("is %d; want %d to %d", n, least, most), path
		}
		to(n)
		return "", ""
	}
}

// boolean returns a key's setter for true or false.
func boolean(to *bool) func(string, any) (string, string) {
	return func(path string, v any) (string, string) {
		var ok bool
		if *to, ok = v.(bool); !ok {
			return "must be true or false", path
		}
		return "", ""
	}
}

// option returns the text at a path with its origin.
func (s *spec) option(path, text string) option {
	key := path[strings.LastIndex(path, ".")+1:]
	key, _, _ = strings.Cut(key, "[")
	return option{text: text, origin: s.place(path) + ": " + key, dir: filepath.Dir(s.name)}
}

// place returns "job.toml:4".
func (s *spec) place(path string) string { return fmt.Sprintf("%s:%d", s.name, s.lines.line(path)) }

// specFile returns the spec file for the argument FILE: FILE itself if it ends in .toml, or, if it
// is a directory, the spec file in it that has the directory's name or is the only one. "" means
// that FILE is source.
func specFile(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		switch filepath.Ext(name) {
		case ".toml":
			return name, nil
		case ".json":
			return "", usage("%s: spec files are TOML (*.toml), not JSON", name)
		}
		return "", nil
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	file := filepath.Join(name, filepath.Base(full)+".toml")
	if _, err := os.Stat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	all, err := filepath.Glob(filepath.Join(escapeGlob(name), "*.toml"))
	if err != nil {
		return "", err
	}
	switch len(all) {
	case 0:
		return "", usage("%s is a directory without a spec file (*.toml)", name)
	case 1:
		return all[0], nil
	}
	return "", usage("%s has several spec files; choose one of %s", name, strings.Join(all, ", "))
}

// escapeGlob escapes a directory's name for use in a pattern.
func escapeGlob(name string) string {
	if filepath.Separator == '\\' {
		return name // patterns have no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// readSpec reads a spec file. Unknown keys are errors, so that a misspelled key is not ignored.
func readSpec(name string) (*spec, error) {
	text, err := document.Spec.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines, err := linesOf(string(text))
	if err != nil {
		return nil, usage("%s:%w", name, err)
	}
	var values map[string]any
	if _, err := toml.Decode(string(text), &values); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, usage("%s:%d: %s", name, at.Position.Line, at.Message)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &spec{name: name, lines: lines}
	if err := s.table("", values, s.keys()); err != nil {
		return nil, err
	}
	for _, k := range stepOnly() {
		if _, given := values[k]; given && len(s.steps) > 0 {
			return nil, usage("%s: %s belongs in the [[step]] entries of this file", s.place(k), k)
		}
	}
	if s.source.text == "" {
		return nil, usage("%s: the spec file has no source", name)
	}
	return s, nil
}

// table reads the keys of the table at a path, in the order of the file.
func (s *spec) table(path string, values map[string]any, keys []specKey) error {
	for _, name := range s.ordered(path, values) {
		at := strings.TrimPrefix(path+"."+name, ".")
		i := slices.IndexFunc(keys, func(known specKey) bool { return known.name == name })
		if i < 0 {
			return s.unknown(path, name, keys)
		}
		var err error
		switch {
		case keys[i].set != nil:
			if problem, where := keys[i].set(at, values[name]); problem != "" {
				err = usage("%s: %s %s", s.place(where), name, problem)
			}
		case name == "buffers":
			err = s.readBuffers(values[name])
		default:
			err = s.readSteps(values[name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ordered returns the keys of the table at a path in the order of the file.
func (s *spec) ordered(path string, values map[string]any) []string {
	line := func(name string) int { return s.lines.line(strings.TrimPrefix(path+"."+name, ".")) }
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(line(a), line(b)), cmp.Compare(a, b))
	})
}

// unknown returns the error for a key that the table at a path does not have.
func (s *spec) unknown(path, name string, keys []specKey) error {
	var known []string
	for _, k := range keys {
		known = append(known, k.name)
	}
	in, place := "", s.place(strings.TrimPrefix(path+"."+name, "."))
	if path != "" {
		in = " in [[step]]"
		if slices.ContainsFunc(s.keys(), func(k specKey) bool { return k.name == name }) {
			return usage("%s: %s is for all steps; move it above the first [buffers] or [[step]]", place, name)
		}
	}
	return usage("%s: unknown key %q%s; %s", place, name, in, meant(name, "the keys are", known))
}

// readBuffers reads [buffers].
func (s *spec) readBuffers(v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return usage(`%s: buffers must be a table: [buffers] and lines such as x = "zeros:float[64]"`,
			s.place("buffers"))
	}
	for _, name := range s.ordered("buffers", table) {
		path := "buffers." + name
		text, ok := table[name].(string)
		switch {
		case !identifier(name):
			return usage("%s: %q is no name of a buffer; want letters, digits and underscores", s.place(path), name)
		case !ok && slices.ContainsFunc(s.keys(), func(k specKey) bool { return k.name == name }):
			return usage("%s: %s is no buffer; move it above [buffers]", s.place(path), name)
		case !ok:
			return usage(`%s: buffer %s must be a VALUE in quotes, such as "zeros:float[64]"`, s.place(path), name)
		}
		o := s.option(path, name+"="+text)
		o.origin = s.place(path) + ": buffers"
		s.buffers = append(s.buffers, o)
	}
	return nil
}

// readSteps reads the [[step]] entries.
func (s *spec) readSteps(v any) error {
	var tables []map[string]any
	switch v := v.(type) {
	case []map[string]any:
		tables = v
	case []any: // step = [{...}]
		for _, e := range v {
			t, ok := e.(map[string]any)
			if !ok {
				tables = nil
				break
			}
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return usage("%s: step must be a list of tables, each with [[step]] above it", s.place("step"))
	}
	for i, t := range tables {
		path := fmt.Sprintf("step[%d]", i)
		to := &step{at: fmt.Sprintf("%s: step %d: ", s.place(path), i+1), number: i + 1}
		if err := s.table(path, t, s.stepKeys(to)); err != nil {
			return err
		}
		s.steps = append(s.steps, to)
	}
	return nil
}

// apply fills in the settings of c that the flags leave open.
func (s *spec) apply(c *runCmd) {
	beside := func(o option) string {
		if filepath.IsAbs(o.text) {
			return o.text
		}
		return filepath.Join(filepath.Dir(s.name), o.text)
	}
	c.source = beside(s.source)
	for _, i := range s.include {
		c.Include = append(c.Include, beside(i))
	}
	if c.Repeat == 0 {
		c.Repeat = s.repeat
	}
	if c.Seed == nil {
		c.Seed = s.seed
	}
}
