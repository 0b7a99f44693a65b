package tensor_test

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/compute/tensor"
)

// The unpackers of this file are the reference for packed weights: they take a block at a time, as
// the formats are described, and share nothing with the kernels.

// f16 returns a number of half precision.
func f16(b []byte) float32 {
	bits := int(binary.LittleEndian.Uint16(b))
	sign, e, m := 1-2*(bits>>15), bits>>10&31, bits&1023
	switch e {
	case 0:
		return float32(math.Copysign(math.Ldexp(float64(m), -24), float64(sign)))
	case 31:
		if m == 0 {
			return float32(math.Inf(sign))
		}
		return float32(math.NaN())
	}
	return float32(sign) * float32(math.Ldexp(float64(1024+m), e-25))
}

// split returns the low nibbles of bytes and then the high ones.
func split(b []byte) []int {
	q := make([]int, 2*len(b))
	for i, x := range b {
		q[i], q[len(b)+i] = int(x&15), int(x>>4)
	}
	return q
}

// pairs returns the pairs of bits of bytes, 32 bytes at a time: their lowest pairs first.
func pairs(b []byte) (q []int) {
	for ; len(b) > 0; b = b[32:] {
		for shift := 0; shift < 8; shift += 2 {
			for _, x := range b[:32] {
				q = append(q, int(x>>shift&3))
			}
		}
	}
	return q
}

// times is the product of numbers, each rounded to float32.
func times(a, b float32) float32 { return float32(a * b) }

// linear returns q*d + m for each q.
func linear(q []int, d, m float32) []float32 {
	y := make([]float32, len(q))
	for i, q := range q {
		y[i] = float32(times(d, float32(q)) + m)
	}
	return y
}

// scaled returns (q-zero)*d for each q.
func scaled(q []int, d float32, zero int) []float32 {
	y := make([]float32, len(q))
	for i, q := range q {
		y[i] = times(d, float32(q-zero))
	}
	return y
}

// sixBits returns the 6-bit scales and mins of q4_K and q5_K.
func sixBits(b []byte) (scales, mins [8]float32) {
	for j := range 4 {
		scales[j], mins[j] = float32(b[j]&63), float32(b[4+j]&63)
		scales[4+j] = float32(b[8+j]&15 | b[j]>>6<<4)
		mins[4+j] = float32(b[8+j]>>4 | b[4+j]>>6<<4)
	}
	return scales, mins
}

var fourBits = [16]int{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// e2m1Values are the numbers of four bits.
var e2m1Values = [16]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, math.Copysign(0, -1), -0.5, -1, -1.5, -2, -3, -4, -6}

// e4m3Value returns a number of eight bits.
func e4m3Value(x byte) float64 {
	e, m := int(x>>3&15), float64(x&7)
	v := math.Ldexp(m, -9)
	if e > 0 {
		v = math.Ldexp(8+m, e-10)
	}
	if x > 127 {
		v = -v
	}
	return v
}

