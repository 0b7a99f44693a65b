package mslprint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// memory prints an access to memory, or the computation of an address.
func (p *printer) memory(in *ir.Instr) {
	switch in.Op {
	case ir.OpField:
		p.define(in, plus(p.arg(in, 0), in.Imm))
	case ir.OpOffset:
		index := p.arg(in, 1)
		if d := in.Args[1].Def; in.Imm < 0 || d == nil || d.Op != ir.OpZExt {
			index = "(long)" + index
		}
		if in.Imm != 1 {
			index = fmt.Sprintf("%s * %d", index, in.Imm)
		}
		p.define(in, fmt.Sprintf("(%s + %s)", p.arg(in, 0), index))
	case ir.OpLoad:
		p.load(in)
	case ir.OpStore:
		p.store(in)
	case ir.OpCopy:
		if in.Imm > 0 {
			p.line("*%s = *%s;", p.cast(in.Args[0], p.blob(in.Imm)), p.cast(in.Args[1], p.blob(in.Imm)))
		}
	case ir.OpClear:
		if in.Imm > 0 {
			p.line("*%s = %s{};", p.cast(in.Args[0], p.blob(in.Imm)), p.blob(in.Imm))
		}
	}
}

func plus(addr string, n int64) string {
	if n < 0 {
		return fmt.Sprintf("(%s - %s)", addr, strconv.FormatInt(n, 10)[1:])
	}
	return fmt.Sprintf("(%s + %d)", addr, n)
}

// blob returns the name of a struct of n bytes.
func (p *printer) blob(n int64) string {
	name := fmt.Sprintf("bytes%d", n)
	if !p.blobs[n] {
		p.blobs[n] = true
		fmt.Fprintf(&p.head, "struct %s { uchar at[%d]; };\n", name, n)
	}
	return name
}

// cast returns the expression of a pointer to a type.
func (p *printer) cast(addr *ir.Value, typ string) string {
	return fmt.Sprintf("(%s %s*)%s", addr.Type.Space, typ, p.value(addr))
}

// stored returns the type that memory holds for values of a type: vectors are packed, and truth
// values are bytes.
func (p *printer) stored(t ir.Type) string {
	name := kindNames[t.Kind]
	switch {
	case t.Kind == ir.I1:
		name = "uchar"
	case t.Kind == ir.Matrix:
		p.unsupported("a matrix in memory")
	case t.Kind > ir.F32:
		return ""
	}
	if t.Lanes() > 1 {
		return fmt.Sprintf("packed_%s%d", name, t.Lanes())
	}
	return name
}

func (p *printer) load(in *ir.Instr) {
	t := in.Result().Type
	volatile := ""
	if in.Flags&ir.Volatile != 0 {
		volatile = "volatile "
	}
	switch {
	case t.Kind == ir.Pointer:
		if t.Space != ir.Device && t.Space != ir.Constant {
			p.unsupported("an address of %v memory in memory", t.Space)
		}
		space := in.Args[0].Type.Space.String()
		p.define(in, fmt.Sprintf("(*(%s %s*)%s)", p.typ(t), space, p.arg(in, 0)))
	case t.Kind > ir.F32:
		p.define(in, fmt.Sprintf("(%s)->it", p.cast(in.Args[0], p.handle(t))))
	case t.Kind == ir.I1:
		bytes := lanes("uchar", t.Lanes())
		p.define(in, fmt.Sprintf("(%s(*%s) != %s(0))", bytes, p.cast(in.Args[0], volatile+p.stored(t)), bytes))
	case t.Lanes() > 1:
		p.define(in, fmt.Sprintf("%s(*%s)", typeName(t), p.cast(in.Args[0], volatile+p.stored(t))))
	default:
		p.define(in, fmt.Sprintf("(*%s)", p.cast(in.Args[0], volatile+p.stored(t))))
	}
}

func (p *printer) store(in *ir.Instr) {
	t := in.Args[1].Type
	volatile := ""
	if in.Flags&ir.Volatile != 0 {
		volatile = "volatile "
	}
	value := bare(p.arg(in, 1))
	switch {
	case t.Kind == ir.Pointer:
		if t.Space != ir.Device && t.Space != ir.Constant {
			p.unsupported("an address of %v memory in memory", t.Space)
		}
		p.line("*(%s %s*)%s = %s;", p.typ(t), in.Args[0].Type.Space, p.arg(in, 0), value)
	case t.Kind == ir.Texture || t.Kind == ir.Sampler:
		p.line("(%s)->it = %s;", p.cast(in.Args[0], p.handle(t)), value)
	case t.Kind > ir.F32:
		p.unsupported("storing a %v", t)
	case t.Kind == ir.I1:
		p.line("*%s = %s(%s);", p.cast(in.Args[0], volatile+p.stored(t)), lanes("uchar", t.Lanes()), value)
	default:
		p.line("*%s = %s;", p.cast(in.Args[0], volatile+p.stored(t)), value)
	}
}

