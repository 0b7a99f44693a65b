package cnn_test

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// normalization is a data source with the optional epsilon.
type normalization struct {
	loads, purges int
	gamma         []float32
}

func (n *normalization) NumberOfFeatureChannels() uint { return uint(len(n.gamma)) }
func (n *normalization) Gamma() uintptr                { return objc.Slice(n.gamma) }
func (n *normalization) Beta() uintptr                 { return 0 }
func (n *normalization) Mean() uintptr                 { return 0 }
func (n *normalization) Variance() uintptr             { return 0 }
func (n *normalization) Load() bool                    { n.loads++; return true }
func (n *normalization) Purge()                        { n.purges++ }
func (n *normalization) Label() string                 { return "normal" }
func (n *normalization) Epsilon() float32              { return 0.25 }

// padding has a method with a structure and one with arrays of objects.
type padding struct{}

func (padding) TransformForSourceImage(mps.Image, mps.Handle) mps.ScaleTransform {
	return mps.ScaleTransform{ScaleX: 1, ScaleY: 2, TranslateX: 3, TranslateY: 4}
}

// TestImplement: messages reach the methods of Go types, optional ones only where they exist.
func TestImplement(t *testing.T) {
	mpstest.Framework(t)
	impl := &normalization{gamma: []float32{1, 2, 3}}
	source, err := cnn.NewBatchNormalizationDataSource(impl)
	require.NoError(t, err)
	defer source.Release()
	assert.EqualValues(t, 3, source.NumberOfFeatureChannels())
	assert.NotZero(t, source.Gamma())
	assert.Zero(t, source.Beta())
	assert.True(t, source.Load())
	source.Purge()
	assert.Equal(t, "normal", source.Label())
	epsilon, err := source.Epsilon()
	require.NoError(t, err)
	assert.EqualValues(t, 0.25, epsilon)
	assert.Equal(t, []int{1, 1}, []int{impl.loads, impl.purges})
	_, err = source.UpdateGammaAndBetaWithBatchNormalizationState(cnn.BatchNormalizationStateFrom(source.ID()))
	require.ErrorIs(t, err, objc.ErrUnavailable)

	provider, err := mps.NewImageTransformProvider(padding{})
	require.NoError(t, err)
	defer provider.Release()
	got := provider.TransformForSourceImage(mps.ImageFrom(source.ID()), mps.HandleFrom(0))
	assert.Equal(t, mps.ScaleTransform{ScaleX: 1, ScaleY: 2, TranslateX: 3, TranslateY: 4}, got)
	_, err = mps.NewImageTransformProvider(nil)
	require.ErrorIs(t, err, objc.ErrNil)
}
