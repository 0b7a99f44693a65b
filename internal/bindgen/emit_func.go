package bindgen

import (
	"fmt"
	"slices"
	"strings"
)

// funcSpec describes how a method becomes a Go function.
type funcSpec struct {
	name    string
	index   string // its constant in zmethods
	recv    string // Go expression of the receiving ID
	typ     string // receiver's Go type, "" for a function
	guards  []string
	mustErr bool
	makes   bool   // the guards create the receiver
	sender  bool   // a function whose first parameter is the receiver
	global  bool   // claims a package-level name
	doc     string // what the function does, unless overrides.toml says it
}

// emitFunc emits one method, or lists it as not bound.
func (g *generator) emitFunc(o *output, c *Class, m *Method, mo *MethodOverride, spec funcSpec) error {
	if mo.Skip {
		g.skip(methodName(c, m), mo.Reason)
		return g.byHand(c, m, mo.Reason)
	}
	if m.Variadic {
		g.skip(methodName(c, m), "takes a variable number of arguments, which the calling sequence does not pass")
		return nil
	}
	ret, why := g.valueOf(m.Ret, c)
	if why == "" && isInit(m) {
		ret, why = g.objectValue(c.Name)
	}
	if why != "" {
		g.skip(methodName(c, m), why)
		return nil
	}
	if ret.kind == kindBlock {
		ret = value{kind: kindBlockResult, goType: "objc.Block"}
	}
	shaped, why := g.shapeParams(m.Params, m.Labels(), mo.Params, c)
	if why != "" {
		g.skip(methodName(c, m), why)
		return nil
	}
	if mo.Check != "" {
		shaped.checks = append(shaped.checks, "if err := "+mo.Check+"; err != nil {", refuseBad, "}")
	}
	tidySetter(m, shaped)
	enc, err := g.ts.methodEncoding(m)
	if err != nil {
		return fmt.Errorf("%s: %w", methodName(c, m), err)
	}
	retained := g.retained(m, enc)
	s := methodSender(spec.index, spec.recv)
	s.makes = spec.makes
	if mo.Error {
		if shaped.errOut {
			return fmt.Errorf("%s: overrides.toml gives it an error result, which it has already", methodName(c, m))
		}
		s.call, s.fails = s.try, true
	}
	b, why := g.buildBody(shaped, ret, retained, s, spec.guards, spec.mustErr)
	if why != "" {
		g.skip(methodName(c, m), why)
		return nil
	}
	if spec.global {
		if err := g.global(spec.name, methodName(c, m)); err != nil {
			return err
		}
	}
	if _, err := g.entry(spec.index, c, m); err != nil {
		return err
	}
	g.res.Counts.Methods++
	o.runtime = o.runtime || b.runtime
	g.funcComment(o, c, m, mo, spec, shaped, ret, retained, enc)
	recv := ""
	params := paramList(shaped.params)
	switch {
	case spec.sender && params == "":
		params = "o " + spec.typ
	case spec.sender:
		params = "o " + spec.typ + ", " + params
	case spec.typ != "":
		recv = "(o " + spec.typ + ") "
	}
	o.printf("func %s%s(%s)%s {\n%s\n}\n", recv, spec.name, params, resultList(b.results),
		strings.Join(b.lines, "\n"))
	return nil
}

// tidySetter names the only parameter of a setter after its property: darwinkit calls them all
// value.
func tidySetter(m *Method, c *call) {
	prop, ok := strings.CutPrefix(strings.TrimSuffix(m.Selector, ":"), "set")
	if !ok || len(c.params) != 1 || c.params[0].name != "value" || strings.Contains(prop, ":") {
		return
	}
	to := paramName(prop)
	rename := func(ss []string) {
		for i, s := range ss {
			ss[i] = replaceIdent(s, "value", to)
		}
	}
	c.params[0].name = to
	rename(c.checks)
	rename(c.pre)
	rename(c.words)
	rename(c.keep)
	rename(c.post)
	rename(c.nilNames)
}

