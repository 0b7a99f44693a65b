package jinja

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const filterNames = " abs capitalize count d default dictsort e escape first float indent int items join last " +
	"length list lower map max min reject rejectattr replace reverse round safe select selectattr sort string sum " +
	"title tojson trim unique upper "

const testNames = " boolean callable defined divisibleby eq equalto even false float ge gt in integer iterable le " +
	"lower lt mapping ne none number odd sameas sequence string true undefined upper "

func isFilter(name string) bool { return strings.Contains(filterNames, " "+name+" ") }
func isTest(name string) bool   { return strings.Contains(testNames, " "+name+" ") }

// filter is x | name(args).
func (r *run) filter(name string, x any, a arguments) any {
	r.step(1)
	switch name {
	case "d", "default":
		_, missing := x.(undefined)
		if missing || r.truth(a.get(1, "boolean")) && !r.truth(x) {
			if !a.has(0, "default_value") {
				return ""
			}
			return a.get(0, "default_value")
		}
		return x
	case "trim":
		return r.strip(r.text(x), a, true, true)
	case "string", "safe":
		return r.text(x)
	case "upper":
		return r.made(strings.ToUpper(r.made(r.text(x))))
	case "lower":
		return r.made(strings.ToLower(r.made(r.text(x))))
	case "capitalize", "title":
		return r.capitals(r.text(x), name == "title")
	case "escape", "e":
		s := r.text(x)
		r.spend(5 * len(s))
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
	case "replace":
		return r.replace(r.text(x), a)
	case "indent":
		return r.indent(r.text(x), a)
	case "join":
		between, attribute := "", ""
		if a.has(0, "d") {
			between = a.text(r, 0, "d")
		}
		if a.has(1, "attribute") {
			attribute = a.text(r, 1, "attribute")
		}
		return r.join(x, between, attribute)
	case "tojson":
		return r.toJSON(x, a)
	case "length", "count":
		switch y := x.(type) {
		case string:
			r.spend(len(y))
			return int64(utf8.RuneCountInString(y))
		case *array:
			return int64(len(y.items))
		}
		return int64(len(r.elements(x)))
	case "abs", "round", "int", "float":
		return r.numeric(name, x, a)
	}
	return r.filterList(name, x, a)
}

// numeric are the filters for numbers.
func (r *run) numeric(name string, x any, a arguments) any {
	if s, ok := x.(string); ok && (name == "int" || name == "float") {
		s = strings.TrimSpace(r.made(s))
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			f = 0
			if n, g, isInt, ok := number(a.get(0, "default")); ok {
				if f = g; isInt && name == "int" {
					return n
				}
			}
		}
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && name == "int" {
			return n
		}
		x = f
	}
	n, f, isInt, ok := number(x)
	switch {
	case !ok && (name == "int" || name == "float"):
		n, f = 0, 0
	case !ok:
		r.fail("%s of %s", name, kindOf(x))
	}
	switch name {
	case "abs":
		if isInt && n != math.MinInt64 {
			return max(n, -n)
		}
		return math.Abs(f)
	case "float":
		return f
	case "int":
		if isInt {
			return n
		}
		if !(math.Abs(f) < 1<<62) {
			r.fail("%s is no integer", float(f))
		}
		return int64(f)
	}
	digits := int64(0)
	if a.has(0, "precision") {
		digits = a.int(r, 0, "precision")
	}
	scale := math.Pow(10, float64(min(max(digits, -300), 300)))
	if y := math.RoundToEven(f*scale) / scale; !math.IsNaN(y) {
		return y
	}
	return f
}

// capitals makes the first letter of a text, or of each word, a capital and others small.
func (r *run) capitals(s string, words bool) string {
	var b strings.Builder
	r.spend(2 * len(s))
	first := true
	for _, c := range s {
		if first {
			b.WriteRune(unicode.ToTitle(c))
		} else {
			b.WriteRune(unicode.ToLower(c))
		}
		first = words && (unicode.IsSpace(c) || strings.ContainsRune("-({[<", c))
	}
	return b.String()
}

func (r *run) indent(s string, a arguments) string {
	by := "    "
	if t, ok := a.get(0, "width").(string); ok {
		by = t
	} else if a.has(0, "width") {
		n := a.int(r, 0, "width")
		r.times(1, n)
		by = strings.Repeat(" ", int(max(n, 0)))
	}
	r.spend(len(s))
	r.times(len(by), int64(strings.Count(s, "\n")+1))
	lines := strings.Split(s, "\n")
	for i := range lines {
		if i == 0 && !r.truth(a.get(1, "first")) || i > 0 && lines[i] == "" && !r.truth(a.get(2, "blank")) {
			continue
		}
		lines[i] = by + lines[i]
	}
	return r.made(strings.Join(lines, "\n"))
}

