// Package gokernels has kernels in Go, at least one for each rule of the translator. The tests run
// them here and on the device, and compare bytes.
package gokernels

import (
	"math/bits"

	"github.com/puremetal/puremetal/kernel"
)

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

// arithmetic puts the results of all operations on x and y into out.
func arithmetic[T integer](x, y T, out []T) {
	n := 0
	put := func(v T) {
		if n < len(out) {
			out[n] = v
		}
		n++
	}
	put(x + y)
	put(x - y)
	put(x * y)
	if y != 0 {
		put(x / y)
		put(x % y)
	}
	put(x & y)
	put(x | y)
	put(x ^ y)
	put(x &^ y)
	put(-x)
	put(^x)
	put(x << (uint8(y) & 127))
	put(x >> (uint8(y) & 127))
	put(x << 3)
	put(x >> 3)
	put(x*x + y*3 - x/3)
	put((x - y) / 2)
	put(min(x, y, 5))
	put(max(x, y))
	z := x
	z += y
	z *= y
	z -= 7
	z <<= 1
	z >>= 2
	z |= 1
	z &= 0x7f
	z ^= y
	z &^= 2
	z++
	z--
	put(z)
	if x < y {
		put(1)
	}
	if x >= y || x == 3 {
		put(2)
	}
}

//puremetal:kernel
func Int8s(t *kernel.Thread, x, y, out []int8) { run(t, x, y, out) }

//puremetal:kernel
func Uint8s(t *kernel.Thread, x, y, out []uint8) { run(t, x, y, out) }

//puremetal:kernel
func Int16s(t *kernel.Thread, x, y, out []int16) { run(t, x, y, out) }

//puremetal:kernel
func Uint16s(t *kernel.Thread, x, y, out []uint16) { run(t, x, y, out) }

//puremetal:kernel
func Int32s(t *kernel.Thread, x, y, out []int32) { run(t, x, y, out) }

//puremetal:kernel
func Uint32s(t *kernel.Thread, x, y, out []uint32) { run(t, x, y, out) }

//puremetal:kernel
func Int64s(t *kernel.Thread, x, y, out []int64) { run(t, x, y, out) }

//puremetal:kernel
func Uint64s(t *kernel.Thread, x, y, out []uint64) { run(t, x, y, out) }

const results = 32

func run[T integer](t *kernel.Thread, x, y, out []T) {
	i := int(t.Global.X)
	if i < len(x) && i < len(y) && (i+1)*results <= len(out) {
		arithmetic(x[i], y[i], out[i*results:(i+1)*results])
	}
}

// Conversions between the widths.
//
//puremetal:kernel
func Conversions(t *kernel.Thread, x []int64, out []int64) {
	i := t.Global.X
	if int(i) >= len(x) || int(i*16+15) >= len(out) {
		return
	}
	v := x[i]
	o := out[i*16 : i*16+16]
	o[0] = int64(int8(v))
	o[1] = int64(uint8(v))
	o[2] = int64(int16(v))
	o[3] = int64(uint16(v))
	o[4] = int64(int32(v))
	o[5] = int64(uint32(v))
	o[6] = int64(uint64(v) >> 1)
	o[7] = int64(uint16(int8(v)))
	o[8] = int64(uint32(int16(v)))
	o[9] = int64(int(v) / 3)
	o[10] = int64(uint(v) / 3)
	o[11] = int64(float32(v))
	o[12] = int64(float32(uint32(v)))
	o[13] = int64(int8(float32(int8(v)) / 2))
	o[14] = int64(uint64(v) &^ 0x80000000)
	o[15] = v &^ 0xffff_0000
}

