package compute

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

// goTwices are kernels in Go by the names of those in twices, as one writes them at first, and with
// conditions that make checks of indices superfluous.
var goTwices = []struct{ name, kernel, grid string }{
	{"saxpy", `
//puremetal:kernel group=256
func Saxpy(t *kernel.Thread, x, y []float32, n int32) {
	i := int(t.Global.X)
	if i < int(n) {
		y[i] = 2*x[i] + y[i]
	}
}`, `
//puremetal:kernel group=256
func Saxpy(t *kernel.Thread, x, y []float32, n int32) {
	if i := int(t.Global.X); i < len(x) && i < len(y) {
		y[i] = 2*x[i] + y[i]
	}
}`},
	{"tiled product", `
//puremetal:kernel group=16,16
func Product(t *kernel.Thread, x, y []float32, n uint32) {
	a, b := kernel.Shared[[16][16]float32](t), kernel.Shared[[16][16]float32](t)
	row, column := t.Global.Y, t.Global.X
	lx, ly := t.Local.X, t.Local.Y
	var sum float32
	for k := uint32(0); k < n; k += 16 {
		a[ly][lx] = x[row*n+k+lx]
		b[ly][lx] = x[(k+ly)*n+column]
		t.Barrier()
		for i := range 16 {
			sum += a[ly][i] * b[i][lx]
		}
		t.Barrier()
	}
	y[row*n+column] = sum
}`, ""},
	{"histogram", `
//puremetal:kernel group=256
func Histogram(t *kernel.Thread, x, y []float32, n int32) {
	bins := kernel.Shared[[256]uint32](t)
	for i := int(t.Global.X); i < int(n); i += int(t.GridSize.X) {
		kernel.AtomicAdd(&bins[int(x[i]*256)], 1)
	}
	t.Barrier()
	y[t.Group.X*256+t.Local.X] = float32(bins[t.Local.X])
}`, `
//puremetal:kernel group=256
func Histogram(t *kernel.Thread, x, y []float32, n int32) {
	bins := kernel.Shared[[256]uint32](t)
	for i := int(t.Global.X); i < len(x); i += int(t.GridSize.X) {
		kernel.AtomicAdd(&bins[uint8(x[i]*256)], 1)
	}
	t.Barrier()
	if at := t.Group.X*256 + t.Local.X; int(at) < len(y) {
		y[at] = float32(bins[t.Local.X])
	}
}`},
	{"N-body", `
type body struct{ x, y, z, mass float32 }

// pulled adds to a sum how b pulls a.
func (a body) pulled(b, sum body) body {
	x, y, z := b.x-a.x, b.y-a.y, b.z-a.z
	r := 1 / float32(math.Sqrt(float64(x*x+y*y+z*z+0.01)))
	s := b.mass * r * r * r
	return body{sum.x + x*s, sum.y + y*s, sum.z + z*s, a.mass}
}

func at(in []float32, i uint32) body { return body{in[4*i], in[4*i+1], in[4*i+2], in[4*i+3]} }

//puremetal:kernel group=256
func Bodies(t *kernel.Thread, in, out []float32, n int32) {
	near := kernel.Shared[[256]body](t)
	own := at(in, t.Global.X)
	var sum body
	for k := uint32(0); k < uint32(n); k += 256 {
		near[t.Local.X] = at(in, k+t.Local.X)
		t.Barrier()
		for _, b := range near {
			sum = own.pulled(b, sum)
		}
		t.Barrier()
	}
	i := 4 * t.Global.X
	out[i], out[i+1], out[i+2], out[i+3] = sum.x, sum.y, sum.z, own.mass
}`, ""},
	{"Mandelbrot", `
//puremetal:kernel group=16,16
func Mandelbrot(t *kernel.Thread, x, y []float32, n int32) {
	i, j := t.Global.X, t.Global.Y
	cx, cy := float32(i)*3/float32(n)-2, float32(j)*3/float32(n)-1.5
	var zx, zy float32
	k := 0
	for ; k < 256 && zx*zx+zy*zy < 4; k++ {
		zx, zy = zx*zx-zy*zy+cx, 2*zx*zy+cy
	}
	y[j*uint32(n)+i] = float32(k)
}`, ""},
	{"stencil", `
//puremetal:kernel group=16,16
func Stencil(t *kernel.Thread, x, y []float32, n int32) {
	i, j, w := int(t.Global.X), int(t.Global.Y), int(n)
	if i > 0 && j > 0 && i < w-1 && j < w-1 {
		y[j*w+i] = 0.2 * (x[j*w+i] + x[j*w+i-1] + x[j*w+i+1] + x[(j-1)*w+i] + x[(j+1)*w+i])
	}
}`, `
//puremetal:kernel group=16,16
func Stencil(t *kernel.Thread, x, y []float32, n int32) {
	i, j, w := int(t.Global.X), int(t.Global.Y), int(n)
	if i > 0 && j > 0 && i < w-1 && j < w-1 {
		at := j*w + i
		if at >= w && at+w < len(x) && at < len(y) {
			y[at] = 0.2 * (x[at] + x[at-1] + x[at+1] + x[at-w] + x[at+w])
		}
	}
}`},
	{"reduction", `
//puremetal:kernel group=256
func Reduce(t *kernel.Thread, x, y []float32, n int32) {
	part := kernel.Shared[[256]float32](t)
	l := t.Local.X
	var sum float32
	for i := int(t.Global.X); i < int(n); i += int(t.GridSize.X) {
		sum += x[i]
	}
	part[l] = sum
	t.Barrier()
	for half := t.GroupSize.X / 2; half > 0; half /= 2 {
		if l < half {
			part[l] += part[l+half]
		}
		t.Barrier()
	}
	if l == 0 {
		y[t.Group.X] = part[0]
	}
}`, ""},
}

