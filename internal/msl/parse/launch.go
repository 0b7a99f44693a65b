package parse

import (
	"slices"
	"sort"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// A launch in the program of the host says which instance of a template the device's program needs:
// by its template arguments or, without, by the types of its arguments.

// maxSearch limits the tokens that are searched for what launches need, besides 64 times the file.
const maxSearch = 1 << 24

// exhausted counts another search of the file, and reports whether there were too many.
func (o *outline) exhausted() bool {
	o.work += len(o.toks)
	return o.work > maxSearch+64*len(o.toks)
}

// instantiate puts explicit instantiations into the place of a host function, one for each instance
// that a launch in it needs.
func (o *outline) instantiate(d *item, l launch, done map[string]bool, inject map[int][]token.Token) {
	if o.exhausted() {
		return
	}
	at := o.toks[l.from]
	word := func(k token.Kind, text string) token.Token { return token.Token{Kind: k, Pos: at.Pos, Text: text} }
	if !o.isTemplate(d, l) {
		return
	}
	for _, in := range o.instances(d, l) {
		key := ""
		for _, t := range append(in.name[:len(in.name):len(in.name)], in.args...) {
			key += t.Text + " "
		}
		if done[key] {
			continue
		}
		done[key] = true
		list := []token.Token{word(token.KwTemplate, "template"), word(token.Ident, "__global__"),
			word(token.KwVoid, "void")}
		list = append(append(list, in.name...), word(token.LParen, "("))
		list = append(append(list, in.args...), word(token.RParen, ")"), word(token.Semi, ";"))
		at := d.from
		if !d.inner { // what the instance names may be declared after the function
			at = len(o.toks) - 1
		}
		inject[at] = append(inject[at], list...)
	}
}

// instances adds explicit instantiations for instances that are asked for.
func (o Options) instances(fs *diag.FileSet, toks []token.Token) []token.Token {
	for _, name := range o.Instances {
		base, _, ok := strings.Cut(name, "<")
		if !ok || strings.ContainsAny(name, "\n#;{}") {
			continue
		}
		params := "("
		at := strings.TrimSpace(base[strings.LastIndexByte(base, ':')+1:])
		l := &outline{toks: toks, match: matchBrackets(toks)}
		for i := 0; i+1 < len(toks); i++ {
			if toks[i].Is(at) && l.kind(i+1) == token.LParen && int(l.match[i+1]) > i {
				n := len(l.split(i+2, int(l.match[i+1])))
				params += strings.TrimSuffix(strings.Repeat("__unknown, ", n), ", ")
				break
			}
		}
		file := fs.AddFile("<instance>", "template __global__ void "+name+params+");")
		var list []token.Token
		for sc := token.NewScanner(file, diag.NewSink()); ; {
			t := sc.Next()
			if t.Kind == token.EOF {
				break
			}
			if t.Kind == token.Ident {
				t.Kind = o.Dialect.Keyword(t.Text)
			}
			list = append(list, t)
		}
		end := len(toks) - 1
		toks = append(append(toks[:end:end], list...), toks[end])
	}
	return toks
}

// isTemplate reports whether a launch is one of a template in the file.
func (o *outline) isTemplate(d *item, l launch) bool {
	if l.args || len(o.kernelOf(d, l)) > l.to-l.from {
		return true
	}
	for _, k := range o.byName[o.toks[l.to-1].Text] {
		if k.kernel && o.kind(k.from) == token.KwTemplate {
			return true
		}
	}
	return false
}

// named returns the tokens of the names that a launch uses: of its instance and of its arguments'
// types.
func (o *outline) named(d *item, l launch) []token.Token {
	list := o.toks[l.from:l.to]
	if o.exhausted() || !o.isTemplate(d, l) {
		return list
	}
	list = list[:len(list):len(list)]
	for _, in := range o.instances(d, l) {
		list = append(append(list, in.name...), in.args...)
	}
	return list
}

// instance is what a launch needs: the name with its template arguments, and the types of its
// arguments with commas.
type instance struct{ name, args []token.Token }

// binding is what stands for the parameters of a template.
type binding map[string][]token.Token

// instances returns what a launch needs, for each instance of the host's function if that is a
// template.
func (o *outline) instances(d *item, l launch) (list []instance) {
	params := o.templateParams(d)
	args := o.arguments(d, l, params)
	for _, name := range o.constants(d, o.kernelOf(d, l)) {
		if !mentions(name, params) && !mentions(args, params) {
			list = append(list, instance{name, args})
			continue
		}
		for _, b := range o.bindings(d, 0) {
			n, a := b.replace(name), b.replace(args)
			if mentions(n, params) {
				continue
			}
			list = append(list, instance{n, a})
		}
	}
	return list
}

// kernelOf returns the name of a launch's kernel with its template arguments: that in the
// initializer of a variable of the host, if there is one: auto k = kernel<int>; k<<<1, 1>>>();
func (o *outline) kernelOf(d *item, l launch) []token.Token {
	name := o.toks[l.from:l.to]
	if len(name) != 1 || len(o.byName[name[0].Text]) > 0 {
		return name
	}
	for i := d.from; i+3 < l.from; i++ {
		if o.toks[i].Kind != token.KwAuto || !o.toks[i+1].Is(name[0].Text) || o.toks[i+2].Kind != token.Assign {
			continue
		}
		if i += 3; o.toks[i].Kind == token.Amp {
			i++
		}
		end := i
		for end < l.from && o.kind(end) != token.Semi {
			end++
		}
		if k := o.toks[i:end]; len(k) > 0 && k[0].Kind == token.Ident {
			return k
		}
	}
	return name
}

// maxInstances limits the instances of one launch.
const maxInstances = 64

// constants replaces local constants and types of a host function by their values. Blocks may
// declare the same name differently: the result has a list for each of the values.
func (o *outline) constants(d *item, name []token.Token) (list [][]token.Token) {
	list = [][]token.Token{name}
	for depth := 0; depth < 4; depth++ {
		changed := false
		for _, t := range slices.Clone(name) {
			if t.Kind != token.Ident || o.exhausted() {
				continue
			}
			values := o.local(d, t.Text)
			if len(values) == 0 || len(values)*len(list) > maxInstances {
				continue
			}
			var out [][]token.Token
			for _, v := range values {
				b := binding{t.Text: v}
				for _, l := range list {
					out = append(out, b.replace(l))
				}
			}
			list, changed = out, true
		}
		if !changed || len(list) == 0 {
			break
		}
		name = slices.Concat(list...)
		name = slices.CompactFunc(slices.SortedFunc(slices.Values(name), func(a, b token.Token) int {
			return strings.Compare(a.Text, b.Text)
		}), func(a, b token.Token) bool { return a.Text == b.Text })
	}
	return list
}

// local finds what a local constant or type is: const int N = 4; using T = int; typedef int T;
func (o *outline) local(d *item, name string) (list [][]token.Token) {
	if !d.function {
		return nil
	}
	constant, typedef := false, -1
	until := func(i int) int {
		for i < d.to && o.kind(i) != token.Semi && o.kind(i) != token.Comma {
			if o.kind(i) == token.Less {
				i = max(o.angles(i, d.to), i+1)
				continue
			}
			i = max(int(o.match[i]), i) + 1
		}
		return i
	}
	for i := d.from; i+2 < d.to; i++ {
		switch t := o.toks[i]; {
		case t.Kind == token.Semi, t.Kind == token.LBrace:
			constant, typedef = false, -1
		case t.Kind == token.KwConst, t.Kind == token.KwConstexpr:
			constant = true
		case t.Kind == token.KwTypedef:
			typedef = i + 1
		case t.Kind == token.KwUsing && o.toks[i+1].Is(name) && o.toks[i+2].Kind == token.Assign:
			list = append(list, o.toks[i+3:until(i+3)])
		case typedef > 0 && i > typedef && t.Is(name) && o.toks[i+1].Kind == token.Semi:
			list = append(list, o.toks[typedef:i])
		case constant && t.Is(name) && o.toks[i+1].Kind == token.Assign:
			v := []token.Token{{Kind: token.LParen, Pos: t.Pos, Text: "("}}
			v = append(v, o.toks[i+2:until(i+2)]...)
			list = append(list, append(v, token.Token{Kind: token.RParen, Pos: t.Pos, Text: ")"}))
		}
	}
	return list
}

func mentions(list []token.Token, params map[string]int) bool {
	for _, t := range list {
		if t.Kind == token.Ident && params[t.Text] > 0 {
			return true
		}
	}
	return false
}

// replace puts what stands for parameters into their places.
func (b binding) replace(list []token.Token) (out []token.Token) {
	for _, t := range list {
		if to := b[t.Text]; t.Kind == token.Ident && to != nil {
			out = append(out, to...)
			continue
		}
		out = append(out, t)
	}
	return out
}

// bindings returns what stands for the parameters of a template of the host in its calls: their
// template arguments, or the types of their arguments.
func (o *outline) bindings(d *item, depth int) (list []binding) {
	params := o.templateParams(d)
	if o.exhausted() || depth > 4 {
		return nil
	}
	seen := map[string]bool{}
	for _, n := range d.names {
		for i := 0; i+1 < len(o.toks); i++ {
			if !o.toks[i].Is(n) || i >= d.from && i < d.to {
				continue
			}
			at := o.owner(i)
			if at == nil || !at.function {
				continue
			}
			b, open := binding{}, i+1
			outer := o.templateParams(at)
			if o.kind(open) == token.Less {
				end := o.angles(open, len(o.toks)-1)
				args := o.split(open+1, end-1)
				for p, k := range params {
					if k > len(args) {
						continue
					}
					if v := o.constants(at, args[k-1]); len(v) > 0 {
						b[p] = v[0]
					}
				}
				open = end
			}
			if o.kind(open) != token.LParen || int(o.match[open]) < open {
				continue
			}
			o.deduce(d, at, open, params, outer, b)
			if len(b) == 0 {
				continue
			}
			inner := []binding{{}}
			for _, v := range b {
				if mentions(v, outer) {
					inner = o.bindings(at, depth+1)
					break
				}
			}
			for _, c := range inner {
				one, key := binding{}, ""
				for p, v := range b {
					one[p] = c.replace(v)
				}
				for p := range params {
					key += p + "="
					for _, t := range one[p] {
						key += t.Text + " "
					}
				}
				if !seen[key] {
					seen[key] = true
					list = append(list, one)
				}
			}
		}
	}
	return list
}

// owner returns the declaration that a token is in.
func (o *outline) owner(i int) *item {
	n := sort.Search(len(o.items), func(n int) bool { return o.items[n].from > i }) // they are in order
	if n == 0 || i >= o.items[n-1].to {
		return nil
	}
	return o.items[n-1]
}

// deduce adds what the types of a call's arguments say about the parameters of a template.
func (o *outline) deduce(d, at *item, open int, params, outer map[string]int, b binding) {
	head := d.from
	for head < d.to && o.kind(head) != token.LParen {
		if head++; o.kind(head-1) == token.Less {
			head = o.angles(head-1, d.to)
		}
	}
	if head >= d.to || int(o.match[head]) < head {
		return
	}
	args := o.split(open+1, int(o.match[open]))
	for i, p := range o.split(head+1, int(o.match[head])) {
		if i >= len(args) {
			return
		}
		name, stars := "", 0
		for _, t := range p {
			switch {
			case t.Kind == token.Ident && params[t.Text] > 0 && name == "":
				name = t.Text
			case t.Kind == token.Star:
				stars++
			case t.Kind == token.Less:
				name = "?"
			}
		}
		if params[name] == 0 || b[name] != nil {
			continue
		}
		t := o.typeOf(at, args[i], outer)
		for len(t) > 0 && stars > 0 && t[len(t)-1].Kind == token.Star {
			t, stars = t[:len(t)-1], stars-1
		}
		for len(t) > 0 && (t[0].Kind == token.KwConst) {
			t = t[1:]
		}
		if stars == 0 && len(t) > 0 {
			b[name] = t
		}
	}
}

// templateParams returns the numbers, from 1, of the parameters of a template by their names.
func (o *outline) templateParams(d *item) map[string]int {
	if o.kind(d.from) != token.KwTemplate || o.kind(d.from+1) != token.Less {
		return nil
	}
	m := map[string]int{}
	for n, p := range o.split(d.from+2, o.angles(d.from+1, d.to)-1) {
		for i, t := range p {
			if t.Kind == token.Ident && (i+1 == len(p) || p[i+1].Kind == token.Assign) {
				m[t.Text] = n + 1
			}
		}
	}
	return m
}

// split splits a list at its commas.
func (o *outline) split(i, end int) (list [][]token.Token) {
	from, angle := i, 0
	for ; i < end; i++ {
		switch o.toks[i].Kind {
		case token.LParen, token.LBrack, token.LBrace:
			i = max(i, int(o.match[i]))
		case token.Less:
			angle++
		case token.Greater:
			angle--
		case token.Comma:
			if angle <= 0 {
				list = append(list, o.toks[from:i])
				from = i + 1
			}
		}
	}
	if from < end {
		list = append(list, o.toks[from:min(end, i)])
	}
	return list
}

// arguments returns the types of a launch's arguments, with commas: __unknown for those that only a
// compiler of the host can tell.
func (o *outline) arguments(d *item, l launch, params map[string]int) (out []token.Token) {
	open := l.at
	for open < d.to && o.kind(open) != token.Shr || o.kind(open+1) != token.Greater {
		if open++; open >= d.to {
			return nil
		}
	}
	open += 2
	if o.kind(open) != token.LParen || int(o.match[open]) < open {
		return nil
	}
	at := o.toks[open]
	for i, arg := range o.split(open+1, int(o.match[open])) {
		if i > 0 {
			out = append(out, token.Token{Kind: token.Comma, Pos: at.Pos, Text: ","})
		}
		t := o.typeOf(d, arg, params)
		if t == nil {
			t = []token.Token{{Kind: token.Ident, Pos: at.Pos, Text: "__unknown"}}
		}
		out = append(out, t...)
	}
	return out
}

// typeOf returns the type of an argument of simple form: a variable, a cast or a literal. It may
// name parameters of a template of the host.
func (o *outline) typeOf(d *item, arg []token.Token, params map[string]int) []token.Token {
	if len(arg) == 0 {
		return nil
	}
	basic := func(k token.Kind, text string) []token.Token {
		return []token.Token{{Kind: k, Pos: arg[0].Pos, Text: text}}
	}
	switch t := arg[0]; t.Kind {
	case token.Int:
		if len(arg) == 1 && !strings.ContainsAny(t.Text, "uUlL") {
			return basic(token.KwInt, "int")
		}
	case token.Float:
		if len(arg) == 1 && strings.HasSuffix(strings.ToLower(t.Text), "f") {
			return basic(token.KwFloat, "float")
		}
	case token.LParen:
		for i, u := range arg {
			if u.Kind == token.RParen && i+1 < len(arg) && o.isTypeName(arg[1:i], params) {
				return arg[1:i]
			}
		}
	case token.Amp: // &x[i] is a pointer as x is
		if len(arg) > 3 && arg[1].Kind == token.Ident && arg[2].Kind == token.LBrack &&
			arg[len(arg)-1].Kind == token.RBrack {
			if p := o.declared(d, arg[1].Text, params); len(p) > 0 && p[len(p)-1].Kind == token.Star {
				return p
			}
		}
	case token.Ident:
		if len(arg) == 1 || arg[1].Kind == token.Plus {
			return o.declared(d, t.Text, params)
		}
	}
	return nil
}

// isTypeName reports whether tokens spell a type that the device's program can name.
func (o *outline) isTypeName(list []token.Token, params map[string]int) bool {
	word := false
	for _, t := range list {
		switch k := t.Kind; {
		case k == token.Star, k == token.KwConst, k == token.ColonColon, k == token.KwStruct, k == token.KwRestrict:
		case word && (k == token.Less || k == token.Greater || k == token.Shr || k == token.Comma || k == token.Int):
		case token.KwVoid <= k && k <= token.KwUnsigned && k != token.KwDouble:
			word = true
		case k == token.Ident && (len(o.byName[t.Text]) > 0 || builtinName(t.Text) != 0 || vectorName(t.Text) ||
			params[t.Text] > 0):
			word = true
		default:
			return false
		}
	}
	return word
}

func vectorName(s string) bool {
	switch s {
	case "__half", "half2", "__nv_bfloat16":
		return true
	}
	elem := strings.TrimRight(s, "1234")
	return len(elem)+1 == len(s) && (elem == "float" || elem == "int" || elem == "longlong" || elem == "ulonglong")
}

// openAngle returns the index of the < that a > at k closes, from the index from on, else -1.
func (o *outline) openAngle(k, from int) int {
	for depth := 0; k > from; k-- {
		switch o.toks[k].Kind {
		case token.Greater:
			depth++
		case token.Shr:
			depth += 2
		case token.Less:
			depth--
		case token.RParen, token.RBrack, token.RBrace:
			if m := int(o.match[k]); m >= 0 {
				k = m
			}
		case token.Semi:
			return -1
		}
		if depth <= 0 {
			return k
		}
	}
	return -1
}

// declared returns the type of a variable of the host: a local, a parameter or, in the file, a
// variable.
func (o *outline) declared(d *item, name string, params map[string]int) []token.Token {
	if t := o.declaredIn(d, name, params); t != nil {
		return t
	}
	for _, v := range o.byName[name] {
		if !v.function {
			if t := o.declaredIn(v, name, nil); t != nil {
				return t
			}
		}
	}
	return nil
}

func (o *outline) declaredIn(d *item, name string, params map[string]int) []token.Token {
	for j := d.from; j < d.to; j++ {
		if !o.toks[j].Is(name) {
			continue
		}
		switch o.kind(j + 1) {
		case token.Semi, token.Assign, token.Comma, token.RParen, token.LBrace, token.LParen:
		default:
			continue
		}
		k, last := j, j
		for k > d.from {
			switch o.kind(k - 1) {
			case token.Greater, token.Shr:
				if m := o.openAngle(k-1, d.from); m > d.from {
					k = m
					continue
				}
			case token.Semi, token.LBrace, token.RBrace, token.LParen:
			case token.RParen, token.RBrack:
				if m := int(o.match[k-1]); m >= d.from {
					k = m
					continue
				}
			default:
				if o.kind(k-1) == token.Comma && last == j {
					last = k
				}
				k--
				continue
			}
			break
		}
		if last == j {
			last = k
		}
		t := o.toks[last:j]
		stars := 0
		for len(t) > 0 && (t[len(t)-1].Kind == token.Star || t[len(t)-1].Kind == token.KwRestrict) {
			if t[len(t)-1].Kind == token.Star {
				stars++
			}
			t = t[:len(t)-1]
		}
		if len(t) == 0 { // a further declarator: the type is before the first
			t = o.toks[k:j]
			for i, u := range t {
				if u.Kind == token.Star || u.Kind == token.Ident && i > 0 && (i+1 == len(t) ||
					t[i+1].Kind == token.Comma || t[i+1].Kind == token.Assign || t[i+1].Kind == token.LBrack) {
					t = t[:i]
					break
				}
			}
		}
		for len(t) > 0 && (t[0].Kind == token.KwStatic || t[0].Is("__managed__") || t[0].Kind == token.KwExtern) {
			t = t[1:]
		}
		if !o.isTypeName(t, params) {
			continue
		}
		t = t[:len(t):len(t)]
		for range stars {
			t = append(t, token.Token{Kind: token.Star, Pos: o.toks[j].Pos, Text: "*"})
		}
		return t
	}
	return nil
}
