package cnn_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lossCase is a loss with its parameters.
type lossCase struct {
	kind                              cnn.LossType
	weight, smoothing, epsilon, delta float64
	classes                           int
}

// value is the loss of each element of a batch without its weight, with labels t.
func (l lossCase) value(y, t []mpstest.Picture) (list []mpstest.Picture) {
	logs := softmaxOf(y, true)
	for i, p := range y {
		out := mpstest.NewPicture(p.W, p.H, p.C)
		for k := range p.V {
			y, t := p.V[k], l.smooth(t[i].V[k])
			d := y - t
			v := 0.0
			switch l.kind {
			case cnn.LossTypeMeanAbsoluteError:
				v = math.Abs(d)
			case cnn.LossTypeMeanSquaredError:
				v = d * d
			case cnn.LossTypeSoftMaxCrossEntropy:
				v = -t * logs[i].V[k]
			case cnn.LossTypeSigmoidCrossEntropy:
				v = max(y, 0) - y*t + math.Log1p(math.Exp(-math.Abs(y)))
			case cnn.LossTypeCategoricalCrossEntropy:
				v = -t * math.Log(y)
			case cnn.LossTypeHinge:
				v = max(0, 1-(2*t-1)*y)
			case cnn.LossTypeHuber:
				if v = 0.5 * d * d; math.Abs(d) > l.delta {
					v = 0.5*l.delta*l.delta + l.delta*(math.Abs(d)-l.delta)
				}
			case cnn.LossTypeCosineDistance:
				v = -y * t
			case cnn.LossTypeLog:
				v = -t*math.Log(y+l.epsilon) - (1-t)*math.Log(1-y+l.epsilon)
			case cnn.LossTypeKullbackLeiblerDivergence:
				if t > 0 {
					v = t * (math.Log(t) - y)
				}
			}
			out.V[k] = l.weight * v
		}
		list = append(list, out)
	}
	return list
}

func (l lossCase) smooth(t float64) float64 {
	switch l.kind {
	case cnn.LossTypeSoftMaxCrossEntropy:
		return t*(1-l.smoothing) + l.smoothing/float64(l.classes)
	case cnn.LossTypeSigmoidCrossEntropy:
		return t*(1-l.smoothing) + 0.5*l.smoothing
	}
	return t
}

// kernel makes the loss.
func (l lossCase) kernel(t *testing.T, d mtl.Device, reduction cnn.ReductionType, across bool) cnn.Loss {
	t.Helper()
	desc, err := cnn.LossDescriptorWithType(l.kind, reduction)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 0, 1e-7, 1}, []float32{desc.Weight(), desc.LabelSmoothing(), desc.Epsilon(),
		desc.Delta()})
	desc.SetWeight(float32(l.weight))
	desc.SetLabelSmoothing(float32(l.smoothing))
	desc.SetEpsilon(float32(l.epsilon))
	desc.SetDelta(float32(l.delta))
	desc.SetNumberOfClasses(uint(l.classes))
	desc.SetReduceAcrossBatch(across)
	k, err := cnn.NewLossWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(k.Release)
	assert.Equal(t, l.kind, k.LossType())
	assert.Equal(t, reduction, k.ReductionType())
	assert.Equal(t, float32(l.weight), k.Weight())
	return k
}

