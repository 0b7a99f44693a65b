package native_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/native"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// counting counts the launches computed by a native body.
type counting struct {
	exec.Native
	n atomic.Int64
}

func (c *counting) Prepare(l *exec.Launch, g *exec.Geometry) *exec.NativeLaunch {
	n := c.Native.Prepare(l, g)
	if n != nil {
		c.n.Add(1)
	}
	return n
}

func compile(t testing.TB, source string) *ir.Func {
	mod, diags := msl.Compile(context.Background(), msl.Source{Text: source}, msl.Options{NoWarnings: true, Math: "safe"})
	require.Empty(t, diags)
	require.NoError(t, mod.IR.Verify())
	return mod.IR.Funcs[0]
}

// both runs a launch with the kernel's own code and with its native body. It returns whether the
// native body computed it. Memory and errors must be equal.
func both(t *testing.T, workers int, f *ir.Func, l *testlaunch.Launch) (body bool) {
	t.Helper()
	e := exec.NewEngine(workers)
	defer e.Close()
	ran := func(l *testlaunch.Launch, n exec.Native) error {
		x, err := l.Exec()
		require.NoError(t, err)
		return e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}, Native: n}), x)
	}
	var with exec.Native
	c := &counting{Native: native.For(f)}
	if c.Native != nil {
		with = c
	}
	own, other := l.Clone(), l.Clone()
	err := ran(own, nil)
	require.Equal(t, err, ran(other, with))
	if err == nil {
		for slot := range own.Buffers {
			require.True(t, bytes.Equal(own.Buffers[slot].Data, other.Buffers[slot].Data), "buffer %d", slot)
		}
	}
	return c.n.Load() > 0
}

// launchOf returns a plan's launch over the memory of its inputs and output.
func launchOf(p *tensorop.Plan, memory ...[]byte) *testlaunch.Launch {
	s := &p.Steps[0]
	l := &testlaunch.Launch{Grid: s.Threads, Group: s.Group, Buffers: map[int]testlaunch.Buffer{}}
	for i, n := range s.Buffers {
		l.Buffers[i] = testlaunch.Buffer{Data: memory[n]}
	}
	l.Buffers[len(s.Buffers)] = testlaunch.Buffer{Data: s.Arguments}
	return l
}

// elements returns n elements, including infinities, NaNs, denormals and zeros of both signs.
func elements(rng *rand.Rand, t tensorop.Type, n int) []byte {
	data := make([]byte, n*t.Size())
	special := []uint32{0, 1 << 31, 1, 0x80010001, 0x7f800000, 0xff800000, 0xffc12345, 0x00800000, 0x7f7fffff}
	for i := range n {
		b := math.Float32bits(float32(rng.NormFloat64()))
		if rng.IntN(200) == 0 {
			b = special[rng.IntN(len(special))]
		}
		switch to := data[i*t.Size():]; t {
		case tensorop.Float32:
			binary.LittleEndian.PutUint32(to, b)
		case tensorop.BFloat16:
			binary.LittleEndian.PutUint16(to, uint16(b>>16))
		case tensorop.Float16: // all finite halves, and few of the others
			h := uint16(rng.Uint32())
			if h&0x7c00 == 0x7c00 && rng.IntN(20) > 0 {
				h &^= 0x4000
			}
			binary.LittleEndian.PutUint16(to, h)
		default:
			for k := range t.Size() {
				to[k] = byte(rng.Uint32())
			}
		}
	}
	return data
}

// view returns a view of a shape, with gaps and a permutation of dimensions and, if repeated is
// set, strides of 0.
func view(rng *rand.Rand, t tensorop.Type, repeated bool, shape ...int) tensorop.View {
	v := tensorop.View{Type: t, Shape: shape, Strides: make([]int, len(shape)), Offset: rng.IntN(5)}
	order := rng.Perm(len(shape))
	if rng.IntN(2) == 0 {
		slices.Sort(order)
		slices.Reverse(order)
	}
	stride := 1 + rng.IntN(2)*rng.IntN(3)
	for _, d := range order {
		if repeated && rng.IntN(6) == 0 {
			continue
		}
		v.Strides[d] = stride
		stride = max(1, shape[d]*stride+rng.IntN(2)*rng.IntN(5))
	}
	return v
}

var pairs = [][2]tensorop.Type{{tensorop.Float32, tensorop.Float32}, {tensorop.Float16, tensorop.Float16},
	{tensorop.BFloat16, tensorop.BFloat16}, {tensorop.Int8, tensorop.Int32}, {tensorop.Int8, tensorop.Float32},
	{tensorop.Int8, tensorop.Int8}, {tensorop.Int32, tensorop.Int32}, {tensorop.Uint64, tensorop.Uint64}}

