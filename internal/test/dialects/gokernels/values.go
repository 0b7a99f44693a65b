package gokernels

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

type point struct{ X, Y, Z float32 }

func (p point) plus(q point) point { return point{p.X + q.X, p.Y + q.Y, p.Z + q.Z} }

func (p *point) scale(f float32) {
	p.X *= f
	p.Y *= f
	p.Z *= f
}

type particle struct {
	point
	Mass  float32
	Flags [2]uint16
	ID    int64
}

func (p *particle) heavier(d float32) float32 { p.Mass += d; return p.Mass }

// Structures are values, have methods, and can be embedded.
//
//puremetal:kernel
func Structures(t *kernel.Thread, p []particle, out []float32) {
	i := int(t.Global.X)
	if i >= len(p) || i >= len(out) {
		return
	}
	a := p[i]
	b := a
	b.X = 7
	b.scale(2)
	p[i].scale(0.5)
	p[i].Y++
	p[i].Flags[i&1] += 3
	p[i].ID = p[i].ID*10 + int64(a.Flags[1])
	q := &p[i]
	q.Z = q.heavier(1) + q.Mass
	c := a.plus(b.point).plus(point{Y: 1})
	out[i] = c.X + c.Y*2 + c.Z*3
	if a == b {
		out[i]++
	}
	if a.point != (point{}) {
		out[i] += 0.5
	}
	var zero particle
	if zero == (particle{Mass: 0}) {
		out[i] += 0.25
	}
	pair := [2]point{a.point, {1, 2, 3}}
	other := pair
	other[1].X = out[i]
	if pair != other {
		out[i] += pair[1].X + other[1].X
	}
}

type matrix[T int32 | float32] struct{ V [2][2]T }

func (m matrix[T]) times(n matrix[T]) (r matrix[T]) {
	for i := range 2 {
		for j := range 2 {
			for k := range 2 {
				r.V[i][j] += m.V[i][k] * n.V[k][j]
			}
		}
	}
	return r
}

func power[T int32 | float32](m matrix[T], n int) matrix[T] {
	r := matrix[T]{V: [2][2]T{{1, 0}, {0, 1}}}
	for range n {
		r = r.times(m)
	}
	return r
}

// Generics are instantiated for each type.
//
//puremetal:kernel
func Generics(t *kernel.Thread, x []int32, f []float32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(f) {
		return
	}
	m := power(matrix[int32]{[2][2]int32{{1, 1}, {1, 0}}}, int(x[i]&15))
	x[i] = m.V[0][1]
	g := power(matrix[float32]{[2][2]float32{{0.5, 1}, {1, 0.25}}}, i&7)
	f[i] = g.V[0][0] + g.V[1][1]
	x[i] += sumOf(x[i:min(i+1, len(x))])
}

func sumOf[T int32 | float32](list []T) (s T) {
	for _, v := range list {
		s += v
	}
	return s
}

var primes = []int32{2, 3, 5, 7, 11, 13}

var weights = [2][3]float32{{1, 2, 3}, {0.5, 0.25, 0.125}}

var origin = point{1, 2, 3}

const scale = 1 << 4

// Tables are variables of the package.
//
//puremetal:kernel
func Tables(t *kernel.Thread, out []float32) {
	i := int(t.Global.X)
	if i < len(out) {
		out[i] = float32(primes[i%len(primes)]) + weights[i&1][i%3]*scale + origin.Y
		out[i] += float32(sumOf(primes)) + float32(sumOf(primes[1:3]))
	}
}

// Pointers and slices of all kinds of memory go to functions.
//
//puremetal:kernel group=32
func Spaces(t *kernel.Thread, x, out []int32) {
	shared := kernel.Shared[[32]int32](t)
	counts := kernel.Shared[struct{ N, M int32 }](t)
	i, l := int(t.Global.X), t.Local.X
	if i < len(x) {
		shared[l] = x[i]
	}
	t.Barrier()
	var own [4]int32
	for k := range own {
		own[k] = int32(k) + int32(l)
	}
	add(own[1:3], 10)
	bump(&own[0], 5)
	s := sumOf(own[:]) + sumOf(shared[:]) + sumOf(x[:min(4, len(x))])
	t.Barrier()
	if l == 0 {
		bump(&shared[31], 100)
		bump(&counts.M, 2)
	}
	atomic.AddInt32(&counts.N, 1)
	t.Barrier()
	if i < len(out) {
		out[i] = s + shared[31] + counts.N*1000 + counts.M
	}
	t.Barrier()
	copy(shared[:], own[:])
	t.Barrier()
	copy(own[1:], own[:]) // the parts overlap
	copy(own[:2], own[1:])
	if i < len(out) {
		out[i] += shared[2] + own[0] + 3*own[1] + 5*own[2] + 7*own[3]
	}
}

func add(list []int32, d int32) {
	for i := range list {
		list[i] += d
	}
}

func bump(p *int32, d int32) { *p += d }

// Out has indices out of range and divisions by zero, which Go would not survive: they give zero
// and change nothing.
//
//puremetal:kernel
func Out(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	var a [4]int32
	k := int(x[0]) + i
	a[k&3] = 5
	out[i] = x[i+1000] + x[i-1000] + a[k&3] + 7/x[len(x)-1]
	out[i-1000] = 3
	if k < 0 || k >= 4 {
		out[i] += a[k]
		a[k] = 3
	}
}

// Particles returns n particles.
func Particles(n int) []particle {
	list := make([]particle, n)
	for i := range list {
		list[i] = particle{point{float32(i), 1.5, -2}, float32(n), [2]uint16{uint16(i), 65535}, int64(i) << 30}
	}
	return list
}

// Vectors of package simd are values with members.
//
//puremetal:kernel
func Vectors(t *kernel.Thread, x []simd.Float4, y []simd.Int3, out []float32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(y) || i >= len(out) {
		return
	}
	a, b := x[i], simd.Float4{X: 1, W: 4}
	a.Y += b.W
	if a == x[i] || b != (simd.Float4{X: 1, W: 4}) {
		out[i] = 1
	}
	y[i].Z = y[i].X - 3*y[i].Y
	p := simd.Int3{X: y[i].Z, Y: 2}
	if p == y[i] {
		out[i]++
	}
	x[i] = a
	out[i] += a.X*b.W + a.Y
}
