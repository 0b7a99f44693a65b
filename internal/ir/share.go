package ir

// constKey identifies a constant.
type constKey struct {
	t    Type
	bits [4]uint64
}

// ShareConstants makes the builder keep one instruction per constant, which Finish puts at the
// start of the function, and fold conversions and sums of integer constants. For a front end that
// emits constants wherever it needs them, this saves a fifth of the instructions.
func (b *Builder) ShareConstants() { b.consts = make(map[constKey]*Value) }

// Finish inserts the shared constants into the function. Nothing may be built afterwards.
func (b *Builder) Finish() {
	if n := len(b.shared); n > 0 {
		b.Func.Body.Instrs = append(b.shared[:n:n], b.Func.Body.Instrs...)
	}
	b.shared, b.consts = nil, nil
}

// sharedConst returns the shared constant with these lanes.
func (b *Builder) sharedConst(t Type, mask uint64, lanes []uint64) *Value {
	key := constKey{t: t}
	for i := range max(int(t.N), 1) {
		key.bits[i] = lanes[min(i, len(lanes)-1)] & mask
	}
	v := b.consts[key]
	if v == nil {
		in := b.Func.slab.instr()
		in.Op, in.Loc, in.Parent = OpConst, b.loc, b.Func.Body
		v = b.Func.AddResult(in, t)
		if t.N <= 1 {
			in.Imm = int64(key.bits[0])
		} else {
			in.Bits = append([]uint64(nil), key.bits[:t.N]...)
		}
		b.shared = append(b.shared, in)
		b.consts[key] = v
	}
	return v
}

// intConst returns the sign-extended value of a single-lane integer constant.
func intConst(v *Value) (int64, bool) {
	if v.Def == nil || v.Def.Op != OpConst || !v.Type.Kind.IsInt() || v.Type.N != 1 {
		return 0, false
	}
	shift := 64 - v.Type.Kind.Bits()
	return v.Def.Imm << shift >> shift, true
}

// fold returns the constant result of an operation on constants, or nil.
func (b *Builder) fold(op Op, t Type, args []*Value) *Value {
	if b.consts == nil || len(args) == 0 || len(args) > 2 {
		return nil
	}
	x, ok := intConst(args[0])
	if !ok {
		return nil
	}
	switch op {
	case OpSExt, OpTrunc:
		return b.Int(t, x)
	case OpZExt:
		return b.Int(t, args[0].Def.Imm)
	case OpAdd, OpSub, OpMul:
		y, ok := intConst(args[1])
		if !ok {
			return nil
		}
		switch op {
		case OpAdd:
			x += y
		case OpSub:
			x -= y
		default:
			x *= y
		}
		return b.Int(args[0].Type, x)
	}
	return nil
}
