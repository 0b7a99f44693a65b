package parse

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// A CUDA source has the program of the host in it, which needs headers and a language that this
// compiler does not know. It is left out by structure, before the file is parsed: the declarations
// of each namespace and class are told apart by their tokens alone, and what no kernel reaches by
// name is skipped.

// item is a declaration at file, namespace or class level.
type item struct {
	from, to int // tokens
	names    []string
	kernel   bool   // __global__
	device   bool   // __device__ or memory of the device
	function bool   // as opposed to a variable or type
	constant bool   // const or constexpr
	operator bool   // an operator or conversion
	instance bool   // an explicit instantiation
	body     [2]int // of a class: its braces
	inner    bool   // in a namespace
	always   bool   // belongs to the device's program whatever kernels name
	keep     bool
	opaque   bool // a header of this compiler
}

// outline splits tokens into declarations.
type outline struct {
	toks  []token.Token
	match []int32
	items []*item
	known map[string]bool // namespaces that the file defines

	byName map[string][]*item
	set    map[string]bool // variables that the host copies to
	depth  int
	work   int // of searches for the instances that launches need
}

// deviceWords are the specifiers of what the device has.
func deviceWord(s string) bool {
	switch s {
	case "__global__", "__device__", "__shared__", "__constant__", "__managed__":
		return true
	}
	return false
}

// takesParens reports whether a word before parentheses is a specifier.
func takesParens(t token.Token) bool {
	switch t.Kind {
	case token.KwAlignas, token.KwAttribute, token.KwDecltype, token.KwNoexcept:
		return true
	}
	switch t.Text {
	case "__align__", "__launch_bounds__", "__builtin_align__", "__declspec", "__cluster_dims__", "__maxnreg__",
		"__block_size__":
		return true
	}
	return false
}

