package texel

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// Samples are samples of a plane of an image by many threads that differ in the position only:
// element i of each column belongs to thread i.
type Samples struct {
	Position [2][]uint32 // 32-bit floats
	Values   [4][]uint32 // 32-bit floats; unwanted ones are nil
	Mask     []uint32    // a bit for each thread; the values of the others are undefined
}

// plane is what SampleColumns finds the same for all threads.
type plane struct {
	x       *Image
	s       *Sampler
	data    []byte
	first   int // of the layer in data
	row     int
	size    [2]int
	offset  [2]float64
	between bool
	wanted  int              // components before which all are wanted
	levels  [4]*[256]float64 // by component, of bytes
}

// SampleColumns is Sample for each thread, with the other operands as in k: of a two-dimensional
// image in one of the common formats, at one level, without reductions. It returns false, and does
// nothing, if it has no loop for that.
func (x *Image) SampleColumns(s *Sampler, k *Look, c *Samples) bool {
	if s == nil {
		s = &Sampler{}
	}
	level, between, ok := x.onePlane(s, k)
	if !ok || k.Type.Elem != ir.F32 || k.Fetched != nil {
		return false
	}
	switch x.Format.fast {
	case bytesShape, halfShape, floatShape:
	default:
		return false
	}
	m, size := &x.Levels[level], x.Size(level)
	p := plane{x: x, s: s, data: m.Data, row: m.Row, size: [2]int{size[0], size[1]}, between: between,
		offset: [2]float64{float64(k.Offset[0]), float64(k.Offset[1])}, first: m.Layer * x.layerOf(k)}
	for i := range p.levels {
		p.levels[i] = x.Format.levels(i)
	}
	if p.first < 0 || p.row < 0 || p.first+p.row*(size[1]-1)+x.Format.bytes*size[0] > len(p.data) {
		return false
	}
	for i, out := range c.Values {
		if out != nil {
			p.wanted = i + 1
		}
	}
	for i := range c.Position[0] {
		if c.Mask[i/32]>>(i%32)&1 == 0 {
			continue
		}
		v := p.sample(math.Float32frombits(c.Position[0][i]), math.Float32frombits(c.Position[1][i]))
		for j, out := range c.Values {
			if out != nil {
				out[i] = uint32(num.Round(ir.F32, v[j]))
			}
		}
	}
	return true
}

// onePlane returns the level that a sample looks at, and whether it weights texels; ok is false
// unless it is one of a two-dimensional image without comparisons, at one level, without
// reductions.
func (x *Image) onePlane(s *Sampler, k *Look) (level int, between, ok bool) {
	if d := k.Type.Dim; k.Op != ir.OpTexSample || d.SampleCoords() != 2 || d.IsCube() || d.IsDepth() ||
		s.reduction != weightedAverage || x == nil || x.Swizzle != nil || x.Samples != 1 || len(x.Levels) == 0 {
		return 0, false, false
	}
	l := lookup{x: x, s: s, k: k, lod: float64(k.LOD), least: math.Inf(-1)}
	return l.onlyLevel()
}

// layerOf returns the layer that a sample looks at: the nearest that exists.
func (x *Image) layerOf(k *Look) int { return int(min(max(int64(k.Layer), 0), int64(x.Layers)-1)) }

// onlyLevel returns the level that filtered looks at, and whether it weights texels; ok is false if
// it looks at two.
func (l *lookup) onlyLevel() (level int, between, ok bool) {
	lod := l.detail()
	between = l.s.minLinear
	if !(lod > 0) {
		lod, between = 0, l.s.magLinear
	}
	top := float64(len(l.x.Levels) - 1)
	switch l.s.mip {
	case nearest:
		return int(min(math.Floor(lod+0.5), top)), between, true
	case linear:
		lod = min(lod, top)
		return int(lod), between, lod == math.Floor(lod)
	}
	return 0, between, true
}