// handle returns the name of a struct that holds a texture or sampler.
func (p *printer) handle(t ir.Type) string {
	i := slices.Index(p.handles, t)
	if i < 0 {
		i = len(p.handles)
		p.handles = append(p.handles, t)
		fmt.Fprintf(&p.head, "struct handle%d { %s it; };\n", i, p.typ(t))
	}
	return fmt.Sprintf("handle%d", i)
}

// globals declares the data of a module that kernels use.
func (x *file) globals(m *ir.Module) string {
	var out strings.Builder
	for i, g := range m.Globals {
		name := x.global[i]
		if name == "" {
			continue
		}
		fmt.Fprintf(&out, "alignas(16) constant uchar %s[%d] = {", name, max(1, len(g.Data)))
		for i, b := range g.Data {
			if i%32 == 0 {
				out.WriteString("\n    ")
			}
			fmt.Fprintf(&out, "%d,", b)
		}
		out.WriteString("};\n")
	}
	return out.String()
}

func (p *printer) globalName(i int) string {
	if p.global[i] == "" {
		p.global[i] = p.file.name("data_" + p.f.Module.Globals[i].Name)
	}
	return p.global[i]
}

// constants declares the function constants.
func (p *printer) constants() {
	for i := range p.f.Constants {
		c := &p.f.Constants[i]
		t, err := ir.ParseType(c.Type)
		if err != nil {
			p.unsupported("function constant %q: %v", c.Name, err)
		}
		if !p.declared[c.Name] {
			if name := p.file.name(c.Name); name != c.Name {
				p.unsupported("function constant %q: its name is not unique", c.Name)
			}
			p.declared[c.Name] = true
			fmt.Fprintf(&p.head, "constant %s %s [[function_constant(%d)]];\n", typeName(t), c.Name, c.Index)
		}
		if c.Required {
			p.consts = append(p.consts, c.Name)
			continue
		}
		value := p.name(c.Name + "_or_0")
		p.line("%s %s = is_function_constant_defined(%s) ? %[3]s : %[1]s(0);", typeName(t), value, c.Name)
		p.consts = append(p.consts, value)
	}
}

var atomicCalls = [ir.NumOps]struct {
	name   string
	signed bool
}{ir.OpAtomicXchg: {"exchange", false}, ir.OpAtomicAdd: {"fetch_add", false}, ir.OpAtomicSub: {"fetch_sub", false},
	ir.OpAtomicSMin: {"fetch_min", true}, ir.OpAtomicUMin: {"fetch_min", false}, ir.OpAtomicSMax: {"fetch_max", true},
	ir.OpAtomicUMax: {"fetch_max", false}, ir.OpAtomicAnd: {"fetch_and", false}, ir.OpAtomicOr: {"fetch_or", false},
	ir.OpAtomicXor: {"fetch_xor", false}, ir.OpAtomicFAdd: {"fetch_add", false}, ir.OpAtomicFSub: {"fetch_sub", false}}

var atomicNames = [ir.Matrix + 1]string{ir.I1: "atomic_bool", ir.I32: "atomic_uint", ir.I64: "atomic_ulong",
	ir.F32: "atomic_float"}

// atomic prints an atomic operation or a fence.
func (p *printer) atomic(in *ir.Instr) {
	order := "memory_order_" + in.Order.String()
	if in.Op == ir.OpFence {
		scope := "thread_scope_device"
		if in.Imm == ir.FenceThreadgroup {
			scope = "thread_scope_threadgroup"
		}
		p.line("atomic_thread_fence(%s, %s, %s);", memFlags(in.Mem), order, scope)
		return
	}
	var t ir.Type
	if len(in.Results) > 0 {
		t = in.Results[0].Type
	} else {
		t = in.Args[1].Type
	}
	name := atomicNames[t.Kind]
	if name == "" || t.Lanes() > 1 || in.Args[0].Type.Space == ir.Thread {
		p.unsupported("an atomic operation on %v in %v memory", t, in.Args[0].Type.Space)
	}
	switch in.Op {
	case ir.OpAtomicLoad:
		p.define(in, fmt.Sprintf("atomic_load_explicit(%s, %s)", p.cast(in.Args[0], name), order))
		return
	case ir.OpAtomicStore:
		p.line("atomic_store_explicit(%s, %s, %s);", p.cast(in.Args[0], name), bare(p.arg(in, 1)), order)
		return
	case ir.OpAtomicCmpXchg:
		p.exchange(in, name, order)
		return
	}
	call := atomicCalls[in.Op]
	if call.name == "" {
		p.unsupported("operation %v", in.Op)
	}
	value := bare(p.arg(in, 1))
	text := "atomic_%s_explicit(%s, %s, %s)"
	if call.signed {
		if t.Kind != ir.I32 {
			p.unsupported("operation %v of %v", in.Op, t)
		}
		name, value, text = "atomic_int", p.signed(in, 1), "uint("+text+")"
		if p.uses[in.Result()] == 0 {
			text = strings.TrimSuffix(strings.TrimPrefix(text, "uint("), ")")
		}
	}
	if t.Kind == ir.I64 && p.uses[in.Result()] == 0 && (in.Op == ir.OpAtomicUMin || in.Op == ir.OpAtomicUMax) {
		call.name = strings.TrimPrefix(call.name, "fetch_") // which GPUs have, without the old value
	}
	p.define(in, fmt.Sprintf(text, call.name, p.cast(in.Args[0], name), value, order))
}

