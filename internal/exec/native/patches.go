package native

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/gemm"
)

// patches are the parts of an image that a convolution's positions see: an element for each tap, a
// channel and a place in the kernel, and each position. Outside of the image they are 0.
type patches struct {
	memory         []byte
	typ            gemm.Type
	batch, channel int // strides
	first          int // the offset of the first channel
	strides, sizes [3]int
	positions      [3]int
	taps           [3]int // the kernel's sizes
	// A position i sees, at place k, the coordinate i*step + k*dilation - before. If backward is
	// set, it sees the coordinates x whose x*step + k*dilation - before is i.
	step, dilation, before [3]int
	backward               bool
}

// tap is a channel and a place in the kernel.
type tap struct {
	channel int
	at      [3]int
}

// tap returns a tap by its number.
func (p *patches) tap(n int) (t tap) {
	for d := 2; d >= 0; d-- {
		t.at[d] = n % p.taps[d]
		n /= p.taps[d]
	}
	t.channel = n
	return t
}

// next steps to the next tap.
func (p *patches) next(t *tap) {
	for d := 2; d >= 0; d-- {
		if t.at[d]++; t.at[d] < p.taps[d] {
			return
		}
		t.at[d] = 0
	}
	t.channel++
}

// see returns the coordinate that a position sees in a dimension, and whether it is in the image.
func (p *patches) see(d, position, at int) (int, bool) {
	x := position*p.step[d] + at*p.dilation[d] - p.before[d]
	if p.backward {
		z := position + p.before[d] - at*p.dilation[d]
		x = z / p.step[d]
		if z < 0 || x*p.step[d] != z {
			return 0, false
		}
	}
	return x, x >= 0 && x < p.sizes[d]
}

// line writes the elements of a tap for count positions from first on; step is the distance between
// them in dst.
func (p *patches) line(dst []float32, step, batch int, t tap, first, count int) {
	row := first / p.positions[2]
	x := first - row*p.positions[2]
	z := row / p.positions[1]
	y := row - z*p.positions[1]
	base := p.first + batch*p.batch + t.channel*p.channel
	for {
		n := min(count, p.positions[2]-x)
		sz, inz := p.see(0, z, t.at[0])
		sy, iny := p.see(1, y, t.at[1])
		if inz && iny {
			p.row(dst, step, base+sz*p.strides[0]+sy*p.strides[1], t.at[2], x, n)
		} else {
			zero(dst, step, n)
		}
		if count -= n; count == 0 {
			return
		}
		dst = dst[n*step:]
		x = 0
		if y++; y == p.positions[1] {
			y = 0
			z++
		}
	}
}

// row writes the elements of neighboring positions of a row, whose first element is at base.
func (p *patches) row(dst []float32, step, base, at, first, count int) {
	apart, every := 1, p.step[2] // between elements that are in the image: in dst and in the image
	from := 0                    // the first position in the image
	x := first*every + at*p.dilation[2] - p.before[2]
	if p.backward {
		apart, every = every, 1
		z := first + p.before[2] - at*p.dilation[2]
		x = (z + apart - 1) / apart
		if z < 0 {
			x = 0
		}
		from = x*apart - z
	} else if x < 0 {
		from = (-x + every - 1) / every
		x += from * every
	}
	n := 0
	if from < count && x < p.sizes[2] {
		n = min((count-from-1)/apart, (p.sizes[2]-1-x)/every) + 1
	}
	end := from + n
	switch {
	case n == 0 || apart > 1:
		zero(dst, step, count)
	default:
		zero(dst, step, from)
		if end < count {
			zero(dst[end*step:], step, count-end)
		}
	}
	if n > 0 {
		stride := p.strides[2]
		spread(dst[from*step:], apart*step, p.typ, p.memory[(base+x*stride)*p.typ.Size():], every*stride, n)
	}
}

// zero writes count zeros.
func zero(dst []float32, step, count int) {
	if step == 1 {
		clear(dst[:count])
		return
	}
	for i := range count {
		dst[i*step] = 0
	}
}

// spread copies n elements of a type between layouts, and widens them.
func spread(dst []float32, dstStep int, t gemm.Type, src []byte, srcStep, n int) {
	if dstStep == 1 && srcStep == 1 {
		gemm.Widen(dst[:n], t, src)
		return
	}
	if t == gemm.F32 {
		for i := range n {
			dst[i*dstStep] = math.Float32frombits(binary.NativeEndian.Uint32(src[4*i*srcStep:]))
		}
		return
	}
	var words [32]byte
	var wide [16]float32
	for first := 0; first < n; first += len(wide) {
		m := min(len(wide), n-first)
		for i := range m {
			copy(words[2*i:2*i+2], src[2*(first+i)*srcStep:])
		}
		gemm.Widen(wide[:m], t, words[:2*m])
		for i, x := range wide[:m] {
			dst[(first+i)*dstStep] = x
		}
	}
}

// byTap packs patches whose lines are positions; the sum is over taps.
type byTap struct{ *patches }

// Pack implements gemm.Packer.
func (p byTap) Pack(dst []float32, width, batch, first, count, firstK, countK int) {
	t := p.tap(firstK)
	for k := range countK {
		p.line(dst[k*width:][:count], 1, batch, t, first, count)
		p.next(&t)
	}
}

// byPosition packs patches whose lines are taps; the sum is over the batch and positions.
type byPosition struct{ *patches }

// Pack implements gemm.Packer.
func (p byPosition) Pack(dst []float32, width, _, first, count, firstK, countK int) {
	all := p.positions[0] * p.positions[1] * p.positions[2]
	t := p.tap(first)
	for line := range count {
		batch, position := firstK/all, firstK%all
		for k := 0; k < countK; {
			n := min(countK-k, all-position)
			p.line(dst[k*width+line:], width, batch, t, position, n)
			k += n
			batch, position = batch+1, 0
		}
		p.next(&t)
	}
}

// factors packs what patches are multiplied with: lines are channels, the sum is over dimensions.
type factors struct {
	memory []byte
	typ    gemm.Type
	stride int // between channels
	dims   []extent
}

// Pack implements gemm.Packer.
func (f factors) Pack(dst []float32, width, _, first, count, firstK, countK int) {
	var index [4]int
	rest, at := firstK, 0
	for d := len(f.dims) - 1; d >= 0; d-- {
		index[d] = rest % f.dims[d].size
		rest /= f.dims[d].size
		at += index[d] * f.dims[d].stride
	}
	for k := range countK {
		spread(dst[k*width:][:count], 1, f.typ, f.memory[(at+first*f.stride)*f.typ.Size():], f.stride, count)
		for d := len(f.dims) - 1; d >= 0; d-- {
			at += f.dims[d].stride
			if index[d]++; index[d] < f.dims[d].size {
				break
			}
			at -= index[d] * f.dims[d].stride
			index[d] = 0
		}
	}
}
