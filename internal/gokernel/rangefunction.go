package gokernel

import (
	"go/ast"
	"go/types"
	"strings"
)

// A range over a function calls it with the body of the loop, a lambda in the text. What leaves the
// body returns false; what it does then is in variables that the text reads after the call.

// exit are the variables by which a return in the body of a range over a function returns from the
// function around it.
type exit struct{ returned, value string }

// innermost returns the innermost range over a function around a statement, or nil.
func (in *instance) innermost() *loop {
	for i := len(in.loops) - 1; i >= 0; i-- {
		if in.loops[i].isFunction {
			return in.loops[i]
		}
	}
	return nil
}

// stop returns the statement that leaves the body of a range over a function.
func (in *instance) stop(l *loop) string {
	if l.stopped == "" {
		l.stopped = in.temp("stopped")
	}
	return l.stopped + " = true; return false;"
}

// returns writes a return of a value, "" if there is none.
func (in *instance) returns(value string) { in.line("%s", in.returnText(value)) }

func (in *instance) returnText(value string) string {
	l := in.innermost()
	if l == nil {
		return strings.TrimSuffix("return "+value, " ") + ";"
	}
	if in.exit == nil {
		in.exit = &exit{returned: in.temp("returned")}
	}
	text := in.exit.returned + " = true; " + in.stop(l)
	if value != "" {
		if in.exit.value == "" {
			in.exit.value = in.temp("result")
		}
		text = in.exit.value + " = " + value + "; " + text
	}
	l.returns = true
	return text
}

// rangeFunction writes a range over a function.
func (in *instance) rangeFunction(s *ast.RangeStmt, l *loop, sig *types.Signature) {
	yield, ok := in.concrete(sig.Params().At(0).Type()).Underlying().(*types.Signature)
	if !ok {
		in.refuse(s.X, "a range over %s", in.named(in.typeOf(s.X)))
	}
	in.closureParams(s.X, yield)
	in.assignedIn(s)
	l.isFunction = true
	before := in.facts.clone()
	var params []string
	var body string
	in.scoped(func() {
		var first []func()
		for i, t := range in.paramTypes(yield) {
			if _, ok := t.Underlying().(*types.Signature); ok {
				in.refuse(s.X, "a range over functions")
			}
			name := ""
			switch x := []ast.Expr{s.Key, s.Value}[i].(type) {
			case nil:
			case *ast.Ident:
				if x.Name == "_" {
					break
				}
				if obj := in.pkg.info.Defs[x]; obj != nil {
					name = in.declare(obj, "").name
					break
				}
				name = in.temp("value")
				first = append(first, func() { in.store(x, name, nil) })
			default:
				name = in.temp("value")
				first = append(first, func() { in.store(x, name, nil) })
			}
			if name == "" {
				params = append(params, in.typ(s.X, t, ""))
			} else {
				params = append(params, in.lambdaParam(s.X, t, name))
			}
		}
		body = in.loopBody(l, s.Body, func() {
			for _, f := range first {
				f()
			}
		})
	})
	in.facts = before
	in.flags(l)
	outermost := in.innermost() == nil
	own := in.exit
	if outermost && own != nil {
		in.exit = nil
		in.line("bool %s = false;", own.returned)
		if own.value != "" {
			in.line("%s %s = {};", in.resultsType(in.sig.Results(), in.result), own.value)
		}
	}
	name := in.temp("body")
	in.line("const auto %s = [&](%s) -> bool {", name, strings.Join(params, ", "))
	in.indent++
	if l.stopped != "" { // Go panics if the function goes on
		in.fault(s, []string{"!" + l.stopped}, "the function goes on after the loop has ended")
		in.line("if (%s) { return false; }", l.stopped)
	}
	in.b.WriteString(body)
	if n := len(s.Body.List); n == 0 || !terminates(s.Body.List[n-1]) {
		in.line("return true;")
	}
	in.indent--
	in.line("};")
	in.line("%s;", in.apply(s.X, []string{name}))
	in.afterLoop(l)
	if !l.returns {
		return
	}
	switch outer := in.innermost(); {
	case outer != nil:
		outer.returns = true
		in.line("if (%s) { %s }", in.exit.returned, in.stop(outer))
	case own.value != "":
		in.line("if (%s) { return %s; }", own.returned, own.value)
	default:
		in.line("if (%s) { return; }", own.returned)
	}
}

// defineFunction declares a variable that is a function.
func (in *instance) defineFunction(lhs, rhs []ast.Expr) {
	if len(lhs) > 1 {
		in.refuse(lhs[0], "a function among several values; give it a statement of its own")
	}
	id, ok := lhs[0].(*ast.Ident)
	switch {
	case !ok:
		in.refuse(lhs[0], "a function that is stored; declare a variable with it")
	case id.Name == "_" && in.calls(rhs[0]) == 0: // which only says that it is used
	default:
		in.functionVariable(id, rhs[0])
	}
}