// exchange prints a compare-exchange, which must not fail spuriously.
func (p *printer) exchange(in *ir.Instr, atomic, order string) {
	failure := map[ir.Order]string{ir.Release: "memory_order_relaxed", ir.AcqRel: "memory_order_acquire"}[in.Order]
	if failure == "" {
		failure = order
	}
	t := in.Results[0].Type
	old, done := p.temp(t), p.temp(ir.TI1)
	want := p.named(in.Args[1])
	addr, value := p.named(in.Args[0]), p.named(in.Args[2])
	p.line("%s %s;", typeName(t), old)
	p.line("bool %s;", done)
	p.line("do {")
	p.line("    %s = %s;", old, want)
	p.line("    %s = atomic_compare_exchange_weak_explicit((%s %s*)%s, &%s, %s, %s, %s);", done,
		in.Args[0].Type.Space, atomic, addr, old, value, order, failure)
	p.line("} while (!%s && %s);", done, same(t, old, want))
	p.texts[in.Results[0]], p.texts[in.Results[1]] = old, done
}

func same(t ir.Type, x, y string) string {
	if t.Kind == ir.F32 {
		return fmt.Sprintf("as_type<uint>(%s) == as_type<uint>(%s)", x, y)
	}
	return fmt.Sprintf("%s == %s", x, y)
}

// memFlags returns the flags of a barrier or fence.
func memFlags(m ir.MemMask) string {
	var flags []string
	for i, name := range []string{"device", "threadgroup", "texture", "threadgroup_imageblock", "object_data"} {
		if m>>i&1 != 0 {
			flags = append(flags, "mem_flags::mem_"+name)
		}
	}
	if len(flags) == 0 {
		return "mem_flags::mem_none"
	}
	return strings.Join(flags, " | ")
}

// barrier prints a barrier of a threadgroup or simdgroup.
func (p *printer) barrier(in *ir.Instr) {
	call := map[ir.Op]string{ir.OpBarrier: "threadgroup_barrier", ir.OpSimdBarrier: "simdgroup_barrier"}[in.Op]
	if call == "" {
		p.unsupported("operation %v", in.Op)
	}
	if in.Imm == ir.BarrierActive {
		call = p.activeBarrier()
	}
	p.line("%s(%s);", call, memFlags(in.Mem))
}

// activeBarrier returns the name of a function that orders memory among the active threads of a
// simdgroup. Metal allows simdgroup_barrier only where all threads of the simdgroup come. A fence
// may be in any branch; the threads of a simdgroup that take a branch execute it together.
func (x *file) activeBarrier() string {
	if x.active == "" {
		x.active = x.name("active_barrier")
		fmt.Fprintf(&x.head, "static void %s(mem_flags flags) {\n#if __METAL_VERSION__ >= 320\n"+
			"    atomic_thread_fence(flags, memory_order_seq_cst, thread_scope_simdgroup);\n#else\n"+
			"    simdgroup_barrier(flags);\n#endif\n}\n\n", x.active)
	}
	return x.active
}

var amongCalls = [ir.NumOps]string{ir.OpSimdAdd: "sum", ir.OpSimdMul: "product", ir.OpSimdSMin: "min",
	ir.OpSimdUMin: "min", ir.OpSimdSMax: "max", ir.OpSimdUMax: "max", ir.OpSimdFMin: "min", ir.OpSimdFMax: "max",
	ir.OpSimdAnd: "and", ir.OpSimdOr: "or", ir.OpSimdXor: "xor", ir.OpSimdScanAdd: "prefix_inclusive_sum",
	ir.OpSimdScanMul: "prefix_inclusive_product", ir.OpSimdXScanAdd: "prefix_exclusive_sum",
	ir.OpSimdXScanMul: "prefix_exclusive_product", ir.OpSimdBroadcast: "broadcast", ir.OpSimdFirst: "broadcast_first",
	ir.OpSimdShuffle: "shuffle", ir.OpSimdShuffleXor: "shuffle_xor", ir.OpSimdShuffleUp: "shuffle_up",
	ir.OpSimdShuffleDown: "shuffle_down", ir.OpSimdRotateUp: "shuffle_rotate_up",
	ir.OpSimdRotateDown: "shuffle_rotate_down", ir.OpSimdFillUp: "shuffle_and_fill_up",
	ir.OpSimdFillDown: "shuffle_and_fill_down", ir.OpSimdAll: "all", ir.OpSimdAny: "any",
	ir.OpSimdIsFirst: "is_first"}

