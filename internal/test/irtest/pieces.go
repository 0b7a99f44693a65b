package irtest

import "github.com/puremetal/puremetal/internal/ir"

// piece appends code that a pass of package opt looks for but that other statements rarely produce.
func (g *generator) piece() {
	switch g.n(5) {
	case 0:
		if g.depth < 3 {
			g.walk()
		}
	case 1:
		g.duplicate()
	case 2:
		g.index()
	case 3:
		g.either()
	case 4:
		g.choose()
	}
}

// walk appends a loop over elements of a variable, with a number of iterations that can be
// determined.
func (g *generator) walk() {
	b := g.b
	ts := g.results()
	rounds, one := b.Int(ir.TI32, int64(1+g.n(6))), b.Int(ir.TI32, 1)
	in := b.Loop(append([]*ir.Value{b.Int(ir.TI32, int64(g.n(2)))}, g.values(ts)...), ts...)
	params := in.Regions[0].Params
	scope := len(g.scope)
	g.scope = append(g.scope, params...)
	var next, at *ir.Value
	t := g.typ("num1")
	b.In(in.Regions[0], func() {
		over := b.If(b.Op(ir.OpSLT, params[0], rounds))
		b.In(over.Regions[0], func() { b.Yield() })
		b.In(over.Regions[1], func() { b.Break(in, g.values(ts)...) })
		next = b.Op(ir.OpAdd, params[0], one)
		at = b.Offset(g.variable, b.OpAs(ir.OpSExt, ir.TI64, params[0]), int64(4*(1+g.n(2))))
		if g.chance(70) {
			g.keep(g.quiet(b.Load(t, at)))
		}
	})
	g.targets = append(g.targets, target{in: in, next: next, escapes: true})
	g.inside(in.Regions[0], false, func() {
		if g.chance(70) {
			b.Store(at, g.quiet(g.value(t)))
		}
		b.Continue(in, append([]*ir.Value{next}, g.values(ts)...)...)
	})
	g.targets = g.targets[:len(g.targets)-1]
	g.scope = append(g.scope[:scope], in.Results...)
}

// duplicate appends copies and clears of variables, and copies from the program's data, all at
// fixed offsets.
func (g *generator) duplicate() {
	b := g.b
	x, y := b.Alloca(16, "x"), b.Alloca(16, "y")
	t := g.typ("num1")
	for range 1 + g.n(3) {
		if g.chance(30) { // another part of the same bytes, or parts of two
			b.Store(b.Field(x, int64(2*g.n(8)+g.n(10)/9)), g.quiet(g.value(g.typ("num"))))
		} else {
			b.Store(b.Field(x, int64(4*g.n(4))), g.quiet(g.value(t)))
		}
	}
	switch g.n(4) {
	case 0:
		b.OpImm(ir.OpClear, ir.TVoid, int64(4*g.n(5)), b.Field(x, int64(4*g.n(2))))
	case 1:
		b.OpImm(ir.OpCopy, ir.TVoid, 8, b.Field(y, int64(4*g.n(3))), b.Field(b.Op(ir.OpGlobalAddr), int64(g.n(24))))
	}
	b.OpImm(ir.OpCopy, ir.TVoid, int64(4*(1+g.n(4))), b.Field(y, int64(4*g.n(2))), b.Field(x, int64(4*g.n(2))))
	g.keep(g.quiet(b.Load(t, b.Field(y, int64(4*g.n(4))))))
	if g.chance(30) {
		g.keep(g.quiet(b.Load(g.typ("data"), b.Field(y, int64(2*g.n(8))))))
	}
}

