package jinja

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// attribute is x.name: a method, an element of a dict or of a namespace.
func (r *run) attribute(x any, name string) any {
	r.step(1)
	r.spend(len(name))
	switch x := x.(type) {
	case undefined:
		r.fail("%s is undefined, and has no %s", x.what, name)
	case *dict:
		if f := r.dictMethod(x, name); f != nil {
			return f
		}
		if y, ok := x.values[name]; ok {
			return y
		}
	case *namespace:
		if y, ok := x.values[name]; ok {
			return y
		}
	case *loop:
		return x.attribute(name)
	case string:
		if f := stringMethod(x, name); f != nil {
			return f
		}
	case *array:
		if len(name) < 10 && name != "" && isDigit(name[0]) { // x.0
			n := int64(0)
			for _, c := range name {
				n = n*10 + int64(c-'0')
			}
			return r.index(x, n)
		}
	}
	return undefined{name}
}

func (r *run) dictMethod(d *dict, name string) any {
	switch name {
	case "items":
		return &function{name, func(r *run, _ arguments) any { return r.pairs(d) }}
	case "keys":
		return &function{name, func(r *run, _ arguments) any { return &array{r.elements(d)} }}
	case "values":
		return &function{name, func(r *run, _ arguments) any {
			items := r.items(len(d.keys))
			for i, k := range d.keys {
				items[i] = d.values[k]
			}
			return &array{items}
		}}
	case "get":
		return &function{name, func(r *run, args arguments) any {
			if y, ok := d.values[r.key(args.get(0, "key"))]; ok {
				return y
			}
			if args.has(1, "default") {
				return args.get(1, "default")
			}
			return nil
		}}
	}
	return nil
}

// pairs returns the keys of a dict with their values.
func (r *run) pairs(d *dict) *array {
	items := r.items(len(d.keys))
	for i, k := range d.keys {
		pair := r.items(2)
		pair[0], pair[1] = k, d.values[k]
		items[i] = &array{pair}
	}
	return &array{items}
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// stringMethod returns a method of Python's strings, or nil.
func stringMethod(s, name string) any {
	var call func(r *run, args arguments) any
	switch name {
	case "strip":
		call = func(r *run, a arguments) any { return r.strip(s, a, true, true) }
	case "lstrip":
		call = func(r *run, a arguments) any { return r.strip(s, a, true, false) }
	case "rstrip":
		call = func(r *run, a arguments) any { return r.strip(s, a, false, true) }
	case "split":
		call = func(r *run, a arguments) any { return r.split(s, a, false) }
	case "rsplit":
		call = func(r *run, a arguments) any { return r.split(s, a, true) }
	case "splitlines":
		call = func(r *run, _ arguments) any {
			r.spend(len(s))
			lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n"), "\n")
			if s == "" {
				lines = nil
			}
			return r.strings(lines)
		}
	case "startswith":
		call = func(r *run, a arguments) any {
			return r.anyOf(a, func(p string) bool { return strings.HasPrefix(s, p) })
		}
	case "endswith":
		call = func(r *run, a arguments) any {
			return r.anyOf(a, func(p string) bool { return strings.HasSuffix(s, p) })
		}
	case "removeprefix":
		call = func(r *run, a arguments) any { return strings.TrimPrefix(s, r.made(a.text(r, 0, "prefix"))) }
	case "removesuffix":
		call = func(r *run, a arguments) any { return strings.TrimSuffix(s, r.made(a.text(r, 0, "suffix"))) }
	case "replace":
		call = func(r *run, a arguments) any { return r.replace(s, a) }
	case "find":
		call = func(r *run, a arguments) any {
			r.spend(len(s))
			i := strings.Index(s, a.text(r, 0, "sub"))
			return int64(len([]rune(s[:max(i, 0)])) + min(i, 0))
		}
	case "count":
		call = func(r *run, a arguments) any {
			r.spend(len(s))
			return int64(strings.Count(s, a.text(r, 0, "sub")))
		}
	case "join":
		call = func(r *run, a arguments) any { return r.join(a.get(0, "list"), s, "") }
	case "upper", "lower", "title", "capitalize":
		call = func(r *run, _ arguments) any { return r.filter(name, s, arguments{}) }
	case "isdigit":
		call = func(r *run, _ arguments) any {
			r.spend(len(s))
			return s != "" && strings.IndexFunc(s, func(c rune) bool { return !unicode.IsDigit(c) }) < 0
		}
	default:
		return nil
	}
	return &function{name, call}
}

// strip removes blanks, or given characters, at the ends of a text.
func (r *run) strip(s string, a arguments, left, right bool) string {
	r.spend(len(s))
	cut := unicode.IsSpace
	if a.has(0, "chars") && a.get(0, "chars") != nil {
		set := a.text(r, 0, "chars")
		if len(set) > 256 {
			r.fail("%d characters to remove", len(set))
		}
		cut = func(c rune) bool { return strings.ContainsRune(set, c) }
	}
	if left {
		s = strings.TrimLeftFunc(s, cut)
	}
	if right {
		s = strings.TrimRightFunc(s, cut)
	}
	return s
}

func (r *run) strings(list []string) *array {
	items := r.items(len(list))
	for i, s := range list {
		items[i] = s
	}
	return &array{items}
}

func (r *run) split(s string, a arguments, right bool) any {
	r.spend(len(s))
	most := int64(-1)
	if a.has(1, "maxsplit") {
		most = a.int(r, 1, "maxsplit")
	}
	if !a.has(0, "sep") || a.get(0, "sep") == nil {
		r.items(len(s)/2 + 1)
		return r.strings(strings.Fields(s))
	}
	sep := a.text(r, 0, "sep")
	if sep == "" {
		r.fail("split by nothing")
	}
	r.items(strings.Count(s, sep) + 1)
	list := strings.Split(s, sep)
	if n := int(min(most, int64(len(list)))); n >= 0 && n+1 < len(list) {
		if right {
			at := len(list) - n
			list = append([]string{r.made(strings.Join(list[:at], sep))}, list[at:]...)
		} else {
			list = append(list[:n:n], r.made(strings.Join(list[n:], sep)))
		}
	}
	return r.strings(list)
}

// anyOf reports whether a test holds for a string or one of several.
func (r *run) anyOf(a arguments, test func(string) bool) bool {
	list := []any{a.get(0, "text")}
	if l, ok := list[0].(*array); ok {
		list = l.items
	}
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			r.fail("%s, want a string", kindOf(x))
		}
		r.step(1)
		if test(r.made(s)) {
			return true
		}
	}
	return false
}

func (r *run) replace(s string, a arguments) string {
	from, to := a.text(r, 0, "old"), a.text(r, 1, "new")
	n := -1
	if a.has(2, "count") {
		n = int(min(max(a.int(r, 2, "count"), -1), int64(len(s)+1)))
	}
	r.spend(len(s))
	found := strings.Count(s, from)
	r.times(len(to), int64(found)) // before memory is allocated
	return r.made(strings.Replace(s, from, to, n))
}

// join writes the elements of a value, or an attribute of each, with a text between them.
func (r *run) join(x any, between, attribute string) string {
	var b strings.Builder
	for i, e := range r.elements(x) {
		if i > 0 {
			b.WriteString(r.made(between))
		}
		if attribute != "" {
			e = r.attribute(e, attribute)
		}
		b.WriteString(r.made(r.text(e)))
	}
	return b.String()
}
