package kernels

import (
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

type line struct{ Length, Taps, Stride, Padding, Dilation, Outputs, Channels int32 }

func conv1d(l line, outs int, group [3]int) *work {
	l.Outputs = (l.Length+2*l.Padding-l.Dilation*(l.Taps-1)-1)/l.Stride + 1
	in, weight := normal(int(l.Channels*l.Length), 13), normal(outs*int(l.Channels*l.Taps), 14)
	return &work{name: fmt.Sprintf("%+v by %v", l, group), file: "convolution.metal", large: l.Length*l.Channels > 2000,
		buffers: map[string][]byte{"in": rounded(ir.F32, in), "weight": rounded(ir.F32, weight),
			"out": make([]byte, outs*int(l.Outputs)*4)},
		launch: func(d *device) {
			d.run("conv1d", [3]int{int(l.Outputs), outs, 1}, group, "in", "weight", "out", l)
		},
		plain: func() []result {
			want := make([]float64, 0, outs*int(l.Outputs))
			for o := range int32(outs) {
				for i := range l.Outputs {
					sum := 0.0
					for c := range l.Channels {
						for t := range l.Taps {
							if x := i*l.Stride - l.Padding + t*l.Dilation; x >= 0 && x < l.Length {
								sum += in[c*l.Length+x] * weight[(o*l.Channels+c)*l.Taps+t]
							}
						}
					}
					want = append(want, sum)
				}
			}
			return []result{sums("out", want, int(l.Channels*l.Taps))}
		}}
}

// sums is the result for sums of that many products of numbers around 1: each addition rounds by at
// most half a unit in the last place of a sum of at most about 4 sqrt(terms).
func sums(name string, want []float64, terms int) result {
	return result{name: name, want: want, kind: ir.F32, absolute: float64(terms) * 8 * 0x1p-24,
		relative: float64(terms) * 0x1p-24}
}

func TestConv1D(t *testing.T) {
	test(t, conv1d(line{Length: 100, Taps: 5, Stride: 1, Padding: 2, Dilation: 1, Channels: 3}, 4, [3]int{32, 2, 1}),
		conv1d(line{Length: 77, Taps: 3, Stride: 2, Padding: 4, Dilation: 3, Channels: 2}, 3, [3]int{50, 1, 1}),
		conv1d(line{Length: 1000, Taps: 9, Stride: 1, Padding: 0, Dilation: 2, Channels: 8}, 5, [3]int{256, 1, 1}))
}

type plane struct{ W, H, OutW, OutH, Channels, Outputs, Radius, Stride int32 }

// conv2d is a convolution by the direct kernel or, for 3 by 3 and stride 1, through tiles.
func conv2d(p plane, tiled bool, group [3]int) *work {
	p.OutW, p.OutH = (p.W-1)/p.Stride+1, (p.H-1)/p.Stride+1
	taps := 2*p.Radius + 1
	in, weight := normal(int(p.Channels*p.W*p.H), 15), normal(int(p.Outputs*p.Channels*taps*taps), 16)
	return &work{name: fmt.Sprintf("%+v tiled=%v by %v", p, tiled, group), file: "convolution.metal",
		large: p.W*p.H*p.Channels > 2000,
		buffers: map[string][]byte{"in": rounded(ir.F32, in), "weight": rounded(ir.F32, weight),
			"out": make([]byte, p.Outputs*p.OutW*p.OutH*4)},
		launch: func(d *device) {
			grid := [3]int{up(int(p.OutW), group[0]), up(int(p.OutH), group[1]), int(p.Outputs)}
			if tiled {
				d.run("conv2d_tiled", grid, group, "in", "weight", "out", p, local((group[0]+2)*(group[1]+2)*4))
			} else {
				d.run("conv2d", grid, group, "in", "weight", "out", p)
			}
		},
		plain: func() []result {
			want := make([]float64, 0, p.Outputs*p.OutW*p.OutH)
			for o := range p.Outputs {
				for y := range p.OutH {
					for x := range p.OutW {
						sum := 0.0
						for c := range p.Channels {
							for dy := range taps {
								fy := y*p.Stride + dy - p.Radius
								if fy < 0 || fy >= p.H {
									continue
								}
								for dx := range taps {
									if fx := x*p.Stride + dx - p.Radius; fx >= 0 && fx < p.W {
										sum += in[(c*p.H+fy)*p.W+fx] * weight[((o*p.Channels+c)*taps+dy)*taps+dx]
									}
								}
							}
						}
						want = append(want, sum)
					}
				}
			}
			return []result{sums("out", want, int(p.Channels*taps*taps))}
		}}
}

func TestConv2D(t *testing.T) {
	test(t, conv2d(plane{W: 13, H: 9, Channels: 2, Outputs: 3, Radius: 1, Stride: 1}, false, [3]int{8, 4, 1}),
		conv2d(plane{W: 20, H: 15, Channels: 1, Outputs: 2, Radius: 2, Stride: 2}, false, [3]int{5, 7, 2}),
		conv2d(plane{W: 13, H: 9, Channels: 2, Outputs: 3, Radius: 1, Stride: 1}, true, [3]int{8, 8, 1}),
		conv2d(plane{W: 30, H: 5, Channels: 3, Outputs: 1, Radius: 1, Stride: 1}, true, [3]int{7, 3, 1}),
		conv2d(plane{W: 64, H: 50, Channels: 4, Outputs: 4, Radius: 1, Stride: 1}, true, [3]int{32, 8, 1}),
		conv2d(plane{W: 64, H: 50, Channels: 4, Outputs: 4, Radius: 1, Stride: 1}, false, [3]int{16, 16, 1}))
}
