// Package basic has one kernel for each rule.
package basic

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/puremetal/puremetal/kernel"
)

// Saxpy adds a*x to y.
//
//puremetal:kernel group=64
func Saxpy(t *kernel.Thread, a float32, x, y []float32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(y) {
		return
	}
	y[i] = a*x[i] + y[i] // no fused multiply-add
}

// BlockSum adds up 64 numbers in each threadgroup.
//
//puremetal:kernel group=64
func BlockSum(t *kernel.Thread, x, out []int32) {
	tile := kernel.Shared[[64]int32](t)
	l := t.Local.X
	tile[l] = x[t.Global.X]
	t.Barrier()
	for s := uint32(32); s > 0; s /= 2 {
		if l < s {
			tile[l] += tile[l+s]
		}
		t.Barrier()
	}
	if l == 0 {
		out[t.Group.X] = tile[0]
	}
}

type body struct {
	x, y, z, m float32
}

func (b body) energy() float32 { return b.m * (b.x*b.x + b.y*b.y + b.z*b.z) }

func (b *body) move(d float32) {
	b.x += d
	b.y -= d
}

func divmod[T int32 | uint32](a, b T) (q, r T) {
	q = a / b
	r = a % b
	return
}

//puremetal:kernel
func Mixed(t *kernel.Thread, bodies []body, n []int32, u8 []uint8, out []uint32, f []float32) {
	i := t.Global.X
	if i >= uint32(len(n)) {
		return
	}
	b := bodies[i]
	b.move(0.5)
	bodies[i].move(2)
	f[i] = b.energy() + float32(math.Sqrt(float64(b.m)))
	q, r := divmod(n[i], 7)
	q2, r2 := divmod(uint32(n[i]), uint32(i))
	n[i] = q*1000 + r
	u8[i] += u8[i]*3 + 200
	out[i] = uint32(bits.LeadingZeros32(q2+1)) + r2<<(i%40) | uint32(u8[i])>>3
	sum := 0
outer:
	for j := range 10 {
		for k := 0; k < 10; k++ {
			if k == 7 {
				continue outer
			}
			if j*k > 20 {
				break outer
			}
			sum += j ^ k
		}
	}
	switch {
	case sum > 3 && q > 0:
		out[i] += 3
		fallthrough
	case sum < 0:
		out[i] ^= 0xff
	default:
		out[i]++
	}
	switch r {
	case 0, 1:
		out[i] |= 1 << 20
	case 2:
		break
	default:
		out[i] &^= 4
	}
	a, c := n[i], int32(sum)
	a, c = c, a
	var grid [4]int32
	for k := range grid {
		grid[k] = a * int32(k)
	}
	grid[i%4] -= c
	copied := grid
	copied[0]++
	if copied == grid {
		out[i] = 0
	}
	for _, v := range copied {
		out[i] += uint32(v)
	}
	atomic.AddInt32(&n[0], 1)
}
