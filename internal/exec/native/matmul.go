package native

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/ir"
)

// matmul computes the kernel matmul of package tensorop: batches of out = alpha*x*y + beta*out, in
// package gemm's order of operations. A threadgroup of 16 by 16 threads computes 64 by 64 elements.
type matmul struct{ out, in gemm.Type }

const (
	matmulRank = 14 // of a batch
	matmulSide = 64
)

// newMatmul returns the body for a kernel's arguments, or nil if package gemm does not support
// their types.
func newMatmul(args []ir.Arg) exec.Native {
	x, y := args[1].Type, args[2].Type
	m := matmul{out: typeOf(args[0].Type), in: typeOf(x)}
	floats := m.in == m.out && m.in != gemm.I8 && m.in != gemm.I32
	integers := m.in == gemm.I8 && (m.out == gemm.I32 || m.out == gemm.F32)
	if x != y || m.in == 0 || m.out == 0 || !floats && !integers {
		return nil
	}
	return m
}

// typeOf returns the element type for a name, or 0 if package gemm does not support it.
func typeOf(name string) gemm.Type {
	switch name {
	case "float":
		return gemm.F32
	case "half":
		return gemm.F16
	case "bfloat":
		return gemm.BF16
	case "char":
		return gemm.I8
	case "int":
		return gemm.I32
	}
	return 0
}

// operand is a matrix per batch, in memory.
type operand struct {
	memory              []byte // starting at the buffer's address
	typ                 gemm.Type
	offset, row, column int
	batch               [matmulRank]int // strides
}

// matmulArgs mirrors the structure P of the kernel matmul.
type matmulArgs struct {
	M, N, K       int32
	View          [3]struct{ Offset, Row, Column int32 } // of out, x and y
	Alpha, Beta   float32
	Batches, Rank int32
	Shape         [matmulRank]int32
	Strides       [3][matmulRank]int32
}

// Prepare implements exec.Native.
func (m matmul) Prepare(l *exec.Launch, g *exec.Geometry) *exec.NativeLaunch {
	if l.Space == nil || len(l.Buffers) < 4 {
		return nil
	}
	var a matmulArgs
	_, err := binary.Decode(l.Space.Bytes(l.Buffers[3]), binary.NativeEndian, &a)
	if err != nil || a.M < 1 || a.N < 1 || a.K < 0 || a.Rank < 0 || a.Rank > matmulRank || !m.covers(&a, g) {
		return nil
	}
	var operands [3]operand
	for i := range operands {
		o := &operands[i]
		o.typ = m.in
		rows, columns := int(a.M), int(a.K)
		switch i {
		case 0:
			o.typ, columns = m.out, int(a.N)
		case 2:
			rows, columns = int(a.K), int(a.N)
		}
		v := a.View[i]
		o.offset, o.row, o.column = int(v.Offset), int(v.Row), int(v.Column)
		if !o.resolve(l, i, rows, columns, &a) {
			return nil
		}
	}
	if overlap(operands[0].memory, operands[1].memory) || overlap(operands[0].memory, operands[2].memory) {
		return nil
	}
	p, outer := product(&a, &operands)
	if p.Check() != nil {
		return nil
	}
	work := float64(a.M) * float64(a.N) * float64(a.K) * float64(a.Batches)
	return &exec.NativeLaunch{Work: int64(min(work, math.MaxInt64/2)), Scratch: gemm.Scratch,
		Run: func(t *exec.Tasks) {
			r := runner(t)
			outer(&p, func() bool { return gemm.Multiply(r, p) == nil && !t.Stopped() })
		}}
}

// covers reports whether the launch computes every element of every product exactly once.
func (m matmul) covers(a *matmulArgs, g *exec.Geometry) bool {
	batches := int64(1)
	for _, n := range a.Shape[:a.Rank] {
		if n < 1 || batches > math.MaxInt32 {
			return false
		}
		batches *= int64(n)
	}
	groups := [3]int{(int(a.N)-1)/matmulSide + 1, (int(a.M)-1)/matmulSide + 1, int(batches)}
	whole := [3]int{groups[0] * 16, groups[1] * 16, groups[2]}
	return batches == int64(a.Batches) && g.Group == [3]int{16, 16, 1} && g.Groups == groups && g.Grid == whole
}

// resolve finds the operand's memory. It returns false if the kernel must handle the access itself.
func (o *operand) resolve(l *exec.Launch, i, rows, columns int, a *matmulArgs) (ok bool) {
	dims := []extent{{rows, o.row}, {columns, o.column}}
	for d, n := range a.Shape[:a.Rank] {
		o.batch[d] = int(a.Strides[i][d])
		dims = append(dims, extent{int(n), o.batch[d]})
	}
	if rows == 0 || columns == 0 { // nothing is read
		return true
	}
	o.memory, ok = find(l, i, o.typ, i == 0, o.offset, dims...)
	return ok
}

// matrix returns the operand's first matrix; d is the batch dimension.
func (o *operand) matrix(rows, columns int32, d int) gemm.Matrix {
	return gemm.Matrix{Data: o.memory, Type: o.typ, Rows: int(rows), Columns: int(columns), RowStride: o.row,
		ColumnStride: o.column, BatchStride: o.batch[d]}
}

// product returns the product over the longest dimension of the batch, and a function that steps
// through the other dimensions, calling f for each until that returns false.
func product(a *matmulArgs, operands *[3]operand) (gemm.Product, func(p *gemm.Product, f func() bool)) {
	long := 0
	for d := range int(a.Rank) {
		if a.Shape[d] > a.Shape[long] {
			long = d
		}
	}
	p := gemm.Product{C: operands[0].matrix(a.M, a.N, long), A: operands[1].matrix(a.M, a.K, long),
		B: operands[2].matrix(a.K, a.N, long), Alpha: a.Alpha, Beta: a.Beta, Batches: 1}
	if a.Rank > 0 {
		p.Batches = int(a.Shape[long])
	}
	return p, func(p *gemm.Product, f func() bool) {
		var index [matmulRank]int
		for {
			for i, m := range []*gemm.Matrix{&p.C, &p.A, &p.B} {
				o, at := &operands[i], 0
				for d, n := range index {
					at += n * o.batch[d]
				}
				m.Data = o.memory[min(at*o.typ.Size(), len(o.memory)):]
			}
			if !f() {
				return
			}
			d := 0
			for ; d < int(a.Rank); d++ {
				if d == long {
					continue
				}
				if index[d]++; index[d] < int(a.Shape[d]) {
					break
				}
				index[d] = 0
			}
			if d == int(a.Rank) {
				return
			}
		}
	}
}

// overlap reports whether two pieces of memory share bytes.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := reflect.ValueOf(a).Pointer(), reflect.ValueOf(b).Pointer()
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}