// dataOf describes a picture's values, interleaved or in planes.
func dataOf(t *testing.T, p mpstest.Picture, layout mps.DataLayout) cnn.LossDataDescriptor {
	t.Helper()
	var data []byte
	for i := range p.V {
		v := p.V[i]
		if layout == mps.DataLayoutFeatureChannelsxHeightxWidth {
			v = *p.At(i%p.W, i/p.W%p.H, i/p.W/p.H)
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	desc, err := cnn.LossDataDescriptorWithData(data, layout, mtl.Size{Width: uint(p.W), Height: uint(p.H),
		Depth: uint(p.C)})
	require.NoError(t, err)
	assert.Equal(t, layout, desc.Layout())
	return desc
}

// labelsFor are one-hot over feature channels.
func labelsFor(rng *rand.Rand, l layerCase) (list []mpstest.Picture) {
	for range l.images {
		p := mpstest.NewPicture(l.w, l.h, l.c)
		for i := range l.w * l.h {
			p.V[i*l.c+rng.IntN(l.c)] = 1
		}
		list = append(list, p)
	}
	return list
}

// reduced is the reduction of a batch's losses; weights may be nil.
func (l lossCase) reduced(losses, weights []mpstest.Picture, reduction cnn.ReductionType, across bool) (out []float64) {
	sum, count := 0.0, 0.0
	for i, p := range losses {
		if !across {
			sum, count = 0, 0
		}
		if l.kind == cnn.LossTypeCosineDistance {
			sum += l.weight
		}
		for k, v := range p.V {
			switch {
			case reduction == cnn.ReductionTypeSumByNonZeroWeights && weights != nil && weights[i].V[k] == 0:
			case reduction == cnn.ReductionTypeMean && l.kind == cnn.LossTypeSoftMaxCrossEntropy:
				count += 1 / float64(p.C)
			default:
				count++
			}
			sum += v
		}
		v := sum
		if reduction != cnn.ReductionTypeSum {
			v /= count
		}
		out = append(out, v)
	}
	if across {
		last := out[len(out)-1]
		out = make([]float64, len(losses))
		out[0] = last
	}
	return out
}

func TestCNNLoss(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(26, 1))
	for kind := cnn.LossTypeMeanAbsoluteError; kind < cnn.LossTypeCount; kind++ {
		for round, reduction := range []cnn.ReductionType{cnn.ReductionTypeSum, cnn.ReductionTypeMean,
			cnn.ReductionTypeSumByNonZeroWeights, cnn.ReductionTypeNone} {
			if kind == cnn.LossTypeCosineDistance && reduction != cnn.ReductionTypeSum {
				continue
			}
			l := layerCase{format: mps.ImageFeatureChannelFormatFloat32, images: 2, w: 3, h: 2, c: 5}.whole()
			c := lossCase{kind: kind, weight: 0.75, smoothing: 0.25, epsilon: 0.125, delta: 0.5, classes: l.c}
			across := round == 1
			k := c.kernel(t, d, reduction, across)
			y := l.pictures(rng, func() float64 { return 0.1 + 0.8*rng.Float64() })
			labels := labelsFor(rng, l)
			var weights []mpstest.Picture
			if kind != cnn.LossTypeCosineDistance && round%2 == 0 {
				weights = l.pictures(rng, func() float64 { return float64(rng.IntN(3)) })
			}
			size := mtl.Size{Width: 1, Height: 1, Depth: 1}
			if reduction == cnn.ReductionTypeNone {
				size = mtl.Size{Width: uint(l.w), Height: uint(l.h), Depth: uint(l.c)}
			}
			var states []cnn.LossLabels
			for i := range labels {
				var w cnn.LossDataDescriptor
				if weights != nil {
					w = dataOf(t, weights[i], mps.DataLayoutHeightxWidthxFeatureChannels)
				}
				s, err := cnn.NewLossLabelsWithDeviceLossImageSize(d, size, dataOf(t, labels[i], mps.DataLayout(i%2)), w)
				require.NoError(t, err)
				t.Cleanup(s.Release)
				assert.Equal(t, labels[i], mpstest.PictureOf(s.LabelsImage(), 0))
				assert.Equal(t, weights == nil, s.WeightsImage().IsNil())
				states = append(states, s)
			}
			from, to := l.imagesOf(t, d, y), l.destinations(t, d, 2, l.c)
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				k.EncodeBatchToCommandBufferLabelsDestinationImages(cb, from, states, to)
			})
			what := fmt.Sprintf("%v %v", kind, reduction)
			losses := func(y []mpstest.Picture) []mpstest.Picture {
				list := c.value(y, labels)
				for i := range weights {
					for j := range list[i].V {
						list[i].V[j] *= weights[i].V[j]
					}
				}
				return list
			}
			ones := l.expected(l.c, func(_, _, _, _ int) float64 { return 1 })
			want := numericGradient(ones, y, losses)
			if kind == cnn.LossTypeSoftMaxCrossEntropy && weights != nil {
				// Apple's formula weights the elements of softmax(y) - t.
				soft := softmaxOf(y, false)
				want = l.expected(l.c, func(i, x, y, ch int) float64 {
					v := *soft[i].At(x, y, ch) - c.smooth(*labels[i].At(x, y, ch))
					return c.weight * *weights[i].At(x, y, ch) * v
				})
			}
			assertBatch(t, want, l.written(t, to), l.tolerance(), what+" gradient")
			if reduction == cnn.ReductionTypeNone {
				for i, p := range losses(y) {
					mpstest.AssertPicture(t, p, mpstest.PictureOf(states[i].LossImage(), 0), l.tolerance(), what)
				}
				continue
			}
			for i, v := range c.reduced(losses(y), weights, reduction, across) {
				got := mpstest.PictureOf(states[i].LossImage(), 0).V
				require.InDelta(t, v, got[0], 1e-5*(1+math.Abs(v)), "%s %d", what, i)
			}
		}
	}
}

