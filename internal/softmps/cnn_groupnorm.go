package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// normState is the payload of the gradient states of group and instance normalizations.
type normState struct {
	gradientState
	kernel        *normKernel
	kernelID      objcsoft.ID // retained
	dgamma, dbeta mtl.Buffer  // resources of the state
	gamma, beta   mtl.Buffer  // the kernel's when the state was made, retained
}

func (s *normState) freeState(o *objcsoft.Object) {
	s.gamma.Release()
	s.beta.Release()
	o.Drop(s.kernelID)
}

// newNormState makes the state of a group or instance normalization.
func (n *normKernel) newNormState(id objcsoft.ID, rt *objcsoft.Runtime, in []*Image, out *Image) (cnnState, error) {
	s := &normState{gradientState: *rememberForward(&n.cnnKernel, in, out), kernel: n, kernelID: id, gamma: n.gamma,
		beta: n.beta}
	var err error
	for _, b := range []*mtl.Buffer{&s.dgamma, &s.dbeta} {
		if *b, err = s.buffer(n.Device, 4*n.count); err != nil {
			return nil, err
		}
	}
	n.gamma.Retain()
	n.beta.Retain()
	return s, rt.Retain(id)
}

// grouped splits feature channels into groups: images, rows, columns, groups, channels of a group.
func grouped(b *tensorop.Builder, o tensorop.Operand, groups int) tensorop.Operand {
	n := o.Rank()
	v, ok := o.Reshape(append(append([]int(nil), o.Shape[:n-1]...), groups, o.Shape[n-1]/groups)...)
	if !ok {
		b.Fail(fmt.Errorf("feature channels of shape %v cannot be split without a copy", o.Shape))
	}
	return o.With(v)
}

// groupAxes are the dimensions over which a group is normalized.
var groupAxes = [...]int{1, 2, 4}

// groupMoments writes mean and variance of the groups of all images.
func groupMoments(b *tensorop.Builder, x tensorop.Operand) (mean, variance tensorop.Operand) {
	shape, err := tensorop.ReduceShape("normalization", x.Shape, groupAxes[:])
	if err != nil {
		b.Fail(err)
		return
	}
	mean, variance = b.Temp(tensorop.Float32, shape...), b.Temp(tensorop.Float32, shape...)
	b.Reduce("mean", mean, x, groupAxes[:]...)
	b.Variance(variance, x, mean, groupAxes[:]...)
	return mean, variance
}

// group returns how many groups the source's feature channels make.
func (n *normKernel) group(channels int) (int, error) {
	if channels != n.count {
		return 0, fmt.Errorf("a source with %d feature channels; the data source has parameters for %d", channels,
			n.count)
	}
	return n.groups, nil
}

// groupForward normalizes by the mean and the variance of each group in the whole image, of which
// the part under the clip rectangle is the result.
func (n *normKernel) groupForward(j *cnnJob) error {
	channels := j.sources[0].channels
	groups, err := n.group(channels)
	if err != nil {
		return err
	}
	parameters, err := n.parameters(channels)
	if err != nil {
		return err
	}
	all, err := j.loadAll(0)
	if err != nil {
		return err
	}
	x, err := j.loadAligned(0)
	if err != nil {
		return err
	}
	return j.finish(j.shape(), append([]*NDArray{x, all}, parameters...), func(b *tensorop.Builder,
		out tensorop.Operand, in []tensorop.Operand) {
		for i := range in {
			in[i] = grouped(b, in[i], groups)
		}
		mean, variance := groupMoments(b, in[1])
		b.Normalize(grouped(b, out, groups), in[0], &mean, variance, tensorop.Norm{Epsilon: n.epsilon, Scale: &in[2],
			Bias: &in[3]})
	})
}

// normStates returns the states of a job, which are of one kernel.
func normStates(j *cnnJob) (states []*normState, err error) {
	for _, s := range j.states {
		state, ok := s.(*normState)
		if !ok || len(states) > 0 && state.kernel != states[0].kernel {
			return nil, fmt.Errorf("the gradient states are not of one normalization")
		}
		states = append(states, state)
	}
	if len(states) == 0 {
		err = fmt.Errorf("the gradient state is nil; it has the normalization's parameters")
	}
	return states, err
}