// TestMatmulBits: the kernel of package tensorop and its native body give the same bits, for all
// types, shapes, strides, transposes, alpha, beta and batches.
func TestMatmulBits(t *testing.T) {
	for _, pair := range pairs {
		t.Run(fmt.Sprint(pair), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			bodies, cases := 0, 40
			if pair[0] == pair[1] && pair[0].Integer() {
				cases = 4 // the native body does not support these
			}
			for range cases {
				in, out := pair[0], pair[1]
				m, n, k := 1+rng.IntN(70), 1+rng.IntN(70), rng.IntN(40)
				switch rng.IntN(8) {
				case 0:
					m, n, k = 1+rng.IntN(5), 1+rng.IntN(70), 250+rng.IntN(300)
				case 1:
					m, n = 65+rng.IntN(70), 65+rng.IntN(70)
				}
				var batch, x, y []int
				for range rng.IntN(4) {
					b := 1 + rng.IntN(3)
					batch = append(batch, b)
					x, y = append(x, []int{b, b, 1}[rng.IntN(3)]), append(y, []int{b, b, 1}[rng.IntN(3)])
					if x[len(x)-1] < b && y[len(y)-1] < b {
						y[len(y)-1] = b
					}
				}
				ov := view(rng, out, false, append(slices.Clone(batch), m, n)...)
				xv, yv := view(rng, in, true, append(x, m, k)...), view(rng, in, true, append(y, k, n)...)
				alpha, beta := float32(1), float32(rng.IntN(2))
				if out.Float() {
					alpha, beta = float32(rng.IntN(5)-2)/3, float32(rng.IntN(3)-1)/7
				}
				b, ins, outs := tensorop.NewBuilder([]tensorop.View{xv, yv}, []tensorop.View{ov})
				b.MatMul(outs[0], ins[0], ins[1], alpha, beta)
				p, err := b.Plan()
				require.NoError(t, err)
				var memory [][]byte
				for _, v := range []tensorop.View{xv, yv, ov} {
					_, end := v.Span()
					memory = append(memory, elements(rng, v.Type, max(end, 1)))
				}
				if both(t, 2, compile(t, p.Steps[0].Source), launchOf(p, memory...)) {
					bodies++
				}
			}
			if pair[0] == pair[1] && pair[0].Integer() {
				assert.Zero(t, bodies)
			} else {
				assert.Greater(t, bodies, 35)
			}
		})
	}
}

// square returns the plan of a product of square float32 matrices.
func square(t testing.TB, n int) *tensorop.Plan {
	v := tensorop.Dense(tensorop.Float32, n, n)
	b, in, out := tensorop.NewBuilder([]tensorop.View{v, v}, []tensorop.View{v})
	b.MatMul(out[0], in[0], in[1], 1, 0)
	p, err := b.Plan()
	require.NoError(t, err)
	return p
}

// TestMatmulHostile: with any arguments, buffers and grids, the native body and the kernel's own
// code give the same results.
func TestMatmulHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := compile(t, square(t, 20).Steps[0].Source)
	bodies := 0
	for range 300 {
		var memory [3][]byte
		for i := range memory {
			memory[i] = elements(rng, tensorop.Float32, 420)
		}
		l := launchOf(square(t, 20), memory[0], memory[1], memory[2])
		words := l.Buffers[3].Data
		for range rng.IntN(3) {
			at := rng.IntN(72)
			value := []uint32{0, 1, 2, 19, 20, 21, 64, math.MaxUint32, 1 << 31, math.MaxInt32, 1 << 16,
				rng.Uint32()}[rng.IntN(12)]
			switch at {
			case 2: // a kernel would run as long as k demands
				value %= 500
			case 15: // or an endless rank
				value %= 3
			}
			if at >= 16 && at < 30 {
				value = max(1, value) // a division by 0 has an arbitrary result
			}
			binary.LittleEndian.PutUint32(words[4*at:], value)
		}
		slot := rng.IntN(4)
		b := l.Buffers[slot]
		switch rng.IntN(16) {
		case 0:
			b.Data = b.Data[:rng.IntN(len(b.Data))]
		case 1:
			b.ReadOnly = true
		case 2:
			if slot < 3 { // other arguments may demand endless work
				b.Offset = 4 * rng.IntN(len(b.Data)/4)
			}
		case 3:
			l.Grid[rng.IntN(3)] += rng.IntN(50)
		case 4:
			l.Grid[rng.IntN(3)] = rng.IntN(20)
		case 5:
			l.Group = [3]int{8, 8, 1 + rng.IntN(2)}
		case 6:
			b.Offset = rng.IntN(7)
			slot = min(slot, 2)
			b.Data = l.Buffers[slot].Data
		case 7:
			delete(l.Buffers, slot)
			slot = -1
		}
		if slot >= 0 {
			l.Buffers[slot] = b
		}
		if both(t, 1, f, l) { // threadgroups may write the same elements: one worker, hence one order

			bodies++
		}
	}
	assert.Greater(t, bodies, 100)
	assert.Less(t, bodies, 500)
}

// TestMatmulAliased: if the result shares memory with an operand, the kernel's own code runs.
func TestMatmulAliased(t *testing.T) {
	p := square(t, 8)
	f := compile(t, p.Steps[0].Source)
	data := make([]byte, 4*64)
	l, err := launchOf(p, data, make([]byte, 4*64), data).Exec()
	require.NoError(t, err)
	g, err := l.Geometry()
	require.NoError(t, err)
	assert.Nil(t, native.For(f).Prepare(l, &g))
}

