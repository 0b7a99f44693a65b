// Package irtest generates random kernels for tests. They are valid by construction and free of
// races, and their results are fully defined by package ir's comment, so that engines can be
// compared bit for bit. What it leaves open (which NaN, the last bits of Approx operations) does
// not reach memory unless requested.
package irtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// The launch that random kernels are made for. They read Inputs bytes of buffer 0, write OutStride
// bytes to buffer 1 for each thread of the grid, x first, and use the first CounterBytes bytes of
// buffer 2 as counters.
const (
	Inputs       = 256
	OutStride    = 128
	CounterBytes = 32
	sharedSlot   = 16 // bytes of threadgroup memory for each thread
)

// Config configures the kernels.
type Config struct {
	Size      int  // approximate number of operations
	Approx    bool // with operations that engines may round differently
	Constants int  // number of function constants, cycling through ConstantTypes; each has its position as index
	// percentage of statements that passes of package opt look for: loops with a known number of
	// iterations, copies of variables, and the like
	Pieces int
	Grid   int // percentage of statements that synchronize the whole grid, where it can
	// Held makes shuffles read what lanes hold that are not active; not with Grid.
	Held bool
}

// ConstantTypes are the types of function constants.
var ConstantTypes = [...]string{"i1", "i32", "i16x3", "i8"}

// Kernel returns a module with one random kernel.
func Kernel(rng *rand.Rand, c Config) *ir.Module {
	m := &ir.Module{Files: []string{"random.metal"}, Globals: []*ir.Global{{Name: "g", Align: 16, Data: make([]byte, 32)}}}
	for i := range m.Globals[0].Data {
		m.Globals[0].Data[i] = byte(rng.Uint32())
	}
	f := m.NewFunc("random")
	f.Args = []ir.Arg{{Kind: ir.ArgBuffer, Space: "constant"}, {Kind: ir.ArgBuffer, Index: 1},
		{Kind: ir.ArgBuffer, Index: 2}}
	for i := range c.Constants {
		f.Constants = append(f.Constants,
			ir.FunctionConstant{Name: fmt.Sprintf("c%d", i), Index: i, Type: ConstantTypes[i%len(ConstantTypes)]})
	}
	f.Threadgroup = []ir.Memory{{Name: "slots", Size: sharedSlot * ir.MaxThreads, Align: 16}}
	g := &generator{rng: rng, c: c, b: ir.NewBuilder(f), left: c.Size, uniform: true}
	g.body()
	if c.Held && g.chance(50) {
		f.HoldLanes()
	}
	return m
}

type generator struct {
	rng     *rand.Rand
	c       Config
	b       *ir.Builder
	scope   []*ir.Value // the values in scope
	targets []target    // enclosing loops and blocks
	left    int
	depth   int
	uniform bool // all threads of the grid that have not returned reach this point together
	line    uint32

	registers int64 // of lanes, in use

	in, out, counters, shared, own, variable *ir.Value
}

func (g *generator) n(n int) int { return g.rng.IntN(n) }

func (g *generator) chance(percent int) bool { return g.rng.IntN(100) < percent }

var (
	ints   = []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I32, ir.I64}
	floats = []ir.Kind{ir.F16, ir.BF16, ir.F32, ir.F32}
)

func (g *generator) kind(class string) ir.Kind {
	switch class {
	case "int":
		return ints[g.n(len(ints))]
	case "float":
		return floats[g.n(len(floats))]
	case "bool":
		return ir.I1
	case "bits", "equatable":
		return append(ints, ir.I1)[g.n(len(ints)+1)]
	case "num":
		return append(ints, floats...)[g.n(len(ints)+len(floats))]
	}
	return append(append(ints, ir.I1), floats...)[g.n(len(ints)+len(floats)+1)]
}

// typ returns a type of a class in a signature.
func (g *generator) typ(class string) ir.Type {
	class, scalar := strings.CutSuffix(class, "1")
	k := g.kind(class)
	if scalar || class != "vec" && g.chance(70) {
		return ir.Scalar(k)
	}
	return ir.Vector(k, 2+g.n(3))
}

