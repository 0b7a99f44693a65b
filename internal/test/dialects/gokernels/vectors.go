package gokernels

import (
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

type ray struct {
	Origin, Direction simd.Float3
}

// at takes a pointer, whose methods have values.
func (r *ray) at(t float32) simd.Float3 { return r.Origin.Add(r.Direction.Scale(t)) }

type tagged struct {
	simd.Float4
	Tag [4]uint32
}

func project[V interface {
	Dot(V) float32
	Scale(float32) V
}](a, b V) V {
	return b.Scale(a.Dot(b))
}

// nextVector changes a counter: the calls of it in an expression are from left to right.
func nextVector(p *float32, d float32) simd.Float2 {
	*p = *p*3 + d
	return simd.Float2{X: *p, Y: d}
}

// VectorMethods has the methods of vectors in expressions, through pointers, of embedded fields, of
// type parameters, and their order.
//
//puremetal:kernel
func VectorMethods(t *kernel.Thread, rays []ray, x []tagged, out []float32) {
	i := int(t.Global.X)
	if i >= len(rays) || i >= len(x) || len(out) < 12*(i+1) {
		return
	}
	r := rays[i]
	p := &rays[i]
	a := p.at(0.5).Sub(r.at(2).Cross(r.Direction)).Div(p.Direction.Add(r.Origin).Abs())
	o := out[12*i : 12*i+12]
	o[0], o[1], o[2] = a.X, a.Y, a.Z
	x[i].Float4 = x[i].Mul(x[i].WZYX()).Neg()
	o[3] = x[i].Length() - x[i].Float4.Normalize().Y
	q := &x[i].Float4
	o[4] = q.Dot(q.YXWZ()) * q.XY().Max(q.ZW()).Min(simd.Float2{X: 0.5}).YX().X
	b := project(a, r.Direction)
	o[5] = b.X + b.ZZZ().Y
	c := project(simd.Float2{X: 1, Y: o[5]}, a.YZ())
	o[6] = c.X - c.Y
	var n float32
	d := nextVector(&n, 1).Add(nextVector(&n, 2)).Sub(nextVector(&n, 4).Mul(nextVector(&n, 8)))
	o[7], o[8] = d.X, d.Y+n
	if r.Origin.XYZ() == r.Origin && r.Origin.ZYX() != (simd.Float3{}) {
		o[9] = 1
	}
	k := simd.Short3{X: int16(i), Y: -3, Z: 300}
	k = k.Mul(k).Scale(7).Sub(simd.Short3{Y: 1}).Max(k.YXZ())
	o[10] = float32(k.Dot(simd.Short3{X: 1, Y: 2, Z: 3}))
	s := simd.Packed3[float32]{X: 1, Y: 2, Z: a.Y}
	o[11] = s.X + s.Y*s.Z
}

type small struct {
	H    simd.Half
	B    simd.BFloat16
	V    simd.Half2
	Bits uint32
}

const oneHalf = simd.Half(0x3800)

// Halves are numbers of 16 bits, whose values in Go are their bits.
//
//puremetal:kernel
func Halves(t *kernel.Thread, h []simd.Half, b []simd.BFloat16, f []float32, s []small, bits []uint16, v []simd.Half4) {
	i := int(t.Global.X)
	if i >= len(h) || i >= len(b) || i >= len(f) || i >= len(s) || 8*i+8 > len(bits) || i >= len(v) {
		return
	}
	o := bits[8*i : 8*i+8]
	o[0] = uint16(h[i])
	o[1] = uint16(simd.HalfOf(f[i]))
	o[2] = uint16(simd.BFloat16Of(f[i]))
	o[3] = uint16(simd.HalfOf(h[i].Float32()*2 + oneHalf.Float32()))
	o[4] = uint16(simd.Half(o[0] ^ 0x8000))
	o[5] = uint16(simd.Half(b[i]))
	var zero simd.Half
	if h[i] == zero || h[i] == simd.Half(0x8000) || b[i] != simd.BFloat16(0x3f80) {
		o[6] = 1
	}
	switch h[i] {
	case oneHalf:
		o[6] += 2
	case simd.Half(0x7c00), simd.Half(0xfc00), 0x7e01:
		o[6] += 4
	}
	o[7] = uint16(int32(int16(h[i])) >> 3)
	f[i] = h[i].Float32() + simd.HalfOf(b[i].Float32()).Float32()
	n := small{H: h[i], B: 0x3f80, V: simd.Half2{X: oneHalf, Y: h[i]}}
	if n.V == n.V.YX() {
		n.Bits = 1
	}
	if m := n; m == n { // also if one is a NaN: these are bits
		n.Bits += 2
	}
	n.V.X = simd.HalfOf(-1.5)
	n.V = n.V.Add(n.V.YX().Scale(oneHalf))
	s[i] = n
	v[i] = v[i].Mul(v[i]).Add(simd.Half4{X: oneHalf, W: 0xc000}).Normalize()
}

// Rays returns n rays and as many tagged vectors.
func Rays(n int) ([]ray, []tagged) { return make([]ray, n), make([]tagged, n) }

// Smalls returns n values.
func Smalls(n int) []small { return make([]small, n) }
