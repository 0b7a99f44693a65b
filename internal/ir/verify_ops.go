package ir

// usesImm reports whether the operation has a constant in Imm.
func usesImm(op Op) bool {
	switch op {
	case OpConst, OpArg, OpFConst, OpFConstDefined, OpIn, OpGlobalAddr, OpSharedAddr, OpSamplerConst, OpAlloca, OpExtract,
		OpInsert,
		OpSwizzle, OpOffset, OpField, OpCopy, OpClear, OpLoop, OpTexRead, OpTexGather, OpTexQuery, OpTexAtomic, OpCommandSet,
		OpLogMessage, OpFence, OpSimdBarrier, OpSimdHold, OpLoad, OpStore:
		return true
	}
	return false
}

// unused checks that the fields that the operation does not use are zero.
func (v *verifier) unused(in *Instr) {
	info := in.Op.Info()
	if in.Imm != 0 && !usesImm(in.Op) {
		v.errorf("has a constant, which it does not use")
	}
	if len(in.Bits) > 0 && in.Op != OpConst && in.Op != OpSwizzle {
		v.errorf("has a list of constants, which it does not use")
	}
	if in.Order >= numOrders || in.Order != Relaxed && !info.Has(Atomic) {
		v.errorf("memory order %v does not apply", in.Order)
	}
	if in.Mem&^allMem != 0 || in.Mem != 0 && in.Op != OpBarrier && in.Op != OpSimdBarrier && in.Op != OpFence {
		v.errorf("memory mask %#x does not apply", uint8(in.Mem))
	}
	var ok Flags
	switch {
	case in.Op == OpMatLoad || in.Op == OpMatStore:
		ok = Transposed
	case in.Op == OpLoad || in.Op == OpStore || in.Op == OpCopy || in.Op == OpClear:
		ok = Volatile
	case info.Has(Approx) || in.Op == OpFDiv || in.Op == OpSqrt:
		ok = Fast
	}
	if in.Flags&^ok != 0 {
		v.errorf("flags %#x do not apply", uint8(in.Flags))
	}
	if in.Target != nil && in.Op != OpBreak && in.Op != OpContinue {
		v.errorf("has a target, which it does not use")
	}
	want := 0
	switch in.Op {
	case OpIf:
		want = 2
	case OpLoop, OpBlock:
		want = 1
	}
	if len(in.Regions) != want {
		v.errorf("has %d regions, want %d", len(in.Regions), want)
	}
	for _, r := range in.Regions {
		if r != nil && in.Op != OpLoop && len(r.Params) > 0 {
			v.errorf("a region of it has parameters")
		}
	}
}

// special checks the rules that a signature cannot express.
func (v *verifier) special(in *Instr) {
	switch in.Op {
	case OpConst:
		v.constant(in)
	case OpIf, OpBlock, OpLoop, OpYield, OpBreak, OpContinue:
		v.control(in)
	case OpArg, OpFConst, OpFConstDefined, OpIn, OpGlobalAddr, OpSharedAddr, OpSamplerConst, OpAlloca:
		v.outside(in)
	case OpTrunc, OpZExt, OpSExt, OpFConv, OpBitcast, OpSelect, OpBuild, OpSplat, OpExtract, OpInsert, OpSwizzle:
		v.lanes(in)
	case OpMatFill, OpMatDiag, OpMatSet:
		v.matrix(in)
	case OpLoad, OpStore, OpCopy, OpClear:
		v.memory(in)
	case OpCommandSet:
		v.index(in, int(numCommandOps), "command operation")
	case OpSimdHold:
		v.hold(in)
	case OpSimdFillUp, OpSimdFillDown, OpQuadFillUp, OpQuadFillDown:
		if holds(in.Args[0]) != holds(in.Args[1]) {
			v.errorf("only one of the operands is in a register of lanes")
		}
	case OpLogMessage:
		v.message(in)
	default:
		info := in.Op.Info()
		switch {
		case in.Op != OpPtrToInt && len(in.Args) > 0 && in.Args[0].Type.Kind == Texture:
			v.texture(in, in.Args[0].Type)
		case info.Has(Atomic):
			v.atomic(in)
		}
	}
}

// same checks that values have the types of their destinations.
func (v *verifier) same(vals, to []*Value, where string) {
	if len(vals) != len(to) {
		v.errorf("has %d operands, want %d for the %s", len(vals), len(to), where)
		return
	}
	for i := range vals {
		if to[i] != nil && vals[i].Type != to[i].Type {
			v.errorf("operand %d has type %v, want %v for the %s", i, vals[i].Type, to[i].Type, where)
		}
	}
}

