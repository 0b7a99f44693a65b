package ir

import (
	"cmp"
	"errors"
	"fmt"
	goscanner "go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A condition (Arg.When) is a Go expression that says when an argument exists. fc3.i32 is the
// function constant with index 3, read as an int; defined(fc3) reports whether the host has set it.
// The types are bool, i8 to i64, u8 to u64, f16, bf16 and f32; each is also a conversion, as in
// u8(x). Both operands of an operator are truth values, signed integers, unsigned integers or
// floating-point numbers. Arithmetic is done in 64 bits; converting the result to a narrower type
// gives that type's result. Integer division by zero behaves as elsewhere in this package. cond(c,
// x, y) is x if c is true, else y.

var errCondition = errors.New("not an expression of function constants")

// EvalCondition evaluates an argument's condition. value returns a function constant's bits by
// index; ok is false if the host has not set it.
func EvalCondition(cond string, value func(index int) (bits uint64, ok bool)) (holds bool, err error) {
	eval, _, err := parseCondition(cond)
	if err != nil {
		return false, err
	}
	v, err := eval(value)
	if err != nil {
		return false, err
	}
	return v.truth(), nil
}

// checkCondition reports a condition that cannot be evaluated or that uses anything other than a
// function constant of f.
func checkCondition(f *Func, cond string) error {
	if cond == "" {
		return nil
	}
	_, used, err := parseCondition(cond)
	if err != nil {
		return err
	}
	for _, i := range used {
		if !slices.ContainsFunc(f.Constants, func(c FunctionConstant) bool { return c.Index == i }) {
			return fmt.Errorf(`"fc%d" is not a function constant`, i)
		}
	}
	return nil
}

// condEval evaluates part of a condition.
type condEval func(value func(int) (uint64, bool)) (condValue, error)

// parseCondition returns a function that evaluates a condition, and the indices of the function
// constants in it. go/parser, with all of Go's syntax, would be in every program that compiles
// kernels.
func parseCondition(cond string) (condEval, []int, error) {
	p := &condParser{}
	p.scanner.Init(token.NewFileSet().AddFile("", -1, len(cond)), []byte(cond), p.wrong, 0)
	p.next()
	eval, _, err := p.expr(1)
	if p.tok == token.SEMICOLON && p.text == "\n" { // what the scanner inserts at the end
		p.next()
	}
	switch {
	case p.err != nil:
		err = p.err
	case err == nil && p.tok != token.EOF:
		err = p.unexpected()
	}
	return eval, p.used, err
}

// maxConditionDepth limits nesting: conditions also come from files.
const maxConditionDepth = 1000

// condParser parses a condition by recursive descent, one token ahead.
type condParser struct {
	scanner goscanner.Scanner
	tok     token.Token
	text    string // of a name, number or other literal
	err     error  // the first error of the scanner
	depth   int
	used    []int
}

func (p *condParser) wrong(_ token.Position, why string) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s", errCondition, why)
	}
}

func (p *condParser) next() { _, p.tok, p.text = p.scanner.Scan() }

// accept moves past a token if it is the next one.
func (p *condParser) accept(tok token.Token) bool {
	if p.tok != tok {
		return false
	}
	p.next()
	return true
}

func (p *condParser) unexpected() error {
	return fmt.Errorf("%w: unexpected %s", errCondition, cmp.Or(strings.TrimSpace(p.text), p.tok.String()))
}

// expr parses operators of at least some precedence, as Go has them, with their operands. It
// returns a function that evaluates the expression, and the kind of its value.
func (p *condParser) expr(precedence int) (condEval, condKind, error) {
	if p.depth++; p.depth > maxConditionDepth {
		return nil, 0, fmt.Errorf("%w: more than %d levels", errCondition, maxConditionDepth)
	}
	defer func() { p.depth-- }()
	x, kind, err := p.unary()
	for err == nil && p.tok.Precedence() >= precedence {
		op := p.tok
		p.next()
		var y condEval
		var kindY condKind
		if y, kindY, err = p.expr(op.Precedence() + 1); err == nil {
			x, kind, err = binaryEval(op, x, y, kind, kindY)
		}
	}
	return x, kind, err
}

// unary parses an operand with its sign or other operators before it.
func (p *condParser) unary() (condEval, condKind, error) {
	op := p.tok
	switch op {
	case token.NOT, token.SUB, token.ADD, token.XOR:
	default:
		return p.operand()
	}
	p.next()
	x, kind, err := p.expr(token.HighestPrec)
	if err == nil && !unaryFits(op, kind) {
		err = fmt.Errorf("%w: %s does not apply to a %s", errCondition, op, kind)
	}
	if err != nil {
		return nil, 0, err
	}
	return func(value func(int) (uint64, bool)) (condValue, error) {
		v, err := x(value)
		return v.unary(op), err
	}, kind, nil
}

