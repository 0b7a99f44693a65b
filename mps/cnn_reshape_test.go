package mps

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReshape: the elements keep their order, there and back.
func TestReshape(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(61, 15))
	k, err := NewNNReshapeWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	lasting(t, k)
	back, err := NewNNReshapeGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	lasting(t, back)
	src := randomPicture(rng, 4, 3, 5)
	in := src.image(t, d, ImageFeatureChannelFormatFloat32)
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		m, state := k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporaryReshapedWidth(cb, in, false, 2, 5, 6)
		defer state.Release()
		n := back.EncodeToCommandBufferSourceGradient(cb, m, in, state)
		t.Cleanup(func() {
			assertPicture(t, picture{2, 5, 6, src.v}, pictureOf(m, 0), 1e-6, "reshaped")
			assertPicture(t, src, pictureOf(n, 0), 1e-6, "gradient")
			m.Release()
			n.Release()
		})
		m.Retain()
		n.Retain()
	})
	assert.Contains(t, faultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferReshapedWidth(cb, in, 2, 5, 7) })
	}), "a source of 4 by 3 with 5 feature channels as 2 by 5 with 7")
}

// TestPad: all edge modes, in the plane and in the channels.
func TestPad(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(62, 15))
	src := randomPicture(rng, 4, 5, 6)
	in := src.image(t, d, ImageFeatureChannelFormatFloat32)
	before, after := ImageCoordinate{X: 2, Y: 3, Channel: 1}, ImageCoordinate{X: 1, Y: 2, Channel: 4}
	k, err := NewNNPadWithDevicePaddingSizeBefore(d, before, after)
	require.NoError(t, err)
	defer k.Release()
	lasting(t, k)
	k.SetFillValue(0.75)
	assert.Equal(t, before, k.PaddingSizeBefore())
	// Channels are the columns of a picture with a row for each pixel.
	pixels := picture{6, 20, 1, src.v}
	for edge := ImageEdgeModeZero; edge <= ImageEdgeModeConstant; edge++ {
		k.SetEdgeMode(edge)
		var out Image
		onQueue(t, d, func(cb mtl.CommandBuffer) {
			out = k.EncodeToCommandBuffer(cb, in)
			out.Retain()
		})
		want := newPicture(7, 10, 11)
		for i := range want.v {
			x, y, c := i/11%7-2, i/77-3, i%11-1
			outside := x < 0 || y < 0 || c < 0 || x >= 4 || y >= 5 || c >= 6
			switch {
			case outside && edge == ImageEdgeModeConstant:
				want.v[i] = 0.75
			case outside && edge == ImageEdgeModeZero:
			default:
				// The value of the channel that the mode selects, at the pixel that it selects.
				at := make([]float64, 20)
				for p := range at {
					at[p] = pixels.beyond(edge, c, p, 0)
				}
				want.v[i] = picture{4, 5, 1, at}.beyond(edge, x, y, 0)
			}
		}
		assertPicture(t, want, pictureOf(out, 0), 1e-6, fmt.Sprint(edge))
		out.Release()
	}
	assert.Contains(t, faultsOf(t, func() {
		_, _ = NewNNPadWithDevicePaddingSizeBeforePaddingSizeAfterFillValueArray(d, before, after, make([]byte, 44))
	}), "use fillValue")
}
