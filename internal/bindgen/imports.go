package bindgen

import (
	"maps"
	"regexp"
	"slices"
)

// forget removes from the kit what other packages of the framework declare: it is not this
// package's to compare. It returns the superclasses that they name.
func (in *input) forget(kit *Module, cfg *Config) (supers map[string]bool, err error) {
	supers = map[string]bool{}
	for i := range Configs {
		other := &Configs[i]
		if other.Framework != cfg.Framework || other.Package == cfg.Package {
			continue
		}
		decls, err := readDecls(in.decls, other.Decl, other.Framework)
		if err != nil {
			return nil, err
		}
		for _, d := range decls {
			for _, c := range d.Classes {
				supers[c.Super] = true
			}
			kit.Classes = slices.DeleteFunc(kit.Classes, func(c *Class) bool { return d.Class(c.Name) != nil })
			kit.Enums = slices.DeleteFunc(kit.Enums, func(e *Enum) bool {
				return slices.ContainsFunc(d.Enums, func(theirs *Enum) bool { return theirs.Name == e.Name })
			})
		}
	}
	return supers, nil
}

// importTypes makes the types of the imported packages known, and the methods of their wrappers,
// which the wrappers of this package may embed.
func (g *generator) importTypes() {
	for _, name := range g.cfg.Imports {
		from := g.imports[name]
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
