package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// val is a value: depending on its type's shape, an SSA value, the values of its parts, or the
// address of memory that is no longer written.
type val struct {
	typ   types.Type
	v     *ir.Value
	parts []val
	addr  *ir.Value
	arg   int         // of an array of textures or samplers, or a pointer to one: 1 + index of the argument
	fn    *typed.Func // of a known function pointer
}

// variable is a variable of a frame, kept as values or in memory.
type variable struct {
	of   *typed.Var
	typ  types.Type
	val  val
	addr *ir.Value // nil if kept as values
	// readOnly is set for the value of a choice between objects that have no address.
	readOnly bool
}

// place is an object, or a part of one.
type place struct {
	typ      types.Type
	v        *variable // an object kept as values
	path     []int     // path from the variable to the part
	addr     *ir.Value // an object in memory
	lanes    []uint8   // lanes of the vector, of type base
	lane     *ir.Value // the lane of the vector, of type base
	base     types.Type
	matrix   types.Type // set if the vector is this lane's elements of a matrix of this type
	volatile bool
	aligned  aligned      // of addr, if it is a part of an object that a pointer leads to
	arg      int          // an array of textures or samplers or, with index, one of them: 1 + index of the argument
	index    *ir.Value    // the element
	bits     *types.Field // a bit field: addr is that of its unit
}

func leafVal(t types.Type, v *ir.Value) val { return val{typ: t, v: v} }

// flatten appends the SSA values of v.
func flatten(list []*ir.Value, v *val) []*ir.Value {
	switch {
	case v.parts != nil:
		for i := range v.parts {
			list = flatten(list, &v.parts[i])
		}
	case v.v != nil:
		list = append(list, v.v)
	case v.addr != nil:
		list = append(list, v.addr)
	}
	return list
}

// rebuild returns a value with v's shape from SSA values, and the remaining values.
func rebuild(v *val, from []*ir.Value) (val, []*ir.Value) {
	out := val{typ: v.typ, arg: v.arg, fn: v.fn}
	switch {
	case v.parts != nil:
		out.parts = make([]val, len(v.parts))
		for i := range v.parts {
			out.parts[i], from = rebuild(&v.parts[i], from)
		}
	case v.v != nil:
		out.v, from = from[0], from[1:]
	case v.addr != nil:
		out.addr, from = from[0], from[1:]
	}
	return out, from
}

// zero returns a zero value.
func (l *lowerer) zero(t types.Type) val {
	s := l.shape(t)
	switch s.class {
	case leaf:
		return leafVal(t, l.zeroLeaf(l.leafType(t)))
	case tree:
		v := val{typ: t, parts: make([]val, len(s.parts))}
		for i, p := range s.parts {
			v.parts[i] = l.zero(p.typ)
		}
		return v
	case inMemory:
		addr := l.alloca(t, "")
		l.clear(addr, t)
		return val{typ: t, addr: addr}
	}
	return val{typ: t}
}

func (l *lowerer) zeroLeaf(t ir.Type) *ir.Value {
	switch t.Kind {
	case ir.Pointer:
		return l.b.OpAs(ir.OpIntToPtr, t, l.b.Int(ir.TI64, 0))
	case ir.Matrix:
		return l.b.OpAs(ir.OpMatFill, t, l.b.Const(ir.Scalar(t.Elem), 0))
	case ir.Texture, ir.Sampler: // a handle that was never set
		return l.b.Load(t, l.b.Alloca(8, ""))
	}
	return l.b.Const(t, 0)
}

func (l *lowerer) alloca(t types.Type, name string) *ir.Value {
	size := int64(t.Size())
	if size > ir.MaxAlloca {
		l.unsupported(l.at, "a variable of %d bytes", size)
	}
	return l.b.Alloca(max(size, 1), name)
}

func (l *lowerer) clear(addr *ir.Value, t types.Type) {
	if t.Size() > 0 {
		l.b.OpImm(ir.OpClear, ir.TVoid, int64(t.Size()), addr)
	}
}

// aligned says that an address minus at is a multiple of to.
type aligned struct{ to, at int64 }

// within returns the alignment of what is a number of bytes behind an address.
func (a aligned) within(n int) aligned { return aligned{a.to, a.at + int64(n)} }

func alignedAs(t types.Type) aligned { return aligned{int64(t.Align()), 0} }

// loadAt reads an object from memory.
func (l *lowerer) loadAt(addr *ir.Value, t types.Type, volatile bool) val {
	return l.loadPart(addr, t, volatile, alignedAs(t))
}

