package mpsbackend_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/compute/tensor/mpsbackend"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// open returns an engine and a scope with a backend forced, until the test ends. The test fails for
// misuse that a framework reports.
func open(t *testing.T, force string, options ...tensor.Option) (*tensor.Engine, *tensor.Scope) {
	t.Helper()
	if force == mpsbackend.MPSGraph && standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	t.Cleanup(objc.OnFault(func(f *objc.Fault) { t.Error(f) }))
	backends := mpsbackend.With()
	if force != "" {
		backends = mpsbackend.Through()
		options = append(options, tensor.WithBackend(force))
	}
	options = append([]tensor.Option{backends}, options...)
	e, err := tensor.New(computetest.Open(t), options...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close(context.Background())) })
	s := e.Scope(t.Context())
	t.Cleanup(s.Close)
	return e, s
}

// normal returns a tensor of random numbers, which are values of Float16.
func normal(s *tensor.Scope, rng *rand.Rand, typ tensor.Type, shape ...int) *tensor.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = float64(rng.IntN(65)-32) / 16
	}
	return tensor.FromFloat64(s, typ, data, shape...)
}

// last returns the choice for the only operation of a name.
func last(t *testing.T, e *tensor.Engine, op string) tensor.Choice {
	t.Helper()
	all := slices.DeleteFunc(e.Explain(), func(c tensor.Choice) bool { return c.Op != op })
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

// operations are calls with the backends that compute them, by name of the case.
type operation struct {
	name     string
	call     func(s *tensor.Scope, rng *rand.Rand, typ tensor.Type) *tensor.Tensor
	mps      string // why the backend refuses, "" if it does not
	mpsgraph string
}

const (
	vectors = "takes matrices and no vectors"
	dense   = "takes contiguous tensors that begin their memory"
	lines   = "takes matrices with contiguous rows or columns"
	missing = "does not have the operation"
)

func operations() []operation {
	matmul := func(view func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor, a, b []int) func(*tensor.Scope,
		*rand.Rand, tensor.Type) *tensor.Tensor {
		return func(s *tensor.Scope, rng *rand.Rand, typ tensor.Type) *tensor.Tensor {
			return s.MatMul(view(s, normal(s, rng, typ, a...)), view(s, normal(s, rng, typ, b...)))
		}
	}
	same := func(_ *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return x }
	turn := func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.Copy(x.T()).T() }
	window := func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
		n := x.Rank()
		return s.Pad(x, slices.Repeat([]int{2}, n), slices.Repeat([]int{3}, n), tensor.PadConstant, 7).
			Slice(-1, 2, 2+x.Shape()[n-1]).Slice(-2, 2, 2+x.Shape()[n-2])
	}
	conv := func(x, w []int, win tensor.Window, groups int) func(*tensor.Scope, *rand.Rand,
		tensor.Type) *tensor.Tensor {
		return func(s *tensor.Scope, rng *rand.Rand, typ tensor.Type) *tensor.Tensor {
			return s.Conv(normal(s, rng, typ, x...), normal(s, rng, typ, w...), win, groups)
		}
	}
	softmax := func(axis int, log bool, view func(x *tensor.Tensor) *tensor.Tensor, shape ...int) func(*tensor.Scope,
		*rand.Rand, tensor.Type) *tensor.Tensor {
		return func(s *tensor.Scope, rng *rand.Rand, typ tensor.Type) *tensor.Tensor {
			x := view(normal(s, rng, typ, shape...))
			if log {
				return s.LogSoftmax(x, axis)
			}
			return s.Softmax(x, axis)
		}
	}
	whole := func(x *tensor.Tensor) *tensor.Tensor { return x }
	return []operation{
		{"matmul", matmul(same, []int{5, 7}, []int{7, 3}), "", ""},
		{"matmul of transposed matrices", matmul(turn, []int{5, 7}, []int{7, 3}), "", dense},
		{"matmul of parts", matmul(window, []int{5, 7}, []int{7, 3}), "", dense},
		{"matmul of a row and a column", matmul(same, []int{1, 9}, []int{9, 1}), "", ""},
		{"matmul of transposed lines", matmul(turn, []int{1, 9}, []int{9, 1}), "", ""},
		{"matmul of batches", matmul(same, []int{2, 3, 4, 5}, []int{2, 3, 5, 6}), "", ""},
		{"matmul of transposed batches", matmul(turn, []int{3, 4, 5}, []int{3, 5, 6}), "", dense},
		{"matmul of a broadcast batch", matmul(same, []int{3, 4, 5}, []int{5, 6}), "takes batches of equal size", ""},
		{"matmul of vectors", matmul(same, []int{5}, []int{5}), vectors, vectors},
		{"matmul of nothing", matmul(same, []int{0, 5}, []int{5, 2}), "takes no empty tensors",
			"takes no empty tensors"},
		{"matmul with gaps", matmul(func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return x.Step(0, 0, x.Shape()[0], 2).Step(1, 0, x.Shape()[1], 2)
		}, []int{5, 5}, []int{5, 5}), lines, dense},
		{"matmul in reverse", matmul(func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return x.Flip(0) },
			[]int{5, 5}, []int{5, 5}), lines, dense},
		{"softmax", softmax(-1, false, whole, 4, 3, 11), "", ""},
		{"softmax of a vector", softmax(0, false, whole, 11), "", ""},
		{"softmax of another axis", softmax(1, false, whole, 4, 3, 11), "has softmax along the last axis", ""},
		{"softmax of columns", softmax(-1, false, (*tensor.Tensor).T, 4, 3), "takes contiguous rows", dense},
		{"softmax of part of the columns", softmax(-1, false, func(x *tensor.Tensor) *tensor.Tensor {
			return x.Slice(1, 1, 6)
		}, 4, 9), "", dense},
		{"log softmax", softmax(-1, true, whole, 6, 5), "", missing},
		{"conv", conv([]int{2, 3, 9, 8}, []int{4, 3, 3, 2}, tensor.Window{}, 1), missing, ""},
		{"conv with everything", conv([]int{1, 4, 11, 10}, []int{6, 2, 3, 3}, tensor.Window{Strides: []int{2, 1},
			Dilations: []int{1, 2}, Before: []int{1, 0}, After: []int{2, 3}}, 2), missing, ""},
		{"conv of a line", conv([]int{1, 2, 9}, []int{2, 2, 3}, tensor.Window{}, 1), missing,
			"takes convolutions of two spatial dimensions"},
		{"relu", func(s *tensor.Scope, rng *rand.Rand, typ tensor.Type) *tensor.Tensor {
			return s.ReLU(normal(s, rng, typ, 3, 4))
		}, "no other backend has the operation", "no other backend has the operation"},
	}
}

