package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// solver is the payload of decompositions and of solutions of linear equations. They take matrices
// of float32 and compute in place, so the source is copied to the result first.
type solver struct {
	Kernel
	order, columns                          int // of the matrix; columns of right sides
	upper, right, transpose, unit, pivoting bool
	alpha                                   float32
}

// solveThreads is how many threads work on a matrix.
const solveThreads = 64

// solveText begins all kernels: one threadgroup for each matrix. A(r, c) is an element of the
// matrix that the kernel factors or solves with, B(r, c) one of the right sides.
const solveText = `#include <metal_stdlib>
using namespace metal;
struct P { int n, m, aOffset, aMatrix, aRow, bOffset, bMatrix, bRow, pivots, pivotMatrix; float alpha; };
`

// factorText factors in place: A = L Lᵀ, whose lower or upper factor is written, or P A = L U, with
// a row's number for each row that it was exchanged with. status is 0, -2 if the matrix is singular
// and -3 if it is not positive definite.
const factorText = `
kernel void cholesky(device float *a [[buffer(0)]], device int *status [[buffer(1)]], constant P &p [[buffer(2)]],
                     uint matrix [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    a += p.aOffset + int(matrix) * p.aMatrix;
    threadgroup int failed;
    if (t == 0) failed = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int j = 0; j < p.n; j++) {
        if (t == 0) {
            float d = A(j, j);
            for (int k = 0; k < j; k++) d = fma(-A(j, k), A(j, k), d);
            if (!(d > 0)) failed = 1;
            A(j, j) = sqrt(d);
        }
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
        for (int i = j + 1 + int(t); i < p.n; i += 64) {
            float s = A(i, j);
            for (int k = 0; k < j; k++) s = fma(-A(i, k), A(j, k), s);
            A(i, j) = s / A(j, j);
        }
        threadgroup_barrier(mem_flags::mem_device);
    }
    if (t == 0) status[matrix] = failed ? -3 : 0;
}

kernel void lu(device float *a [[buffer(0)]], device uint *pivots [[buffer(1)]], device int *status [[buffer(2)]],
               constant P &p [[buffer(3)]], uint matrix [[threadgroup_position_in_grid]],
               uint t [[thread_index_in_threadgroup]]) {
    a += p.aOffset + int(matrix) * p.aMatrix;
    pivots += p.pivots + int(matrix) * p.pivotMatrix;
    threadgroup int pivot, singular;
    if (t == 0) singular = 0;
    int steps = min(p.n, p.m);
    for (int j = 0; j < steps; j++) {
        if (t == 0) {
            int best = j;
            for (int i = j + 1; i < p.n; i++) if (fabs(A(i, j)) > fabs(A(best, j))) best = i;
            pivot = best;
            pivots[j] = uint(best);
            if (A(best, j) == 0) singular = 1;
        }
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
        if (pivot != j)
            for (int c = int(t); c < p.m; c += 64) { float v = A(j, c); A(j, c) = A(pivot, c); A(pivot, c) = v; }
        threadgroup_barrier(mem_flags::mem_device);
        for (int i = j + 1 + int(t); i < p.n; i += 64) {
            if (A(j, j) == 0) continue;
            float f = A(i, j) / A(j, j);
            A(i, j) = f;
            for (int c = j + 1; c < p.m; c++) A(i, c) = fma(-f, A(j, c), A(i, c));
        }
        threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    }
    if (t == 0) status[matrix] = singular ? -2 : 0;
}
`

// solveKernels solve A X = alpha B in place of B, each thread some columns. forward solves with the
// lower part of A, backward with the upper one.
const solveKernels = `
static void forward(device const float *a, device float *b, constant P &p, int c, bool unit) {
    for (int i = 0; i < p.n; i++) {
        float s = B(i, c);
        for (int k = 0; k < i; k++) s = fma(-A(i, k), B(k, c), s);
        B(i, c) = unit ? s : s / A(i, i);
    }
}
static void backward(device const float *a, device float *b, constant P &p, int c, bool unit) {
    for (int i = p.n - 1; i >= 0; i--) {
        float s = B(i, c);
        for (int k = i + 1; k < p.n; k++) s = fma(-A(i, k), B(k, c), s);
        B(i, c) = unit ? s : s / A(i, i);
    }
}
#define AT_START a += p.aOffset + int(matrix) * p.aMatrix; b += p.bOffset + int(matrix) * p.bMatrix
kernel void triangular(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], constant P &p [[buffer(2)]],
                       uint matrix [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    AT_START;
    for (int c = int(t); c < p.m; c += 64) {
        for (int i = 0; i < p.n; i++) B(i, c) = p.alpha * B(i, c);
        if (UPPER) backward(a, b, p, c, UNIT); else forward(a, b, p, c, UNIT);
    }
}
`

