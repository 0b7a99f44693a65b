package computetest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest/internal/kernels"
	translator "github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

func TestEqualOnCPU(t *testing.T) {
	x, y := []float32{1, 2, 3, float32(math.NaN())}, []float32{5, 6, 7, 8, 9}
	EqualOnCPU(t, kernels.Saxpy, compute.Threads1D(5), float32(2), x, y)
	groups := compute.Threadgroups{Grid: compute.Extent{X: 2}, Group: compute.Extent{X: 64}}
	EqualOnCPU(t, kernels.Saxpy, groups, float32(2), y, y)
	EqualOnCPU(t, kernels.Saxpy, compute.Threads1D(5), float32(2), []float32(nil), y)
	assert.Equal(t, []float32{5, 6, 7, 8, 9}, y, "arguments are copied")
	n := 4
	EqualOnCPU(t, kernels.Numbers, compute.Threads2D(n, 1), kernels.Body{Mass: 3, Size: [2]int16{7}},
		make([]kernels.Body, n), make([]simd.Half, n), make([]bool, n), []uint32{1, 2})
	EqualOnCPU(t, kernels.Sums, compute.Threads1D(40).In(compute.Extent{X: 16}), []int32{1, 2, 3, 1 << 30, 1 << 30},
		[]int32{1}, 16)
	EqualOnCPU(t, kernels.Mirror, compute.Threads1D(40).In(compute.Extent{X: 8}), make([]uint32, 40), make([]uint32, 40),
		[]uint32(nil))
}

func TestEqualOnCPUMistakes(t *testing.T) {
	one := compute.Threads1D(1)
	var none func(*kernel.Thread)
	for _, c := range []struct {
		fn   any
		grid compute.Grid
		args []any
		want string
	}{
		{3, one, nil, "fatal: computetest: EqualOnCPU: int is no function"},
		{none, one, nil, "is no function"},
		{func(int) {}, one, nil, `func\(int\) is no kernel, whose first parameter`},
		{func(*kernel.Thread) {}, one, nil,
			`equal_test.go:\d+: .*TestEqualOnCPUMistakes.func2 is no function that a package`},
		{inTest, one, nil, `equal_test.go:\d+: kernel inTest is in a test file`},
		{kernels.Saxpy, one, []any{float32(1)}, `kernels.go:\d+: kernel Saxpy: 1 arguments, want 3 after the thread`},
		{kernels.Saxpy, one, []any{1, nil, nil}, "argument 0 is a int, want float32"},
		{kernels.Beyond, one, []any{[]int32{1}, 5}, "1 lengths of shared slices, want 0"},
		{kernels.Beyond, one, []any{[]int32{1}, "x"}, "argument 1 is x "},
		{kernels.Beyond, one, []any{[]int32{1}},
			`kernels.go:\d+: kernel Beyond: on the CPU: .*kernels.go:\d+: .*index out of range`},
		{kernels.Beyond, nil, []any{[]int32{1}}, "nil grid"},
		{kernels.Plain, one, []any{[]int32{1}}, "no such kernel"},
	} {
		got := record(t, func(tb testing.TB) { EqualOnCPU(tb, c.fn, c.grid, c.args...) })
		require.Len(t, got, 1, c.want)
		assert.Regexp(t, c.want, got[0])
	}
}

func inTest(*kernel.Thread) {}

// TestDifferences: the first difference of each slice is reported with its place and both values.
func TestDifferences(t *testing.T) {
	nan, other := float32(math.NaN()), math.Float32frombits(0x7fc00001)
	f, err := functionOf(kernels.Numbers)
	require.NoError(t, err)
	f.names = []string{"first", "bodies", "halves", "flags", "none"}
	halves := []simd.Half{0x7e00, 0x3c00, 0x4000}
	require.NoError(t, f.take([]any{kernels.Body{}, []kernels.Body{{}, {Mass: nan}, {Mass: 2}}, halves, []bool{true, true},
		[]uint32{5, 6}}))
	assert.Empty(t, f.differences())
	f.params[1].Index(1).Field(0).SetFloat(float64(other))
	f.params[2].Index(0).SetUint(0x7e01)
	assert.Empty(t, f.differences(), "NaNs are equal")
	f.params[1].Index(2).Field(1).Index(1).SetInt(-3)
	f.params[1].Index(1).Field(0).SetFloat(1.5)
	f.params[2].Index(1).SetUint(0x3c01)
	f.params[2].Index(2).SetUint(0x7e00)
	f.params[3].Index(1).SetBool(false)
	f.params[4].Index(0).SetUint(4)
	assert.Equal(t, []string{
		"bodies[1].Mass is NaN (0x7fc00000) on the device, 1.5 (0x3fc00000) on the CPU; 2 of 3 elements differ",
		"halves[1] is 1 (0x3c00) on the device, 1.0009766 (0x3c01) on the CPU; 2 of 3 elements differ",
		"flags[1] is true on the device, false on the CPU; 1 of 2 elements differ",
		"none[0] is 5 (0x00000005) on the device, 4 (0x00000004) on the CPU; 1 of 2 elements differ",
	}, f.differences())
}

func TestFolderOf(t *testing.T) {
	_, err := folderOf("example.com/other/kernels/k.go")
	assert.ErrorContains(t, err, "example.com/other/kernels/k.go") // in a bundle of tests there is no module
	assert.Equal(t, "example.com/a", translator.ModulePath("// x\nmodule \"example.com/a\" // y\n"))
}
