package ref

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// sample carries out an operation that looks at a texture through a sampler.
func (t *thread) sample(in *ir.Instr, x *Texture, f format) error {
	typ, res := in.Args[0].Type, in.Results[0]
	s := t.samplerOf(in.Args[1])
	l := lookup{x: x, f: f, s: &s, n: typ.Dim.SampleCoords()}
	for i := range l.n {
		l.pos[i] = ir.BitsFloat(ir.F32, t.get(in.Args[2], i))
	}
	l.layer = int64(int32(t.get(in.Args[3], 0)))
	if typ.Dim.IsCube() {
		l.face()
	} else if n := int64(1); x != nil {
		// The array index is clamped to the layers there are.
		n = max(n, int64(x.Layers))
		l.layer = min(max(l.layer, 0), n-1)
	}
	switch {
	case s.Anisotropy > 1:
		return fmt.Errorf("%w: anisotropic filtering", ErrUnsupported)
	case s.Unnormalized && typ.Dim.IsCube():
		return fmt.Errorf("%w: pixel coordinates in a cube", ErrUnsupported)
	}
	offset := in.Args[len(in.Args)-1]
	for i := range lanes(offset) {
		l.offset[i] = int64(int32(t.get(offset, i)))
	}
	lod := 0.0
	get := func(texel []byte, i int) float64 {
		if typ.Dim.IsDepth() {
			i = 0
		}
		return f.number(texel, i)
	}
	switch in.Op {
	case ir.OpTexSample:
		lod = ir.BitsFloat(ir.F32, t.get(in.Args[4], 0))
	case ir.OpTexCompare, ir.OpTexGatherCompare:
		ref := ir.BitsFloat(ir.F32, t.get(in.Args[4], 0))
		if in.Op == ir.OpTexCompare {
			lod = ir.BitsFloat(ir.F32, t.get(in.Args[5], 0))
		}
		get = func(texel []byte, _ int) float64 { return compare(s.Compare, ref, f.number(texel, 0)) }
	}
	if x == nil {
		for i := range lanes(res) {
			t.set(res, i, 0)
		}
		return nil
	}
	l.get = get
	for i := range lanes(res) {
		var v float64
		if in.Op == ir.OpTexGather || in.Op == ir.OpTexGatherCompare {
			v = l.corner(i, int(in.Imm))
		} else {
			v = l.filtered(lod, i)
		}
		if res.Type.Kind.IsFloat() {
			t.set(res, i, round(res.Type.Kind, v))
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
	return float64(bit(ok))
}

// lookup is one look at a texture.
type lookup struct {
	x      *Texture
	f      format
	s      *ir.SamplerState
	n      int // coordinates
	pos    [3]float64
	layer  int64
	offset [3]int64
	get    func(texel []byte, component int) float64
}

// face turns a direction into a face and a position on it. Filters stay on the face.
func (l *lookup) face() {
	x, y, z := l.pos[0], l.pos[1], l.pos[2]
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	var face int64
	var u, v, major float64
	switch {
	case ax >= ay && ax >= az:
		major = ax
		if face, u, v = 0, -z, -y; x < 0 {
			face, u = 1, z
		}
	case ay >= az:
		major = ay
		if face, u, v = 2, x, z; y < 0 {
			face, v = 3, -z
		}
	default:
		major = az
		if face, u, v = 4, x, -y; z < 0 {
			face, u = 5, -x
		}
	}
	if cubes := int64(1); l.x != nil {
		cubes = max(cubes, int64(l.x.Layers)/6)
		l.layer = 6*min(max(l.layer/6, 0), cubes-1) + face
	}
	l.n = 2
	l.pos = [3]float64{(u/major + 1) / 2, (v/major + 1) / 2}
}

// filtered returns component i of the filtered value at a level of detail.
func (l *lookup) filtered(lod float64, i int) float64 {
	if c := l.s.LODClamp; c != [2]float32{} {
		lod = min(max(lod, float64(c[0])), float64(c[1]))
	}
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
			return a + float64(part*(l.level(int(low)+1, linear, i)-a))
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
	sum := 0.0
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
			sum += float64(weight * l.fetch(at, level, i))
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
		return float64(bit(i == 3))
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
