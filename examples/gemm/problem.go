package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// problem is a product of two n x n matrices, row by row.
type problem struct {
	n    int
	a, b []float32

	// The product in float64, and how far one in float32 may be from it: however the n products of
	// an element are summed, rounding changes the sum by less than n/2²⁴ of the sum of their
	// absolute values, and a little more for larger n.
	want, bound []float64
}

// newProblem returns a problem with numbers from -1 to 1, the same ones in each run.
func newProblem(n int) *problem {
	rng := rand.New(rand.NewPCG(uint64(n), 14))
	p := &problem{n: n, a: make([]float32, n*n), b: make([]float32, n*n), want: make([]float64, n*n),
		bound: make([]float64, n*n)}
	for i := range p.a {
		p.a[i], p.b[i] = 2*rng.Float32()-1, 2*rng.Float32()-1
	}
	u := float64(n) / (1 << 24)
	gamma := u / (1 - u)
	for i := range n {
		want, bound := p.want[i*n:][:n], p.bound[i*n:][:n]
		for k := range n {
			x := float64(p.a[i*n+k])
			for j, y := range p.b[k*n:][:n] {
				z := x * float64(y)
				want[j] += z
				bound[j] += gamma * math.Abs(z)
			}
		}
	}
	return p
}

// check returns the largest error of a product and the largest share of an element's bound, and
// fails if that is more than 1.
func (p *problem) check(got []float32) (largest, share float64, err error) {
	if len(got) != len(p.want) {
		return 0, 0, fmt.Errorf("the product has %d elements, want %d", len(got), len(p.want))
	}
	for i, want := range p.want {
		e := math.Abs(float64(got[i]) - want)
		if !(e <= p.bound[i]) { // a NaN is wrong too
			return e, e / p.bound[i], fmt.Errorf("element (%d, %d) of the product is %v, want %v within %.1e", i/p.n,
				i%p.n,
				got[i], want, p.bound[i])
		}
		largest, share = max(largest, e), max(share, e/p.bound[i])
	}
	return largest, share, nil
}
