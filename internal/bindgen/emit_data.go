package bindgen

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// constants emits numbers as constants and NSString symbols as functions.
func (g *generator) constants() error {
	o := g.out("constants")
	var table []string
	for _, c := range g.mod.Constants {
		if why := g.ov.excluded(c.Group); why != "" {
			g.skip("constant "+c.Name, why)
			continue
		}
		co := g.ov.constant(c.Name)
		name := cmpOr(co.Rename, g.cfg.typeName(c.Name))
		if co.Skip {
			g.skip("constant "+c.Name, co.Reason)
			continue
		}
		if err := g.global(name, c.Name); err != nil {
			return err
		}
		if c.Symbol {
			g.res.Counts.Constants++
			o.printf("\n// %s returns the value of the string constant %s.\n//\n// ", name, c.Name)
			if c.Since != (Version{}) {
				o.printf("Since %v.\n", c.Since)
			} else {
				o.printf("Availability unknown.\n")
			}
			o.printf("func %s() (string, error) { return zconstants[k%s].String() }\n", name, name)
			table = append(table, fmt.Sprintf("k%s: {Name: %q, Framework: %q%s},", name, c.Name, g.cfg.Framework,
				g.refFields(c.Since)))
			continue
		}
		v, why := g.valueOf(c.Type, nil)
		if why != "" || v.kind != kindInt {
			g.skip("constant "+c.Name, cmpOr(why, "a structure cannot be a Go constant: use a composite literal"))
			continue
		}
		g.res.Counts.Constants++
		g.res.Enums[c.Name] = c.Value
		o.printf("\n// %s is %s.\nconst %s %s = %s\n", name, c.Name, name, v.goType,
			number(c.Value, prims[g.ts.resolve(c.Type).Name], true))
	}
	g.constTable(o, "zconstants", "Constant", "the string constants", table)
	return nil
}

