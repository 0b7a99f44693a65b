package bindgen

import "strings"

func (p *parser) parseClass(protocol bool) error {
	c := &Class{Protocol: protocol, Group: p.grp}
	var err error
	if c.Name, err = p.ident("a name"); err != nil {
		return err
	}
	if p.peekPunct(":") {
		p.next()
		if !protocol {
			if c.Super, err = p.ident("a superclass"); err != nil {
				return err
			}
		} else if c.Conforms, err = p.names(); err != nil {
			return err
		}
	}
	if !protocol && p.peekPunct("<") {
		p.next()
		if c.Conforms, err = p.names(); err != nil {
			return err
		}
		if err := p.punct(">"); err != nil {
			return err
		}
	}
	if p.peekIdent("since") {
		p.next()
		if c.Since, err = p.version(); err != nil {
			return err
		}
	}
	if err := p.punct("{"); err != nil {
		return err
	}
	for !p.peekPunct("}") {
		m, err := p.parseMethod()
		if err != nil {
			return err
		}
		if c.Find(m.Selector, m.ClassMethod) != nil {
			return p.errorf("%s is declared twice in %s", m.Selector, c.Name)
		}
		c.Methods = append(c.Methods, m)
	}
	p.mod.Classes = append(p.mod.Classes, c)
	return p.punct("}")
}

// names parses one or more identifiers between commas.
func (p *parser) names() ([]string, error) {
	var out []string
	for {
		n, err := p.ident("a name")
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if !p.peekPunct(",") {
			return out, nil
		}
		p.next()
	}
}

func (p *parser) parseMethod() (*Method, error) {
	m := &Method{Line: p.peek().line}
	switch {
	case p.peekPunct("+"):
		m.ClassMethod = true
	case !p.peekPunct("-"):
		return nil, p.errorf("expected a method, found %v", p.peek())
	}
	p.next()
	var err error
	if p.peekPunct("(") {
		err = p.parseShape(m)
	} else {
		m.ShapeElsewhere = true
		err = p.parseSelector(m)
	}
	if err != nil {
		return nil, err
	}
	for !p.peekPunct(";") {
		if err := p.parseAttribute(m); err != nil {
			return nil, err
		}
	}
	p.next()
	return m, p.applyNullable(m)
}

// parseSelector parses "label" or "set:at:".
func (p *parser) parseSelector(m *Method) error {
	var b strings.Builder
	for {
		name, err := p.ident("a selector")
		if err != nil {
			return err
		}
		b.WriteString(name)
		if !p.peekPunct(":") {
			if strings.Contains(b.String(), ":") {
				return p.errorf("selector %q: label without colon after one with", b.String())
			}
			break
		}
		p.next()
		b.WriteByte(':')
		if p.peek().kind != tokIdent || !p.peekAt(1, ":") {
			break
		}
	}
	m.Selector = b.String()
	return nil
}

// parseShape parses "(ret)label" or "(ret)label:(type)name label:(type)name".
func (p *parser) parseShape(m *Method) error {
	var err error
	if m.Ret, m.NullableRet, err = p.parenType(); err != nil {
		return err
	}
	label, err := p.ident("a selector")
	if err != nil {
		return err
	}
	m.Selector = label
	for p.peekPunct(":") {
		p.next()
		m.Selector += ":"
		var a Param
		if a.Type, a.Nullable, err = p.parenType(); err != nil {
			return err
		}
		if a.Name, err = p.ident("a parameter's name"); err != nil {
			return err
		}
		m.Params = append(m.Params, a)
		if p.peek().kind == tokIdent && p.peekAt(1, ":") {
			m.Selector += p.next().text
		}
	}
	return nil
}

func (p *parser) parenType() (t CType, nullable bool, err error) {
	if err = p.punct("("); err != nil {
		return
	}
	if p.peekIdent("nullable") {
		p.next()
		nullable = true
	}
	if t, err = p.parseType(0); err != nil {
		return
	}
	return t, nullable, p.punct(")")
}

func (p *parser) parseAttribute(m *Method) error {
	word, err := p.ident("an attribute or ;")
	if err != nil {
		return err
	}
	switch word {
	case "since":
		m.Since, err = p.version()
	case "deprecated":
		m.Deprecated = true
		if p.peek().kind == tokNumber {
			m.DeprecIn, err = p.version()
		}
	case "optional":
		m.Optional = true
	case "variadic":
		m.Variadic = true
	case "unavailable":
		m.Unavailable = true
	case "nullable":
		if err = p.punct("("); err != nil {
			return err
		}
		var names []string
		if names, err = p.names(); err != nil {
			return err
		}
		m.NullableNames = append(m.NullableNames, names...)
		err = p.punct(")")
	default:
		err = p.errorf("unknown attribute %q of a method", word)
	}
	return err
}

// applyNullable applies the names in nullable(...) to the parameters, if those are already known.
func (p *parser) applyNullable(m *Method) error {
	if m.ShapeElsewhere {
		return nil
	}
	bad, ok := m.setNullable(m.NullableNames)
	if !ok {
		return p.errorf("%s has no parameter %q", m.Selector, bad)
	}
	m.NullableNames = nil
	return nil
}

// setNullable marks the named parameters; it returns the first name that is not one of the
// method's.
func (m *Method) setNullable(names []string) (bad string, ok bool) {
next:
	for _, n := range names {
		if n == "return" {
			m.NullableRet = true
			continue
		}
		for i := range m.Params {
			if m.Params[i].Name == n {
				m.Params[i].Nullable = true
				continue next
			}
		}
		return n, false
	}
	return "", true
}
