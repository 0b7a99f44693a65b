package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// reshape is the payload of an MPSNNReshape.
type reshape struct {
	cnnKernel
	to [3]int // width, height and feature channels of a result; zeros: those of the source
}

// asShape saves all elements of a source in their order: rows, columns, channels.
func asShape(j *cnnJob, source int) error {
	in, err := j.loadAll(source)
	if err != nil {
		return err
	}
	s := &j.sources[source]
	if n, m := s.width*s.height*s.channels, j.out.width*j.out.height*j.out.channels; n != m {
		return fmt.Errorf("a source of %d by %d with %d feature channels as %d by %d with %d", s.width, s.height,
			s.channels, j.out.width, j.out.height, j.out.channels)
	}
	return j.save(&NDArray{View: tensorop.Dense(tensorop.Float32, j.count, j.out.height, j.out.width, j.out.channels),
		Device: in.Device, Buffer: in.Buffer})
}

func initReshape(c *objcsoft.Call) {
	k := &reshape{}
	or := func(v, otherwise int) int {
		if v == 0 {
			return otherwise
		}
		return v
	}
	k.cnnOp = cnnOp{sources: 1, build: func(_ *cnnKernel, j *cnnJob) error { return asShape(j, 0) },
		channels: func(_ *cnnKernel, in []*Image) int { return or(k.to[2], in[0].channels) },
		size: func(_ *cnnKernel, in []*Image, _ []cnnState) (int, int) {
			s := sizeOf(in[0])
			return or(k.to[0], s.width), or(k.to[1], s.height)
		},
		state: newGradientState, stateClass: "MPSNNGradientState"}
	initCNN(c, k)
}

// initReshapeGradient makes the kernel that gives a gradient the shape of the forward source.
func initReshapeGradient(c *objcsoft.Call) {
	initCNN(c, &cnnKernel{cnnOp: cnnOp{sources: 2,
		build:    func(_ *cnnKernel, j *cnnJob) error { return asShape(j, 0) },
		channels: func(_ *cnnKernel, in []*Image) int { return in[1].channels },
		size: func(_ *cnnKernel, in []*Image, _ []cnnState) (int, int) {
			s := sizeOf(in[1])
			return s.width, s.height
		}}})
}

// encodeReshape makes an encode method whose last arguments, from first on, are the shape.
func encodeReshape(a cnnArguments, first int) objcsoft.Imp {
	encode := encodeCNN(a)
	return adapter.Method(func(k *reshape, c *objcsoft.Call) {
		const most = 1 << 14
		for i := range k.to {
			if v := c.Uint(first + i); v < 1 || v > most {
				adapter.Misuse(c, "reshaped size %d; it must be 1 to %d", v, most)
				return
			}
			k.to[i] = int(c.Uint(first + i))
		}
		encode(c)
		k.to = [3]int{}
	})
}

// padSizes returns an MPSImageCoordinate property.
func (k *cnnKernel) padSizes(name string) (v [3]int) {
	for i, w := range k.words(name) {
		v[i] = int(w)
	}
	return v
}

// padImage copies a source, and what the edge mode says beyond it.
func padImage(k *cnnKernel, j *cnnJob) error {
	s := &j.sources[0]
	fill := k.float("fillValue")
	in, err := j.loadEdge(0, s.x, s.y, j.out.width, j.out.height, s.edge, fill)
	if err != nil {
		return err
	}
	before, after := k.padSizes("paddingSizeBefore")[2], k.padSizes("paddingSizeAfter")[2]
	mode := tensorop.PadConstant
	switch s.edge {
	case mpsdata.ImageEdgeModeZero:
		fill = 0
	case mpsdata.ImageEdgeModeClamp:
		mode = tensorop.PadEdge
	case mpsdata.ImageEdgeModeMirror:
		mode = tensorop.PadReflect
	case mpsdata.ImageEdgeModeMirrorWithEdge:
		mode = tensorop.PadSymmetric
	}
	shape := []int{j.count, j.out.height, j.out.width, before + s.channels + after}
	return j.finish(shape, []*NDArray{in}, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.Pad(out, in[0], []int{0, 0, 0, before}, []int{0, 0, 0, after}, mode, fill)
	})
}

// initPad makes an init method: with sizes they are in the arguments after the device.
func initPad(sizes, fills bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		k := &cnnKernel{}
		const most = 1 << 14
		if sizes {
			for i, name := range []string{"paddingSizeBefore", "paddingSizeAfter"} {
				w := c.Words(1 + i)
				if max(w[0], w[1], w[2]) > most {
					adapter.Misuse(c, "%s (%d, %d, %d); the limit is %d", name, w[0], w[1], w[2], most)
					return
				}
				k.set(name, append([]uintptr(nil), w...)...)
			}
		}
		if fills && c.ID(3) != 0 {
			adapter.Misuse(c, "the software device does not pad with a value for each feature channel; use fillValue")
			return
		}
		k.cnnOp = cnnOp{sources: 1, build: padImage,
			channels: func(k *cnnKernel, in []*Image) int {
				n := in[0].channels
				if s, err := k.source(0, in); err == nil {
					n = s.channels
				}
				return n + k.padSizes("paddingSizeBefore")[2] + k.padSizes("paddingSizeAfter")[2]
			},
			place: func(in []*Image, _ []cnnState, _ uint64) ([2]int, error) {
				before, after, s := k.padSizes("paddingSizeBefore"), k.padSizes("paddingSizeAfter"), sizeOf(in[0])
				k.set("offset", uintptr(-before[0]), uintptr(-before[1]), uintptr(k.Kernel.offset("offset")[2]))
				return [2]int{s.width + before[0] + after[0], s.height + before[1] + after[1]}, nil
			}}
		initCNN(c, k)
	}
}

func reshapeClasses() []adapter.Class {
	const shape = "reshapedWidth:reshapedHeight:reshapedFeatureChannels:"
	const state, states = "destinationState:destinationStateIsTemporary:", "destinationStates:destinationStateIsTemporary:"
	m := adapter.Methods{"initWithDevice:": initReshape}
	for _, batch := range []bool{false, true} {
		name, out := "encodeToCommandBuffer:sourceImage:", state
		if batch {
			name, out = "encodeBatchToCommandBuffer:sourceImages:", states
		}
		a := cnnArguments{batch: batch, sources: []int{1}, states: -1, dest: -1, out: -1}
		m[name+shape] = encodeReshape(a, 2)
		a.out = 2
		m[name+out+shape] = encodeReshape(a, 4)
	}
	const sized = "initWithDevice:paddingSizeBefore:paddingSizeAfter:"
	return []adapter.Class{
		{Name: "MPSNNReshape", Super: "MPSCNNKernel", Methods: m},
		{Name: "MPSNNReshapeGradient", Super: "MPSCNNGradientKernel", Methods: adapter.Methods{
			"initWithDevice:": initReshapeGradient}},
		withProperties(adapter.Class{Name: "MPSNNPad", Super: "MPSCNNKernel", Methods: adapter.Methods{
			"initWithDevice:": initPad(false, false), sized: initPad(true, false),
			sized + "fillValueArray:": initPad(true, true)}}, nil),
	}
}