// Bits are the functions of math/bits.
//
//puremetal:kernel
func Bits(t *kernel.Thread, x []uint64, out []int64) {
	i := int(t.Global.X)
	if i >= len(x) || i*32+31 >= len(out) {
		return
	}
	v, o := x[i], out[i*32:]
	o[0] = int64(bits.LeadingZeros64(v))
	o[1] = int64(bits.LeadingZeros32(uint32(v)))
	o[2] = int64(bits.LeadingZeros16(uint16(v)))
	o[3] = int64(bits.LeadingZeros8(uint8(v)))
	o[4] = int64(bits.TrailingZeros64(v))
	o[5] = int64(bits.TrailingZeros32(uint32(v)))
	o[6] = int64(bits.TrailingZeros16(uint16(v)))
	o[7] = int64(bits.TrailingZeros8(uint8(v)))
	o[8] = int64(bits.OnesCount64(v))
	o[9] = int64(bits.OnesCount8(uint8(v)))
	o[10] = int64(bits.Len64(v))
	o[11] = int64(bits.Len32(uint32(v)))
	o[12] = int64(bits.Len16(uint16(v)))
	o[13] = int64(bits.Reverse64(v))
	o[14] = int64(bits.Reverse8(uint8(v)))
	o[15] = int64(bits.ReverseBytes64(v))
	o[16] = int64(bits.ReverseBytes16(uint16(v)))
	o[17] = int64(bits.RotateLeft64(v, int(v&255)-100))
	o[18] = int64(bits.RotateLeft32(uint32(v), int(v&63)-32))
	o[19] = int64(bits.RotateLeft8(uint8(v), 3))
	o[20] = int64(bits.LeadingZeros(uint(v)))
	o[21] = int64(bits.Reverse32(uint32(v)))
	o[22] = int64(bits.Reverse16(uint16(v)))
}

// Narrow has integers of 64 bits that the text has in 32 bits, and some that only look like those.
//
//puremetal:kernel group=32
func Narrow(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(out) {
		return
	}
	s := int32(0)
	n := int(x[i])
	// Values that are assigned together are those before any of them changes.
	b, c := uint8(x[i]), uint8(9)
	b, c = 2, b
	if c+10 < c {
		s += int32(b)
	}
	// Down below zero, and up by steps.
	for k := i % 7; k >= 0; k-- {
		s = s*3 + int32(k)
	}
	for k := len(x) - 1; k > -3; k -= 5 {
		s ^= int32(k << 3)
	}
	for k := int(t.Local.X); k < len(x); k += int(t.GroupSize.X) {
		s += x[k]
	}
	// Against numbers below zero, and beyond 32 bits.
	if i > n {
		s += 5
	}
	if n < len(x) {
		s += 11
	}
	if i-40 > n || -i < n {
		s += 13
	}
	wide := i * 1_000_003
	wide *= wide + 5
	s += int32(wide >> 29)
	down := uint64(i)
	down -= 5
	s ^= int32(down >> 40)
	var sum int
	for k := range 9 {
		sum += n * k
	}
	for k := range n & 15 {
		sum -= k - 3
	}
	half := uint(i)*3/2 + 1
	half = half>>1 + uint(len(x)) - uint(t.Local.X)
	s += int32(sum>>7) + int32(half) + int32(float32(half)+float32(i-3))
	if k := i + 1; k < min(len(x), len(out), 50) {
		s += x[k] + int32(max(i, 7)) - int32(min(i, n))
	}
	// Grows beyond 32 bits only after a while.
	grows := i
	for k := 0; k < 40; k++ {
		grows += grows/2 + 3
	}
	out[i] = s ^ int32(grows>>9) ^ int32(grows%1000)
}

// Proven has indices that conditions show to be valid, and some of which they do not.
//
//puremetal:kernel group=32
func Proven(t *kernel.Thread, w int32, x, out []int32) {
	i, n := int(t.Global.X), len(x)
	if i >= len(out) || i >= n {
		return
	}
	s, v, by := int32(0), int(x[i]), int(w)
	if at := v*by + i; at >= by && at+by < n && by > 0 {
		s += x[at-by] + x[at+by]*3 + x[at]*5
		at -= 7
		if at > 0 {
			s ^= x[at] + x[at-1]
		}
	}
	if v >= by && v+by < n && v-by < n { // by may be negative
		s += x[v-by] << 1
		if v >= 0 && v < n-1 {
			s -= x[v+1]
		}
	}
	if c, d := uint32(v), uint32(by); c < uint32(n) && d <= c {
		s += x[c-d]
		if c+d < uint32(n) {
			s ^= x[c+d]
		}
	}
	part := x[i/2:]
	if v >= 0 && v < len(part) {
		part = part[:v+1]
		s += part[v] - part[0]
	}
	for k := 1; k < n-1; k += 3 {
		s = s*5 + x[k-1] - x[k+1]
	}
	out[i] = s
}
