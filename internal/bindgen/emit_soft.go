package bindgen

import (
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strings"
)

// functionEntry is one C function that is bound.
type functionEntry struct{ name, enc string }

// handBound starts the reason for omitting a method that the bindings send anyway.
const handBound = "bound by hand"

// adapterPackage declares the types of the tables of encodings.
const adapterPackage = "github.com/puremetal/puremetal/internal/softmetal/adapter"

// byHand records a method that is bound by hand: the software device answers it too.
func (g *generator) byHand(c *Class, m *Method, reason string) error {
	if !strings.HasPrefix(reason, handBound) {
		return nil
	}
	enc, err := g.ts.methodEncoding(m)
	if err != nil {
		return fmt.Errorf("%s: %w", methodName(c, m), err)
	}
	g.hand = append(g.hand, tableEntry{"", c, m, enc})
	return nil
}

// software generates the software device's data package: the encodings of all messages and
// functions that the bindings use, and the enumerations. The software device must not import the
// bindings, and encodings written by hand could differ from theirs.
func (g *generator) software() error {
	if g.cfg.Soft == "" {
		return nil
	}
	g.res.Soft = map[string][]byte{}
	for name, text := range map[string]string{"zencodings.go": g.softEncodings(), "zenums.go": g.softEnums()} {
		src, err := format.Source([]byte(header + "\npackage " + g.cfg.Soft + "\n" + text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		g.res.Soft[name] = src
	}
	return nil
}

func (g *generator) softEncodings() string {
	var o output
	o.printf("\nimport %q\n", adapterPackage)
	o.printf("\n// zowners lists classes and protocols with the encodings of the messages that the bindings send, those above first.\n// The table is data.\nvar zowners = [...]adapter.Owner{\n")
	for _, part := range g.framework() {
		part.softOwners(&o)
	}
	o.printf("}\n\n// zfunctions lists the C functions.\nvar zfunctions = [...]adapter.Signature{\n")
	for _, part := range g.framework() {
		for _, f := range part.ctable {
			o.printf("{Name: %q, Enc: %q},\n", f.name, f.enc)
		}
	}
	o.printf("}\n\n// Constants lists the string constants.\nvar Constants = [...]string{\n")
	for _, part := range g.framework() {
		for _, c := range part.mod.Constants {
			if c.Symbol && part.ov.excluded(c.Group) == "" && !part.ov.constant(c.Name).Skip {
				o.printf("%q,\n", c.Name)
			}
		}
	}
	o.printf("}\n")
	o.printf("%s", g.softFormats())
	return o.b.String()
}

// framework lists the packages that bind the framework: g's and its parts.
func (g *generator) framework() []*generator { return append([]*generator{g}, g.parts...) }

// softOwners writes the classes and protocols of one package.
func (g *generator) softOwners(o *output) {
	for _, c := range g.classOrder() {
		o.printf("{Name: %q", c.Name)
		if c.Protocol {
			o.printf(", Protocol: true")
		}
		var above []string
		for _, name := range append([]string{c.Super}, c.Conforms...) {
			if name != "" && name != "NSObject" && g.bound[name] {
				above = append(above, name)
			}
		}
		if len(above) > 0 {
			o.printf(", Above: []string{%s}", quoted(above))
		}
		for _, kind := range []struct {
			field string
			class bool
		}{{"Methods", false}, {"ClassMethods", true}} {
			var rows []string
			for _, t := range slices.Concat(g.table, g.hand) {
				if t.class == c && t.m.ClassMethod == kind.class {
					rows = append(rows, fmt.Sprintf("{Name: %q, Enc: %q},\n", t.m.Selector, t.enc))
				}
			}
			if slices.Sort(rows); len(rows) > 0 {
				o.printf(", %s: []adapter.Signature{\n%s}", kind.field, strings.Join(rows, ""))
			}
		}
		o.printf("},\n")
	}
}

// softFormats lists pixel formats by name, because the engine identifies them by name.
func (g *generator) softFormats() string {
	var o output
	prefix := g.cfg.Prefix + "PixelFormat"
	if !slices.ContainsFunc(g.mod.Enums, func(e *Enum) bool { return e.Name == prefix }) {
		return ""
	}
	o.printf("\n// PixelFormats lists the pixel formats, ascending.\nvar PixelFormats = [...]NamedPixelFormat{\n")
	for _, e := range g.mod.Enums {
		if e.Name != prefix {
			continue
		}
		members := distinct(e)
		slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.Value, b.Value) })
		for _, m := range members {
			o.printf("{%d, %q},\n", m.Value, strings.TrimPrefix(m.Name, prefix))
		}
	}
	o.printf("}\n")
	return o.b.String()
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}

// softName is the name of a constant without the framework's prefix, if that leaves a Go name:
// StorageModeShared for MTLStorageModeShared, but MTL4CompilerTaskStatusNone as it is.
func (g *generator) softName(name string) string {
	if rest := strings.TrimPrefix(name, g.cfg.Prefix); rest[0] < '0' || rest[0] > '9' {
		return rest
	}
	return name
}

// softEnums writes the members as untyped constants.
func (g *generator) softEnums() string {
	var o output
	for _, part := range g.framework() {
		g.softConstants(&o, part)
	}
	return o.b.String()
}

// softConstants writes those of one package, with the framework's prefix dropped.
func (g *generator) softConstants(o *output, part *generator) {
	for _, e := range part.mod.Enums {
		if part.ov.excluded(e.Group) != "" {
			continue
		}
		o.printf("\n// Values of %s.\nconst (\n", e.Name)
		for _, m := range e.Members {
			o.printf("%s = %s\n", g.softName(m.Name), number(m.Value, prims[e.Underlying], e.Options))
		}
		o.printf(")\n")
	}
	for _, c := range part.mod.Constants {
		if v, ok := part.res.Enums[c.Name]; ok && !c.Symbol {
			o.printf("\n// %s.\nconst %s = %s\n", c.Name, g.softName(c.Name), number(v, prims[part.ts.resolve(c.Type).Name],
				true))
		}
	}
}
