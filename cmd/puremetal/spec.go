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
//	repeat  = 5
//	seed    = 1
type spec struct {
	Source            string   `toml:"source"`
	Kernel            string   `toml:"kernel"`
	Grid              []int    `toml:"grid"`
	Group             []int    `toml:"group"`
	Args              []string `toml:"args"`
	Out               []string `toml:"out"`
	Const             []string `toml:"const"`
	ThreadgroupMemory []string `toml:"threadgroup-memory"`
	Define            []string `toml:"define"`
	Include           []string `toml:"include"`
	Repeat            int      `toml:"repeat"`
	Seed              *int64   `toml:"seed"` // TOML's integers have a sign
}

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
		if filepath.Ext(name) == ".toml" {
			return name, nil
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

// readSpec reads a spec file. Unknown keys are errors, so that a misspelt key is not ignored.
func readSpec(name string) (*spec, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSpec {
		return nil, usage("%s has %d bytes; a spec file may have at most %d", name, info.Size(), maxSpec)
	}
	var s spec
	meta, err := toml.DecodeFile(name, &s)
	if err != nil {
		return nil, usage("%s: %s", name, strings.TrimPrefix(err.Error(), "toml: "))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, usage("%s: unknown key %q; the keys are source, kernel, grid, group, args, out, const, threadgroup-memory, define, include, repeat, seed", name, unknown[0].String())
	}
	return &s, nil
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
		name string
	}{{&c.Grid, s.Grid, "grid"}, {&c.Group, s.Group, "group"}} {
		if *g.flag == "" && g.file != nil {
			if len(g.file) < 1 || len(g.file) > 3 {
				return usage("the spec file's %s has %d numbers; want one to three", g.name, len(g.file))
			}
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
	if c.Repeat == 0 {
		c.Repeat = s.Repeat
	}
	if s.Seed != nil && *s.Seed < 0 {
		return usage("the spec file's seed is %d; want 0 or more", *s.Seed)
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
