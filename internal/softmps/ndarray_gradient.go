package softmps

import (
	"fmt"
	"maps"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// arrayState is the payload of an MPSNDArrayGradientState: what a kernel on NDArrays remembers of
// its forward pass.
type arrayState struct {
	State
	class   string
	forward *Kernel // with the properties only
	shapes  [][]int // of the sources
}

// stateOf returns the state of a forward pass, +1.
func (k *arrayKernel) stateOf(c *objcsoft.Call, in []*NDArray, temporary bool) objcsoft.ID {
	s := &arrayState{class: c.Self.Class().Name, forward: &Kernel{properties: maps.Clone(k.properties)}}
	s.device, s.temporary = k.Device, temporary
	s.device.Retain()
	if temporary {
		s.reads = 1
	}
	for _, a := range in {
		s.shapes = append(s.shapes, a.logical())
	}
	class := "MPSNDArrayGradientState"
	if s.class == "MPSNDArrayGather" {
		class = "MPSNDArrayGatherGradientState"
	}
	return c.RT.NewObject(c.RT.Class(class), s)
}

// arrayArgs returns the arrays in arguments; nil is misuse, and false.
func arrayArgs(c *objcsoft.Call, args ...int) (list []*NDArray, ok bool) {
	for _, arg := range args {
		a, ok := adapter.Payload[*NDArray](c, arg)
		if !ok {
			if !c.Failed() {
				adapter.Misuse(c, "argument %d is nil, not an array", arg)
			}
			return nil, false
		}
		list = append(list, a)
	}
	return list, true
}

// encodeArrayState makes the methods that encode a forward pass with a state: one that is made, to
// which argument n points, or, with a destination, one of the program's, which takes over what the
// pass remembers. sources are as in encodeMethod.
func encodeArrayState(all, destination bool, sources ...int) objcsoft.Imp {
	return adapter.Method(func(k *arrayKernel, c *objcsoft.Call) {
		in, ok := sourceArrays(c, all, sources)
		if !ok {
			return
		}
		next := sources[len(sources)-1] + 1
		if destination {
			to, ok := arrayArgs(c, next+1)
			if !ok {
				return
			}
			if c.ID(next) != 0 {
				s, ok := adapter.Payload[*arrayState](c, next)
				if !ok {
					return
				}
				if s.class != c.Self.Class().Name {
					adapter.Misuse(c, "a state of an %s for an %s", s.class, c.Self.Class().Name)
					return
				}
				s.forward = &Kernel{properties: maps.Clone(k.properties)}
				s.shapes = s.shapes[:0]
				for _, a := range in {
					s.shapes = append(s.shapes, a.logical())
				}
			}
			k.encode(c, in, to[0])
			return
		}
		id := k.encode(c, in, nil)
		if c.Failed() {
			return
		}
		if c.Word(next) != 0 {
			state := k.stateOf(c, in, c.Bool(next+1))
			if err := c.RT.Autorelease(state); err != nil {
				c.Fail(err)
				return
			}
			c.Store(next, uintptr(state))
		}
		c.ReturnAutoreleased(id)
	})
}

// sourceArrays returns the sources of a call: arguments, or an NSArray.
func sourceArrays(c *objcsoft.Call, all bool, sources []int) ([]*NDArray, bool) {
	if !all {
		return arrayArgs(c, sources...)
	}
	list, err := adapter.Payloads[*NDArray](c.RT, c.ID(sources[0]))
	if err != nil {
		adapter.Misuse(c, "the source arrays: %v", err)
	}
	return list, err == nil
}

// gradientOp is what a gradient kernel does. of is the class of the forward kernel.
type gradientOp struct {
	of     string
	index  int // of the source whose gradient it is
	source int // how many sources there are
	build  func(s *arrayState, b *tensorop.Builder, in []tensorop.Operand, gradient, out tensorop.Operand) error
}

// gradientKernel is the payload of gradient kernels on NDArrays.
type gradientKernel struct {
	arrayKernel
	gradientOp
}

// encodeArrayGradient makes a method that encodes a gradient: its arguments are the sources, the
// gradient, the state and, with a destination, that.
func encodeArrayGradient(all, destination bool, sources ...int) objcsoft.Imp {
	return adapter.Method(func(g *gradientKernel, c *objcsoft.Call) {
		in, ok := sourceArrays(c, all, sources)
		if !ok {
			return
		}
		next := sources[len(sources)-1] + 1
		gradient, ok := arrayArgs(c, next)
		if !ok {
			return
		}
		s, ok := adapter.Payload[*arrayState](c, next+1)
		if !ok {
			if !c.Failed() {
				adapter.Misuse(c, "the gradient state is nil; it has the properties of the forward kernel")
			}
			return
		}
		var to *NDArray
		if destination {
			list, ok := arrayArgs(c, next+2)
			if !ok {
				return
			}
			to = list[0]
		}
		id, err := g.encodeFor(c, s, in, gradient[0], to)
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		if !destination {
			c.ReturnAutoreleased(id)
		}
	})
}

// encodeFor encodes the gradient for a state; without a result it makes one, +1.
func (g *gradientKernel) encodeFor(c *objcsoft.Call, s *arrayState, in []*NDArray, gradient,
	to *NDArray) (id objcsoft.ID, err error) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return 0, nil
	}
	switch {
	case g.gradientOp.build == nil:
		return 0, fmt.Errorf("a gradient kernel of a class without an operation; make one of a subclass")
	case s.class != g.of:
		return 0, fmt.Errorf("a state of an %s for the gradient of an %s", s.class, g.of)
	case len(in) != g.source:
		return 0, fmt.Errorf("%d source arrays; the kernel takes %d", len(in), g.source)
	}
	if err := s.usable(); err != nil {
		return 0, err
	}
	for i, a := range in {
		if !slices.Equal(a.Shape, s.shapes[i]) {
			return 0, fmt.Errorf("source array %d of shape %v; in the forward pass it was %v", i, a.Shape, s.shapes[i])
		}
	}
	shape := in[g.index].Shape
	if to == nil {
		if id, to, err = g.destination(c, 0, gradient.Type, shape); err != nil {
			return id, err
		}
	}
	if !slices.Equal(to.Shape, shape) || to.Type != gradient.Type {
		return id, fmt.Errorf("a destination of shape %v of %v; the gradient has the shape %v of %v", to.Shape, to.Type,
			shape, gradient.Type)
	}
	s.read()
	Encode(c, g.Device, cb, append(slices.Clone(in), gradient), []*NDArray{to}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		b.Fill(out[0], 0)
		last := len(in) - 1
		if err := g.gradientOp.build(s, b, in[:last], in[last], out[0]); err != nil {
			b.Fail(err)
		}
	})
	return id, nil
}

