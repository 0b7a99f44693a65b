package backend

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/tensorop"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errOver = errors.New("over")

func own(t *testing.T) (*Own, *compute.Stream) {
	t.Helper()
	acc := computetest.Open(t)
	s, err := acc.NextStream()
	require.NoError(t, err)
	x := NewOwn(acc, errOver)
	t.Cleanup(x.Close)
	return x, s
}

// product returns the plan of a product of square matrices.
func product(t *testing.T, typ tensorop.Type, n int) *tensorop.Plan {
	t.Helper()
	v := tensorop.Dense(typ, n, n)
	b, in, out := tensorop.NewBuilder([]tensorop.View{v, v}, []tensorop.View{v})
	b.MatMul(out[0], in[0], in[1], 1, 0)
	p, err := b.Plan()
	require.NoError(t, err)
	return p
}

// TestChoose: the kernel with simdgroup matrices runs if the device is to use them, the matrices
// fill its tiles, the elements are floating-point numbers, and its pipeline can be made.
func TestChoose(t *testing.T) {
	x, _ := own(t)
	for _, c := range []struct {
		name          string
		gpu, matrices bool
		typ           tensorop.Type
		n             int
		want          bool
	}{
		{"the software device", false, false, tensorop.Float32, 64, false},
		{"a GPU without", true, false, tensorop.Float32, 64, false},
		{"a GPU with", true, true, tensorop.Float32, 64, true},
		{"halves", true, true, tensorop.Float16, 32, true},
		{"bfloats", true, true, tensorop.BFloat16, 32, true},
		{"small matrices", true, true, tensorop.Float32, 31, false},
		{"integers", true, true, tensorop.Int32, 64, false},
	} {
		x.GPU, x.Matrices = c.gpu, c.matrices
		step, err := x.Choose(t.Context(), &product(t, c.typ, c.n).Steps[0])
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, step.Matrices, c.name)
	}
}

// TestRefused: a device whose compiler refuses a kernel with simdgroup matrices is asked once and
// runs the general one; a canceled call says nothing about the device.
func TestRefused(t *testing.T) {
	x, _ := own(t)
	x.GPU, x.Matrices = true, true
	step := &product(t, tensorop.Float32, 32).Steps[0]
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := x.Choose(ended, step)
	require.Error(t, err)
	require.Empty(t, x.kernels)

	refused := *step.GPU
	refused.Kernel = "none" // no pipeline comes of it
	step.GPU = &refused
	for range 2 {
		got, err := x.Choose(t.Context(), step)
		require.NoError(t, err)
		assert.Same(t, step, got)
	}
	k := x.kernels[kernelKey{refused.Source, refused.Kernel}]
	require.ErrorIs(t, k.unfit, compute.ErrNoKernel)
	misses := x.acc.CacheStats().KernelMisses
	_, err = x.Choose(t.Context(), step)
	require.NoError(t, err)
	assert.Equal(t, misses, x.acc.CacheStats().KernelMisses)
}

// TestFits: a pipeline does not fit if its simdgroups have another size, or if it allows fewer
// threads than the kernel is launched with.
func TestFits(t *testing.T) {
	group := [3]int{32, 4, 1}
	assert.NoError(t, fits(32, 128, group))
	assert.NoError(t, fits(32, 1024, group))
	assert.ErrorContains(t, fits(64, 1024, group), "simdgroups of 64")
	assert.ErrorContains(t, fits(16, 1024, group), "want 32")
	assert.ErrorContains(t, fits(32, 96, group), "at most 96 threads")
}

// TestClose: what is closed runs nothing, and compiles nothing that would leak.
func TestClose(t *testing.T) {
	x, s := own(t)
	b, err := compute.NewZeroed[float32](t.Context(), x.acc, 16, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	buffers := []Buffer{b, b, b}
	p := product(t, tensorop.Float32, 4)
	require.NoError(t, x.Run(t.Context(), s, p, buffers))
	x.Close()
	require.ErrorIs(t, x.Run(t.Context(), s, p, buffers), errOver)
	assert.Empty(t, x.kernels)
}

// lookingContext records whether the kernels are locked while a goroutine waits with this context.
type lookingContext struct {
	context.Context
	mu     *sync.RWMutex
	locked bool
}

func (c *lookingContext) Done() <-chan struct{} {
	if c.mu.TryLock() {
		c.mu.Unlock()
	} else {
		c.locked = true
	}
	return c.Context.Done()
}

// TestCompilesUnlocked: waiting for the compiler does not block others, whose contexts could not
// interrupt them.
func TestCompilesUnlocked(t *testing.T) {
	x, _ := own(t)
	ctx := &lookingContext{Context: t.Context(), mu: &x.mu}
	_, err := x.compile(ctx, &product(t, tensorop.Float32, 4).Steps[0])
	require.NoError(t, err)
	assert.False(t, ctx.locked)
}
