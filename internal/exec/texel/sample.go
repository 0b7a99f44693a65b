package texel

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// Look is one access to an image through a sampler: an operation of package ir with the operands in
// its row.
type Look struct {
	Op        ir.Op
	Type      ir.Type // the type of the image in the program
	Component int     // of a gather
	Position  [3]float32
	DX, DY    [3]float32 // the position's derivatives
	Layer     int32
	Offset    [3]int32
	LOD       float32 // for tex.sample_grad, the minimum level
	Reference float32 // for comparisons

	Fetched func(texel []byte) // is called with each texel that the result depends on; nil for nothing
}

// Sample samples an image. The operation's result is in out; a scalar result is in the first
// element only. s may be nil.
func (x *Image) Sample(s *Sampler, k *Look) (out [4]uint64) {
	if x == nil {
		return out
	}
	if s == nil {
		s = &Sampler{}
	}
	l := lookup{x: x, s: s, k: k, n: k.Type.Dim.SampleCoords(), shots: 1, least: math.Inf(-1), layer: int64(k.Layer)}
	for i := range l.n {
		l.pos[i], l.dx[i], l.dy[i] = float64(k.Position[i]), float64(k.DX[i]), float64(k.DY[i])
		l.offset[i] = int64(k.Offset[i])
	}
	if k.Type.Dim.IsCube() {
		l.face()
	} else { // the array index is clamped to the existing layers
		l.layer = min(max(l.layer, 0), int64(x.Layers)-1)
	}
	var v [4]float64
	switch k.Op {
	case ir.OpTexLOD:
		return [4]uint64{num.Round(ir.F32, l.level0())}
	case ir.OpTexGather, ir.OpTexGatherCompare:
		v = l.corners()
	case ir.OpTexSampleGrad:
		l.least = float64(k.LOD)
		l.footprint()
		v = l.filtered()
	default:
		l.lod = float64(k.LOD)
		v = l.filtered()
	}
	elem := k.Type.Elem
	for i, c := range v {
		if elem.IsFloat() {
			out[i] = num.Round(elem, c)
		} else {
			out[i] = uint64(int64(c)) & (^uint64(0) >> (64 - elem.Bits()))
		}
	}
	return out
}

// lookup is the state of a Look in progress.
type lookup struct {
	x      *Image
	s      *Sampler
	k      *Look
	n      int // number of coordinates
	pos    [3]float64
	dx, dy [3]float64
	layer  int64
	offset [3]int64
	lod    float64
	least  float64 // minimum level
	shots  int     // samples of an anisotropic filter along step
	step   [3]float64
}

// face converts a direction and its derivatives to a face and a position on it. Filters stay on the
// face.
func (l *lookup) face() {
	x, y, z := l.pos[0], l.pos[1], l.pos[2]
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	// Which component, with which sign, is u, v and the major axis.
	var face int64
	var from [3]int
	var sign [3]float64
	pick := func(neg bool, plus, minus [3]float64) {
		if sign = plus; neg {
			face++
			sign = minus
		}
	}
	switch {
	case ax >= ay && ax >= az:
		face, from = 0, [3]int{2, 1, 0}
		pick(x < 0, [3]float64{-1, -1, 1}, [3]float64{1, -1, -1})
	case ay >= az:
		face, from = 2, [3]int{0, 2, 1}
		pick(y < 0, [3]float64{1, 1, 1}, [3]float64{1, -1, -1})
	default:
		face, from = 4, [3]int{0, 1, 2}
		pick(z < 0, [3]float64{1, -1, 1}, [3]float64{-1, -1, -1})
	}
	l.layer = 6*min(max(l.layer/6, 0), max(1, int64(l.x.Layers)/6)-1) + face
	on := func(v [3]float64) (out [3]float64) {
		for i := range out {
			out[i] = sign[i] * v[from[i]]
		}
		return out
	}
	p, dx, dy := on(l.pos), on(l.dx), on(l.dy)
	major := p[2]
	slope := func(d [3]float64) [3]float64 { // of (p/major+1)/2
		return [3]float64{(d[0] - float64(p[0]/major*d[2])) / major / 2, (d[1] - float64(p[1]/major*d[2])) / major / 2}
	}
	l.n = 2
	l.pos, l.dx, l.dy = [3]float64{(p[0]/major + 1) / 2, (p[1]/major + 1) / 2}, slope(dx), slope(dy)
}

// pixels reports whether positions are in texels, which is never so for directions into a cube.
func (l *lookup) pixels() bool { return l.s.unnormalized && !l.k.Type.Dim.IsCube() }

// steps returns how many texels of level 0 the position moves per derivative.
func (l *lookup) steps() (x, y float64) {
	size := l.x.Size(0)
	for i := range l.n {
		scale := float64(size[i])
		if l.pixels() {
			scale = 1
		}
		x += float64(float64(l.dx[i]*scale) * float64(l.dx[i]*scale))
		y += float64(float64(l.dy[i]*scale) * float64(l.dy[i]*scale))
	}
	return math.Sqrt(x), math.Sqrt(y)
}

// level0 returns the level of detail at which the position moves by one texel.
func (l *lookup) level0() float64 {
	x, y := l.steps()
	return math.Log2(max(x, y))
}

