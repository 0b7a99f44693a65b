package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// sourceRegion returns the part of the source that reductions read. It must not be empty.
func (k *imageKernel) sourceRegion(s surface) (r [4]int32, err error) {
	origin, size := intersect(k.words("clipRectSource"), [3]int{s.width, s.height, 1})
	if size[0] == 0 || size[1] == 0 {
		err = fmt.Errorf("clipRectSource is outside of the source, which has %d by %d pixels", s.width, s.height)
	}
	return [4]int32{int32(origin[0]), int32(origin[1]), int32(size[0]), int32(size[1])}, err
}

// reduceLines encodes a reduction of rows, to a column, or of columns, to a row.
func reduceLines(operation float32, columns bool) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		a := j.arguments
		var err error
		if a.Region, err = k.sourceRegion(j.source); err != nil {
			return err
		}
		a.A = [4]float32{operation}
		along, across := &j.height, &j.width
		lines := a.Region[3]
		if columns {
			a.A[1] = 1
			along, across = across, along
			lines = a.Region[2]
		}
		*along, *across = min(*along, int(lines)), 1
		j.add("reduce", "reduce_lines", a)
		return nil
	}
}

// statistics encodes a reduction of the region to one or two texels: minimum and maximum (0), mean
// (1), mean and variance (2).
func statistics(kind float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		a := j.arguments
		var err error
		if a.Region, err = k.sourceRegion(j.source); err != nil {
			return err
		}
		a.A[0] = kind
		results := 2
		if kind == 1 {
			results = 1
		}
		if j.width < results {
			return fmt.Errorf("the destination takes %d texels in a row, and %d are results", j.width, results)
		}
		rows := int(a.Region[3])
		sums, err := j.buffer(32 * rows * j.depth)
		if err != nil {
			return err
		}
		p := j.add("reduce", "statistics_rows", a)
		p.grid, p.buffers = [3]int{1, rows, j.depth}, append(p.buffers, sums)
		p = j.add("reduce", "statistics_result", a)
		p.grid, p.buffers = [3]int{results, 1, j.depth}, append(p.buffers, sums)
		return nil
	}
}

// integral encodes sums of the rectangles between the offset and each texel, which is outside of
// its own. With squares = 1 values are squared first.
func integral(squares float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		between, err := j.temporary(j.width, j.height, j.depth)
		if err != nil {
			return err
		}
		a := j.arguments
		a.A[0] = squares
		a.Clip = [4]int32{0, 0, int32(j.width), int32(j.height)}
		a.First[3] = 0
		p := j.add("reduce", "integral_rows", a)
		p.textures[2], p.grid[0] = between.Texture, 1
		a = j.arguments
		a.First = [4]int32{0, 0, 0, j.arguments.First[3]}
		p = j.add("reduce", "integral_columns", a)
		p.textures[0], p.grid[1] = between.Texture, 1
		return nil
	}
}

func reductionClasses() []adapter.Class {
	made := func(build func(k *imageKernel, j *filterJob) error) adapter.Methods {
		return adapter.Methods{"initWithDevice:": func(c *objcsoft.Call) { initFilter(c, &imageKernel{build: build}) }}
	}
	unary := func(name, super string, build func(k *imageKernel, j *filterJob) error) adapter.Class {
		return withProperties(adapter.Class{Name: name, Super: super, Methods: made(build)}, nil)
	}
	list := []adapter.Class{
		withProperties(adapter.Class{Name: "MPSImageReduceUnary", Super: "MPSUnaryImageKernel"}, nil),
		unary("MPSImageStatisticsMinAndMax", "MPSUnaryImageKernel", statistics(0)),
		unary("MPSImageStatisticsMean", "MPSUnaryImageKernel", statistics(1)),
		unary("MPSImageStatisticsMeanAndVariance", "MPSUnaryImageKernel", statistics(2)),
		unary("MPSImageIntegral", "MPSUnaryImageKernel", integral(0)),
		unary("MPSImageIntegralOfSquares", "MPSUnaryImageKernel", integral(1)),
	}
	for i, operation := range []string{"Min", "Max", "Mean", "Sum"} {
		list = append(list,
			unary("MPSImageReduceRow"+operation, "MPSImageReduceUnary", reduceLines(float32(i), false)),
			unary("MPSImageReduceColumn"+operation, "MPSImageReduceUnary", reduceLines(float32(i), true)))
	}
	return list
}