// number formats a value of an integer type.
func number(v uint64, p prim, hex bool) string {
	if strings.IndexByte("qisc", p.enc) >= 0 {
		return fmt.Sprint(int64(v))
	}
	if p.size < 8 {
		v &= 1<<(8*p.size) - 1
	}
	if hex && v > 9 {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprint(v)
}

// opaques emits a Go type for each typedef of an untyped pointer that is used.
func (g *generator) opaques() error {
	for _, t := range g.mod.Typedefs {
		if t.Type.String() != "void *" {
			continue
		}
		name := g.cfg.typeName(t.Name)
		if err := g.global(name, t.Name); err != nil {
			return err
		}
		g.out("types").printf("\n// %s is the opaque pointer %s.\ntype %s uintptr\n", name, t.Name, name)
	}
	return nil
}

// structs emits the structures.
func (g *generator) structs() error {
	for _, s := range g.mod.Structs {
		if g.ov.excluded(s.Group) != "" {
			continue
		}
		name := g.cfg.typeName(s.Name)
		if err := g.global(name, s.Name); err != nil {
			return err
		}
		l, err := g.ts.layout(s)
		if err != nil {
			return err
		}
		enc, err := g.ts.encodeStruct(s)
		if err != nil {
			return err
		}
		group := s.Group
		if group == foundationGroup {
			group = "structs"
		}
		o := g.out(group)
		o.printf("\n// %s has the layout of the C structure %s: %d bytes, aligned to %d.\n//\n// Type encoding %s.\n", name,
			s.Name, l.Size, l.Align, enc)
		o.printf("type %s struct {\n", name)
		if err := g.fields(o, s, l); err != nil {
			return err
		}
		o.printf("}\n")
		if s.Group != foundationGroup {
			g.res.Structs[s.Name] = l
		}
		g.res.Counts.Structs++
	}
	return nil
}

// fields emits the fields of a structure. Go aligns a vector to its elements only, so it gets
// padding before it.
func (g *generator) fields(o *output, s *Struct, l Layout) error {
	end, hasVector := 0, false
	for i, f := range s.Fields {
		v, why := g.valueOf(f.Type, nil)
		if why != "" {
			return fmt.Errorf("field %s of %s: %s", f.Name, s.Name, why)
		}
		hasVector = hasVector || v.kind == kindVector
		if v.kind == kindVector && end < l.Offsets[i] {
			o.printf("_ [%d]byte\n", l.Offsets[i]-end)
		}
		arr := ""
		if f.Len > 0 {
			arr = fmt.Sprintf("[%d]", f.Len)
		}
		o.printf("%s %s%s\n", fieldName(f.Name), arr, v.goType)
		size, _, err := g.ts.sizeAlign(f.Type)
		if err != nil {
			return fmt.Errorf("field %s of %s: %w", f.Name, s.Name, err)
		}
		if vec, ok := vectorOf(f.Type.Name); ok {
			size = vec.n * vec.elem.size
		}
		end = l.Offsets[i] + size*max(1, f.Len)
	}
	if hasVector && end < l.Size {
		o.printf("_ [%d]byte\n", l.Size-end)
	}
	return nil
}

// enums emits the enumerations with their String methods.
func (g *generator) enums() error {
	for _, e := range g.mod.Enums {
		if g.ov.excluded(e.Group) != "" {
			continue
		}
		name := g.cfg.typeName(e.Name)
		if err := g.global(name, e.Name); err != nil {
			return err
		}
		p, ok := prims[e.Underlying]
		if !ok {
			return fmt.Errorf("%s: underlying type %s is not an integer", e.Name, e.Underlying)
		}
		if len(e.Members) == 0 {
			return fmt.Errorf("%s has no members", e.Name)
		}
		o := g.out(e.Group)
		what := "enumeration"
		if e.Options {
			what = "option set"
		}
		o.printf("\n// %s is the %s %s.\ntype %s %s\n\n// Values of [%s].\nconst (\n", name, what, e.Name, name, p.goT, name)
		for _, m := range e.Members {
			n := g.cfg.memberName(e, m.Name)
			if err := g.global(n, m.Name); err != nil {
				return err
			}
			g.res.Enums[m.Name] = m.Value
			o.printf("%s %s = %s\n", n, name, number(m.Value, p, e.Options))
			g.res.Counts.Members++
		}
		o.printf(")\n")
		g.res.Counts.Enums++
		if e.Options {
			g.optionString(o, e, name)
		} else {
			g.enumString(o, e, name)
		}
	}
	return nil
}

// distinct returns the members with distinct values, the first of each.
func distinct(e *Enum) []Member {
	var out []Member
	for _, m := range e.Members {
		if !slices.ContainsFunc(out, func(x Member) bool { return x.Value == m.Value }) {
			out = append(out, m)
		}
	}
	return out
}

func (g *generator) enumString(o *output, e *Enum, name string) {
	o.printf("\n// String returns the constant's name, or %s(n) for a value without one.\nfunc (v %s) String() string {\nswitch v {\n", name, name)
	for _, m := range distinct(e) {
		n := g.cfg.memberName(e, m.Name)
		o.printf("case %s:\nreturn %q\n", n, n)
	}
	conv := "strconv.FormatUint(uint64(v), 10)"
	if isSigned(e.Underlying) {
		conv = "strconv.FormatInt(int64(v), 10)"
	}
	o.printf("}\nreturn %q + %s + \")\"\n}\n", name+"(", conv)
}

// optionString emits a String that joins the set's members. A member of several bits, such as a
// field's value, is checked before the single bits it consists of. If several members are zero,
// none of them can name the empty set.
func (g *generator) optionString(o *output, e *Enum, name string) {
	zero, zeros := "", 0
	var flags []Member
	for _, m := range e.Members {
		if m.Value == 0 {
			zero = g.cfg.memberName(e, m.Name)
			zeros++
		}
	}
	for _, m := range distinct(e) {
		if m.Value != 0 {
			flags = append(flags, m)
		}
	}
	if zeros > 1 {
		zero = ""
	}
	slices.SortStableFunc(flags, func(a, b Member) int {
		return cmp.Or(cmp.Compare(bits.OnesCount64(b.Value), bits.OnesCount64(a.Value)), cmp.Compare(a.Value, b.Value))
	})
	table := "z" + unexported(name) + "Flags"
	o.printf("\nvar %s = [...]zflag{\n", table)
	for _, m := range flags {
		n := g.cfg.memberName(e, m.Name)
		o.printf("{uint64(%s), %q},\n", n, n)
	}
	o.printf("}\n\n// String joins the names of the options in the set with \"|\"; bits without a name come last, as %s(0x..).\n", name)
	o.printf("func (v %s) String() string { return zflags(uint64(v), %q, %q, %s[:]) }\n", name, name, zero, table)
}
