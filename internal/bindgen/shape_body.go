package bindgen

import (
	"fmt"
	"slices"
	"strings"
)

// sender describes the call that a function body makes.
type sender struct {
	call   func(words string) string // one result word
	ret    func(words string) string // into the words r[:]
	str    func(words string) string // an NSString result, copied; "" if there is no such call
	err    func(words string) string // with NSError **
	errOut func(words string) string
	// nilArg is the error for a nil argument and reportNil reports it; C functions return it.
	nilArg, reportNil func(param string) string
	// table is the method's entry in zmethods.
	table string
	// function is a C function's Go name, for its errors.
	function string
	// makes means that the guards create the receiver: bad arguments are rejected before that.
	makes bool
	// try is call with the fault as an error.
	try func(words string) string
	// fails means that call itself gives (uintptr, error): for C functions, and for methods whose
	// faults overrides.toml makes errors.
	fails bool
}

// methodSender sends the method at index idx of zmethods to recv.
func methodSender(idx, recv string) sender {
	m := "zmethods[" + idx + "]"
	with := func(name string) func(string) string {
		return func(words string) string { return m + "." + name + "(" + join(recv, words) + ")" }
	}
	return sender{
		table:     m,
		call:      with("Call"),
		try:       with("TryCall"),
		ret:       func(words string) string { return m + ".CallRet(" + join("r[:]", recv, words) + ")" },
		str:       with("CallString"),
		err:       with("CallError"),
		errOut:    with("CallErrorOut"),
		nilArg:    func(param string) string { return fmt.Sprintf("%s.NilArgument(%q)", m, param) },
		reportNil: func(param string) string { return fmt.Sprintf("%s.ReportNilArgument(%q)", m, param) },
	}
}

func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}

// body is the result types and the lines of a generated function.
type body struct {
	results []string
	lines   []string
	runtime bool // uses package runtime
}

// buildBody writes the body of a method: guards, the message, and the conversion of its result.
// FAIL in a guard becomes the return with err. mustErr means that the function has an error result
// even if the message has none.
func (g *generator) buildBody(c *call, ret value, retained bool, s sender, guards []string, mustErr bool) (*body,
	string) {
	b := &body{}
	hasErr := mustErr || c.errOut || s.fails
	val := ret
	if c.errOut && ret.kind == kindBool {
		val = value{kind: kindVoid} // NO comes with an error
	}
	if val.kind != kindVoid {
		b.results = append(b.results, val.goType)
	}
	if c.hasOut {
		b.results = append(b.results, c.out.goType)
	}
	for _, v := range c.outs {
		b.results = append(b.results, v.typ)
	}
	if hasErr {
		b.results = append(b.results, "error")
	}
	if len(c.outs) > 0 && (val.kind != kindVoid && !c.outObjects || c.errOut || s.fails || c.pool) {
		return nil, "a value written through a pointer beside another result"
	}
	var zeros, outs []string
	if val.kind != kindVoid {
		zeros = append(zeros, val.zero())
	}
	for _, v := range c.outs {
		zeros = append(zeros, v.zero)
		if c.outObjects {
			outs = append(outs, v.name)
		} else {
			outs = append(outs, "*"+v.name)
		}
	}
	if c.hasOut {
		zeros = append(zeros, c.out.zero())
	}
	fail := "return " + join(append(zeros, "err")...)
	checks, why := g.refusals(c.checks, s, zeros, hasErr)
	if why != "" {
		return nil, why
	}
	pre, why := g.refusals(c.pre, s, zeros, hasErr)
	if why != "" {
		return nil, why
	}
	guard := func(undo []string) {
		for _, line := range guards {
			if line == "FAIL" {
				b.lines = append(b.lines, undo...)
			}
			b.lines = append(b.lines, strings.ReplaceAll(line, "FAIL", fail))
		}
	}
	if !s.makes {
		guard(nil)
	}
	b.lines = append(b.lines, checks...)
	if c.pool {
		if val.kind != kindVoid || hasErr {
			return nil, "a dictionary of arrays in a method with a result"
		}
		b.lines = append(b.lines, "objc.Pool(func() {")
		defer func() { b.lines = append(b.lines, "})") }()
	}
	b.lines = append(b.lines, pre...)
	if s.makes {
		guard(c.post)
	}
	post := append([]string(nil), c.post...)
	for _, k := range c.keep {
		post = append(post, "runtime.KeepAlive("+k+")")
		b.runtime = true
	}
	words := strings.Join(c.words, ", ")
	nilErr := ""
	if hasErr {
		nilErr = "nil"
	}
	switch {
	case c.errOut || s.fails:
		why = g.errBody(b, c, val, retained, s, words, post, fail)
	case val.kind == kindVoid:
		b.lines = append(b.lines, s.call(words))
		b.lines = append(b.lines, post...)
		if hasErr || len(outs) > 0 {
			b.lines = append(b.lines, "return "+join(append(outs, nilErr)...))
		}
	case val.kind == kindStruct:
		l, err := g.ts.layout(val.s)
		if err != nil {
			return nil, err.Error()
		}
		b.lines = append(b.lines, fmt.Sprintf("var r [%d]uintptr", (l.Size+7)/8), s.ret(words))
		b.lines = append(b.lines, post...)
		b.lines = append(b.lines, "return "+join("objc.Unpack["+val.goType+"](r[:]...)", nilErr))
	case val.kind == kindString:
		g.simple(b, s.str(words), "r", post, nilErr)
	case val.copied():
		b.lines = append(b.lines, "var r "+val.goType, "objc.Pool(func() {")
		b.lines = append(b.lines, convertOnce(val, s.call(words), retained)...)
		b.lines = append(b.lines, "})")
		b.lines = append(b.lines, post...)
		b.lines = append(b.lines, "return "+join("r", nilErr))
	default:
		conv, ok := val.fromWord("r")
		if !ok {
			return nil, "no Go form for the result"
		}
		if len(post) == 0 {
			conv, _ = val.fromWord(s.call(words))
			b.lines = append(b.lines, "return "+join(conv, nilErr))
			break
		}
		g.simple(b, s.call(words), conv, post, join(append(outs, nilErr)...))
	}
	return b, why
}

