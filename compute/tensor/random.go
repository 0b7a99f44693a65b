package tensor

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// Random numbers come from the generator Philox 4x32-10 (J. Salmon and others, "Parallel Random
// Numbers: As Easy as 1, 2, 3", 2011). A seed gives the same numbers for the same type and shape on
// every device; use another seed for each tensor.

// Uniform makes a tensor of random numbers from low to below high, whole ones for integers.
func (s *Scope) Uniform(seed uint64, typ Type, low, high float64, shape ...int) *Tensor {
	return s.random("uniform", seed, typ, tensorop.Random{Kind: tensorop.RandomUniform, Low: low, High: high}, shape)
}

// Normal makes a tensor of random floating-point numbers with a normal distribution.
func (s *Scope) Normal(seed uint64, typ Type, mean, deviation float64, shape ...int) *Tensor {
	return s.random("normal", seed, typ, tensorop.Random{Kind: tensorop.RandomNormal, Mean: mean,
		Deviation: deviation}, shape)
}

func (s *Scope) random(op string, seed uint64, typ Type, r tensorop.Random, shape []int) *Tensor {
	if f, ok := s.begin(op); !ok {
		return f
	}
	if !typ.valid() || typ == Bool || r.Kind == tensorop.RandomNormal && !typ.IsFloat() {
		return s.fail(op, nil, fmt.Errorf("of %v: %w", typ, ErrType))
	}
	if err := checkShape(typ, shape); err != nil {
		return s.fail(op, nil, err)
	}
	words := tensorop.State(seed)
	state := Of(s, words[:], len(words))
	if state.err != nil {
		return state
	}
	return s.one(op, 0, typ, shape, []*Tensor{state},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Random(out, in[0], r) })
}
