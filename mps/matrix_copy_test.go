package mps

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wholeVector makes a vector of uint32.
func wholeVector(t *testing.T, d mtl.Device, values ...uint32) Vector {
	t.Helper()
	desc, err := VectorDescriptorWithLength(uint(len(values)), DataTypeUInt32)
	require.NoError(t, err)
	v, err := NewVectorWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(v.Release)
	memory := floatsOf(t, v.Data())
	for i, x := range values {
		memory[i] = math.Float32frombits(x)
	}
	return v
}

// TestCopyPermuted: rows and columns go where vectors say, in two copies whose offsets come from a
// vector.
func TestCopyPermuted(t *testing.T) {
	d := kernels(t)
	s := tables{t, d, rand.New(rand.NewPCG(51, 2))}
	const rows, columns = 3, 2
	a, b := s.matrix(DataTypeFloat32, 2, 5, 4), s.matrix(DataTypeFloat16, 2, 4, 5)
	x, y := s.matrix(DataTypeFloat32, 2, 6, 5), s.matrix(DataTypeFloat32, 2, 6, 5)
	rowAt, columnAt := wholeVector(t, d, 9, 3, 0, 2), wholeVector(t, d, 2, 0)
	offsets := wholeVector(t, d, 7, 1, 2, 1, 1, 0, 1, 2, 0)
	balanced(t, func() {
		desc, err := NewMatrixCopyDescriptorWithSourceMatrices([]Matrix{a.Matrix, b.Matrix}, []Matrix{x.Matrix, y.Matrix},
			offsets, 4)
		require.NoError(t, err)
		defer desc.Release()
		k, err := NewMatrixCopyWithDevice(d, rows, columns, false, false)
		require.NoError(t, err)
		defer k.Release()
		for _, byRow := range []bool{true, false} {
			for _, byColumn := range []bool{true, false} {
				var r, c Vector
				if byRow {
					r = rowAt
				}
				if byColumn {
					c = columnAt
				}
				before := [2][]byte{x.copied(), y.copied()}
				encoded(t, d, func(cb mtl.CommandBuffer) {
					k.EncodeToCommandBufferRowPermuteIndices(cb, desc, r, 1, c, 0)
				})
				for i, o := range [2]struct {
					from, to                *table
					row, column, high, wide int
				}{{a, x, 1, 2, 1, 1}, {b, y, 0, 1, 2, 0}} {
					old := *o.to
					old.memory = before[i]
					want := map[[3]int]float64{}
					for n := range 2 {
						for r := range rows {
							for c := range columns {
								row, column := r, c
								if byRow {
									row = []int{3, 0, 2}[r]
								}
								if byColumn {
									column = []int{2, 0}[c]
								}
								want[[3]int{n, o.high + row, o.wide + column}] = o.from.at(n, o.row+r, o.column+c)
							}
						}
						for r := range 6 {
							for c := range 5 {
								w, ok := want[[3]int{n, r, c}]
								if !ok {
									w = old.at(n, r, c)
								}
								require.Equal(t, w, o.to.at(n, r, c), "copy %d, %v %v: matrix %d (%d, %d)", i, byRow, byColumn, n, r, c)
							}
						}
					}
				}
			}
		}
		encoded(t, d, func(cb mtl.CommandBuffer) {
			refused(t, func() { k.EncodeToCommandBufferRowPermuteIndices(cb, desc, rowAt, 2, Vector{}, 0) },
				"the vector of indices: 1 by 3 elements from row 0 and column 2")
		})
	})
	refused(t, func() {
		_, _ = NewMatrixCopyDescriptorWithSourceMatrices([]Matrix{a.Matrix}, []Matrix{x.Matrix, y.Matrix}, Vector{}, 0)
	}, "1 source and 2 destination matrices")
	refused(t, func() {
		_, _ = NewMatrixCopyDescriptorWithSourceMatrices([]Matrix{a.Matrix}, []Matrix{x.Matrix}, wholeVector(t, d, 1, 2), 0)
	}, "16 bytes of offsets from byte 0 of a vector of")
}

// TestImageMatrix copies images to rows of a matrix and back, in both layouts.
func TestImageMatrix(t *testing.T) {
	d := kernels(t)
	rng := rand.New(rand.NewPCG(52, 2))
	const w, h, n = 3, 2, 2
	for _, channels := range []int{1, 4, 6} {
		for _, layout := range []DataLayout{DataLayoutHeightxWidthxFeatureChannels, DataLayoutFeatureChannelsxHeightxWidth} {
			m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, w, h, channels, n)
			back := newTestImage(t, d, ImageFeatureChannelFormatFloat32, w, h, channels, n)
			var pictures []picture
			for i := range n {
				p := randomPicture(rng, w, h, channels)
				p.write(m, uint(i))
				pictures = append(pictures, p)
			}
			s := tables{t, d, rng}
			x := s.matrix(DataTypeFloat32, 2, 2*n+1, w*h*channels+2)
			balanced(t, func() {
				k, err := NewImageCopyToMatrixWithDeviceDataLayout(d, layout)
				require.NoError(t, err)
				defer k.Release()
				assert.Equal(t, layout, k.DataLayout())
				k.SetDestinationMatrixOrigin(mtl.Origin{X: 1, Y: 2})
				k.SetDestinationMatrixBatchIndex(1)
				to, err := NewMatrixCopyToImageWithDeviceDataLayout(d, layout)
				require.NoError(t, err)
				defer to.Release()
				to.SetSourceMatrixOrigin(mtl.Origin{X: 1 + n, Y: 2})
				to.SetSourceMatrixBatchIndex(1)
				encoded(t, d, func(cb mtl.CommandBuffer) {
					k.EncodeBatchToCommandBuffer(cb, []Image{m, m}, x.Matrix)
					to.EncodeToCommandBuffer(cb, x.Matrix, back)
				})
			})
			for i, p := range pictures {
				for at, v := range p.v {
					column := at
					if layout == DataLayoutFeatureChannelsxHeightxWidth {
						column = at%channels*w*h + at/channels
					}
					require.Equal(t, float32(v), float32(x.at(1, 1+i, 2+column)), "%d channels, layout %v", channels, layout)
					require.Equal(t, float32(v), float32(x.at(1, 1+n+i, 2+column)))
				}
				assertPicture(t, p, pictureOf(back, uint(i)), 1e-7, "copied back")
			}
		}
	}
	k, err := NewImageCopyToMatrixWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, w, h, 1, 1)
	x := tables{t, d, rng}.matrix(DataTypeFloat32, 1, 1, 5)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		refused(t, func() { k.EncodeToCommandBuffer(cb, m, x.Matrix) }, "the matrix: 1 by 6 elements", "1 of 1 by 5")
	})
	refused(t, func() { _, _ = NewImageCopyToMatrixWithDeviceDataLayout(d, 2) }, "no data layout 2")
}
