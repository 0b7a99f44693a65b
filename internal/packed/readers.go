package packed

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/gemm"
)

// codes is a block as a reader gives it. An element is scale*code + added, each operation rounded,
// with the scale and what is added of its group of 16.
type codes struct {
	code         [256]int8
	scale, added [16]float32
}

// fill gives groups of 16, from the first on, one scale.
func (c *codes) fill(first, n int, scale, added float32) {
	for g := first; g < first+n; g++ {
		c.scale[g], c.added[g] = scale, added
	}
}

// nibbles reads the low nibbles of bytes and then the high ones.
func (c *codes) nibbles(at int, b []byte) {
	for i, x := range b {
		c.code[at+i], c.code[at+len(b)+i] = int8(x&15), int8(x>>4)
	}
}

// shift adds a number to the first n codes.
func (c *codes) shift(n int, by int8) {
	for i := range c.code[:n] {
		c.code[i] += by
	}
}

// look replaces codes by a table's numbers.
func (c *codes) look(at, n int, table *[16]int8) {
	for i, q := range c.code[at:][:n] {
		c.code[at+i] = table[q&15]
	}
}

var (
	iq4  = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	e2m1 = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12} // twice the numbers
)

func half(b []byte) float32 {
	return gemm.F16.Load(b)
}

// times is a product that is rounded.
func times(x, y float32) float32 { return float32(x * y) }

// halfE8M0 is half of a power of two given by its exponent, so that the largest is finite.
func halfE8M0(e byte) float32 {
	if e < 2 {
		return math.Float32frombits(0x00200000 << e)
	}
	return math.Float32frombits(uint32(e-1) << 23)
}

// e4m3 is a number of a sign, four bits of exponent and three of mantissa.
func e4m3(x byte) float32 {
	e, m := x>>3&15, float32(x&7)
	v := m * 0x1p-9
	if e > 0 {
		v = (8 + m) * math.Float32frombits(uint32(e+117)<<23)
	}
	if x&128 != 0 {
		return -v
	}
	return v
}

// sixBits returns scale and minimum j of q4_K and q5_K, of 6 bits each.
func sixBits(b []byte, j int) (scale, least float32) {
	if j < 4 {
		return float32(b[j] & 63), float32(b[j+4] & 63)
	}
	return float32(b[j+4]&15 | b[j-4]>>6<<4), float32(b[j+4]>>4 | b[j]>>6<<4)
}

// block reads a block of a format of GGUF files that has blocks. Scales that are products of scales
// are rounded first.
func (f Format) block(c *codes, b []byte) {
	switch f {
	case Q4_0, Q4_1:
		if f == Q4_0 {
			c.fill(0, 2, half(b), 0)
			c.nibbles(0, b[2:18])
			c.shift(32, -8)
			break
		}
		c.fill(0, 2, half(b), half(b[2:]))
		c.nibbles(0, b[4:20])
	case Q5_0, Q5_1:
		added, by := float32(0), int8(-16)
		high := b[2:]
		if f == Q5_1 {
			added, by, high = half(b[2:]), 0, b[4:]
		}
		c.fill(0, 2, half(b), added)
		c.nibbles(0, high[4:20])
		bits := binary.LittleEndian.Uint32(high)
		for i := range 32 {
			c.code[i] += int8(bits>>i&1)<<4 + by
		}
	case Q8_0:
		c.fill(0, 2, half(b), 0)
		for i, x := range b[2:34] {
			c.code[i] = int8(x)
		}
	case Q2_K:
		d, least := half(b[80:]), half(b[82:])
		for g, s := range b[:16] {
			c.fill(g, 1, times(d, float32(s&15)), -times(least, float32(s>>4)))
		}
		c.pairs(b[16:80])
	case Q3_K:
		c.pairs(b[32:96])
		for i := range c.code {
			if b[i%32]>>(i/32)&1 == 0 {
				c.code[i] -= 4
			}
		}
		scales, d := b[96:108], half(b[108:])
		for g := range 16 {
			s := scales[g%8]>>(g/8*4)&15 | scales[8+g%4]>>(g/4*2)&3<<4
			c.fill(g, 1, times(d, float32(int(s)-32)), 0)
		}
	case Q4_K, Q5_K:
		d, least := half(b), half(b[2:])
		for j := range 8 {
			s, m := sixBits(b[4:], j)
			c.fill(2*j, 2, times(d, s), -times(least, m))
		}
		low := b[16:]
		if f == Q5_K {
			low = b[48:]
		}
		for p := range 4 {
			c.nibbles(64*p, low[32*p:][:32])
		}
		if f == Q5_K {
			for i := range c.code {
				c.code[i] |= int8(b[16+i%32]>>(i/32)&1) << 4
			}
		}
	case Q6_K:
		d := half(b[208:])
		for g := range 16 {
			c.fill(g, 1, times(d, float32(int8(b[192+g]))), 0)
		}
		for i := range c.code {
			n, g, l := i/128, i%128/32, i%32
			low, high := b[64*n+32*(g&1)+l]>>(g/2*4)&15, b[128+32*n+l]>>(2*g)&3
			c.code[i] = int8(low|high<<4) - 32
		}
	case IQ4_NL:
		c.fill(0, 2, half(b), 0)
		c.nibbles(0, b[2:18])
		c.look(0, 32, &iq4)
	case IQ4_XS:
		d, high := half(b), binary.LittleEndian.Uint16(b[2:])
		for g := range 8 {
			s := int(b[4+g/2]>>(4*(g%2))&15) | int(high>>(2*g)&3)<<4
			c.fill(2*g, 2, times(d, float32(s-32)), 0)
			c.nibbles(32*g, b[8+16*g:][:16])
		}
		c.look(0, 256, &iq4)
	case TQ1_0:
		c.fill(0, 16, half(b[52:]), 0)
		c.trits(0, b[:32], 5)
		c.trits(160, b[32:48], 5)
		c.trits(240, b[48:52], 4)
	case TQ2_0:
		c.fill(0, 16, half(b[64:]), 0)
		c.pairs(b[:64])
		c.shift(256, -1)
	case MXFP4:
		c.fill(0, 2, halfE8M0(b[0]), 0)
		c.nibbles(0, b[1:17])
		c.look(0, 32, &e2m1)
	case NVFP4:
		for g := range 4 {
			scale := 0.5 * e4m3(b[g]&127) // the sign is ignored
			if b[g] == 0x7f {
				scale = 0
			}
			c.fill(g, 1, scale, 0)
			c.nibbles(16*g, b[4+8*g:][:8])
		}
		c.look(0, 64, &e2m1)
	}
}

// pairs reads the pairs of bits of bytes, 32 bytes at a time: their lowest pairs first.
func (c *codes) pairs(b []byte) {
	for i := range b {
		for j := range 4 {
			c.code[i/32*128+32*j+i%32] = int8(b[i] >> (2 * j) & 3)
		}
	}
}

// trits reads n trits of each byte, the first of all of them first. The first is the upper digit of
// a byte, a number from 0 to 255, in base 3; the next one comes up when the byte is tripled.
func (c *codes) trits(at int, b []byte, n int) {
	for i, x := range b {
		for j := range n {
			c.code[at+j*len(b)+i] = int8(uint16(x)*3>>8) - 1
			x *= 3
		}
	}
}

// i2s reads codes of I2_S: the highest two bits of a byte come first, and 3 means zero.
func (c *codes) i2s(b []byte) {
	for i, x := range b {
		for j := range 4 {
			c.code[i/32*128+32*j+i%32] = [4]int8{-1, 0, 1, 0}[x>>(6-2*j)&3]
		}
	}
}
