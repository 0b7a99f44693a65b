package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// batchNormState is the payload of an MPSCNNBatchNormalizationState: the statistics of a batch and
// the gradients of the parameters. Both are sums over all batches that were encoded since the last
// reset. Until there are statistics, mean and variance are those of the kernel, and constants for
// the gradient. The variance is that of the pixels, not an estimate from a sample.
type batchNormState struct {
	gradientState
	kernel   *normKernel
	kernelID objcsoft.ID // retained
	pixels   int         // of a feature channel, in the statistics
	graded   bool        // the gradients of the parameters were encoded

	gamma, beta    mtl.Buffer    // the kernel's when the state was made, retained
	fixed          [2]mtl.Buffer // the kernel's mean and variance then, retained
	mean, variance mtl.Buffer    // resources of the state, as the gradients
	dgamma, dbeta  mtl.Buffer
}

func (s *batchNormState) freeState(o *objcsoft.Object) {
	for _, b := range []mtl.Buffer{s.gamma, s.beta, s.fixed[0], s.fixed[1]} {
		b.Release()
	}
	o.Drop(s.kernelID)
}

// newBatchState makes a state of a batch normalization.
func (n *normKernel) newBatchState(id objcsoft.ID, rt *objcsoft.Runtime, in []*Image, out *Image) (cnnState, error) {
	s := &batchNormState{gradientState: *rememberForward(&n.cnnKernel, in, out), kernel: n, kernelID: id,
		gamma: n.gamma, beta: n.beta, fixed: [2]mtl.Buffer{n.mean, n.variance}}
	var err error
	for _, b := range []*mtl.Buffer{&s.mean, &s.variance, &s.dgamma, &s.dbeta} {
		if *b, err = s.buffer(n.Device, 4*n.count); err != nil {
			return nil, err
		}
	}
	for _, b := range []mtl.Buffer{s.gamma, s.beta, s.fixed[0], s.fixed[1]} {
		b.Retain()
	}
	return s, rt.Retain(id)
}

// moments returns the buffers of mean and variance that are in use.
func (s *batchNormState) moments() [2]mtl.Buffer {
	if s.pixels == 0 {
		return s.fixed
	}
	return [2]mtl.Buffer{s.mean, s.variance}
}

// batchState returns the state of a job.
func batchState(j *cnnJob) (*batchNormState, error) {
	if len(j.states) == 0 {
		return nil, fmt.Errorf("there is no batch normalization state")
	}
	s, ok := j.states[0].(*batchNormState)
	if !ok {
		return nil, fmt.Errorf("the state is no MPSCNNBatchNormalizationState")
	}
	if c := j.sources[0].channels; c > s.kernel.count {
		return nil, fmt.Errorf("a source with %d feature channels; the data source has parameters for %d", c,
			s.kernel.count)
	}
	return s, nil
}

// tensors returns vectors of the first feature channels in buffers.
func (n *normKernel) tensors(channels int, buffers ...mtl.Buffer) (list []*NDArray) {
	for _, b := range buffers {
		list = append(list, vector(n.Device, b, channels))
	}
	return list
}

// batchForward normalizes by mean and variance of the state, or of the kernel without one.
func (n *normKernel) batchForward(j *cnnJob) error {
	channels := j.sources[0].channels
	in, err := n.parameters(channels)
	if err != nil {
		return err
	}
	m := [2]mtl.Buffer{n.mean, n.variance}
	if len(j.states) > 0 {
		s, err := batchState(j)
		if err != nil {
			return err
		}
		m = s.moments()
		in = n.tensors(channels, s.gamma, s.beta)
	}
	x, err := j.loadAligned(0)
	if err != nil {
		return err
	}
	in = append(append(in, n.tensors(channels, m[:]...)...), x)
	more, err := n.inputs(j, channels)
	if err != nil {
		return err
	}
	return j.finish(j.shape(), append(in, more...), func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		b.Normalize(out, in[4], &in[2], in[3], tensorop.Norm{Epsilon: n.epsilon, Scale: &in[0], Bias: &in[1]})
		if !n.none() {
			mapTo(b, out, append([]tensorop.Operand{out}, in[5:]...), func(s *instrs) {
				s.add("cast", n.write(b, s, 0, 1))
			})
		}
	})
}

// pixels returns how many pixels of each feature channel a tensor of images has.
func pixels(t *NDArray) int { return t.Shape[0] * t.Shape[1] * t.Shape[2] }

// pixelAxes are the dimensions over which a batch is normalized.
var pixelAxes = [...]int{0, 1, 2}

// flat returns a tensor with one element for each feature channel as a vector.
func flat(o tensorop.Operand) tensorop.Operand {
	v, _ := o.Reshape(o.Elements())
	return o.With(v)
}