// among returns the expression of an operation among the lanes of a simdgroup or quad.
func (p *printer) among(in *ir.Instr) string {
	op, prefix, vote := in.Op.OfSimdgroup(), "simd_", "uint"
	if in.Op.Group() == ir.QuadOps {
		prefix, vote = "quad_", "ushort"
	}
	var args []string
	for i, a := range in.Args {
		text := bare(p.value(a))
		switch {
		case op == ir.OpSimdSMin || op == ir.OpSimdSMax:
			text = p.signed(in, i)
		case laneArg(op, i):
			if !short(a) && !wraps(op, i) {
				text = fmt.Sprintf("min(%s, 0xffffu)", text)
			}
			text = fmt.Sprintf("ushort(%s)", text)
		}
		args = append(args, text)
	}
	switch op {
	case ir.OpSimdBallot:
		return fmt.Sprintf("ulong(%s((%svote::vote_t)%sballot(%s)))", vote, prefix, prefix, args[0])
	case ir.OpSimdActive:
		return fmt.Sprintf("ulong(%s((%svote::vote_t)%sactive_threads_mask()))", vote, prefix, prefix)
	}
	name := amongCalls[op]
	if name == "" {
		p.unsupported("operation %v", in.Op)
	}
	t := ir.TI1
	if len(in.Args) > 0 {
		t = in.Args[0].Type
	}
	text := "%s"
	if op != ir.OpSimdAll && op != ir.OpSimdAny && op != ir.OpSimdIsFirst {
		carry, back := p.carrier(in, op, t)
		for i := range args {
			if carry != "" && !laneArg(op, i) {
				args[i] = fmt.Sprintf("%s(%s)", carry, args[i])
			}
		}
		if carry != "" {
			text = back + "(%s)"
		}
	}
	if op == ir.OpSimdSMin || op == ir.OpSimdSMax {
		text = typeName(t) + "(%s)"
	}
	return fmt.Sprintf(text, fmt.Sprintf("%s%s(%s)", prefix, name, strings.Join(args, ", ")))
}

// carrier returns what converts values of types that functions among lanes lack to a type that they
// have, and back; or nothing.
func (p *printer) carrier(in *ir.Instr, op ir.Op, t ir.Type) (carry, back string) {
	bitwise := op == ir.OpSimdAnd || op == ir.OpSimdOr || op == ir.OpSimdXor
	moves := op >= ir.OpSimdBroadcast && op <= ir.OpSimdFillDown
	switch {
	case t.Kind != ir.I64 && t.Kind != ir.BF16 && t.Kind != ir.I1:
		return "", ""
	case t.Kind == ir.I1 && (moves || bitwise):
		return lanes("uchar", t.Lanes()), typeName(t)
	case t.Kind == ir.BF16 && moves:
		return fmt.Sprintf("as_type<%s>", lanes("ushort", t.Lanes())), fmt.Sprintf("as_type<%s>", typeName(t))
	case t.Kind == ir.I64 && t.Lanes() <= 2 && (moves || bitwise):
		return fmt.Sprintf("as_type<uint%d>", 2*t.Lanes()), fmt.Sprintf("as_type<%s>", typeName(t))
	}
	p.unsupported("operation %v of %v", in.Op, t)
	return "", ""
}

// laneArg reports whether an operand is a lane's number, a distance or a segment's length.
func laneArg(op ir.Op, i int) bool {
	if op == ir.OpSimdFillUp || op == ir.OpSimdFillDown {
		return i >= 2
	}
	return i == 1
}

// wraps reports whether an operand that laneArg reports is a distance modulo a power of two.
func wraps(op ir.Op, i int) bool {
	return op == ir.OpSimdRotateUp || op == ir.OpSimdRotateDown || i == 2
}

// short reports whether a number is known to fit 16 bits.
func short(v *ir.Value) bool {
	if x, ok := constant(v); ok {
		return x <= 0xffff
	}
	return v.Def != nil && v.Def.Op == ir.OpZExt && v.Def.Args[0].Type.Kind <= ir.I16
}
