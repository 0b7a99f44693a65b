package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
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
//	define  = ["FAST=1"]
//	include = ["include"]            # relative to the spec file
//	std     = "metal3.1"
//	repeat  = 5
//	seed    = 1
type spec struct {
	Source            string
	Kernel            string
	Grid              []int
	Group             []int
	Args              []string
	Out               []string
	Const             []string
	ThreadgroupMemory []string
	Define            []string
	Include           []string
	Std               string
	Repeat            int
	Seed              *int64 // TOML's integers have a sign
}

// specKey is a key of spec files.
type specKey struct {
	name string
	to   any    // a field of the spec
	want string // what the value must be
}

// keys returns the keys of spec files.
func (s *spec) keys() []specKey {
	const (
		text    = "text in quotes"
		texts   = "a list of texts, such as [\"a\", \"b\"]"
		number  = "an integer"
		numbers = "a list of integers, such as [640, 480]"
	)
	return []specKey{
		{"source", &s.Source, text},
		{"kernel", &s.Kernel, text},
		{"grid", &s.Grid, numbers},
		{"group", &s.Group, numbers},
		{"args", &s.Args, texts},
		{"out", &s.Out, texts},
		{"const", &s.Const, texts},
		{"threadgroup-memory", &s.ThreadgroupMemory, texts},
		{"define", &s.Define, texts},
		{"include", &s.Include, texts},
		{"std", &s.Std, text},
		{"repeat", &s.Repeat, number},
		{"seed", &s.Seed, number},
	}
}

// refusal is a value that TOML's decoder refuses with this message. The decoder adds the line,
// which it tells in no other way.
type refusal string

// UnmarshalTOML implements toml.Unmarshaler.
func (r refusal) UnmarshalTOML(any) error { return errors.New(string(r)) }

// maxSpec is the largest size of a spec file in bytes.
const maxSpec = 1 << 20

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
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSpec {
		return nil, usage("%s has %d bytes; a spec file may have at most %d", name, info.Size(), maxSpec)
	}
	var values map[string]toml.Primitive
	meta, err := toml.DecodeFile(name, &values)
	if err != nil {
		return nil, specError(name, err)
	}
	var s spec
	keys := s.keys()
	for _, k := range meta.Keys() {
		refuse := func(format string, args ...any) error {
			r, at := refusal(fmt.Sprintf(format, args...)), values[k[0]]
			for _, inner := range k[1:] { // in a.b = 1, only b has a line
				var table map[string]toml.Primitive
				if err := meta.PrimitiveDecode(at, &table); err != nil {
					return specError(name, err)
				}
				at = table[inner]
			}
			return specError(name, meta.PrimitiveDecode(at, &r))
		}
		at := slices.IndexFunc(keys, func(known specKey) bool { return known.name == k[0] })
		if at < 0 {
			return nil, refuse("unknown key %q; the keys are %s", k[0], keyNames(keys))
		}
		if err := meta.PrimitiveDecode(values[k[0]], keys[at].to); err != nil {
			return nil, refuse("%s must be %s", k[0], keys[at].want)
		}
		n, isList := keys[at].to.(*[]int)
		switch {
		case isList && (len(*n) < 1 || len(*n) > 3):
			return nil, refuse("%s has %s; want one to three", k[0], count(len(*n), "number"))
		case s.Seed != nil && *s.Seed < 0:
			return nil, refuse("seed is %d; want 0 or more", *s.Seed)
		}
	}
	return &s, nil
}

// specError returns an error of TOML's decoder with the file's name and the line in front.
func specError(name string, err error) error {
	var at toml.ParseError
	if !errors.As(err, &at) { // the file cannot be read
		return err
	}
	return usage("%s:%d: %s", name, at.Position.Line, at.Message)
}

func keyNames(keys []specKey) string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// apply fills in what the flags leave open. Lists are those of the file, then those of the flags,
// which take the place of entries for the same argument.
func (s *spec) apply(c *runCmd, dir string) error {
	beside := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	if s.Source == "" {
		return usage("the spec file has no source")
	}
	c.source = beside(s.Source)
	if c.Kernel == "" {
		c.Kernel = s.Kernel
	}
	for _, g := range []struct {
		flag *string
		file []int
	}{{&c.Grid, s.Grid}, {&c.Group, s.Group}} {
		if *g.flag == "" && g.file != nil {
			*g.flag = strings.Trim(strings.ReplaceAll(fmt.Sprint(g.file), " ", ","), "[]")
		}
	}
	args := override(s.Args, c.Arg) // the file's come first
	c.argDirs = append(slices.Repeat([]string{dir}, len(args)-len(c.Arg)), make([]string, len(c.Arg))...)
	c.Arg = args
	c.Out = override(s.Out, c.Out)
	c.Const = override(s.Const, c.Const)
	c.ThreadgroupMemory = override(s.ThreadgroupMemory, c.ThreadgroupMemory)
	c.Define = override(s.Define, c.Define)
	for _, i := range s.Include {
		c.Include = append(c.Include, beside(i))
	}
	if c.Std == "" {
		c.Std = s.Std
	}
	if c.Repeat == 0 {
		c.Repeat = s.Repeat
	}
	if c.Seed == nil && s.Seed != nil {
		seed := uint64(*s.Seed)
		c.Seed = &seed
	}
	return nil
}

// override returns the file's entries whose keys no flag sets, followed by the flags.
func override(file, flags []string) []string {
	var out []string
	for _, f := range file {
		key, _, _ := strings.Cut(f, "=")
		if !slices.ContainsFunc(flags, func(s string) bool { k, _, _ := strings.Cut(s, "="); return k == key }) {
			out = append(out, f)
		}
	}
	return append(out, flags...)
}