// TestBackends: each backend gives the results of the engine's own kernels, of every operation that
// it has; of the others the engine's own kernels do, and Explain tells why.
func TestBackends(t *testing.T) {
	for _, name := range []string{mpsbackend.MPS, mpsbackend.MPSGraph} {
		t.Run(name, func(t *testing.T) {
			_, own := open(t, tensor.Own)
			for _, o := range operations() {
				e, s := open(t, name)
				for _, typ := range []tensor.Type{tensor.Float32, tensor.Float16} {
					want, err := tensor.ToFloat64(t.Context(), o.call(own, rand.New(rand.NewPCG(15, 9)), typ))
					require.NoError(t, err, o.name)
					y := o.call(s, rand.New(rand.NewPCG(15, 9)), typ)
					// Work before and after it on the same stream.
					y = s.Neg(y)
					got, err := tensor.ToFloat64(t.Context(), y)
					require.NoError(t, err, o.name)
					require.Len(t, got, len(want), o.name)
					bound := 1e-5
					if typ == tensor.Float16 {
						bound = 2e-2
					}
					for i := range want {
						require.InDelta(t, want[i], -got[i], bound*max(1, want[i], -want[i]), "%s of %v, element %d",
							o.name, typ, i)
					}
				}
				refusal := map[string]string{mpsbackend.MPS: o.mps, mpsbackend.MPSGraph: o.mpsgraph}[name]
				op := operationName(o.name)
				c := last(t, e, op)
				if refusal == "" {
					assert.Equal(t, name, c.Backend, o.name)
					assert.Equal(t, "forced by WithBackend", c.Reason, o.name)
				} else {
					assert.Equal(t, tensor.Own, c.Backend, o.name)
					assert.Contains(t, c.Reason, refusal, o.name)
				}
				assert.Positive(t, c.Calls)
				assert.Equal(t, tensor.Float16, c.Type)
				s.Close()
			}
		})
	}
}

// operationName returns the operation of a case.
func operationName(name string) string {
	for _, op := range []string{"matmul", "log softmax", "softmax", "conv", "relu"} {
		if len(name) >= len(op) && name[:len(op)] == op {
			return op
		}
	}
	return name
}

// TestOrder: operations of a chain see each other's results, whichever backend computes them.
func TestOrder(t *testing.T) {
	for _, name := range []string{mpsbackend.MPS, mpsbackend.MPSGraph} {
		t.Run(name, func(t *testing.T) {
			e, s := open(t, name)
			one := []float32{1, 1, 0, 1} // powers count
			x := tensor.Of(s, one, 2, 2)
			y := x
			for range 20 {
				y = s.Add(s.MatMul(y, x), tensor.Scalar(0))
			}
			got, err := tensor.Data[float32](t.Context(), y)
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 21, 0, 1}, got)
			assert.EqualValues(t, 20, last(t, e, "matmul").Calls)
			require.NoError(t, e.Sync(t.Context()))
		})
	}
}