// choleskyKernel solves L Lᵀ X = B, and luKernel L U X = P B.
const choleskyKernel = `
kernel void solve(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], constant P &p [[buffer(2)]],
                  uint matrix [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    AT_START;
    for (int c = int(t); c < p.m; c += 64) {
        forward(a, b, p, c, false);
        for (int i = p.n - 1; i >= 0; i--) {
            float s = B(i, c);
            for (int k = i + 1; k < p.n; k++) s = fma(-A(k, i), B(k, c), s);
            B(i, c) = s / A(i, i);
        }
    }
}
`

const luKernel = `
kernel void solve(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
                  device const uint *pivots [[buffer(2)]], constant P &p [[buffer(3)]],
                  uint matrix [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    AT_START;
    pivots += p.pivots + int(matrix) * p.pivotMatrix;
    for (int c = int(t); c < p.m; c += 64) {
        if (!TRANSPOSED) {
            for (int i = 0; i < p.n; i++) { int r = int(pivots[i]); float v = B(i, c); B(i, c) = B(r, c); B(r, c) = v; }
            forward(a, b, p, c, true);
            backward(a, b, p, c, false);
        } else {
            for (int i = 0; i < p.n; i++) {
                float s = B(i, c);
                for (int k = 0; k < i; k++) s = fma(-A(k, i), B(k, c), s);
                B(i, c) = s / A(i, i);
            }
            for (int i = p.n - 1; i >= 0; i--) {
                float s = B(i, c);
                for (int k = i + 1; k < p.n; k++) s = fma(-A(k, i), B(k, c), s);
                B(i, c) = s;
            }
            for (int i = p.n - 1; i >= 0; i--) { int r = int(pivots[i]); float v = B(i, c); B(i, c) = B(r, c); B(r,
	c) = v; }
        }
    }
}
`

// element defines how a matrix is read: transposed, or as it is.
func element(name, array, row string, transposed bool) string {
	if transposed {
		return fmt.Sprintf("#define %s(r, c) %s[(c) * p.%s + (r)]\n", name, array, row)
	}
	return fmt.Sprintf("#define %s(r, c) %s[(r) * p.%s + (c)]\n", name, array, row)
}

func flag(name string, on bool) string {
	if on {
		return "#define " + name + " true\n"
	}
	return "#define " + name + " false\n"
}

// arguments are the structure P: n and m are the sizes, a and b the matrices and pivots a vector
// for each matrix, each of which may be nil.
func (s *solver) arguments(n, m int, a, b, pivots *tensorop.Operand) tensorop.Words {
	var w tensorop.Words
	w.Int(n, m)
	for _, o := range []*tensorop.Operand{a, b} {
		if o == nil {
			w.Int(0, 0, 0)
		} else {
			w.Int(o.Offset, o.Strides[0], o.Strides[1])
		}
	}
	if pivots == nil {
		w.Int(0, 0)
	} else {
		w.Int(pivots.Offset, pivots.Strides[0])
	}
	w.Float(s.alpha)
	return w
}

// grid is one threadgroup for each matrix.
func grid(matrices int) (threads, group [3]int) {
	return [3]int{matrices * solveThreads, 1, 1}, [3]int{solveThreads, 1, 1}
}

// statusArray returns the buffer for the statuses, one of its own if the argument is nil.
func (s *solver) statusArray(c *objcsoft.Call, arg, matrices int) (*NDArray, func(), error) {
	v := tensorop.Dense(tensorop.Int32, matrices)
	if id := c.ID(arg); id != 0 {
		a, err := wrapNDArray(s.Device, mtl.BufferFrom(objc.ID(id)), 0, v)
		return a, func() { a.Buffer.Release(); a.Device.Release() }, err
	}
	a, err := newNDArray(s.Device, v)
	return a, func() { a.Buffer.Release(); a.Device.Release() }, err
}

// floats returns an error for a matrix of other elements.
func floats(list ...*Matrix) error {
	for _, m := range list {
		if m.Type != tensorop.Float32 {
			return fmt.Errorf("a matrix of %v; the operation takes float32", m.Type)
		}
	}
	return nil
}

