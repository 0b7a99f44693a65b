package ref

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// sample carries out an operation that looks at a texture through a sampler.
func (t *thread) sample(in *ir.Instr, x *Texture, f format) error {
	typ, res := in.Args[0].Type, in.Results[0]
	s := t.samplerOf(in.Args[1])
	if s.Unnormalized && typ.Dim.IsCube() {
		return fmt.Errorf("%w: pixel coordinates in a cube", ErrUnsupported)
	}
	if x == nil {
		for i := range lanes(res) {
			t.set(res, i, 0)
		}
		return nil
	}
	number := func(arg, i int) float64 { return ir.BitsFloat(ir.F32, t.get(in.Args[arg], i)) }
	l := lookup{x: x, f: f, s: &s, n: typ.Dim.SampleCoords(), shots: 1, least: math.Inf(-1)}
	l.get = func(texel []byte, i int) float64 {
		if typ.Dim.IsDepth() {
			i = 0
		}
		return f.number(texel, i)
	}
	derivatives := map[ir.Op]int{ir.OpTexSampleGrad: 4, ir.OpTexLOD: 3}[in.Op]
	for i := range l.n {
		l.pos[i] = number(2, i)
		if derivatives > 0 {
			l.dx[i], l.dy[i] = number(derivatives, i), number(derivatives+1, i)
		}
	}
	l.layer = int64(int32(t.get(in.Args[3], 0)))
	if typ.Dim.IsCube() {
		l.face()
	} else { // the array index is clamped to the layers there are
		l.layer = min(max(l.layer, 0), max(1, int64(x.Layers))-1)
	}
	offset := in.Args[len(in.Args)-1]
	for i := range lanes(offset) {
		l.offset[i] = int64(int32(t.get(offset, i)))
	}
	value := func(i int) float64 { return l.filtered(i) }
	switch in.Op {
	case ir.OpTexLOD:
		t.set(res, 0, num.Round(ir.F32, l.level0()))
		return nil
	case ir.OpTexSample:
		l.lod = number(4, 0)
	case ir.OpTexSampleGrad:
		l.least = number(6, 0)
		l.footprint()
	case ir.OpTexCompare, ir.OpTexGatherCompare:
		ref := number(4, 0)
		if in.Op == ir.OpTexCompare {
			l.lod = number(5, 0)
		}
		l.get = func(texel []byte, _ int) float64 { return compare(s.Compare, ref, f.number(texel, 0)) }
	}
	if in.Op == ir.OpTexGather || in.Op == ir.OpTexGatherCompare {
		value = func(i int) float64 { return l.corner(i, int(in.Imm)) }
	}
	for i := range lanes(res) {
		if v := value(i); res.Type.Kind.IsFloat() {
			t.set(res, i, num.Round(res.Type.Kind, v))
		} else {
			t.set(res, i, uint64(int64(v))&(^uint64(0)>>(64-res.Type.Kind.Bits())))
		}
	}
	return nil
}

// compare returns 1 if the reference stands to the depth as the function says, else 0.
func compare(fn string, ref, depth float64) float64 {
	ok := false
	switch fn {
	case "less":
		ok = ref < depth
	case "less_equal":
		ok = ref <= depth
	case "greater":
		ok = ref > depth
	case "greater_equal":
		ok = ref >= depth
	case "equal":
		ok = ref == depth
	case "not_equal":
		ok = ref != depth
	case "always":
		ok = true
	}
	return float64(num.Truth(ok))
}

// lookup is one look at a texture.
type lookup struct {
	x      *Texture
	f      format
	s      *ir.SamplerState
	n      int // coordinates
	pos    [3]float64
	dx, dy [3]float64 // the position's derivatives
	layer  int64
	offset [3]int64
	lod    float64
	least  float64 // level at least, from min_lod_clamp
	shots  int     // of an anisotropic filter: samples along step
	step   [3]float64
	get    func(texel []byte, component int) float64
}

// face turns a direction and its derivatives into a face and a position on it. Filters stay on the face.
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