// TestManyGraphs: more shapes than the cache keeps, and some of them again.
func TestManyGraphs(t *testing.T) {
	e, s := open(t, mpsbackend.MPSGraph)
	objects := 0
	for round := range 2 {
		for n := 1; n <= mpsbackend.MaxGraphs+10; n++ {
			inner := e.Scope(t.Context())
			x := inner.Full(tensor.Float32, 2, n, 1)
			got, err := tensor.ToFloat64(t.Context(), inner.MatMul(x, inner.Full(tensor.Float32, 3, 1, 1)))
			require.NoError(t, err)
			require.Equal(t, slices.Repeat([]float64{6}, n), got)
			inner.Close()
		}
		if round == 0 {
			objects = objc.LiveObjects()
		}
	}
	settle.AtMost(t, "live objects; graphs that were replaced are released", objects+10, objc.LiveObjects)
	require.NoError(t, s.Err())
}

// TestChoice: without force, on the software device, own computes all; a variable forces others, an
// option overrides it, and unknown names are refused.
func TestChoice(t *testing.T) {
	e, s := open(t, "")
	rng := rand.New(rand.NewPCG(15, 10))
	s.MatMul(normal(s, rng, tensor.Float32, 4, 4), normal(s, rng, tensor.Float32, 4, 4))
	s.MatMul(normal(s, rng, tensor.Float32, 4), normal(s, rng, tensor.Float32, 4))
	s.Sum(normal(s, rng, tensor.Float32, 4))
	require.NoError(t, s.Err())
	if e.Accelerator().Info().Software {
		assert.Equal(t, tensor.Choice{Op: "matmul", Type: tensor.Float32, Log2: 7, Backend: tensor.Own,
			Reason: "by rule: on the software device all backends run the same kernels", Calls: 1}, last(t, e,
			"matmul"))
		first := e.Explain()[0]
		assert.Equal(t, "matmul of float32, 2^3 operations, 1 calls: own, mps: takes matrices and no vectors; "+
			"mpsgraph: takes matrices and no vectors", first.String())
	}
	assert.Equal(t, "no other backend has the operation", last(t, e, "sum").Reason)

	acc := computetest.Open(t)
	t.Setenv(tensor.BackendVariable, "mps")
	forced, err := tensor.New(acc, mpsbackend.With())
	require.NoError(t, err)
	fs := forced.Scope(t.Context())
	fs.MatMul(fs.Full(tensor.Float32, 1, 2, 2), fs.Full(tensor.Float32, 1, 2, 2))
	require.NoError(t, fs.Err())
	reason := "forced by PUREMETAL_TENSOR_BACKEND"
	if acc.Info().Software {
		reason = "mps, " + reason + ", has the same kernels on the software device"
	}
	assert.Equal(t, reason, last(t, forced, "matmul").Reason)
	fs.Close()
	require.NoError(t, forced.Close(t.Context()))
	_, err = tensor.New(acc)
	require.ErrorIs(t, err, compute.ErrOption)
	assert.ErrorContains(t, err,
		`PUREMETAL_TENSOR_BACKEND: no backend "mps", the program has own; package mpsbackend adds`)
	_, err = tensor.New(acc, mpsbackend.With(), tensor.WithBackend("cuda"))
	assert.ErrorContains(t, err, `WithBackend: no backend "cuda", the program has own, mps, mpsgraph`)
	_, err = tensor.New(acc, mpsbackend.With(), mpsbackend.With())
	assert.ErrorContains(t, err, `the backend "mps" is added twice`)
	t.Setenv(tensor.BackendVariable, "nonsense")
	plain, err := tensor.New(acc, tensor.WithBackend(tensor.Own))
	require.NoError(t, err)
	require.NoError(t, plain.Close(t.Context()))
}

// TestRace uses the backends from several goroutines at a time.
func TestRace(t *testing.T) {
	for _, name := range []string{mpsbackend.MPS, mpsbackend.MPSGraph} {
		t.Run(name, func(t *testing.T) {
			e, _ := open(t, name)
			work := func(g int) error {
				s := e.Scope(t.Context())
				defer s.Close()
				for n := range 5 {
					x := s.Full(tensor.Float32, float64(g), 3+n, 2)
					got, err := tensor.ToFloat64(t.Context(), s.MatMul(x, s.Full(tensor.Float32, 1, 2, 3+n)))
					if err != nil {
						return err
					}
					if got[0] != float64(2*g) {
						return fmt.Errorf("%v, want %d", got[0], 2*g)
					}
				}
				return nil
			}
			failed := make(chan error, 4)
			for g := range cap(failed) {
				go func() { failed <- work(g) }()
			}
			for range cap(failed) {
				assert.NoError(t, <-failed)
			}
		})
	}
}

