package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// lossKernel is the payload of MPSCNNLoss: it writes the gradient of a loss to the destination, and
// the loss to the labels' loss image. The gradient is that of the weighted element, not divided for
// a mean, as Apple's formulas say.
//
// Where those formulas are not derivatives of each other, the gradient is the loss's derivative:
// Huber's is delta times the sign of the difference beyond delta, and that of Kullback and Leibler
// is minus the label. Hinge takes labels 0 and 1 for -1 and 1 in both.
type lossKernel struct {
	cnnKernel
	kind, reduction   uint64
	weight, smoothing float32
	classes           uint64
	epsilon, delta    float32
	acrossBatch       bool
}

// value appends the loss of elements y with labels t. For a softmax logs is the logarithm of its
// results. For a cosine distance it is what is subtracted from 1.
func (l *lossKernel) value(s *instrs, y, t, logs int) int {
	difference := func() int { return s.add("sub", y, t) }
	entropy := func(log int) int { return s.linear(s.add("mul", t, log), -1, 0) }
	switch l.kind {
	case mpsdata.CNNLossTypeMeanAbsoluteError:
		return s.add("abs", difference())
	case mpsdata.CNNLossTypeMeanSquaredError:
		return s.add("square", difference())
	case mpsdata.CNNLossTypeSoftMaxCrossEntropy:
		return entropy(logs)
	case mpsdata.CNNLossTypeSigmoidCrossEntropy:
		small := s.add("log1p", s.add("exp", s.linear(s.add("abs", y), -1, 0)))
		return s.add("add", s.add("sub", s.add("relu", y), s.add("mul", y, t)), small)
	case mpsdata.CNNLossTypeCategoricalCrossEntropy:
		return entropy(s.add("log", y))
	case mpsdata.CNNLossTypeHinge:
		return s.add("relu", s.linear(s.add("mul", s.linear(t, 2, -1), y), -1, 1))
	case mpsdata.CNNLossTypeHuber:
		d := difference()
		size := s.add("abs", d)
		near := s.linear(s.add("square", d), 0.5, 0)
		far := s.linear(size, l.delta, -0.5*l.delta*l.delta)
		return s.add("select", s.test("less_equal", size, s.fill(l.delta)), near, far)
	case mpsdata.CNNLossTypeCosineDistance:
		return s.add("mul", y, t)
	case mpsdata.CNNLossTypeLog:
		yes := s.add("mul", t, s.add("log", s.linear(y, 1, l.epsilon)))
		no := s.add("mul", s.linear(t, -1, 1), s.add("log", s.linear(y, -1, 1+l.epsilon)))
		return s.linear(s.add("add", yes, no), -1, 0)
	}
	// Kullback-Leibler: t * (log(t) - y), which is 0 for t = 0.
	d := s.add("mul", t, s.add("sub", s.add("log", t), y))
	return s.add("select", s.test("greater", t, s.fill(0)), d, s.fill(0))
}

// slope appends the derivative of the loss.
func (l *lossKernel) slope(s *instrs, y, t, logs int) int {
	difference := func() int { return s.add("sub", y, t) }
	switch l.kind {
	case mpsdata.CNNLossTypeMeanAbsoluteError:
		return s.add("sign", difference())
	case mpsdata.CNNLossTypeMeanSquaredError:
		return s.linear(difference(), 2, 0)
	case mpsdata.CNNLossTypeSoftMaxCrossEntropy:
		return s.add("sub", s.add("exp", logs), t)
	case mpsdata.CNNLossTypeSigmoidCrossEntropy:
		return s.add("sub", s.add("sigmoid", y), t)
	case mpsdata.CNNLossTypeCategoricalCrossEntropy:
		return s.linear(s.add("div", t, y), -1, 0)
	case mpsdata.CNNLossTypeHinge:
		sign := s.linear(t, -2, 1)
		inside := s.test("greater", s.linear(s.add("mul", sign, y), 1, 1), s.fill(0))
		return s.add("select", inside, sign, s.fill(0))
	case mpsdata.CNNLossTypeHuber:
		return s.with("clip", []float32{-l.delta, l.delta}, difference())
	case mpsdata.CNNLossTypeLog:
		yes := s.add("div", t, s.linear(y, 1, l.epsilon))
		return s.add("sub", s.add("div", s.linear(t, -1, 1), s.linear(y, -1, 1+l.epsilon)), yes)
	}
	return s.linear(t, -1, 0) // cosine distance, Kullback-Leibler
}

// labelsOf returns the labels of a job's images.
func labelsOf(j *cnnJob) (list []*lossLabels, err error) {
	if len(j.states) != len(j.sources[0].images) || j.each != 1 {
		return nil, fmt.Errorf("%d labels for %d images; each must have its own, and hold one image", len(j.states),
			j.count)
	}
	for _, s := range j.states {
		l, ok := s.(*lossLabels)
		if !ok {
			return nil, fmt.Errorf("the labels are no MPSCNNLossLabels")
		}
		if len(list) > 0 && (l.weightImage == nil) != (list[0].weightImage == nil) {
			return nil, fmt.Errorf("some labels of the batch have weights and others have none")
		}
		list = append(list, l)
	}
	return list, nil
}

