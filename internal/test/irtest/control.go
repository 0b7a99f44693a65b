package irtest

import "github.com/puremetal/puremetal/internal/ir"

// target is an enclosing loop or block. If escapes is set, some threads may branch to it early, so
// nothing inside relies on all of them.
type target struct {
	in      *ir.Instr
	next    *ir.Value // the first operand of continue: the number of the next iteration
	escapes bool
}

// inside builds a region: statements, then end. Threads reach it together only if uniform is set.
func (g *generator) inside(r *ir.Region, uniform bool, end func()) {
	scope, wasUniform := len(g.scope), g.uniform
	g.uniform = g.uniform && uniform
	g.depth++
	g.b.In(r, func() {
		for range 1 + g.n(6) {
			if g.left > 0 {
				g.statement()
			}
		}
		end()
	})
	g.depth--
	g.scope, g.uniform = g.scope[:scope], wasUniform
}

func (g *generator) values(ts []ir.Type) (vs []*ir.Value) {
	for _, t := range ts {
		vs = append(vs, g.value(t))
	}
	return vs
}

func (g *generator) valuesFor(to []*ir.Value) (vs []*ir.Value) {
	for _, v := range to {
		vs = append(vs, g.value(v.Type))
	}
	return vs
}

func (g *generator) results() (ts []ir.Type) {
	for range g.n(3) {
		ts = append(ts, g.typ("data"))
	}
	return ts
}

// condition returns a truth value: an arbitrary one, or one shared by a simdgroup, a threadgroup or
// the launch.
func (g *generator) condition() *ir.Value {
	b := g.b
	switch g.n(8) {
	case 0:
		return b.Op(ir.OpEq, b.Op(ir.OpAnd, b.Input(ir.SimdgroupIndexInThreadgroup), b.Int(ir.TI32, 1)),
			b.Int(ir.TI32, int64(g.n(2))))
	case 1:
		return b.Op(ir.OpEq, b.Extract(b.Input(ir.ThreadgroupPositionInGrid), 0), b.Int(ir.TI32, int64(g.n(2))))
	case 2:
		return b.Op(ir.OpULT, b.Input(ir.ThreadIndexInSimdgroup), b.Int(ir.TI32, int64(g.n(33))))
	case 3: // all lanes of a strip but the last
		return b.Op(ir.OpULT, b.Input(ir.ThreadIndexInThreadgroup), b.Int(ir.TI32, int64(g.n(5)*64)))
	}
	return g.value(ir.TI1)
}

// leave ends a region of an if: it yields results, breaks out of an enclosing loop or block,
// continues a loop, or returns.
func (g *generator) leave(ts []ir.Type) {
	if n := len(g.targets); n > 0 && g.chance(35) {
		if t := g.targets[g.n(n)]; t.escapes {
			if t.next != nil && g.chance(60) {
				params := t.in.Regions[0].Params
				g.b.Continue(t.in, append([]*ir.Value{t.next}, g.valuesFor(params[1:])...)...)
				return
			}
			g.b.Break(t.in, g.valuesFor(t.in.Results)...)
			return
		}
	}
	if g.chance(4) {
		g.b.Return()
		return
	}
	g.b.Yield(g.values(ts)...)
}

func (g *generator) branch() {
	ts := g.results()
	if g.c.Grid > 0 && g.uniform && g.chance(40) {
		in := g.b.If(g.b.Op(ir.OpULT, g.gridValue(), g.b.Int(ir.TI32, 2)), ts...)
		for _, r := range in.Regions {
			g.inside(r, true, func() { g.leave(ts) })
		}
		g.scope = append(g.scope, in.Results...)
		return
	}
	in := g.b.If(g.condition(), ts...)
	for _, r := range in.Regions {
		g.inside(r, false, func() { g.leave(ts) })
	}
	g.scope = append(g.scope, in.Results...)
}

// rounds returns a loop's number of iterations, and whether it is the same for all threads of the
// grid.
func (g *generator) rounds() (n *ir.Value, uniform bool) {
	b := g.b
	if g.c.Grid > 0 && g.uniform && g.chance(50) {
		return g.gridValue(), true
	}
	if g.chance(40) {
		return b.Int(ir.TI32, int64(1+g.n(3))), true
	}
	return b.Op(ir.OpAnd, g.value(ir.TI32), b.Int(ir.TI32, 3)), false
}

