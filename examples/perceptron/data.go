package main

import (
	"math"
	"math/rand/v2"
)

// dataset is a set of labeled points.
type dataset struct {
	points  []float32 // two coordinates each
	classes []uint32
}

// spirals returns points on two interleaved spirals, which are not linearly separable, with the
// same number on each.
func spirals(seed uint64, each int) dataset {
	rng, d := rand.New(rand.NewPCG(seed, 0)), dataset{}
	for i := range each {
		for class := range 2 {
			turn := float64(i)/float64(each)*1.5*math.Pi + 0.5
			angle, radius := turn+math.Pi*float64(class), turn/4
			d.points = append(d.points, float32(radius*math.Cos(angle)+0.03*rng.NormFloat64()),
				float32(radius*math.Sin(angle)+0.03*rng.NormFloat64()))
			d.classes = append(d.classes, uint32(class))
		}
	}
	return d
}

// weights are the parameters of the perceptron, row-major: 2 x hidden, hidden, hidden x 2, and 2.
type weights struct{ first, firstBias, second, secondBias []float32 }

// random returns initial weights: normally distributed, with a variance of one over the number of
// inputs of a unit.
func random(seed uint64, hidden int) weights {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(n, from int) []float32 {
		w := make([]float32, n)
		for i := range w {
			w[i] = float32(rng.NormFloat64() / math.Sqrt(float64(from)))
		}
		return w
	}
	return weights{normal(2*hidden, 2), make([]float32, hidden), normal(hidden*2, hidden), make([]float32, 2)}
}
