package bindgen

import (
	"fmt"
	"strings"
)

// blockHelper is one function that makes a block from a Go func.
type blockHelper struct {
	name string
	v    value
}

// blockFunc returns the name of the function that turns a Go func of v's type into a block.
func (g *generator) blockFunc(v value) string {
	if h, ok := g.blocks[v.goType]; ok {
		return h.name
	}
	name := "new"
	for _, p := range v.block.Params {
		pv, _ := g.valueOf(p, nil)
		name += blockWord(pv)
	}
	if ret, _ := g.valueOf(v.block.Ret, nil); ret.kind != kindVoid {
		name += "Returns" + blockWord(ret)
	}
	name += "Block"
	g.blocks[v.goType] = blockHelper{name, v}
	return name
}

// blockWord is a value's part of the name of a block helper.
func blockWord(v value) string {
	if v.kind == kindPointer {
		return "Pointer"
	}
	name := strings.NewReplacer("objc.", "", ".", "", "[]", "Slice", "map[string]", "Map", "map[", "Map", "]", "",
		"*", "Out").Replace(v.goType)
	return exported(name)
}

// blockFile emits the functions that make blocks, one for each signature.
func (g *generator) blockFile() error {
	if len(g.blocks) == 0 {
		return nil
	}
	o := g.out("blocks")
	for _, key := range sortedKeys(g.blocks) {
		h := g.blocks[key]
		if err := g.global(h.name, key); err != nil {
			return err
		}
		enc, err := g.ts.blockEncoding(h.v.block)
		if err != nil {
			return err
		}
		var args, before, after []string
		for i, p := range h.v.block.Params {
			v, _ := g.valueOf(p, nil)
			if v.kind == kindMutable {
				list := fmt.Sprintf("list%d", i)
				before = append(before, fmt.Sprintf("var %s %s", list, v.goType[1:]))
				after = append(after, fmt.Sprintf("objc.Append(objc.ID(args[%d]), %s)", i, list))
				args = append(args, "&"+list)
				continue
			}
			x, _ := v.fromWord(fmt.Sprintf("args[%d]", i))
			args = append(args, x)
		}
		call, result := "fn("+strings.Join(args, ", ")+")", "0"
		if ret, _ := g.valueOf(h.v.block.Ret, nil); ret.kind != kindVoid {
			call = "r := " + call
			result, _ = ret.toWord("r")
		}
		lines := strings.Join(append(append(before, call), after...), "\n")
		o.printf("\n// %s returns a block that calls fn; if fn is nil, so is the block. Type encoding %s.\n", h.name, enc)
		o.printf("func %s(fn %s) objc.Block {\nif fn == nil {\nreturn objc.NewBlock(%q, nil)\n}\n", h.name, h.v.goType, enc)
		o.printf("return objc.NewBlock(%q, func(args []uintptr) uintptr {\n%s\nreturn %s\n})\n}\n", enc, lines, result)
	}
	return nil
}

// tables emits zmethods and zclasses.
func (g *generator) tables() error {
	o := g.out("methods")
	o.printf("\n// zmethods describes every message that this package sends. Selectors and signatures are resolved\n// at their first use. The messages are in one array, so that each has an index, with one line for\n// each message; hence the length of the file.\nvar zmethods = [...]objc.Method{\n")
	for _, t := range g.table {
		o.printf("%s: {Class: %q, Selector: %q, Encoding: %q%s", t.index, t.class.Name, t.m.Selector, t.enc,
			sinceField(t.m.Since))
		if t.m.ClassMethod {
			o.printf(", IsClassMethod: true")
		}
		if g.retained(t.m, t.enc) {
			o.printf(", Retained: true")
		}
		if t.class.Protocol {
			o.printf(", Protocol: true")
		}
		o.printf("},\n")
	}
	o.printf("}\n")
	o = g.out("indices")
	o.printf("\n// Indices of zmethods, one line for each message.\nconst (\n")
	for i, t := range g.table {
		if i == 0 {
			o.printf("%s = iota\n", t.index)
			continue
		}
		o.printf("%s\n", t.index)
	}
	o.printf(")\n")
	var classes []string
	for _, c := range g.mod.Classes {
		if g.bound[c.Name] && !c.Protocol {
			classes = append(classes, fmt.Sprintf("c%s: {Name: %q, Framework: %q%s},", g.cfg.typeName(c.Name), c.Name,
				g.cfg.Framework, g.refFields(c.Since)))
		}
	}
	g.constTable(g.out("classes"), "zclasses", "ClassRef", "the classes", classes)
	return nil
}

// support emits the code shared by the generated files.
func (g *generator) support() error {
	o := g.out("support")
	o.printf(`
// zflag is one named member of a set of options.
type zflag struct {
	bits uint64
	name string
}

// zflags writes a set of options. The argument zero is the name of the empty set, or "" if it has
// none.
func zflags(v uint64, typ, zero string, flags []zflag) string {
	if v == 0 {
		if zero != "" {
			return zero
		}
		return typ + "(0)"
	}
	s := ""
	for _, f := range flags {
		if v&f.bits != f.bits {
			continue
		}
		v &^= f.bits
		if s != "" {
			s += "|"
		}
		s += f.name
	}
	if v != 0 {
		if s != "" {
			s += "|"
		}
		s += typ + "(0x" + strconv.FormatUint(v, 16) + ")"
	}
	return s
}
`)
	for _, f := range g.files {
		if strings.Contains(f.b.String(), "autoreleasedArray") {
			o.printf(`
// autoreleasedArray returns an NSArray of s that lives as long as the pool in place.
func autoreleasedArray[T interface{ ID() objc.ID }](s []T) objc.ID {
	a := objc.NewArray(s)
	objc.Autorelease(a)
	return a
}
`)
			break
		}
	}
	return nil
}
