package split_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/ir/split"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/sanitizer"
)

// places are kernels with barriers at the places that need care. Buffer 0 has a number for each of
// 12 threads, in threadgroups of 5; %5 is the address of the thread's number, %6 its value at the
// start, %2 the thread.
var places = []struct {
	name, body string
	phases     int
	bytes      int64 // kept for each thread
	grid       int64 // kept once
}{
	{"a value that only the part of a loop before the barrier uses", `
    %20 = loop ^0 (%21 : i32 = %7) : i32 {
      %22 = load %5 : i32
      %23 = add %22, %6 : i32
      store %5, %23
      grid.barrier
      %24 = add %21, %8 : i32
      %25 = eq %24, %9 : i1
      if %25 { break ^0 %24 } else { yield }
      continue ^0 %24
    }
    return`, 2, 4, 4},
	{"a loop in a loop, with barriers in both", `
    loop ^0 (%21 : i32 = %7, %22 : i32 = %6) {
      grid.barrier
      %30 = loop ^1 (%31 : i32 = %7, %32 : i32 = %22) : i32 {
        %33 = mul %32, %9 : i32
        grid.barrier
        %34 = add %31, %8 : i32
        %35 = eq %34, %9 : i1
        if %35 { break ^1 %33 } else { yield }
        continue ^1 %34, %33
      }
      %24 = add %21, %8 : i32
      store %5, %30
      %25 = eq %24, %9 : i1
      if %25 { break ^0 } else { yield }
      continue ^0 %24, %30
    }
    return`, 3, 4, 8},
	{"a block that some threads leave behind the barrier", `
    block ^0 {
      grid.barrier
      %20 = ult %2, %9 : i1
      if %20 { break ^0 } else { yield }
      %21 = add %6, %6 : i32
      store %5, %21
      yield
    }
    %22 = simd.add %2 : i32
    barrier
    grid.barrier
    %23 = load %5 : i32
    %24 = add %22, %23 : i32
    store %5, %24
    return`, 3, 4, 0},
	{"both branches of an if in a loop, and returns", `
    loop ^0 (%21 : i32 = %7) {
      %22 = load %3 : i32
      %23 = and %21, %8 : i32
      %24 = eq %23, %8 : i1
      %28 = if %24 : i32 {
        grid.barrier
        yield %22
      } else {
        %26 = add %22, %6 : i32
        grid.barrier
        grid.barrier
        yield %26
      }
      %29 = load %5 : i32
      %30 = add %29, %28 : i32
      store %5, %30
      %31 = eq %2, %21 : i1
      if %31 { return } else { yield }
      grid.barrier
      %32 = add %21, %8 : i32
      %33 = ult %32, %10 : i1
      if %33 { continue ^0 %32 } else { yield }
      break ^0
    }
    return`, 5, 9, 8},
	{"variables and threadgroup memory", `
    %20 = alloca #8 "private" : ptr.thread
    %21 = shared : ptr.threadgroup
    %22 = input thread_index_in_threadgroup : i32
    %23 = zext %22 : i64
    %24 = offset %21, %23 #4 : ptr.threadgroup
    store %20, %6
    store %24, %6
    %25 = eq %2, %10 : i1
    if %25 { return } else { yield }
    grid.barrier
    %26 = load %20 : i32
    %27 = load %21 : i32
    %28 = add %26, %27 : i32
    store %5, %28
    return`, 2, 17, 0},
	{"a barrier of its own that returned threads miss", `
    %20 = shared : ptr.threadgroup
    %21 = input thread_index_in_threadgroup : i32
    %22 = zext %21 : i64
    %23 = offset %20, %22 #4 : ptr.threadgroup
    store %23, %6
    %24 = eq %2, %9 : i1
    if %24 { return } else { yield }
    grid.barrier
    %25 = load %20 : i32
    barrier mem.threadgroup
    store %23, %2
    grid.barrier
    %26 = load %23 : i32
    %27 = add %25, %26 : i32
    store %5, %27
    return`, 3, 5, 0},
	{"threadgroup memory, and returns in loops", `
    %20 = shared : ptr.threadgroup
    %21 = input thread_index_in_threadgroup : i32
    %22 = zext %21 : i64
    %23 = offset %20, %22 #4 : ptr.threadgroup
    store %23, %6
    loop ^0 (%24 : i32 = %7) {
      loop ^1 (%25 : i32 = %7) {
        %26 = load %23 : i32
        %27 = add %26, %8 : i32
        store %23, %27
        %28 = add %24, %25 : i32
        %29 = eq %28, %2 : i1
        if %29 { return } else { yield }
        grid.barrier
        store %5, %26
        %30 = add %25, %8 : i32
        %31 = ult %9, %30 : i1
        if %31 { break ^1 } else { yield }
        continue ^1 %30
      }
      %32 = add %24, %8 : i32
      %33 = ult %8, %32 : i1
      if %33 { break ^0 } else { yield }
      continue ^0 %32
    }
    %34 = load %23 : i32
    store %5, %34
    return`, 2, 5, 8},
	{"a pointer that moves, and a matrix", `
    %20 = splat %6 : i32x2
    %21 = sitof %20 : f32x2
    %22 = mat.set %21 : mat.f32
    %30, %31 = loop ^0 (%32 : ptr.device = %3, %33 : mat.f32 = %22, %34 : i32 = %7) : ptr.device, mat.f32 {
      %35 = field %32 #4 : ptr.device
      grid.barrier
      %36 = load %35 : i32
      %37 = add %34, %36 : i32
      %38 = ult %10, %37 : i1
      if %38 { break ^0 %35, %33 } else { yield }
      continue ^0 %35, %33, %37
    }
    %39 = mat.get %31 : f32x2
    %40 = extract %39 : f32
    %41 = ftosi %40 : i32
    %42 = load %30 : i32
    %43 = add %41, %42 : i32
    grid.barrier
    store %5, %43
    return`, 3, 12, 12},
}