// batchStatistics adds the statistics of a batch to those of the state.
func batchStatistics(_ *cnnKernel, j *cnnJob) error {
	s, err := batchState(j)
	if err != nil {
		return err
	}
	x, err := j.loadAligned(0)
	if err != nil {
		return err
	}
	channels := j.sources[0].channels
	old, batch := float32(s.pixels), float32(pixels(x))
	err = j.compute([]*NDArray{x}, s.kernel.tensors(channels, s.mean, s.variance), func(b *tensorop.Builder,
		in, out []tensorop.Operand) {
		shape := []int{1, 1, 1, channels}
		mean, variance := b.Temp(tensorop.Float32, shape...), b.Temp(tensorop.Float32, shape...)
		b.Reduce("mean", mean, in[0], pixelAxes[:]...)
		b.Variance(variance, in[0], mean, pixelAxes[:]...)
		mean, variance = flat(mean), flat(variance)
		if old == 0 {
			b.Copy(out[0], mean)
			b.Copy(out[1], variance)
			return
		}
		all := old + batch
		mapTo(b, out[1], []tensorop.Operand{out[1], variance, out[0], mean}, func(s *instrs) {
			d := s.linear(s.add("square", s.add("sub", 3, 2)), old/all*(batch/all), 0)
			s.add("add", s.add("add", s.linear(0, old/all, 0), s.linear(1, batch/all, 0)), d)
		})
		mapTo(b, out[0], []tensorop.Operand{out[0], mean}, func(s *instrs) {
			s.add("add", 0, s.linear(s.add("sub", 1, 0), batch/all, 0))
		})
	})
	if err == nil {
		s.pixels += pixels(x)
	}
	return err
}

// batchGradient is the payload of the gradient kernels, whose activation is that of the forward
// pass.
type batchGradient struct {
	cnnKernel
	activation
}

// load returns the tensors that gradients depend on: gradient, source, gamma, beta, mean, variance,
// and what the activation needs.
func (g *batchGradient) load(j *cnnJob, s *batchNormState) ([]*NDArray, error) {
	in, err := j.aligned()
	if err != nil {
		return nil, err
	}
	m := s.moments()
	channels := j.sources[0].channels
	in = append(in, s.kernel.tensors(channels, s.gamma, s.beta, m[0], m[1])...)
	more, err := g.inputs(j, channels)
	return append(in, more...), err
}

// inner returns the gradient of the activation's argument.
func (g *batchGradient) inner(b *tensorop.Builder, n *normKernel, in []tensorop.Operand) tensorop.Operand {
	if g.none() {
		return in[0]
	}
	argument := b.Temp(tensorop.Float32, in[0].Shape...)
	b.Normalize(argument, in[1], &in[4], in[5], tensorop.Norm{Epsilon: n.epsilon, Scale: &in[2], Bias: &in[3]})
	out := b.Temp(tensorop.Float32, in[0].Shape...)
	mapTo(b, out, append([]tensorop.Operand{in[0], argument}, in[6:]...), func(s *instrs) {
		s.add("mul", 0, g.writeSlope(b, s, 1, 2))
	})
	return out
}

// statistics adds the gradients of gamma and beta to those of the state.
func (g *batchGradient) statistics(j *cnnJob) error {
	s, err := batchState(j)
	if err != nil {
		return err
	}
	in, err := g.load(j, s)
	if err != nil {
		return err
	}
	channels := j.sources[0].channels
	err = j.compute(in, s.kernel.tensors(channels, s.dgamma, s.dbeta), func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		inner := g.inner(b, s.kernel, in)
		shape := []int{1, 1, 1, channels}
		dgamma, dbeta := b.Temp(tensorop.Float32, shape...), b.Temp(tensorop.Float32, shape...)
		b.NormalizeScaleGradient(dgamma, inner, in[1], in[4], in[5], s.kernel.epsilon, pixelAxes[:]...)
		b.Reduce("sum", dbeta, inner, pixelAxes[:]...)
		for i, d := range []tensorop.Operand{flat(dgamma), flat(dbeta)} {
			if s.graded {
				b.Apply("add", out[i], out[i], d)
			} else {
				b.Copy(out[i], d)
			}
		}
	})
	if err == nil {
		s.graded = true
	}
	return err
}

