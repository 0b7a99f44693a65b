package softmps

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// dropout is the payload of MPSCNNDropout and its gradient.
//
// The mask comes from the generator Philox with the seed as its key; each encoding continues where
// the one before ended. Apple documents neither the generator nor the mask's format, which here is
// a float32 that is 0 or 1 for each element: images, rows, columns and feature channels in this
// order, with one instead of many along dimensions whose mask stride is 0.
type dropout struct {
	cnnKernel
	keep    float32
	seed    uint64
	strides [3]uint64     // 0 or 1 along x, y and feature channels
	blocks  atomic.Uint64 // of the generator that are used up
}

// dropoutState is the payload of an MPSCNNDropoutGradientState.
type dropoutState struct {
	gradientState
	mask *NDArray // in a buffer of the state; nil until the kernel has been encoded
}

// maskShape returns the shape of the mask for a job.
func (d *dropout) maskShape(j *cnnJob) []int {
	shape := j.shape()
	for i, axis := range [3]int{2, 1, 3} {
		if d.strides[i] == 0 {
			shape[axis] = 1
		}
	}
	return shape
}

// generator returns the generator's state for the next mask of so many elements.
func (d *dropout) generator(j *cnnJob, elements int) (*NDArray, error) {
	state := tensorop.State(d.seed)
	n := uint64(elements+3) / 4
	first := d.blocks.Add(n) - n
	state[0], state[1] = uint32(first), uint32(first>>32)
	b, err := j.buffer(4 * len(state))
	if err != nil {
		return nil, err
	}
	memory, err := b.Bytes()
	for i, w := range state {
		if err == nil {
			binary.LittleEndian.PutUint32(memory[4*i:], w)
		}
	}
	return &NDArray{View: tensorop.Dense(tensorop.Uint32, len(state)), Device: j.device, Buffer: b.Buffer}, err
}

// newMask makes the tensor for a mask, which belongs to the state if there is one.
func (d *dropout) newMask(j *cnnJob, shape []int) (*NDArray, error) {
	if len(j.states) == 0 {
		return j.tensor(shape...)
	}
	s, ok := j.states[0].(*dropoutState)
	if !ok {
		return nil, fmt.Errorf("the state is no MPSCNNDropoutGradientState")
	}
	if s.mask != nil {
		if !slices.Equal(s.mask.Shape, shape) {
			return nil, fmt.Errorf("the state has a mask of shape %v; it must be %v, or the state new", s.mask.Shape,
				shape)
		}
		return s.mask, nil
	}
	v := tensorop.Dense(tensorop.Float32, shape...)
	if err := v.Check(); err != nil {
		return nil, err
	}
	b, err := s.buffer(j.device, 4*v.Elements())
	if err == nil {
		s.mask = &NDArray{View: v, Device: j.device, Buffer: b}
	}
	return s.mask, err
}

func (d *dropout) forward(j *cnnJob) error {
	in, err := j.aligned()
	if err != nil {
		return err
	}
	shape := d.maskShape(j)
	mask, err := d.newMask(j, shape)
	if err != nil {
		return err
	}
	generator, err := d.generator(j, tensorop.Elements(shape))
	if err != nil {
		return err
	}
	err = j.compute([]*NDArray{generator}, []*NDArray{mask}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		uniform := b.Temp(tensorop.Float32, shape...)
		b.Random(uniform, in[0], tensorop.Random{Kind: tensorop.RandomUniform, High: 1})
		mapTo(b, out[0], []tensorop.Operand{uniform}, func(s *instrs) {
			s.add("select", s.test("less", 0, s.fill(d.keep)), s.fill(1), s.fill(0))
		})
	})
	if err != nil {
		return err
	}
	return d.apply(j, in[0], mask)
}

// apply multiplies by the mask, and divides by the probability that elements stay.
func (d *dropout) apply(j *cnnJob, x, mask *NDArray) error {
	return j.finish(j.shape(), []*NDArray{x, mask}, func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		mapTo(b, out, in, func(s *instrs) { s.add("mul", 0, s.linear(1, 1/d.keep, 0)) })
	})
}

