package bindgen

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sort"
)

// Config maps a framework to the Go package of its bindings.
type Config struct {
	Package   string   // Go package: "mtl"
	Path      string   // its folder in this module: "mps/graph"; the same as Package when empty
	Framework string   // "Metal"
	Prefix    string   // Objective-C prefix that Go names drop: "MTL"
	Drop      string   // longer prefix that Go names drop where it occurs: "MPSCNN" in package cnn; none when empty
	Kit       string   // folder below darwinkit's root: "macos/metal"
	Decl      string   // folder of the declarations: "decl/metal"
	Imports   []string // packages whose types the bindings use: "mtl"
	Aliases   bool     // a class without subclasses and methods of its own has its superclass's Go type
	Parts     []string // packages that bind the rest of the framework
	Soft      string   // Go package of the software device's data for the framework: "metal"; none when empty
	Driver    string   // package whose Register registers the framework with the software driver; none when empty
}

// Configs are the packages that can be generated, each after those that it imports.
var Configs = []Config{
	{Package: "mtl", Framework: "Metal", Prefix: "MTL", Kit: "macos/metal", Decl: "decl/metal", Soft: "metal"},
	{Package: "mps", Framework: "MetalPerformanceShaders", Prefix: "MPS", Kit: "macos/mps", Decl: "decl/mps",
		Imports: []string{"mtl"}, Aliases: true, Parts: []string{"filter", "cnn", "nn", "rnn", "ray"},
		Soft: "mpsdata", Driver: "internal/softmps/driver"},
	// One package with all of MPS would take the compiler more than a gigabyte, whatever a program
	// uses.
	{Package: "filter", Path: "mps/filter", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSImage",
		Kit: "macos/mps", Decl: "decl/mps/filter", Imports: []string{"mtl", "mps"}, Aliases: true,
		Driver: "internal/softmps/driver"},
	{Package: "cnn", Path: "mps/cnn", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSCNN",
		Kit: "macos/mps", Decl: "decl/mps/cnn", Imports: []string{"mtl", "mps"}, Aliases: true,
		Driver: "internal/softmps/driver"},
	{Package: "nn", Path: "mps/nn", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSNN",
		Kit: "macos/mps", Decl: "decl/mps/nn", Imports: []string{"mtl", "mps", "cnn"}, Aliases: true,
		Driver: "internal/softmps/driver"},
	{Package: "rnn", Path: "mps/rnn", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSRNN",
		Kit: "macos/mps", Decl: "decl/mps/rnn", Imports: []string{"mtl", "mps", "cnn"}, Aliases: true,
		Driver: "internal/softmps/driver"},
	{Package: "ray", Path: "mps/ray", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSRay",
		Kit: "macos/mps", Decl: "decl/mps/ray", Imports: []string{"mtl", "mps"}, Aliases: true,
		Driver: "internal/softmps/driver"},
	{Package: "graph", Path: "mps/graph", Framework: "MetalPerformanceShadersGraph", Prefix: "MPSGraph",
		Kit: "macos/mpsgraph", Decl: "decl/mpsgraph", Imports: []string{"mtl", "mps"}, Soft: "graphdata",
		Driver: "internal/softmps/softgraph/driver"},
}

// Dir is the package's folder in this module.
func (c *Config) Dir() string { return cmpOr(c.Path, c.Package) }

// ConfigFor returns the configuration of a Go package.
func ConfigFor(pkg string) (*Config, error) {
	for i := range Configs {
		if Configs[i].Package == pkg {
			return &Configs[i], nil
		}
	}
	return nil, fmt.Errorf("no bindings are configured for package %q", pkg)
}

//go:embed decl
var inputs embed.FS

// Inputs returns the folders of declarations, each with its overrides.toml, that belong to this
// package.
func Inputs() fs.FS { return inputs }

// readDecls parses the declaration files in a folder in name order.
func readDecls(fsys fs.FS, dir, framework string) ([]*Module, error) {
	names, err := fs.Glob(fsys, dir+"/*.decl")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var out []*Module
	for _, n := range names {
		src, err := fs.ReadFile(fsys, n)
		if err != nil {
			return nil, err
		}
		m, err := ParseDecl(path.Base(n), string(src))
		if err != nil {
			return nil, err
		}
		if m.Framework != framework {
			return nil, fmt.Errorf("%s: framework %s, want %s", n, m.Framework, framework)
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no declarations for framework %s", framework)
	}
	return out, nil
}
