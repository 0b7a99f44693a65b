package lower

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// constVal creates a constant.
func (l *lowerer) constVal(v types.Value) val {
	t := v.Type
	if f, ok := v.Ref.(*typed.Func); ok {
		return val{typ: t, fn: f}
	}
	switch s := l.shape(t); s.class {
	case tree:
		out := val{typ: t, parts: make([]val, len(s.parts))}
		for i, p := range s.parts {
			if i < len(v.Elems) && v.Elems[i].IsValid() {
				out.parts[i] = l.constVal(v.Elems[i])
			} else {
				out.parts[i] = l.zero(p.typ)
			}
		}
		return out
	case inMemory:
		return val{typ: t, addr: l.globalAddr("", v)}
	case noValue:
		return val{typ: t}
	}
	it := l.leafType(t)
	switch {
	case v.Ref != nil:
		if text, ok := v.Ref.(string); ok {
			return leafVal(t, l.stringAddr(text))
		}
		g, offset := consteval.Address(v)
		if g == nil || g.Space != types.Constant {
			l.unsupported(l.at, "a constant address of this kind")
		}
		return leafVal(t, l.b.Field(l.globalOf(g), offset))
	case it.Kind == ir.Pointer || it.Kind == ir.Texture || it.Kind == ir.Sampler:
		return leafVal(t, l.zeroLeaf(it))
	case len(v.Elems) > 0:
		lanes := make([]uint64, len(v.Elems))
		for i, e := range v.Elems {
			lanes[i] = e.Bits()
		}
		return leafVal(t, l.b.Const(it, lanes...))
	}
	return leafVal(t, l.b.Const(it, v.Bits()))
}

// encode writes a constant in its memory representation.
func (l *lowerer) encode(out []byte, v types.Value) {
	if !v.IsValid() {
		return
	}
	switch t := v.Type.(type) {
	case *types.Array:
		n := t.Elem.Size()
		for i, e := range v.Elems {
			l.encode(out[i*n:], e)
		}
	case *types.Vector:
		for i, e := range v.Elems {
			l.encode(out[i*t.Elem.Size():], e)
		}
	case *types.Packed:
		for i, e := range v.Elems {
			l.encode(out[i*t.Elem.Size():], e)
		}
	case *types.Matrix:
		for i, e := range v.Elems {
			l.encode(out[i*t.Column().Size():], e)
		}
	case *types.Struct:
		for i, e := range v.Elems {
			if i >= len(t.Fields) {
				break
			}
			if f := &t.Fields[i]; f.IsBits {
				encodeBits(out[f.Offset:], f, e)
				continue
			}
			l.encode(out[t.Fields[i].Offset:], e)
		}
	default:
		if v.Ref != nil {
			l.unsupported(l.at, "addresses in constant data")
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v.Bits())
		copy(out[:v.Type.Size()], b[:])
	}
}

// encodeBits writes a constant bit field into its unit.
func encodeBits(out []byte, f *types.Field, v types.Value) {
	if !v.IsValid() {
		return
	}
	for i := range f.Bits {
		if v.Bits()>>i&1 != 0 {
			at := f.BitOffset + i
			out[at/8] |= 1 << (at % 8)
		}
	}
}

// stringAddr returns the address of a zero-terminated string literal.
func (l *lowerer) stringAddr(text string) *ir.Value {
	i, ok := l.strings[text]
	if !ok {
		i = len(l.out.Globals)
		l.out.Globals = append(l.out.Globals, &ir.Global{Align: 1, Data: append([]byte(text), 0)})
		l.strings[text] = i
	}
	return l.b.OpImm(ir.OpGlobalAddr, ir.TVoid, int64(i))
}

// maxConstant is the maximum size in bytes of a constant in memory.
const maxConstant = 16 << 20

func (l *lowerer) globalAddr(name string, v types.Value) *ir.Value {
	if v.Type.Size() > maxConstant {
		l.unsupported(l.at, "constants of %d bytes", v.Type.Size())
	}
	g := &ir.Global{Name: name, Align: v.Type.Align(), Data: make([]byte, v.Type.Size())}
	l.encode(g.Data, v)
	l.out.Globals = append(l.out.Globals, g)
	return l.b.OpImm(ir.OpGlobalAddr, ir.TVoid, int64(len(l.out.Globals)-1))
}

