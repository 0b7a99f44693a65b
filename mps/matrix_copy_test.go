package mps_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/filter"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wholeVector makes a vector of uint32.
func wholeVector(t *testing.T, d mtl.Device, values ...uint32) mps.Vector {
	t.Helper()
	desc, err := mps.VectorDescriptorWithLength(uint(len(values)), mps.DataTypeUInt32)
	require.NoError(t, err)
	v, err := mps.NewVectorWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(v.Release)
	memory := mpstest.FloatsOf(t, v.Data())
	for i, x := range values {
		memory[i] = math.Float32frombits(x)
	}
	return v
}

// TestCopyPermuted: rows and columns go where vectors say, in two copies whose offsets come from a
// vector.
func TestCopyPermuted(t *testing.T) {
	d := mpstest.Kernels(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(51, 2))}
	const rows, columns = 3, 2
	a, b := s.Matrix(mps.DataTypeFloat32, 2, 5, 4), s.Matrix(mps.DataTypeFloat16, 2, 4, 5)
	x, y := s.Matrix(mps.DataTypeFloat32, 2, 6, 5), s.Matrix(mps.DataTypeFloat32, 2, 6, 5)
	rowAt, columnAt := wholeVector(t, d, 9, 3, 0, 2), wholeVector(t, d, 2, 0)
	offsets := wholeVector(t, d, 7, 1, 2, 1, 1, 0, 1, 2, 0)
	balanced(t, func() {
		desc, err := mps.NewMatrixCopyDescriptorWithSourceMatrices([]mps.Matrix{a.Matrix, b.Matrix}, []mps.Matrix{x.Matrix,
			y.Matrix},
			offsets, 4)
		require.NoError(t, err)
		defer desc.Release()
		k, err := mps.NewMatrixCopyWithDevice(d, rows, columns, false, false)
		require.NoError(t, err)
		defer k.Release()
		for _, byRow := range []bool{true, false} {
			for _, byColumn := range []bool{true, false} {
				var r, c mps.Vector
				if byRow {
					r = rowAt
				}
				if byColumn {
					c = columnAt
				}
				before := [2][]byte{x.Copied(), y.Copied()}
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
					k.EncodeToCommandBufferRowPermuteIndices(cb, desc, r, 1, c, 0)
				})
				for i, o := range [2]struct {
					from, to                *mpstest.Table
					row, column, high, wide int
				}{{a, x, 1, 2, 1, 1}, {b, y, 0, 1, 2, 0}} {
					old := *o.to
					old.Memory = before[i]
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
								want[[3]int{n, o.high + row, o.wide + column}] = o.from.At(n, o.row+r, o.column+c)
							}
						}
						for r := range 6 {
							for c := range 5 {
								w, ok := want[[3]int{n, r, c}]
								if !ok {
									w = old.At(n, r, c)
								}
								require.Equal(t, w, o.to.At(n, r, c), "copy %d, %v %v: matrix %d (%d, %d)", i, byRow, byColumn, n, r, c)
							}
						}
					}
				}
			}
		}
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			mpstest.Refused(t, func() { k.EncodeToCommandBufferRowPermuteIndices(cb, desc, rowAt, 2, mps.Vector{}, 0) },
				"the vector of indices: 1 by 3 elements from row 0 and column 2")
		})
	})
	mpstest.Refused(t, func() {
		_, _ = mps.NewMatrixCopyDescriptorWithSourceMatrices([]mps.Matrix{a.Matrix}, []mps.Matrix{x.Matrix, y.Matrix},
			mps.Vector{}, 0)
	}, "1 source and 2 destination matrices")
	mpstest.Refused(t, func() {
		_, _ = mps.NewMatrixCopyDescriptorWithSourceMatrices([]mps.Matrix{a.Matrix}, []mps.Matrix{x.Matrix}, wholeVector(t,
			d, 1, 2), 0)
	}, "16 bytes of offsets from byte 0 of a vector of")
}

// TestImageMatrix copies images to rows of a matrix and back, in both layouts.
func TestImageMatrix(t *testing.T) {
	d := mpstest.Kernels(t)
	rng := rand.New(rand.NewPCG(52, 2))
	const w, h, n = 3, 2, 2
	for _, channels := range []int{1, 4, 6} {
		for _, layout := range []mps.DataLayout{mps.DataLayoutHeightxWidthxFeatureChannels,
			mps.DataLayoutFeatureChannelsxHeightxWidth} {
			m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, w, h, channels, n)
			back := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, w, h, channels, n)
			var pictures []mpstest.Picture
			for i := range n {
				p := mpstest.RandomPicture(rng, w, h, channels)
				p.Write(m, uint(i))
				pictures = append(pictures, p)
			}
			s := mpstest.Tables{T: t, D: d, Rng: rng}
			x := s.Matrix(mps.DataTypeFloat32, 2, 2*n+1, w*h*channels+2)
			balanced(t, func() {
				k, err := filter.NewCopyToMatrixWithDeviceDataLayout(d, layout)
				require.NoError(t, err)
				defer k.Release()
				assert.Equal(t, layout, k.DataLayout())
				k.SetDestinationMatrixOrigin(mtl.Origin{X: 1, Y: 2})
				k.SetDestinationMatrixBatchIndex(1)
				to, err := mps.NewMatrixCopyToImageWithDeviceDataLayout(d, layout)
				require.NoError(t, err)
				defer to.Release()
				to.SetSourceMatrixOrigin(mtl.Origin{X: 1 + n, Y: 2})
				to.SetSourceMatrixBatchIndex(1)
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
					k.EncodeBatchToCommandBuffer(cb, []mps.Image{m, m}, x.Matrix)
					to.EncodeToCommandBuffer(cb, x.Matrix, back)
				})
			})
			for i, p := range pictures {
				for at, v := range p.V {
					column := at
					if layout == mps.DataLayoutFeatureChannelsxHeightxWidth {
						column = at%channels*w*h + at/channels
					}
					require.Equal(t, float32(v), float32(x.At(1, 1+i, 2+column)), "%d channels, layout %v", channels, layout)
					require.Equal(t, float32(v), float32(x.At(1, 1+n+i, 2+column)))
				}
				mpstest.AssertPicture(t, p, mpstest.PictureOf(back, uint(i)), 1e-7, "copied back")
			}
		}
	}
	k, err := filter.NewCopyToMatrixWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, w, h, 1, 1)
	x := mpstest.Tables{T: t, D: d, Rng: rng}.Matrix(mps.DataTypeFloat32, 1, 1, 5)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, m, x.Matrix) }, "the matrix: 1 by 6 elements", "1 of 1 by 5")
	})
	mpstest.Refused(t, func() { _, _ = filter.NewCopyToMatrixWithDeviceDataLayout(d, 2) }, "no data layout 2")
}
