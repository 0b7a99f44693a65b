package passes

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// aliased is a kernel that stores a number to a buffer which it also reads through the constant
// space, before and after, in each iteration.
const aliased = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"constant"}
  arg {"kind":"buffer","index":1,"space":"device"}
  arg {"kind":"buffer","index":2,"space":"device"}
  body {
    %0 = arg : ptr.constant
    %1 = arg #1 : ptr.device
    %2 = arg #2 : ptr.device
    %3 = const 0 : i64
    %4 = const 1 : i64
    %5 = const 3 : i64
    %6 = const 77 : i32
    loop ^0 (%7 : i64 = %3) {
      %8 = load %0 : i32
      %9 = offset %2, %7 #4 : ptr.device
      store %9, %8
      store %1, %6
      %10 = add %7, %4 : i64
      %11 = ult %10, %5 : i1
      if %11 {
        continue ^0 %10
      } else {
        break ^0
      }
      unreachable
    }
    return
  }
}
`

// TestConstantSpaceIsReadAtAnyTime: a read through a constant pointer may or may not see what the
// same launch has written, on each engine and with any passes; the next launch sees it.
func TestConstantSpaceIsReadAtAnyTime(t *testing.T) {
	m, err := ir.Parse(aliased)
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	f := m.Funcs[0]
	e := exec.NewEngine(1)
	defer e.Close()
	onVM := func(off opt.Pass) func(memory, out []byte) error {
		k := exec.NewKernel(f, exec.Options{Backend: vm.Backend{}, Off: off})
		return func(memory, out []byte) error {
			space := &exec.Space{}
			space.Set(1, exec.Object{Data: memory})
			space.Set(2, exec.Object{Data: out})
			return e.Run(context.Background(), k, &exec.Launch{Grid: [3]int{1}, Group: [3]int{1}, Fuel: 1 << 20, Space: space,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(1, 0), exec.Address(2, 0)}})
		}
	}
	// On the oracle, too, a buffer bound twice is the same memory.
	engines := map[string]func(memory, out []byte) error{"all passes": onVM(0), "no passes": onVM(opt.All),
		"the oracle": func(memory, out []byte) error {
			return testlaunch.Launch{Grid: [3]int{1}, Group: [3]int{1}, Fuel: 1 << 20,
				Buffers: map[int]testlaunch.Buffer{0: {Data: memory}, 1: {Data: memory}, 2: {Data: out}}}.Run(context.Background(),
				f, ref.Run)
		}}
	for name, run := range engines {
		memory, out := []byte{5, 0, 0, 0}, make([]byte, 12)
		require.NoError(t, run(memory, out), name)
		assert.Equal(t, []byte{77, 0, 0, 0}, memory, name)
		assert.EqualValues(t, 5, binary.LittleEndian.Uint32(out), name)
		for round := 1; round < 3; round++ {
			assert.Contains(t, []uint32{5, 77}, binary.LittleEndian.Uint32(out[4*round:]), "%s, round %d", name, round)
		}
		require.NoError(t, run(memory, out), name)
		for round := range 3 {
			assert.EqualValues(t, 77, binary.LittleEndian.Uint32(out[4*round:]), "%s, the next launch, round %d", name, round)
		}
	}
}