func (v *verifier) control(in *Instr) {
	switch in.Op {
	case OpLoop:
		if in.Imm < -1 {
			v.errorf("unroll factor %d is below -1", in.Imm)
		}
		if in.Regions[0] != nil {
			v.same(in.Args, in.Regions[0].Params, "parameters of its region")
		}
	case OpYield:
		if len(v.enclosing) == 0 {
			v.errorf("ends the function's body, which must end with return")
			return
		}
		owner := v.enclosing[len(v.enclosing)-1]
		if owner.Op == OpLoop {
			v.errorf("ends a loop's region, which must end with break or continue")
			return
		}
		v.same(in.Args, owner.Results, "results of the "+owner.Op.String()+" around")
	case OpBreak, OpContinue:
		found := false
		for _, a := range v.enclosing {
			found = found || a == in.Target
		}
		switch {
		case in.Target == nil || !found || in.Target.Op == OpIf:
			v.errorf("its target is not an enclosing loop or block")
		case in.Op == OpBreak:
			v.same(in.Args, in.Target.Results, "results of its target")
		case in.Target.Op != OpLoop:
			v.errorf("its target is not a loop")
		case in.Target.Regions[0] != nil: // the verifier is inside that region
			v.same(in.Args, in.Target.Regions[0].Params, "parameters of its target")
		}
	}
}

// index checks Imm against the length of the table it points into.
func (v *verifier) index(in *Instr, n int, what string) bool {
	if in.Imm < 0 || in.Imm >= int64(n) {
		v.errorf("%s %d is not one of %d", what, in.Imm, n)
		return false
	}
	return true
}

func (v *verifier) outside(in *Instr) {
	t := TVoid
	if r := in.Result(); r != nil {
		t = r.Type
	}
	want := t
	switch in.Op {
	case OpArg:
		if !v.index(in, len(v.f.Args), "argument") {
			return
		}
		a := &v.f.Args[in.Imm]
		want = a.ValueType()
		switch {
		case len(in.Args) > 1 || len(in.Args) == 1 && a.Count == 0:
			v.errorf("has %d operands, but the argument is not an array", len(in.Args))
		case len(in.Args) == 1 && in.Args[0].Type != TI32:
			v.errorf("operand 0 has type %v, want i32", in.Args[0].Type)
		}
	case OpFConst:
		if !v.index(in, len(v.f.Constants), "function constant") {
			return
		}
		want, _ = ParseType(v.f.Constants[in.Imm].Type)
	case OpFConstDefined:
		v.index(in, len(v.f.Constants), "function constant")
	case OpIn:
		if !v.index(in, int(numInputs), "input") {
			return
		}
		want = Input(in.Imm).Type()
	case OpGlobalAddr:
		v.index(in, len(v.f.Module.Globals), "global")
	case OpSharedAddr:
		v.index(in, len(v.f.Threadgroup), "threadgroup variable")
	case OpSamplerConst:
		v.index(in, len(v.f.Samplers), "sampler")
	case OpAlloca:
		if in.Imm < 0 || in.Imm > MaxAlloca {
			v.errorf("%d bytes are not 0 to %d", in.Imm, int64(MaxAlloca))
		}
	}
	if t != want {
		v.errorf("result 0 has type %v, want %v", t, want)
	}
}

// MaxAlloca is the maximum number of bytes in one alloca.
const MaxAlloca = 1 << 24

func (v *verifier) lanes(in *Instr) {
	res := in.Results[0].Type
	var arg Type
	if len(in.Args) > 0 {
		arg = in.Args[0].Type
	}
	from, to := arg.Kind.Bits(), res.Kind.Bits()
	bad := false
	switch in.Op {
	case OpTrunc:
		bad = to >= from
	case OpZExt, OpSExt:
		bad = to <= from
	case OpFConv:
		bad = arg.Kind == res.Kind
	case OpBitcast:
		bad = arg.Size() != res.Size()
	case OpSelect:
		if t := in.Args[1].Type; arg.N != 1 && arg.N != t.N {
			v.errorf("condition has %d lanes, want 1 or %d", arg.N, t.N)
		}
	case OpBuild:
		if len(in.Args) != res.Lanes() {
			v.errorf("has %d operands, want %d", len(in.Args), res.N)
			return
		}
		for i, a := range in.Args {
			if a.Type != res.Element() {
				v.errorf("operand %d has type %v, want %v", i, a.Type, res.Element())
			}
		}
	case OpSplat:
		bad = arg.Kind != res.Kind
	case OpExtract, OpInsert:
		v.index(in, arg.Lanes(), "lane")
	case OpSwizzle:
		if in.Args[1].Type.Kind != arg.Kind || res.Kind != arg.Kind {
			v.errorf("operands and result differ in kind: %v, %v, %v", arg, in.Args[1].Type, res)
			return
		}
		places := in.Bits
		if res.N == 1 && len(places) == 0 {
			places = []uint64{uint64(in.Imm)}
		} else if in.Imm != 0 || res.N == 1 || len(places) != res.Lanes() {
			v.errorf("has %d places, want %d", len(in.Bits), res.N)
			return
		}
		for _, p := range places {
			if n := arg.Lanes() + in.Args[1].Type.Lanes(); p >= uint64(n) {
				v.errorf("place %d is not one of %d lanes", p, n)
			}
		}
	}
	if bad {
		v.errorf("does not convert %v to %v", arg, res)
	}
}

