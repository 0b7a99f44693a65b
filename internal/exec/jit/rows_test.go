package jit

import (
	"encoding/binary"
	"fmt"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

const rowKernels = `
// A threadgroup finds its memory cleared: it adds to what it finds, and leaves something behind.
kernel void rows(device uint *out [[buffer(0)]], constant uint &scale [[buffer(1)]],
                 threadgroup uint *arg [[threadgroup(0)]],
                 uint3 group [[threadgroup_position_in_grid]], uint3 size [[threads_per_threadgroup]],
                 uint3 grid [[threads_per_grid]], uint3 i [[thread_position_in_grid]],
                 uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint own[259];
  own[t] += t * scale;
  arg[t] += own[t] + 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i.x + grid.x * (i.y + grid.y * i.z)] = own[(t + 3) % 259] + arg[(t + 1) % 257] + 100000 * group.x +
    7 * group.y + size.x;
}

// A thread finds its memory cleared, which it leaves changed.
kernel void privates(device uint *out [[buffer(0)]], constant uint &scale [[buffer(1)]],
                     threadgroup uint *arg [[threadgroup(0)]], uint3 grid [[threads_per_grid]],
                     uint3 i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  uint a[12];
  ushort b[5];
  uint at = i.x + grid.x * (i.y + grid.y * i.z);
  for (uint k = 0; k < at % 7; k++) {
    a[(at * scale + k) % 12] += at + k;
    b[(at + k * scale) % 5] += at;
  }
  uint sum = 0;
  for (uint k = 0; k < 12; k++) sum += a[k] * (k + 1);
  for (uint k = 0; k < 5; k++) sum = sum * 3 + b[(k + t) % 5];
  out[at] = sum;
}
// Threadgroup stuck has a loop that never ends; the others mark that they have run.
kernel void stuck(device uint *out [[buffer(0)]], constant uint &stuck [[buffer(1)]],
                  uint2 position [[threadgroup_position_in_grid]], uint2 groups [[threadgroups_per_grid]],
                  uint t [[thread_index_in_threadgroup]]) {
  uint x = t, group = position.y * groups.x + position.x;
  for (uint k = 0; k < (group == stuck ? 4000000000u : group % 7); k++) x = x * 5 + k;
  if (t == 0) out[group] = x | 1;
}
`

// rowLaunch launches a kernel of rowKernels, and returns its buffer.
func rowLaunch(t *testing.T, e *exec.Engine, k *exec.Kernel, grid, group [3]int, number uint32,
	fuel int64) ([]byte, error) {
	out := make([]byte, 4*grid[0]*grid[1]*grid[2])
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	sp.Set(2, exec.Object{Data: words(number)})
	return out, e.Run(t.Context(), k, &exec.Launch{Grid: grid, Group: group, Space: sp, Fuel: fuel,
		Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}, Threadgroup: []int{4 * 257}})
}

// rowKernel compiles a kernel of rowKernels, and checks that it executes rows.
func rowKernel(t *testing.T, name string, group [3]int, o Options) (machine, interpreted *exec.Kernel) {
	interpreted = kernelsOf(t, rowKernels)[name]
	machine = exec.NewKernel(interpreted.Func(), exec.Options{Backend: backend{Machine: o}})
	p, err := compiled(machine, group)
	require.NoError(t, err)
	require.Len(t, p.ranges, 1)
	require.True(t, p.ranges[0].Row)
	return machine, interpreted
}

// TestRows: threadgroups that one call of machine code executes do what each does by itself, at the
// edges of the grid too.
func TestRows(t *testing.T) {
	needMachineCode(t)
	for _, workers := range []int{1, 2} {
		e := exec.NewEngine(workers)
		for _, s := range []struct{ grid, group [3]int }{
			{[3]int{40000, 1, 1}, [3]int{64, 1, 1}}, {[3]int{10001, 1, 1}, [3]int{64, 1, 1}},
			{[3]int{64, 300, 1}, [3]int{64, 2, 1}}, {[3]int{192, 50, 3}, [3]int{64, 2, 1}},
			{[3]int{333, 77, 3}, [3]int{32, 4, 2}}, {[3]int{5, 5, 5}, [3]int{8, 1, 1}},
		} {
			for _, o := range machineCodes(Options{}, Options{Spill: true}, Options{Starve: true},
				Options{Blocks: 2}, Options{Cold: true}) {
				for _, name := range []string{"rows", "privates"} {
					if o.Blocks != 0 && (name == "rows" || s.group[0] < 32) {
						continue // all vectors wait at a barrier, or there is one
					}
					machine, interpreted := rowKernel(t, name, s.group, o)
					want, err := rowLaunch(t, e, interpreted, s.grid, s.group, 3, 0)
					require.NoError(t, err)
					have, err := rowLaunch(t, e, machine, s.grid, s.group, 3, 0)
					require.NoError(t, err)
					require.Equal(t, want, have, "%s, %v, %+v", name, s, o)
				}
			}
		}
	}
}

// TestRowMemory: launches with less and with more threadgroup memory follow each other.
func TestRowMemory(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
kernel void memory(device uint *out [[buffer(0)]], threadgroup uint *arg [[threadgroup(0)]],
                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  arg[t] += i;
  out[i] = arg[t];
}`)["memory"]
	e := exec.NewEngine(1)
	defer e.Close()
	out := make([]byte, 4*16)
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	for _, o := range machineCodes(Options{}) {
		machine := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
		for _, n := range []int{16, 32, 96, 48, 112, 160, 1024, 1040} {
			require.NoError(t, e.Run(t.Context(), machine, &exec.Launch{Grid: [3]int{16}, Group: [3]int{4}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0)}, Threadgroup: []int{n}}))
			for i := range 16 {
				require.EqualValues(t, i, binary.LittleEndian.Uint32(out[4*i:]), "%d bytes, %+v", n, o)
			}
		}
	}
}

// TestRowStops: if a threadgroup in the middle of a row uses up the launch's budget, the error
// names it, and those before it have run.
func TestRowStops(t *testing.T) {
	needMachineCode(t)
	const groups, stuck = 100, 37
	for _, o := range machineCodes(Options{}) {
		machine, _ := rowKernel(t, "stuck", [3]int{64, 1, 1}, o)
		for _, columns := range []int{groups, 10} {
			out, err := rowLaunch(t, exec.NewEngine(1), machine, [3]int{64 * columns, groups / columns, 1}, [3]int{64, 1, 1},
				stuck, 1<<26)
			require.ErrorIs(t, err, exec.ErrFuel)
			require.ErrorContains(t, err, fmt.Sprintf("threadgroup (%d, %d, 0)", stuck%columns, stuck/columns))
			for g := range groups {
				require.Equal(t, g < stuck, binary.LittleEndian.Uint32(out[4*g:]) != 0, "threadgroup %d", g)
			}
		}
	}
}

// TestRowFuel: a row costs as much as its threadgroups do one by one.
func TestRowFuel(t *testing.T) {
	needMachineCode(t)
	e := exec.NewEngine(1)
	machine, _ := rowKernel(t, "rows", [3]int{32, 1, 1}, Options{})
	least := func(grid [3]int) int {
		return sort.Search(1<<22, func(fuel int) bool {
			_, err := rowLaunch(t, e, machine, grid, [3]int{32, 1, 1}, 3, int64(fuel)+1)
			return err == nil
		})
	}
	require.Equal(t, least([3]int{32, 50, 1}), least([3]int{32 * 50, 1, 1}))
}