// TestTiming: operations on each backend have device times, and only calls that ran are counted.
func TestTiming(t *testing.T) {
	for _, name := range []string{mpsbackend.MPS, mpsbackend.MPSGraph} {
		t.Run(name, func(t *testing.T) {
			e, s := open(t, name, tensor.WithTiming(), tensor.WithPeak(tensor.Peak{GFLOPS: 1e6, GBs: 1e6}))
			x := normal(s, rand.New(rand.NewPCG(15, 11)), tensor.Float32, 64, 64)
			for range 3 {
				s.MatMul(x, x)
			}
			require.NoError(t, s.Err())
			require.NoError(t, e.Sync(t.Context()))
			var product tensor.OpStats
			require.Eventually(t, func() bool {
				product = e.Stats()[0]
				return product.Timed == 3
			}, 10*time.Second, time.Millisecond)
			assert.EqualValues(t, 3, product.Calls)
			assert.EqualValues(t, 3*2*64*64*64, product.FLOPs)
			assert.Positive(t, product.Time)
			assert.Positive(t, product.Share())
		})
	}
}

// TestOps: MPS computes large products of package ops that it takes, and gives the same results;
// the software device's kernels need no detour through it.
func TestOps(t *testing.T) {
	t.Cleanup(objc.OnFault(func(f *objc.Fault) { t.Error(f) }))
	acc := computetest.Open(t)
	s, err := acc.NextStream()
	require.NoError(t, err)
	plain, through, direct := ops.New(acc), ops.New(acc, mpsbackend.ThroughForOps()), ops.New(acc, mpsbackend.ForOps())
	rng := rand.New(rand.NewPCG(39, 5))
	array := func(shape ...int) ops.Array[float32] {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(rng.IntN(65)-32) / 16
		}
		b, err := compute.BufferOf(t.Context(), acc, data)
		require.NoError(t, err)
		t.Cleanup(b.Close)
		a, err := ops.Of(b, shape...)
		require.NoError(t, err)
		return a
	}
	own, err := ops.MatMulMethod(t.Context(), plain, array(256, 256), array(256, 128), array(128, 256))
	require.NoError(t, err)
	for _, c := range []struct {
		name      string
		out, a, b ops.Array[float32]
		mps       bool
	}{
		{"large", array(256, 256), array(256, 128), array(128, 256), true},
		{"transposed", array(256, 256), array(128, 256).Transposed(), array(256, 128).Transposed(), true},
		{"a batch", array(2, 256, 64), array(2, 256, 256), array(2, 256, 64), true},
		{"small", array(128, 256), array(128, 128), array(128, 256), false},
		{"one matrix for a batch", array(2, 256, 64), array(256, 256), array(2, 256, 64), false},
	} {
		method, err := ops.MatMulMethod(t.Context(), through, c.out, c.a, c.b)
		require.NoError(t, err)
		assert.Equal(t, c.mps, method == ops.MPS, c.name)
		require.NoError(t, ops.MatMul(t.Context(), plain, s, c.out, c.a, c.b))
		want := make([]float32, c.out.Len())
		require.NoError(t, c.out.Buffer.Download(t.Context(), want))
		require.NoError(t, ops.Map(t.Context(), plain, s, ops.Tanh, c.out, c.out)) // work before and after it
		require.NoError(t, ops.MatMul(t.Context(), through, s, c.out, c.a, c.b))
		require.NoError(t, ops.Add(t.Context(), plain, s, c.out, c.out, c.out))
		got := make([]float32, len(want))
		require.NoError(t, c.out.Buffer.Download(t.Context(), got))
		for i := range want {
			require.InDelta(t, 2*want[i], got[i], 1e-3, "%s, element %d", c.name, i)
		}
		if acc.Info().Software {
			method, err = ops.MatMulMethod(t.Context(), direct, c.out, c.a, c.b)
			require.NoError(t, err)
			assert.Equal(t, own, method)
		}
	}
	out, a, b := array(256, 256), array(256, 128), array(128, 256)
	for _, o := range []*ops.Ops{plain, through, direct} {
		o.Close()
		o.Close()
		require.ErrorIs(t, ops.MatMul(t.Context(), o, s, out, a, b), compute.ErrClosed)
	}
}