// backward applies the mask of the forward pass, from the second source's offset on.
func (d *dropout) backward(j *cnnJob) error {
	if len(j.states) == 0 {
		return fmt.Errorf("the gradient state is nil; it has the mask")
	}
	state, ok := j.states[0].(*dropoutState)
	if !ok || state.mask == nil {
		return fmt.Errorf("the gradient state has no mask; encode the MPSCNNDropout with it first")
	}
	if len(j.states) > 1 && j.states[1] != j.states[0] {
		return fmt.Errorf("the images of the batch have different gradient states")
	}
	mask := &NDArray{View: state.mask.View, Device: j.device, Buffer: state.mask.Buffer}
	want := d.maskShape(j)
	for i, at := range [4]int{0, j.sources[1].y, j.sources[1].x, 0} {
		if have := mask.Shape[i]; have == 1 && want[i] == 1 {
			continue
		} else if at < 0 || at+want[i] > have {
			return fmt.Errorf("the mask of the gradient state has the shape %v (images, rows, columns, feature "+
				"channels); %v from (%d, %d) on does not lie in it", mask.Shape, want, j.sources[1].x, j.sources[1].y)
		}
		v, err := mask.Slice(i, at, at+want[i], 1)
		if err != nil {
			return err
		}
		mask.View = v
	}
	g, err := j.loadAligned(0)
	if err != nil {
		return err
	}
	return d.apply(j, g, mask)
}

// initDropout answers initWithDevice:keepProbability:seed:maskStrideInPixels:.
func initDropout(gradient bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		d := &dropout{keep: c.F32(1), seed: c.Uint(2)}
		if !(d.keep > 0 && d.keep < 1) {
			adapter.Misuse(c, "%s: keepProbability %v; it must be above 0 and below 1", c.Self.Class().Name, d.keep)
			return
		}
		for i, w := range c.Words(3) {
			if d.strides[i] = uint64(w); w > 1 {
				adapter.Misuse(c, "%s: maskStrideInPixels %v; each must be 0 or 1", c.Self.Class().Name, c.Words(3))
				return
			}
		}
		d.set("keepProbability", uintptr(math.Float32bits(d.keep)))
		d.set("seed", uintptr(d.seed))
		d.set("maskStrideInPixels", append([]uintptr(nil), c.Words(3)...)...)
		d.cnnOp = cnnOp{sources: 1, whole: true, shared: true, stateClass: "MPSCNNDropoutGradientState",
			build: func(_ *cnnKernel, j *cnnJob) error { return d.forward(j) },
			state: func(k *cnnKernel, in []*Image, out *Image) (cnnState, error) {
				return &dropoutState{gradientState: *rememberForward(k, in, out)}, nil
			}}
		if gradient {
			d.cnnOp = cnnOp{sources: 2, whole: true,
				build: func(_ *cnnKernel, j *cnnJob) error { return d.backward(j) }}
		}
		initCNN(c, d)
	}
}

func dropoutClasses() []adapter.Class {
	const sel = "initWithDevice:keepProbability:seed:maskStrideInPixels:"
	return []adapter.Class{
		{Name: "MPSCNNDropoutGradientState", Super: "MPSNNGradientState", Methods: adapter.Methods{
			"maskData": adapter.Method(func(s *dropoutState, c *objcsoft.Call) {
				if s.mask == nil {
					adapter.Misuse(c, "the state has no mask yet; encode the MPSCNNDropout with it first")
					return
				}
				b, err := s.mask.Bytes()
				if err != nil {
					c.Fail(err)
					return
				}
				c.ReturnAutoreleased(c.RT.NewData(b[:4*s.mask.Elements()]))
			}),
		}},
		withProperties(adapter.Class{Name: "MPSCNNDropout", Super: "MPSCNNKernel",
			Methods: adapter.Methods{sel: initDropout(false)}}, nil),
		withProperties(adapter.Class{Name: "MPSCNNDropoutGradient", Super: "MPSCNNGradientKernel",
			Methods: adapter.Methods{sel: initDropout(true)}}, nil),
	}
}