// loadLabels loads images of labels or weights, which must have the size of the result.
func (j *cnnJob) loadLabels(what string, images []*Image) (*NDArray, error) {
	channels := j.sources[0].channels
	want := imageSize{j.out.width, j.out.height, channels, 1}
	for _, m := range images {
		if got := sizeOf(m); got != want {
			return nil, fmt.Errorf("%s of %d by %d pixels with %d feature channels for predictions of %d by %d with %d",
				what, got.width, got.height, got.channels, want.width, want.height, want.channels)
		}
	}
	j.sources = append(j.sources, cnnSource{images: images, channels: channels, width: want.width,
		height: want.height})
	return j.loadAll(len(j.sources) - 1)
}

// inputs loads predictions, labels, and weights if there are any.
func (l *lossKernel) inputs(j *cnnJob, labels []*lossLabels) ([]*NDArray, error) {
	x, err := j.loadAligned(0)
	if err != nil {
		return nil, err
	}
	var images, weights []*Image
	for _, s := range labels {
		images = append(images, s.labelsImage)
		if s.weightImage != nil {
			weights = append(weights, s.weightImage)
		}
	}
	t, err := j.loadLabels("labels", images)
	if err != nil || len(weights) == 0 {
		return []*NDArray{x, t}, err
	}
	if l.kind == mpsdata.CNNLossTypeCosineDistance {
		return nil, fmt.Errorf("labels with weights; a cosine distance takes the descriptor's weight only")
	}
	w, err := j.loadLabels("weights", weights)
	return []*NDArray{x, t, w}, err
}

func (l *lossKernel) encode(j *cnnJob) error {
	labels, err := labelsOf(j)
	if err != nil {
		return err
	}
	in, err := l.inputs(j, labels)
	if err != nil {
		return err
	}
	shape := j.shape()
	result := append([]int(nil), shape...)
	if l.reduction != mpsdata.CNNReductionTypeNone {
		result = []int{j.count, 1, 1, 1}
	}
	var losses []*Image
	for _, s := range labels {
		if got, want := sizeOf(s.lossImage), (imageSize{result[2], result[1], result[3], 1}); got != want {
			return fmt.Errorf("a loss image of %d by %d pixels with %d feature channels; the reduction gives %d by %d "+
				"with %d", got.width, got.height, got.channels, want.width, want.height, want.channels)
		}
		losses = append(losses, s.lossImage)
	}
	gradient, err := j.tensor(shape...)
	if err != nil {
		return err
	}
	loss, err := j.tensor(result...)
	if err != nil {
		return err
	}
	if err := j.compute(in, []*NDArray{gradient, loss}, l.build); err != nil {
		return err
	}
	if err := j.save(gradient); err != nil {
		return err
	}
	out := j.out
	defer func() { j.out = out }()
	j.out = cnnTarget{images: losses, width: result[2], height: result[1], channels: result[3]}
	return j.save(loss)
}

// smoothed returns the labels with the descriptor's smoothing, which two types of losses have.
func (l *lossKernel) smoothed(b *tensorop.Builder, t tensorop.Operand) tensorop.Operand {
	var add float32
	switch l.kind {
	case mpsdata.CNNLossTypeSoftMaxCrossEntropy:
		add = l.smoothing / float32(l.classes)
	case mpsdata.CNNLossTypeSigmoidCrossEntropy:
		add = 0.5 * l.smoothing
	default:
		return t
	}
	out := b.Temp(tensorop.Float32, t.Shape...)
	mapTo(b, out, []tensorop.Operand{t}, func(s *instrs) { s.linear(0, 1-l.smoothing, add) })
	return out
}

// build computes the gradient and the loss.
func (l *lossKernel) build(b *tensorop.Builder, in, out []tensorop.Operand) {
	y, t := in[0], l.smoothed(b, in[1])
	logs := y
	if l.kind == mpsdata.CNNLossTypeSoftMaxCrossEntropy {
		logs = b.Temp(tensorop.Float32, y.Shape...)
		b.LogSoftmax(logs, y, channelAxis)
	}
	elements := append([]tensorop.Operand{y, t, logs}, in[2:]...)
	weighted := func(out tensorop.Operand, f func(s *instrs, y, t, logs int) int, factor float32) {
		mapTo(b, out, elements, func(s *instrs) {
			v := s.linear(f(s, 0, 1, 2), factor, 0)
			if len(elements) > 3 {
				s.add("mul", v, 3)
			}
		})
	}
	weighted(out[0], l.slope, l.weight)
	if l.reduction == mpsdata.CNNReductionTypeNone {
		weighted(out[1], l.value, l.weight)
		return
	}
	factor := l.weight
	if l.kind == mpsdata.CNNLossTypeCosineDistance {
		factor = -factor
	}
	values := b.Temp(tensorop.Float32, y.Shape...)
	weighted(values, l.value, factor)
	l.reduce(b, out[1], values, elements[3:])
}

