package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Limits of the reflection of one argument. Without them, the description of structs that point to
// each other would grow with every path.
const (
	maxLayoutDepth   = 8    // nesting of structs and pointers
	maxLayoutMembers = 4096 // members in total
)

// layouter describes the memory of one argument.
type layouter struct {
	left  int             // members that may still be added
	steps int             // structs that may still be visited
	open  []*types.Struct // structs being described, outermost first
}

func newLayouter() *layouter { return &layouter{left: maxLayoutMembers, steps: maxLayoutMembers} }

// pointee describes what a pointer points to.
func (y *layouter) pointee(a *ir.Arg, elem types.Type) {
	a.Type, a.Data = elem.String(), DataType(elem)
	if elem != types.Type(types.Void) {
		a.Size, a.Align = elem.Size(), elem.Align()
	}
	a.Struct, a.Array = y.record(elem), y.array(elem)
	for arrayElem(elem) != nil {
		elem = arrayElem(elem)
	}
	s, ok := elem.(*types.Struct)
	a.ArgumentBuffer = ok && s.IsArgumentBuffer()
}

// pointer describes a pointer in memory.
func (y *layouter) pointer(t types.Type) *ir.Arg {
	p, ok := t.(*types.Pointer)
	if !ok {
		return nil
	}
	q := p.Elem
	a := &ir.Arg{Kind: ir.ArgBuffer, Space: q.Space.String(), Access: ir.ReadWrite.String()}
	if q.Const || q.Space == types.Constant {
		a.Access = ir.Read.String()
	}
	y.pointee(a, q.Type)
	return a
}

func textureRef(t types.Type) *ir.TextureRef {
	x, ok := t.(*types.Texture)
	if !ok {
		return nil
	}
	return &ir.TextureRef{Dim: textureDims[x.Kind], Data: DataType(x.Elem), Access: textureAccess[x.Access].String()}
}

// record describes a struct. It returns nil for other types, for a recursive struct, and beyond the
// limits.
func (y *layouter) record(t types.Type) *ir.Struct {
	s, ok := t.(*types.Struct)
	if !ok || s.Template == "metal::array" || len(y.open) > maxLayoutDepth || slices.Contains(y.open, s) {
		return nil
	}
	y.open = append(y.open, s)
	out := &ir.Struct{Name: s.Name, Size: s.Size(), Align: s.Align()}
	y.members(out, s, 0, 0)
	y.open = y.open[:len(y.open)-1]
	return out
}

// members appends the members of s, which is at byte offset and argument index index in the
// described struct.
func (y *layouter) members(out *ir.Struct, s *types.Struct, offset, index int) {
	if y.steps--; y.steps < 0 { // memberless bases reached along ever more paths
		return
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		t := f.Type.Type
		at, id := offset+f.Offset, index+s.ArgumentID(i)
		if inner, ok := t.(*types.Struct); ok && (f.Base || f.Name == "" && !f.IsBits) {
			y.members(out, inner, at, id)
			continue
		}
		if f.Name == "" {
			continue
		}
		if y.left--; y.left < 0 {
			return
		}
		out.Members = append(out.Members,
			ir.Member{Name: f.Name, Offset: at, Type: t.String(), Data: DataType(t), Size: t.Size(),
				Align: max(t.Align(), f.Align), Array: y.array(t), Struct: y.record(t), Pointer: y.pointer(t),
				Texture: textureRef(t), Index: id})
	}
}

// array describes an array or metal::array; it returns nil for other types.
func (y *layouter) array(t types.Type) *ir.Array {
	e := arrayElem(t)
	if e == nil {
		return nil
	}
	n := 0
	if e.Size() > 0 {
		n = t.Size() / e.Size()
	}
	return &ir.Array{Len: n, Stride: e.Size(), Type: e.String(), Data: DataType(e), Array: y.array(e), Struct: y.record(e),
		Pointer: y.pointer(e), Texture: textureRef(e), IndexStride: types.ArgumentIDs(e)}
}
