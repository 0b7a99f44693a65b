package exectest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestConditionChanges: threads that a branch sends to a loop's next iteration with another value
// of the branch's own condition do not take its other side too.
func TestConditionChanges(t *testing.T) {
	const threads = 96
	m, err := ir.Parse(`
kernel "flags" {
  arg {"kind":"buffer","index":0}
  body {
    %0 = const false : i1
    %1 = const 0 : i32
    %2 = const 1 : i32
    %3 = const 100 : i32
    %4 = const 3 : i32
    %5 = const 8 : i32
    %7 = arg : ptr.device
    %8 = input thread_position_in_grid : i32x3
    %9 = extract %8 : i32
    %13, %14 = loop ^0 (%10 : i32 = %1, %11 : i1 = %0, %12 : i32 = %1) : i32, i1 {
      %15 = ult %10, %5 : i1
      if %15 {
        yield
      } else {
        break ^0 %12, %11
      }
      %16 = add %10, %2 : i32
      if %11 {
        %17 = add %12, %3 : i32
        continue ^0 %16, %0, %17
      } else {
        yield
      }
      %18 = add %12, %10 : i32
      %19 = add %9, %10 : i32
      %20 = and %19, %4 : i32
      %21 = eq %20, %1 : i1
      continue ^0 %16, %21, %18
    }
    %22 = zext %9 : i64
    %23 = offset %7, %22 #4 : ptr.device
    store %23, %13
    return
  }
}
`)
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	f := m.Funcs[0]
	want := make([]byte, 4*threads)
	require.NoError(t, testlaunch.Launch{Grid: [3]int{threads, 1, 1}, Group: [3]int{64, 1, 1}, Fuel: 1 << 30,
		Buffers: map[int]testlaunch.Buffer{0: {Data: want}}}.Run(context.Background(), f, ref.Run))
	for _, o := range []exec.Options{{Backend: vm.Backend{}}, {Backend: vm.Backend{Machine: jit.Options{}}},
		{Backend: vm.Backend{Machine: jit.Options{AVX2: true}}}} {
		have, sp := make([]byte, 4*threads), &exec.Space{}
		sp.Set(1, exec.Object{Data: have})
		require.NoError(t, exec.NewEngine(1).Run(t.Context(), exec.NewKernel(f, o),
			&exec.Launch{Grid: [3]int{threads, 1, 1}, Group: [3]int{64, 1, 1}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0)}}))
		require.Equal(t, want, have, "%+v", o)
	}
}
