package softmps

import (
	"math"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// layerClasses lists the layers of neural networks on images.
func layerClasses() []adapter.Class {
	return slices.Concat(neuronClasses(), poolingClasses(), responseClasses(), softmaxClasses(), upsamplingClasses(),
		dropoutClasses(), normalizationClasses(), batchNormalizationClasses(), lossClasses())
}

// instrs collects the instructions of a map on float32 values, whose inputs come first.
type instrs = program

// add appends an instruction and returns its number.
func (p *program) add(op string, args ...int) int { return p.do(op, args...) }

// test appends a comparison.
func (p *program) test(op string, args ...int) int { return p.typed(op, tensorop.Bool, nil, args...) }

// fill appends a number.
func (p *program) fill(v float32) int { return p.number(v) }

// mapTo writes a map whose instructions f appends; the last one is the result.
func mapTo(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand, f func(s *instrs)) {
	s := &instrs{inputs: len(in)}
	f(s)
	b.Map(out, in, s.code...)
}

// finish computes a tensor from others and saves it as the result.
func (j *cnnJob) finish(shape []int, in []*NDArray, build func(b *tensorop.Builder, out tensorop.Operand,
	in []tensorop.Operand)) error {
	y, err := j.tensor(shape...)
	if err == nil {
		err = j.compute(in, []*NDArray{y}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
			build(b, out[0], in)
		})
	}
	if err == nil {
		err = j.save(y)
	}
	return err
}

// aligned returns the pixels of all sources that lie under the clip rectangle.
func (j *cnnJob) aligned() (list []*NDArray, err error) {
	for i := range j.sources {
		t, err := j.loadAligned(i)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// shape returns that of a result with as many feature channels as the first source has.
func (j *cnnJob) shape() []int {
	return []int{j.count, j.out.height, j.out.width, j.sources[0].channels}
}

// planes returns a view whose last dimensions are rows and columns.
func planes(o tensorop.Operand) tensorop.Operand { return o.With(o.Transpose(0, 3, 1, 2)) }

// reverse returns a view whose dimensions are in descending order.
func reverse(b *tensorop.Builder, o tensorop.Operand, dims ...int) tensorop.Operand {
	for _, d := range dims {
		v, err := o.Slice(d, o.Shape[d]-1, -1, -1)
		if err != nil {
			b.Fail(err)
			return o
		}
		o = o.With(v)
	}
	return o
}

// crop returns a view of a rectangle of all images.
func crop(b *tensorop.Builder, o tensorop.Operand, x, y, width, height int) tensorop.Operand {
	for d, at := range [2][2]int{{y, height}, {x, width}} {
		v, err := o.Slice(1+d, at[0], at[0]+at[1], 1)
		if err != nil {
			b.Fail(err)
			return o
		}
		o = o.With(v)
	}
	return o
}

// copyFrom copies the rectangle of in that begins at x, y to all of out. What lies beyond in is 0.
func copyFrom(b *tensorop.Builder, out, in tensorop.Operand, x, y int) {
	before := []int{0, -y, -x, 0}
	after := []int{0, y + out.Shape[1] - in.Shape[1], x + out.Shape[2] - in.Shape[2], 0}
	b.Pad(out, in, before, after, tensorop.PadConstant, 0)
}

// setFloats sets properties to numbers.
func (k *Kernel) setFloats(values map[string]float32) {
	for name, v := range values {
		k.set(name, uintptr(math.Float32bits(v)))
	}
}