// steps returns how many texels of level 0 the position moves by each of its derivatives.
func (l *lookup) steps() (x, y float64) {
	size := l.x.dim(0)
	for i := range l.n {
		scale := float64(size[i])
		if l.s.Unnormalized {
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

// footprint finds the level of detail from the derivatives, and where an anisotropic filter looks.
func (l *lookup) footprint() {
	x, y := l.steps()
	long, short := max(x, y), min(x, y)
	if l.s.Anisotropy > 1 && long > short {
		l.shots = min(l.s.Anisotropy, int(math.Ceil(min(long/short, 16))))
		if l.step = l.dx; y > x {
			l.step = l.dy
		}
	}
	l.lod = math.Log2(long / float64(l.shots))
}

// filtered returns component i of the filtered value.
func (l *lookup) filtered(i int) float64 {
	lod := l.lod + float64(l.s.LODBias)
	if c := l.s.LODClamp; c != [2]float32{} {
		lod = min(max(lod, float64(c[0])), float64(c[1]))
	}
	lod = max(lod, l.least)
	middle, sum := l.pos, 0.0
	for shot := range l.shots {
		for a := range l.n {
			l.pos[a] = middle[a] + float64(l.step[a]*((float64(shot)+0.5)/float64(l.shots)-0.5))
		}
		sum = l.reduce(sum, l.mips(lod, i), 1/float64(l.shots), shot == 0)
	}
	l.pos = middle
	return sum
}

// reduce takes a value with a weight into a sum, or into a minimum or maximum.
func (l *lookup) reduce(sum, v, weight float64, first bool) float64 {
	switch {
	case l.s.Reduction == "minimum" && !first:
		return min(sum, v)
	case l.s.Reduction == "maximum" && !first:
		return max(sum, v)
	case l.s.Reduction == "minimum", l.s.Reduction == "maximum", weight == 1:
		return v
	}
	return sum + float64(weight*v)
}

// mips returns component i of the filtered value at a level of detail.
func (l *lookup) mips(lod float64, i int) float64 {
	linear := l.s.MinLinear
	if !(lod > 0) {
		lod, linear = 0, l.s.MagLinear
	}
	top := float64(len(l.x.Levels) - 1)
	switch l.s.Mip {
	case "nearest":
		return l.level(int(min(math.Floor(lod+0.5), top)), linear, i)
	case "linear":
		lod = min(lod, top)
		low := math.Floor(lod)
		a := l.level(int(low), linear, i)
		if part := lod - low; part > 0 {
			b := l.level(int(low)+1, linear, i)
			if l.s.Reduction == "minimum" || l.s.Reduction == "maximum" {
				return l.reduce(a, b, 1, false)
			}
			return a + float64(part*(b-a))
		}
		return a
	}
	return l.level(0, linear, i)
}

// coordinate returns a position on an axis of n texels in texels.
func (l *lookup) coordinate(axis, n int) float64 {
	p := l.pos[axis]
	if !l.s.Unnormalized {
		p *= float64(n)
	}
	if p != p {
		return 0
	}
	return min(max(p, -1<<30), 1<<30) + float64(l.offset[axis])
}

// wrap brings a texel's number into 0 to n-1, or returns false where the border is.
func wrap(mode string, i int64, n int) (uint64, bool) {
	size := int64(n)
	switch mode {
	case "repeat":
		i = (i%size + size) % size
	case "mirrored_repeat":
		i = (i%(2*size) + 2*size) % (2 * size)
		i = min(i, 2*size-1-i)
	case "clamp_to_zero", "clamp_to_border":
		return uint64(i), i >= 0 && i < size
	}
	return uint64(min(max(i, 0), size-1)), true
}

// level returns component i of the filtered value at a level.
func (l *lookup) level(level int, linear bool, i int) float64 {
	size := l.x.dim(level)
	var first [3]int64
	var part [3]float64
	for a := range l.n {
		p := l.coordinate(a, size[a])
		if linear {
			p -= 0.5
		}
		low := math.Floor(p)
		if first[a] = int64(low); linear {
			part[a] = p - low
		}
	}
	sum, fresh := 0.0, true
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
			sum, fresh = l.reduce(sum, l.fetch(at, level, i), weight, fresh), false
		}
	}
	return sum
}

// fetch returns component i of a texel, which may lie outside.
func (l *lookup) fetch(at [3]int64, level, i int) float64 {
	size := l.x.dim(level)
	var in [3]uint64
	for a := range l.n {
		var ok bool
		if in[a], ok = wrap(l.s.Address[a], at[a], size[a]); !ok {
			return l.border(i, l.s.Address[a])
		}
	}
	if texel := l.x.texel(l.f, in, uint64(l.layer), uint64(level), 0); texel != nil {
		return l.get(texel, i)
	}
	return 0
}

// border returns component i of what lies outside.
func (l *lookup) border(i int, mode string) float64 {
	switch {
	case mode == "clamp_to_zero":
		return 0
	case l.s.Border == "opaque_white":
		return 1
	case l.s.Border == "opaque_black":
		return float64(num.Truth(i == 3))
	}
	return 0
}

// corner returns component of the texel in corner i of the four that a linear filter reads, in Metal's order.
func (l *lookup) corner(i, component int) float64 {
	size := l.x.dim(0)
	var at [3]int64
	for a := range min(l.n, 2) {
		at[a] = int64(math.Floor(l.coordinate(a, size[a]) - 0.5))
	}
	at[0] += int64([]int{0, 1, 1, 0}[i])
	at[1] += int64([]int{1, 1, 0, 0}[i])
	return l.fetch(at, 0, component)
}
