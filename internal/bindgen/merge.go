package bindgen

import (
	"cmp"
	"fmt"
	"slices"
)

// Merge combines the information from darwinkit and the declarations. The declaration wins; log
// names each disagreement.
func Merge(kit *Module, decls []*Module, ov *Overrides) (mod *Module, log []string, err error) {
	mod = &Module{}
	for _, d := range decls {
		if mod.Framework == "" {
			mod.Framework = d.Framework
		}
		mod.Classes = append(mod.Classes, d.Classes...)
		mod.Enums = append(mod.Enums, d.Enums...)
		mod.Structs = append(mod.Structs, d.Structs...)
		mod.Typedefs = append(mod.Typedefs, d.Typedefs...)
		mod.Functions = append(mod.Functions, d.Functions...)
		mod.Constants = append(mod.Constants, d.Constants...)
	}
	if err := mod.unique(); err != nil {
		return nil, nil, err
	}
	for _, c := range mod.Classes {
		if ov.excluded(c.Group) != "" {
			continue // named only
		}
		k := kit.Class(c.Name)
		if k == nil {
			k = &Class{Name: c.Name, Protocol: c.Protocol}
		}
		if k.Protocol != c.Protocol {
			log = append(log, fmt.Sprintf("%s: darwinkit and the declaration disagree on whether it is a protocol", c.Name))
		}
		lines, err := mergeClass(c, k)
		if err != nil {
			return nil, nil, err
		}
		log = append(log, lines...)
	}
	for _, k := range kit.Classes {
		if mod.Class(k.Name) == nil {
			log = append(log, fmt.Sprintf("%s: in darwinkit only, left out: nothing declares it", k.Name))
		}
	}
	log = append(log, mergeEnums(mod, kit)...)
	return mod, log, nil
}

// unique rejects two declarations of one name.
func (m *Module) unique() error {
	seen := map[string]bool{}
	add := func(n string) error {
		if seen[n] {
			return fmt.Errorf("%s is declared twice", n)
		}
		seen[n] = true
		return nil
	}
	var errs []error
	for _, c := range m.Classes {
		errs = append(errs, add(c.Name))
	}
	for _, e := range m.Enums {
		errs = append(errs, add(e.Name))
	}
	for _, s := range m.Structs {
		errs = append(errs, add(s.Name))
	}
	for _, t := range m.Typedefs {
		errs = append(errs, add(t.Name))
	}
	for _, f := range m.Functions {
		errs = append(errs, add(f.Name))
	}
	for _, c := range m.Constants {
		errs = append(errs, add(c.Name))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func mergeClass(c, k *Class) (log []string, err error) {
	for _, m := range c.Methods {
		if m.Since == (Version{}) {
			m.Since = c.Since
		}
		km := k.Find(m.Selector, m.ClassMethod)
		name := methodName(c, m)
		if !m.ShapeElsewhere {
			if km != nil && km.Loose == "" && !sameShape(m, km) {
				log = append(log, fmt.Sprintf("%s: darwinkit has %s, declared is %s", name, signature(km), signature(m)))
			}
			continue
		}
		if km == nil {
			return nil, fmt.Errorf("%s: declared without types and not in darwinkit", name)
		}
		if km.Loose != "" {
			return nil, fmt.Errorf("%s: declared without types, and darwinkit's are not precise: %s", name, km.Loose)
		}
		m.Ret, m.Params = km.Ret, slices.Clone(km.Params)
		if bad, ok := m.setNullable(m.NullableNames); !ok {
			return nil, fmt.Errorf("%s has no parameter %q", name, bad)
		}
	}
	for _, km := range k.Methods {
		if c.Find(km.Selector, km.ClassMethod) != nil {
			continue
		}
		if km.Loose != "" {
			log = append(log, fmt.Sprintf("%s: in darwinkit only and not precise, left out: %s", methodName(c, km), km.Loose))
			continue
		}
		log = append(log, fmt.Sprintf("%s: in darwinkit only, bound without availability", methodName(c, km)))
		c.Methods = append(c.Methods, km)
	}
	return log, nil
}

func sameShape(a, b *Method) bool {
	norm := func(t CType) string { return t.String() }
	if norm(a.Ret) != norm(b.Ret) || len(a.Params) != len(b.Params) {
		return false
	}
	for i := range a.Params {
		if norm(a.Params[i].Type) != norm(b.Params[i].Type) {
			return false
		}
	}
	return true
}

// mergeEnums adds darwinkit's members to the declared ones and sorts them by value.
func mergeEnums(mod, kit *Module) (log []string) {
	byName := map[string]*Enum{}
	for _, e := range mod.Enums {
		byName[e.Name] = e
	}
	for _, k := range kit.Enums {
		e := byName[k.Name]
		if e == nil {
			log = append(log, fmt.Sprintf("%s: enumeration in darwinkit only, left out", k.Name))
			continue
		}
		if k.Underlying != e.Underlying {
			log = append(log, fmt.Sprintf("%s: darwinkit has it as %s, declared is %s", e.Name, k.Underlying, e.Underlying))
		}
		for _, m := range k.Members {
			i := slices.IndexFunc(e.Members, func(x Member) bool { return x.Name == m.Name })
			switch {
			case i < 0:
				e.Members = append(e.Members, m)
			case e.Members[i].Value != m.Value:
				log = append(log, fmt.Sprintf("%s: darwinkit has %d, declared is %d", m.Name, m.Value, e.Members[i].Value))
			}
		}
	}
	for _, e := range mod.Enums {
		signed := isSigned(e.Underlying)
		slices.SortStableFunc(e.Members, func(a, b Member) int {
			if signed {
				return cmp.Or(cmp.Compare(int64(a.Value), int64(b.Value)), cmp.Compare(a.Name, b.Name))
			}
			return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
		})
	}
	return log
}

// methodName writes "-[MTLBuffer length]".
func methodName(c *Class, m *Method) string {
	sign := "-"
	if m.ClassMethod {
		sign = "+"
	}
	return fmt.Sprintf("%s[%s %s]", sign, c.Name, m.Selector)
}

// signature writes "-(void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset". There is no
// space after the sign: in a doc comment it would begin a list.
func signature(m *Method) string {
	s := "-("
	if m.ClassMethod {
		s = "+("
	}
	s += m.Ret.String() + ")"
	if len(m.Params) == 0 {
		return s + m.Selector
	}
	for i, l := range m.Labels() {
		if i > 0 {
			s += " "
		}
		if i < len(m.Params) {
			s += l + ":(" + m.Params[i].Type.String() + ")" + m.Params[i].Name
		}
	}
	return s
}
