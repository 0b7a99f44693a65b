package softmps

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// optimizedPart is the update of the weights of a convolution, or of its biases.
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
	source.read()
	gradient.State.read()
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
	for i := range states {
		if k.states == 0 && c.ID(3+i) == 0 {
			continue
		}
		vectors, err := adapter.Payloads[*Matrix](c.RT, c.ID(3+i))
		if err == nil && len(vectors) == 0 {
			err = fmt.Errorf("there are no vectors")
		}
		if err != nil {
			return nil, fmt.Errorf("the vectors in argument %d: %w", 3+i, err)
		}
		parts = parts[:min(len(parts), len(vectors))]
		for j := range parts {
			p, v := &parts[j], vectors[j]
			if !slices.Equal(v.Shape, p.values.Shape) || !v.Type.Float() {
				return nil, fmt.Errorf("vector %d in argument %d has shape %v and type %v; there are %d values", j, 3+i,
					v.Shape, v.Type, p.values.Elements())
			}
			p.states = append(p.states, v.NDArray)
		}
	}
	return parts, nil
}

// convolutionOptimizerClasses adds to the optimizers the updates of a convolution's state.
func convolutionOptimizerClasses() []adapter.Class {
	const start = "encodeToCommandBuffer:convolutionGradientState:convolutionSourceState:"
	class := func(name string, methods map[string]int) adapter.Class {
		m := adapter.Methods{}
		for states, n := range methods {
			m[start+states+"resultState:"] = adapter.Method(func(k *optimizer, c *objcsoft.Call) {
				k.encodeConvolution(c, n)
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
