package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// call lowers a call by inlining it.
func (l *lowerer) call(pos diag.Pos, f *typed.Func, args []val) val {
	switch {
	case f.Body == nil:
		l.fail(diag.NoBody, pos, "'%s' is called but not defined", f.Name)
	case slices.Contains(l.calls, f):
		l.fail(diag.Recursion, pos, "'%s' calls itself: recursion is not supported in Metal", f.Name)
	case len(l.calls) > l.opts.MaxDepth:
		l.fail(diag.InlineSize, pos, "calls nest deeper than %d", l.opts.MaxDepth)
	}
	l.setLoc(pos)
	l.count()
	outer, scope, loc := l.fr, l.scope, l.b.Loc()
	l.f.Inlined = append(l.f.Inlined, ir.Inline{Func: f.Name, At: loc})
	l.scope = uint32(len(l.f.Inlined))
	l.calls, l.places = append(l.calls, f), append(l.places, pos)
	fr := &frame{fn: f, facts: l.factsOf(f), vars: newVarTable(f.Locals)}
	l.fr = fr
	for i, p := range f.Params {
		if i < len(args) {
			l.bind(p, args[i])
		}
	}
	var result val
	if fr.facts.tail != nil {
		l.tailLoop(f)
	} else {
		result = l.body(f)
	}
	l.fr, l.scope = outer, scope
	l.calls, l.places = l.calls[:len(l.calls)-1], l.places[:len(l.places)-1]
	l.b.SetLoc(loc)
	l.lastAt = diag.NoPos
	result.typ = f.Result
	return result
}

// body lowers the body of an inlined function and returns its result.
func (l *lowerer) body(f *typed.Func) val {
	fr := l.fr
	if fr.facts.returns == 0 || fr.facts.last {
		l.block(f.Body)
		if fr.result.typ == nil && l.shape(f.Result).class != noValue { // no value, or unreachable
			return l.zero(f.Result)
		}
		return fr.result
	}
	var template val
	var results []ir.Type
	s := l.shape(f.Result)
	switch s.class {
	case inMemory:
		fr.retTo = l.alloca(f.Result, "")
		template = val{typ: f.Result, addr: fr.retTo}
	case noValue:
	default:
		template = l.zero(f.Result)
		results = typesOf(flatten(nil, &template))
	}
	fr.ret = l.b.Block(results...)
	old := l.b.Enter(fr.ret.Regions[0])
	l.block(f.Body)
	if !l.b.Terminated() {
		if fr.retTo != nil {
			l.b.Yield()
		} else {
			l.b.Yield(flatten(nil, &template)...)
		}
	}
	l.b.Leave(old)
	if fr.retTo != nil || s.class == noValue {
		return template
	}
	v, _ := rebuild(&template, fr.ret.Results)
	return v
}

// construct runs a constructor on the object at addr.
func (l *lowerer) construct(c *typed.Construct, addr *ir.Value) {
	args := []val{leafVal(c.Ctor.Params[0].Type, addr)}
	for _, a := range c.Args {
		args = append(args, l.expr(a))
	}
	l.call(c.Pos(), c.Ctor, args)
}

// tailLoop lowers the body of a tail-recursive function as a loop over its parameters.
func (l *lowerer) tailLoop(f *typed.Func) {
	fr := l.fr
	var vars []*variable
	for _, p := range f.Params {
		if v := fr.vars.of(p); v != nil && v.addr == nil {
			vars = append(vars, v)
		}
	}
	init := values(vars)
	loop := l.b.Loop(init)
	set(vars, loop.Regions[0].Params)
	fr.tailTo, fr.tailVars = loop, vars
	old := l.b.Enter(loop.Regions[0])
	fr.ret = loop // a return exits the loop
	l.block(f.Body)
	l.b.Break(loop)
	l.b.Leave(old)
}

// tailCall starts the function again with new arguments.
func (l *lowerer) tailCall(c *typed.Call) {
	args := l.exprs(c.Args)
	l.setLoc(c.At)
	before := snapshot(l.fr.tailVars)
	for i, p := range c.Func.Params {
		v := l.fr.vars.of(p)
		switch {
		case i >= len(args) || v == nil:
		case v.addr != nil:
			l.storeAt(v.addr, args[i], false)
		default:
			v.val = args[i]
		}
	}
	l.b.Continue(l.fr.tailTo, values(l.fr.tailVars)...)
	restore(l.fr.tailVars, before)
}