// globalOf returns the address of a program constant.
func (l *lowerer) globalOf(v *typed.Var) *ir.Value {
	if i, ok := l.globals[v]; ok {
		return l.b.OpImm(ir.OpGlobalAddr, ir.TVoid, int64(i))
	}
	val := v.Value
	if c, ok := v.Init.(*typed.Const); ok && !val.IsValid() {
		val = c.Value
	}
	if _, zero := v.Init.(*typed.Zero); !val.IsValid() && (zero || v.Init == nil) {
		val = types.Aggregate(v.Type, nil)
	}
	if !val.IsValid() {
		l.unsupported(v.Pos, "the initializer of '%s'", v.Name)
	}
	addr := l.globalAddr(v.Name, val)
	l.globals[v] = len(l.out.Globals) - 1
	return addr
}

// constant returns the index of a function constant in the entry point's list.
func (l *lowerer) constant(v *typed.Var) int {
	if i, ok := l.consts[v]; ok {
		return i
	}
	t := l.leafType(v.Type)
	i := len(l.f.Constants)
	l.f.Constants = append(l.f.Constants, ir.FunctionConstant{Name: v.Name, Index: v.Index, Type: t.String(),
		Data: DataType(v.Type)})
	l.consts[v] = i
	return i
}

// sharedAddr returns the address of a threadgroup variable.
func (l *lowerer) sharedAddr(v *typed.Var) *ir.Value {
	i, ok := l.shared[v]
	if !ok {
		i = len(l.f.Threadgroup)
		l.f.Threadgroup = append(l.f.Threadgroup, ir.Memory{Name: v.Name, Size: v.Type.Size(), Align: v.Type.Align()})
		l.shared[v] = i
	}
	return l.b.OpImm(ir.OpSharedAddr, ir.TVoid, int64(i))
}

// samplersOf reports whether a type is an array of samplers, built-in or metal::array. Samplers are
// handles supplied by the device, so the array cannot be constant data.
func samplersOf(t types.Type) bool {
	if s, ok := t.(*types.Struct); ok && s.Template == "metal::array" {
		t = s.Fields[0].Type.Type
	}
	a, ok := t.(*types.Array)
	return ok && a.Elem == types.Sampler
}

// varPlace returns the place of a variable.
func (l *lowerer) varPlace(v *typed.Var) place {
	if x := l.fr.vars.of(v); x != nil {
		if x.addr != nil {
			return place{typ: v.Type, addr: x.addr, volatile: v.Volatile}
		}
		return place{typ: v.Type, v: x, arg: x.val.arg}
	}
	if v.Kind == typed.Param { // an argument of the kernel that stands for a program scope variable
		if x := l.hostVars[v]; x != nil {
			return place{typ: v.Type, v: x, arg: x.val.arg}
		}
	}
	temp := func(x val) place { return place{typ: v.Type, v: &variable{typ: v.Type, val: x}} }
	switch v.Kind {
	case typed.FunctionConstant:
		i := l.constant(v)
		return temp(leafVal(v.Type, l.b.OpImm(ir.OpFConst, l.leafType(v.Type), int64(i))))
	case typed.ThreadgroupLocal:
		return place{typ: v.Type, addr: l.sharedAddr(v)}
	case typed.Global, typed.StaticLocal, typed.SpecConstant, typed.Local:
		switch {
		case v.Space == types.Threadgroup:
			return place{typ: v.Type, addr: l.sharedAddr(v)}
		case l.shape(v.Type).class == inMemory:
			return place{typ: v.Type, addr: l.constantAddr(v)}
		case v.Value.IsValid():
			return temp(l.constVal(v.Value))
		case v.Init != nil:
			return temp(l.expr(v.Init))
		}
	}
	l.unsupported(l.at, "the use of '%s' here", v.Name)
	return place{}
}
