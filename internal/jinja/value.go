package jinja

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The values are nil, undefined, bool, int64, float64, string, *array, *dict, *namespace, *loop and
// *function.
type (
	undefined struct{ what string }
	array     struct{ items []any } // a list or a tuple
	dict      struct {
		keys   []string
		values map[string]any
	}
	namespace struct{ values map[string]any }
	loop      struct {
		items []any
		at    int
	}
	function struct {
		name string
		call func(r *run, args arguments) any
	}
)

// arguments are those of a call.
type arguments struct {
	list  []any
	named map[string]any
}

func (d *dict) set(key string, x any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = x
}

// step counts what the template does.
func (r *run) step(n int) {
	if r.steps += n; r.steps > maxSteps || n < 0 {
		failAt(r.line, ErrLimit, "more than %d steps", maxSteps)
	}
}

// spend counts bytes of texts that are made or searched.
func (r *run) spend(n int) {
	if r.bytes += n; r.bytes > maxBytes || n < 0 {
		failAt(r.line, ErrLimit, "more than %d bytes of text", maxBytes)
	}
}

func (r *run) fail(format string, args ...any) { failAt(r.line, nil, format, args...) }

// items returns memory for a list.
func (r *run) items(n int) []any {
	const size = 24 // of an element with its number
	r.step(max(n, 1))
	r.spend(size * n)
	return make([]any, n)
}

func (r *run) array(items []any) *array {
	copy(r.items(len(items)), items) // counts them
	return &array{items}
}

func (r *run) dict(n int) *dict {
	const size = 64
	r.step(n + 1)
	r.spend(size * (n + 1))
	return &dict{values: make(map[string]any)}
}

// made returns a text that was made.
func (r *run) made(text string) string {
	r.spend(len(text))
	return text
}

// value converts a variable.
func (r *run) value(x any) any {
	switch x := x.(type) {
	case int:
		return int64(x)
	case []any:
		items := r.items(len(x))
		for i, e := range x {
			items[i] = r.value(e)
		}
		return &array{items}
	case map[string]any:
		d := r.dict(len(x))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			d.set(k, r.value(x[k]))
		}
		return d
	case nil, bool, int64, float64, string:
		return x
	}
	r.fail("a variable is a %T", x)
	return nil
}

// kindOf returns the name of a value's type for errors.
func kindOf(x any) string {
	switch x := x.(type) {
	case nil:
		return "none"
	case undefined:
		return fmt.Sprintf("undefined (%s)", x.what)
	case bool:
		return "a truth value"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	case *array:
		return "a list"
	case *dict:
		return "a dict"
	}
	return "an object"
}

func (r *run) truth(x any) bool {
	switch x := x.(type) {
	case nil, undefined:
		return false
	case bool:
		return x
	case int64:
		return x != 0
	case float64:
		return x != 0
	case string:
		return x != ""
	case *array:
		return len(x.items) > 0
	case *dict:
		return len(x.keys) > 0
	}
	return true
}

// text returns a value as it is printed.
func (r *run) text(x any) string {
	switch x := x.(type) {
	case string:
		return x
	case undefined:
		return ""
	}
	var b strings.Builder
	r.print(&b, x, 0)
	return b.String()
}

// print writes a value as Python shows it.
func (r *run) print(b *strings.Builder, x any, depth int) {
	if depth > maxValues {
		failAt(r.line, ErrLimit, "more than %d lists in each other", maxValues)
	}
	r.step(1)
	before := b.Len()
	switch x := x.(type) {
	case nil, undefined:
		b.WriteString("None")
	case bool:
		if x {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case int64:
		b.WriteString(strconv.FormatInt(x, 10))
	case float64:
		b.WriteString(float(x))
	case string:
		r.spend(4 * len(x))
		quote(b, x)
	case *array:
		b.WriteByte('[')
		for i, e := range x.items {
			if i > 0 {
				b.WriteString(", ")
			}
			r.print(b, e, depth+1)
		}
		b.WriteByte(']')
		return
	case *dict:
		b.WriteByte('{')
		for i, k := range x.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			quote(b, r.made(k))
			b.WriteString(": ")
			r.print(b, x.values[k], depth+1)
		}
		b.WriteByte('}')
		return
	default:
		fmt.Fprintf(b, "<%s>", strings.TrimPrefix(fmt.Sprintf("%T", x), "*jinja."))
	}
	r.spend(b.Len() - before)
}

