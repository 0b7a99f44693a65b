package dispatch

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/affine"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// loopWeight is how many iterations a loop is taken to have; deep loops count no more than
// maxShapeWeight.
const (
	loopWeight     = 8
	maxShapeWeight = 512
)

// ShapeReport describes how the kernel's accesses follow the axes of the grid.
func (p *Pipeline) ShapeReport() extension.ShapeReport {
	f := p.Code.Func()
	r := extension.ShapeReport{Free: shapeFree(f)}
	if r.Free { // else compute chooses without regard to the accesses
		k := affine.Of(f)
		weights := map[*ir.Instr]int{}
		weigh(f.Body, 1, weights)
		for _, a := range k.Accesses {
			if s, ok := shapeAccess(a); ok {
				s.Weight = weights[a.Instr]
				if a.Instr.Op == ir.OpStore { // the line is read, too
					s.Weight *= 2
				}
				r.Accesses = append(r.Accesses, s)
			}
		}
	}
	return r
}

// weigh sets how often instructions are executed.
func weigh(r *ir.Region, weight int, weights map[*ir.Instr]int) {
	for _, in := range r.Instrs {
		weights[in] = weight
		inner := weight
		if in.Op == ir.OpLoop {
			inner = min(weight*loopWeight, maxShapeWeight)
		}
		for _, sub := range in.Regions {
			weigh(sub, inner, weights)
		}
	}
}

// shapeAccess returns an access' strides, false if its addresses are the same for all threads or
// not known.
func shapeAccess(a *affine.Access) (s extension.ShapeAccess, ok bool) {
	if a.Address == nil || a.Space != ir.Device && a.Space != ir.Constant {
		return s, false
	}
	s.Size = a.Size
	for axis := range s.Stride {
		shape := [3]int{1, 1, 1}
		shape[axis] = limits.SimdgroupWidth
		l, known := a.Address.Lanes(shape, 0)
		if !known {
			return s, false
		}
		s.Stride[axis] = stride(&l)
		ok = ok || s.Stride[axis] != 0
	}
	return s, ok
}

// stride returns the distance of neighboring lanes.
func stride(l *affine.Lanes) int {
	if l.Symbolic {
		return extension.FarStride
	}
	d := l.Relative[1] - l.Relative[0]
	for i := 1; i < l.N; i++ {
		if l.Relative[i]-l.Relative[i-1] != d {
			return extension.FarStride
		}
	}
	return int(min(max(d, -d), extension.FarStride))
}

// shapeFree reports whether the results of a kernel without data races do not depend on the shape
// of its threadgroups: it does not ask for what depends on it, its threads share no memory but
// device memory, and what atomic operations leave is the same in any order.
func shapeFree(f *ir.Func) bool {
	for i := range f.Args {
		if k := f.Args[i].Kind; k != ir.ArgBuffer && k != ir.ArgTexture && k != ir.ArgSampler {
			return false
		}
	}
	if len(f.Threadgroup) > 0 {
		return false
	}
	used := map[*ir.Value]bool{}
	f.Body.Walk(func(in *ir.Instr) bool {
		for _, v := range in.Args {
			used[v] = true
		}
		return true
	})
	free := true
	f.Body.Walk(func(in *ir.Instr) bool {
		free = free && shapeFreeInstr(in, used)
		return free
	})
	return free
}

func shapeFreeInstr(in *ir.Instr, used map[*ir.Value]bool) bool {
	switch in.Op.Group() {
	case ir.BarrierOps, ir.SimdOps, ir.QuadOps, ir.MatrixOps, ir.CommandOps, ir.LogOps, ir.NoGroup:
		return false
	}
	switch in.Op {
	case ir.OpIn:
		switch ir.Input(in.Imm) {
		case ir.ThreadPositionInGrid, ir.ThreadsPerGrid, ir.GridOrigin, ir.GridSize, ir.ThreadsPerSimdgroup,
			ir.ThreadExecutionWidth:
			return true
		}
		return !used[in.Results[0]]
	case ir.OpAtomicAdd, ir.OpAtomicSub, ir.OpAtomicSMin, ir.OpAtomicUMin, ir.OpAtomicSMax, ir.OpAtomicUMax,
		ir.OpAtomicAnd, ir.OpAtomicOr, ir.OpAtomicXor:
		return !used[in.Results[0]]
	case ir.OpTexAtomic, ir.OpTexAtomicCmpXchg, ir.OpTexFence:
		return false
	}
	return in.Op.Group() != ir.AtomicOps
}
