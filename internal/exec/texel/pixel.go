package texel

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// get returns a field of a texel.
func (p field) get(texel []byte) uint64 {
	var v uint64
	for i := (p.at + p.bits - 1) / 8; i >= p.at/8; i-- {
		v = v<<8 | uint64(texel[i])
	}
	return v >> (p.at % 8) & (1<<p.bits - 1)
}

// put sets a field of a texel.
func (p field) put(texel []byte, v uint64) {
	for i := range p.bits {
		at := p.at + i
		texel[at/8] = texel[at/8]&^(1<<(at%8)) | byte(v>>i&1)<<(at%8)
	}
}

// number returns component i of a texel as a number. A component that the format lacks is 0, or 1
// for alpha.
func (f *Format) number(texel []byte, i int) float64 {
	p := f.fields[i]
	if p.bits == 0 {
		return float64(num.Truth(i == 3))
	}
	bits := p.get(texel)
	switch f.kind {
	case formatUnorm:
		if f.srgb && i < 3 {
			return curvedLevels()[bits]
		}
		return float64(bits) / float64(uint64(1)<<p.bits-1)
	case formatSnorm:
		return max(float64(num.Signed(bits, p.bits))/float64(uint64(1)<<(p.bits-1)-1), -1)
	case formatUint:
		return float64(bits)
	case formatSint:
		return float64(num.Signed(bits, p.bits))
	case formatShared:
		return math.Ldexp(float64(bits), int(sharedExponent.get(texel))-24)
	}
	switch p.bits {
	case 32:
		return ir.BitsFloat(ir.F32, bits)
	case 16:
		return ir.F16Float(uint16(bits))
	}
	return ir.F16Float(uint16(bits << (15 - p.bits))) // a half without a sign and with a shorter mantissa
}

// sharedExponent is the field of the common exponent in rgb9e5.
var sharedExponent = field{27, 5}

// component returns component i of a texel as the program sees it: a number of kind k.
func (f *Format) component(texel []byte, i int, k ir.Kind) uint64 {
	switch {
	case k.IsFloat():
		return num.Round(k, f.number(texel, i))
	case k == ir.I64 && i == 0 && f.isInt() && f.bytes == 8:
		return getBits(k, texel)
	case k == ir.I64:
		return num.Truth(i == 3)
	}
	return uint64(int64(f.number(texel, i))) & (^uint64(0) >> (64 - k.Bits()))
}

// store writes a texel, given as four numbers of kind k.
func (f *Format) store(texel []byte, k ir.Kind, v [4]uint64) {
	if k == ir.I64 {
		if f.isInt() && f.bytes == 8 {
			putBits(k, texel, v[0])
		}
		return
	}
	if f.kind == formatShared {
		f.storeShared(texel, k, v)
		return
	}
	for i, p := range f.fields {
		if p.bits > 0 {
			p.put(texel, f.encode(p, i, k, v[i]))
		}
	}
}

// encode returns a field's bits for a number of kind k.
func (f *Format) encode(p field, i int, k ir.Kind, v uint64) uint64 {
	top := float64(uint64(1)<<p.bits - 1)
	switch x := ir.BitsFloat(k, v); f.kind {
	case formatUint:
		return min(v, 1<<p.bits-1)
	case formatSint:
		return num.ClampSigned(num.Signed(v, k.Bits()), p.bits) & (1<<p.bits - 1)
	case formatFloat:
		switch p.bits {
		case 32:
			return num.Round(ir.F32, x)
		case 16:
			return num.Round(ir.F16, x)
		}
		return smallFloat(x, p.bits-5)
	default:
		low := 0.0
		if f.kind == formatSnorm {
			low, top = -1, float64(uint64(1)<<(p.bits-1)-1)
		}
		if x != x {
			x = 0
		}
		if f.srgb && i < 3 {
			return uint64(curvedByte(float32(x)))
		}
		x = min(max(x, low), 1)
		return uint64(int64(math.RoundToEven(x*top))) & (1<<p.bits - 1)
	}
}

