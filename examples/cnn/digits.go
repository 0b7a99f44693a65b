package main

import (
	"math"
	"math/rand/v2"
	"strings"
)

const (
	classes = 10
	side    = 16 // pixels of a picture's side
)

// font returns the shapes of the digits, seven rows of five cells each.
func font() [classes][7]string {
	return [classes][7]string{
		{" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "},
		{"  #  ", " ##  ", "# #  ", "  #  ", "  #  ", "  #  ", "#####"},
		{" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"},
		{"#### ", "    #", "    #", " ### ", "    #", "    #", "#### "},
		{"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "},
		{"#####", "#    ", "#    ", "#### ", "    #", "    #", "#### "},
		{"  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "},
		{"#####", "    #", "   # ", "   # ", "  #  ", "  #  ", " #   "},
		{" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "},
		{" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "},
	}
}

// digits are pictures with the digits that they show.
type digits struct {
	pixels []float32 // side x side for each picture, row by row, from 0 for paper to 1 for ink
	labels []int
}

// draw returns n pictures of random digits. The same seed and stream give the same pictures, others
// give others.
func draw(seed, stream uint64, n int) digits {
	rng, shapes := rand.New(rand.NewPCG(seed, stream)), font()
	var d digits
	for range n {
		label := rng.IntN(classes)
		d.pixels = append(d.pixels, picture(rng, shapes[label])...)
		d.labels = append(d.labels, label)
	}
	return d
}

// picture draws a digit with a random size, place, slant, thickness and noise.
func picture(rng *rand.Rand, shape [7]string) []float32 {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	cell := between(1.5, 1.95)
	left, top := between(-1.5, 1.5), between(-1.5, 1.5)
	slant, thickness := between(-0.3, 0.3), between(0.7, 1.4)
	var centers [][2]float64 // of the cells with ink, in pixels
	for row, cells := range shape {
		for col, c := range cells {
			if c == '#' {
				y := float64(row-3) * cell
				centers = append(centers, [2]float64{side/2 + left + float64(col-2)*cell - slant*y, side/2 + top + y})
			}
		}
	}
	noise, pixels := between(0.1, 0.3), make([]float32, side*side)
	for i := range pixels {
		x, y := float64(i%side)+0.5, float64(i/side)+0.5
		nearest := math.Inf(1)
		for _, c := range centers {
			nearest = min(nearest, math.Hypot(x-c[0], y-c[1]))
		}
		ink := min(max(thickness+0.5-nearest, 0), 1) // a soft edge, one pixel wide
		pixels[i] = float32(min(max(ink+noise*rng.NormFloat64(), 0), 1))
	}
	return pixels
}

// batch returns the pictures from..from+n as pixels and one row of ten numbers for each, 1 for its
// digit and 0 for the others.
func (d digits) batch(from, n int) (pixels, targets []float32) {
	targets = make([]float32, n*classes)
	for i, label := range d.labels[from : from+n] {
		targets[i*classes+label] = 1
	}
	return d.pixels[from*side*side : (from+n)*side*side], targets
}

// ascii returns a picture as lines of text.
func ascii(pixels []float32) string {
	const levels = " .:-=+*#%@"
	var b strings.Builder
	for i, v := range pixels {
		c := levels[min(int(v*float32(len(levels))), len(levels)-1)]
		b.WriteByte(c)
		b.WriteByte(c) // letters are about twice as high as wide
		if i%side == side-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