const placesHead = `kernel "k" {
  arg {"kind":"buffer","index":0}
  threadgroup {"name":"s","size":22,"align":4}
  body {
    %1 = input thread_position_in_grid : i32x3
    %2 = extract %1 : i32
    %3 = arg #0 : ptr.device
    %4 = zext %2 : i64
    %5 = offset %3, %4 #4 : ptr.device
    %6 = load %5 : i32
    %7 = const 0 : i32
    %8 = const 1 : i32
    %9 = const 3 : i32
    %10 = const 7 : i32
`

// TestPlaces: the split kernels, also printed, give the oracle's results, in the expected number of
// phases and bytes. The sanitizer finds nothing: all threads of a threadgroup reach the barriers
// that splitting adds, unless some miss those of the kernel itself.
func TestPlaces(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			m, err := ir.Parse(placesHead + p.body + "\n  }\n}\n")
			require.NoError(t, err)
			f := m.Funcs[0]
			require.NoError(t, f.Verify())
			k, err := split.Split(f)
			require.NoError(t, err)
			require.NoError(t, k.Func.Verify(), k.Func)
			assert.NoError(t, k.Func.VerifyConvergence())
			assert.Equal(t, p.phases, k.Phases)
			assert.Equal(t, p.bytes, k.ThreadBytes, "%+v", k.Slots)
			assert.Equal(t, (16+p.grid+15)&^15, k.ControlBytes, "%+v", k.Slots)
			data := make([]byte, 12*4)
			for i := range 12 {
				binary.LittleEndian.PutUint32(data[4*i:], uint32(i*i+1))
			}
			l := testlaunch.Launch{Grid: [3]int{12, 1, 1}, Group: [3]int{5, 1, 1}, Fuel: 1 << 30,
				Buffers: map[int]testlaunch.Buffer{0: {Data: data}}}
			want := l.Clone()
			require.NoError(t, want.Run(context.Background(), f, ref.Run))
			assert.NotEqual(t, data, want.Buffers[0].Data)
			same := func(f *ir.Func, run runner) {
				have := l.Clone()
				_, err := phases(*have, k, f, run, 100)
				require.NoError(t, err)
				assert.Equal(t, want.Buffers[0].Data, have.Buffers[0].Data, f)
			}
			same(k.Func, ref.Run)
			watch := sanitize.New(sanitizer.All, nil)
			watched := func(ctx context.Context, f *ir.Func, l *exec.Launch) error {
				l.Hook = watch.Launch(l)
				return e.Run(ctx, exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l)
			}
			same(k.Func, watched)
			text, err := mslprint.Kernel(k.Func)
			require.NoError(t, err)
			printed, diags := msl.Compile(context.Background(), msl.Source{Text: text},
				msl.Options{Math: "safe", NoWarnings: true})
			require.Empty(t, diags, text)
			same(printed.IR.Func("k"), watched)
			own := false // returned threads miss a barrier that is there before splitting
			for in := range f.Uniformity().Returned {
				own = own || in.Op == ir.OpBarrier
			}
			for _, x := range watch.Findings() {
				assert.True(t, own && x.Kind == sanitizer.Divergence, "%v\n%s", x, text)
			}
		})
	}
}

// TestRefused: what cannot be split is an error that says why.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ text, message string }{
		{`kernel "k" { body { %0 = input thread_index_in_threadgroup : i32 %1 = const 1 : i32 %2 = eq %0, %1 : i1
			if %2 { grid.barrier yield } else { yield } return } }`, "grid barrier in control flow that may not be the same"},
		{`kernel "k" { arg {"kind":"threadgroup","index":3} body { grid.barrier return } }`,
			"threadgroup memory 3, whose length the host sets"},
	} {
		m, err := ir.Parse(test.text)
		require.NoError(t, err)
		require.NoError(t, m.Funcs[0].Verify())
		_, err = split.Split(m.Funcs[0])
		require.ErrorContains(t, err, test.message)
	}
	m := &ir.Module{}
	f := m.NewFunc("full")
	for i := range 30 {
		f.Args = append(f.Args, ir.Arg{Kind: ir.ArgBuffer, Index: i})
	}
	b := ir.NewBuilder(f)
	b.Barrier(ir.OpGridBarrier, 0, ir.Relaxed)
	b.Return()
	_, err := split.Split(f)
	require.EqualError(t, err, `kernel "full" synchronizes its grid, which takes two more buffers, and uses 30 of 31`)
}