func (v *verifier) constant(in *Instr) {
	t := in.Results[0].Type
	lanes := in.Bits
	if t.N == 1 {
		lanes = []uint64{uint64(in.Imm)}
		if len(in.Bits) > 0 {
			v.errorf("a scalar constant has a list of lanes")
		}
	} else if len(lanes) != t.Lanes() || in.Imm != 0 {
		v.errorf("has %d lanes, want %d", len(lanes), t.N)
	}
	if w := t.Kind.Bits(); w < 64 {
		for _, b := range lanes {
			if b>>w != 0 {
				v.errorf("%#x has more bits than %v", b, t.Kind)
			}
		}
	}
}

func (v *verifier) matrix(in *Instr) {
	elem, t := in.Results[0].Type.Elem, in.Args[0].Type
	want := Scalar(elem)
	if in.Op == OpMatSet {
		want = Vector(elem, 2)
	}
	if t != want {
		v.errorf("operand 0 has type %v, want %v", t, want)
	}
}

func (v *verifier) memory(in *Instr) {
	if in.Op == OpLoad || in.Op == OpStore {
		if to, at := in.Alignment(); in.Imm != 0 && (!validAlign(int(to)) || at < 0 || at >= to) {
			v.errorf("alignment %#x is not a power of two up to 4096 and a distance below it", in.Imm)
		}
	}
	switch in.Op {
	case OpLoad:
		if t := in.Results[0].Type; t.Size() == 0 {
			v.errorf("type %v is never in memory", t)
		}
	case OpStore:
		if t := in.Args[1].Type; t.Size() == 0 {
			v.errorf("type %v is never in memory", t)
		}
	case OpCopy, OpClear:
		if in.Imm < 0 || in.Imm > 1<<32 {
			v.errorf("%d bytes are not 0 to 2^32", in.Imm)
		}
	}
}

func (v *verifier) atomic(in *Instr) {
	var t Type
	if in.Op == OpAtomicLoad {
		t = in.Results[0].Type
	} else {
		t = in.Args[1].Type
	}
	if t.Kind == F16 || t.Kind == BF16 {
		v.errorf("there are no atomics of type %v", t)
	}
	switch s := in.Args[0].Type.Space; {
	case s == Thread:
		v.errorf("an atomic in the thread space")
	case in.Op == OpAtomicLoad && in.Order != Relaxed && in.Order != Acquire && in.Order != SeqCst,
		in.Op == OpAtomicStore && in.Order != Relaxed && in.Order != Release && in.Order != SeqCst:
		v.errorf("memory order %v does not apply", in.Order)
	}
}

func (v *verifier) texture(in *Instr, t Type) {
	reads, writes := t.Access != Write, t.Access == Write || t.Access == ReadWrite
	switch in.Op {
	case OpTexRead:
		if !reads {
			v.errorf("reads a texture of type %v", t)
		}
		if v.index(in, 2, "kind of read") && in.Imm == TexReadAtomic && t.Access != ReadWrite {
			v.errorf("an atomic on a texture of type %v", t)
		}
	case OpTexWrite:
		if !writes {
			v.errorf("writes a texture of type %v", t)
		}
	case OpTexSample, OpTexSampleGrad, OpTexGather, OpTexCompare, OpTexGatherCompare, OpTexLOD:
		if t.Access != Sample {
			v.errorf("samples a texture of type %v", t)
		}
		if (in.Op == OpTexCompare || in.Op == OpTexGatherCompare) && (!t.Dim.IsDepth() || t.Elem != F32) {
			v.errorf("compares depths in a texture of type %v", t)
		}
		if in.Op == OpTexGather {
			v.index(in, 4, "component")
		}
	case OpTexQuery:
		v.index(in, int(numTexProperties), "property")
	case OpTexAtomic, OpTexAtomicCmpXchg:
		if t.Access != ReadWrite || t.Elem != I32 && t.Elem != I64 {
			v.errorf("an atomic on a texture of type %v", t)
		}
		if in.Op == OpTexAtomic {
			switch Op(in.Imm) {
			case OpAtomicXchg, OpAtomicAdd, OpAtomicSub, OpAtomicSMin, OpAtomicUMin, OpAtomicSMax, OpAtomicUMax, OpAtomicAnd,
				OpAtomicOr, OpAtomicXor:
			default:
				v.errorf("operation %d is not a texel atomic", in.Imm)
			}
		}
	}
}

// holds reports whether a register of lanes holds a value.
func holds(v *Value) bool { return v.Def != nil && v.Def.Op == OpSimdHold }

// hold checks that a register of lanes holds values of one type.
func (v *verifier) hold(in *Instr) {
	if !v.index(in, MaxHeld, "register") || len(in.Results) != 1 {
		return
	}
	if v.held == nil {
		v.held = map[int64]Type{}
		if v.f.HasGridBarrier() {
			v.errorf("the function has a grid barrier")
		}
	}
	t, ok := v.held[in.Imm]
	if now := in.Results[0].Type; ok && t != now {
		v.errorf("register %d holds %v, not %v", in.Imm, t, now)
	}
	v.held[in.Imm] = in.Results[0].Type
}