// backward computes the gradient of the source. The statistics of the batch depend on the source;
// the kernel's mean and variance do not.
func (g *batchGradient) backward(j *cnnJob) error {
	s, err := batchState(j)
	if err != nil {
		return err
	}
	if s.pixels > 0 && !s.graded {
		return fmt.Errorf("the state has no gradients of gamma and beta; encode an " +
			"MPSCNNBatchNormalizationStatisticsGradient with it first")
	}
	in, err := g.load(j, s)
	if err != nil {
		return err
	}
	in = append(s.kernel.tensors(j.sources[0].channels, s.dgamma, s.dbeta), in...)
	return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		dgamma, dbeta, in := in[0], in[1], in[2:]
		inner := g.inner(b, s.kernel, in)
		mapTo(b, out, []tensorop.Operand{inner, in[1], in[2], in[4], in[5], dgamma, dbeta}, func(i *instrs) {
			root := i.add("rsqrt", i.linear(4, 1, s.kernel.epsilon))
			d := i.add("cast", 0)
			if s.pixels > 0 {
				share := 1 / float32(s.pixels)
				normal := i.add("mul", i.add("sub", 1, 3), root)
				d = i.add("sub", d, i.linear(6, share, 0))
				d = i.add("sub", d, i.linear(i.add("mul", normal, 5), share, 0))
			}
			i.add("mul", i.add("mul", d, 2), root)
		})
	})
}

// initBatchGradient answers initWithDevice:fusedNeuronDescriptor:.
func initBatchGradient(statistics bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		g := &batchGradient{}
		var err error
		if g.activation, err = activationOf(c.RT, c.ID(1)); err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			return
		}
		g.cnnOp = cnnOp{sources: 2, size: secondSize,
			build: func(_ *cnnKernel, j *cnnJob) error { return g.backward(j) }}
		if statistics {
			g.build = func(_ *cnnKernel, j *cnnJob) error { return g.statistics(j) }
		}
		initCNN(c, g)
	}
}

// encodeWithState makes an encode method whose state, in an argument, is one for the whole batch.
func encodeWithState(a cnnArguments, state int) objcsoft.Imp {
	a.states, a.out, a.consume = -1, -1, true
	return adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
		k := p.cnn()
		r, ok := a.request(c, k)
		if !ok || !r.addStates(c, []objcsoft.ID{c.ID(state)}, len(r.sources[0])) {
			return
		}
		objc.Pool(func() { k.encodeRequest(c, &a, r) })
	})
}

// encodeSums makes an encode method without a destination: what the kernel computes is in the
// state, which is the argument after the sources. The clip rectangle is one of the source.
func encodeSums(sources ...int) objcsoft.Imp {
	a := cnnArguments{batch: true, sources: sources, states: -1, dest: -1, out: -1, consume: true}
	return adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
		k := p.cnn()
		cb, ok := CommandBufferArg(c, 0)
		if !ok {
			return
		}
		r, ok := a.request(c, k)
		if !ok || !r.addStates(c, []objcsoft.ID{c.ID(len(sources) + 1)}, len(r.sources[0])) {
			return
		}
		r.dest = r.sources[0] // for the parts of equal sizes
		objc.Pool(func() {
			for _, part := range r.parts() {
				j := &cnnJob{imageJob: imageJob{rt: c.RT, device: k.Device}, c: c, cb: cb, kernel: k}
				err := k.encodeSum(j, part)
				j.free()
				if err != nil && !c.Failed() {
					adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
				}
				if c.Failed() {
					return
				}
			}
			r.used()
		})
	})
}

// encodeSum encodes a part of a batch without a destination.
func (k *cnnKernel) encodeSum(j *cnnJob, r *cnnRequest) error {
	j.states, j.each = r.states, r.sources[0][0].images
	for i, images := range r.sources {
		s, err := k.source(i, images)
		if err != nil {
			return err
		}
		j.each = min(j.each, images[0].images-s.first)
		if j.sources = append(j.sources, s); s.channels != j.sources[0].channels {
			return fmt.Errorf("sources of %d and %d feature channels", j.sources[0].channels, s.channels)
		}
	}
	s := &j.sources[0]
	origin, size := intersect(k.words("clipRect"), [3]int{s.width, s.height, j.each})
	j.each = size[2]
	j.count = j.each * len(r.sources[0])
	for i := range j.sources {
		j.sources[i].x += origin[0]
		j.sources[i].y += origin[1]
		j.sources[i].first += origin[2]
	}
	j.out.width, j.out.height = min(size[0], s.width-s.x), min(size[1], s.height-s.y)
	if j.out.width < 1 || j.out.height < 1 || j.count < 1 || s.x < 0 || s.y < 0 {
		return fmt.Errorf("clipRect and offset select pixels from (%d, %d) on of a source of %d by %d", s.x, s.y,
			s.width, s.height)
	}
	if err := k.build(k, j); err != nil {
		return err
	}
	return j.flush()
}

// initBatchNormalization answers initWithDevice:dataSource:, and with fused the one with a neuron.
func initBatchNormalization(fused bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		n, id, rt := &normKernel{}, c.Self.ID(), c.RT
		if fused {
			var err error
			if n.activation, err = activationOf(rt, c.ID(2)); err != nil {
				adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
				return
			}
		}
		n.cnnOp = cnnOp{sources: 1, shared: true, stateClass: "MPSCNNBatchNormalizationState",
			build: func(_ *cnnKernel, j *cnnJob) error { return n.batchForward(j) },
			state: func(_ *cnnKernel, in []*Image, out *Image) (cnnState, error) {
				return n.newBatchState(id, rt, in, out)
			}}
		initNorm(c, n, false, n.replaceMeanAndVariance)
	}
}

