package onnxjudge

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
)

func shapeOperators() map[string]operator {
	return map[string]operator{
		"Concat": func(n *node) []graph.Tensor {
			return one(n.g.ConcatTensors(n.in, n.axis(n.in[0], n.int("axis", 0)), ""))
		},
		"Reshape": func(n *node) []graph.Tensor {
			shape := n.argument("shape", 1)
			for i, d := range shape {
				if d == 0 && n.int("allowzero", 0) == 0 {
					shape[i] = n.in[0].Shape()[i]
				}
			}
			return one(n.g.ReshapeTensor(n.in[0], shape, ""))
		},
		"Transpose": func(n *node) []graph.Tensor {
			perm := n.list("perm")
			for d := len(n.in[0].Shape()) - 1; d >= 0 && n.Attributes["perm"] == nil; d-- {
				perm = append(perm, d)
			}
			return one(n.g.TransposeTensorPermutation(n.in[0], perm, ""))
		},
		"Squeeze": func(n *node) []graph.Tensor {
			if axes := n.argument("axes", 1); axes != nil {
				return one(n.g.SqueezeTensorAxes(n.in[0], axes, ""))
			}
			return one(n.g.SqueezeTensor(n.in[0], ""))
		},
		"Unsqueeze": func(n *node) []graph.Tensor {
			return one(n.g.ExpandDimsOfTensor(n.in[0], n.argument("axes", 1), ""))
		},
		"Flatten": func(n *node) []graph.Tensor {
			return one(n.g.Flatten2DTensor(n.in[0], n.axis(n.in[0], n.int("axis", 1)), ""))
		},
		"Slice": sliced,
		"Split": func(n *node) []graph.Tensor {
			axis := n.axis(n.in[0], n.int("axis", 0))
			if sizes := n.argument("split", 1); sizes != nil {
				return n.g.SplitTensorSplitSizes(n.in[0], sizes, axis, "")
			}
			count, total := len(n.Outputs), n.in[0].Shape()[axis]
			if total%count == 0 {
				return n.g.SplitTensor(n.in[0], uint(count), axis, "")
			}
			size := (total + count - 1) / count
			sizes := slices.Repeat([]int{size}, count-1)
			return n.g.SplitTensorSplitSizes(n.in[0], append(sizes, total-size*(count-1)), axis, "")
		},
		"Pad":    padded,
		"Expand": expanded,
		"Tile": func(n *node) []graph.Tensor {
			return one(n.g.TileTensor(n.in[0], n.ints(n.in[1]), ""))
		},
		"Gather": func(n *node) []graph.Tensor {
			axis := n.axis(n.in[0], n.int("axis", 0))
			return one(n.g.GatherWithUpdatesTensor(n.in[0], n.indices(n.in[1], n.in[0].Shape()[axis]), uint(axis), 0, ""))
		},
		"GatherElements": func(n *node) []graph.Tensor {
			axis := n.axis(n.in[0], n.int("axis", 0))
			return one(n.g.GatherAlongAxis(axis, n.in[0], n.indices(n.in[1], n.in[0].Shape()[axis]), ""))
		},
		"NonZero": func(n *node) []graph.Tensor {
			found, err := n.g.NonZeroIndicesOfTensor(n.in[0], "")
			if err != nil {
				noMethod("NonZero: %v", err)
			}
			return one(n.g.CastTensor(n.g.TransposeTensor(found, 0, 1, ""), mps.DataTypeInt64, ""))
		},
		"GatherND": func(n *node) []graph.Tensor {
			return one(n.g.GatherNDWithUpdatesTensor(n.in[0], n.tuples(n.in[1], n.in[0].Shape(), n.int("batch_dims", 0)),
				uint(n.int("batch_dims", 0)), ""))
		},
		"ScatterElements": func(n *node) []graph.Tensor {
			axis := n.axis(n.in[0], n.int("axis", 0))
			return one(n.g.ScatterAlongAxis(axis, n.in[0], n.in[2], n.indices(n.in[1], n.in[0].Shape()[axis]),
				scatterMode(n), ""))
		},
		"ScatterND": func(n *node) []graph.Tensor {
			return one(n.g.ScatterNDWithDataTensor(n.in[0], n.in[2], n.tuples(n.in[1], n.in[0].Shape(), 0), 0,
				scatterMode(n), ""))
		},
		"OneHot": func(n *node) []graph.Tensor {
			depth := n.ints(n.in[1])[0]
			values := n.floats(n.in[2])
			x := n.g.CastTensor(n.in[0], mps.DataTypeInt32, "")
			low := n.g.LessThanWithPrimaryTensor(x, n.scalar(0, x), "")
			x = n.where(low, n.add(x, n.scalar(float64(depth), x)), x)
			axis := n.int("axis", -1)
			if axis < 0 {
				axis += len(x.Shape()) + 1
			}
			return one(n.g.OneHotWithIndicesTensorAxisDataTypeOnValue(x, uint(depth), uint(axis), n.in[2].DataType(),
				values[1], values[0], ""))
		},
		"Trilu": func(n *node) []graph.Tensor {
			k := 0
			if n.has(1) {
				k = n.ints(n.in[1])[0]
			}
			return one(n.triangle(n.in[0], k, n.int("upper", 1) != 0))
		},
		"Shape": func(n *node) []graph.Tensor {
			rank := len(n.in[0].Shape())
			low, high := bound(n.int("start", 0), rank), bound(n.int("end", rank), rank)
			s := n.cast(n.g.ShapeOfTensor(n.in[0], ""), Int64)
			return one(n.g.SliceTensor(s, 0, low, max(high-low, 0), ""))
		},
		"Size": func(n *node) []graph.Tensor {
			s := n.cast(n.g.ShapeOfTensor(n.in[0], ""), Int64)
			return one(n.g.ReshapeTensor(n.g.ReductionProductWithTensor(s, []int{0}, ""), []int{}, ""))
		},
		"Constant": func(n *node) []graph.Tensor {
			for name, a := range n.Attributes {
				switch name {
				case "value":
					return one(n.constant(a.Tensor))
				case "value_float":
					return one(n.g.ConstantWithScalar(float64(a.Float), mps.DataTypeFloat32))
				case "value_int":
					return one(n.constant(&Tensor{Type: Int64, Shape: []int{},
						Data: binary.LittleEndian.AppendUint64(nil, uint64(a.Int))}))
				case "value_ints":
					t := &Tensor{Type: Int64, Shape: []int{len(a.Ints)}}
					for _, k := range a.Ints {
						t.Data = binary.LittleEndian.AppendUint64(t.Data, uint64(k))
					}
					return one(n.constant(t))
				case "value_floats":
					t := &Tensor{Type: Float, Shape: []int{len(a.Floats)}}
					for _, k := range a.Floats {
						t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(k))
					}
					return one(n.constant(t))
				}
			}
			noMethod("the kind of Constant")
			return nil
		},
		"ConstantOfShape": func(n *node) []graph.Tensor {
			shape := append([]int{}, n.ints(n.in[0])...)
			if a := n.Attributes["value"]; a != nil {
				return one(n.g.ConstantWithScalarShape(a.Tensor.Numbers()[0], shape, dataType(a.Tensor.Type)))
			}
			return one(n.g.ConstantWithScalarShape(0, shape, mps.DataTypeFloat32))
		},
		"Range": func(n *node) []graph.Tensor {
			a, b, step := n.floats(n.in[0])[0], n.floats(n.in[1])[0], n.floats(n.in[2])[0]
			count := max(int(math.Ceil((b-a)/step)), 0)
			places := n.g.CastTensor(n.g.CoordinateAlongAxis(0, []int{count}, ""), n.in[0].DataType(), "")
			return one(n.add(n.mul(places, n.in[2]), n.in[0]))
		},
		"EyeLike": func(n *node) []graph.Tensor {
			x := n.in[0]
			t := x.DataType()
			if to := n.int("dtype", 0); to != 0 {
				t = dataType(Type(to))
			}
			diagonal := n.sub(n.g.CoordinateAlongAxis(1, x.Shape(), ""), n.g.CoordinateAlongAxis(0, x.Shape(), ""))
			return one(n.g.CastTensor(n.g.EqualWithPrimaryTensor(diagonal, n.scalar(float64(n.int("k", 0)), diagonal), ""),
				t, ""))
		},
		"DepthToSpace": func(n *node) []graph.Tensor {
			return one(n.g.DepthToSpace2DTensor(n.in[0], 3, 2, 1, uint(n.int("blocksize", 1)), n.text("mode", "DCR") == "CRD",
				""))
		},
		"SpaceToDepth": func(n *node) []graph.Tensor {
			return one(n.g.SpaceToDepth2DTensor(n.in[0], 3, 2, 1, uint(n.int("blocksize", 1)), false, ""))
		},
	}
}