// float returns a number as Python shows it.
func float(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)), "+")
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// quote writes a string as Python shows it in a list.
func quote(b *strings.Builder, s string) {
	q := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		q = '"'
	}
	b.WriteRune(q)
	for _, c := range s {
		switch {
		case c == q || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(b, `\x%02x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteRune(q)
}

// number returns a value as a number; bools are 0 and 1.
func number(x any) (i int64, f float64, isInt, ok bool) {
	switch x := x.(type) {
	case bool:
		if x {
			return 1, 1, true, true
		}
		return 0, 0, true, true
	case int64:
		return x, float64(x), true, true
	case float64:
		return 0, x, false, true
	}
	return 0, 0, false, false
}

// equal compares as == does.
func (r *run) equal(x, y any, depth int) bool {
	if depth > maxValues {
		failAt(r.line, ErrLimit, "more than %d lists in each other", maxValues)
	}
	r.step(1)
	i, f, xInt, xOK := number(x)
	j, g, yInt, yOK := number(y)
	if xOK && yOK {
		if xInt && yInt {
			return i == j
		}
		return f == g
	}
	switch x := x.(type) {
	case undefined:
		_, ok := y.(undefined)
		return ok
	case string:
		s, ok := y.(string)
		if !ok || len(x) != len(s) {
			return false
		}
		r.spend(len(s))
		return x == s
	case *array:
		l, ok := y.(*array)
		if !ok || len(l.items) != len(x.items) {
			return false
		}
		for i := range l.items {
			if !r.equal(x.items[i], l.items[i], depth+1) {
				return false
			}
		}
		return true
	case *dict:
		d, ok := y.(*dict)
		if !ok || len(d.keys) != len(x.keys) {
			return false
		}
		for _, k := range x.keys {
			z, ok := d.values[r.made(k)]
			if !ok || !r.equal(x.values[k], z, depth+1) {
				return false
			}
		}
		return true
	}
	return x == y
}

// order compares numbers, strings and lists of them.
func (r *run) order(x, y any, depth int) int {
	if depth > maxValues {
		failAt(r.line, ErrLimit, "more than %d lists in each other", maxValues)
	}
	r.step(1)
	i, f, xInt, xOK := number(x)
	j, g, yInt, yOK := number(y)
	switch {
	case xOK && yOK && xInt && yInt:
		return cmp.Compare(i, j)
	case xOK && yOK:
		return cmp.Compare(f, g)
	}
	s, xOK := x.(string)
	t, yOK := y.(string)
	if xOK && yOK {
		r.spend(min(len(s), len(t)))
		return strings.Compare(s, t)
	}
	l, xOK := x.(*array)
	m, yOK := y.(*array)
	if !xOK || !yOK {
		r.fail("%s and %s have no order", kindOf(x), kindOf(y))
	}
	for i := range min(len(l.items), len(m.items)) {
		if c := r.order(l.items[i], m.items[i], depth+1); c != 0 {
			return c
		}
	}
	return len(l.items) - len(m.items)
}

// contains is the operator in.
func (r *run) contains(x, in any) bool {
	switch in := in.(type) {
	case string:
		s, ok := x.(string)
		if !ok {
			r.fail("%s in a string; want a string", kindOf(x))
		}
		r.spend(len(in) + len(s))
		return strings.Contains(in, s)
	case *array:
		for _, e := range in.items {
			if r.equal(x, e, 0) {
				return true
			}
		}
		return false
	case *dict:
		_, ok := in.values[r.key(x)]
		return ok
	case *namespace:
		_, ok := in.values[r.key(x)]
		return ok
	case undefined:
		return false
	}
	r.fail("in %s; want a string, a list or a dict", kindOf(in))
	return false
}

func (r *run) compare(op string, x, y any) bool {
	switch op {
	case "==":
		return r.equal(x, y, 0)
	case "!=":
		return !r.equal(x, y, 0)
	case "in":
		return r.contains(x, y)
	case "not in":
		return !r.contains(x, y)
	}
	c := r.order(x, y, 0)
	switch op {
	case "<":
		return c < 0
	case ">":
		return c > 0
	case "<=":
		return c <= 0
	}
	return c >= 0
}

// key returns a value as the key of a dict.
func (r *run) key(x any) string {
	s, ok := x.(string)
	if !ok {
		r.fail("%s is the key of a dict; want a string", kindOf(x))
	}
	return r.made(s)
}

func (r *run) arithmetic(op string, x, y any) any {
	r.step(1)
	if op == "~" {
		s, t := r.text(x), r.text(y)
		r.spend(len(s) + len(t))
		return s + t
	}
	i, f, xInt, xOK := number(x)
	j, g, yInt, yOK := number(y)
	s, xText := x.(string)
	t, yText := y.(string)
	l, xList := x.(*array)
	m, yList := y.(*array)
	switch {
	case xOK && yOK && xInt && yInt && op != "/" && !(op == "**" && j < 0):
		return r.integers(op, i, j)
	case xOK && yOK:
		return r.floats(op, f, g)
	case op == "+" && xText && yText:
		r.spend(len(s) + len(t))
		return s + t
	case op == "+" && xList && yList:
		items := r.items(len(l.items) + len(m.items))
		copy(items[copy(items, l.items):], m.items)
		return &array{items}
	case op == "*" && xText && yInt:
		r.times(len(s), j)
		return strings.Repeat(s, max(int(j), 0))
	case op == "*" && xInt && yText:
		r.times(len(t), i)
		return strings.Repeat(t, max(int(i), 0))
	}
	r.fail("%s %s %s: unsupported", kindOf(x), op, kindOf(y))
	return nil
}

// times counts the bytes of a text that is repeated.
func (r *run) times(n int, by int64) {
	if by > 0 && int64(n) > maxBytes/by {
		failAt(r.line, ErrLimit, "more than %d bytes of text", maxBytes)
	}
	r.spend(n * int(max(by, 0)))
	if n == 0 {
		r.step(1)
	}
}

func (r *run) integers(op string, x, y int64) any {
	big := func(ok bool, z int64) any {
		if !ok {
			r.fail("%d %s %d is too large", x, op, y)
		}
		return z
	}
	switch op {
	case "+":
		return big((x+y > x) == (y > 0), x+y)
	case "-":
		return big((x-y < x) == (y > 0), x-y)
	case "*":
		return big(x == 0 || x*y/x == y && !(x == -1 && y == math.MinInt64), x*y)
	case "**":
		z, ok := int64(1), true
		for range min(y, 64) {
			ok = ok && (x == 0 || z*x/x == z)
			z *= x
		}
		if y > 64 {
			ok = x == 0 || x == 1 || x == -1
			if x == -1 && y%2 != 0 {
				z = -1
			}
		}
		return big(ok, z)
	}
	if y == 0 {
		r.fail("%d %s 0", x, op)
	}
	if y == -1 { // the least integer has no opposite
		if op == "%" {
			return int64(0)
		}
		return r.integers("-", 0, x)
	}
	q, m := x/y, x%y
	if m != 0 && (m < 0) != (y < 0) {
		q, m = q-1, m+y
	}
	if op == "%" {
		return m
	}
	return q
}

func (r *run) floats(op string, x, y float64) any {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "**":
		return math.Pow(x, y)
	}
	if y == 0 {
		r.fail("%s %s 0", float(x), op)
	}
	switch op {
	case "//":
		return math.Floor(x / y)
	case "%":
		m := math.Mod(x, y)
		if m != 0 && (m < 0) != (y < 0) {
			m += y
		}
		return m
	}
	return x / y
}

// elements returns what a loop over a value sees.
func (r *run) elements(x any) []any {
	switch x := x.(type) {
	case *array:
		return x.items
	case *dict:
		items := r.items(len(x.keys))
		for i, k := range x.keys {
			items[i] = k
		}
		return items
	case string:
		items := r.items(utf8.RuneCountInString(x))[:0]
		for _, c := range x {
			items = append(items, string(c))
		}
		return items
	case undefined:
		return nil
	}
	r.fail("%s has no elements", kindOf(x))
	return nil
}

// index is x[i].
func (r *run) index(x, i any) any {
	r.step(1)
	if key, ok := i.(string); ok {
		if d, ok := x.(*dict); ok {
			if y, ok := d.values[r.made(key)]; ok {
				return y
			}
		}
		return r.attribute(x, key)
	}
	n, _, isInt, _ := number(i)
	if !isInt {
		r.fail("%s[%s]", kindOf(x), kindOf(i))
	}
	switch y := x.(type) {
	case *array:
		if n < 0 {
			n += int64(len(y.items))
		}
		if n >= 0 && n < int64(len(y.items)) {
			return y.items[n]
		}
	case string:
		r.spend(len(y))
		size := int64(utf8.RuneCountInString(y))
		if n < 0 {
			n += size
		}
		if n >= 0 && n < size {
			for _, c := range y {
				if n == 0 {
					return string(c)
				}
				n--
			}
		}
	case *dict:
	default:
		r.fail("%s[%d]", kindOf(x), n)
	}
	return undefined{fmt.Sprintf("element %d", n)}
}

// slice is x[from:to:step].
func (r *run) slice(x any, at [3]any) any {
	text, isText := x.(string)
	if _, ok := x.(*array); !ok && !isText {
		r.fail("%s[…:…]", kindOf(x))
	}
	if isText {
		r.spend(len(text))
	}
	items := r.elements(x)
	size := int64(len(items))
	bound := func(i int, otherwise int64, low, high int64) int64 {
		if at[i] == nil {
			return otherwise
		}
		n, _, isInt, _ := number(at[i])
		if !isInt {
			r.fail("[%s:]", kindOf(at[i]))
		}
		if n < 0 {
			n += size
		}
		return min(max(n, low), high)
	}
	step := int64(1)
	if at[2] != nil {
		n, _, isInt, _ := number(at[2])
		if !isInt || n == 0 {
			r.fail("[::%s], want a number that is not 0", kindOf(at[2]))
		}
		step = min(max(n, -size-1), size+1)
	}
	var out []any
	if step > 0 {
		for i := bound(0, 0, 0, size); i < bound(1, size, 0, size); i += step {
			r.step(1)
			out = append(out, items[i])
		}
	} else {
		for i := bound(0, size-1, -1, size-1); i > bound(1, -1, -1, size-1); i += step {
			r.step(1)
			out = append(out, items[i])
		}
	}
	if !isText {
		return r.array(out)
	}
	var b strings.Builder
	for _, c := range out {
		b.WriteString(c.(string))
	}
	return r.made(b.String())
}
