package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// class says how values of a type are represented.
type class uint8

const (
	noValue  class = iota // void
	leaf                  // one SSA value
	tree                  // the values of its parts
	inMemory              // the address of a copy in memory
)

// maxLeaves is how many SSA values a value may consist of; larger ones are kept in memory.
const maxLeaves = 32

// maxNodes limits the structs and members of a value: empty structs may occur in any number without
// a single leaf.
const maxNodes = 8 * maxLeaves

// part is a component of a tree: a field or a column.
type part struct {
	typ    types.Type
	offset int64
}

// shape is how values of a type are represented.
type shape struct {
	class  class
	leaves int
	nodes  int // of a tree: the total number of nodes
	parts  []part
}

func (m *module) shape(t types.Type) shape {
	if s, ok := m.shapes[t]; ok {
		return s
	}
	s := m.shapeOf(t)
	m.shapes[t] = s
	return s
}

func (m *module) shapeOf(t types.Type) shape {
	switch t := t.(type) {
	case *types.Basic:
		if t == types.Void {
			return shape{}
		}
	case *types.Matrix:
		col := t.Column()
		s := shape{class: tree, leaves: t.Cols}
		for i := range t.Cols {
			s.parts = append(s.parts, part{col, int64(i * col.Size())})
		}
		return s
	case *types.Struct:
		s := shape{class: tree, nodes: 1}
		if t.IsUnion() {
			return shape{class: inMemory}
		}
		for i := range t.Fields {
			f := &t.Fields[i]
			sub := m.shape(f.Type.Type)
			s.leaves += sub.leaves
			s.nodes += max(sub.nodes, 1)
			if f.IsBits || sub.class == inMemory || s.leaves > maxLeaves || s.nodes > maxNodes {
				return shape{class: inMemory}
			}
			s.parts = append(s.parts, part{f.Type.Type, int64(f.Offset)})
		}
		return s
	case *types.Array:
		return shape{class: inMemory}
	}
	return shape{class: leaf, leaves: 1}
}

var kinds = [...]ir.Kind{types.BoolKind: ir.I1, types.CharKind: ir.I8, types.UCharKind: ir.I8, types.ShortKind: ir.I16,
	types.UShortKind: ir.I16,
	types.IntKind:    ir.I32, types.UIntKind: ir.I32, types.LongKind: ir.I64, types.ULongKind: ir.I64,
	types.HalfKind:   ir.F16,
	types.BFloatKind: ir.BF16, types.FloatKind: ir.F32, types.NullptrKind: ir.I64}

func kindOf(b *types.Basic) ir.Kind { return kinds[b.Kind()] }

// spaceOf returns the IR space of an address space.
func spaceOf(s types.AddrSpace) ir.Space {
	switch s {
	case types.Device:
		return ir.Device
	case types.Constant:
		return ir.Constant
	case types.Threadgroup:
		return ir.Threadgroup
	case types.None, types.Thread:
		return ir.Thread
	}
	return ir.NoSpace
}

func pointeeOf(t types.Type) types.Qualified {
	switch t := t.(type) {
	case *types.Pointer:
		return t.Elem
	case *types.Reference:
		return t.Elem
	}
	return types.Qualified{}
}

// leafType returns the IR type of a leaf.
func (l *lowerer) leafType(t types.Type) ir.Type {
	switch t := t.(type) {
	case *types.Basic:
		return ir.Scalar(kindOf(t))
	case *types.Enum:
		return ir.Scalar(kindOf(t.Underlying))
	case *types.Vector:
		return ir.Vector(kindOf(t.Elem), t.Len)
	case *types.Packed:
		return ir.Vector(kindOf(t.Elem), t.Len)
	case *types.Atomic:
		return ir.Scalar(kindOf(t.Elem))
	case *types.SimdgroupMatrix:
		return ir.MatrixOf(kindOf(t.Elem))
	case *types.Pointer, *types.Reference:
		q := pointeeOf(t)
		if _, fn := q.Type.(*types.Func); fn {
			l.unsupported(l.at, "function pointers as values")
		}
		s := spaceOf(q.Space)
		if s == ir.NoSpace {
			l.unsupported(l.at, "pointers to '%s' memory", q.Space)
		}
		return ir.PointerTo(s)
	case *types.Texture:
		return l.textureType(t)
	case *types.Opaque:
		switch t.Name {
		case "sampler":
			return ir.TSampler
		case "command_buffer", "compute_command", "compute_pipeline_state":
			return ir.TI64
		case "os_log":
			return ir.TI32
		case "visible_function_table":
			return ir.PointerTo(ir.Constant)
		}
	}
	l.unsupported(l.at, "values of type '%s'", t)
	return ir.TVoid
}

var textureDims = [types.NumTextureKinds]ir.TextureDim{
	types.Texture1D: ir.Tex1D, types.Texture1DArray: ir.Tex1DArray, types.Texture2D: ir.Tex2D,
	types.Texture2DArray: ir.Tex2DArray,
	types.Texture3D:      ir.Tex3D, types.TextureCube: ir.TexCube, types.TextureCubeArray: ir.TexCubeArray,
	types.Texture2DMS:      ir.Tex2DMS,
	types.Texture2DMSArray: ir.Tex2DMSArray, types.TextureBuffer: ir.TexBuffer, types.Depth2D: ir.TexDepth2D,
	types.Depth2DArray: ir.TexDepth2DArray, types.DepthCube: ir.TexDepthCube, types.DepthCubeArray: ir.TexDepthCubeArray,
	types.Depth2DMS: ir.TexDepth2DMS, types.Depth2DMSArray: ir.TexDepth2DMSArray,
}

var textureAccess = [...]ir.Access{types.AccessSample: ir.Sample, types.AccessRead: ir.Read,
	types.AccessWrite: ir.Write, types.AccessReadWrite: ir.ReadWrite}

func (l *lowerer) textureType(t *types.Texture) ir.Type {
	return ir.TextureOf(textureDims[t.Kind], kindOf(t.Elem), textureAccess[t.Access])
}

// memoryType returns the in-memory type of a leaf.
func memoryType(t ir.Type) ir.Type {
	if t.Kind == ir.Matrix {
		return ir.Vector(t.Elem, 2)
	}
	return t
}
