package bindgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// implementation emits what a program needs to implement a protocol in Go: an interface of the
// required methods, one for each optional method, and a function that makes the object.
func (g *generator) implementation(o *output, c *Class, name string) error {
	required, optional := name+"Methods", name+"With"
	for _, n := range []string{required, "New" + name} {
		if err := g.global(n, c.Name+" in Go"); err != nil {
			return err
		}
	}
	var must, may, table, options []string
	for _, m := range c.Methods {
		if m.ClassMethod || isInit(m) || m.Unavailable || takesArchive(m) {
			continue
		}
		fn := exported(m.Labels()[0])
		decl, call, why := g.answer(c, m, fn)
		if why != "" {
			return fmt.Errorf("%s cannot be implemented in Go: %s", methodName(c, m), why)
		}
		enc, err := g.ts.methodEncoding(m)
		if err != nil {
			return err
		}
		iface, has := required, ""
		if m.Optional {
			iface = optional + fn
			if err := g.global(iface, methodName(c, m)); err != nil {
				return err
			}
			has = fmt.Sprintf("Has: func(impl any) bool { _, ok := impl.(%s); return ok },\n", iface)
			may = append(may, fmt.Sprintf("\n// %s is an optional method for\n// [%s].\n//\n//\t%s\n", iface, required,
				signature(m)), fmt.Sprintf("type %s interface {\n%s\n}\n", iface, decl))
			options = append(options, "["+iface+"]")
		} else {
			must = append(must, fmt.Sprintf("// %s answers %s.\n%s", fn, unbroken(signature(m)), decl))
		}
		table = append(table, fmt.Sprintf("{Selector: %q, Encoding: %q,\n%sCall: func(impl any, args, ret []uintptr) {\n"+
			"o := impl.(%s)\n%s\n}},", m.Selector, enc, has, iface, strings.Join(call, "\n")))
	}
	o.printf("\n")
	text := fmt.Sprintf("%s is what a Go type implements to be a [%s]; see [New%s].", required, name, name)
	if len(options) > 0 {
		text += " It may also have the methods of " + joinAnd(options) + "."
	}
	comment(o, text)
	o.printf("type %s interface {\n%s\n}\n%s", required, strings.ReplaceAll(strings.Join(must, "\n"), "\x00", " "),
		strings.Join(may, ""))
	o.printf("\n")
	comment(o, fmt.Sprintf("New%s returns an object, +1, whose methods call those of impl, on any thread. Object results "+
		"are +0 unless the method's name begins with New or Copy. The object forgets impl when its last reference is gone.",
		name))
	o.printf("func New%s(impl %s) (%s, error) {\nid, err := zimplement%s.New(impl)\nreturn %sFrom(id), err\n}\n", name,
		required, name, name, name)
	copies := ""
	if slices.Contains(c.Conforms, "NSCopying") {
		copies = ", Copies: true"
	}
	o.printf("\nvar zimplement%s = objc.Implementation{Protocol: %q, Framework: %q%s,\n", name, c.Name, g.cfg.Framework,
		copies+g.refFields(Version{}))
	o.printf("Methods: []objc.ImplementedMethod{\n%s\n}}\n", strings.Join(table, "\n"))
	return nil
}

// answer writes the Go declaration of a method of a protocol, and the lines that call it with the
// words of a message.
func (g *generator) answer(c *Class, m *Method, fn string) (decl string, call []string, why string) {
	var params []goParam
	var args []string
	word := 0
	for _, p := range m.Params {
		v, why := g.valueOf(p.Type, c)
		if why != "" && g.ts.resolve(p.Type).Name != "NSZone" {
			return "", nil, why
		}
		enc, err := g.ts.encode(p.Type)
		if err != nil {
			return "", nil, err.Error()
		}
		typ, err := typeenc.Parse(enc)
		if err != nil {
			return "", nil, err.Error()
		}
		at := word
		word += typeenc.Words(typ)
		if g.ts.resolve(p.Type).Name == "NSZone" {
			continue
		}
		x, ok := v.fromWord(fmt.Sprintf("args[%d]", at))
		if v.kind == kindStruct {
			x, ok = fmt.Sprintf("objc.Unpack[%s](args[%d:%d]...)", v.goType, at, word), true
		}
		if !ok {
			return "", nil, "no Go form for " + p.Type.String()
		}
		params = append(params, goParam{paramName(p.Name), v.goType})
		args = append(args, x)
	}
	ret, why := g.valueOf(m.Ret, c)
	if why != "" {
		return "", nil, why
	}
	made := fmt.Sprintf("o.%s(%s)", fn, strings.Join(args, ", "))
	decl = fmt.Sprintf("%s(%s)", fn, paramList(params))
	if ret.kind == kindVoid {
		return decl, []string{made}, ""
	}
	decl += " " + ret.goType
	switch ret.kind {
	case kindFloat:
		return decl, []string{"ret[0] = objc.F32(" + made + ")"}, ""
	case kindDouble:
		return decl, []string{"ret[0] = objc.F64(" + made + ")"}, ""
	case kindPointer:
		return decl, []string{"ret[0] = uintptr(" + made + ")"}, ""
	case kindString:
		return decl, []string{"s := objc.NewString(" + made + ")", "objc.Autorelease(s)", "ret[0] = s.Word()"}, ""
	case kindStruct:
		words, why := g.structWords(ret.s, "r")
		return decl, []string{"r := " + made, "copy(ret, []uintptr{" + strings.Join(words, ", ") + "})"}, why
	}
	x, ok := ret.toWord(made)
	if !ok {
		return "", nil, "no Go form for the result " + m.Ret.String()
	}
	return decl, []string{"ret[0] = " + x}, ""
}
