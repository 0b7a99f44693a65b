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
	Package   string // Go package: "mtl"
	Framework string // "Metal": selects the declaration files that name it
	Prefix    string // Objective-C prefix that Go names drop: "MTL"
	Kit       string // folder below darwinkit's root: "macos/metal"
	Soft      string // Go package of the software device's data for these bindings: "metal"; none when empty
}

// Configs are the packages that can be generated.
var Configs = []Config{
	{Package: "mtl", Framework: "Metal", Prefix: "MTL", Kit: "macos/metal", Soft: "metal"},
}

// ConfigFor returns the configuration of a Go package.
func ConfigFor(pkg string) (*Config, error) {
	for i := range Configs {
		if Configs[i].Package == pkg {
			return &Configs[i], nil
		}
	}
	return nil, fmt.Errorf("no bindings are configured for package %q", pkg)
}

//go:embed decl/*.decl overrides.toml
var inputs embed.FS

// Inputs returns the declaration files and overrides.toml that belong to this package.
func Inputs() fs.FS { return inputs }

// readDecls parses the declaration files of a framework in name order.
func readDecls(fsys fs.FS, framework string) ([]*Module, error) {
	names, err := fs.Glob(fsys, "decl/*.decl")
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
		if m.Framework == framework {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no declarations for framework %s", framework)
	}
	return out, nil
}
