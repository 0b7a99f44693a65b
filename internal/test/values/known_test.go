package values

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// known is a launch of a third-party kernel whose result is known: knownKernels compute it in Go,
// in double precision.
type known struct {
	kernel      string
	grid, group [3]int
	constants   map[string]float64 // function constants by name, 0 if not here
	args        map[string]float64 // constant arguments, or members of them, by name; 0 if not here
	data        map[string][]byte  // other arguments by name
	threadgroup int                // bytes of threadgroup memory
	out         string             // the argument that it writes
	want        []float64
}

// launch assigns the arguments to the kernel's slots.
func (k *known) launch(t *testing.T, m *msl.Module) *launch {
	i := slices.IndexFunc(m.Kernels, func(x msl.Kernel) bool { return x.Name == k.kernel })
	require.GreaterOrEqual(t, i, 0, "no kernel %s", k.kernel)
	value := func(name string) float64 { return k.args[name] }
	l := &launch{kernel: k.kernel, grid: k.grid, group: k.group, buffers: map[int][]byte{}, threadgroup: map[int]int{},
		constants: map[int][]byte{}}
	for _, c := range m.Kernels[i].Constants {
		typ, _ := ir.ParseType(c.Type)
		l.constants[c.Index] = encodeGuess(typ.Kind, k.constants[c.Name])
	}
	used := 0
	for _, a := range m.Kernels[i].Args {
		data, given := k.data[a.Name]
		switch {
		case a.Kind == ir.ArgThreadgroup:
			l.threadgroup[a.Index] = k.threadgroup
		case given:
			l.buffers[a.Index] = slices.Clone(data)
			used++
		case a.Struct != nil:
			l.buffers[a.Index] = make([]byte, a.Struct.Size)
			guessMembers(l.buffers[a.Index], a.Struct.Members, value)
		default:
			l.buffers[a.Index] = append(guessScalar(a.Type, value(a.Name)), make([]byte, 64)...)
		}
	}
	require.Equal(t, len(k.data), used, "%s has other arguments than the test knows", k.kernel)
	return l
}

// slot returns the slot that the kernel writes.
func (k *known) slot(m *msl.Module) int {
	i := slices.IndexFunc(m.Kernels, func(x msl.Kernel) bool { return x.Name == k.kernel })
	for _, a := range m.Kernels[i].Args {
		if a.Name == k.out {
			return a.Index
		}
	}
	return -1
}

// apart returns the largest difference between the numbers in a buffer and the expected ones,
// relative to the largest of these.
func (k *known) apart(have []byte) float64 {
	largest, worst := 0.0, 0.0
	for i, w := range k.want {
		h := float64(math.Float32frombits(uint32(get(have[4*i:], 4))))
		if h-h != 0 {
			return math.Inf(1)
		}
		largest, worst = max(largest, math.Abs(w)), max(worst, math.Abs(h-w))
	}
	return worst / largest
}

// find returns the folder that a program's includes are relative to: PUREMETAL_CORPUS or a folder
// in it.
func find(root, file string) string {
	for _, pattern := range []string{root, filepath.Join(root, "*")} {
		if found, _ := filepath.Glob(filepath.Join(pattern, filepath.FromSlash(file))); len(found) > 0 {
			return strings.TrimSuffix(found[0], string(filepath.Separator)+filepath.FromSlash(file))
		}
	}
	return ""
}

// TestKnownKernels runs kernels of ggml and MLX on both engines, which must agree, and prints a
// table of how far their results are from Go's, which must not exceed 1e-5, and from those of the
// program compiled by the reference compiler, if there is one that runs: it does not support
// arguments declared as arrays.
//
//	PUREMETAL_CORPUS=folder PUREMETAL_SHARED=folder go test -run TestKnownKernels -v ./internal/test/values
func TestKnownKernels(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		t.Skip("PUREMETAL_CORPUS names no folder of programs")
	}
	match := regexp.MustCompile(*corpusKernels)
	var table []string
	for _, file := range knownFiles {
		ks := slices.DeleteFunc(file.kernels(), func(k *known) bool { return !match.MatchString(k.kernel) })
		folder := find(root, file.name)
		if len(ks) == 0 || folder == "" {
			t.Logf("%s: left out, folder %q", file.name, folder)
			continue
		}
		t.Run(filepath.Base(file.name), func(t *testing.T) { table = append(table, runKnown(t, folder, file.name, ks)...) })
	}
	t.Logf("\n%-58s %9s %12s %12s\n%s", "kernel", "numbers", "from Go", "from clang", strings.Join(table, "\n"))
}