// refusals turns the rejections among lines into returns: with an error if the function returns
// one, else after a report and with zeros.
func (g *generator) refusals(lines []string, s sender, zeros []string, hasErr bool) ([]string, string) {
	var out []string
	for _, line := range lines {
		var err, report string
		if name, ok := strings.CutPrefix(line, refuseNUL); ok {
			if s.function == "" || !hasErr {
				return nil, "a C string in a method"
			}
			err = fmt.Sprintf(`fmt.Errorf("%s: %s: %s has a NUL byte at offset %%d", i)`, g.cfg.Package, s.function, name)
		} else if strings.HasPrefix(line, refuseBad) {
			err = s.table + ".BadArgument(err)"
			if !hasErr {
				report = s.table + ".ReportBadArgument(err)"
			}
		} else if short, ok := strings.CutPrefix(line, refuseShort); ok {
			name, least, _ := strings.Cut(short, " ")
			args := fmt.Sprintf("%q, uint(len(%s)), %s", name, name, least)
			err = s.table + ".ShortArgument(" + args + ")"
			if !hasErr {
				report = s.table + ".ReportShortArgument(" + args + ")"
			}
		} else if name, ok := cutEither(line, refuseNil, refuseFault); ok {
			err = s.nilArg(name)
			if strings.HasPrefix(line, refuseNil) && !hasErr {
				report = s.reportNil(name)
			}
		} else {
			out = append(out, line)
			continue
		}
		if hasErr {
			out = append(out, "return "+join(append(slices.Clone(zeros), err)...))
			continue
		}
		if report != "" {
			out = append(out, report)
		}
		out = append(out, strings.TrimSpace("return "+join(zeros...)))
	}
	return out, ""
}

func cutEither(s, a, b string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, a); ok {
		return rest, true
	}
	return strings.CutPrefix(s, b)
}

func (g *generator) simple(b *body, expr, conv string, post []string, nilErr string) {
	if len(post) == 0 && conv == "r" {
		b.lines = append(b.lines, "return "+join(expr, nilErr))
		return
	}
	b.lines = append(b.lines, "r := "+expr)
	b.lines = append(b.lines, post...)
	b.lines = append(b.lines, "return "+join(conv, nilErr))
}

// convertOnce sets r from an object result that may be released at once.
func convertOnce(v value, expr string, retained bool) []string {
	if !retained {
		conv, _ := v.fromWord(expr)
		return []string{"r = " + conv}
	}
	conv, _ := v.fromWord("w")
	return []string{"w := " + expr, "r = " + conv, "objc.Release(objc.ID(w))"}
}

// errBody writes the part of a body whose message itself gives an error.
func (g *generator) errBody(b *body, c *call, val value, retained bool, s sender, words string, post []string,
	fail string) string {
	expr := s.call(words)
	if c.errOut {
		expr = s.err(words)
	}
	switch {
	case c.hasOut:
		if val.kind != kindObject || c.out.kind != kindObject {
			return "an out-parameter beside a result that is no object"
		}
		b.lines = append(b.lines, "r, out, err := "+s.errOut(words))
		b.lines = append(b.lines, post...)
		rc, _ := val.fromWord("r")
		b.lines = append(b.lines, "return "+join(rc, c.out.elem+"From(out)", "err"))
	case val.kind == kindVoid:
		if len(post) == 0 {
			b.lines = append(b.lines, "_, err := "+expr, "return err")
			break
		}
		b.lines = append(b.lines, "_, err := "+expr)
		b.lines = append(b.lines, post...)
		b.lines = append(b.lines, "return err")
	case val.kind == kindStruct:
		return "a structure beside an error"
	case val.copied() || val.kind == kindString:
		b.lines = append(b.lines, "var r "+val.goType, "var err error", "objc.Pool(func() {", "var w uintptr",
			"w, err = "+expr)
		lines := convertOnce(val, "w", false)
		if retained {
			lines = append(lines, "objc.Release(objc.ID(w))")
		}
		b.lines = append(b.lines, lines...)
		b.lines = append(b.lines, "})")
		b.lines = append(b.lines, post...)
		b.lines = append(b.lines, "return r, err")
	default:
		conv, ok := val.fromWord("w")
		if !ok {
			return "no Go form for the result"
		}
		b.lines = append(b.lines, "w, err := "+expr)
		b.lines = append(b.lines, post...)
		if val.isArray() && retained {
			b.lines = append(b.lines, "if err != nil {", fail, "}", "r := "+conv,
				"for _, e := range r {", "e.Retain()", "}", "objc.Release(objc.ID(w))", "return r, nil")
			break
		}
		b.lines = append(b.lines, "return "+join(conv, "err"))
	}
	return ""
}
