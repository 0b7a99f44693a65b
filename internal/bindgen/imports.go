package bindgen

import (
	"io/fs"
	"maps"
	"regexp"
)

// importsOf generates the packages that cfg imports, for the names of their types and methods.
func importsOf(cfg *Config, kit, inputs fs.FS) (map[string]*generator, error) {
	imports := map[string]*generator{}
	for _, name := range cfg.Imports {
		c, err := ConfigFor(name)
		if err != nil {
			return nil, err
		}
		if imports[name], err = generate(c, kit, inputs); err != nil {
			return nil, err
		}
	}
	return imports, nil
}

// importTypes makes the types of the imported packages known, and the methods of their wrappers,
// which the wrappers of this package may embed.
func (g *generator) importTypes() {
	for _, from := range g.imports {
		g.ts.add(from.mod, from)
		for name := range from.bound {
			if g.ts.owner[name] == from {
				g.bound[name] = true
			}
		}
		maps.Copy(g.taken, from.taken)
	}
}

// typeName is the Go name of a type in the generated package: CommandBuffer, or mtl.CommandBuffer
// if another package declares it.
func (g *generator) typeName(name string) string {
	if from := g.ts.owner[name]; from != nil {
		return from.cfg.Package + "." + from.cfg.typeName(name)
	}
	return g.cfg.typeName(name)
}

// own reports whether the package itself declares a class, and does not import it.
func (g *generator) own(c *Class) bool { return g.ts.owner[c.Name] == nil }

// usesPackage reports whether Go source refers to a package outside of its comments.
func usesPackage(src, pkg string) bool {
	use := regexp.MustCompile(`(?m)^([^/\n]|/[^/\n])*\b` + pkg + `\.[A-Z]`)
	return use.MatchString(src)
}
