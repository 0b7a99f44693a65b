package jinja

import (
	"strings"
	"time"
)

// run is a template that is being rendered.
type run struct {
	now          time.Time
	out          strings.Builder
	scope        *scope
	steps, bytes int
	calls        int
	line         int // of the statement, for errors
}

// scope are the variables of a loop's pass, of a macro's call or of all.
type scope struct {
	vars  map[string]any
	above *scope
}

// in runs something in a new scope below another.
func (r *run) in(above *scope, do func()) {
	before := r.scope
	r.scope = &scope{vars: make(map[string]any), above: above}
	r.spend(64)
	do()
	r.scope = before
}

func (r *run) lookup(name string) any {
	r.step(1)
	r.spend(len(name))
	for s := r.scope; s != nil; s = s.above {
		if x, ok := s.vars[name]; ok {
			return x
		}
	}
	return undefined{name}
}

// write appends to the output.
func (r *run) write(text string) {
	r.spend(len(text))
	r.out.WriteString(text)
}

// all runs statements up to one that leaves a loop's pass.
func (r *run) all(list []statement) flow {
	for _, s := range list {
		if f := s(r); f != goOn {
			return f
		}
	}
	return goOn
}

// capture returns what statements write.
func (r *run) capture(list []statement) string {
	before := r.out
	r.out = strings.Builder{}
	r.all(list)
	text := r.out.String()
	r.out = before
	return text
}

// assign sets one variable, or several to the elements of a value.
func (r *run) assign(names []string, x any) {
	if len(names) == 1 {
		r.spend(len(names[0]) + 64)
		r.scope.vars[names[0]] = x
		return
	}
	items := r.elements(x)
	if len(items) != len(names) {
		r.fail("%d elements for %d names", len(items), len(names))
	}
	for i, name := range names {
		r.spend(len(name) + 64)
		r.scope.vars[name] = items[i]
	}
}

func (r *run) setAttribute(x any, name string, value any) {
	n, ok := x.(*namespace)
	if !ok {
		r.fail("%s has no attribute that can be set; only a namespace has", kindOf(x))
	}
	r.spend(len(name) + 64)
	n.values[name] = value
}

// loop runs a loop over a value.
func (r *run) loop(names []string, over any, filter expression, body, otherwise []statement) flow {
	items := r.elements(over)
	if filter != nil {
		var kept []any
		for _, x := range items {
			r.step(1)
			r.in(r.scope, func() {
				if r.assign(names, x); r.truth(filter(r)) {
					kept = append(kept, x)
				}
			})
		}
		items = r.array(kept).items
	}
	if len(items) == 0 {
		return r.all(otherwise)
	}
	state := &loop{items: items}
	for i, x := range items {
		r.step(1)
		state.at = i
		leave := false
		r.in(r.scope, func() {
			r.scope.vars["loop"] = state
			r.assign(names, x)
			leave = r.all(body) == breakLoop
		})
		if leave {
			break
		}
	}
	return goOn
}

// attribute returns a variable of a loop.
func (l *loop) attribute(name string) any {
	element := func(i int) any {
		if i < 0 || i >= len(l.items) {
			return undefined{"loop." + name}
		}
		return l.items[i]
	}
	switch name {
	case "index":
		return int64(l.at + 1)
	case "index0":
		return int64(l.at)
	case "revindex":
		return int64(len(l.items) - l.at)
	case "revindex0":
		return int64(len(l.items) - l.at - 1)
	case "first":
		return l.at == 0
	case "last":
		return l.at == len(l.items)-1
	case "length":
		return int64(len(l.items))
	case "previtem":
		return element(l.at - 1)
	case "nextitem":
		return element(l.at + 1)
	case "cycle":
		return &function{"cycle", func(r *run, args arguments) any {
			if len(args.list) == 0 {
				r.fail("cycle has nothing to choose from")
			}
			return args.list[l.at%len(args.list)]
		}}
	}
	return undefined{"loop." + name}
}