// sample returns the filtered value at a position. Components from p.wanted on may be any.
func (p *plane) sample(px, py float32) (sum [4]float64) {
	x, y := p.coordinate(0, px), p.coordinate(1, py)
	if !p.between {
		p.fetch(&sum, int64(math.Floor(x)), int64(math.Floor(y)))
		return sum
	}
	x, y = x-0.5, y-0.5
	lowX, lowY := math.Floor(x), math.Floor(y)
	partX, partY := x-lowX, y-lowY
	left, top := int64(lowX), int64(lowY)
	weights := [4]float64{float64((1 - partX) * (1 - partY)), float64(partX * (1 - partY)),
		float64((1 - partX) * partY), float64(partX * partY)}
	inside := left >= 0 && top >= 0 && left+1 < int64(p.size[0]) && top+1 < int64(p.size[1])
	if inside && partX > 0 && partY > 0 { // all weights are between 0 and 1
		p.blend(&sum, p.first+int(top)*p.row+int(left)*p.x.Format.bytes, &weights)
		return sum
	}
	var v [4]float64
	for corner, weight := range weights {
		if !(weight > 0) {
			continue
		}
		p.fetch(&v, left+int64(corner&1), top+int64(corner>>1))
		if weight == 1 {
			sum = v
			continue
		}
		for i := range sum {
			sum[i] += float64(weight * v[i])
		}
	}
	return sum
}

// blend sets sum to the weighted sum of four neighboring texels; the top left one begins at byte
// at.
func (p *plane) blend(sum *[4]float64, at int, w *[4]float64) {
	f := &p.x.Format
	upper, lower := p.data[at:][:2*f.bytes], p.data[at+p.row:][:2*f.bytes]
	for i := range p.wanted {
		one := [4]float64{3: 1}[i] // of a component that the format lacks
		v := [4]float64{one, one, one, one}
		if field := f.fields[i]; field.bits != 0 {
			k := field.at / 8
			n := k + f.bytes
			switch f.fast {
			case bytesShape:
				of := p.levels[i]
				v = [4]float64{of[upper[k]], of[upper[n]], of[lower[k]], of[lower[n]]}
			case halfShape:
				half := func(b []byte) float64 { return ir.F16Float(binary.LittleEndian.Uint16(b)) }
				v = [4]float64{half(upper[k:]), half(upper[n:]), half(lower[k:]), half(lower[n:])}
			default:
				word := func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
				v = [4]float64{word(upper[k:]), word(upper[n:]), word(lower[k:]), word(lower[n:])}
			}
		}
		for corner, x := range v {
			sum[i] += float64(w[corner] * x)
		}
	}
}

// coordinate returns a coordinate of a position, in texels.
func (p *plane) coordinate(axis int, pos float32) float64 {
	at := float64(pos)
	if !p.s.unnormalized {
		at *= float64(p.size[axis])
	}
	if at != at {
		return 0
	}
	return min(max(at, -1<<30), 1<<30) + p.offset[axis]
}

// fetch sets v to a texel, which may be outside of the image.
func (p *plane) fetch(v *[4]float64, x, y int64) {
	if uint64(x) >= uint64(p.size[0]) || uint64(y) >= uint64(p.size[1]) {
		for axis, i := range [2]*int64{&x, &y} {
			at, ok := p.s.address[axis].wrap(*i, p.size[axis])
			if !ok {
				*v = p.s.outside(p.s.address[axis])
				return
			}
			*i = int64(at)
		}
	}
	f := &p.x.Format
	texel := p.data[p.first+int(y)*p.row+int(x)*f.bytes:][:f.bytes]
	*v = [4]float64{3: 1}
	switch f.fast {
	case bytesShape:
		for i, at := range f.fields {
			if at.bits != 0 {
				v[i] = p.levels[i][texel[at.at/8]]
			}
		}
	case halfShape:
		for i := range len(texel) / 2 {
			v[i] = ir.F16Float(binary.LittleEndian.Uint16(texel[2*i:]))
		}
	default:
		for i := range len(texel) / 4 {
			v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(texel[4*i:])))
		}
	}
}
