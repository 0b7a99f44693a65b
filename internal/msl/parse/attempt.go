package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// rule identifies what an attempt tries to read.
type rule uint8

const (
	ruleTypeArg      rule = iota + 1 // a type and the end of a template argument
	ruleExprArg                      // an expression and the end of a template argument
	ruleCast                         // a type and a closing parenthesis
	ruleParams                       // a parameter list
	ruleDecl                         // a declaration where an expression may also appear
	ruleCondition                    // a declaration in a condition
	ruleSizeof                       // a type in sizeof
	ruleGuess                        // template arguments after an unknown name
	ruleName                         // a name; has a value
	ruleTemplateArgs                 // template arguments; has a value
	ruleTrait                        // a type as an argument of a compiler trait
)

type memoKey struct {
	rule rule
	i    int
}

// memoValue is a memoized result: that an attempt failed, or what it read and where it ended.
type memoValue struct {
	version int
	ok      bool
	end     mark
	ref     nameRef
	args    []ast.TemplateArg
}

// recall returns the memoized result of a rule at the current token.
func (p *parser) recall(r rule) (memoValue, bool) {
	v, ok := p.memo[memoKey{r, p.i}]
	return v, ok && v.version == p.version
}

func (p *parser) remember(r rule, i int, v memoValue) {
	v.version = p.version
	p.memo[memoKey{r, i}] = v
}

// try runs f speculatively, without reporting diagnostics, and rolls back if f returns false or
// meets an error. Failures are memoized, except at a token that f has split.
func (p *parser) try(r rule, f func() bool) bool {
	if v, ok := p.recall(r); ok && !v.ok {
		return false
	}
	start, failed, depth, scope, noGreater := p.mark(), p.failed, p.depth, p.scope, p.noGreater
	pending := len(p.pending)
	p.quiet++
	p.failed = false
	ok := f() && !p.failed
	p.quiet--
	if !ok {
		p.pending = p.pending[:pending]
	} else if p.quiet == 0 {
		for _, d := range p.pending {
			p.sink.Report(d)
		}
		p.pending = p.pending[:0]
	}
	p.failed = failed
	p.depth, p.noGreater = depth, noGreater
	if !ok {
		p.scope = scope
		p.reset(start)
		if p.cur == p.toks[p.i] {
			p.remember(r, p.i, memoValue{})
		}
	}
	return ok
}

// afterClose returns the kind of the token after the bracket that closes the one at index open, or
// EOF.
func (p *parser) afterClose(open int) token.Kind {
	m := int(p.match[open])
	if m < 0 || m+1 >= len(p.toks) {
		return token.EOF
	}
	return p.toks[m+1].Kind
}

// ahead is a lookahead: it runs f without reporting diagnostics and always rolls back. It reports
// whether f returned true without an error.
func (p *parser) ahead(f func() bool) bool {
	start, failed, depth, scope, noGreater, pending := p.mark(), p.failed, p.depth, p.scope, p.noGreater, len(p.pending)
	p.quiet++
	p.failed = false
	ok := f() && !p.failed
	p.quiet--
	p.failed, p.depth, p.scope, p.noGreater, p.pending = failed, depth, scope, noGreater, p.pending[:pending]
	p.reset(start)
	return ok
}
