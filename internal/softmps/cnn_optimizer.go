package softmps

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// optimizedPart is the update of one buffer of parameters: the weights of a convolution or its
// biases, gamma of a normalization or beta.
type optimizedPart struct {
	gradient, values, result *NDArray
	states                   []*NDArray
}

// encodeConvolution encodes an update of weights and biases. The vectors of a state are in an
// array: first for weights, then for biases, which are not updated without. Nil is for updates that
// do without a state.
func (k *optimizer) encodeConvolution(c *objcsoft.Call, states int) {
	cb, ok := CommandBufferArg(c, 0)
	gradient, ok1 := adapter.Payload[*convolutionState](c, 1)
	source, ok2 := adapter.Payload[*weightsState](c, 2)
	result, ok3 := adapter.Payload[*weightsState](c, states+3)
	if !ok || !ok1 || !ok2 || !ok3 {
		if !c.Failed() {
			adapter.Misuse(c, "%s: a state is nil", c.Self.Class().Name)
		}
		return
	}
	parts, err := k.convolutionParts(c, states, gradient, source, result)
	if err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return
	}
	if k.encodeParts(c, cb, parts); c.Failed() {
		return
	}
	source.read()
	gradient.State.read()
}

// encodeNormalization encodes an update of gamma and beta of a batch normalization, of which the
// first state has the gradients. The parameters are those of the same state, or of the next one if
// separate is set.
func (k *optimizer) encodeNormalization(c *objcsoft.Call, states int, separate bool) {
	cb, ok := CommandBufferArg(c, 0)
	gradient, ok1 := adapter.Payload[*batchNormState](c, 1)
	source, vectors := gradient, 2
	if separate {
		source, ok = adapter.Payload[*batchNormState](c, 2)
		vectors++
	}
	result, ok2 := adapter.Payload[*State](c, vectors+states)
	if !ok || !ok1 || !ok2 {
		if !c.Failed() {
			adapter.Misuse(c, "%s: a state is nil", c.Self.Class().Name)
		}
		return
	}
	parts, err := k.normalizationParts(c, states, vectors, gradient, source, result)
	if err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return
	}
	if k.encodeParts(c, cb, parts); c.Failed() {
		return
	}
	if gradient.read(); source != gradient {
		source.read()
	}
}

// normalizationParts returns the updates of gamma and beta.
func (k *optimizer) normalizationParts(c *objcsoft.Call, states, vectors int, gradient, source *batchNormState,
	result *State) ([]optimizedPart, error) {
	for _, s := range []*State{gradient.base(), source.base(), result} {
		if err := s.usable(); err != nil {
			return nil, err
		}
	}
	if !gradient.graded {
		return nil, fmt.Errorf("the state has no gradients of gamma and beta yet; encode the gradient of the " +
			"normalization first")
	}
	n := gradient.kernel.count
	if m := source.kernel.count; m != n {
		return nil, fmt.Errorf("gradients of %d feature channels and parameters of %d", n, m)
	}
	at := func(b mtl.Buffer) *NDArray { return tensorOf(k.Device, b, 0, 1, 1, n) }
	parts := []optimizedPart{{gradient: at(gradient.dgamma), values: at(source.gamma)},
		{gradient: at(gradient.dbeta), values: at(source.beta)}}
	for i := range parts {
		b, err := result.pairBuffer(i)
		if err == nil && b.Length() < uint(4*n) {
			err = fmt.Errorf("a buffer of %d bytes for the parameters of %d feature channels", b.Length(), n)
		}
		if err != nil {
			return nil, fmt.Errorf("the result state: %w", err)
		}
		parts[i].result = at(b)
	}
	return k.withStates(c, parts, states, vectors)
}

// encodeParts encodes updates that are one step together.
func (k *optimizer) encodeParts(c *objcsoft.Call, cb mtl.CommandBuffer, parts []optimizedPart) {
	before := k.words("timeStep")
	for _, p := range parts {
		if before != nil { // all parts are one step
			k.set("timeStep", before...)
		}
		outputs := append(slices.Clone(p.states), p.result)
		Encode(c, k.Device, cb, []*NDArray{p.gradient, p.values}, outputs, func(b *tensorop.Builder, in,
			out []tensorop.Operand) {
			last := len(out) - 1
			k.update(k, b, step{gradient: k.scaled(b, in[0], in[1]), values: in[1], states: out[:last], result: out[last]})
		})
		if c.Failed() {
			return
		}
	}
}

