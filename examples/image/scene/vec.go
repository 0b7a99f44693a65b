package scene

import (
	"math"
	"math/rand/v2"
)

// vec is a point, a direction or a color.
type vec [3]float64

func (a vec) plus(b vec) vec         { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) minus(b vec) vec        { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) mul(b vec) vec          { return vec{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }
func (a vec) times(f float64) vec    { return vec{a[0] * f, a[1] * f, a[2] * f} }
func (a vec) dot(b vec) float64      { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) unit() vec              { return a.times(1 / math.Sqrt(a.dot(a))) }
func mix(a, b, part float64) float64 { return a + (b-a)*part }

// ballPoint returns a random point in the unit ball.
func ballPoint(rng *rand.Rand) vec {
	for {
		p := vec{2*rng.Float64() - 1, 2*rng.Float64() - 1, 2*rng.Float64() - 1}
		if n := p.dot(p); n < 1 && n > 1e-6 {
			return p
		}
	}
}

// lattice returns a hash of integer coordinates, from 0 to 1.
func lattice(x, y, z int) float64 {
	h := uint32(x)*0x8da6b343 ^ uint32(y)*0xd8163841 ^ uint32(z)*0xcb1ab31f
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	return float64(h^h>>15) / (1 << 32)
}

// cloud returns smooth noise from 0 to 1, interpolated between the values of lattice.
func cloud(p vec) float64 {
	var cell [3]int
	var part vec
	for i, f := range p {
		whole := math.Floor(f)
		cell[i], part[i] = int(whole), f-whole
		part[i] *= part[i] * (3 - 2*part[i])
	}
	plane := func(z int) float64 {
		line := func(y int) float64 {
			return mix(lattice(cell[0], cell[1]+y, cell[2]+z), lattice(cell[0]+1, cell[1]+y, cell[2]+z), part[0])
		}
		return mix(line(0), line(1), part[1])
	}
	return mix(plane(0), plane(1), part[2])
}