// groupBackward computes the gradient of the whole source, of which the part from the second
// source's offset on is the result, and those of the parameters.
func groupBackward(_ *cnnKernel, j *cnnJob) error {
	states, err := normStates(j)
	if err != nil {
		return err
	}
	n, g, s := states[0].kernel, &j.sources[0], &j.sources[1]
	groups, err := n.group(g.channels)
	if err != nil {
		return err
	}
	if g.width != s.width || g.height != s.height {
		return fmt.Errorf("a gradient of %d by %d pixels for a source of %d by %d; the sizes must be equal", g.width,
			g.height, s.width, s.height)
	}
	var in []*NDArray
	for i := range j.sources {
		t, err := j.loadAll(i)
		if err != nil {
			return err
		}
		in = append(in, t)
	}
	in = append(in, vector(n.Device, states[0].gamma, n.count))
	y, err := j.tensor(j.shape()...)
	if err != nil {
		return err
	}
	out := []*NDArray{y}
	for _, s := range states {
		out = append(out, vector(n.Device, s.dgamma, n.count), vector(n.Device, s.dbeta, n.count))
	}
	err = j.compute(in, out, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		for i := range in {
			in[i] = grouped(b, in[i], groups)
		}
		full := b.Temp(tensorop.Float32, j.count, s.height, s.width, g.channels)
		mean, variance := groupMoments(b, in[1])
		b.NormalizeGradient(grouped(b, full, groups), in[0], in[1], mean, variance,
			tensorop.Norm{Epsilon: n.epsilon, Scale: &in[2]}, groupAxes[:]...)
		copyFrom(b, out[0], full, s.x, s.y)
		n.groupParameters(b, out[1:], in[0], in[1], mean, variance, groups)
	})
	if err == nil {
		err = j.save(y)
	}
	return err
}

// groupParameters writes the gradients of gamma and beta to those of states, each of which is that
// of as many images of the batch as there are for one.
func (n *normKernel) groupParameters(b *tensorop.Builder, out []tensorop.Operand, g, x, mean,
	variance tensorop.Operand, groups int) {
	images := g.Shape[0]
	shape := []int{images, 1, 1, groups, n.count / groups}
	dgamma, dbeta := b.Temp(tensorop.Float32, shape...), b.Temp(tensorop.Float32, shape...)
	b.NormalizeScaleGradient(dgamma, g, x, mean, variance, n.epsilon, 1, 2)
	b.Reduce("sum", dbeta, g, 1, 2)
	each := images / (len(out) / 2)
	for i, o := range out {
		from := []tensorop.Operand{dgamma, dbeta}[i%2]
		part, err := from.Slice(0, i/2*each, (i/2+1)*each, 1)
		if err != nil {
			b.Fail(err)
			return
		}
		v, _ := o.Reshape(1, 1, 1, groups, n.count/groups)
		b.Reduce("sum", o.With(v), from.With(part), 0)
	}
}

// groupClasses declares a group or an instance normalization, its gradient and its state, whose
// property is the kernel.
func groupClasses(kind, property string, isGrouped bool) []adapter.Class {
	name := "MPSCNN" + kind + "Normalization"
	buffer := func(get func(s *normState) mtl.Buffer) objcsoft.Imp {
		return adapter.Method(func(s *normState, c *objcsoft.Call) { c.ReturnShared(objcsoft.ID(get(s).ID())) })
	}
	m := normMethods(adapter.Methods{
		"initWithDevice:dataSource:": func(c *objcsoft.Call) {
			n, id, rt := &normKernel{}, c.Self.ID(), c.RT
			n.cnnOp = cnnOp{sources: 1, build: func(_ *cnnKernel, j *cnnJob) error { return n.groupForward(j) },
				state: func(_ *cnnKernel, in []*Image, out *Image) (cnnState, error) {
					return n.newNormState(id, rt, in, out)
				}, stateClass: name + "GradientState"}
			initNorm(c, n, isGrouped, nil)
		},
	})
	if !isGrouped {
		m["reloadDataSource:"] = adapter.Method(func(n *normKernel, c *objcsoft.Call) {
			if n.setSource(c, c.ID(0)) && n.describe(c, isGrouped) {
				n.replaceGammaAndBeta(c)
			}
		})
	}
	return []adapter.Class{
		{Name: name, Super: "MPSCNNKernel", Methods: m},
		{Name: name + "Gradient", Super: "MPSCNNGradientKernel", Methods: adapter.Methods{
			"initWithDevice:": plainCNN(cnnOp{sources: 2, build: groupBackward, size: secondSize})}},
		{Name: name + "GradientState", Super: "MPSNNGradientState", Methods: adapter.Methods{
			property:           adapter.Method(func(s *normState, c *objcsoft.Call) { c.ReturnShared(s.kernelID) }),
			"gamma":            buffer(func(s *normState) mtl.Buffer { return s.gamma }),
			"beta":             buffer(func(s *normState) mtl.Buffer { return s.beta }),
			"gradientForGamma": buffer(func(s *normState) mtl.Buffer { return s.dgamma }),
			"gradientForBeta":  buffer(func(s *normState) mtl.Buffer { return s.dbeta }),
		}},
	}
}

func normalizationClasses() []adapter.Class {
	list := append(groupClasses("Instance", "instanceNormalization", false),
		groupClasses("Group", "groupNormalization", true)...)
	return append(list,
		pairStateClass("MPSCNNNormalizationGammaAndBetaState", "initWithGamma:beta:", [2]string{"gamma", "beta"}),
		pairStateClass("MPSCNNNormalizationMeanAndVarianceState", "initWithMean:variance:",
			[2]string{"mean", "variance"}))
}
