package ref

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestAtomics: each operation, for each width that supports it, in device and threadgroup memory.
func TestAtomics(t *testing.T) {
	tests := []struct {
		op          string
		old, v      int64
		want        int64
		wantSmaller int64 // for i8; 0 means as want
	}{
		{"xchg", 5, 9, 9, 0}, {"add", 100, 100, 200, -56}, {"sub", 1, 2, -1, 0}, {"smin", -1, 1, -1, 0},
		{"umin", -1, 1, 1, 0},
		{"smax", -1, 1, 1, 0}, {"umax", -1, 1, -1, 0}, {"and", 12, 10, 8, 0}, {"or", 12, 10, 14, 0}, {"xor", 12, 10, 6, 0},
	}
	for _, space := range []string{"device", "threadgroup"} {
		for _, k := range []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64} {
			for _, test := range tests {
				t.Run(fmt.Sprintf("%s/%v/%s", space, k, test.op), func(t *testing.T) {
					old, now := runAtomic(t, space, k, test.op, uint64(test.old), uint64(test.v))
					want := test.want
					if k == ir.I8 && test.wantSmaller != 0 {
						want = test.wantSmaller
					}
					mask := ^uint64(0) >> (64 - k.Bits())
					assert.Equal(t, uint64(test.old)&mask, old)
					assert.Equal(t, uint64(want)&mask, now)
				})
			}
		}
		f := func(x float64) uint64 { return ir.FloatBits(ir.F32, x) }
		for op, want := range map[string]float64{"fadd": 3.5, "fsub": -0.5, "fmin": 1.5, "fmax": 2, "xchg": 2} {
			old, now := runAtomic(t, space, ir.F32, op, f(1.5), f(2))
			assert.Equal(t, f(1.5), old, op)
			assert.Equal(t, f(want), now, op)
		}
	}
}

func runAtomic(t *testing.T, space string, k ir.Kind, op string, old, v uint64) (was, now uint64) {
	m := &ir.Module{}
	f := m.NewFunc("atomic")
	f.Args = []ir.Arg{{Kind: ir.ArgBuffer}}
	f.Threadgroup = []ir.Memory{{Size: 16}}
	b := ir.NewBuilder(f)
	typ := ir.Scalar(k)
	out := b.Arg(0, ir.PointerTo(ir.Device))
	at := b.Field(out, 16)
	if space == "threadgroup" {
		at = b.Op(ir.OpSharedAddr)
	}
	b.Store(at, b.Const(typ, old))
	b.Store(out, b.Emit(ir.OpByName("atomic."+op), []ir.Type{typ}, at, b.Const(typ, v)).Result())
	got := b.Atomic(ir.OpAtomicLoad, typ, ir.Acquire, at).Result()
	b.Store(b.Field(out, 8), got)
	b.Return()
	data := make([]byte, 32)
	require.NoError(t, testlaunch.Launch{Buffers: map[int]testlaunch.Buffer{0: {Data: data}}}.Run(context.Background(), f,
		Run), m)
	covered(m)
	return getBits(k, data), getBits(k, data[8:])
}

// TestAtomicsAmongThreads: no count by concurrent threads is lost, and a compare-exchange succeeds
// once.
func TestAtomicsAmongThreads(t *testing.T) {
	m, err := ir.Parse(`
kernel "count" {
  arg {"kind":"buffer","index":0}
  body {
    %0 = arg #0 : ptr.device
    %1 = const 1 : i32
    %2 = atomic.add %0, %1 : i32
    %3 = field %0 #4 : ptr.device
    %4 = const 0 : i32
    %5, %6 = atomic.cmpxchg %3, %4, %1 acq_rel : i32, i1
    if %6 {
      %7 = field %0 #8 : ptr.device
      %8 = atomic.add %7, %1 : i32
      atomic.store %7, %8 release
      yield
    } else {
      yield
    }
    %9 = field %0 #13 : ptr.device
    %10 = atomic.add %9, %1 : i32
    %11 = field %0 #16 : ptr.device
    atomic.store %11, %10
    %12, %13 = atomic.cmpxchg %9, %4, %4 : i32, i1
    %14 = zext %13 : i32
    %15 = atomic.add %11, %14 seq_cst : i32
    return
  }
}`)
	require.NoError(t, err)
	data := make([]byte, 24)
	require.NoError(t, testlaunch.Launch{Grid: [3]int{100}, Group: [3]int{33},
		Buffers: map[int]testlaunch.Buffer{0: {Data: data}}}.Run(context.Background(), m.Funcs[0], Run))
	covered(m)
	for i, want := range []uint64{100, 1, 0, 0, 0, 0} {
		assert.Equal(t, want, getBits(ir.I32, data[4*i:]), "word %d", i)
	}
}