// unpackBlock returns the elements of a block of a GGUF format.
func unpackBlock(f tensor.Format, b []byte) (y []float32) {
	switch f {
	case tensor.PackedF32:
		return []float32{math.Float32frombits(binary.LittleEndian.Uint32(b))}
	case tensor.PackedF16:
		return []float32{f16(b)}
	case tensor.PackedBF16:
		return []float32{math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)}
	case tensor.Q4_0:
		return scaled(split(b[2:]), f16(b), 8)
	case tensor.Q4_1:
		return linear(split(b[4:]), f16(b), f16(b[2:]))
	case tensor.Q5_0:
		return scaled(fifth(split(b[6:]), binary.LittleEndian.Uint32(b[2:])), f16(b), 16)
	case tensor.Q5_1:
		return linear(fifth(split(b[8:]), binary.LittleEndian.Uint32(b[4:])), f16(b), f16(b[2:]))
	case tensor.Q8_0:
		for _, q := range b[2:] {
			y = append(y, times(f16(b), float32(int8(q))))
		}
	case tensor.Q2_K:
		d, dmin := f16(b[80:]), f16(b[82:])
		for i, q := range pairs(b[16:80]) {
			s := b[i/16]
			y = append(y, float32(times(times(d, float32(s&15)), float32(q))-times(dmin, float32(s>>4))))
		}
	case tensor.Q3_K:
		scales := split(b[96:104])
		for i := range scales {
			scales[i] |= int(b[104+i%4]>>(2*(i/4))&3) << 4
		}
		for i, q := range pairs(b[32:96]) {
			if b[i%32]>>(i/32)&1 == 0 {
				q -= 4
			}
			y = append(y, times(times(f16(b[108:]), float32(scales[i/16]-32)), float32(q)))
		}
	case tensor.Q4_K, tensor.Q5_K:
		scales, mins := sixBits(b[4:])
		codes := b[16:]
		if f == tensor.Q5_K {
			codes = b[48:]
		}
		for j := range 8 {
			q := split(codes[j/2*32 : j/2*32+32])[j%2*32 : j%2*32+32]
			if f == tensor.Q5_K {
				for l := range q {
					q[l] += 16 * int(b[16+l]>>j&1)
				}
			}
			y = append(y, linear(q, times(f16(b), scales[j]), -times(f16(b[2:]), mins[j]))...)
		}
	case tensor.Q6_K:
		low := append(split(b[:64]), split(b[64:128])...)
		for i, high := range pairs(b[128:192]) {
			s := times(f16(b[208:]), float32(int8(b[192+i/16])))
			y = append(y, times(s, float32(low[i]+16*high-32)))
		}
	case tensor.IQ4_NL:
		for _, q := range split(b[2:]) {
			y = append(y, times(f16(b), float32(fourBits[q])))
		}
	case tensor.IQ4_XS:
		upper := binary.LittleEndian.Uint16(b[2:])
		for j := range 8 {
			s := int(b[4+j/2]>>(4*(j%2))&15) + 16*int(upper>>(2*j)&3)
			for _, q := range split(b[8+16*j : 24+16*j]) {
				y = append(y, times(times(f16(b), float32(s-32)), float32(fourBits[q])))
			}
		}
	case tensor.TQ1_0:
		trits := func(b []byte, n int) (q []int) {
			for k, power := 0, 1; k < n; k, power = k+1, power*3 {
				for _, x := range b {
					q = append(q, int(x)*power%256*3/256)
				}
			}
			return q
		}
		q := append(append(trits(b[:32], 5), trits(b[32:48], 5)...), trits(b[48:52], 4)...)
		return scaled(q, f16(b[52:]), 1)
	case tensor.TQ2_0:
		return scaled(pairs(b[:64]), f16(b[64:]), 1)
	case tensor.MXFP4:
		for _, q := range split(b[1:]) {
			y = append(y, float32(math.Ldexp(e2m1Values[q]+0, int(b[0])-127))) // + 0: no negative zero
		}
	case tensor.NVFP4:
		for j := range 4 {
			s := e4m3Value(b[j] & 127)
			if b[j] == 127 { // but not 255
				s = 0
			}
			for _, q := range split(b[4+8*j : 12+8*j]) {
				y = append(y, times(float32(e2m1Values[q]+0), float32(s)))
			}
		}
	}
	return y
}

// fifth adds the fifth bits of q.
func fifth(q []int, bits uint32) []int {
	for i := range q {
		q[i] += 16 * int(bits>>i&1)
	}
	return q
}

// unpackRows returns the elements of rows of blocks.
func unpackRows(f tensor.Format, data []byte) (y []float32) {
	_, n := f.Block()
	for ; len(data) > 0; data = data[n:] {
		y = append(y, unpackBlock(f, data[:n])...)
	}
	return y
}

// unpackI2S returns the elements of an I2_S tensor.
func unpackI2S(data []byte, elements int) []float32 {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(data[elements/4:]))
	y := make([]float32, 0, elements)
	for b := data[:elements/4]; len(b) > 0; b = b[32:] {
		for shift := 6; shift >= 0; shift -= 2 {
			for _, x := range b[:32] {
				switch c := x >> shift & 3; c {
				case 3:
					y = append(y, 0)
				default:
					y = append(y, times(scale, float32(int(c)-1)))
				}
			}
		}
	}
	return y
}

// stream returns codes of some bits each, the lowest bits of the first word first.
func stream(words []uint32, bits, n int) []int {
	q := make([]int, n)
	for i := range n * bits {
		q[i/bits] |= int(words[i/32]>>(i%32)&1) << (i % bits)
	}
	return q
}
