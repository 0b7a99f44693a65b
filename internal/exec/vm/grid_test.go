package vm

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

func runGrid(t *testing.T, body string, l *exec.Launch, phases bool) error {
	t.Helper()
	m, err := ir.Parse(body)
	require.NoError(t, err)
	require.NoError(t, m.Funcs[0].Verify())
	e := exec.NewEngine(2)
	defer e.Close()
	return e.Run(context.Background(), exec.NewKernel(m.Funcs[0], exec.Options{Backend: Backend{}, Phases: phases}), l)
}

var thousand, sixtyFour = [3]int{1000}, [3]int{64}

// TestGridBarrierLaunches: what a launch with a grid barrier must be, and what it counts.
func TestGridBarrierLaunches(t *testing.T) {
	for _, phases := range []bool{false, true} {
		t.Run(fmt.Sprintf("phases=%v", phases), func(t *testing.T) { testGridBarrierLaunches(t, phases) })
	}
}

func testGridBarrierLaunches(t *testing.T, phases bool) {
	const two = "kernel \"k\" { body { grid.barrier grid.barrier return } }"
	// Each thread keeps a number.
	const keeps = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device","active":true}
  body {
    %0 = input thread_position_in_grid : i32x3
    %1 = extract %0 : i32
    %2 = arg #0 : ptr.device
    %3 = zext %1 : i64
    %4 = offset %2, %3 #4 : ptr.device
    %5 = load %4 : i32
    grid.barrier
    store %4, %5
    return
  }
}`
	c := &exec.Cooperative{}
	require.NoError(t, runGrid(t, two, &exec.Launch{Grid: thousand, Group: sixtyFour, Cooperative: c}, phases))
	require.Equal(t, int64(3), c.Phases)
	require.Len(t, c.Times, 3)
	require.Positive(t, c.Bytes)

	err := runGrid(t, two, &exec.Launch{Grid: [3]int{64}, Group: [3]int{64}}, phases)
	require.ErrorIs(t, err, exec.ErrLaunch)
	require.ErrorContains(t, err, "launch it with Stream.LaunchCooperative")

	err = runGrid(t, keeps, &exec.Launch{Grid: [3]int{1 << 40}, Group: [3]int{64}, Cooperative: c}, phases)
	require.ErrorIs(t, err, exec.ErrScratch)
	what := "keeping all 17179869184 threadgroups takes "
	if phases {
		what = "keeping all 1099511627776 threads takes "
	}
	require.ErrorContains(t, err, what)
	require.ErrorContains(t, err, "more than 1073741824 in total")

	s := &account{left: 100}
	err = runGrid(t, keeps, &exec.Launch{Grid: thousand, Group: sixtyFour, Cooperative: c, Scratch: s}, phases)
	require.ErrorIs(t, err, exec.ErrScratch)
	require.Equal(t, int64(100), s.left)
	s.left = 1 << 20
	l := &exec.Launch{Grid: thousand, Group: sixtyFour, Cooperative: c, Scratch: s}
	require.NoError(t, runGrid(t, keeps, l, phases))
	require.Equal(t, int64(1<<20), s.left)

	err = runGrid(t, "kernel \"k\" { body { loop ^0 { grid.barrier continue ^0 } unreachable } }",
		&exec.Launch{Grid: thousand, Group: sixtyFour, Cooperative: c, Fuel: 1 << 24}, phases)
	require.ErrorIs(t, err, exec.ErrFuel)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, err := ir.Parse(two)
	require.NoError(t, err)
	e := exec.NewEngine(2)
	defer e.Close()
	require.ErrorIs(t, e.Run(ctx, exec.NewKernel(m.Funcs[0], exec.Options{Backend: Backend{}, Phases: phases}),
		&exec.Launch{Grid: [3]int{64}, Group: [3]int{64}, Cooperative: c}), context.Canceled)
}

// TestGridBarrierKeeps: a threadgroup at a grid barrier keeps its variables, in thread and
// threadgroup memory too, while others use the engine's memory, even if its first threads have
// ended before; and no more than what is used later.
func TestGridBarrierKeeps(t *testing.T) {
	ks := kernelsOf(t, `#include <puremetal/cooperative>
kernel void k(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
              uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint s[1024];
  uint kept = i * 3 + 1, private_[4];
  for (uint j = 0; j < 4; j++) private_[(i + j) % 4] = i * j;
  s[t] = i ^ 5;
  if (t < 300) { out[i] = kept; return; }
  puremetal::this_grid().sync();
  kept += private_[out[i % 1024] % 4] + s[1023 - (1023 - t)];
  puremetal::this_grid().sync();
  out[i] = kept;
}`)
	const n = 4096
	for _, workers := range []int{1, 2} {
		e := exec.NewEngine(workers)
		out, c := make([]byte, 4*n), &exec.Cooperative{}
		for i := range n {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(i*7))
		}
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: out})
		require.NoError(t, e.Run(context.Background(), ks["k"], &exec.Launch{Grid: [3]int{n}, Group: [3]int{1024},
			Space: sp, Buffers: []uint64{exec.Address(1, 0)}, Cooperative: c}))
		for i := range uint32(n) {
			have := binary.LittleEndian.Uint32(out[4*i:])
			if i%1024 < 300 {
				require.Equal(t, i*3+1, have)
				continue
			}
			read := i % 1024 * 7
			j := (read%4 - i) % 4
			require.Equal(t, i*3+1+i*j+(i^5), have, i)
		}
		p, err := ks["k"].Program([3]int{1024, 1, 1})
		require.NoError(t, err)
		require.Less(t, c.Bytes, 4*p.Scratch())
		e.Close()
	}
}

// TestGridBarrierInUnevenFlow: the launch fails, and the error names the place.
func TestGridBarrierInUnevenFlow(t *testing.T) {
	err := runGrid(t, `file "a.metal"
kernel "k" { body { %0 = input threadgroup_position_in_grid : i32x3
%1 = extract %0 : i32
%2 = trunc %1 : i8
%3 = bitcast %2 : i8
%4 = const 0 : i8
%5 = eq %3, %4 : i1
if %5 { grid.barrier @1:7:9
yield } else { yield } return } }`,
		&exec.Launch{Grid: thousand, Group: sixtyFour, Cooperative: &exec.Cooperative{}}, true)
	require.ErrorIs(t, err, exec.ErrGridSync)
	require.ErrorContains(t, err, "a.metal:7:9")
}

// account is a limited amount of memory.
type account struct{ left int64 }

func (a *account) TakeScratch(n int64) error {
	if n > a.left {
		return fmt.Errorf("only %d bytes are left", a.left)
	}
	a.left -= n
	return nil
}

func (a *account) GiveScratch(n int64) { a.left += n }