// poison is a kernel whose own code writes 7, and whose native body multiplies.
func poison(t testing.TB) *ir.Func {
	source := square(t, 1).Steps[0].Source
	i := strings.Index(source, "threadgroup IN xs")
	require.Positive(t, i)
	return compile(t, source[:i]+"if (p.k > 0) { out[0] = x[0] * y[0] + 7; } }")
}

// launch runs a kernel with its native body and returns the first element of the product of two
// square matrices of ones.
func launch(t testing.TB, stopper exec.Stopper, f *ir.Func, n int, change func(*exec.Launch)) (float32, error) {
	e := exec.NewEngine(2)
	defer e.Close()
	ones := make([]byte, 4*n*n)
	for i := range n * n {
		binary.LittleEndian.PutUint32(ones[4*i:], math.Float32bits(1))
	}
	out := make([]byte, 4*n*n)
	l, err := launchOf(square(t, n), ones, ones, out).Exec()
	require.NoError(t, err)
	if change != nil {
		change(l)
	}
	err = e.Run(stopper, exec.NewKernel(f, exec.Options{Backend: vm.Backend{}, Native: native.For(f)}), l)
	return math.Float32frombits(binary.LittleEndian.Uint32(out)), err
}

// stores counts stores.
type stores struct {
	hook.None
	n atomic.Int64
}

func (s *stores) Store(*hook.Access) { s.n.Add(1) }

// account is a launch's account of working memory.
type account struct {
	limit, taken, most int64
}

func (a *account) TakeScratch(n int64) error {
	if a.taken+n > a.limit {
		return errors.New("no memory")
	}
	a.taken += n
	a.most = max(a.most, a.taken)
	return nil
}

func (a *account) GiveScratch(n int64) { a.taken -= n }

// TestWhichBody: the native body runs unless a hook observes the launch, its budget is too small,
// or there is no working memory.
func TestWhichBody(t *testing.T) {
	f := poison(t)
	got, err := launch(t, context.Background(), f, 5, nil)
	require.NoError(t, err)
	assert.InDelta(t, 5, got, 0)

	s := &stores{}
	got, err = launch(t, context.Background(), f, 5, func(l *exec.Launch) { l.Hook = s })
	require.NoError(t, err)
	assert.InDelta(t, 8, got, 0)
	assert.Positive(t, s.n.Load())

	_, err = launch(t, context.Background(), f, 5, func(l *exec.Launch) { l.Fuel = 124 })
	require.ErrorIs(t, err, exec.ErrFuel)
	got, err = launch(t, context.Background(), f, 5, func(l *exec.Launch) { l.Fuel = 125 })
	require.NoError(t, err)
	assert.InDelta(t, 5, got, 0)

	small, large := &account{limit: 1 << 20}, &account{limit: 1 << 30}
	got, err = launch(t, context.Background(), f, 5, func(l *exec.Launch) { l.Scratch = small })
	require.NoError(t, err)
	assert.InDelta(t, 8, got, 0)
	got, err = launch(t, context.Background(), f, 5, func(l *exec.Launch) { l.Scratch = large })
	require.NoError(t, err)
	assert.InDelta(t, 5, got, 0)
	assert.Positive(t, large.most)
	assert.Zero(t, large.taken+small.taken)
}

// TestOnlyByAttribute: a kernel without the attribute is never replaced, nor is one compiled with
// less exact math.
func TestOnlyByAttribute(t *testing.T) {
	source := square(t, 5).Steps[0].Source
	assert.NotNil(t, native.For(compile(t, source)))
	without := strings.ReplaceAll(source, `[[puremetal::native("matmul")]]`, "")
	require.NotEqual(t, source, without)
	assert.Nil(t, native.For(compile(t, without)))
	mod, diags := msl.Compile(context.Background(), msl.Source{Text: source}, msl.Options{NoWarnings: true, Math: "fast"})
	require.Empty(t, diags)
	assert.Nil(t, native.For(mod.IR.Funcs[0]))
}

// stopAfter stops a launch after some calls of Err.
type stopAfter struct{ left, calls atomic.Int64 }

var errStopped = errors.New("stopped")

func (s *stopAfter) Err() error {
	s.calls.Add(1)
	if s.left.Add(-1) < 0 {
		return errStopped
	}
	return nil
}

// TestStop: a launch stops between tasks and within them, with the stopper's error.
func TestStop(t *testing.T) {
	f := poison(t)
	for after := range int64(12) {
		s := &stopAfter{}
		s.left.Store(after)
		_, err := launch(t, s, f, 1100, nil)
		require.ErrorIs(t, err, errStopped, "after %d calls", after)
		assert.LessOrEqual(t, s.calls.Load(), after+12)
	}
}

func BenchmarkPrepare(b *testing.B) {
	p := square(b, 8)
	f := compile(b, p.Steps[0].Source)
	l, err := launchOf(p, make([]byte, 256), make([]byte, 256), make([]byte, 256)).Exec()
	require.NoError(b, err)
	g, err := l.Geometry()
	require.NoError(b, err)
	n := native.For(f)
	for b.Loop() {
		n.Prepare(l, &g)
	}
}