// convolutionParts returns what is updated: the weights, and the biases if there is all that it
// takes.
func (k *optimizer) convolutionParts(c *objcsoft.Call, states int, gradient *convolutionState, source,
	result *weightsState) ([]optimizedPart, error) {
	l := &gradient.layer
	for _, s := range []*weightsState{source, result} {
		if err := s.usable(); err != nil {
			return nil, err
		}
		if err := s.fits(l); err != nil {
			return nil, err
		}
	}
	if err := gradient.usable(); err != nil {
		return nil, err
	}
	at := func(b mtl.Buffer, offset uint64, n int) *NDArray { return tensorOf(k.Device, b, offset, 1, 1, n) }
	weights, biases := l.weights(), l.out
	parts := []optimizedPart{
		{at(gradient.weights, 0, weights), at(source.weights, source.weightsOffset, weights),
			at(result.weights, result.weightsOffset, weights), nil},
		{at(gradient.biases, 0, biases), at(source.biases, source.biasesOffset, biases),
			at(result.biases, result.biasesOffset, biases), nil},
	}
	if source.biases.IsNil() || result.biases.IsNil() {
		parts = parts[:1]
	}
	return k.withStates(c, parts, states, 3)
}

// withStates adds to updates the optimizer's states: arguments from one on are arrays of a vector
// for each update. Updates without vectors are left out.
func (k *optimizer) withStates(c *objcsoft.Call, parts []optimizedPart, states, first int) ([]optimizedPart, error) {
	for arg := first; arg < first+states; arg++ {
		if k.states == 0 && c.ID(arg) == 0 {
			continue
		}
		vectors, err := adapter.Payloads[*Matrix](c.RT, c.ID(arg))
		if err == nil && len(vectors) == 0 {
			err = fmt.Errorf("there are no vectors")
		}
		if err != nil {
			return nil, fmt.Errorf("the vectors in argument %d: %w", arg, err)
		}
		parts = parts[:min(len(parts), len(vectors))]
		for j := range parts {
			p, v := &parts[j], vectors[j]
			if !slices.Equal(v.Shape, p.values.Shape) || !v.Type.Float() {
				return nil, fmt.Errorf("vector %d in argument %d has shape %v and type %v; there are %d values", j, arg,
					v.Shape, v.Type, p.values.Elements())
			}
			p.states = append(p.states, v.NDArray)
		}
	}
	return parts, nil
}

// stateOptimizerClasses adds to the optimizers the updates of the states of convolutions and batch
// normalizations.
func stateOptimizerClasses() []adapter.Class {
	const start = "encodeToCommandBuffer:"
	class := func(name string, methods map[string]int) adapter.Class {
		m := adapter.Methods{}
		for states, n := range methods {
			method := func(sources string, encode func(k *optimizer, c *objcsoft.Call)) {
				m[start+sources+states+"resultState:"] = adapter.Method(encode)
			}
			method("convolutionGradientState:convolutionSourceState:", func(k *optimizer, c *objcsoft.Call) {
				k.encodeConvolution(c, n)
			})
			method("batchNormalizationState:", func(k *optimizer, c *objcsoft.Call) { k.encodeNormalization(c, n, false) })
			method("batchNormalizationGradientState:batchNormalizationSourceState:", func(k *optimizer,
				c *objcsoft.Call) {
				k.encodeNormalization(c, n, true)
			})
		}
		return adapter.Class{Name: name, Methods: m}
	}
	return []adapter.Class{
		class("MPSNNOptimizerStochasticGradientDescent", map[string]int{"inputMomentumVectors:": 1}),
		class("MPSNNOptimizerRMSProp", map[string]int{"inputSumOfSquaresVectors:": 1}),
		class("MPSNNOptimizerAdam", map[string]int{"inputMomentumVectors:inputVelocityVectors:": 2,
			"inputMomentumVectors:inputVelocityVectors:maximumVelocityVectors:": 3}),
	}
}