// loadPart is loadAt for a part of an object with an alignment.
func (l *lowerer) loadPart(addr *ir.Value, t types.Type, volatile bool, a aligned) val {
	l.count()
	s := l.shape(t)
	switch s.class {
	case leaf:
		return leafVal(t, l.loadLeaf(addr, l.leafType(t), volatile, a))
	case tree:
		v := val{typ: t, parts: make([]val, len(s.parts))}
		for i, p := range s.parts {
			v.parts[i] = l.loadPart(l.b.Field(addr, p.offset), p.typ, volatile, a.within(int(p.offset)))
		}
		return v
	case inMemory:
		tmp := l.alloca(t, "")
		l.b.OpImm(ir.OpCopy, ir.TVoid, int64(t.Size()), tmp, addr)
		return val{typ: t, addr: tmp}
	}
	return val{typ: t}
}

func (l *lowerer) loadLeaf(addr *ir.Value, t ir.Type, volatile bool, a aligned) *ir.Value {
	mt := memoryType(t)
	in := l.b.Emit(ir.OpLoad, []ir.Type{mt}, addr)
	l.align(in, a)
	if volatile {
		in.Flags |= ir.Volatile
	} else {
		in.Flags = 0
	}
	if mt != t {
		return l.b.OpAs(ir.OpMatSet, t, in.Results[0])
	}
	return in.Results[0]
}

// align records the alignment of a load or store for sanitizers.
func (l *lowerer) align(in *ir.Instr, a aligned) {
	if l.opts.KeepUninitialized {
		in.Imm = ir.Aligned(a.to, a.at)
	}
}

// storeAt writes an object to memory.
func (l *lowerer) storeAt(addr *ir.Value, v val, volatile bool) {
	l.storePart(addr, v, volatile, alignedAs(v.typ))
}

// storePart is storeAt for a part of an object with an alignment.
func (l *lowerer) storePart(addr *ir.Value, v val, volatile bool, a aligned) {
	l.count()
	s := l.shape(v.typ)
	switch s.class {
	case leaf:
		x := v.v
		if x.Type.Kind == ir.Pointer && len(l.spec) > 0 && x.Type != l.leafType(v.typ) {
			l.mixedSpec()
		}
		if x.Type.Kind == ir.Matrix {
			x = l.b.Op(ir.OpMatGet, x)
		}
		in := l.b.Emit(ir.OpStore, nil, addr, x)
		l.align(in, a)
		in.Flags = 0
		if volatile {
			in.Flags = ir.Volatile
		}
	case tree:
		for i, p := range s.parts {
			l.storePart(l.b.Field(addr, p.offset), v.parts[i], volatile, a.within(int(p.offset)))
		}
	case inMemory:
		l.b.OpImm(ir.OpCopy, ir.TVoid, int64(v.typ.Size()), addr, v.addr)
	}
}

// load reads a place.
func (l *lowerer) load(p place) val {
	switch {
	case p.index != nil:
		return leafVal(p.typ, l.b.OpImm(ir.OpArg, l.leafType(p.typ), int64(p.arg-1), p.index))
	case p.bits != nil:
		return l.loadBits(p)
	case p.lanes != nil:
		whole := l.load(p.whole())
		return leafVal(p.typ, l.b.Swizzle(whole.v, whole.v, ints(p.lanes)...))
	case p.lane != nil:
		return leafVal(p.typ, l.b.Op(ir.OpExtractDyn, l.load(p.whole()).v, p.lane))
	case p.matrix != nil:
		return leafVal(p.typ, l.b.Op(ir.OpMatGet, l.load(p.held()).v))
	case p.v != nil:
		v := p.v.val
		if v.arg != 0 {
			return v
		}
		for _, i := range p.path {
			v = v.parts[i]
		}
		return v
	case p.arg != 0:
		return val{typ: p.typ, arg: p.arg}
	}
	return l.loadPart(p.addr, p.typ, p.volatile, p.alignment(p.typ))
}

// alignment returns the alignment of the address of an object of a type.
func (p place) alignment(t types.Type) aligned {
	if a := alignedAs(t); p.aligned.to < a.to {
		return a
	}
	return p.aligned
}

// whole returns the vector whose lanes a place denotes.
func (p place) whole() place {
	p.typ, p.lanes, p.lane, p.base = p.base, nil, nil, nil
	return p
}

// held returns the matrix whose elements, those of this lane, a place denotes.
func (p place) held() place {
	p.typ, p.matrix = p.matrix, nil
	return p
}