// smallFloat converts a number to an unsigned float with five exponent bits and the given number of
// mantissa bits. Negative numbers become 0, and finite ones never become infinity.
func smallFloat(x float64, mantissa int) uint64 {
	infinity := uint64(31) << mantissa
	switch {
	case x != x:
		return infinity | 1<<(mantissa-1)
	case math.IsInf(x, 1):
		return infinity
	case x <= 0:
		return 0
	}
	_, e := math.Frexp(x)
	e = max(e-1, -14) // exponent for one digit before the point; smaller numbers are denormals
	scaled := math.RoundToEven(math.Ldexp(x, mantissa-e))
	// the mantissa's leading bit increments the exponent, also for denormals
	bits := uint64(max(e+14, 0))<<mantissa + uint64(scaled)
	return min(bits, infinity-1)
}

// storeShared writes a texel of rgb9e5: the greatest component settles the exponent.
func (f *Format) storeShared(texel []byte, k ir.Kind, v [4]uint64) {
	const bias, mantissa, largest = 15, 9, 65408
	var x [3]float64
	top := 0.0
	for i := range x {
		if c := ir.BitsFloat(k, v[i]); c > 0 {
			x[i] = min(c, largest)
		}
		top = max(top, x[i])
	}
	e := -bias - 1
	if top > 0 {
		_, n := math.Frexp(top)
		e = max(e, n-1)
	}
	e += 1 + bias
	if math.Floor(math.Ldexp(top, bias+mantissa-e)+0.5) == 1<<mantissa {
		e++
	}
	sharedExponent.put(texel, uint64(e))
	for i, c := range x {
		f.fields[i].put(texel, uint64(math.Floor(math.Ldexp(c, bias+mantissa-e)+0.5)))
	}
}

// numbers returns all components of a texel.
func (f *Format) numbers(texel []byte) (v [4]float64) {
	switch f.fast {
	case bytesShape:
		v[3] = 1
		for i, p := range f.fields {
			if p.bits != 0 {
				v[i] = f.levels(i)[texel[p.at/8]]
			}
		}
		return v
	case floatShape:
		v[3] = 1
		for i := range len(texel) / 4 {
			v[i] = ir.BitsFloat(ir.F32, uint64(binary.LittleEndian.Uint32(texel[4*i:])))
		}
		return v
	}
	for i := range v {
		v[i] = f.number(texel, i)
	}
	return v
}

// read returns a texel as a program sees it: four numbers of kind k.
func (f *Format) read(texel []byte, k ir.Kind) (v [4]uint64) {
	switch {
	case f.fast == numberShape && k == ir.I32:
		v[3] = 1
		for i := range len(texel) / 4 {
			v[i] = uint64(binary.LittleEndian.Uint32(texel[4*i:]))
		}
		return v
	case f.fast == bytesShape && k == ir.F32, f.fast == floatShape && k == ir.F32:
		for i, x := range f.numbers(texel) {
			v[i] = num.Round(ir.F32, x)
		}
		return v
	}
	for i := range v {
		v[i] = f.component(texel, i, k)
	}
	return v
}

// write replaces a texel, given as four numbers of kind k.
func (f *Format) write(texel []byte, k ir.Kind, v *[4]uint64) {
	switch {
	case f.fast == numberShape && k == ir.I32:
		for i := range len(texel) / 4 {
			binary.LittleEndian.PutUint32(texel[4*i:], uint32(v[i]))
		}
	case f.fast == floatShape && k == ir.F32:
		for i := range len(texel) / 4 {
			x := uint32(v[i])
			if x&0x7fffffff > 0x7f800000 {
				x = 0x7fc00000
			}
			binary.LittleEndian.PutUint32(texel[4*i:], x)
		}
	case f.fast == bytesShape && k == ir.F32:
		for i, p := range f.fields {
			if p.bits != 0 {
				texel[p.at/8] = byte(f.encode(p, i, k, v[i]))
			}
		}
	default:
		f.store(texel, k, *v)
	}
}

// getBits reads an integer of kind k from a texel.
func getBits(k ir.Kind, b []byte) uint64 {
	switch k.Size() {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func putBits(k ir.Kind, b []byte, bits uint64) {
	switch k.Size() {
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(bits))
	case 8:
		binary.LittleEndian.PutUint64(b, bits)
	}
}
