package cnn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReshape: the elements keep their order, there and back.
func TestReshape(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(61, 15))
	k, err := cnn.NewNNReshapeWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	lasting(t, k)
	back, err := cnn.NewNNReshapeGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	lasting(t, back)
	src := mpstest.RandomPicture(rng, 4, 3, 5)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		m, state := k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporaryReshapedWidth(cb, in, false, 2, 5, 6)
		defer state.Release()
		n := back.EncodeToCommandBufferSourceGradient(cb, m, in, state)
		t.Cleanup(func() {
			mpstest.AssertPicture(t, mpstest.Picture{W: 2, H: 5, C: 6, V: src.V}, mpstest.PictureOf(m, 0), 1e-6, "reshaped")
			mpstest.AssertPicture(t, src, mpstest.PictureOf(n, 0), 1e-6, "gradient")
			m.Release()
			n.Release()
		})
		m.Retain()
		n.Retain()
	})
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferReshapedWidth(cb, in, 2, 5, 7) })
	}), "a source of 4 by 3 with 5 feature channels as 2 by 5 with 7")
}

// TestPad: all edge modes, in the plane and in the channels.
func TestPad(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(62, 15))
	src := mpstest.RandomPicture(rng, 4, 5, 6)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	before, after := mps.ImageCoordinate{X: 2, Y: 3, Channel: 1}, mps.ImageCoordinate{X: 1, Y: 2, Channel: 4}
	k, err := cnn.NewNNPadWithDevicePaddingSizeBefore(d, before, after)
	require.NoError(t, err)
	defer k.Release()
	lasting(t, k)
	k.SetFillValue(0.75)
	assert.Equal(t, before, k.PaddingSizeBefore())
	// Channels are the columns of a picture with a row for each pixel.
	pixels := mpstest.Picture{W: 6, H: 20, C: 1, V: src.V}
	for edge := mps.ImageEdgeModeZero; edge <= mps.ImageEdgeModeConstant; edge++ {
		k.SetEdgeMode(edge)
		var out mps.Image
		onQueue(t, d, func(cb mtl.CommandBuffer) {
			out = k.EncodeToCommandBuffer(cb, in)
			out.Retain()
		})
		want := mpstest.NewPicture(7, 10, 11)
		for i := range want.V {
			x, y, c := i/11%7-2, i/77-3, i%11-1
			outside := x < 0 || y < 0 || c < 0 || x >= 4 || y >= 5 || c >= 6
			switch {
			case outside && edge == mps.ImageEdgeModeConstant:
				want.V[i] = 0.75
			case outside && edge == mps.ImageEdgeModeZero:
			default:
				// The value of the channel that the mode selects, at the pixel that it selects.
				at := make([]float64, 20)
				for p := range at {
					at[p] = pixels.Beyond(edge, c, p, 0)
				}
				want.V[i] = mpstest.Picture{W: 4, H: 5, C: 1, V: at}.Beyond(edge, x, y, 0)
			}
		}
		mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 1e-6, fmt.Sprint(edge))
		out.Release()
	}
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		_, _ = cnn.NewNNPadWithDevicePaddingSizeBeforePaddingSizeAfterFillValueArray(d, before, after, make([]byte, 44))
	}), "use fillValue")
}