func (s *solver) encodeCholesky(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	source, ok1 := matrixArg(c, 1)
	result, ok2 := matrixArg(c, 2)
	if !ok || !ok1 || !ok2 {
		return
	}
	start, count := s.batch(result)
	err := floats(source, result)
	var from, to, status *NDArray
	if err == nil {
		from, err = source.window("the source", s.origin("sourceMatrixOrigin"), start, count, s.order, s.order)
	}
	if err == nil {
		to, err = result.window("the result", s.origin("resultMatrixOrigin"), start, count, s.order, s.order)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	status, done, err := s.statusArray(c, 3, count)
	if err != nil {
		c.Fail(err)
		return
	}
	defer done()
	text := solveText + element("A", "a", "aRow", s.upper) + factorText
	Encode(c, s.Device, cb, []*NDArray{from}, []*NDArray{to, status}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		if !source.same(result) {
			b.Copy(out[0], in[0])
		}
		threads, group := grid(count)
		b.Launch(text, "cholesky", threads, group, []tensorop.Operand{out[0], out[1]},
			s.arguments(s.order, s.order, &out[0], nil, nil))
	})
}

func (s *solver) encodeLU(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	source, ok1 := matrixArg(c, 1)
	result, ok2 := matrixArg(c, 2)
	pivots, ok3 := matrixArg(c, 3)
	if !ok || !ok1 || !ok2 || !ok3 {
		return
	}
	start, count := s.batch(result)
	err := floats(source, result)
	if err == nil && pivots.Type != tensorop.Uint32 {
		err = fmt.Errorf("pivots of %v; they are uint32", pivots.Type)
	}
	var from, to, order *NDArray
	if err == nil {
		from, err = source.window("the source", s.origin("sourceMatrixOrigin"), start, count, s.order, s.columns)
	}
	if err == nil {
		to, err = result.window("the result", s.origin("resultMatrixOrigin"), start, count, s.order, s.columns)
	}
	if err == nil {
		order, err = pivots.window("the pivots", origin{}, start, count, 1, min(s.order, s.columns))
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	status, done, err := s.statusArray(c, 4, count)
	if err != nil {
		c.Fail(err)
		return
	}
	defer done()
	text := solveText + element("A", "a", "aRow", false) + factorText
	Encode(c, s.Device, cb, []*NDArray{from}, []*NDArray{to, order, status},
		func(b *tensorop.Builder, in, out []tensorop.Operand) {
			if !source.same(result) {
				b.Copy(out[0], in[0])
			}
			threads, group := grid(count)
			b.Launch(text, "lu", threads, group, out, s.arguments(s.order, s.columns, &out[0], nil, &out[1]))
		})
}

// same tells whether two matrices are the same memory.
func (m *Matrix) same(o *Matrix) bool {
	return m.Buffer.ID() == o.Buffer.ID() && m.Offset == o.Offset && m.rowBytes == o.rowBytes
}

// encodeSolve encodes X for A X = B, or for X A = B: the right sides are copied to the solution,
// where the kernel solves in place. The arguments are the matrix, the right sides, pivots for an LU
// decomposition, and the solution.
func (s *solver) encodeSolve(c *objcsoft.Call, kernel, text string) {
	cb, ok := CommandBufferArg(c, 0)
	matrix, ok1 := matrixArg(c, 1)
	sides, ok2 := matrixArg(c, 2)
	last := 3
	var pivots *Matrix
	ok3 := true
	if s.pivoting {
		last = 4
		pivots, ok3 = matrixArg(c, 3)
	}
	solution, ok4 := matrixArg(c, last)
	if !ok || !ok1 || !ok2 || !ok3 || !ok4 {
		return
	}
	start, count := s.batch(solution)
	rows, columns := s.order, s.columns
	if s.right {
		rows, columns = columns, rows
	}
	err := floats(matrix, sides, solution)
	var a, from, to *NDArray
	inputs := []*NDArray{}
	if err == nil {
		a, err = matrix.window("the matrix", s.origin("primarySourceMatrixOrigin"), start, count, s.order, s.order)
		inputs = append(inputs, a)
	}
	if err == nil {
		from, err = sides.window("the right sides", s.origin("secondarySourceMatrixOrigin"), start, count, rows,
			columns)
		inputs = append(inputs, from)
	}
	if err == nil {
		to, err = solution.window("the solution", s.origin("resultMatrixOrigin"), start, count, rows, columns)
	}
	if err == nil && pivots != nil {
		var order *NDArray
		order, err = pivots.window("the pivots", origin{}, start, count, 1, s.order)
		inputs = append(inputs, order)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	Encode(c, s.Device, cb, inputs, []*NDArray{to}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		if !sides.same(solution) {
			b.Copy(out[0], in[1])
		}
		operands := []tensorop.Operand{in[0], out[0]}
		var order *tensorop.Operand
		if pivots != nil {
			order = &in[2]
			operands = append(operands, in[2])
		}
		threads, group := grid(count)
		b.Launch(text, kernel, threads, group, operands, s.arguments(s.order, s.columns, &in[0], &out[0], order))
	})
}

// encodeTriangular solves op(A) X = alpha B, or X op(A) = alpha B, which is op(A)ᵀ Xᵀ = alpha Bᵀ.
func (s *solver) encodeTriangular(c *objcsoft.Call) {
	turned := s.transpose != s.right
	s.encodeSolve(c, "triangular", solveText+element("A", "a", "aRow", turned)+element("B", "b", "bRow", s.right)+
		flag("UPPER", s.upper != turned)+flag("UNIT", s.unit)+solveKernels)
}

func (s *solver) encodeSolveCholesky(c *objcsoft.Call) {
	s.encodeSolve(c, "solve", solveText+element("A", "a", "aRow", s.upper)+element("B", "b", "bRow", false)+
		flag("UPPER", false)+flag("UNIT", false)+solveKernels+choleskyKernel)
}

func (s *solver) encodeSolveLU(c *objcsoft.Call) {
	s.encodeSolve(c, "solve", solveText+element("A", "a", "aRow", false)+element("B", "b", "bRow", false)+
		flag("UPPER", false)+flag("UNIT", false)+flag("TRANSPOSED", s.transpose)+solveKernels+luKernel)
}

func solveClasses() []adapter.Class {
	u := func(c *objcsoft.Call, i int) int { return int(c.Uint(i)) }
	made := func(read func(c *objcsoft.Call) *solver) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			s := read(c)
			if s.order < 1 || s.columns < 1 {
				adapter.Misuse(c, "a matrix of order %d with %d columns; both must be at least 1", s.order, s.columns)
				return
			}
			initKernel(c, s)
		}
	}
	kernel := func(name, super, init, encode string, read func(c *objcsoft.Call) *solver,
		run func(s *solver, c *objcsoft.Call)) adapter.Class {
		return adapter.Class{Name: name, Super: super, Methods: adapter.Methods{init: made(read),
			encode: adapter.Method(run)}}
	}
	const unary, binary = "MPSMatrixUnaryKernel", "MPSMatrixBinaryKernel"
	return []adapter.Class{
		kernel("MPSMatrixDecompositionCholesky", unary, "initWithDevice:lower:order:",
			"encodeToCommandBuffer:sourceMatrix:resultMatrix:status:", func(c *objcsoft.Call) *solver {
				return &solver{upper: !c.Bool(1), order: u(c, 2), columns: u(c, 2)}
			}, (*solver).encodeCholesky),
		kernel("MPSMatrixDecompositionLU", unary, "initWithDevice:rows:columns:",
			"encodeToCommandBuffer:sourceMatrix:resultMatrix:pivotIndices:status:", func(c *objcsoft.Call) *solver {
				return &solver{order: u(c, 1), columns: u(c, 2)}
			}, (*solver).encodeLU),
		kernel("MPSMatrixSolveTriangular", binary,
			"initWithDevice:right:upper:transpose:unit:order:numberOfRightHandSides:alpha:",
			"encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:solutionMatrix:", func(c *objcsoft.Call) *solver {
				return &solver{right: c.Bool(1), upper: c.Bool(2), transpose: c.Bool(3), unit: c.Bool(4), order: u(c,
					5),
					columns: u(c, 6), alpha: float32(c.F64(7))}
			}, (*solver).encodeTriangular),
		kernel("MPSMatrixSolveCholesky", binary, "initWithDevice:upper:order:numberOfRightHandSides:",
			"encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:solutionMatrix:", func(c *objcsoft.Call) *solver {
				return &solver{upper: c.Bool(1), order: u(c, 2), columns: u(c, 3)}
			}, (*solver).encodeSolveCholesky),
		kernel("MPSMatrixSolveLU", binary, "initWithDevice:transpose:order:numberOfRightHandSides:",
			"encodeToCommandBuffer:sourceMatrix:rightHandSideMatrix:pivotIndices:solutionMatrix:",
			func(c *objcsoft.Call) *solver {
				return &solver{transpose: c.Bool(1), order: u(c, 2), columns: u(c, 3), pivoting: true}
			}, (*solver).encodeSolveLU),
	}
}
