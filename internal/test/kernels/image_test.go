package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// bytesImage is an image of bytes in four components.
func bytesImage(w, h int) *testlaunch.Texture {
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	data := make([]byte, w*h*4)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return &testlaunch.Texture{Format: "RGBA8Unorm", Width: w, Height: h, Levels: [][]byte{data}}
}

func blankImage(format string, w, h, size int) *testlaunch.Texture {
	return &testlaunch.Texture{Format: format, Width: w, Height: h, Levels: [][]byte{make([]byte, w*h*size)}}
}

func blur(w, h, radius int, group [3]int) *work {
	in := bytesImage(w, h)
	return &work{name: fmt.Sprintf("%dx%d radius %d by %v", w, h, radius, group), file: "image.metal", large: w*h > 1500,
		textures: map[string]*testlaunch.Texture{"in": in, "out": blankImage("RGBA32Float", w, h, 16)},
		launch: func(d *device) {
			d.run("box_blur", [3]int{up(w, group[0]), up(h, group[1]), 1}, group, texture("in"), texture("out"), int32(radius))
		},
		plain: func() []result {
			want := make([]float64, 0, w*h*4)
			side := float64(2*radius + 1)
			for y := range h {
				for x := range w {
					for c := range 4 {
						sum := 0
						for dy := -radius; dy <= radius; dy++ {
							for dx := -radius; dx <= radius; dx++ {
								sum += int(in.Levels[0][(min(max(y+dy, 0), h-1)*w+min(max(x+dx, 0), w-1))*4+c])
							}
						}
						want = append(want, float64(sum)/255/(side*side))
					}
				}
			}
			// One rounding per term, and a fast division.
			return []result{{name: "out", want: want, kind: ir.F32, relative: (side*side + 8) * 0x1p-24}}
		}}
}

func sobel(w, h int, group [3]int) *work {
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	list := make([]float64, w*h)
	for i := range list {
		list[i] = r.Float64()
	}
	in := &testlaunch.Texture{Format: "R32Float", Width: w, Height: h, Levels: [][]byte{rounded(ir.F32, list)}}
	return &work{name: fmt.Sprintf("%dx%d by %v", w, h, group), file: "image.metal", large: w*h > 1500,
		textures: map[string]*testlaunch.Texture{"in": in, "out": blankImage("R32Float", w, h, 4)},
		launch: func(d *device) {
			d.run("sobel", [3]int{w, h, 1}, group, texture("in"), texture("out"))
		},
		plain: func() []result {
			want := make([]float64, 0, w*h)
			at := func(x, y int) float64 {
				if x < 0 || y < 0 || x >= w || y >= h {
					return 0
				}
				return list[y*w+x]
			}
			for y := range h {
				for x := range w {
					gx, gy := 0.0, 0.0
					for i, weight := range []float64{1, 2, 1} {
						gx += weight * (at(x+1, y+i-1) - at(x-1, y+i-1))
						gy += weight * (at(x+i-1, y+1) - at(x+i-1, y-1))
					}
					want = append(want, math.Hypot(gx, gy))
				}
			}
			// Sums up to 8 that cancel, and a fast square root within 2.5 units in the last place.
			return []result{{name: "out", want: want, kind: ir.F32, absolute: 6 * 8 * 0x1p-24, relative: 4 * 0x1p-23}}
		}}
}

func resize(w, h, ow, oh int, group [3]int) *work {
	in := bytesImage(w, h)
	return &work{name: fmt.Sprintf("%dx%d to %dx%d by %v", w, h, ow, oh, group), file: "image.metal", large: ow*oh > 1500,
		textures: map[string]*testlaunch.Texture{"in": in, "out": blankImage("RGBA32Float", ow, oh, 16)},
		launch: func(d *device) {
			d.run("resize", [3]int{up(ow, group[0]), up(oh, group[1]), 1}, group, texture("in"), texture("out"))
		},
		plain: func() []result {
			want := make([]float64, 0, ow*oh*4)
			for y := range oh {
				for x := range ow {
					px, py := (float64(x)+0.5)/float64(ow)*float64(w)-0.5, (float64(y)+0.5)/float64(oh)*float64(h)-0.5
					x0, y0 := int(math.Floor(px)), int(math.Floor(py))
					fx, fy := px-float64(x0), py-float64(y0)
					for c := range 4 {
						at := func(x, y int) float64 {
							return float64(in.Levels[0][(min(max(y, 0), h-1)*w+min(max(x, 0), w-1))*4+c]) / 255
						}
						want = append(want, (1-fy)*((1-fx)*at(x0, y0)+fx*at(x0+1, y0))+fy*((1-fx)*at(x0, y0+1)+fx*at(x0+1, y0+1)))
					}
				}
			}
			// The position is a float of up to 128 texels, and its weights have an error of that
			// size; the fast division may double it.
			return []result{{name: "out", want: want, kind: ir.F32, absolute: 128 * 8 * 0x1p-24}}
		}}
}

func TestImages(t *testing.T) {
	test(t, blur(20, 15, 1, [3]int{8, 8, 1}), blur(13, 30, 3, [3]int{5, 7, 1}), blur(64, 50, 2, [3]int{32, 4, 1}),
		sobel(20, 15, [3]int{8, 8, 1}), sobel(33, 9, [3]int{64, 3, 1}), sobel(100, 80, [3]int{16, 16, 1}),
		resize(10, 12, 25, 17, [3]int{8, 8, 1}), resize(40, 30, 13, 9, [3]int{5, 3, 1}),
		resize(64, 64, 100, 128, [3]int{32, 8, 1}))
}
