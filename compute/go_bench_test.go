package compute

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/translate"
	"github.com/stretchr/testify/require"
)

// goTwices are kernels in Go by the names of those in twices, as one writes them at first, and with
// conditions that make checks of indices superfluous.
var goTwices = []struct{ name, plain, guarded string }{
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
	if i := int(t.Global.X); i < min(len(x), len(y)) {
		y[i] = 2*x[i] + y[i]
	}
}`},
	{"tiled product", `
//puremetal:kernel group=16,16
func Product(t *kernel.Thread, x, y []float32, size int32) {
	a, b := kernel.Shared[[16][16]float32](t), kernel.Shared[[16][16]float32](t)
	row, column, n := t.Global.Y, t.Global.X, uint32(size)
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

// handTwins are kernels in Metal that only Go has twins of.
var handTwins = []twice{
	{name: "N-body", metal: `
static float4 pulled(float4 a, float4 b, float4 sum) {
	float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
	float r = 1 / precise::sqrt(x * x + y * y + z * z + 0.01f);
	float s = b.w * r * r * r;
	return float4(sum.x + x * s, sum.y + y * s, sum.z + z * s, a.w);
}
kernel void bodies(device const float *in, device float *out, constant int &n, POSITIONS) {
	device const float4 *x = (device const float4 *)in;
	device float4 *y = (device float4 *)out;
	threadgroup float4 near[256];
	float4 own = x[p.x], sum = 0;
	for (int t = 0; t < n; t += 256) {
		near[l.x] = x[t + l.x];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (int k = 0; k < 256; k++) sum = pulled(own, near[k], sum);
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	y[p.x] = float4(sum.xyz, own.w);
}`, grid: Threadgroups{Extent{X: 12}, Extent{X: 256}}, in: 4 * 3072, out: 4 * 3072, n: 3072},
	{name: "Mandelbrot", metal: `
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
}`, grid: Threadgroups{Extent{X: 32, Y: 32}, Extent{X: 16, Y: 16}}, in: 1, out: 512 * 512, n: 512},
}

// BenchmarkGoKernels compares kernels in Go with the same kernels by hand in Metal, as
// BenchmarkTranslated does.
func BenchmarkGoKernels(b *testing.B) {
	all := append(slices.Clone(handTwins), twices...)
	for _, g := range goTwices {
		k := all[slices.IndexFunc(all, func(k twice) bool { return k.name == g.name })]
		for i, source := range []string{g.plain, g.guarded} {
			if source == "" {
				continue
			}
			b.Run(g.name+"/"+[]string{"plain", "guarded"}[i], func(b *testing.B) {
				a := accelerator(b)
				r, err := gokernel.Package(b.Context(), fstest.MapFS{
					"go.mod": {Data: []byte("module example.com/kernels\n\ngo 1.25\n")},
					"k.go": {Data: []byte("package kernels\n\nimport (\n\t\"math\"\n\n" +
						"\t\"github.com/puremetal/puremetal/kernel\"\n)\n\nvar _ = math.Pi\n" + source)},
				}, ".", translate.Options{Lines: true})
				require.NoError(b, err)
				p, err := a.Compile(b.Context(), r.Text, CompileOptions{Translated: r.Kernels})
				require.NoError(b, err)
				k.compare(b, a, p, k.n)
			})
		}
	}
}