// filterList are the filters for lists.
func (r *run) filterList(name string, x any, a arguments) any {
	if d, ok := x.(*dict); ok && (name == "items" || name == "dictsort") {
		if name == "items" {
			return r.pairs(d)
		}
		pairs := r.pairs(d)
		r.sort(pairs.items, a, "", false)
		return pairs
	}
	if name == "items" {
		r.fail("items of %s; want a dict", kindOf(x))
	}
	items := r.elements(x)
	r.step(len(items))
	var attribute string
	if a.has(9, "attribute") {
		attribute = a.text(r, 9, "attribute")
	}
	pick := func(y any) any {
		if attribute != "" {
			return r.path(y, attribute)
		}
		return y
	}
	switch name {
	case "first", "last":
		if len(items) == 0 {
			return undefined{"the " + name + " element of nothing"}
		}
		if name == "first" {
			return items[0]
		}
		return items[len(items)-1]
	case "list":
		return r.array(items)
	case "reverse":
		out := r.array(slices.Clone(items))
		slices.Reverse(out.items)
		if _, ok := x.(string); ok {
			return r.join(out, "", "")
		}
		return out
	case "sort":
		out := r.array(slices.Clone(items))
		r.sort(out.items, a, attribute, r.truth(a.get(0, "reverse")))
		return out
	case "unique":
		var out []any
		for _, y := range items {
			if !slices.ContainsFunc(out, func(z any) bool { return r.equal(pick(z), pick(y), 0) }) {
				out = append(out, y)
			}
		}
		return r.array(out)
	case "max", "min":
		if len(items) == 0 {
			return undefined{"the " + name + " of nothing"}
		}
		best := items[0]
		for _, y := range items[1:] {
			if c := r.order(pick(y), pick(best), 0); name == "max" && c > 0 || name == "min" && c < 0 {
				best = y
			}
		}
		return best
	case "sum":
		var total any = int64(0)
		for _, y := range items {
			total = r.arithmetic("+", total, pick(y))
		}
		return total
	case "map":
		return r.mapped(items, a, attribute)
	}
	return r.selected(name, items, a)
}

func (r *run) sort(items []any, a arguments, attribute string, reverse bool) {
	pick := func(x any) any {
		if attribute != "" {
			x = r.path(x, attribute)
		}
		if s, ok := x.(string); ok && !r.truth(a.get(1, "case_sensitive")) {
			return r.made(strings.ToLower(s))
		}
		return x
	}
	slices.SortStableFunc(items, func(x, y any) int {
		c := r.order(pick(x), pick(y), 0)
		if reverse {
			return -c
		}
		return c
	})
}

// path is attribute for a.b.
func (r *run) path(x any, name string) any {
	for part := range strings.SplitSeq(name, ".") {
		x = r.attribute(x, part)
	}
	return x
}

// mapped applies a filter to each element, or takes an attribute of each.
func (r *run) mapped(items []any, a arguments, attribute string) any {
	out := r.items(len(items))
	var name string
	if attribute == "" {
		if name = a.text(r, 0, "filter"); !isFilter(name) {
			r.fail("unknown filter %q", name)
		}
		a.list = a.list[1:]
	}
	for i, x := range items {
		switch {
		case attribute == "":
			out[i] = r.filter(name, x, a)
		default:
			out[i] = r.path(x, attribute)
			if _, missing := out[i].(undefined); missing && a.has(9, "default") {
				out[i] = a.get(9, "default")
			}
		}
	}
	return &array{out}
}

// selected are select, reject, selectattr and rejectattr.
func (r *run) selected(name string, items []any, a arguments) any {
	keep := strings.HasPrefix(name, "select")
	attribute := ""
	if strings.HasSuffix(name, "attr") {
		attribute = a.text(r, 0, "attribute")
		a.list = a.list[1:]
	}
	test := ""
	if a.has(0, "test") {
		if test = comparison(a.text(r, 0, "test")); !isTest(test) {
			r.fail("unknown test %q", test)
		}
		a.list = a.list[1:]
	}
	var out []any
	for _, x := range items {
		y := x
		if attribute != "" {
			y = r.path(x, attribute)
		}
		ok := false
		if test == "" {
			ok = r.truth(y)
		} else {
			ok = r.test(test, y, a)
		}
		if ok == keep {
			out = append(out, x)
		}
	}
	return r.array(out)
}