// store writes v to a place.
func (l *lowerer) store(p place, v val) {
	switch {
	case p.bits != nil:
		l.storeBits(p, v)
	case p.lanes != nil && p.addr != nil:
		elem := types.ElemOf(p.base)
		for i, lane := range p.lanes {
			at := int(lane) * elem.Size()
			l.storePart(l.b.Field(p.addr, int64(at)), leafVal(elem, l.b.Extract(v.v, i)), p.volatile,
				p.alignment(p.base).within(at))
		}
	case p.lanes != nil:
		whole := l.load(p.whole())
		x := whole.v
		for i, lane := range p.lanes {
			x = l.b.OpImm(ir.OpInsert, ir.TVoid, int64(lane), x, l.b.Extract(v.v, i))
		}
		l.store(p.whole(), leafVal(p.base, x))
	case p.lane != nil:
		whole := l.load(p.whole())
		l.store(p.whole(), leafVal(p.base, l.b.Op(ir.OpInsertDyn, whole.v, v.v, p.lane)))
	case p.matrix != nil:
		l.store(p.held(), leafVal(p.matrix, l.b.OpAs(ir.OpMatSet, l.leafType(p.matrix), v.v)))
	case p.v != nil:
		if p.v.readOnly {
			l.unsupported(l.at, "an assignment to a choice between objects of this kind")
		}
		replace(&p.v.val, p.path, v)
	case p.addr != nil:
		l.storePart(p.addr, v, p.volatile, p.alignment(p.typ))
	default:
		l.unsupported(l.at, "a store to '%s'", p.typ)
	}
}

// replace replaces a part of v by x. Parts are copied, since values share them.
func replace(v *val, path []int, x val) {
	if len(path) == 0 {
		*v = x
		return
	}
	v.parts = append([]val(nil), v.parts...)
	replace(&v.parts[path[0]], path[1:], x)
}

func ints(lanes []uint8) []int {
	out := make([]int, len(lanes))
	for i, n := range lanes {
		out[i] = int(n)
	}
	return out
}

// bitUnit returns the type of a bit-field and its width and shift in its unit.
func (l *lowerer) bitUnit(p place) (b *types.Basic, width, shift int64) {
	b = types.ScalarOf(p.typ)
	return b, int64(p.bits.Bits), int64(p.bits.BitOffset)
}

func (l *lowerer) loadBits(p place) val {
	b, width, shift := l.bitUnit(p)
	q := p
	q.bits = nil
	if b == types.Bool { // its unit is a byte shared with other fields
		q.typ = types.UChar
		bit := l.b.Op(ir.OpUExtract, l.load(q).v, l.b.Int(ir.TI32, shift), l.b.Int(ir.TI32, width))
		return leafVal(p.typ, l.convKind(bit, types.UChar, types.Bool))
	}
	unit := l.load(q).v
	op := ir.OpUExtract
	if b.IsSigned() {
		op = ir.OpSExtract
	}
	return leafVal(p.typ, l.b.Op(op, unit, l.b.Int(ir.TI32, shift), l.b.Int(ir.TI32, width)))
}

func (l *lowerer) storeBits(p place, v val) {
	b, width, shift := l.bitUnit(p)
	q := p
	q.bits = nil
	if b == types.Bool {
		q.typ, v.v = types.UChar, l.convKind(v.v, types.Bool, types.UChar)
	}
	unit := l.load(q).v
	l.store(q, leafVal(q.typ, l.b.Op(ir.OpBitInsert, unit, v.v, l.b.Int(ir.TI32, shift), l.b.Int(ir.TI32, width))))
}

// materialize returns the address of memory that holds v.
func (l *lowerer) materialize(v val, name string) *ir.Value {
	if v.addr != nil {
		return v.addr
	}
	addr := l.alloca(v.typ, name)
	l.storeAt(addr, v, false)
	return addr
}

// declare adds a variable to the frame, without a value.
func (l *lowerer) declare(v *typed.Var) *variable {
	x := &variable{typ: v.Type}
	l.fr.vars.set(v, x)
	if l.fr.facts.escapes[v] || l.shape(v.Type).class == inMemory {
		x.addr = l.alloca(v.Type, v.Name)
	}
	return x
}

// bind adds a variable to the frame with a value.
func (l *lowerer) bind(v *typed.Var, x val) {
	if x.arg != 0 || x.fn != nil {
		l.fr.vars.set(v, &variable{typ: v.Type, val: x})
		return
	}
	d := l.declare(v)
	if d.addr != nil {
		l.storeAt(d.addr, x, false)
	} else {
		d.val = x
	}
}