func runKnown(t *testing.T, folder, name string, ks []*known) (table []string) {
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	require.NoError(t, err)
	var dirs, flags []string
	for d := filepath.Dir(filepath.FromSlash(name)); ; d = filepath.Dir(d) {
		dirs = append(dirs, filepath.ToSlash(d))
		flags = append(flags, "-I", filepath.Join(folder, d))
		if d == "." {
			break
		}
	}
	m, _ := msl.Compile(context.Background(), msl.Source{Name: name, Text: string(text)},
		msl.Options{Include: os.DirFS(folder), IncludeDirs: dirs})
	require.NotNil(t, m.IR)
	var launches []*launch
	var names []string
	for _, k := range ks {
		launches = append(launches, k.launch(t, m))
		names = append(names, k.kernel)
	}
	theirs := make([]map[int][]byte, len(ks))
	if dir := reference(); dir != "" {
		library := filepath.Join(t.TempDir(), "out.so")
		args := append([]string{filepath.Join(dir, "msl2cpp.py"), filepath.Join(folder, filepath.FromSlash(name)), "-o",
			library, "--keep", library + ".cpp", "--only", "^(" + strings.Join(names, "|") + ")$"}, flags...)
		out, err := exec.Command("python3", args...).CombinedOutput()
		require.NoError(t, err, "%.4000s", out)
		theirs = runCarefully(t, t.TempDir(), library, launches)
	}
	for i, k := range ks {
		l, slot := launches[i], k.slot(m)
		r := testlaunch.Launch{Grid: l.grid, Group: l.group, Buffers: map[int]testlaunch.Buffer{},
			ThreadgroupMemory: l.threadgroup, Constants: l.constants, Fuel: 1 << 37}
		for slot, data := range l.buffers {
			r.Buffers[slot] = testlaunch.Buffer{Data: data}
		}
		exectest.Run(t, m.IR.Func(k.kernel), r, exectest.Quick, exectest.Plain)
		ours := k.apart(l.buffers[slot])
		clang := "not run"
		if theirs[i] != nil {
			from := *k
			from.want = nil
			for at := range k.want {
				from.want = append(from.want, float64(math.Float32frombits(uint32(get(theirs[i][slot][4*at:], 4)))))
			}
			clang = fmt.Sprintf("%.1e", from.apart(l.buffers[slot]))
		}
		table = append(table, fmt.Sprintf("%-58s %9d %12.1e %12s", k.kernel, len(k.want), ours, clang))
		if !(ours <= 1e-5) {
			t.Errorf("%s: %.3g from what Go computes", k.kernel, ours)
		}
	}
	return table
}

// array is a list of numbers, as a kernel and as Go reads them.
type array struct {
	values []float64
	bytes  []byte
}

// numbers makes up n numbers of a type from -1 to 1, depending on the seed.
func numbers(seed uint64, n int, e *types.Basic) (a array) {
	a.bytes = make([]byte, n*e.Size())
	for i := range n {
		seed = seed*6364136223846793005 + 1442695040888963407
		bits := nearest(e, float64(int64(seed))/(1<<63))
		put(a.bytes[i*e.Size():], e.Size(), bits)
		a.values = append(a.values, meaning(e, bits))
	}
	return a
}

// ints returns integers of size bytes each.
func ints(size int, x ...int) (b []byte) {
	for _, v := range x {
		b = append(b, make([]byte, size)...)
		put(b[len(b)-size:], size, uint64(int64(v)))
	}
	return b
}

// product returns the products of each of the n rows of b, of k numbers each, with each of the m
// rows of a: m numbers for each row of b.
func product(a, b []float64, m, n, k int) (c []float64) {
	for i := range n {
		for j := range m {
			s := 0.0
			for l := range k {
				s += a[j*k+l] * b[i*k+l]
			}
			c = append(c, s)
		}
	}
	return c
}

// halved rounds to half precision.
func halved(x []float64) (y []float64) {
	for _, v := range x {
		y = append(y, meaning(types.Half, nearest(types.Half, v)))
	}
	return y
}

// softmax returns the softmax of a row; extra, if it is not a NaN, is an additional number that
// only contributes to the sum.
func softmax(x []float64, extra float64) (y []float64) {
	top, sum := slices.Max(x), 0.0
	if extra == extra {
		top = max(top, extra)
		sum = math.Exp(extra - top)
	}
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	for _, v := range x {
		y = append(y, math.Exp(v-top)/sum)
	}
	return y
}

// rmsNorm divides each row of n numbers by its root mean square.
func rmsNorm(x []float64, n int, eps float64) (y []float64) {
	for row := range slices.Chunk(x, n) {
		sum := 0.0
		for _, v := range row {
			sum += v * v
		}
		for _, v := range row {
			y = append(y, v/math.Sqrt(sum/float64(n)+eps))
		}
	}
	return y
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// together returns settings with some more.
func together[M ~map[string]float64](a, b M) M {
	c := M{}
	for _, m := range []M{a, b} {
		for k, v := range m {
			c[k] = v
		}
	}
	return c
}

// knownFiles are the programs with known kernels.
var knownFiles = []struct {
	name    string
	kernels func() []*known
}{
	{"src/ggml-metal/ggml-metal.metal", ggmlKernels},
	{"mlx/backend/metal/kernels/rms_norm.metal", mlxNormKernels},
	{"mlx/backend/metal/kernels/softmax.metal", mlxSoftmaxKernels},
	{"mlx/backend/metal/kernels/rope.metal", mlxRopeKernels},
	{"mlx/backend/metal/kernels/gemv.metal", mlxVectorKernels},
	{"mlx/backend/metal/kernels/quantized.metal", mlxQuantizedKernels},
}
