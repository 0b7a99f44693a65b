package mps

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lossCase is a loss with its parameters.
type lossCase struct {
	kind                              CNNLossType
	weight, smoothing, epsilon, delta float64
	classes                           int
}

// value is the loss of each element of a batch without its weight, with labels t.
func (l lossCase) value(y, t []picture) (list []picture) {
	logs := softmaxOf(y, true)
	for i, p := range y {
		out := newPicture(p.w, p.h, p.c)
		for k := range p.v {
			y, t := p.v[k], l.smooth(t[i].v[k])
			d := y - t
			v := 0.0
			switch l.kind {
			case CNNLossTypeMeanAbsoluteError:
				v = math.Abs(d)
			case CNNLossTypeMeanSquaredError:
				v = d * d
			case CNNLossTypeSoftMaxCrossEntropy:
				v = -t * logs[i].v[k]
			case CNNLossTypeSigmoidCrossEntropy:
				v = max(y, 0) - y*t + math.Log1p(math.Exp(-math.Abs(y)))
			case CNNLossTypeCategoricalCrossEntropy:
				v = -t * math.Log(y)
			case CNNLossTypeHinge:
				v = max(0, 1-(2*t-1)*y)
			case CNNLossTypeHuber:
				if v = 0.5 * d * d; math.Abs(d) > l.delta {
					v = 0.5*l.delta*l.delta + l.delta*(math.Abs(d)-l.delta)
				}
			case CNNLossTypeCosineDistance:
				v = -y * t
			case CNNLossTypeLog:
				v = -t*math.Log(y+l.epsilon) - (1-t)*math.Log(1-y+l.epsilon)
			case CNNLossTypeKullbackLeiblerDivergence:
				if t > 0 {
					v = t * (math.Log(t) - y)
				}
			}
			out.v[k] = l.weight * v
		}
		list = append(list, out)
	}
	return list
}

func (l lossCase) smooth(t float64) float64 {
	switch l.kind {
	case CNNLossTypeSoftMaxCrossEntropy:
		return t*(1-l.smoothing) + l.smoothing/float64(l.classes)
	case CNNLossTypeSigmoidCrossEntropy:
		return t*(1-l.smoothing) + 0.5*l.smoothing
	}
	return t
}

// kernel makes the loss.
func (l lossCase) kernel(t *testing.T, d mtl.Device, reduction CNNReductionType, across bool) CNNLoss {
	t.Helper()
	desc, err := CnnLossDescriptorWithType(l.kind, reduction)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 0, 1e-7, 1}, []float32{desc.Weight(), desc.LabelSmoothing(), desc.Epsilon(),
		desc.Delta()})
	desc.SetWeight(float32(l.weight))
	desc.SetLabelSmoothing(float32(l.smoothing))
	desc.SetEpsilon(float32(l.epsilon))
	desc.SetDelta(float32(l.delta))
	desc.SetNumberOfClasses(uint(l.classes))
	desc.SetReduceAcrossBatch(across)
	k, err := NewCNNLossWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(k.Release)
	assert.Equal(t, l.kind, k.LossType())
	assert.Equal(t, reduction, k.ReductionType())
	assert.Equal(t, float32(l.weight), k.Weight())
	return k
}

