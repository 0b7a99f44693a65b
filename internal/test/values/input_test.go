package values

import (
	"math"
	"math/rand/v2"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// numSpecials is how many inputs of each type are chosen rather than random.
const numSpecials = 40

// specials returns the numSpecials chosen inputs of a type.
func specials(t *types.Basic) []uint64 {
	var out []uint64
	switch {
	case t == types.Bool:
		out = []uint64{0, 1}
	case t.IsFloat():
		exp, man := formatOf(t)
		sign := uint64(1) << (exp + man)
		inf := uint64(1<<exp-1) << man
		one := nearest(t, 1)
		for _, b := range []uint64{0, inf, 1, 1<<man - 1, 1 << man, inf - 1, one, one + 1, one - 1} {
			out = append(out, b, b|sign)
		}
		out = append(out, quietNaN(exp, man))
		for _, f := range []float64{0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2, -2, 3, -3, 0.1, math.Pi, -math.Pi / 2, 0.75, 10, -100,
			1000, 65504, 1e-4, 88.5, -7.999} {
			out = append(out, nearest(t, f))
		}
	default:
		w := 8 * t.Size()
		for _, n := range []int64{0, 1, -1, 2, -2, 3, 5, -5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, -100, 127, -128,
			12345, -54321} {
			out = append(out, uint64(n)&(^uint64(0)>>(64-w)))
		}
		lo, hi := uint64(1)<<(w-1), uint64(1)<<(w-1)-1
		out = append(out, lo, hi, lo+1, hi-1, hi/3, hi/3*2, lo|1<<(w/2), 1<<(w/2), 1<<(w/2)-1, 0x5a5a5a5a5a5a5a5a&(lo|hi))
	}
	for i := 0; len(out) < numSpecials; i++ {
		out = append(out, out[i])
	}
	return out[:numSpecials]
}

// random returns a random number of a type; for floats, half of them are of moderate size and half
// have random bits.
func random(t *types.Basic, r *rand.Rand) uint64 {
	switch {
	case t == types.Bool:
		return r.Uint64() & 1
	case !t.IsFloat():
		return r.Uint64() >> (64 - 8*t.Size()) >> (r.Uint64() % 3 * uint64(2*t.Size()))
	}
	switch r.IntN(4) {
	case 0:
		return r.Uint64() >> (64 - 8*t.Size())
	case 1:
		return nearest(t, r.Float64())
	case 2:
		return nearest(t, 20*r.Float64()-10)
	}
	return nearest(t, math.Exp(10*r.Float64()-5))
}

// inputs returns n values for each of some scalar parameters: chosen ones first, in all pairs for
// the first two parameters, then random ones.
func inputs(n int, params ...*types.Basic) [][]uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([][]uint64, len(params))
	for j, p := range params {
		s := specials(p)
		for k := range n {
			switch {
			case len(params) == 1 && k < numSpecials:
				out[j] = append(out[j], s[k])
			case len(params) > 1 && k < numSpecials*numSpecials:
				i := [...]int{k % numSpecials, k / numSpecials, k*7%numSpecials + k/numSpecials, k % 3, k % 5}[j]
				out[j] = append(out[j], s[i%numSpecials])
			default:
				out[j] = append(out[j], random(p, r))
			}
		}
	}
	return out
}