// constant returns a new constant, often one at the edge of its kind.
func (g *generator) constant(t ir.Type) *ir.Value {
	lanes := make([]uint64, t.Lanes())
	for i := range lanes {
		w := t.Kind.Bits()
		switch {
		case g.chance(30):
			lanes[i] = g.rng.Uint64()
		case t.Kind.IsFloat():
			edges := []float64{0, 1, -1, 0.5, 2, 3.25, -7, 1e-6, 65504, 3e38, 1e-40, 100.125}
			lanes[i] = ir.FloatBits(t.Kind, edges[g.n(len(edges))])
		default:
			edges := []uint64{0, 1, 2, 3, ^uint64(0), 1 << (w - 1), 1<<(w-1) - 1, 7, 31, 32}
			lanes[i] = edges[g.n(len(edges))]
		}
	}
	v := g.b.Const(t, lanes...)
	if t.Kind.IsFloat() { // a random NaN's payload is as unspecified as a computed one's
		return g.quiet(v)
	}
	return v
}

// value returns a value of a type: an existing one, or a new constant.
func (g *generator) value(t ir.Type) *ir.Value {
	if g.chance(85) {
		for range 12 {
			if len(g.scope) == 0 {
				break
			}
			if v := g.scope[g.n(len(g.scope))]; v.Type == t {
				return v
			}
		}
	}
	return g.constant(t)
}

// quiet returns v with its NaNs replaced by one NaN.
func (g *generator) quiet(v *ir.Value) *ir.Value {
	if !v.Type.Kind.IsFloat() {
		return v
	}
	bits := map[ir.Kind]uint64{ir.F16: 0x7e00, ir.BF16: 0x7fc0, ir.F32: 0x7fc00000}
	return g.b.Op(ir.OpSelect, g.b.Op(ir.OpFNe, v, v), g.b.Const(v.Type, bits[v.Type.Kind]), v)
}

func (g *generator) keep(v *ir.Value) {
	if v != nil {
		g.scope = append(g.scope, v)
	}
}

func (g *generator) body() {
	b := g.b
	g.in, g.out, g.counters = b.Arg(0, ir.PointerTo(ir.Constant)), b.Arg(1, ir.PointerTo(ir.Device)),
		b.Arg(2, ir.PointerTo(ir.Device))
	g.shared = b.Op(ir.OpSharedAddr)
	g.variable = b.Alloca(64, "v")
	pos := b.Input(ir.ThreadPositionInGrid)
	index := b.Input(ir.ThreadIndexInThreadgroup)
	for _, in := range []ir.Input{ir.ThreadsPerGrid, ir.ThreadIndexInSimdgroup, ir.SimdgroupIndexInThreadgroup,
		ir.ThreadgroupPositionInGrid} {
		g.keep(b.Input(in))
	}
	g.keep(pos)
	g.keep(index)
	for i, c := range b.Func.Constants {
		t, _ := ir.ParseType(c.Type)
		g.keep(b.OpImm(ir.OpFConst, t, int64(i)))
		g.keep(b.OpImm(ir.OpFConstDefined, ir.TVoid, int64(i)))
	}
	size := b.Input(ir.ThreadsPerGrid)
	x := b.Op(ir.OpAdd, b.Op(ir.OpMul, b.Extract(pos, 2), b.Extract(size, 1)), b.Extract(pos, 1))
	x = b.Op(ir.OpAdd, b.Op(ir.OpMul, x, b.Extract(size, 0)), b.Extract(pos, 0))
	g.keep(x)
	g.own = b.Offset(g.out, b.OpAs(ir.OpZExt, ir.TI64, x), OutStride)
	g.keep(b.Load(ir.TF32, b.Offset(g.in, b.OpAs(ir.OpZExt, ir.TI64, x), 4)))
	for g.left > 0 {
		g.statement()
	}
	for range 8 {
		g.store()
	}
	b.Return()
}

