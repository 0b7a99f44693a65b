// Package scene renders an image that looks like a photograph, so that the example needs no
// photograph with a license. It is a path tracer with a scene of balls on a wooden floor under an
// evening sky, depth of field, a vignette and sensor noise. The result is deterministic, except
// that processors round differently.
package scene

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// samples is the number of paths per pixel.
const samples = 40

// material is a surface: a color, the fraction of light that is reflected specularly, and the
// roughness of that reflection.
type material struct {
	color         vec
	mirror, rough float64
	stripes       bool
}

type ball struct {
	center vec
	radius float64
	material
}

func balls() []ball {
	return []ball{
		{vec{-1.3, 1, 0.4}, 1, material{color: vec{0.62, 0.16, 0.11}, mirror: 0.04, rough: 0.1, stripes: true}},
		{vec{0.95, 0.8, -0.5}, 0.8, material{color: vec{0.92, 0.86, 0.74}, mirror: 0.85, rough: 0.03}},
		{vec{0.05, 0.36, -1.7}, 0.36, material{color: vec{0.1, 0.32, 0.4}, mirror: 0.08, rough: 0.02}},
		{vec{2.5, 0.55, 1.2}, 0.55, material{color: vec{0.75, 0.55, 0.12}, mirror: 0.05, rough: 0.3}},
		{vec{-2.6, 0.4, -1.1}, 0.4, material{color: vec{0.3, 0.42, 0.2}, mirror: 0.02, rough: 0.3}},
		{vec{1.5, 0.22, -2.2}, 0.22, material{color: vec{0.7, 0.7, 0.72}, mirror: 0.6, rough: 0.15}},
		{vec{-0.7, 0.2, -2.3}, 0.2, material{color: vec{0.45, 0.2, 0.42}, mirror: 0.04, rough: 0.1}},
		{vec{-4.2, 1.5, 4.5}, 1.5, material{color: vec{0.35, 0.33, 0.3}, stripes: true}},
		{vec{4.6, 1.3, 5}, 1.3, material{color: vec{0.2, 0.28, 0.36}}},
	}
}

// sun is the direction towards the sun.
func sun() vec { return vec{-0.55, 0.42, -0.6}.unit() }

// Rows renders the rows [from, to) of a width x height image; the others stay black.
func Rows(width, height, from, to int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	scene := balls()
	rows := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for y := range rows {
				for x := range width {
					picture.SetNRGBA(x, y, pixel(scene, x, y, width, height))
				}
			}
		})
	}
	for y := from; y < to; y++ {
		rows <- y
	}
	close(rows)
	wait.Wait()
	return picture
}

// pixel returns the color that the camera records at one pixel.
func pixel(scene []ball, x, y, width, height int) color.NRGBA {
	// each pixel has its own random numbers, so that pixels can be rendered in any order
	rng := rand.New(rand.NewPCG(uint64(x), uint64(y)))
	const focus, aperture = 4.6, 0.055
	eye := vec{0, 1.45, -5}
	var sum vec
	for range samples {
		u := (2*(float64(x)+rng.Float64()) - float64(width)) / float64(height)
		v := (float64(height) - 2*(float64(y)+rng.Float64())) / float64(height)
		target := eye.plus(vec{0.62 * u, 0.62*v - 0.13, 1}.times(focus))
		angle, r := 2*math.Pi*rng.Float64(), aperture*math.Sqrt(rng.Float64())
		lens := eye.plus(vec{r * math.Cos(angle), r * math.Sin(angle), 0})
		sum = sum.plus(trace(scene, rng, lens, target.minus(lens).unit()))
	}
	// Vignette, exposure, sensor noise and a little haze.
	dx, dy := float64(x)/float64(width)-0.5, float64(y)/float64(height)-0.5
	light := sum.times(0.62 * (1 - 0.9*(dx*dx+dy*dy)) / samples)
	level := func(l float64) uint8 {
		l = 0.02 + 0.98*l/(1+0.35*l)
		l = math.Pow(l, 1/2.2) + 0.012*rng.NormFloat64()
		return uint8(255*min(1, max(0, l)) + 0.5)
	}
	return color.NRGBA{level(light[0]), level(light[1]), level(light[2]), 255}
}