// index appends a load, or a store to this thread's variable, at an address whose index contains
// constants.
func (g *generator) index() {
	b := g.b
	x := g.value(ir.TI32)
	base := g.in
	if g.chance(40) {
		x, base = b.Op(ir.OpAnd, x, b.Int(ir.TI32, 7)), g.variable
	}
	i := b.OpAs([]ir.Op{ir.OpZExt, ir.OpSExt}[g.n(2)], ir.TI64, x)
	for range 1 + g.n(3) {
		c := b.Int(ir.TI64, int64(g.n(40)-8))
		switch g.n(4) {
		case 0:
			i = b.Op(ir.OpAdd, c, i)
		case 1:
			i = b.Op(ir.OpSub, i, c)
		case 2:
			i = b.Op(ir.OpMul, i, c)
		case 3:
			i = b.Op(ir.OpShl, i, b.Int(ir.TI64, int64(g.n(4))))
		}
	}
	at := b.Field(b.Offset(b.Field(base, int64(g.n(3)*4)), i, int64(g.n(12)-3)), int64(g.n(20)-6))
	if base == g.variable && g.chance(50) {
		b.Store(at, g.quiet(g.value(g.typ("num"))))
		return
	}
	g.keep(g.quiet(b.Load(g.typ("data"), at)))
}

// either appends a branch with little work on either side.
func (g *generator) either() {
	b := g.b
	t := g.typ("int")
	in := b.If(g.condition(), t, t)
	for _, r := range in.Regions {
		b.In(r, func() {
			x := g.value(t)
			if g.chance(70) {
				x = b.Op([]ir.Op{ir.OpAdd, ir.OpXor, ir.OpUMax, ir.OpShl}[g.n(4)], x, g.value(t))
			}
			b.Yield(x, g.value(t))
		})
	}
	g.scope = append(g.scope, in.Results...)
}

// choose appends accesses to variables at an address that is chosen among a few places, some of
// them at the end of a variable or beyond.
func (g *generator) choose() {
	b := g.b
	t := g.typ("num")
	x, y := b.Alloca(16, "x"), b.Alloca(8, "y")
	place := func() *ir.Value {
		if g.chance(30) {
			return y
		}
		return b.Field(x, int64(4*g.n(3)+g.n(20)/19))
	}
	access := func(at *ir.Value) {
		if g.chance(20) {
			at = b.Field(at, 4)
		}
		if g.chance(60) {
			b.Store(at, g.quiet(g.value(t)))
		}
		if g.chance(60) {
			g.keep(g.quiet(b.Load(t, at)))
		}
	}
	for range 1 + g.n(3) {
		access(place())
	}
	pointer := []ir.Type{ir.PointerTo(ir.Thread)}
	var at *ir.Value
	switch g.n(4) {
	case 0:
		at = b.Op(ir.OpSelect, g.condition(), place(), place())
	case 1:
		at = b.Op(ir.OpSelect, g.condition(), place(), b.Op(ir.OpSelect, g.condition(), place(), place()))
	case 2:
		if g.depth > 2 {
			return
		}
		in := b.If(g.condition(), pointer...)
		for _, r := range in.Regions {
			g.inside(r, false, func() {
				to := place()
				access(to)
				b.Yield(to)
			})
		}
		at = in.Results[0]
	case 3:
		in := b.Loop([]*ir.Value{b.Int(ir.TI32, 0), place()}, pointer...)
		params := in.Regions[0].Params
		scope := len(g.scope)
		b.In(in.Regions[0], func() {
			over := b.If(b.Op(ir.OpSLT, params[0], b.Int(ir.TI32, int64(g.n(5)))))
			b.In(over.Regions[0], func() { b.Yield() })
			b.In(over.Regions[1], func() { b.Break(in, params[1]) })
			access(params[1])
			at := params[1]
			if g.chance(20) {
				at = b.Field(at, 4)
			}
			to := b.Op(ir.OpSelect, b.Op([]ir.Op{ir.OpEq, ir.OpNe}[g.n(2)], at, place()), place(), at)
			b.Continue(in, b.Op(ir.OpAdd, params[0], b.Int(ir.TI32, 1)), to)
		})
		g.scope = g.scope[:scope]
		at = in.Results[0]
	}
	access(at)
	access(place())
	if g.chance(30) {
		g.keep(b.Op(ir.OpEq, at, place()))
	}
}