// statement appends one operation or piece of control flow.
func (g *generator) statement() {
	g.left--
	g.line++
	g.b.SetLoc(ir.Loc{File: 1, Line: g.line, Col: 1})
	if g.c.Pieces > 0 && g.chance(g.c.Pieces) {
		g.piece()
		return
	}
	if g.c.Grid > 0 && g.uniform && g.chance(g.c.Grid) {
		g.gridExchange()
		return
	}
	if g.c.Held && g.chance(6) {
		if g.depth == 0 || g.chance(30) {
			g.hold()
		} else {
			g.among()
		}
		return
	}
	switch p := g.n(100); {
	case p < 58:
		g.operation()
	case p < 68:
		g.convert()
	case p < 76:
		g.vector()
	case p < 85:
		g.memory()
	case p < 87 && g.uniform:
		g.exchange()
	case p < 90:
		g.among()
	case p < 95 && g.depth < 4:
		g.branch()
	case p < 97 && g.depth < 3:
		g.loop()
	case p < 99 && g.depth < 4:
		g.block()
	case g.depth < 3:
		g.choice()
	}
}

// operation appends an operation that is fully described by its signature.
func (g *generator) operation() {
	op := ir.Op(1 + g.n(ir.NumOps-2))
	if op >= ir.OpSimdHold {
		op++
	}
	info := op.Info()
	if info.Has(ir.Approx) && !g.c.Approx || info.Has(ir.Special) && !op.Exchanges() || info.Has(ir.ReadsMemory) ||
		info.Has(ir.WritesMemory) || info.Has(ir.Terminator) {
		return
	}
	before, after, _ := strings.Cut(info.Sig, "->")
	if strings.Contains(info.Sig, "ptr") || strings.Contains(info.Sig, "handle") || strings.Contains(info.Sig,
		"mat") || strings.Contains(info.Sig, "tex") {
		return
	}
	var args []*ir.Value
	for _, w := range strings.Fields(before) {
		i := strings.IndexAny(w, "=~")
		var t ir.Type
		switch {
		case i == 0:
			t = args[w[1]-'0'].Type
		case i > 0 && w[:i] == "i32":
			t = args[w[i+1]-'0'].Type.With(ir.I32)
		case i > 0 && w[:i] == "elem":
			t = args[w[i+1]-'0'].Type.Element()
		case w == "i32" || w == "i1" || w == "i64":
			t, _ = ir.ParseType(w)
		default:
			t = g.typ(w)
		}
		v := g.value(t)
		if op == ir.OpCopySign {
			v = g.quiet(v)
		}
		args = append(args, v)
	}
	if op.Exchanged() > 1 && isHeld(args[0]) != isHeld(args[1]) {
		args[0], args[1] = g.holdOf(args[0]), g.holdOf(args[1])
	}
	given := ir.TVoid
	if word, _, ok := strings.Cut(strings.TrimSpace(after), "~"); ok {
		given = args[0].Type.With(g.kind(word))
	}
	in := g.b.OpAs(op, given, args...)
	for _, r := range in.Def.Results {
		g.keep(r)
	}
}

func (g *generator) convert() {
	v := g.value(g.typ("data"))
	w := v.Type.Kind.Bits()
	k := g.kind("data")
	to := v.Type.With(k)
	switch isFloat := v.Type.Kind.IsFloat(); {
	case g.chance(20) && v.Type.Kind != ir.I1:
		v = g.quiet(v)
		for n := 1; n <= 4; n++ {
			if t := ir.Vector(k, n); k != ir.I1 && t.Size() == v.Type.Size() {
				r := g.b.OpAs(ir.OpBitcast, t, v)
				g.keep(g.quiet(r))
			}
		}
	case isFloat && k.IsFloat() && k != v.Type.Kind:
		g.keep(g.b.OpAs(ir.OpFConv, to, v))
	case isFloat && k.IsInt():
		g.keep(g.b.OpAs([]ir.Op{ir.OpFToSI, ir.OpFToUI}[g.n(2)], to, v))
	case !isFloat && v.Type.Kind != ir.I1 && k.IsFloat():
		g.keep(g.b.OpAs([]ir.Op{ir.OpSIToF, ir.OpUIToF}[g.n(2)], to, v))
	case !isFloat && !k.IsFloat() && k.Bits() > w:
		g.keep(g.b.OpAs([]ir.Op{ir.OpZExt, ir.OpSExt}[g.n(2)], to, v))
	case !isFloat && !k.IsFloat() && k.Bits() < w:
		g.keep(g.b.OpAs(ir.OpTrunc, to, v))
	}
}