// footprint computes the level of detail from the derivatives, and the samples of an anisotropic
// filter.
func (l *lookup) footprint() {
	x, y := l.steps()
	long, short := max(x, y), min(x, y)
	if l.s.anisotropy > 1 && long > short {
		l.shots = min(l.s.anisotropy, int(math.Ceil(min(long/short, 16))))
		if l.step = l.dx; y > x {
			l.step = l.dy
		}
	}
	l.lod = math.Log2(long / float64(l.shots))
}

// detail returns the level of detail with what the sampler makes of it.
func (l *lookup) detail() float64 {
	lod := l.lod + l.s.bias
	if l.s.clamped {
		lod = min(max(lod, l.s.clamp[0]), l.s.clamp[1])
	}
	return max(lod, l.least)
}

// filtered returns the filtered value.
func (l *lookup) filtered() (sum [4]float64) {
	lod := l.detail()
	if l.shots == 1 {
		return l.mips(lod)
	}
	middle := l.pos
	for shot := range l.shots {
		for a := range l.n {
			l.pos[a] = middle[a] + float64(l.step[a]*((float64(shot)+0.5)/float64(l.shots)-0.5))
		}
		l.s.reduce(&sum, l.mips(lod), 1/float64(l.shots), shot == 0)
	}
	l.pos = middle
	return sum
}

// mips returns the filtered value at a level of detail.
func (l *lookup) mips(lod float64) [4]float64 {
	inter := l.s.minLinear
	if !(lod > 0) {
		lod, inter = 0, l.s.magLinear
	}
	top := float64(len(l.x.Levels) - 1)
	switch l.s.mip {
	case nearest:
		return l.level(int(min(math.Floor(lod+0.5), top)), inter)
	case linear:
		lod = min(lod, top)
		low := math.Floor(lod)
		a := l.level(int(low), inter)
		if part := lod - low; part > 0 {
			b := l.level(int(low)+1, inter)
			if l.s.reduction != weightedAverage {
				l.s.reduce(&a, b, 1, false)
				return a
			}
			for i := range a {
				a[i] += float64(part * (b[i] - a[i]))
			}
		}
		return a
	}
	return l.level(0, inter)
}

// coordinate returns the position on an axis of n texels, in texels.
func (l *lookup) coordinate(axis, n int) float64 {
	p := l.pos[axis]
	if !l.pixels() {
		p *= float64(n)
	}
	if p != p {
		return 0
	}
	return min(max(p, -1<<30), 1<<30) + float64(l.offset[axis])
}

// level returns the filtered value at a level; between says whether to weight texels rather than to
// take the nearest.
func (l *lookup) level(level int, between bool) (sum [4]float64) {
	size := l.x.Size(level)
	var first [3]int64
	var part [3]float64
	for a := range l.n {
		p := l.coordinate(a, size[a])
		if between {
			p -= 0.5
		}
		low := math.Floor(p)
		if first[a] = int64(low); between {
			part[a] = p - low
		}
	}
	if !between {
		return l.fetch(first, level, &size)
	}
	fresh := true
	for corner := range 1 << l.n {
		weight := 1.0
		at := first
		for a := range l.n {
			if corner>>a&1 != 0 {
				weight *= part[a]
				at[a]++
			} else {
				weight *= 1 - part[a]
			}
		}
		if weight > 0 {
			l.s.reduce(&sum, l.fetch(at, level, &size), weight, fresh)
			fresh = false
		}
	}
	return sum
}

// fetch returns a texel, which may be outside the image. For a depth texture, it returns four
// copies of the depth or of the result of its comparison.
func (l *lookup) fetch(at [3]int64, level int, size *[3]int) [4]float64 {
	var in [3]uint32
	for a := range l.n {
		var ok bool
		if in[a], ok = l.s.address[a].wrap(at[a], size[a]); !ok {
			return l.s.outside(l.s.address[a])
		}
	}
	texel := l.x.texel(in, uint32(l.layer), uint32(level), 0)
	if texel == nil {
		return [4]float64{}
	}
	if l.k.Fetched != nil {
		l.k.Fetched(texel)
	}
	v := l.x.Format.numbers(texel)
	if l.x.Swizzle != nil {
		v = l.x.Swizzle.numbers(v)
	}
	switch {
	case l.k.Op == ir.OpTexCompare, l.k.Op == ir.OpTexGatherCompare:
		c := float64(num.Truth(l.s.compare.holds(float64(l.k.Reference), v[0])))
		return [4]float64{c, c, c, c}
	case l.k.Type.Dim.IsDepth():
		return [4]float64{v[0], v[0], v[0], v[0]}
	}
	return v
}

// corners returns a component of the four texels that a linear filter reads, in Metal's order.
func (l *lookup) corners() (v [4]float64) {
	size := l.x.Size(0)
	var at [3]int64
	for a := range min(l.n, 2) {
		at[a] = int64(math.Floor(l.coordinate(a, size[a]) - 0.5))
	}
	for i, by := range [4][2]int64{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		v[i] = l.fetch([3]int64{at[0] + by[0], at[1] + by[1], at[2]}, 0, &size)[l.k.Component&3]
	}
	return v
}
