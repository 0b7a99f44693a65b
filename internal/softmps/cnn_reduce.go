package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// imageReduction is a reduction of images along one dimension of the tensor: images, rows, columns,
// channels.
type imageReduction struct {
	op   string // of package tensorop
	axis int
}

// build reduces the part of the source that clipRectSource selects.
func (r imageReduction) build(k *cnnKernel, j *cnnJob) error {
	s := &j.sources[0]
	origin, size := intersect(k.words("clipRectSource"), [3]int{s.width, s.height, 1})
	if size[0] == 0 || size[1] == 0 {
		return fmt.Errorf("clipRectSource is outside of the source, which has %d by %d pixels", s.width, s.height)
	}
	in, err := j.load(0, origin[0], origin[1], size[0], size[1])
	if err != nil {
		return err
	}
	shape := []int{j.count, size[1], size[0], s.channels}
	shape[r.axis] = 1
	// The result is as large as the clip rectangle: what lies beyond it is not written.
	j.out.width, j.out.height = min(j.out.width, shape[2]), min(j.out.height, shape[1])
	return j.finish([]int{j.count, j.out.height, j.out.width, shape[3]}, []*NDArray{in}, func(b *tensorop.Builder,
		out tensorop.Operand, in []tensorop.Operand) {
		elements, err := tensorop.Reduction(r.op, tensorop.Float32)
		if err != nil {
			b.Fail(err)
			return
		}
		all := b.Temp(elements, shape...)
		b.Reduce(r.op, all, in[0], r.axis)
		mapTo(b, out, []tensorop.Operand{crop(b, all, 0, 0, j.out.width, j.out.height)}, func(s *instrs) {
			s.linear(s.add("cast", 0), k.number32("weight"), 0)
		})
	})
}

// number32 returns a float property, which is 1 unless it was set.
func (k *cnnKernel) number32(name string) float32 {
	if k.words(name) == nil {
		return 1
	}
	return k.float(name)
}

func (r imageReduction) init(c *objcsoft.Call) {
	k := &cnnKernel{cnnOp: cnnOp{sources: 1, build: r.build,
		channels: func(k *cnnKernel, in []*Image) int {
			if s, err := k.source(0, in); err == nil && r.axis != 3 {
				return s.channels
			}
			return 1
		},
		size: func(k *cnnKernel, in []*Image, _ []cnnState) (int, int) {
			_, size := intersect(k.words("clipRectSource"), [3]int{int(in[0].Texture.Width()),
				int(in[0].Texture.Height()), 1})
			if r.axis != 3 {
				size[2-r.axis] = 1
			}
			return size[0], size[1]
		}}}
	k.set("clipRectSource", noClip()...)
	initCNN(c, k)
}

// slice copies the pixels and channels that the properties of all kernels select.
func slice(_ *cnnKernel, j *cnnJob) error {
	in, err := j.loadAligned(0)
	if err == nil {
		err = j.save(in)
	}
	return err
}

func imageReductionClasses() []adapter.Class {
	list := []adapter.Class{
		withProperties(adapter.Class{Name: "MPSNNReduceUnary", Super: "MPSCNNKernel"}, nil),
		{Name: "MPSNNSlice", Super: "MPSCNNKernel", Methods: adapter.Methods{
			"initWithDevice:": plainCNN(cnnOp{sources: 1, build: slice})}},
	}
	axes := []string{"", "Column", "Row", "FeatureChannels"}
	ops := map[string]string{"Min": "min", "Max": "max", "Mean": "mean", "Sum": "sum", "ArgumentMin": "argmin",
		"ArgumentMax": "argmax"}
	for axis, along := range axes {
		for name, op := range ops {
			if axis == 0 || axis != 3 && op[0] == 'a' {
				continue
			}
			class := adapter.Class{Name: "MPSNNReduce" + along + name, Super: "MPSNNReduceUnary",
				Methods: adapter.Methods{"initWithDevice:": imageReduction{op, axis}.init}}
			list = append(list, withProperties(class, map[string]uintptr{"weight": one}))
		}
	}
	return list
}