// angles returns the index after the template arguments or parameters that begin at i.
func (o *outline) angles(i, end int) int {
	depth := 0
	for ; i < end; i++ {
		switch o.toks[i].Kind {
		case token.Less:
			depth++
		case token.Greater:
			depth--
		case token.Shr:
			depth -= 2
		case token.LParen, token.LBrack, token.LBrace:
			if m := int(o.match[i]); m > i {
				i = m
			}
		case token.Semi:
			return i
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return end
}

// space reads the declarations of a namespace.
func (o *outline) space(i, end int) {
	for i < end {
		t := o.toks[i]
		switch {
		case t.Kind == token.Semi, t.Kind == token.RBrace:
			i++
			continue
		case t.Kind == token.KwNamespace && o.toks[min(i+1, end)].Is("puremetal") && o.kind(i+2) == token.LBrace &&
			o.match[i+2] > 0:
			d := &item{from: i, to: int(o.match[i+2]) + 1, always: true, opaque: true}
			o.known["puremetal"] = true
			o.items = append(o.items, d)
			i = d.to
			continue
		case t.Kind == token.KwNamespace, t.Kind == token.KwInline && o.kind(i+1) == token.KwNamespace:
			i = o.namespace(i, end)
			continue
		case t.Kind == token.KwExtern && o.kind(i+1) == token.String && o.kind(i+2) == token.LBrace && o.match[i+2] > 0:
			if o.depth++; o.depth < MaxNesting {
				o.space(i+3, int(o.match[i+2]))
			}
			o.depth--
			i = int(o.match[i+2]) + 1
			continue
		case t.Kind == token.KwUsing:
			i = o.using(i, end)
			continue
		}
		d := o.declaration(i, end)
		d.inner = o.depth > 0
		o.items = append(o.items, d)
		i = max(d.to, i+1)
	}
}

func (o *outline) kind(i int) token.Kind { return o.toks[min(i, len(o.toks)-1)].Kind }

func (o *outline) until(i, end int, k token.Kind) int {
	for i < end && o.toks[i].Kind != k {
		i++
	}
	return min(i+1, end)
}

func (o *outline) namespace(i, end int) int {
	for k := i; k < end; k++ {
		switch t := o.toks[k]; t.Kind {
		case token.Ident:
			o.known[t.Text] = true
		case token.LBrace:
			if m := int(o.match[k]); m > k {
				if o.depth++; o.depth < MaxNesting {
					o.space(k+1, m)
				}
				o.depth--
				return m + 1
			}
			return end
		case token.Assign:
			d := &item{from: i, to: o.until(k, end, token.Semi), names: []string{o.toks[k-1].Text}}
			d.always = o.ours(k + 1)
			if !d.always {
				delete(o.known, o.toks[k-1].Text)
			}
			o.items = append(o.items, d)
			return d.to
		case token.Semi:
			return k + 1
		}
	}
	return end
}

// ours reports whether the name at i begins with a namespace that the program or the library has.
func (o *outline) ours(i int) bool {
	if o.kind(i) == token.ColonColon {
		i++
	}
	name := o.toks[min(i, len(o.toks)-1)].Text
	return o.known[name] || name == "cooperative_groups"
}

func (o *outline) using(i, end int) int {
	d := &item{from: i, to: o.until(i, end, token.Semi)}
	switch {
	case o.kind(i+1) == token.KwNamespace:
		d.always = o.ours(i + 2)
	case o.kind(i+2) == token.Assign:
		d.names = []string{o.toks[i+1].Text}
	default:
		d.always = o.ours(i + 1)
	}
	o.items = append(o.items, d)
	return d.to
}

// declaration reads the extent and the kind of a declaration.
func (o *outline) declaration(i, end int) *item {
	d := &item{from: i, to: end}
	class, enum, typedef, assigned, template := false, false, false, false, false
	params := -1 // the parenthesis of the parameters
	var loose []string
	for k := i; k < end; {
		t := o.toks[k]
		switch t.Kind {
		case token.KwTemplate:
			if o.kind(k+1) == token.Less {
				template = true
				k = o.angles(k+1, end)
				continue
			}
			d.instance = !template
		case token.KwTypedef:
			typedef = true
		case token.KwConst, token.KwConstexpr:
			d.constant = d.constant || !assigned && params < 0
		case token.KwStruct, token.KwClass, token.KwUnion:
			class = class || params < 0 && !assigned
		case token.KwEnum:
			enum = enum || params < 0 && !assigned
		case token.KwOperator:
			d.operator = true
			if o.kind(k+1) == token.LParen && o.match[k+1] > 0 {
				k = int(o.match[k+1])
			}
			for k++; k < end && o.kind(k) != token.LParen; {
				k++
			}
			d.names = append(d.names, "operator")
			if params < 0 && k < end {
				params = k
			}
			continue
		case token.Assign:
			assigned = true
		case token.Ident:
			if t.Text == "texture" && params < 0 && o.kind(k+1) == token.Less {
				d.device = true
			}
			if deviceWord(t.Text) && params < 0 {
				d.device = true
				d.kernel = d.kernel || t.Text == "__global__"
			}
			switch o.kind(k + 1) {
			case token.Less:
				if !assigned && params < 0 {
					loose = append(loose, t.Text) // a specialization, perhaps
					k = o.angles(k+1, end)
					if o.kind(k) == token.ColonColon {
						d.names = append(d.names, t.Text)
					}
					continue
				}
			case token.ColonColon:
				if !assigned && params < 0 {
					d.names = append(d.names, t.Text)
				}
			case token.Semi, token.Comma, token.LBrack, token.Assign, token.RParen, token.Colon:
				if params < 0 {
					d.names = append(d.names, t.Text)
				}
			case token.LBrace:
				if params < 0 {
					d.names = append(d.names, t.Text)
				}
			}
			if t.Text == "final" && len(loose) > 0 {
				d.names = append(d.names, loose...)
			}
		case token.LParen, token.LBrack:
			m := int(o.match[k])
			if m < k {
				return d
			}
			prev := o.toks[max(k-1, i)]
			if t.Kind == token.LParen && params < 0 && !assigned && !takesParens(prev) {
				switch {
				case prev.Kind == token.Ident && !deviceWord(prev.Text) && o.kind(k+1) != token.Star:
					params = k
					d.names = append(d.names, prev.Text)
				case (prev.Kind == token.Greater || prev.Kind == token.Shr) && o.kind(k+1) != token.Star:
					params = k
					d.names = append(d.names, loose...)
				default: // (*name)(...)
					for j := k + 1; j < m; j++ {
						if o.toks[j].Kind == token.Ident {
							d.names = append(d.names, o.toks[j].Text)
							break
						}
					}
				}
			}
			k = m
		case token.LBrace:
			m := int(o.match[k])
			if m < k {
				return d
			}
			switch {
			case params >= 0 && !assigned && !(o.toks[k-1].Kind == token.Ident && o.initializing(params, k)):
				d.function, d.to = true, m+1
				return d
			case enum && !assigned && d.body == [2]int{}:
				d.body = [2]int{k, k}
				for j := k + 1; j < m; j++ {
					switch o.toks[j].Kind {
					case token.LParen:
						j = max(j, int(o.match[j]))
					case token.Ident:
						if p := o.toks[j-1].Kind; p == token.LBrace || p == token.Comma {
							d.names = append(d.names, o.toks[j].Text)
						}
					}
				}
			case class && !assigned && d.body == [2]int{}:
				d.body = [2]int{k, m}
				d.names = append(d.names, loose...)
			}
			k = m
		case token.Semi:
			d.to = k + 1
			d.function = params >= 0 && !typedef && !assigned
			if class && len(d.names) == 0 {
				d.names = loose
			}
			return d
		case token.RBrace:
			d.to = k
			return d
		}
		k++
	}
	return d
}

// initializing reports whether the tokens between the parameters and k are the initializers of a
// constructor, in which a name comes before braces.
func (o *outline) initializing(params, k int) bool {
	for i := int(o.match[params]) + 1; i < k; i++ {
		if o.toks[i].Kind == token.Colon {
			return true
		}
	}
	return false
}

// members lists the members of a class that belong to the host.
func (o *outline) members(body [2]int) (host []*item) {
	for i := body[0] + 1; i < body[1]; {
		switch k := o.kind(i); {
		case k == token.Semi, (k == token.KwPublic || k == token.KwPrivate || k == token.KwProtected) &&
			o.kind(i+1) == token.Colon:
			i++
			continue
		case k == token.Colon:
			i++
			continue
		}
		d := o.declaration(i, body[1])
		if d.function && !d.device && !o.plain(d) {
			host = append(host, d)
		} else if d.body[1] > d.body[0] && o.depth < MaxNesting {
			o.depth++
			host = append(host, o.members(d.body)...)
			o.depth--
		}
		i = max(d.to, i+1)
	}
	return host
}

// plain reports whether a member function needs no __device__: constexpr, = default, = delete.
func (o *outline) plain(d *item) bool {
	for i := d.from; i < d.to; i++ {
		switch o.toks[i].Kind {
		case token.KwConstexpr:
			return true
		case token.LBrace:
			return false
		case token.Assign:
			if k := o.kind(i + 1); k == token.KwDefault || k == token.KwDelete {
				return true
			}
		}
	}
	return false
}

// launch is a name before <<<.
type launch struct {
	at       int // of <<<
	from, to int // the name with its template arguments
	args     bool
}

// launches lists the launches between two tokens.
func (o *outline) launches(from, to int) (list []launch) {
	for i := from + 1; i+1 < to; i++ {
		if o.toks[i].Kind != token.Shl || o.toks[i+1].Kind != token.Less ||
			o.toks[i].End() != o.toks[i+1].Pos && o.toks[i].Pos >= 0 {
			continue
		}
		l := launch{at: i, to: i}
		k := i - 1
		if t := o.toks[k].Kind; t == token.Greater || t == token.Shr {
			l.args = true
			k = o.openAngle(k, from)
			k--
		}
		if k < from || o.toks[k].Kind != token.Ident {
			continue
		}
		for k-2 >= from && o.toks[k-1].Kind == token.ColonColon && o.toks[k-2].Kind == token.Ident {
			k -= 2
		}
		l.from = k
		list = append(list, l)
	}
	return list
}

// skipHost returns the tokens of the device's program. Each launch of an instance of a template in
// what it leaves out becomes an explicit instantiation there, and one in what it keeps is reported.
func skipHost(toks []token.Token, sink *diag.Sink, skipped func(from, to int)) []token.Token {
	o := &outline{toks: toks, match: matchBrackets(toks), known: map[string]bool{}, byName: map[string][]*item{}}
	o.space(0, len(toks)-1)
	kernels := slices.ContainsFunc(o.items, func(d *item) bool { return d.kernel && d.function })
	byName := o.byName
	var work []*item
	use := func(d *item) {
		if !d.keep {
			d.keep = true
			work = append(work, d)
		}
	}
	for _, d := range o.items {
		for _, n := range d.names {
			byName[n] = append(byName[n], d)
		}
	}
	for _, d := range o.items {
		switch {
		case d.always, d.kernel, d.device && d.operator, d.device && !kernels:
			use(d)
		case d.instance && d.device:
			use(d)
		}
	}
	usable := func(d *item) bool { return !d.function || d.device || d.constant }
	for _, d := range o.items {
		if d.keep || usable(d) && !d.function {
			continue
		}
		for _, l := range o.launches(d.from, d.to) {
			for _, t := range o.named(d, l) {
				for _, n := range byName[t.Text] {
					if usable(n) && t.Kind == token.Ident {
						use(n)
					}
				}
			}
		}
	}
	drop := map[int]int{} // from token to token
	for len(work) > 0 {
		d := work[len(work)-1]
		work = work[:len(work)-1]
		var host []*item
		if d.body[1] > d.body[0] {
			host = o.members(d.body)
		}
		for _, h := range host {
			drop[h.from] = h.to
		}
		for i := d.from; i < d.to && !d.opaque; i++ {
			if to, ok := drop[i]; ok {
				i = to - 1
				continue
			}
			if toks[i].Kind != token.Ident {
				continue
			}
			for _, n := range byName[toks[i].Text] {
				if usable(n) && (n.body != [2]int{} || n.function || n.device || n.constant || o.isType(n)) {
					use(n)
				}
			}
		}
	}
	inject := map[int][]token.Token{}
	done := map[string]bool{}
	for _, d := range o.items {
		if d.keep {
			continue
		}
		drop[d.from] = d.to
		if d.function {
			for _, l := range o.launches(d.from, d.to) {
				o.instantiate(d, l, done, inject)
			}
		}
	}
	for _, d := range o.items {
		if d.keep && d.device && !d.function {
			o.uninitialize(d, drop)
		}
		if !d.keep || !d.function || d.opaque {
			continue
		}
		for _, l := range o.launches(d.from, d.to) {
			sink.Errorf(diag.DialectFeature, toks[l.from].Pos, toks[l.at-1].End(),
				"launches from kernels are not supported: launch '%s' from the host", toks[l.from].Text)
			end := l.at
			for end < d.to && o.kind(end) != token.Semi && !(o.kind(end) == token.Shr && o.kind(end+1) == token.Greater) {
				end++
			}
			if o.kind(end) == token.Shr {
				end += 2
			}
			drop[l.at] = end
		}
	}
	device := make([]token.Token, 0, len(toks))
	for i := 0; i < len(toks); i++ {
		if to, ok := drop[i]; ok {
			device = append(device, inject[i]...)
			if skipped != nil {
				skipped(i, to)
			}
			if to > i {
				i = to - 1
				continue
			}
		}
		if i == len(toks)-1 {
			device = append(device, inject[i]...)
		}
		device = append(device, toks[i])
	}
	return device
}

// uninitialize drops the initializer of a variable that the host sets: its value is that of an
// argument.
func (o *outline) uninitialize(d *item, drop map[int]int) {
	if o.set == nil {
		o.set = map[string]bool{}
		for i, t := range o.toks {
			if t.Kind == token.Ident && (strings.HasPrefix(t.Text, "cudaMemcpyToSymbol") || t.Text == "cudaGetSymbolAddress") &&
				o.kind(i+1) == token.LParen {
				for k := i + 2; k < int(o.match[i+1]); k++ {
					o.set[o.toks[k].Text] = true
				}
			}
		}
	}
	for i := d.from; i+1 < d.to; i++ {
		if o.toks[i].Kind == token.LParen || o.toks[i].Kind == token.LBrace {
			i = max(i, int(o.match[i]))
			continue
		}
		if o.toks[i].Kind != token.Ident || !o.set[o.toks[i].Text] {
			continue
		}
		k := i + 1
		for o.kind(k) == token.LBrack && int(o.match[k]) > k {
			k = int(o.match[k]) + 1
		}
		if o.kind(k) != token.Assign && o.kind(k) != token.LBrace {
			continue
		}
		end := k
		for end < d.to && o.kind(end) != token.Semi && o.kind(end) != token.Comma {
			end = max(end, int(o.match[end])) + 1
		}
		drop[k] = end
	}
}

// isType reports whether a declaration is a typedef or alias.
func (o *outline) isType(d *item) bool {
	for i := d.from; i < d.to; i++ {
		switch o.toks[i].Kind {
		case token.KwTypedef, token.KwUsing, token.KwStruct, token.KwClass, token.KwUnion, token.KwEnum, token.KwNamespace:
			return true
		case token.LBrace, token.Assign:
			return false
		}
	}
	return false
}