// operand parses a number, a function constant, a call or an expression in parentheses.
func (p *condParser) operand() (condEval, condKind, error) {
	tok, text := p.tok, p.text
	switch tok {
	case token.INT, token.FLOAT:
		p.next()
		return number(tok, text)
	case token.LPAREN:
		p.next()
		x, kind, err := p.expr(1)
		if err == nil && !p.accept(token.RPAREN) {
			err = p.unexpected()
		}
		return x, kind, err
	case token.IDENT:
		p.next()
		switch {
		case p.accept(token.LPAREN):
			return p.call(text)
		case p.accept(token.PERIOD):
			return p.read(text)
		case text == "true", text == "false":
			return constantly(condBoolean(text == "true")), condBool, nil
		}
		return nil, 0, errCondition
	}
	return nil, 0, p.unexpected()
}

func constantly(v condValue) condEval {
	return func(func(int) (uint64, bool)) (condValue, error) { return v, nil }
}

// number parses a number. Integers are signed but may be as large as the largest unsigned one,
// whose bits they then have.
func number(tok token.Token, text string) (condEval, condKind, error) {
	if tok == token.INT {
		n, err := strconv.ParseUint(text, 10, 64)
		return constantly(condValue{kind: condInt, bits: n}), condInt, err
	}
	x, err := strconv.ParseFloat(text, 64)
	return constantly(condValue{kind: condFloat, float: x}), condFloat, err
}

// constant returns the index in a name such as fc3.
func (p *condParser) constant(name string) (int, error) {
	rest, ok := strings.CutPrefix(name, "fc")
	i, err := strconv.Atoi(rest)
	if !ok || err != nil || i < 0 {
		return 0, fmt.Errorf("%w: %q is not a function constant", errCondition, name)
	}
	p.used = append(p.used, i)
	return i, nil
}

// read parses the type of a function constant, such as that of fc3.i32, after the period.
func (p *condParser) read(name string) (condEval, condKind, error) {
	i, err := p.constant(name)
	if err == nil && p.tok != token.IDENT {
		err = p.unexpected()
	}
	t, ok := condTypeOf(p.text)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %q is not a type", errCondition, p.text)
	}
	p.next()
	return func(value func(int) (uint64, bool)) (condValue, error) {
		bits, ok := value(i)
		if !ok {
			return condValue{}, fmt.Errorf("function constant %d has no value", i)
		}
		return t.read(bits), nil
	}, t.kind, err
}

// call parses the arguments of a function, after its opening parenthesis.
func (p *condParser) call(name string) (condEval, condKind, error) {
	if name == "defined" {
		i, err := p.constant(p.text)
		if p.next(); err == nil && !p.accept(token.RPAREN) {
			err = p.unexpected()
		}
		return func(value func(int) (uint64, bool)) (condValue, error) {
			_, has := value(i)
			return condBoolean(has), nil
		}, condBool, err
	}
	var args []condEval
	var kinds []condKind
	for !p.accept(token.RPAREN) {
		if len(args) > 0 && !p.accept(token.COMMA) {
			return nil, 0, p.unexpected()
		}
		x, kind, err := p.expr(1)
		if err != nil {
			return nil, 0, err
		}
		args, kinds = append(args, x), append(kinds, kind)
	}
	t, conversion := condTypeOf(name)
	switch {
	case conversion && len(args) == 1:
		return func(value func(int) (uint64, bool)) (condValue, error) {
			v, err := args[0](value)
			return t.convert(v), err
		}, t.kind, nil
	case name == "cond" && len(args) == 3:
		if kinds[1] != kinds[2] {
			return nil, 0, fmt.Errorf("%w: the branches of cond differ: %s and %s", errCondition, kinds[1], kinds[2])
		}
		return func(value func(int) (uint64, bool)) (condValue, error) {
			c, err := args[0](value)
			switch {
			case err != nil:
				return c, err
			case c.truth():
				return args[1](value)
			}
			return args[2](value)
		}, kinds[1], nil
	}
	return nil, 0, fmt.Errorf("%w: %q is not a function of %d arguments", errCondition, name, len(args))
}

// binaryEval returns a function that evaluates an operator with two operands.
func binaryEval(op token.Token, x, y condEval, kind, kindY condKind) (condEval, condKind, error) {
	if op == token.LAND || op == token.LOR {
		return func(value func(int) (uint64, bool)) (condValue, error) {
			v, err := x(value)
			if err == nil && v.truth() == (op == token.LAND) {
				v, err = y(value)
			}
			return condBoolean(v.truth()), err
		}, condBool, nil
	}
	result, ok := binaryKind(op, kind, kindY)
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s does not apply to %s and %s", errCondition, op, kind, kindY)
	}
	return func(value func(int) (uint64, bool)) (condValue, error) {
		v, err := x(value)
		if err != nil {
			return v, err
		}
		w, err := y(value)
		return v.binary(op, w), err
	}, result, nil
}
