// Package jinja renders templates of chats, which models bring with them as Jinja: the statements,
// filters, tests and methods that such templates use, with Python's meaning of values, and blanks
// as Hugging Face's libraries treat them (trim_blocks and lstrip_blocks).
//
//	t, err := jinja.Parse("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}")
//	text, err := t.Render(map[string]any{"messages": messages}, time.Now())
//
// A template comes with a file from somewhere. It ends in bounded time and memory whatever it says:
// parsing limits its size and depth, and each rendering its steps, bytes and calls. Nothing is
// reachable from a template but the variables that it is given. Values cannot be changed, only the
// attributes of a namespace can.
package jinja

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrTemplate is wrapped by all errors of this package, [ErrLimit] and [ErrRaised] in addition by
// some. They begin with the line.
var (
	ErrTemplate = errors.New("bad template")
	ErrLimit    = errors.New("template takes too much")
	ErrRaised   = errors.New("refused by the template")
)

// The limits.
const (
	MaxSource = 256 << 10 // bytes of a template
	maxNested = 100       // statements and expressions in each other
	maxLinks  = 200       // operators in sequence
	maxCalls  = 20        // macros that call each other
	maxSteps  = 1_000_000 // statements, operations, elements
	maxBytes  = 64 << 20  // of all texts and lists that are made or searched
	maxValues = 50        // lists in each other, where they are printed or compared
)

// Template is a template that was parsed. It is safe for concurrent use.
type Template struct{ body []statement }

// Parse parses a template.
func Parse(source string) (t *Template, err error) {
	if len(source) > MaxSource {
		return nil, fmt.Errorf("%d bytes, at most %d: %w: %w", len(source), MaxSource, ErrTemplate, ErrLimit)
	}
	defer catch(&err)
	p := &parser{tokens: lex(source)}
	body := p.statements()
	if p.next.kind != eof {
		p.fail("unexpected %s", p.next)
	}
	return &Template{body}, nil
}

// Render returns the template's text for some variables: nil, bools, ints, floats, strings, []any
// and map[string]any of them. now is the time that strftime_now tells.
func (t *Template) Render(variables map[string]any, now time.Time) (text string, err error) {
	defer catch(&err)
	r := &run{now: now}
	r.scope = &scope{vars: make(map[string]any)}
	r.builtins()
	r.scope = &scope{vars: make(map[string]any), above: r.scope}
	for name, x := range variables {
		r.scope.vars[name] = r.value(x)
	}
	r.all(t.body)
	return r.out.String(), nil
}

// failure is the panic that ends parsing or rendering.
type failure struct{ err error }

// catch turns a failure into an error.
func catch(err *error) {
	switch x := recover().(type) {
	case nil:
	case failure:
		*err = x.err
	default:
		panic(x)
	}
}

func failAt(line int, kind error, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(text) > 500 {
		text = strings.ToValidUTF8(text[:500], "") + "…"
	}
	err := fmt.Errorf("line %d: %s: %w", line, text, ErrTemplate)
	if kind != nil {
		err = fmt.Errorf("%w: %w", err, kind)
	}
	panic(failure{err})
}