// bound clamps a position that counts from the end if it is negative.
func bound(k, n int) int {
	if k < 0 {
		k += n
	}
	return min(max(k, 0), n)
}

func scatterMode(n *node) graph.ScatterMode {
	switch n.text("reduction", "none") {
	case "add":
		return graph.ScatterModeAdd
	case "mul":
		return graph.ScatterModeMul
	case "min":
		return graph.ScatterModeMin
	case "max":
		return graph.ScatterModeMax
	}
	return graph.ScatterModeSet
}

// indices makes indices that count from the end positive.
func (n *node) indices(x graph.Tensor, dim int) graph.Tensor {
	if v := n.ints(x); len(v) == 0 || slices.Min(v) >= 0 {
		return x
	}
	low := n.g.LessThanWithPrimaryTensor(x, n.scalar(0, x), "")
	return n.where(low, n.add(x, n.scalar(float64(dim), x)), x)
}

// tuples does the same for index tuples in the last dimension.
func (n *node) tuples(x graph.Tensor, shape []int, batch int) graph.Tensor {
	if v := n.ints(x); len(v) == 0 || slices.Min(v) >= 0 {
		return x
	}
	width := x.Shape()[len(x.Shape())-1]
	dims := n.g.CastTensor(n.integers(shape[batch:batch+width]...), x.DataType(), "")
	low := n.g.LessThanWithPrimaryTensor(x, n.scalar(0, x), "")
	return n.where(low, n.add(x, dims), x)
}