// arrayGradientClasses declares the gradient kernels and states, and what forward kernels do with
// states.
func arrayGradientClasses() []adapter.Class {
	made := func(op gradientOp) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			initKernel(c, &gradientKernel{arrayKernel{arrayOp: arrayOp{sources: op.source}}, op})
		}
	}
	gather := gradientOp{of: "MPSNDArrayGather", source: 2, build: func(s *arrayState, b *tensorop.Builder,
		in []tensorop.Operand, gradient, out tensorop.Operand) error {
		b.Scatter(out, out, in[1], gradient, len(in[0].Shape)-1-s.forward.number("axis", 0), "add")
		return nil
	}}
	slice := gradientOp{of: "MPSNDArrayStridedSlice", source: 1, build: func(s *arrayState, b *tensorop.Builder,
		_ []tensorop.Operand, gradient, out tensorop.Operand) error {
		v, err := (&arrayKernel{Kernel: Kernel{properties: s.forward.properties}}).strided(out.View)
		if err == nil && !slices.Equal(v.Shape, gradient.Shape) {
			err = fmt.Errorf("a gradient of shape %v; the slice has %v", gradient.Shape, v.Shape)
		}
		if err == nil {
			b.Copy(out.With(v), gradient)
		}
		return err
	}}
	const start, two = "encodeToCommandBuffer:sourceArrays:",
		"encodeToCommandBuffer:primarySourceArray:secondarySourceArray:"
	const one = "encodeToCommandBuffer:sourceArray:"
	const rest, temporary = "sourceGradient:gradientState:", "resultState:outputStateIsTemporary:"
	const state, destination = "resultState:destinationArray:", "destinationArray:"
	binary := func(name string) adapter.Class {
		return adapter.Class{Name: name, Super: "MPSNDArrayMultiaryGradientKernel", Methods: adapter.Methods{
			two + rest:               encodeArrayGradient(false, false, 1, 2),
			two + rest + destination: encodeArrayGradient(false, true, 1, 2)}}
	}
	return []adapter.Class{
		{Name: "MPSNDArrayGradientState", Super: "MPSState"},
		{Name: "MPSNDArrayGatherGradientState", Super: "MPSNDArrayGradientState"},
		{Name: "MPSNDArrayMultiaryBase", Methods: adapter.Methods{
			"resultStateForSourceArrays:sourceStates:destinationArray:": adapter.Method(func(k *arrayKernel,
				c *objcsoft.Call) {
				if in, ok := sourceArrays(c, true, []int{0}); ok {
					c.ReturnAutoreleased(k.stateOf(c, in, false))
				}
			})}},
		{Name: "MPSNDArrayMultiaryKernel", Methods: adapter.Methods{start + temporary: encodeArrayState(true, false, 1),
			start + state: encodeArrayState(true, true, 1)}},
		{Name: "MPSNDArrayUnaryKernel", Methods: adapter.Methods{one + temporary: encodeArrayState(false, false, 1),
			one + state: encodeArrayState(false, true, 1)}},
		{Name: "MPSNDArrayBinaryKernel", Methods: adapter.Methods{two + temporary: encodeArrayState(false, false, 1, 2),
			two + state: encodeArrayState(false, true, 1, 2)}},
		{Name: "MPSNDArrayMultiaryGradientKernel", Super: "MPSNDArrayMultiaryBase", Methods: adapter.Methods{
			"initWithDevice:sourceCount:sourceGradientIndex:": func(c *objcsoft.Call) {
				n, i := int(c.Uint(1)), int(c.Uint(2))
				if i < 0 || i >= n {
					adapter.Misuse(c, "the gradient of source %d of %d", i, n)
					return
				}
				made(gradientOp{source: n, index: i})(c)
			},
			start + rest: encodeArrayGradient(true, false, 1), start + rest + destination: encodeArrayGradient(true, true, 1),
		}},
		{Name: "MPSNDArrayUnaryGradientKernel", Super: "MPSNDArrayMultiaryGradientKernel", Methods: adapter.Methods{
			one + rest: encodeArrayGradient(false, false, 1), one + rest + destination: encodeArrayGradient(false, true, 1)}},
		binary("MPSNDArrayBinaryPrimaryGradientKernel"), binary("MPSNDArrayBinarySecondaryGradientKernel"),
		{Name: "MPSNDArrayGatherGradient", Super: "MPSNDArrayBinaryPrimaryGradientKernel",
			Methods: adapter.Methods{"initWithDevice:": made(gather)}},
		{Name: "MPSNDArrayStridedSliceGradient", Super: "MPSNDArrayUnaryGradientKernel",
			Methods: adapter.Methods{"initWithDevice:": made(slice)}},
	}
}