// replaceIdent replaces identifiers that start with from: value, valueID.
func replaceIdent(s, from, to string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], from) && (i == 0 || !isLetter(s[i-1]) && !isDigit(s[i-1])) {
			b.WriteString(to)
			i += len(from)
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func paramList(ps []goParam) string {
	var out []string
	for i, p := range ps {
		if i+1 < len(ps) && ps[i+1].typ == p.typ {
			out = append(out, p.name)
		} else {
			out = append(out, p.name+" "+p.typ)
		}
	}
	return strings.Join(out, ", ")
}

func resultList(rs []string) string {
	switch len(rs) {
	case 0:
		return ""
	case 1:
		return " " + rs[0]
	}
	return " (" + strings.Join(rs, ", ") + ")"
}

// funcComment writes a function's comment: what it does, the Objective-C declaration, and the
// facts.
func (g *generator) funcComment(o *output, c *Class, m *Method, mo *MethodOverride, spec funcSpec, shaped *call,
	ret value, retained bool, enc string) {
	o.printf("\n")
	text := g.sentence(c, m, spec.name, cmpOr(mo.Doc, spec.doc), ret)
	switch {
	case mo.Hidden && mo.Error:
		text = fmt.Sprintf("%s sends the message; a hand-written method checks what it returns.", spec.name)
	case mo.Error:
		text += " What would be a fault of the message is an error."
	case mo.Hidden:
		text = fmt.Sprintf("%s sends the message; a hand-written method checks the arguments first.", spec.name)
	}
	text += g.ov.notes(c.Name + " " + m.Selector)
	if len(shaped.notes) > 0 {
		text += " " + strings.Join(shaped.notes, " ")
	}
	text += shaped.nilText()
	if m.NullableRet && (ret.kind == kindObject || ret.kind == kindAny) && !shaped.errOut {
		text += " The result may be nil."
	}
	if m.Optional {
		text += " Not every device implements it; on others the error wraps [objc.ErrUnavailable]."
	} else if g.late(c, m) && !mo.Hidden {
		text += " On older systems the error wraps [objc.ErrUnavailable]."
	}
	comment(o, text)
	o.printf("//\n//\t%s\n//\n", signature(m))
	comment(o, facts(m.Since, ownership(ret, retained), enc))
	if m.Deprecated {
		o.printf("//\n")
		if m.DeprecIn != (Version{}) && m.DeprecIn.Major < 100 {
			comment(o, fmt.Sprintf("Deprecated: since %v.", m.DeprecIn))
		} else {
			comment(o, "Deprecated: Metal marks it as deprecated.")
		}
	}
}

// nilText returns a sentence that says which arguments may be nil.
func (c *call) nilText() string {
	var empty, null []string
	for _, p := range c.params {
		if !slices.Contains(c.nilNames, p.name) {
			continue
		}
		if p.typ == "string" || strings.HasPrefix(p.typ, "[]") || strings.HasPrefix(p.typ, "map") {
			empty = append(empty, p.name)
		} else {
			null = append(null, p.name)
		}
	}
	s := ""
	switch len(null) {
	case 0:
	case 1:
		s += " The argument " + null[0] + " may be nil."
	default:
		s += " The arguments " + joinAnd(null) + " may be nil."
	}
	if len(empty) > 0 {
		s += " If " + strings.Join(empty, " or ") + " is empty, nil is passed."
	}
	return s
}

// functions emits the C functions.
func (g *generator) functions() error {
	o := g.out("cfunctions")
	var table []string
	for _, f := range g.mod.Functions {
		fo := g.ov.function(f.Name)
		switch {
		case fo.Skip:
			g.skip("function "+f.Name, fo.Reason)
			if strings.HasPrefix(fo.Reason, handBound) {
				enc, err := g.functionEncoding(f)
				if err != nil {
					return err
				}
				g.ctable = append(g.ctable, functionEntry{f.Name, enc})
			}
			continue
		case f.Inline:
			g.skip("function "+f.Name, "inline in the header: there is no symbol to call, use a Go composite literal")
			continue
		}
		ret, why := g.valueOf(f.Ret, nil)
		var shaped *call
		if why == "" {
			labels := make([]string, len(f.Params))
			for i, p := range f.Params {
				labels[i] = p.Name
			}
			shaped, why = g.shapeParams(f.Params, labels, fo.Params, nil)
		}
		if why != "" {
			g.skip("function "+f.Name, why)
			continue
		}
		enc, err := g.functionEncoding(f)
		if err != nil {
			return err
		}
		name := cmpOr(fo.Rename, g.cfg.typeName(f.Name))
		call := func(ws string) string { return "zfunctions[f" + name + "].Call(" + ws + ")" }
		nilArg := func(param string) string {
			return fmt.Sprintf(`fmt.Errorf("%s: %s: %s is nil: %%w", objc.ErrNotObject)`, g.cfg.Package, name, param)
		}
		b, why := g.buildBody(shaped, ret, f.Retained, sender{call: call, fails: true, function: name, nilArg: nilArg},
			nil, true)
		if why != "" {
			g.skip("function "+f.Name, why)
			continue
		}
		if err := g.global(name, f.Name); err != nil {
			return err
		}
		g.res.Counts.Functions++
		o.runtime = o.runtime || b.runtime
		o.printf("\n")
		if fo.Doc != "" {
			comment(o, name+" "+fo.Doc)
		} else {
			comment(o, fmt.Sprintf("%s calls %s.", name, f.Name))
		}
		o.printf("//\n//\t%s\n//\n", functionSignature(f))
		comment(o, facts(f.Since, ownership(ret, f.Retained), enc))
		o.printf("func %s(%s)%s {\n%s\n}\n", name, paramList(shaped.params), resultList(b.results),
			strings.Join(b.lines, "\n"))
		retained := ""
		if f.Retained {
			retained = ", Retained: true"
		}
		g.ctable = append(g.ctable, functionEntry{f.Name, enc})
		table = append(table, fmt.Sprintf("f%s: {Name: %q, Framework: %q, Encoding: %q%s%s},", name, f.Name, g.cfg.Framework,
			enc, g.refFields(f.Since), retained))
	}
	g.constTable(o, "zfunctions", "Function", "the C functions", table)
	return nil
}

// constTable emits a table with the constants that index it.
func (g *generator) constTable(o *output, name, typ, what string, table []string) {
	if len(table) == 0 {
		return
	}
	o.printf("\n// Indices of %s.\nconst (\n", name)
	for i, line := range table {
		index, _, _ := strings.Cut(line, ":")
		if i == 0 {
			index += " = iota"
		}
		o.printf("%s\n", index)
	}
	o.printf(")\n\n// %s are %s of this package.\nvar %s = [...]objc.%s{\n%s\n}\n", name, what, name, typ,
		strings.Join(table, "\n"))
}

func (g *generator) functionEncoding(f *Function) (string, error) {
	ret, err := g.ts.encode(f.Ret)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	args, err := g.ts.encodeParams(f.Params)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	return ret + args, nil
}

func functionSignature(f *Function) string {
	ps := make([]string, len(f.Params))
	for i, p := range f.Params {
		ps[i] = p.Type.String() + " " + p.Name
	}
	return fmt.Sprintf("%s %s(%s)", f.Ret, f.Name, strings.Join(ps, ", "))
}

// refFields are the last fields of a reference to a class, function or constant.
func (g *generator) refFields(since Version) string {
	if g.cfg.Driver != "" {
		return sinceField(since) + ", Software: driver.Register"
	}
	return sinceField(since)
}

func sinceField(v Version) string {
	if v == (Version{}) {
		return ""
	}
	if v.Minor == 0 {
		return fmt.Sprintf(", Since: %d << 8", v.Major)
	}
	return fmt.Sprintf(", Since: %d<<8 | %d", v.Major, v.Minor)
}
