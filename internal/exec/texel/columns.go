package texel

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// Columns are texels that many threads read or write at one level and layer of an image: element i
// of each column belongs to thread i. Columns of coordinates that the image lacks are nil.
type Columns struct {
	At     [3][]uint32
	Values [4][]uint32 // 32-bit floats or integers; unwanted ones are nil
	places []int32     // position of each texel in the level's memory, -1 for none
}

// ReadColumns is Read for each thread. It returns false, and does nothing, if it has no loop for
// the image's format and the kind of the numbers.
func (x *Image) ReadColumns(t ir.Type, c *Columns, layer, level uint32) bool {
	data, ok := x.find(t, c, layer, level)
	if !ok || x.Swizzle != nil {
		return false
	}
	f := &x.Format
	for i, out := range c.Values {
		if out == nil {
			continue
		}
		p := f.fields[i]
		if t.Dim.IsDepth() {
			p = f.fields[0]
		}
		switch {
		case p.bits == 0:
			c.lacking(f, i)
		case f.fast == bytesShape:
			levels := f.levels(i)
			for l, at := range c.places {
				var v uint32
				if at >= 0 {
					v = math.Float32bits(float32(levels[data[int(at)+p.at/8]]))
				}
				out[l] = v
			}
		case f.fast == halfShape:
			for l, at := range c.places {
				var v uint32
				if at >= 0 {
					v = quiet(math.Float32bits(float32(ir.F16Float(binary.LittleEndian.Uint16(data[int(at)+p.at/8:])))))
				}
				out[l] = v
			}
		default:
			for l, at := range c.places {
				var v uint32
				if at >= 0 {
					if v = binary.LittleEndian.Uint32(data[int(at)+p.at/8:]); f.fast == floatShape {
						v = quiet(v)
					}
				}
				out[l] = v
			}
		}
	}
	return true
}

// lacking fills in component i of texels whose format lacks it: 0, or 1 for alpha.
func (c *Columns) lacking(f *Format, i int) {
	one := uint32(0)
	if i == 3 {
		if one = math.Float32bits(1); f.fast == numberShape {
			one = 1
		}
	}
	for l, at := range c.places {
		c.Values[i][l] = 0
		if at >= 0 {
			c.Values[i][l] = one
		}
	}
}

// WriteColumns is Write for each thread in a mask, which has one bit per thread.
func (x *Image) WriteColumns(t ir.Type, c *Columns, layer, level uint32, mask []uint32) bool {
	data, ok := x.find(t, c, layer, level)
	if !ok || x.ReadOnly || x.Format.fast == halfShape {
		return false
	}
	f := &x.Format
	for l, at := range c.places {
		if at < 0 || mask[l/32]>>(l%32)&1 == 0 {
			continue
		}
		texel := data[at:][:f.bytes]
		for i, p := range f.fields {
			if p.bits == 0 {
				continue
			}
			switch v := c.Values[i][l]; f.fast {
			case bytesShape:
				if texel[p.at/8] = unormByte(math.Float32frombits(v)); f.srgb && i < 3 {
					texel[p.at/8] = curvedByte(math.Float32frombits(v))
				}
			case floatShape:
				binary.LittleEndian.PutUint32(texel[p.at/8:], quiet(v))
			default:
				binary.LittleEndian.PutUint32(texel[p.at/8:], v)
			}
		}
	}
	return true
}

// unormByte converts a number between 0 and 1 to a byte.
func unormByte(v float32) byte {
	x := float64(v)
	if !(x > 0) { // a NaN too
		return 0
	}
	return byte(math.RoundToEven(min(x, 1) * 255))
}

// quiet returns the bits of a float; for a NaN, those of the default quiet NaN.
func quiet(bits uint32) uint32 {
	if bits&0x7fffffff > 0x7f800000 {
		return 0x7fc00000
	}
	return bits
}

// find computes the positions of the texels and returns the level's memory, or false if there is no
// loop for them.
func (x *Image) find(t ir.Type, c *Columns, layer, level uint32) ([]byte, bool) {
	if x == nil || t.Dim.IsMultisample() || x.Samples != 1 || uint64(level) >= uint64(len(x.Levels)) ||
		uint64(layer) >= uint64(x.Layers) {
		return nil, false
	}
	want := ir.F32
	switch x.Format.fast {
	case anyShape:
		return nil, false
	case numberShape:
		want = ir.I32
	}
	m := &x.Levels[level]
	first := int(layer) * m.Layer
	last := len(m.Data) - x.Format.bytes
	if t.Elem != want || last >= math.MaxInt32 || first < 0 || m.Row < 0 || m.Plane < 0 || first > last {
		return nil, false
	}
	n := len(c.At[0])
	if cap(c.places) < n {
		c.places = make([]int32, n)
	}
	c.places = c.places[:n]
	size, bytes := x.Size(int(level)), x.Format.bytes
	for l, cx := range c.At[0] {
		place := int32(-1)
		if uint64(cx) < uint64(size[0]) {
			place = int32(min(first+int(cx)*bytes, math.MaxInt32))
		}
		c.places[l] = place
	}
	for axis, step := range [...]int{1: m.Row, 2: m.Plane} {
		if axis == 0 || c.At[axis] == nil {
			continue
		}
		for l, at := range c.At[axis] {
			switch place := &c.places[l]; {
			case *place < 0:
			case uint64(at) >= uint64(size[axis]):
				*place = -1
			default:
				*place = int32(min(int(*place)+int(at)*step, math.MaxInt32))
			}
		}
	}
	for l, at := range c.places {
		if int(at) > last {
			c.places[l] = -1
		}
	}
	return m.Data, true
}
