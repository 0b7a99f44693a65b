package texel

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// View is one layer of a level of an image, for code that reads and writes texels by itself.
type View struct {
	Shape    Shape
	Readable bool
	Writable bool
	Data     []byte // from the first texel on: all texels inside of Size are in it
	Size     [3]int
	Row      int // bytes from one row to the next
	Plane    int
	Texel    int // bytes of a texel: 1, 2, 4, 8 or 16
	// For each component, how many bits it is above the lowest of its word: components of 32 bits
	// are words, the other formats have a word for each four bytes.
	Shift   [4]int
	Present [4]bool
	Curve   *Curve    // of CurvedBytes
	Lacking [4]uint32 // what a component reads as that the format lacks
}

// Shape is a layout of texels whose components all have the same size.
type Shape uint8

// The shapes.
const (
	Bytes       Shape = iota + 1 // normalized, without srgb
	CurvedBytes                  // the same with srgb
	Halves                       // 16-bit floats, component after component
	Words                        // 32-bit floats or integers, component after component
)

// maxView is the size in bytes from which on a layer has no View, so that offsets have 31 bits.
const maxView = math.MaxInt32

// View returns a layer of a level as type t shows it; ok is false if the image's format has no
// Shape, or not all of the layer's texels are in memory.
func (x *Image) View(t ir.Type, layer, level uint32) (v View, ok bool) {
	if x == nil || t.Dim.IsMultisample() || x.Samples != 1 || uint64(level) >= uint64(len(x.Levels)) ||
		uint64(layer) >= uint64(x.Layers) {
		return v, false
	}
	f, m := &x.Format, &x.Levels[level]
	number := false
	switch f.fast {
	case bytesShape:
		if v.Shape = Bytes; f.srgb {
			v.Shape, v.Curve = CurvedBytes, curveOf(t.Elem)
		}
	case halfShape:
		v.Shape = Halves
	case floatShape:
		v.Shape = Words
	case numberShape:
		v.Shape, number = Words, true
	default:
		return v, false
	}
	if number != (t.Elem == ir.I32) || !number && t.Elem != ir.F32 && t.Elem != ir.F16 || m.Row < 0 || m.Plane < 0 {
		return v, false
	}
	v.Size, v.Row, v.Plane, v.Texel = x.Size(int(level)), m.Row, m.Plane, f.bytes
	first, last := int(layer)*m.Layer, f.bytes
	for i, step := range [3]int{f.bytes, m.Row, m.Plane} {
		if n := v.Size[i] - 1; n > 0 && step > maxView/n {
			return v, false
		} else {
			last += n * step
		}
	}
	if first < 0 || last > maxView || first > len(m.Data) || last > len(m.Data)-first {
		return v, false
	}
	v.Data = m.Data[first:]
	for i, p := range f.fields {
		v.Present[i] = p.bits != 0
		switch v.Shape {
		case Bytes, CurvedBytes:
			v.Shift[i] = p.at
		case Halves:
			v.Shift[i] = p.at % 32
		}
	}
	if v.Lacking[3] = 1; !number {
		v.Lacking[3] = math.Float32bits(1)
	}
	v.Readable, v.Writable = x.Swizzle == nil, !x.ReadOnly
	return v, true
}

// SampleView is what code that samples a plane of an image by itself needs: where texels are, and
// how positions become theirs.
type SampleView struct {
	View
	Linear bool       // four texels are weighted; otherwise the nearest is taken
	Scale  [2]float64 // of positions, to texels
	Clamp  bool       // the nearest texel is in the place of one outside
}

// maxSampled is the greatest width and height of an image with a SampleView: between two floats
// whose products with it have a distance, that is no less than the last bit of a double near 1.
const maxSampled = 1 << 16

// SampleView returns what a sample with the operands in k, but for the position, looks at; ok is
// false if that is not one level of a plane with a View.
func (x *Image) SampleView(s *Sampler, k *Look) (v SampleView, ok bool) {
	if s == nil {
		s = &Sampler{}
	}
	level, between, ok := x.onePlane(s, k)
	if !ok {
		return v, false
	}
	if v.View, ok = x.View(k.Type, uint32(x.layerOf(k)), uint32(level)); !ok || !v.Readable {
		return v, false
	}
	v.Linear, v.Clamp, v.Scale = between, true, [2]float64{1, 1}
	for i := range v.Scale {
		if v.Size[i] > maxSampled {
			return v, false
		}
		if !s.unnormalized {
			v.Scale[i] = float64(v.Size[i])
		}
		v.Clamp = v.Clamp && s.address[i] == clampToEdge
	}
	return v, true
}
