package lower

import (
	"cmp"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// argument defines an argument of the entry point.
func (l *lowerer) argument(a *typed.Arg) {
	l.setLoc(a.Var.Pos)
	switch a.Kind {
	case typed.ArgBuiltin:
		l.bind(a.Var, l.input(a))
		return
	case typed.ArgStageIn:
		l.unsupported(a.Var.Pos, "arguments of kind [[%s]]", a.Kind)
	}
	i := len(l.f.Args)
	arg := ir.Arg{Index: a.Index, Name: cmp.Or(a.Name, a.Var.Name), Reference: a.ByRef}
	if a.Condition != nil {
		l.condition(&arg, a.Condition)
	}
	elem := a.Elem
	if elem == nil {
		elem = a.Var.Type
	}
	switch a.Kind {
	case typed.ArgBuffer, typed.ArgThreadgroup:
		arg.Kind = ir.ArgThreadgroup
		if a.Kind == typed.ArgBuffer {
			arg.Kind = ir.ArgBuffer
			switch space := pointeeOf(a.Var.Type).Space; space {
			case types.Device, types.Constant:
				arg.Space = space.String()
			default:
				l.unsupported(a.Var.Pos, "a buffer of type '%s'", a.Var.Type)
			}
			arg.Access = "read_write"
			if a.ReadOnly || arg.Space == "constant" {
				arg.Access = "read"
			}
		}
		newLayouter().pointee(&arg, elem)
	case typed.ArgVisibleFunctionTable:
		arg.Kind, arg.Type, arg.Data, arg.Access, arg.Size, arg.Align = ir.ArgFunctionTable, elem.String(), DataType(elem),
			ir.Read.String(), 8, 8
	case typed.ArgTexture, typed.ArgSampler:
		one := elem
		if e := arrayElem(elem); e != nil {
			one = e
			arg.Count = max(a.Count, 1)
		}
		arg.Kind, arg.Data = ir.ArgSampler, ir.DataSampler
		if t, ok := one.(*types.Texture); ok {
			arg.Kind = ir.ArgTexture
			arg.TextureInfo = textureRef(t)
			arg.Texture, arg.Type, arg.Access = l.textureType(t).String(), t.String(), arg.TextureInfo.Access
			arg.Data = ir.DataTexture
		}
	}
	l.f.Args = append(l.f.Args, arg)
	if arg.Count > 0 {
		l.fr.vars.set(a.Var, &variable{typ: a.Var.Type, val: val{typ: a.Var.Type, arg: i + 1}})
		return
	}
	l.bind(a.Var, leafVal(a.Var.Type, l.b.Arg(i, arg.ValueType())))
}

// arrayElem returns the element type of an array or metal::array, or nil.
func arrayElem(t types.Type) types.Type {
	if s, ok := t.(*types.Struct); ok && s.Template == "metal::array" && len(s.Fields) == 1 {
		t = s.Fields[0].Type.Type
	}
	if a, ok := t.(*types.Array); ok {
		return a.Elem
	}
	return nil
}

// input reads a thread's position in the launch, as the argument's type.
func (l *lowerer) input(a *typed.Arg) val {
	in, ok := ir.InputByName(a.Builtin)
	if !ok {
		l.unsupported(a.Var.Pos, "arguments with [[%s]]", a.Builtin)
	}
	v := l.b.Input(in)
	t := l.leafType(a.Var.Type)
	if n := t.Lanes(); n == 1 {
		v = l.b.Extract(v, 0)
	} else if n < v.Type.Lanes() {
		lanes := []int{0, 1, 2}
		v = l.b.Swizzle(v, v, lanes[:n]...)
	}
	return leafVal(a.Var.Type, l.convKind(v, types.UInt, types.ElemOf(a.Var.Type)))
}

// finish records what the body used.
func (l *lowerer) finish() {
	l.b.Finish()
	l.checkSpecPointers()
	total := 0
	for _, m := range l.f.Threadgroup {
		a := max(m.Align, 1)
		total = (total+a-1)/a*a + m.Size
	}
	l.f.Attributes.ThreadgroupStatic = total
	l.f.DropUnused() // library arguments that only select a variant, such as a memory order, and folded values
	l.f.HoldLanes()
	for i, active := range l.f.ActiveArgs() {
		l.f.Args[i].Active = active
	}
	for v, i := range l.consts {
		l.f.Constants[i].Required = !l.checked[v]
	}
}
