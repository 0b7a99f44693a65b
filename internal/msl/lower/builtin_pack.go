package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// packFormat is the layout of a packed integer: the widths of its fields from the lowest bit, and
// whether they are signed.
type packFormat struct {
	widths []int64
	signed bool
	srgb   bool // except for the last field
}

var packFormats = [...]packFormat{
	builtin.OpUnpackUnorm4x8: {widths: []int64{8, 8, 8, 8}}, builtin.OpPackUnorm4x8: {widths: []int64{8, 8, 8, 8}},
	builtin.OpUnpackUnorm4x8Srgb: {widths: []int64{8, 8, 8, 8}, srgb: true},
	builtin.OpPackUnorm4x8Srgb:   {widths: []int64{8, 8, 8, 8}, srgb: true},
	builtin.OpUnpackSnorm4x8:     {widths: []int64{8, 8, 8, 8}, signed: true},
	builtin.OpPackSnorm4x8:       {widths: []int64{8, 8, 8, 8}, signed: true},
	builtin.OpUnpackUnorm2x16:    {widths: []int64{16, 16}}, builtin.OpPackUnorm2x16: {widths: []int64{16, 16}},
	builtin.OpUnpackSnorm2x16: {widths: []int64{16, 16}, signed: true},
	builtin.OpPackSnorm2x16:   {widths: []int64{16, 16}, signed: true},
	builtin.OpUnpackUnorm10A2: {widths: []int64{10, 10, 10, 2}}, builtin.OpPackUnorm10A2: {widths: []int64{10, 10, 10, 2}},
	builtin.OpUnpackUnorm565: {widths: []int64{5, 6, 5}}, builtin.OpPackUnorm565: {widths: []int64{5, 6, 5}},
}

// packing lowers conversions between vectors and packed integers.
func (c *libCall) packing() val {
	f := entry(packFormats[:], c.e.Op)
	if f.widths == nil {
		panic(c.noCase())
	}
	x := c.args[0].v
	if x.Type.Kind.IsFloat() {
		return c.pack(f, x)
	}
	return c.unpack(f, x)
}

func limit(width int64, signed bool) float64 {
	if signed {
		width--
	}
	return float64(int64(1)<<width - 1)
}

func (c *libCall) unpack(f packFormat, x *ir.Value) val {
	b := c.b
	lanes := make([]*ir.Value, 0, 4)
	elem := types.ElemOf(c.e.Typ)
	var at int64
	if x.Type != ir.TI32 {
		x = b.OpAs(ir.OpZExt, ir.TI32, x)
	}
	for i, w := range f.widths {
		op, conv := ir.OpUExtract, ir.OpUIToF
		if f.signed {
			op, conv = ir.OpSExtract, ir.OpSIToF
		}
		bits := b.Op(op, x, b.Int(ir.TI32, at), b.Int(ir.TI32, w))
		v := b.Op(ir.OpFDiv, b.OpAs(conv, ir.TF32, bits), b.Float(ir.TF32, limit(w, f.signed)))
		if f.signed {
			v = b.Op(ir.OpFMax, v, b.Float(ir.TF32, -1))
		}
		if f.srgb && i < 3 {
			v = c.fromSRGB(v)
		}
		lanes = append(lanes, c.convKind(v, types.Float, elem))
		at += w
	}
	return c.fromScalars(c.e.Typ, lanes)
}

func (c *libCall) pack(f packFormat, x *ir.Value) val {
	b := c.b
	from := c.elem
	var at int64
	sum := b.Int(ir.TI32, 0)
	for i, w := range f.widths {
		v := c.convKind(b.Extract(x, i), from, types.Float)
		low, conv := 0.0, ir.OpFToUI
		if f.signed {
			low, conv = -1, ir.OpFToSI
			v = b.Op(ir.OpSelect, b.Op(ir.OpFEq, v, v), v, b.Float(ir.TF32, 0)) // NaN to 0, as in textures
		}
		v = b.Op(ir.OpFMin, b.Op(ir.OpFMax, v, b.Float(ir.TF32, low)), b.Float(ir.TF32, 1))
		if f.srgb && i < 3 {
			v = c.toSRGB(v)
		}
		v = b.Op(ir.OpRint, b.Op(ir.OpFMul, v, b.Float(ir.TF32, limit(w, f.signed))))
		sum = b.Op(ir.OpBitInsert, sum, b.OpAs(conv, ir.TI32, v), b.Int(ir.TI32, at), b.Int(ir.TI32, w))
		at += w
	}
	return c.leaf(c.convKind(sum, types.UInt, types.ElemOf(c.e.Typ)))
}

// fromSRGB decodes an sRGB value to linear.
func (l *lowerer) fromSRGB(v *ir.Value) *ir.Value {
	b, f := l.b, func(x float64) *ir.Value { return l.b.Float(ir.TF32, x) }
	curve := b.Op(ir.OpPowR, b.Op(ir.OpFDiv, b.Op(ir.OpFAdd, v, f(0.055)), f(1.055)), f(2.4))
	return b.Op(ir.OpSelect, b.Op(ir.OpFLE, v, f(0.04045)), b.Op(ir.OpFDiv, v, f(12.92)), curve)
}

// toSRGB encodes a linear value from 0 to 1 as sRGB.
func (l *lowerer) toSRGB(v *ir.Value) *ir.Value {
	b, f := l.b, func(x float64) *ir.Value { return l.b.Float(ir.TF32, x) }
	curve := b.Op(ir.OpFSub, b.Op(ir.OpFMul, f(1.055), b.Op(ir.OpPowR, v, f(1/2.4))), f(0.055))
	return b.Op(ir.OpSelect, b.Op(ir.OpFLE, v, f(0.0031308)), b.Op(ir.OpFMul, v, f(12.92)), curve)
}
