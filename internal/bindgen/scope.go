package bindgen

import "sort"

// foundationGroup is the concept of the parts of Foundation that a framework's declarations use.
// They get no wrappers.
const foundationGroup = "foundation"

// scope decides which classes are bound.
func (g *generator) scope() {
	for _, c := range g.mod.Classes {
		if c.Group == foundationGroup {
			continue
		}
		if why := g.ov.excluded(c.Group); why != "" {
			kind := "class "
			if c.Protocol {
				kind = "protocol "
			}
			g.skip(kind+c.Name, why)
			continue
		}
		g.bound[c.Name] = true
	}
	for _, s := range g.mod.Structs {
		if why := g.ov.excluded(s.Group); why != "" {
			g.skip("struct "+s.Name, why)
		}
	}
	for _, e := range g.mod.Enums {
		if why := g.ov.excluded(e.Group); why != "" {
			g.skip("enum "+e.Name, why)
		}
	}
}

// outOf returns why a named type is not available, or "".
func (g *generator) outOf(name string) string {
	group := ""
	if c := g.ts.classes[name]; c != nil {
		group = c.Group
	} else if e := g.ts.enums[name]; e != nil {
		group = e.Group
	} else if s := g.ts.structs[name]; s != nil {
		group = s.Group
	}
	ov := g.ov
	if from := g.ts.owner[name]; from != nil {
		ov = from.ov
	}
	if why := ov.excluded(group); why != "" {
		return "needs " + name + ": " + why
	}
	return ""
}

// base returns the bound class or protocol that c's wrapper embeds: its superclass, else the first
// protocol it adopts; nil for none.
func (g *generator) base(c *Class) *Class {
	if c.Super != "" && g.bound[c.Super] {
		return g.ts.classes[c.Super]
	}
	for _, n := range c.Conforms {
		if g.bound[n] {
			return g.ts.classes[n]
		}
	}
	return nil
}

// classOrder lists the bound classes, each after the one it embeds, otherwise by concept and
// declaration.
func (g *generator) classOrder() []*Class {
	var in []*Class
	for _, c := range g.mod.Classes {
		if g.bound[c.Name] {
			in = append(in, c)
		}
	}
	sort.SliceStable(in, func(i, j int) bool { return in[i].Group < in[j].Group })
	var out []*Class
	done := map[string]bool{}
	var add func(c *Class)
	add = func(c *Class) {
		if done[c.Name] || !g.own(c) {
			return
		}
		done[c.Name] = true
		if b := g.base(c); b != nil {
			add(b)
		}
		out = append(out, c)
	}
	for _, c := range in {
		add(c)
	}
	return out
}

// copies reports whether c adopts NSCopying, directly or by inheritance.
func (g *generator) copies(c *Class) bool {
	for c != nil {
		for _, n := range c.Conforms {
			if n == "NSCopying" {
				return true
			}
		}
		c = g.ts.classes[c.Super]
	}
	return false
}