// reduce writes a number for each image, or with acrossBatch that of all to the first and 0 to the
// others.
func (l *lossKernel) reduce(b *tensorop.Builder, out, values tensorop.Operand, weights []tensorop.Operand) {
	axes, images := []int{1, 2, 3}, values.Shape[0]
	results := images
	if l.acrossBatch {
		axes, results = append(axes, 0), 1
	}
	sum := b.Temp(tensorop.Float32, results, 1, 1, 1)
	b.Reduce("sum", sum, values, axes...)
	elements := float32(values.Elements() / results)
	switch l.reduction {
	case mpsdata.CNNReductionTypeMean:
		if l.kind == mpsdata.CNNLossTypeSoftMaxCrossEntropy {
			elements /= float32(values.Shape[3])
		}
		mapTo(b, sum, []tensorop.Operand{sum}, func(s *instrs) { s.add("div", 0, s.fill(elements)) })
	case mpsdata.CNNReductionTypeSumByNonZeroWeights:
		count := b.Temp(tensorop.Float32, results, 1, 1, 1)
		b.Fill(count, elements)
		if len(weights) > 0 {
			ones := b.Temp(tensorop.Float32, values.Shape...)
			mapTo(b, ones, weights, func(s *instrs) {
				s.add("select", s.test("not_equal", 0, s.fill(0)), s.fill(1), s.fill(0))
			})
			b.Reduce("sum", count, ones, axes...)
		}
		mapTo(b, sum, []tensorop.Operand{sum, count}, func(s *instrs) { s.add("div_nan", 0, 1) })
	}
	if l.kind == mpsdata.CNNLossTypeCosineDistance {
		all := l.weight * float32(images/results)
		mapTo(b, sum, []tensorop.Operand{sum}, func(s *instrs) { s.linear(0, 1, all) })
	}
	b.Pad(out, sum, []int{0, 0, 0, 0}, []int{images - results, 0, 0, 0}, tensorop.PadConstant, 0)
}

// initLoss answers initWithDevice:lossDescriptor:.
func initLoss(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 1, "the loss descriptor")
	if r == nil {
		return
	}
	number := func(name string) float32 { return math.Float32frombits(uint32(r.Word(name))) }
	l := &lossKernel{kind: uint64(uint32(r.Uint("lossType"))), reduction: uint64(uint32(r.Uint("reductionType"))),
		weight: number("weight"), smoothing: number("labelSmoothing"), classes: r.Uint("numberOfClasses"),
		epsilon: number("epsilon"), delta: number("delta"), acrossBatch: r.Bool("reduceAcrossBatch")}
	name := c.Self.Class().Name
	switch {
	case l.kind >= mpsdata.CNNLossTypeCount:
		adapter.Misuse(c, "%s: loss type %d; the types are 0 to %d", name, l.kind, mpsdata.CNNLossTypeCount-1)
	case l.reduction >= mpsdata.CNNReductionTypeCount:
		adapter.Misuse(c, "%s: reduction type %d; the types are 0 to %d", name, l.reduction,
			mpsdata.CNNReductionTypeCount-1)
	case l.kind == mpsdata.CNNLossTypeCosineDistance && l.reduction != mpsdata.CNNReductionTypeSum:
		adapter.Misuse(c, "%s: reduction type %d; a cosine distance takes the sum (1)", name, l.reduction)
	case !(l.smoothing >= 0 && l.smoothing <= 1):
		adapter.Misuse(c, "%s: labelSmoothing %v; the limits are 0 and 1", name, l.smoothing)
	case l.classes == 0:
		adapter.Misuse(c, "%s: numberOfClasses is 0", name)
	}
	if c.Failed() {
		return
	}
	for _, p := range lossProperties() {
		l.set(p.Name, r.Words(p.Name)...)
	}
	l.cnnOp = cnnOp{sources: 1, whole: true, build: func(_ *cnnKernel, j *cnnJob) error { return l.encode(j) }}
	initCNN(c, l)
}

// lossProperties are those of a loss descriptor.
func lossProperties() adapter.Properties {
	return adapter.Properties{{Name: "lossType"}, {Name: "reductionType"}, {Name: "reduceAcrossBatch"},
		{Name: "weight", Value: one}, {Name: "labelSmoothing"}, {Name: "numberOfClasses", Value: 1},
		{Name: "epsilon", Value: uintptr(math.Float32bits(1e-7))}, {Name: "delta", Value: one}}
}