// dataOf describes a picture's values, interleaved or in planes.
func dataOf(t *testing.T, p picture, layout DataLayout) CNNLossDataDescriptor {
	t.Helper()
	var data []byte
	for i := range p.v {
		v := p.v[i]
		if layout == DataLayoutFeatureChannelsxHeightxWidth {
			v = *p.at(i%p.w, i/p.w%p.h, i/p.w/p.h)
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	desc, err := CnnLossDataDescriptorWithData(data, layout, mtl.Size{Width: uint(p.w), Height: uint(p.h),
		Depth: uint(p.c)})
	require.NoError(t, err)
	assert.Equal(t, layout, desc.Layout())
	return desc
}

// labelsFor are one-hot over feature channels.
func labelsFor(rng *rand.Rand, l layerCase) (list []picture) {
	for range l.images {
		p := newPicture(l.w, l.h, l.c)
		for i := range l.w * l.h {
			p.v[i*l.c+rng.IntN(l.c)] = 1
		}
		list = append(list, p)
	}
	return list
}

// reduced is the reduction of a batch's losses; weights may be nil.
func (l lossCase) reduced(losses, weights []picture, reduction CNNReductionType, across bool) (out []float64) {
	sum, count := 0.0, 0.0
	for i, p := range losses {
		if !across {
			sum, count = 0, 0
		}
		if l.kind == CNNLossTypeCosineDistance {
			sum += l.weight
		}
		for k, v := range p.v {
			switch {
			case reduction == CNNReductionTypeSumByNonZeroWeights && weights != nil && weights[i].v[k] == 0:
			case reduction == CNNReductionTypeMean && l.kind == CNNLossTypeSoftMaxCrossEntropy:
				count += 1 / float64(p.c)
			default:
				count++
			}
			sum += v
		}
		v := sum
		if reduction != CNNReductionTypeSum {
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
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(26, 1))
	for kind := CNNLossTypeMeanAbsoluteError; kind < CNNLossTypeCount; kind++ {
		for round, reduction := range []CNNReductionType{CNNReductionTypeSum, CNNReductionTypeMean,
			CNNReductionTypeSumByNonZeroWeights, CNNReductionTypeNone} {
			if kind == CNNLossTypeCosineDistance && reduction != CNNReductionTypeSum {
				continue
			}
			l := layerCase{format: ImageFeatureChannelFormatFloat32, images: 2, w: 3, h: 2, c: 5}.whole()
			c := lossCase{kind: kind, weight: 0.75, smoothing: 0.25, epsilon: 0.125, delta: 0.5, classes: l.c}
			across := round == 1
			k := c.kernel(t, d, reduction, across)
			y := l.pictures(rng, func() float64 { return 0.1 + 0.8*rng.Float64() })
			labels := labelsFor(rng, l)
			var weights []picture
			if kind != CNNLossTypeCosineDistance && round%2 == 0 {
				weights = l.pictures(rng, func() float64 { return float64(rng.IntN(3)) })
			}
			size := mtl.Size{Width: 1, Height: 1, Depth: 1}
			if reduction == CNNReductionTypeNone {
				size = mtl.Size{Width: uint(l.w), Height: uint(l.h), Depth: uint(l.c)}
			}
			var states []CNNLossLabels
			for i := range labels {
				var w CNNLossDataDescriptor
				if weights != nil {
					w = dataOf(t, weights[i], DataLayoutHeightxWidthxFeatureChannels)
				}
				s, err := NewCNNLossLabelsWithDeviceLossImageSize(d, size, dataOf(t, labels[i], DataLayout(i%2)), w)
				require.NoError(t, err)
				t.Cleanup(s.Release)
				assert.Equal(t, labels[i], pictureOf(s.LabelsImage(), 0))
				assert.Equal(t, weights == nil, s.WeightsImage().IsNil())
				states = append(states, s)
			}
			from, to := l.imagesOf(t, d, y), l.destinations(t, d, 2, l.c)
			encoded(t, d, func(cb mtl.CommandBuffer) {
				k.EncodeBatchToCommandBufferLabelsDestinationImages(cb, from, states, to)
			})
			what := fmt.Sprintf("%v %v", kind, reduction)
			losses := func(y []picture) []picture {
				list := c.value(y, labels)
				for i := range weights {
					for j := range list[i].v {
						list[i].v[j] *= weights[i].v[j]
					}
				}
				return list
			}
			ones := l.expected(l.c, func(_, _, _, _ int) float64 { return 1 })
			want := numericGradient(ones, y, losses)
			if kind == CNNLossTypeSoftMaxCrossEntropy && weights != nil {
				// Apple's formula weights the elements of softmax(y) - t.
				soft := softmaxOf(y, false)
				want = l.expected(l.c, func(i, x, y, ch int) float64 {
					v := *soft[i].at(x, y, ch) - c.smooth(*labels[i].at(x, y, ch))
					return c.weight * *weights[i].at(x, y, ch) * v
				})
			}
			assertBatch(t, want, l.written(t, to), l.tolerance(), what+" gradient")
			if reduction == CNNReductionTypeNone {
				for i, p := range losses(y) {
					assertPicture(t, p, pictureOf(states[i].LossImage(), 0), l.tolerance(), what)
				}
				continue
			}
			for i, v := range c.reduced(losses(y), weights, reduction, across) {
				got := pictureOf(states[i].LossImage(), 0).v
				require.InDelta(t, v, got[0], 1e-5*(1+math.Abs(v)), "%s %d", what, i)
			}
		}
	}
}

// TestCNNLossImages: labels in images, and a gradient that the kernel makes.
func TestCNNLossImages(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(26, 2))
	l := layerCase{format: ImageFeatureChannelFormatFloat32, images: 1, w: 3, h: 2, c: 5}.whole()
	c := lossCase{kind: CNNLossTypeMeanSquaredError, weight: 1, delta: 1, epsilon: 1, classes: 1}
	k := c.kernel(t, d, CNNReductionTypeMean, false)
	y, labels := l.pictures(rng, nil), labelsFor(rng, l)
	s, err := NewCNNLossLabelsWithDeviceLossImageSizeLabelsImage(d, mtl.Size{Width: 1, Height: 1, Depth: 1},
		l.imagesOf(t, d, labels)[0], Image{})
	require.NoError(t, err)
	defer s.Release()
	from := l.imagesOf(t, d, y)[0]
	encoded(t, d, func(cb mtl.CommandBuffer) {
		m := k.EncodeToCommandBufferLabels(cb, from, s)
		assert.Equal(t, [3]uint{3, 2, 5}, [3]uint{m.Width(), m.Height(), m.FeatureChannels()})
	})
	want := c.reduced(c.value(y, labels), nil, CNNReductionTypeMean, false)[0]
	require.InDelta(t, want, pictureOf(s.LossImage(), 0).v[0], 1e-5)
}

func TestCNNLossMisuse(t *testing.T) {
	d := imageFramework(t)
	c := lossCase{kind: CNNLossTypeMeanSquaredError, weight: 1, delta: 1, epsilon: 1, classes: 1}
	k := c.kernel(t, d, CNNReductionTypeSum, false)
	p := newPicture(3, 2, 5)
	s, err := NewCNNLossLabelsWithDeviceLabelsDescriptor(d, dataOf(t, p, DataLayoutHeightxWidthxFeatureChannels))
	require.NoError(t, err)
	defer s.Release()
	made := func(kind CNNLossType, reduction CNNReductionType) func() {
		return func() {
			desc, err := CnnLossDescriptorWithType(kind, reduction)
			require.NoError(t, err)
			_, _ = NewCNNLossWithDevice(d, desc)
		}
	}
	m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNLoss: loss type 10; the types are 0 to 9", made(CNNLossTypeCount, CNNReductionTypeSum)},
		{"MPSCNNLoss: reduction type 2; a cosine distance takes the sum (1)",
			made(CNNLossTypeCosineDistance, CNNReductionTypeMean)},
		{"MPSCNNLossDataDescriptor: data of 8 bytes; 2 by 2 by 1 float32", func() {
			_, _ = CnnLossDataDescriptorWithData(make([]byte, 8), DataLayoutHeightxWidthxFeatureChannels,
				mtl.Size{Width: 2, Height: 2, Depth: 1})
		}},
		{"labels of 3 by 2 pixels with 5 feature channels for predictions of 4 by 4 with 3", func() {
			encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferLabels(cb, m, s) })
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, faultsOf(t, test.call), test.want) })
	}
}