// loop appends a loop of a few iterations, with the test at the end.
func (g *generator) loop() {
	if g.chance(50) {
		g.headLoop()
		return
	}
	b := g.b
	ts := g.results()
	rounds, uniform := g.rounds()
	zero, one := b.Int(ir.TI32, 0), b.Int(ir.TI32, 1)
	in := b.Loop(append([]*ir.Value{zero}, g.values(ts)...), ts...)
	params := in.Regions[0].Params
	scope := len(g.scope)
	g.scope = append(g.scope, params...)
	g.targets = append(g.targets, target{in: in, escapes: !uniform})
	g.inside(in.Regions[0], uniform, func() {
		i := b.Op(ir.OpAdd, params[0], one)
		more := b.If(b.Op(ir.OpULT, i, rounds))
		b.In(more.Regions[0], func() { b.Continue(in, append([]*ir.Value{i}, g.values(ts)...)...) })
		b.In(more.Regions[1], func() { b.Break(in, g.values(ts)...) })
		b.Unreachable()
	})
	g.targets = g.targets[:len(g.targets)-1]
	g.scope = append(g.scope[:scope], in.Results...)
}

// headLoop appends a loop that tests its count first, so that it may be continued from anywhere
// inside.
func (g *generator) headLoop() {
	b := g.b
	ts := g.results()
	rounds, uniform := g.rounds()
	uniform = uniform && g.c.Grid > 0 // otherwise breaks and continues are the greater variety
	zero, one := b.Int(ir.TI32, 0), b.Int(ir.TI32, 1)
	in := b.Loop(append([]*ir.Value{zero}, g.values(ts)...), ts...)
	in.Imm = int64(g.n(6) - 1) // a hint that must not matter
	params := in.Regions[0].Params
	scope := len(g.scope)
	g.scope = append(g.scope, params...)
	var next *ir.Value
	b.In(in.Regions[0], func() {
		over := b.If(b.Op(ir.OpULE, rounds, params[0]))
		b.In(over.Regions[0], func() { b.Break(in, g.values(ts)...) })
		b.In(over.Regions[1], func() { b.Yield() })
		next = b.Op(ir.OpAdd, params[0], one)
	})
	g.targets = append(g.targets, target{in: in, next: next, escapes: !uniform})
	g.inside(in.Regions[0], uniform, func() { b.Continue(in, append([]*ir.Value{next}, g.values(ts)...)...) })
	g.targets = g.targets[:len(g.targets)-1]
	g.scope = append(g.scope[:scope], in.Results...)
}

func (g *generator) block() {
	ts := g.results()
	in := g.b.Block(ts...)
	uniform := g.c.Grid > 0 && g.chance(50)
	g.targets = append(g.targets, target{in: in, escapes: !uniform})
	g.inside(in.Regions[0], uniform, func() { g.b.Yield(g.values(ts)...) })
	g.targets = g.targets[:len(g.targets)-1]
	g.scope = append(g.scope, in.Results...)
}

// choice appends what a switch compiles to: nested blocks, with the decision in the innermost, each
// followed by a case that falls through or exits.
func (g *generator) choice() {
	b := g.b
	ts := g.results()
	on := b.Op(ir.OpAnd, g.value(ir.TI32), b.Int(ir.TI32, 3))
	end := b.Block(ts...)
	g.targets = append(g.targets, target{in: end, escapes: true})
	scope := len(g.scope)
	cases := 1 + g.n(3)
	blocks := make([]*ir.Instr, cases)
	var build func(i int)
	build = func(i int) {
		if i < 0 {
			for k, c := range blocks {
				is := b.If(b.Op(ir.OpEq, on, b.Int(ir.TI32, int64(k))))
				b.In(is.Regions[0], func() { b.Break(c) })
				b.In(is.Regions[1], func() { b.Yield() })
			}
			b.Break(end, g.values(ts)...)
			return
		}
		blocks[i] = b.Block()
		b.In(blocks[i].Regions[0], func() { build(i - 1) })
		g.inside(b.Region(), false, func() {})
		if i == cases-1 {
			b.Yield(g.values(ts)...)
		} else if g.chance(50) {
			b.Break(end, g.values(ts)...)
		} else {
			b.Yield()
		}
	}
	b.In(end.Regions[0], func() { build(cases - 1) })
	g.targets = g.targets[:len(g.targets)-1]
	g.scope = append(g.scope[:scope], end.Results...)
}
