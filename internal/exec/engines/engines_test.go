package engines

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/jit/execmem"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/internal/msl"
)

// TestNamed: the variable chooses the engine, and another text leaves the interpreter.
func TestNamed(t *testing.T) {
	for name, want := range map[string]vm.Backend{"": {Machine: jit.Options{}, Tiered: true},
		"auto": {Machine: jit.Options{}, Tiered: true}, "vm": {}, "ref": {}} {
		b, err := named(name)
		require.Equal(t, want, b)
		require.NoError(t, err)
	}
	b, err := named("fast")
	require.Equal(t, vm.Backend{}, b)
	require.EqualError(t, err, `want auto, jit, jit-avx2, vm or ref, not "fast"`)
	b, err = named("jit")
	require.Equal(t, vm.Backend{Machine: jit.Options{}}, b)
	require.Equal(t, jit.Available(), err)
	b, err = named("jit-avx2")
	require.Equal(t, vm.Backend{Machine: jit.Options{AVX2: true}}, b)
	require.Equal(t, jit.Available(), err)
}

// TestDescribe: the text names the engine, and what keeps a faster one from running.
func TestDescribe(t *testing.T) {
	t.Setenv(Variable, "vm")
	require.Equal(t, "interpreter: PUREMETAL_SOFTWARE_ENGINE=vm", Describe())
	t.Setenv(Variable, "ref")
	require.Contains(t, Describe(), "oracle: ")
	t.Setenv(Variable, "fast")
	require.Equal(t, `interpreter: want auto, jit, jit-avx2, vm or ref, not "fast"`, Describe())
	t.Setenv(Variable, "")
	if err := jit.Available(); err != nil {
		require.Equal(t, "interpreter: "+err.Error(), Describe())
		return
	}
	require.Contains(t, Describe(), "machine code")
	if machine.DetectCPU().AVX512 {
		require.Contains(t, Describe(), "amd64 with AVX-512,")
		t.Setenv(Variable, "jit-avx2")
		require.Contains(t, Describe(), "amd64 with AVX2 (PUREMETAL_SOFTWARE_ENGINE=jit-avx2),")
	} else {
		require.Contains(t, Describe(), "amd64 with AVX2 (the processor has no AVX-512),")
	}
	defer execmem.Refuse(func(string) error { return errors.New("not today") })()
	require.Contains(t, Describe(), "not today")
}

// TestDump: with the variables set, a compiled kernel's forms and symbols are written.
func TestDump(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(DumpVariable, filepath.Join(dir, "dump"))
	t.Setenv("TMPDIR", dir)
	t.Setenv(PerfVariable, "1")
	source := "#include <metal_stdlib>\nusing namespace metal;\n" +
		"kernel void scale(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n  x[i] = x[i] * 3 + 1;\n}\n"
	DumpSource(source)
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "scale.metal", Text: source}, msl.Options{})
	require.Empty(t, diags)
	k := exec.NewKernel(m.IR.Func("scale"), exec.Options{Backend: observed(vm.Backend{Machine: jit.Options{}})})
	_, err := k.Program([3]int{64, 1, 1})
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "dump", "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Regexp(t, `\d{4}-library\.metal$`, files[0])
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, source, string(text))
	require.Regexp(t, `\d{4}-scale-64x1x1\.txt$`, files[1])
	text, err = os.ReadFile(files[1])
	require.NoError(t, err)
	require.Contains(t, string(text), "== instructions, as optimized ==")
	require.Contains(t, string(text), "fmul f32/lane")
	maps, err := filepath.Glob(filepath.Join(dir, "perf-*.map"))
	require.NoError(t, err)
	if jit.Available() != nil {
		return
	}
	require.Contains(t, string(text), "scale.metal:4:15: ")
	instruction := map[string]string{"AVX-512": "vmulps zmm", "AVX2": "vmulps ymm"}[jit.Options{}.Vectors()]
	require.Contains(t, string(text), instruction)
	if runtime.GOOS == "linux" {
		require.Len(t, maps, 1)
		text, err = os.ReadFile(maps[0])
		require.NoError(t, err)
		require.Regexp(t, `^[0-9a-f]+ [0-9a-f]+ scale-64x1x1:\d+-\d+\n$`, string(text))
	}
}

// TestNoMoreMemory: if there is no executable memory for code that a launch is the first to need,
// the launch fails and says so; a later one that gets some does not.
func TestNoMoreMemory(t *testing.T) {
	if err := jit.Available(); err != nil {
		t.Skip(err)
	}
	m, diags := msl.Compile(t.Context(), msl.Source{Text: `#include <metal_stdlib>
kernel void shift(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                  constant uint &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[i] = in[i + by] * 3 + 1;
}`}, msl.Options{})
	require.Empty(t, diags)
	k := exec.NewKernel(m.IR.Func("shift"), exec.Options{Backend: vm.Backend{Machine: jit.Options{}}})
	run := func(by byte) (first byte, err error) {
		sp, out := &exec.Space{}, make([]byte, 1024)
		for i, data := range [][]byte{out, bytes.Repeat([]byte{7, 0, 0, 0}, 256), {by, 0, 0, 0}} {
			sp.Set(uint32(i+1), exec.Object{Data: data})
		}
		err = exec.NewEngine(2).Run(t.Context(), k, &exec.Launch{Grid: [3]int{256, 1, 1}, Group: [3]int{256, 1, 1},
			Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}})
		return out[0], err
	}
	_, err := run(0)
	require.NoError(t, err)
	none := errors.New("none left")
	restore := execmem.Refuse(func(string) error { return none })
	_, err = run(1)
	restore()
	require.ErrorIs(t, err, exec.ErrScratch)
	require.ErrorIs(t, err, none)
	first, err := run(1)
	require.NoError(t, err)
	require.Equal(t, byte(22), first)
}

// TestWhole: the engine named ref runs launches with the values of function constants, counts their
// phases, stops when the program cancels them, and reports a kernel's mistakes.
func TestWhole(t *testing.T) {
	require.Nil(t, Whole(nil, nil))
	t.Setenv(Variable, "ref")
	m, diags := msl.Compile(t.Context(), msl.Source{Text: `#include <puremetal/cooperative>
constant uint by [[function_constant(0)]];
kernel void add(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] += by;
  puremetal::this_grid().sync();
  if (i < 32) out[i] += out[63 - i];
}`}, msl.Options{})
	require.Empty(t, diags)
	f := m.IR.Func("add")
	k := exec.NewKernel(f, exec.Options{Backend: Default(), Whole: Whole(f, map[int][]byte{0: {5, 0, 0, 0}})})
	e := exec.NewEngine(2)
	defer e.Close()
	data, sp, c := make([]byte, 4*64), &exec.Space{}, &exec.Cooperative{}
	sp.Set(1, exec.Object{Data: data})
	l := &exec.Launch{Grid: [3]int{64}, Group: [3]int{16}, Space: sp, Buffers: []uint64{exec.Address(1, 0)},
		Cooperative: c}
	require.NoError(t, e.Run(t.Context(), k, l))
	require.Equal(t, int64(2), c.Phases)
	for i := range 64 {
		want := uint32(10)
		if i >= 32 {
			want = 5
		}
		require.Equal(t, want, binary.LittleEndian.Uint32(data[4*i:]), i)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Run(canceled, k, l), context.Canceled)
	l.Cooperative = nil
	require.ErrorIs(t, e.Run(t.Context(), k, l), exec.ErrLaunch)
}