// defineMacro defines a function that returns what statements write.
func (r *run) defineMacro(name string, parameters []parameter, body []statement) {
	above := r.scope
	r.scope.vars[name] = &function{name, func(r *run, args arguments) any {
		if len(args.list) > len(parameters) {
			r.fail("%s has %d parameters, and is called with %d", name, len(parameters), len(args.list))
		}
		var text string
		r.in(above, func() {
			for i, p := range parameters {
				var x any = undefined{p.name}
				if given, ok := args.named[p.name]; ok {
					x = given
				} else if i < len(args.list) {
					x = args.list[i]
				} else if p.value != nil {
					x = p.value(r)
				}
				r.assign([]string{p.name}, x)
			}
			text = r.capture(body)
		})
		return text
	}}
}

func (r *run) arguments(list []argument) (args arguments) {
	for _, a := range list {
		r.spend(32)
		x := a.value(r)
		if a.name == "" {
			args.list = append(args.list, x)
			continue
		}
		if args.named == nil {
			args.named = make(map[string]any)
		}
		args.named[a.name] = x
	}
	return args
}

// call calls a value.
func (r *run) call(f any, args arguments) any {
	r.step(1)
	fn, ok := f.(*function)
	if !ok {
		r.fail("%s is no function", kindOf(f))
	}
	if r.calls++; r.calls > maxCalls {
		failAt(r.line, ErrLimit, "more than %d calls in each other", maxCalls)
	}
	defer func() { r.calls-- }()
	return fn.call(r, args)
}

// builtins sets the functions that every template has.
func (r *run) builtins() {
	for _, f := range []*function{
		{"range", func(r *run, args arguments) any {
			from, to, step := int64(0), args.int(r, 0, "stop"), int64(1)
			if len(args.list) > 1 {
				from, to = to, args.int(r, 1, "stop")
			}
			if len(args.list) > 2 {
				step = args.int(r, 2, "step")
			}
			if step == 0 || step > maxSteps || step < -maxSteps || from > 1<<40 || from < -1<<40 {
				r.fail("range from %d with a step of %d", from, step)
			}
			var out []any
			for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
				r.step(1)
				r.spend(24)
				out = append(out, i)
			}
			return &array{out}
		}},
		{"namespace", func(r *run, args arguments) any {
			n := &namespace{make(map[string]any)}
			for k, x := range args.named {
				n.values[k] = x
			}
			if len(args.list) > 0 {
				if d, ok := args.list[0].(*dict); ok {
					for _, k := range d.keys {
						n.values[r.made(k)] = d.values[k]
					}
				}
			}
			return n
		}},
		{"dict", func(r *run, args arguments) any {
			d := r.dict(len(args.named))
			for _, k := range sortedKeys(args.named) {
				d.set(k, args.named[k])
			}
			return d
		}},
		{"raise_exception", func(r *run, args arguments) any {
			failAt(r.line, ErrRaised, "%s", r.text(args.get(0, "message")))
			return nil
		}},
		{"strftime_now", func(r *run, args arguments) any {
			return r.made(strftime(r.now, args.text(r, 0, "format")))
		}},
	} {
		r.scope.vars[f.name] = f
	}
}

// get returns an argument by its position or name, or undefined.
func (a *arguments) get(i int, name string) any {
	if i < len(a.list) {
		return a.list[i]
	}
	if x, ok := a.named[name]; ok {
		return x
	}
	return undefined{name}
}

// has reports whether an argument is given.
func (a *arguments) has(i int, name string) bool {
	_, missing := a.get(i, name).(undefined)
	return !missing
}

func (a *arguments) text(r *run, i int, name string) string {
	s, ok := a.get(i, name).(string)
	if !ok {
		r.fail("argument %s is %s, want a string", name, kindOf(a.get(i, name)))
	}
	return s
}

func (a *arguments) int(r *run, i int, name string) int64 {
	n, _, isInt, _ := number(a.get(i, name))
	if !isInt {
		r.fail("argument %s is %s, want an integer", name, kindOf(a.get(i, name)))
	}
	return n
}

// strftime writes a time as Python does; what it does not know stays as it is.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		layouts := []string{"d02", "bJan", "BJanuary", "m01", "Y2006", "y06", "H15", "I03", "M04", "S05", "pPM", "aMon",
			"AMonday", "j002", "zZ0700", "F2006-01-02", "T15:04:05", "%%"}
		found := false
		for _, l := range layouts {
			if l[0] == format[i] {
				b.WriteString(t.Format(l[1:]))
				found = true
			}
		}
		if !found {
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}
