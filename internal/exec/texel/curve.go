package texel

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// The sRGB curve has 256 values to read, and a number to be written becomes one of 256 bytes: all
// of them are computed once, by the formulas that Metal specifies.

// fromCurve returns the number that a component of an sRGB format, 0 to 1, stands for.
func fromCurve(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// toCurve is the opposite of fromCurve.
func toCurve(x float64) float64 {
	if x <= 0.0031308 {
		return x * 12.92
	}
	return float64(1.055*math.Pow(x, 1/2.4)) - 0.055
}

// linearLevels are the numbers that bytes stand for in linear formats.
var linearLevels = sync.OnceValue(func() *[256]float64 {
	var t [256]float64
	for i := range t {
		t[i] = float64(i) / 255
	}
	return &t
})

// curvedLevels are the numbers that bytes stand for in sRGB formats.
var curvedLevels = sync.OnceValue(func() *[256]float64 {
	t := *linearLevels()
	for i, c := range t {
		t[i] = fromCurve(c)
	}
	return &t
})

// levels returns the numbers that bytes stand for: the table of a component of bytes.
func (f *Format) levels(component int) *[256]float64 {
	if f.srgb && component < 3 {
		return curvedLevels()
	}
	return linearLevels()
}

// Floats are the same bucket of curvedBytes if their upper 16 bits are the same. Below the first
// bucket everything becomes 0, and the last one has only the number 1.
const (
	CurveLeast  = 0x39000000               // the bits of 2^-13
	CurveBucket = CurveLeast >> bucketBits // the number of the first bucket

	bucketBits = 16
	bucketLast = 0x3f800000 >> bucketBits
)

// curvedBytes says which byte a number becomes. In no bucket are numbers of more than two, so that
// the lower bits of the number, added to the bucket's, carry into the upper half from the first
// number on that becomes the greater one. The upper half is the byte.
var curvedBytes = sync.OnceValue(func() *[bucketLast - CurveBucket + 1]uint32 {
	var t [bucketLast - CurveBucket + 1]uint32
	byteOf := func(bits uint32) uint32 {
		return uint32(math.RoundToEven(toCurve(float64(math.Float32frombits(bits))) * 255))
	}
	for i := range t {
		first := uint32(CurveBucket+i) << bucketBits
		low := byteOf(first)
		t[i] = low << bucketBits
		if i == len(t)-1 {
			break
		}
		from, to := uint32(0), uint32(1)<<bucketBits // the first number that becomes more is between
		for from+1 < to {
			if mid := (from + to) / 2; byteOf(first+mid) > low {
				to = mid
			} else {
				from = mid
			}
		}
		t[i] += 1<<bucketBits - to
	}
	return &t
})

// curvedByte converts a number between 0 and 1 to a byte of an sRGB format.
func curvedByte(v float32) byte {
	least := math.Float32frombits(CurveLeast)
	if !(v > least) { // a NaN too
		return 0
	}
	bits := math.Float32bits(min(v, 1))
	return byte((curvedBytes()[bits>>bucketBits-CurveBucket] + bits&(1<<bucketBits-1)) >> bucketBits)
}

// Curve is the tables of sRGB formats, for code that reads and writes texels by itself.
type Curve struct {
	Read    []byte // for each byte, the float that a read gives
	Sampled []byte // for each byte, the double that is weighted
	Written []byte // curvedBytes
}

// curves are for floats and for halves, which are rounded once.
var curves = sync.OnceValue(func() *[2]Curve {
	var c [2]Curve
	for i, k := range []ir.Kind{ir.F32, ir.F16} {
		for _, x := range curvedLevels() {
			c[i].Sampled = binary.LittleEndian.AppendUint64(c[i].Sampled, math.Float64bits(x))
			x = ir.BitsFloat(k, num.Round(k, x))
			c[i].Read = binary.LittleEndian.AppendUint32(c[i].Read, math.Float32bits(float32(x)))
		}
		for _, x := range curvedBytes() {
			c[i].Written = binary.LittleEndian.AppendUint32(c[i].Written, x)
		}
	}
	return &c
})

func curveOf(k ir.Kind) *Curve {
	if k == ir.F16 {
		return &curves()[1]
	}
	return &curves()[0]
}
