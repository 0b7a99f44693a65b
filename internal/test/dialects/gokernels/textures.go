package gokernels

import (
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// Reads reads floats, also outside of the texture.
//
//puremetal:kernel
func Reads(t *kernel.Thread, in kernel.Texture2D[simd.Float4], out []simd.Float4) {
	i := t.Global.X
	if i < uint32(len(out)) {
		out[i] = in.Read(i%(in.Width()+3)-1, i/(in.Width()+3)-1)
	}
}

// ReadsHalf reads halves.
//
//puremetal:kernel
func ReadsHalf(t *kernel.Thread, in kernel.Texture2D[simd.Half4], out []simd.Half4) {
	i := t.Global.X
	if i < uint32(len(out)) {
		out[i] = in.Read(i%(in.Width()+3)-1, i/(in.Width()+3)-1)
	}
}

// ReadsInt reads signed integers.
//
//puremetal:kernel
func ReadsInt(t *kernel.Thread, in kernel.Texture2D[simd.Int4], out []simd.Int4) {
	i := t.Global.X
	if i < uint32(len(out)) {
		out[i] = readAt(in, i%(in.Width()+3)-1, i/(in.Width()+3)-1)
	}
}

// ReadsUint reads unsigned integers.
//
//puremetal:kernel
func ReadsUint(t *kernel.Thread, in kernel.Texture2D[simd.UInt4], out []simd.UInt4) {
	i := t.Global.X
	if i < uint32(len(out)) {
		out[i] = readAt(in, i%(in.Width()+3)-1, i/(in.Width()+3)-1)
	}
}

func readAt[V kernel.Texel](in kernel.Texture2D[V], x, y uint32) V { return in.Read(x, y) }

// Writes writes floats, also outside of the texture.
//
//puremetal:kernel
func Writes(t *kernel.Thread, out kernel.WriteTexture2D[simd.Float4], in []simd.Float4) {
	for i := t.Global.X; i < uint32(len(in)); i += t.GridSize.X {
		out.Write(in[i], i%(out.Width()+1), i/(out.Width()+1))
	}
}

// WritesHalf writes halves.
//
//puremetal:kernel
func WritesHalf(t *kernel.Thread, out kernel.WriteTexture2D[simd.Half4], in []simd.Half4) {
	for i := t.Global.X; i < uint32(len(in)); i += t.GridSize.X {
		out.Write(in[i], i%(out.Width()+1), i/(out.Width()+1))
	}
}

// WritesInt writes signed integers.
//
//puremetal:kernel
func WritesInt(t *kernel.Thread, out kernel.WriteTexture2D[simd.Int4], in []simd.Int4) {
	for i := t.Global.X; i < uint32(len(in)); i += t.GridSize.X {
		out.Write(in[i], i%(out.Width()+1), i/(out.Width()+1))
	}
}

// WritesUint writes unsigned integers.
//
//puremetal:kernel
func WritesUint(t *kernel.Thread, out kernel.WriteTexture2D[simd.UInt4], in []simd.UInt4) {
	for i := t.Global.X; i < uint32(len(in)); i += t.GridSize.X {
		out.Write(in[i], i%(out.Width()+1), i/(out.Width()+1))
	}
}

var (
	nearest  kernel.Sampler
	smooth   = kernel.Sampler{Filter: kernel.Linear}
	bordered = kernel.Sampler{Filter: kernel.Linear, S: kernel.ClampToBorder,
		T: kernel.ClampToZero, Border: kernel.OpaqueWhite}
)

// Samples samples with all filters, address modes and borders.
//
//puremetal:kernel
func Samples(t *kernel.Thread, in kernel.Texture2D[simd.Float4], at []simd.Float2, out []simd.Float4) {
	const n = 15
	i := int(t.Global.X)
	if i >= len(at) || n*(i+1) > len(out) {
		return
	}
	p := at[i]
	pixel := simd.Float2{X: p.X * float32(in.Width()), Y: p.Y * float32(in.Height())}
	next := 0
	put := func(v simd.Float4) {
		out[n*i+next] = v
		next++
	}
	put(in.Sample(nearest, p))
	put(in.Sample(smooth, p))
	put(in.Sample(bordered, p))
	corner := func(x uint32, s kernel.Sampler, of kernel.Texture2D[simd.Float4]) simd.Float4 {
		return in.Read(x, 0).Add(of.Sample(s, p))
	}
	put(corner(1, smooth, in))
	var zero kernel.Sampler
	put(in.Sample(zero, p))
	repeated := kernel.Sampler{Filter: kernel.Linear, S: kernel.Repeat, T: kernel.MirroredRepeat}
	put(in.Sample(repeated, p))
	put(sampled(in, repeated, p))
	put(sampled(in, kernel.Sampler{S: kernel.MirroredRepeat, T: kernel.Repeat}, p))
	put(in.Sample(kernel.Sampler{S: kernel.ClampToZero, T: kernel.ClampToBorder, Border: kernel.OpaqueBlack}, p))
	put(in.Sample(kernel.Sampler{Filter: kernel.Linear, S: kernel.ClampToBorder, T: kernel.ClampToBorder}, p))
	put(in.Sample(kernel.Sampler{Texels: true}, pixel))
	put(in.Sample(kernel.Sampler{Texels: true, Filter: kernel.Linear, S: kernel.ClampToZero}, pixel))
	if p.X > 0 {
		put(in.Sample(kernel.Sampler{Filter: kernel.Linear, S: kernel.Repeat, T: kernel.ClampToEdge}, p))
	}
	for range 2 {
		put(in.Sample(smooth, p).Add(in.Sample(nearest, simd.Float2{X: p.Y, Y: p.X})))
	}
}

func sampled[V kernel.Texel](in kernel.Texture2D[V], s kernel.Sampler, at simd.Float2) V {
	return in.Sample(s, at)
}

// SamplesHalf samples halves.
//
//puremetal:kernel
func SamplesHalf(t *kernel.Thread, in kernel.Texture2D[simd.Half4], at []simd.Float2, out []simd.Half4) {
	if i := int(t.Global.X); i < len(at) && i < len(out) {
		out[i] = sampled(in, smooth, at[i])
	}
}

// SamplesInt samples integers.
//
//puremetal:kernel
func SamplesInt(t *kernel.Thread, in kernel.Texture2D[simd.Int4], at []simd.Float2, out []simd.Int4) {
	if i := int(t.Global.X); i < len(at) && i < len(out) {
		out[i] = in.Sample(nearest, at[i]).Add(sampled(in, kernel.Sampler{S: kernel.Repeat}, at[i]))
	}
}

// Exchanges has threads of a group read what others have written.
//
//puremetal:kernel group=32
func Exchanges(t *kernel.Thread, x kernel.ReadWriteTexture2D[simd.UInt4], y kernel.ReadWriteTexture2D[simd.Float4],
	out []uint32) {
	i := t.Global.X
	at, row := i%32, i/32
	x.Write(simd.UInt4{X: i*i + 1}, at, row)
	x.Write(simd.UInt4{X: x.Read(at, row).X + 1}, at, row)
	advance(y, at, row)
	t.Barrier()
	out[i] = x.Read((at+5)%32, row).X + uint32(y.Read((at+7)%32, row).X)
	t.Barrier()
	for k := 0; k < 2; y.Write(simd.Float4{X: advance(y, at, row) * 2}, at, row) {
		k++
	}
	out[i] += uint32(y.Read(at, row).X + advance(y, at, row))
}

// advance adds 1 to a texel and returns it.
func advance(x kernel.ReadWriteTexture2D[simd.Float4], column, row uint32) float32 {
	if column >= x.Width() || row >= x.Height() {
		return 0
	}
	x.Write(x.Read(column, row).Add(simd.Float4{X: 1}), column, row)
	return x.Read(column, row).X
}
