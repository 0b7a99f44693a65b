package pp

import (
	"errors"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// number is a value in an #if expression: 64 bits, signed or unsigned.
type number struct {
	bits     uint64
	unsigned bool
	divZero  diag.Pos // the division by zero it resulted from; && and ?: may discard such a value
}

// operator is an operator waiting for its right operand.
type operator struct {
	tok   token.Token
	prec  int // precedence
	unary bool
}

// Precedences of operators.
const (
	precParen   = 0
	precTernary = 1 // both ? and :
	precUnary   = 12
)

// precedence returns the precedence of a binary operator, or -1 if k is not one.
func precedence(k token.Kind) int {
	switch k {
	case token.PipePipe:
		return 2
	case token.AmpAmp:
		return 3
	case token.Pipe:
		return 4
	case token.Caret:
		return 5
	case token.Amp:
		return 6
	case token.Eq, token.Ne:
		return 7
	case token.Less, token.Greater, token.LessEq, token.GreaterEq:
		return 8
	case token.Shl, token.Shr:
		return 9
	case token.Plus, token.Minus:
		return 10
	case token.Star, token.Slash, token.Percent:
		return 11
	}
	return -1
}

// evaluation evaluates an expression with two explicit stacks, so that nesting needs no recursion.
type evaluation struct {
	p      *preprocessor
	values []number
	ops    []operator
}

// evaluate reports whether the macro-expanded expression of a directive is not zero. A malformed
// one counts as not zero.
func (p *preprocessor) evaluate(word token.Token, toks []token.Token) bool {
	if len(toks) == 0 {
		p.sink.Errorf(diag.BadCondition, word.Pos, word.End(), "expected expression after #%s", word.Text)
		return false
	}
	e := evaluation{p: p}
	v, ok := e.run(word, toks)
	if ok && v.divZero != diag.NoPos {
		p.sink.Errorf(diag.ConditionDivZero, v.divZero, diag.NoPos, "division by zero in #%s", word.Text)
		return false
	}
	return ok && v.bits != 0
}

func (e *evaluation) bad(t token.Token, format string, args ...any) (number, bool) {
	e.p.sink.Errorf(diag.BadCondition, t.Pos, t.End(), format, args...)
	return number{}, false
}

func (e *evaluation) run(word token.Token, toks []token.Token) (number, bool) {
	operand := true // an operand or a prefix operator is expected
	for i, t := range toks {
		if t.Kind == token.Ident {
			if k := e.p.opts.Dialect.Keyword(t.Text); k.IsOperator() {
				t.Kind = k
			}
		}
		if len(e.ops) > e.p.depth {
			e.p.stop(diag.NestedTooDeeply, t.Pos, t.End(), "operators in #%s are nested more than %d deep", word.Text, e.p.depth)
			return number{}, false
		}
		if operand {
			switch t.Kind {
			case token.LParen:
				e.ops = append(e.ops, operator{tok: t, prec: precParen})
			case token.Plus, token.Minus, token.Not, token.Tilde:
				e.ops = append(e.ops, operator{tok: t, prec: precUnary, unary: true})
			default:
				v, ok := e.operand(word, t)
				if !ok {
					return number{}, false
				}
				e.values = append(e.values, v)
				operand = false
			}
			continue
		}
		switch prec := precedence(t.Kind); {
		case prec > 0:
			e.reduce(prec)
			e.ops = append(e.ops, operator{tok: t, prec: prec})
			operand = true
		case t.Kind == token.Question:
			e.reduce(precTernary + 1) // right-associative
			e.ops = append(e.ops, operator{tok: t, prec: precTernary})
			operand = true
		case t.Kind == token.Colon:
			// Everything back to the matching ? is its middle operand.
			for len(e.ops) > 0 && e.top().tok.Kind != token.Question && e.top().prec != precParen {
				e.apply()
			}
			if len(e.ops) == 0 || e.top().tok.Kind != token.Question {
				return e.bad(t, "':' without '?' in #%s", word.Text)
			}
			e.top().tok.Kind = token.Colon
			operand = true
		case t.Kind == token.RParen:
			e.reduce(precParen + 1)
			if len(e.ops) == 0 {
				return e.bad(t, "')' without '(' in #%s", word.Text)
			}
			e.ops = e.ops[:len(e.ops)-1]
		case t.Kind == token.LParen && i > 0 && toks[i-1].Kind == token.Ident:
			return e.bad(toks[i-1], "function-like macro %s is not defined", toks[i-1])
		default:
			return e.bad(t, "unexpected %s in the expression of #%s", t, word.Text)
		}
		if e.failed() {
			return number{}, false
		}
	}
	if operand {
		last := toks[len(toks)-1]
		return e.bad(last, "expected a value after %s in #%s", last, word.Text)
	}
	e.reduce(precParen + 1)
	if e.failed() {
		return number{}, false
	}
	if len(e.ops) > 0 {
		return e.bad(e.top().tok, "missing ')' in #%s", word.Text)
	}
	return e.values[0], true
}

func (e *evaluation) top() *operator { return &e.ops[len(e.ops)-1] }

// failed reports whether an operator could not be applied, which has been reported.
func (e *evaluation) failed() bool { return len(e.values) == 0 }

// operand returns the value of a token.
func (e *evaluation) operand(word, t token.Token) (number, bool) {
	switch t.Kind {
	case token.Ident:
		if t.Text == "true" {
			return number{bits: 1}, true
		}
		return number{}, true // any other name is 0, even a keyword
	case token.Int:
		lit, err := token.ParseInt(t.Text)
		if err != nil {
			code := diag.BadNumber
			if errors.Is(err, token.ErrTooLarge) {
				code = diag.NumberTooLarge
			}
			e.p.sink.Errorf(code, t.Pos, t.End(), "%s: '%s'", err, shorten(t.Text))
			return number{}, false
		}
		unsigned := lit.Suffix == token.SuffixU || lit.Suffix == token.SuffixUL || lit.Value>>63 != 0
		return number{bits: lit.Value, unsigned: unsigned}, true
	case token.Char:
		v, _, err := token.ParseChar(t.Text)
		if err != nil {
			return e.bad(t, "%s", literalMessage(err))
		}
		return number{bits: uint64(v)}, true
	case token.Float:
		return e.bad(t, "floating-point literal %s in #%s", t, word.Text)
	}
	return e.bad(t, "expected a value in #%s, not %s", word.Text, t)
}

// reduce applies the operators of at least the given precedence.
func (e *evaluation) reduce(prec int) {
	for len(e.ops) > 0 && e.top().prec >= prec && !e.failed() {
		e.apply()
	}
}

// apply applies the last operator to its operands.
func (e *evaluation) apply() {
	op := *e.top()
	e.ops = e.ops[:len(e.ops)-1]
	n := len(e.values)
	if op.unary {
		e.values[n-1] = unary(op.tok.Kind, e.values[n-1])
		return
	}
	b := e.values[n-1]
	a := e.values[n-2]
	switch op.tok.Kind {
	case token.Question:
		e.bad(op.tok, "'?' without ':'")
		e.values = e.values[:0]
		return
	case token.Colon:
		c := e.values[n-3]
		r := b
		if c.bits != 0 {
			r = a
		}
		r.unsigned = a.unsigned || b.unsigned
		if c.divZero != diag.NoPos {
			r.divZero = c.divZero
		}
		e.values = append(e.values[:n-3], r)
		return
	}
	e.values = append(e.values[:n-2], binary(op.tok, a, b))
}

func truth(ok bool) number {
	if ok {
		return number{bits: 1}
	}
	return number{}
}

func unary(k token.Kind, v number) number {
	switch k {
	case token.Minus:
		v.bits = -v.bits
	case token.Tilde:
		v.bits = ^v.bits
	case token.Not:
		r := truth(v.bits == 0)
		r.divZero = v.divZero
		return r
	}
	return v
}

func binary(op token.Token, a, b number) number {
	switch op.Kind {
	case token.AmpAmp:
		r := truth(a.bits != 0 && b.bits != 0)
		if r.divZero = a.divZero; r.divZero == diag.NoPos && a.bits != 0 {
			r.divZero = b.divZero
		}
		return r
	case token.PipePipe:
		r := truth(a.bits != 0 || b.bits != 0)
		if r.divZero = a.divZero; r.divZero == diag.NoPos && a.bits == 0 {
			r.divZero = b.divZero
		}
		return r
	}
	unsigned := a.unsigned || b.unsigned
	r := number{unsigned: unsigned, divZero: max(a.divZero, b.divZero)}
	if r.divZero == diag.NoPos {
		r.divZero = min(a.divZero, b.divZero)
	}
	compare := func(less, equal bool) number { // takes a < b and a == b
		t := truth(op.Kind == token.Less && less || op.Kind == token.LessEq && (less || equal) ||
			op.Kind == token.Greater && !less && !equal || op.Kind == token.GreaterEq && !less ||
			op.Kind == token.Eq && equal || op.Kind == token.Ne && !equal)
		t.divZero = r.divZero
		return t
	}
	switch op.Kind {
	case token.Less, token.LessEq, token.Greater, token.GreaterEq, token.Eq, token.Ne:
		if unsigned {
			return compare(a.bits < b.bits, a.bits == b.bits)
		}
		return compare(int64(a.bits) < int64(b.bits), a.bits == b.bits)
	case token.Plus:
		r.bits = a.bits + b.bits
	case token.Minus:
		r.bits = a.bits - b.bits
	case token.Star:
		r.bits = a.bits * b.bits
	case token.Slash, token.Percent:
		r.bits, r.divZero = divide(op, a.bits, b.bits, unsigned, r.divZero)
	case token.Pipe:
		r.bits = a.bits | b.bits
	case token.Caret:
		r.bits = a.bits ^ b.bits
	case token.Amp:
		r.bits = a.bits & b.bits
	case token.Shl, token.Shr:
		r.unsigned = a.unsigned
		r.bits = shift(op.Kind == token.Shl, a, b)
	}
	return r
}

func divide(op token.Token, a, b uint64, unsigned bool, divZero diag.Pos) (uint64, diag.Pos) {
	quotient := op.Kind == token.Slash
	switch {
	case b == 0:
		if divZero == diag.NoPos {
			divZero = op.Pos
		}
		return 0, divZero
	case unsigned && quotient:
		return a / b, divZero
	case unsigned:
		return a % b, divZero
	case quotient:
		return uint64(int64(a) / int64(b)), divZero
	}
	return uint64(int64(a) % int64(b)), divZero
}

// shift computes a shift. Like in clang, an out-of-range count acts as more than 63 for a left
// shift and as 63 for a right shift.
func shift(left bool, a, b number) uint64 {
	switch n := min(b.bits, 63); {
	case left:
		return a.bits << b.bits
	case a.unsigned:
		return a.bits >> n
	default:
		return uint64(int64(a.bits) >> n)
	}
}
