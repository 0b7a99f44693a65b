package gokernels

import "github.com/puremetal/puremetal/kernel"

func apply(f func(int32) int32, x int32) int32 { return f(f(x)) }

func mapped[T, U any](f func(T) U, x [4]T) (y [4]U) {
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

type operator func(a, b int32) int32

func reduce(t *kernel.Thread, list []int32, zero int32, op operator) int32 {
	r := zero
	each(len(list), func(i int) {
		r = op(r, list[i]+int32(t.Lane))
	})
	return r
}

func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

func (p point) fold(f func(a, b float32) float32) float32 { return f(f(p.X, p.Y), p.Z) }

func counted(n *int32, f func() int32, g func() (int32, bool)) int32 {
	*n++
	v, ok := g()
	if !ok {
		return -v
	}
	return f()*100 + v
}

// Functions are arguments of functions that call them, or hand them on.
//
//puremetal:kernel
func Functions(t *kernel.Thread, x, out []int32) {
	i := int(t.Global.X)
	if i >= len(x) || len(out) < 8*(i+1) {
		return
	}
	o := out[8*i : 8*i+8]
	n := int32(1)
	add := func(d int32) int32 { n++; return d + n }
	o[0] = apply(add, x[i])
	o[1] = apply(func(v int32) int32 { return apply(add, v) * 3 }, n)
	y := mapped(func(v int32) float32 { return float32(v) / 2 }, [4]int32{1, x[i] & 7, n, 4})
	o[2] = int32(mapped(func(v float32) float32 { return v * v }, y)[1] * 16)
	o[3] = reduce(t, x[:min(i, len(x))], 7, func(a, b int32) int32 { return a*31 ^ b })
	most := int32(-1 << 31)
	each(4, func(k int) {
		if int32(y[k]) <= most {
			return
		}
		most = int32(y[k])
		o[4] += most
	})
	o[5] = int32(point{1, float32(i), 3}.fold(func(a, b float32) float32 { return a*2 - b }))
	o[6] = counted(&n, func() int32 { return n }, func() (int32, bool) { n *= 2; return n, n%3 == 0 }) * 1000
	o[6] += n
	list := [4]int32{1, 2, 3, 4}
	list[apply(func(v int32) int32 { return list[v&3] }, n&3)&3] += 5
	o[6] += list[0] + 3*list[1] + 5*list[2] + 7*list[3]
	o[7] = apply(func(v int32) int32 { return max(v, n) }, step(&n, 2)) - apply(add, step(&n, 1))
}