// TestCNNLossImages: labels in images, and a gradient that the kernel makes.
func TestCNNLossImages(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(26, 2))
	l := layerCase{format: mps.ImageFeatureChannelFormatFloat32, images: 1, w: 3, h: 2, c: 5}.whole()
	c := lossCase{kind: cnn.LossTypeMeanSquaredError, weight: 1, delta: 1, epsilon: 1, classes: 1}
	k := c.kernel(t, d, cnn.ReductionTypeMean, false)
	y, labels := l.pictures(rng, nil), labelsFor(rng, l)
	s, err := cnn.NewLossLabelsWithDeviceLossImageSizeLabelsImage(d, mtl.Size{Width: 1, Height: 1, Depth: 1},
		l.imagesOf(t, d, labels)[0], mps.Image{})
	require.NoError(t, err)
	defer s.Release()
	from := l.imagesOf(t, d, y)[0]
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		m := k.EncodeToCommandBufferLabels(cb, from, s)
		assert.Equal(t, [3]uint{3, 2, 5}, [3]uint{m.Width(), m.Height(), m.FeatureChannels()})
	})
	want := c.reduced(c.value(y, labels), nil, cnn.ReductionTypeMean, false)[0]
	require.InDelta(t, want, mpstest.PictureOf(s.LossImage(), 0).V[0], 1e-5)
}

func TestCNNLossMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	c := lossCase{kind: cnn.LossTypeMeanSquaredError, weight: 1, delta: 1, epsilon: 1, classes: 1}
	k := c.kernel(t, d, cnn.ReductionTypeSum, false)
	p := mpstest.NewPicture(3, 2, 5)
	s, err := cnn.NewLossLabelsWithDeviceLabelsDescriptor(d, dataOf(t, p, mps.DataLayoutHeightxWidthxFeatureChannels))
	require.NoError(t, err)
	defer s.Release()
	made := func(kind cnn.LossType, reduction cnn.ReductionType) func() {
		return func() {
			desc, err := cnn.LossDescriptorWithType(kind, reduction)
			require.NoError(t, err)
			_, _ = cnn.NewLossWithDevice(d, desc)
		}
	}
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNLoss: loss type 10; the types are 0 to 9", made(cnn.LossTypeCount, cnn.ReductionTypeSum)},
		{"MPSCNNLoss: reduction type 2; a cosine distance takes the sum (1)",
			made(cnn.LossTypeCosineDistance, cnn.ReductionTypeMean)},
		{"MPSCNNLossDataDescriptor: data of 8 bytes; 2 by 2 by 1 float32", func() {
			_, _ = cnn.LossDataDescriptorWithData(make([]byte, 8), mps.DataLayoutHeightxWidthxFeatureChannels,
				mtl.Size{Width: 2, Height: 2, Depth: 1})
		}},
		{"labels of 3 by 2 pixels with 5 feature channels for predictions of 4 by 4 with 3", func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferLabels(cb, m, s) })
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}