func (g *generator) vector() {
	t := g.typ("vec")
	switch g.n(6) {
	case 0:
		var args []*ir.Value
		for range t.Lanes() {
			args = append(args, g.value(t.Element()))
		}
		g.keep(g.b.OpAs(ir.OpBuild, t, args...))
	case 1:
		g.keep(g.b.Splat(g.value(t.Element()), t.Lanes()))
	case 2:
		g.keep(g.b.Extract(g.value(t), g.n(t.Lanes())))
	case 3:
		g.keep(g.b.OpImm(ir.OpInsert, ir.TVoid, int64(g.n(t.Lanes())), g.value(t), g.value(t.Element())))
	case 4:
		x, y := g.value(t), g.value(g.vecOf(t.Kind))
		places := make([]int, 1+g.n(4))
		for i := range places {
			places[i] = g.n(x.Type.Lanes() + y.Type.Lanes())
		}
		g.keep(g.b.Swizzle(x, y, places...))
	case 5:
		cond := ir.TI1
		if g.chance(50) {
			cond = t.With(ir.I1)
		}
		g.keep(g.b.Op(ir.OpSelect, g.value(cond), g.value(t), g.value(t)))
	}
}

func (g *generator) vecOf(k ir.Kind) ir.Type { return ir.Vector(k, 1+g.n(4)) }

// memory appends an access without races: inputs are only read, each thread has its own part of the
// output and its own variables, and counters are only added to, their old values unused.
func (g *generator) memory() {
	b := g.b
	switch g.n(8) {
	case 0:
		// anywhere, out of bounds included
		i := b.OpAs(ir.OpSExt, ir.TI64, g.value(ir.TI32))
		g.keep(g.quiet(b.Load(g.typ("data"), b.Offset(g.in, i, int64(g.n(9)-2)))))
	case 1:
		g.keep(g.quiet(b.Load(g.typ("data"), b.Field(b.Op(ir.OpGlobalAddr), int64(g.n(40)-4)))))
	case 2:
		at := b.Field(g.variable, int64(g.n(80)-8))
		if g.chance(50) {
			b.Store(at, g.quiet(g.value(g.typ("data"))))
		} else {
			g.keep(g.quiet(b.Load(g.typ("data"), at)))
		}
	case 3:
		g.store()
	case 4:
		ops := []ir.Op{ir.OpAtomicAdd, ir.OpAtomicSub, ir.OpAtomicSMin, ir.OpAtomicUMax, ir.OpAtomicAnd, ir.OpAtomicOr,
			ir.OpAtomicXor}
		slot := g.n(len(ops))
		// each counter is used by one operation only, so that the order does not matter
		g.b.Op(ops[slot], b.Field(g.counters, int64(4*slot)), g.value(ir.TI32))
	case 5: // a computed element, mostly in bounds
		i := b.OpAs(ir.OpZExt, ir.TI64, b.Op(ir.OpAnd, g.value(ir.TI32), b.Int(ir.TI32, 15)))
		at := b.Offset(g.variable, i, 4)
		if g.chance(50) {
			b.Store(at, g.quiet(g.value(g.typ("num"))))
		} else {
			g.keep(g.quiet(b.Load(g.typ("num"), at)))
		}
	case 6: // a variable for this place in the code, the same in each iteration of a loop
		own := b.Alloca(16, "w")
		if g.chance(50) {
			t := g.typ("data1")
			g.keep(g.quiet(b.Load(t, b.Field(own, int64(g.n(18))))))
		}
		b.Store(b.Field(own, int64(4*g.n(4))), g.quiet(g.value(g.typ("num1"))))
		t := g.typ("num1")
		g.keep(g.quiet(b.Load(t, b.Field(own, int64(4*g.n(4))))))
	case 7:
		from := []*ir.Value{g.variable, g.in, g.own}[g.n(3)]
		if g.chance(30) {
			b.OpImm(ir.OpClear, ir.TVoid, int64(g.n(24)), b.Field(g.variable, int64(g.n(72)-4)))
		} else {
			b.OpImm(ir.OpCopy, ir.TVoid, int64(g.n(40)), b.Field(g.variable, int64(g.n(72)-4)), b.Field(from, int64(g.n(32))))
		}
	}
}

