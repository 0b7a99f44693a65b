package gokernels

import (
	"iter"

	"github.com/puremetal/puremetal/kernel"
)

// upTo yields 0 to n-1.
func upTo(n int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// primeNumbers yields prime numbers.
func primeNumbers(yield func(int32) bool) {
outer:
	for n := int32(2); ; n++ {
		for d := int32(2); d*d <= n; d++ {
			if n%d == 0 {
				continue outer
			}
		}
		if !yield(n) {
			return
		}
	}
}

type numbers []int32

// All yields indices and elements.
func (l numbers) All() iter.Seq2[int, int32] {
	return func(yield func(int, int32) bool) {
		for i, v := range l {
			if !yield(i, v) {
				return
			}
		}
	}
}

func (l numbers) sum(scale int32) (s int32) {
	for _, v := range l {
		s += v * scale
	}
	return s
}

func filtered[T any](seq iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range seq {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func converted[T, U any](seq iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		seq(func(v T) bool { return yield(f(v)) })
	}
}

func evens(n int32) iter.Seq[int32] {
	return filtered(upTo(n), even)
}

func even(x int32) bool { return x%2 == 0 }

// fib yields n numbers, after some work of its own.
func fib(n int32) iter.Seq[int64] {
	if n <= 0 {
		return func(yield func(int64) bool) { yield(-1) }
	}
	a, b := int64(0), int64(1)
	return func(yield func(int64) bool) {
		for range n {
			if !yield(a) {
				return
			}
			a, b = b, a+b
		}
	}
}

// Each yields the coordinates, with their addresses' values changed by the loop.
func (p *point) Each(yield func(int) bool) {
	for k := 0; k < 3 && yield(k); k++ {
		p.X++
	}
}

// first returns the first number of a sequence above a limit: it returns from two loops.
func first(a, b iter.Seq[int32], above int32) (int32, int32) {
	for x := range a {
		for y := range b {
			if x*y > above {
				return x, y
			}
			if y > x {
				break
			}
		}
	}
	return -1, -1
}

func find(s numbers, v int32) int {
	for i, x := range s.All() {
		if x == v {
			return i
		}
	}
	return -1
}

func part3(s numbers, v int32) []int32 {
	for i, x := range s.All() {
		if x > v && i < len(s) {
			return s[i:]
		}
	}
	return s
}

// nested leaves and continues loops of all kinds from within others.
func nested(x int32, o []int32) {
outer:
	for i := range upTo(6) {
		for j := 0; j < 5; j++ {
			for k := range primeNumbers {
				switch {
				case k+i == x&15:
					continue outer
				case k > 20:
					break outer
				case int32(j)+k > 12+i:
					//lint:ignore SA4011 it leaves the switch and not the loop
					break
				case k == 7:
					o[0]++
					continue
				}
				if k > 11 {
					break
				}
				o[1] += k * i
			}
			if o[1]&7 == x&7 {
				break
			}
			o[2]++
		}
		o[3]++
	}
loop:
	for j := range 4 {
		n := int32(j)
		f := func() int32 { n++; return n }
		for k := range upTo(9) {
			if f()+k == x&7 {
				continue loop
			}
			for range f() & 3 {
				if k > 5 {
					continue loop
				}
				if x < -40 {
					break loop
				}
				o[3] += n
			}
		}
		o[2] += n
	}
}

// Iterators are ranges over functions.
//
//puremetal:kernel
func Iterators(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || len(out) < 16*(i+1) {
		return
	}
	o := out[16*i : 16*i+16]
	for v := range upTo(x[i] & 15) {
		if v == 3 {
			continue
		}
		if v > 9 {
			break
		}
		o[0] = o[0]*3 + v
	}
	nested(x[i], o[1:5])
	o[5], o[6] = first(upTo(x[i]&7), evens(x[i]&31), 20)
	for v := range converted(filtered(primeNumbers, func(v int32) bool { return v%4 == 1 }), half3) {
		if v > 20 {
			break
		}
		o[7] += int32(v * 4)
	}
	var last int64
	for last = range fib(x[i] % 20) {
		o[8]++
	}
	o[9] = int32(last)
	p := point{float32(i), 2, 3}
	var k int
	for k = range p.Each {
		if p.X > 20 {
			break
		}
		p.X *= 2
	}
	o[10] = int32(p.X) + int32(k)
	list := numbers(x[:min(len(x), 9)])
	o[11] = int32(find(list, x[i])) + part3(list, x[i])[0]
	array := [4]int32{1, x[i], 3, int32(i)}
	own := numbers(array[:])
	for k, v := range own.All() {
		array[(k+1)&3] += v
	}
	o[12] = own.sum(2)
	n := int32(0)
	seq := func(yield func() bool) {
		for yield() {
			n++
		}
	}
	for range seq {
		if n > x[i]&7 {
			break
		}
		n += 2
	}
	for range seq {
		n++
		if n > 30 {
			o[13] = n
			return
		}
	}
	o[14]++
}

type binary func(a, b int32) int32

func plus(a, b int32) int32 { return a + b }

func scaled(k int32) func(int32) int32 { return func(x int32) int32 { return x*k + 1 } }

func both(f, g func(int32) int32) func(int32) int32 { return func(x int32) int32 { return g(f(x)) } }

func twice[T int32 | float32](x T) T { return x + x }

func call[F ~func(int32) int32](f F, x int32) int32 { return f(x) }

func withThread(t *kernel.Thread, x int32) int32 { return x + int32(t.Local.X) }

func threads(t *kernel.Thread, f func(*kernel.Thread, int32) int32) int32 { return f(t, 2) - f(t, 1) }

func (p point) scaledBy(k float32) float32 { return p.X*k - p.Y }

func (p *point) move(d int32) int32 { p.X += float32(d); return int32(p.X) }

type holder struct {
	point
	N int32
}

// Values are functions that are values.
//
//puremetal:kernel
func Values(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || len(out) < 16*(i+1) {
		return
	}
	o := out[16*i : 16*i+16]
	v := x[i]
	o[0] = apply(even3, v) + apply(twice, v) + apply(twice[int32], 3)
	f := plus
	g := f
	var op binary = g
	o[1] = f(v, 2)*g(3, v) + op(1, 1)
	o[2] = reduce(t, x[:min(i, len(x))], v, plus) + reduce(t, x[:min(i, len(x))], v, operator(op))
	h := holder{point{float32(v & 7), 1, 2}, v}
	by := h.scaledBy
	h.X = 100
	o[3] = int32(by(3)) + int32(point.scaledBy(h.point, 2)) + int32(holder.scaledBy(h, 2))
	move := h.move
	o[4] = apply(move, 2)
	h.X -= 50
	o[4] += move(1) * 3
	o[5] = apply(h.point.move, v&3) + int32(h.X)
	k := v & 7
	s := scaled(k)
	k = 9
	o[6] = s(2) + apply(scaled(k), v) + scaled(k+1)(v)
	k = 2
	o[7] = both(s, scaled(k))(k) + apply(both(s, even3), k)
	o[8] = threads(t, withThread)
	o[9] = call(even3, v) + call(func(x int32) int32 { return x ^ k }, v)
	o[10] = func(a, b int32) int32 { return a - b*k }(v, step(&k, 2))
	y := mapped(half3, [4]int32{v & 15, 1, 2, 3})
	o[11] = int32(y[0]*2) + int32(mapped(twice[float32], y)[1]*4)
	abs := func(x float32) float32 { return max(x, -x) }
	o[12] = int32(mapped(abs, [4]float32{-1, 2})[0])
	o[13] = apply(list3(x).at, v)
	pp := &h.point
	o[14] = int32(pp.scaledBy(float32(step(&k, 1)))) + int32(call(pp.move, 1))
	_ = f
	_ = even3
	list := list3(x[:1])
	o[15] = list.moved(&k)[0] + int32(len(list.moved(&k)[:1])) + pp.from(step(&k, 1))
	o[15] += 10 * k
}

func (l list3) moved(n *int32) list3 { *n++; return l }

func (p point) from(n int32) int32 { return int32(p.X) + n }

func even3(x int32) int32 { return x & -2 }

func half3(x int32) float32 { return float32(x) / 2 }

type list3 []int32

func (l list3) at(i int32) int32 { return l[uint32(i)%uint32(len(l))] }
