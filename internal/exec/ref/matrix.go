package ref

import (
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// place returns the row of a lane's two elements and the column of the first.
func place(lane int) (row, col int) {
	return lane>>2&4 + lane>>1&3, lane>>2&2*2 + lane&1*2
}

// matrix executes an operation on this lane's share of a matrix.
func (t *thread) matrix(in *ir.Instr) {
	row, col := place(t.index % ir.SimdWidth)
	switch in.Op {
	case ir.OpMatFill:
		for i := range 2 {
			t.set(in.Results[0], i, t.get(in.Args[0], 0))
		}
	case ir.OpMatDiag:
		for i := range 2 {
			v := uint64(0)
			if row == col+i {
				v = t.get(in.Args[0], 0)
			}
			t.set(in.Results[0], i, v)
		}
	case ir.OpMatGet, ir.OpMatSet:
		for i := range 2 {
			t.set(in.Results[0], i, t.get(in.Args[0], i))
		}
	case ir.OpMatLoad, ir.OpMatStore:
		args := in.Args
		if in.Op == ir.OpMatStore {
			args = args[1:]
		}
		base, stride, x, y := t.get(args[0], 0), t.get(args[1], 0), t.get(args[2], 0), t.get(args[3], 0)
		space := args[0].Type.Space
		for i := range 2 {
			r, c := uint64(row), uint64(col+i)
			if in.Flags&ir.Transposed != 0 {
				r, c = c, r
			}
			if in.Op == ir.OpMatLoad {
				k := in.Results[0].Type.Elem
				at := moved(base, ((y+r)*stride+x+c)*uint64(k.Size()))
				t.set(in.Results[0], i, t.load(in, k, space, at))
			} else {
				k := in.Args[0].Type.Elem
				at := moved(base, ((y+r)*stride+x+c)*uint64(k.Size()))
				t.store(in, k, space, at, t.get(in.Args[0], i))
			}
		}
	}
}

// multiply executes a product of simdgroup matrices.
func multiply(in *ir.Instr, active *[ir.SimdWidth]*thread) {
	var m [3][8][8]float64
	for arg, v := range in.Args {
		for lane, t := range active {
			row, col := place(lane)
			for i := range 2 {
				if t != nil {
					m[arg][row][col+i] = ir.BitsFloat(v.Type.Elem, t.get(v, i))
				}
			}
		}
	}
	to := in.Results[0].Type.Elem
	for lane, t := range active {
		if t == nil {
			continue
		}
		row, col := place(lane)
		for i := range 2 {
			sum := m[2][row][col+i]
			for k := range 8 {
				product := float32(m[0][row][k] * m[1][k][col+i])
				sum = float64(float32(sum + float64(product)))
			}
			t.set(in.Results[0], i, num.Round(to, sum))
		}
	}
}