// among appends an operation among lanes, with lane numbers that may exist. Its operands may be
// what lanes hold that are not active.
func (g *generator) among() {
	b := g.b
	ops := []ir.Op{ir.OpSimdBroadcast, ir.OpSimdShuffle, ir.OpSimdShuffleXor, ir.OpSimdShuffleUp, ir.OpSimdShuffleDown,
		ir.OpSimdRotateUp, ir.OpSimdRotateDown,
		ir.OpQuadBroadcast, ir.OpQuadShuffle, ir.OpQuadShuffleXor, ir.OpQuadShuffleUp, ir.OpQuadShuffleDown,
		ir.OpQuadRotateUp, ir.OpQuadRotateDown}
	lane := b.Int(ir.TI32, int64(g.n(32)))
	if g.chance(60) {
		lane = b.Op(ir.OpAnd, g.value(ir.TI32), b.Int(ir.TI32, int64([]int{1, 3, 31, 63}[g.n(4)])))
	}
	if !g.c.Held {
		g.keep(g.quiet(b.Op(ops[g.n(len(ops))], g.quiet(g.value(g.typ("data"))), lane)))
		return
	}
	ops = append(ops, ir.OpSimdFillUp, ir.OpSimdFillDown, ir.OpQuadFillUp, ir.OpQuadFillDown)
	op, held := ops[g.n(len(ops))], g.chance(50)
	t := g.typ("data")
	for range 20 { // most often of a value that is held already
		if v := g.scope[g.n(len(g.scope))]; held && isHeld(v) {
			t = v.Type
			break
		}
	}
	args := []*ir.Value{g.exchanged(t, held)}
	if op.Exchanged() > 1 {
		args = append(args, g.exchanged(args[0].Type, held))
	}
	if op.Exchanged() > 1 && isHeld(args[0]) != isHeld(args[1]) {
		args[0], args[1] = g.holdOf(args[0]), g.holdOf(args[1])
	}
	args = append(args, lane)
	if op.Exchanged() > 1 {
		args = append(args, b.Int(ir.TI32, int64([]int{1, 2, 4, 8, 16, 32, 5}[g.n(7)])))
	}
	g.keep(g.quiet(b.Op(op, args...)))
}

// exchanged returns an operand of an operation among lanes: one that lanes hold, if held is set.
func (g *generator) exchanged(t ir.Type, held bool) *ir.Value {
	if held {
		for range 40 {
			v := g.scope[g.n(len(g.scope))]
			if isHeld(v) && v.Type == t {
				return v
			}
		}
		return g.holdOf(g.value(t))
	}
	return g.quiet(g.value(t))
}

func isHeld(v *ir.Value) bool { return v.Def != nil && v.Def.Op == ir.OpSimdHold }

// hold makes lanes hold a value.
func (g *generator) hold() { g.keep(g.holdOf(g.value(g.typ("data")))) }

func (g *generator) holdOf(v *ir.Value) *ir.Value {
	g.registers++
	return g.b.OpImm(ir.OpSimdHold, ir.TVoid, g.registers-1, g.quiet(v))
}

// store writes a value to this thread's part of the output.
func (g *generator) store() {
	v := g.scope[g.n(len(g.scope))]
	if v.Type.Kind == ir.I1 {
		v = g.b.OpAs(ir.OpZExt, v.Type.With(ir.I8), v)
	}
	g.b.Store(g.b.Field(g.own, int64(g.n(OutStride/16-1))*16), g.quiet(v)) // 32 bytes at most
}

// exchange makes threads read what others wrote to threadgroup memory.
func (g *generator) exchange() {
	b := g.b
	index := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.ThreadIndexInThreadgroup))
	t := g.typ("num")
	if t.Size() > sharedSlot {
		t = t.Element()
	}
	b.Store(b.Offset(g.shared, index, sharedSlot), g.quiet(g.value(t)))
	b.Barrier(ir.OpBarrier, ir.MemThreadgroup, ir.Relaxed)
	other := b.OpAs(ir.OpZExt, ir.TI64, g.value(ir.TI8))
	g.keep(g.quiet(b.Load(t, b.Offset(g.shared, other, sharedSlot))))
	b.Barrier(ir.OpBarrier, ir.MemThreadgroup, ir.Relaxed)
}