// trace follows a path backwards from the camera.
func trace(scene []ball, rng *rand.Rand, from, along vec) vec {
	light, left := vec{}, vec{1, 1, 1} // left is what of the light ahead comes through
	for bounce := range 5 {
		at, normal, m, hit := intersect(scene, from, along)
		if !hit {
			return light.plus(left.mul(sky(along, bounce == 0)))
		}
		from = at.plus(normal.times(1e-4))
		if rng.Float64() < m.mirror+(1-m.mirror)*0.25*math.Pow(1+min(0, along.dot(normal)), 5) {
			left = left.mul(m.color.times(0.3).plus(vec{0.65, 0.65, 0.65}))
			along = along.minus(normal.times(2 * along.dot(normal))).plus(ballPoint(rng).times(m.rough)).unit()
			if along.dot(normal) <= 0 {
				return light
			}
			continue
		}
		left = left.mul(m.color)
		toSun := sun().plus(ballPoint(rng).times(0.04)).unit() // the sun has a width: shadows have soft edges
		if cos := toSun.dot(normal); cos > 0 {
			if _, _, _, shadow := intersect(scene, from, toSun); !shadow {
				light = light.plus(left.mul(vec{2.6, 1.95, 1.25}).times(cos))
			}
		}
		along = normal.plus(ballPoint(rng).unit()).unit()
	}
	return light
}

// intersect finds the first hit of a ray: the point, the surface normal, and the material.
func intersect(scene []ball, from, along vec) (at, normal vec, m material, hit bool) {
	nearest := math.Inf(1)
	if along[1] < 0 {
		if t := -from[1] / along[1]; t > 1e-6 && t < 60 {
			nearest, hit = t, true
			at = from.plus(along.times(t))
			normal, m = vec{0, 1, 0}, floor(at)
		}
	}
	for i := range scene {
		b := &scene[i]
		to := from.minus(b.center)
		half := to.dot(along)
		root := half*half - to.dot(to) + b.radius*b.radius
		if root < 0 {
			continue
		}
		if t := -half - math.Sqrt(root); t > 1e-6 && t < nearest {
			nearest, hit, m = t, true, b.material
			at = from.plus(along.times(t))
			normal = at.minus(b.center).times(1 / b.radius)
			if b.stripes && math.Mod(math.Abs(9*normal[1]+2*cloud(at.times(1.5))), 2) < 0.7 {
				m.color = m.color.times(0.4).plus(vec{0.45, 0.42, 0.36})
			}
			m.color = m.color.times(0.8 + 0.4*cloud(at.times(14)))
		}
	}
	return at, normal, m, hit
}

// floor returns the material of the floorboards at a point.
func floor(at vec) material {
	board := math.Floor(at[0] / 0.7)
	across := at[0]/0.7 - board
	length := math.Floor((at[2] + 1.7*math.Mod(math.Abs(board*2.37), 3)) / 4)
	grain := cloud(vec{at[0] * 9, board*7 + length*3, at[2] * 0.9})
	fine := cloud(vec{at[0] * 60, board, at[2] * 4})
	tone := 0.55 + 0.3*lattice(int(board), int(length), 5) + 0.35*(grain-0.5) + 0.2*(fine-0.5)
	if across < 0.02 || across > 0.98 {
		tone *= 0.25 // the gap between boards
	}
	return material{color: vec{0.56, 0.38, 0.23}.times(tone), mirror: 0.03, rough: 0.12}
}

// sky returns the light from a direction. The sun itself is visible only to the camera, because
// surfaces sample its light directly.
func sky(along vec, eye bool) vec {
	up := max(0, along[1])
	c := vec{0.95, 0.62, 0.42}.times(1 - math.Pow(up, 0.45)).plus(vec{0.2, 0.36, 0.66}.times(math.Pow(up, 0.45)))
	if up > 0.02 {
		p := along.times(1.6 / (up + 0.15))
		p[1] = 0
		c = c.plus(vec{0.85, 0.7, 0.62}.times(0.7 * max(0, cloud(p.times(1.3))+0.5*cloud(p.times(3.1))-0.85)))
	}
	if eye && along.dot(sun()) > 0.9995 {
		c = vec{9, 8, 6}
	}
	return c.times(0.75)
}