// mandelbrot is a kernel that only Go has a twin of.
var mandelbrot = twice{metal: `
kernel void mandelbrot(device const float *x, device float *y, constant int &n, POSITIONS) {
	int i = p.x, j = p.y;
	float cx = float(i) * 3 / n - 2, cy = float(j) * 3 / n - 1.5f;
	float zx = 0, zy = 0;
	int k = 0;
	for (; k < 256 && zx * zx + zy * zy < 4; k++) {
		float next = zx * zx - zy * zy + cx;
		zy = 2 * zx * zy + cy;
		zx = next;
	}
	y[j * n + i] = k;
}`, grid: Groups{Extent{X: 32, Y: 32}, Extent{X: 16, Y: 16}}, in: 1, out: 512 * 512, n: 512}

// BenchmarkGoKernels compares kernels in Go with the same kernels by hand in Metal, as
// BenchmarkTranslated does.
func BenchmarkGoKernels(b *testing.B) {
	for _, g := range goTwices {
		k := mandelbrot
		if i := slices.IndexFunc(twices, func(k twice) bool { return k.name == g.name }); i >= 0 {
			k = twices[i]
		}
		b.Run(g.name+"/first", func(b *testing.B) { benchmarkGo(b, g.kernel, k) })
		if g.grid != "" {
			b.Run(g.name+"/guarded", func(b *testing.B) { benchmarkGo(b, g.grid, k) })
		}
	}
}

func benchmarkGo(b *testing.B, source string, k twice) {
	ctx := b.Context()
	a := accelerator(b)
	safe := mtl.MathModeSafe
	source = "package kernels\nimport \"math\"\nimport \"github.com/puremetal/puremetal/kernel\"\nvar _ = math.Pi\n" + source
	t, err := translate.Package(ctx, fstest.MapFS{"k.go": {Data: []byte(source)},
		"go.mod": {Data: []byte("module example.com/kernels\n\ngo 1.25\n")}}, ".", translate.Options{})
	require.NoError(b, err)
	require.Empty(b, t.Refused)
	if testing.Verbose() {
		b.Log(t.Text)
	}
	metal := "#include <metal_stdlib>\nusing namespace metal;\n" + strings.ReplaceAll(k.metal, "POSITIONS", positions)
	random := rand.New(rand.NewPCG(1, 2))
	in := make([]float32, k.in)
	for i := range in {
		in[i] = random.Float32()
	}
	x := bufferOf(b, a, in...)
	var launches [2]func() time.Duration
	var results [2][]float32
	for i, text := range []string{t.Text, metal} {
		p, err := a.Compile(ctx, text, CompileOptions{Math: &safe})
		require.NoError(b, err)
		b.Cleanup(p.Close)
		kernel, err := p.Kernel(p.KernelNames()[0])
		require.NoError(b, err)
		y := bufferOf(b, a, make([]float32, k.out)...)
		args := []any{x, y, k.n}
		if i == 0 {
			args = []any{x, uint32(k.in), y, uint32(k.out), k.n}
			if strings.Contains(source, "[]simd.Float4") {
				args = []any{x, uint32(k.in / 4), y, uint32(k.out / 4), k.n}
			}
			if strings.Contains(source, "n uint32") {
				args[4] = uint32(k.n)
			}
		}
		l, err := kernel.Bind(k.grid, args...)
		require.NoError(b, err)
		s := stream(b, a)
		launches[i] = func() time.Duration {
			began := time.Now()
			require.NoError(b, s.Run(ctx, l))
			require.NoError(b, s.Sync(ctx))
			return time.Since(began)
		}
		launches[i]()
		results[i] = make([]float32, k.out)
		require.NoError(b, y.Download(ctx, results[i]))
	}
	if !slices.Equal(results[0], results[1]) {
		b.Log("values differ")
	}
	for range 3 {
		launches[0]()
		launches[1]()
	}
	var times [2][]time.Duration
	for n := 0; n < 20 || b.Loop(); n++ {
		for i := range times {
			i ^= n & 1
			times[i] = append(times[i], launches[i]())
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	middle := len(times[0]) / 2
	b.ReportMetric(float64(times[0][middle])/float64(times[1][middle]), "ratio")
	b.ReportMetric(float64(times[0][0])/float64(times[1][0]), "ratio-of-best")
	b.Logf("%v against %v", times[0][middle], times[1][middle])
}