func batchNormalizationClasses() []adapter.Class {
	type state = *batchNormState
	buffer := func(get func(s state) (mtl.Buffer, bool)) objcsoft.Imp {
		return adapter.Method(func(s state, c *objcsoft.Call) {
			if b, ok := get(s); ok {
				c.ReturnShared(objcsoft.ID(b.ID()))
			}
		})
	}
	const one, many = "encodeToCommandBuffer:", "encodeBatchToCommandBuffer:"
	gradient := adapter.Methods{"initWithDevice:fusedNeuronDescriptor:": initBatchGradient(false)}
	for batch, m := range map[bool][2]string{
		false: {one + "sourceGradient:sourceImage:batchNormalizationState:", "destinationGradient:"},
		true:  {many + "sourceGradients:sourceImages:batchNormalizationState:", "destinationGradients:"},
	} {
		a := cnnArguments{batch: batch, sources: []int{1, 2}, dest: -1}
		gradient[m[0]] = encodeWithState(a, 3)
		a.dest = 4
		gradient[m[0]+m[1]] = encodeWithState(a, 3)
	}
	return []adapter.Class{
		{Name: "MPSCNNBatchNormalization", Super: "MPSCNNKernel", Methods: normMethods(adapter.Methods{
			"initWithDevice:dataSource:":                       initBatchNormalization(false),
			"initWithDevice:dataSource:fusedNeuronDescriptor:": initBatchNormalization(true),
			one + "sourceImage:batchNormalizationState:destinationImage:": encodeWithState(
				cnnArguments{sources: []int{1}, dest: 3}, 2),
			many + "sourceImages:batchNormalizationState:destinationImages:": encodeWithState(
				cnnArguments{batch: true, sources: []int{1}, dest: 3}, 2),
			"numberOfFeatureChannels": adapter.Method(func(n *normKernel, c *objcsoft.Call) {
				c.ReturnUint(uint64(n.count))
			}),
			"reloadMeanAndVarianceFromDataSource": adapter.Method((*normKernel).replaceMeanAndVariance),
			"reloadMeanAndVarianceWithCommandBuffer:meanAndVarianceState:": reload(func(n *normKernel) [2]mtl.Buffer {
				return [2]mtl.Buffer{n.mean, n.variance}
			}),
			"reloadDataSource:": adapter.Method(func(n *normKernel, c *objcsoft.Call) {
				if n.setSource(c, c.ID(0)) && n.describe(c, false) {
					if n.replaceGammaAndBeta(c); !c.Failed() {
						n.replaceMeanAndVariance(c)
					}
				}
			}),
		})},
		{Name: "MPSCNNBatchNormalizationState", Super: "MPSNNGradientState", Methods: adapter.Methods{
			"reset":              adapter.Method(func(s state, _ *objcsoft.Call) { s.pixels, s.graded = 0, false }),
			"gamma":              buffer(func(s state) (mtl.Buffer, bool) { return s.gamma, true }),
			"beta":               buffer(func(s state) (mtl.Buffer, bool) { return s.beta, true }),
			"mean":               buffer(func(s state) (mtl.Buffer, bool) { return s.moments()[0], true }),
			"variance":           buffer(func(s state) (mtl.Buffer, bool) { return s.moments()[1], true }),
			"gradientForGamma":   buffer(func(s state) (mtl.Buffer, bool) { return s.dgamma, s.graded }),
			"gradientForBeta":    buffer(func(s state) (mtl.Buffer, bool) { return s.dbeta, s.graded }),
			"batchNormalization": adapter.Method(func(s state, c *objcsoft.Call) { c.ReturnShared(s.kernelID) }),
		}},
		{Name: "MPSCNNBatchNormalizationStatistics", Super: "MPSCNNKernel", Methods: adapter.Methods{
			"initWithDevice:": plainCNN(cnnOp{sources: 1, build: batchStatistics}),
			many + "sourceImages:batchNormalizationState:": encodeSums(1),
		}},
		{Name: "MPSCNNBatchNormalizationGradient", Super: "MPSCNNGradientKernel", Methods: gradient},
		{Name: "MPSCNNBatchNormalizationStatisticsGradient", Super: "MPSCNNGradientKernel", Methods: adapter.Methods{
			"initWithDevice:fusedNeuronDescriptor:":                        initBatchGradient(true),
			many + "sourceGradients:sourceImages:batchNormalizationState:": encodeSums(1, 2),
		}},
	}
}