// comparison returns the test of an operator.
func comparison(op string) string {
	for _, x := range [][2]string{{"==", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}} {
		if op == x[0] {
			return x[1]
		}
	}
	return op
}

// test is x is name(args).
func (r *run) test(name string, x any, a arguments) bool {
	r.step(1)
	_, missing := x.(undefined)
	s, isText := x.(string)
	n, _, isInt, isNumber := number(x)
	_, isBool := x.(bool)
	_, isList := x.(*array)
	_, isDict := x.(*dict)
	switch name {
	case "defined":
		return !missing
	case "undefined":
		return missing
	case "none":
		return x == nil
	case "string":
		return isText
	case "boolean":
		return isBool
	case "number":
		return isNumber
	case "integer":
		return isInt && !isBool
	case "float":
		return isNumber && !isInt
	case "mapping":
		return isDict
	case "sequence":
		return isText || isList || isDict
	case "iterable":
		return isText || isList || isDict || missing
	case "callable":
		_, ok := x.(*function)
		return ok
	case "true":
		return x == true
	case "false":
		return x == false
	case "odd", "even":
		if !isInt {
			r.fail("%s is no integer", kindOf(x))
		}
		return n%2 != 0 == (name == "odd")
	case "divisibleby":
		return r.equal(r.arithmetic("%", x, a.get(0, "num")), int64(0), 0)
	case "eq", "equalto":
		return r.equal(x, a.get(0, "other"), 0)
	case "ne":
		return !r.equal(x, a.get(0, "other"), 0)
	case "lt", "gt", "le", "ge":
		op := strings.NewReplacer("lt", "<", "gt", ">", "le", "<=", "ge", ">=").Replace(name)
		return r.compare(op, x, a.get(0, "other"))
	case "sameas":
		return r.same(x, a.get(0, "other"))
	case "in":
		return r.contains(x, a.get(0, "seq"))
	case "lower", "upper":
		r.spend(2 * len(s))
		if name == "lower" {
			return isText && s == strings.ToLower(s) && s != strings.ToUpper(s)
		}
		return isText && s == strings.ToUpper(s) && s != strings.ToLower(s)
	}
	return false
}

// same reports whether two values are the same object, or equal ones of the same type.
func (r *run) same(x, y any) bool {
	switch x.(type) {
	case bool, nil, int64, float64:
		return x == y
	case string:
		return r.equal(x, y, 0)
	case undefined:
		return false
	}
	return x == y
}

// toJSON writes a value as Python's json.dumps does, without escapes for what is not ASCII.
func (r *run) toJSON(x any, a arguments) string {
	indent := -1
	if a.has(0, "indent") && a.get(0, "indent") != nil {
		indent = int(min(max(a.int(r, 0, "indent"), 0), 16))
	}
	var b strings.Builder
	r.json(&b, x, indent, 0)
	return b.String()
}

func (r *run) json(b *strings.Builder, x any, indent, depth int) {
	if depth > maxValues {
		failAt(r.line, ErrLimit, "more than %d lists in each other", maxValues)
	}
	r.step(1)
	before := b.Len()
	line := func(i, n int) {
		if i > 0 && i < n {
			b.WriteString(",")
		}
		if indent >= 0 {
			r.spend(1 + indent*(depth+1))
			b.WriteString("\n" + strings.Repeat(" ", indent*(depth+1-i/n)))
		} else if i > 0 && i < n {
			b.WriteByte(' ')
		}
	}
	switch x := x.(type) {
	case *array:
		b.WriteByte('[')
		for i, e := range x.items {
			line(i, len(x.items))
			r.json(b, e, indent, depth+1)
		}
		if len(x.items) > 0 {
			line(len(x.items), len(x.items))
		}
		b.WriteByte(']')
		return
	case *dict:
		b.WriteByte('{')
		for i, k := range x.keys {
			line(i, len(x.keys))
			r.json(b, k, indent, depth+1)
			b.WriteString(": ")
			r.json(b, x.values[k], indent, depth+1)
		}
		if len(x.keys) > 0 {
			line(len(x.keys), len(x.keys))
		}
		b.WriteByte('}')
		return
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(x))
	case string:
		r.spend(6 * len(x))
		var text strings.Builder
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		_ = e.Encode(x) // a string has no errors
		b.WriteString(strings.TrimSuffix(text.String(), "\n"))
	case int64, float64:
		r.print(b, x, 0)
	default:
		r.fail("%s is nothing that JSON has", kindOf(x))
	}
	r.spend(b.Len() - before)
}