func sliced(n *node) []graph.Tensor {
	x := n.in[0]
	shape := x.Shape()
	starts, ends := make([]int, len(shape)), slices.Clone(shape)
	steps := slices.Repeat([]int{1}, len(shape))
	endMask := uint32(0)
	from, to := n.argument("starts", 1), n.argument("ends", 2)
	axes, by := n.argument("axes", 3), n.argument("steps", 4)
	for i := range from {
		a, step := i, 1
		if axes != nil {
			a = n.axis(x, axes[i])
		}
		if by != nil {
			step = by[i]
		}
		d := shape[a]
		start, end := from[i], to[i]
		if start < 0 {
			start += d
		}
		if end < 0 {
			end = max(end+d, -1)
		}
		if steps[a] = step; step > 0 {
			starts[a], ends[a] = min(max(start, 0), d), min(max(end, 0), d)
			ends[a] = max(starts[a], ends[a])
			continue
		}
		starts[a], ends[a] = min(max(start, 0), d-1), min(end, d-1)
		if ends[a] < 0 {
			endMask |= 1 << a
			ends[a] = 0
		}
	}
	return one(n.g.SliceTensorStartsEnds(x, starts, ends, steps, 0, endMask, 0, ""))
}

func padded(n *node) []graph.Tensor {
	x := n.in[0]
	rank := len(x.Shape())
	pads := n.argument("pads", 1)
	axes := n.argument("", 3)
	if axes == nil {
		for d := range rank {
			axes = append(axes, d)
		}
	}
	before, after := make([]int, rank), make([]int, rank)
	starts, ends := make([]int, rank), slices.Clone(x.Shape())
	cut := false
	for i, a := range axes {
		a = n.axis(x, a)
		before[a], after[a] = pads[i], pads[i+len(axes)]
		if before[a] < 0 {
			starts[a], before[a], cut = -before[a], 0, true
		}
		if after[a] < 0 {
			ends[a], after[a], cut = ends[a]+after[a], 0, true
		}
	}
	if cut {
		x = n.g.SliceTensorStarts(x, starts, ends, slices.Repeat([]int{1}, rank), "")
	}
	value := n.float("value", 0)
	if n.has(2) {
		value = n.floats(n.in[2])[0]
	}
	mode := graph.PaddingModeConstant
	switch n.text("mode", "constant") {
	case "reflect":
		mode = graph.PaddingModeReflect
	case "edge":
		mode = graph.PaddingModeClampToEdge
	case "wrap":
		mode = graph.PaddingModePeriodic
	}
	return one(n.g.PadTensor(x, mode, before, after, value, ""))
}

func expanded(n *node) []graph.Tensor {
	x := n.in[0]
	want := n.ints(n.in[1])
	have := x.Shape()
	shape := make([]int, max(len(want), len(have)))
	for i := range shape {
		shape[i] = 1
		if k := i - (len(shape) - len(want)); k >= 0 {
			shape[i] = want[k]
		}
		if k := i - (len(shape) - len(have)); k >= 0 && have[k] != 1 {
			shape[i] = have[k]
		}
	}
	return one(n.g.BroadcastTensor(x, shape, ""))
}

// triangle keeps a triangle of matrices whose edge is k diagonals above the main one.
func (n *node) triangle(x graph.Tensor, k int, upper bool) graph.Tensor {
	shape := x.Shape()
	rank := len(shape)
	rows, columns := n.g.CoordinateAlongAxis(rank-2, shape, ""), n.g.CoordinateAlongAxis(rank-1, shape, "")
	d := n.sub(columns, rows)
	keep := n.g.GreaterThanOrEqualToWithPrimaryTensor(d, n.scalar(float64(k), d), "")
	if !upper {
		keep = n.g.LessThanOrEqualToWithPrimaryTensor(d, n.scalar(float64(k), d), "")
	}
	return n.where(keep, x, n.scalar(0, x))
}

// floatTensor makes a list of float32.
func floatTensor(v []float64) *Tensor {
	t := &Tensor{Type: Float, Shape: []int{len(v)}}
	for _, k := range v {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(float32(k)))
	}
	return t
}
