package gemm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"
)

// openBLAS is what the comparison of speed needs of OpenBLAS.
type openBLAS struct {
	sgemm func(order, transA, transB, m, n, k int32, alpha float32, a unsafe.Pointer, lda int32, b unsafe.Pointer,
		ldb int32, beta float32, c unsafe.Pointer, ldc int32)
	threads func(n int32)
	core    func() string
}

// newOpenBLAS loads the library from where the system looks for libraries.
func newOpenBLAS() (*openBLAS, error) {
	lib, err := purego.Dlopen("libopenblas.so.0", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	o := &openBLAS{}
	for name, fn := range map[string]any{"cblas_sgemm": &o.sgemm, "openblas_set_num_threads": &o.threads,
		"openblas_get_corename": &o.core} {
		if _, err := purego.Dlsym(lib, name); err != nil {
			return nil, err
		}
		purego.RegisterLibFunc(fn, lib, name)
	}
	return o, nil
}

// multiply computes c = a * b for square row-major matrices.
func (o *openBLAS) multiply(c, a, b []byte, n int) {
	const rowMajor, plain = 101, 111
	size := int32(n)
	o.sgemm(rowMajor, plain, plain, size, size, size, 1, unsafe.Pointer(&a[0]), size, unsafe.Pointer(&b[0]), size, 0,
		unsafe.Pointer(&c[0]), size)
}

// BenchmarkOpenBLAS compares square products by body and type with OpenBLAS's sgemm, taking turns,
// and reports the shortest times and their ratio, by the clock and in processor time. On a busy
// machine only the processor time of one worker says something: OpenBLAS's threads spin while they
// wait for each other. OPENBLAS_CORETYPE=Haswell in the environment makes OpenBLAS use AVX2.
func BenchmarkOpenBLAS(b *testing.B) {
	blas, err := newOpenBLAS()
	if err != nil {
		b.Skipf("no OpenBLAS to compare with: %v", err)
	}
	for _, y := range bodies() {
		if y.name == "plain" {
			continue
		}
		for _, c := range []combination{{F32, F32, F32}, {F16, F16, F16}, {BF16, BF16, BF16}, {I8, I8, I32}} {
			if y.name == "VNNI" && c[0] != I8 {
				continue
			}
			for _, n := range []int{1024, 2048} {
				for _, r := range []Runner{{Workers: 1}, runner} {
					b.Run(fmt.Sprintf("%s/%s/%v/%d/workers=%d", blas.core(), y.name, c, n, r.Workers), func(b *testing.B) {
						blas.threads(int32(r.Workers))
						y.compare(b, blas, r, c, n)
					})
				}
			}
		}
	}
}

// compare measures one product of y and one of OpenBLAS in each round.
func (y *body) compare(b *testing.B, blas *openBLAS, r Runner, c combination, n int) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := Product{Alpha: 1, A: Dense(filled(rng, c[0], n*n), c[0], n, n), B: Dense(filled(rng, c[1], n*n), c[1], n, n),
		C: Dense(make([]byte, n*n*c[2].Size()), c[2], n, n)}
	wide, other, theirs := widened(&p.A), widened(&p.B), make([]byte, 4*n*n)
	ours, blasTime := spent{time.Hour, time.Hour}, spent{time.Hour, time.Hour}
	for b.Loop() {
		start := measure(b)
		y.multiply(r, p)
		middle := measure(b)
		blas.multiply(theirs, wide, other, n)
		end := measure(b)
		ours.shorten(start, middle)
		blasTime.shorten(middle, end)
	}
	if c[2] == F32 { // both have done the same work
		for i := 0; i < n*n; i += 997 {
			require.InDelta(b, load(F32, theirs[4*i:]), load(F32, p.C.Data[4*i:]), 1e-3*math.Sqrt(float64(n)))
		}
	}
	b.ReportMetric(ours.clock.Seconds()*1e3, "min-ms")
	b.ReportMetric(ours.clock.Seconds()/blasTime.clock.Seconds(), "ratio")
	b.ReportMetric(ours.processor.Seconds()*1e3, "cpu-ms")
	b.ReportMetric(ours.processor.Seconds()/blasTime.processor.Seconds(), "cpu-ratio")
}

// moment is a time and the processor time that the process has used until then.
type moment struct {
	at        time.Time
	processor time.Duration
}

func measure(b *testing.B) moment {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return moment{time.Now(), time.Duration(u.Utime.Nano() + u.Stime.Nano())}
}

// spent is time by the clock and processor time.
type spent struct{ clock, processor time.Duration }

// shorten replaces each time by the one between two moments if that is shorter.
func (s *spent) shorten(from, to moment) {
	s.clock, s.processor = min(s.clock, to.at.Sub(from.at)), min(s.processor, to.processor-from.processor)
}

// widened returns the elements of a dense matrix as floats.
func widened(m *Matrix) []byte {
	out := make([]byte, 0, 4*m.Rows*m.Columns)
	for i := range m.Rows * m.Columns {
		out = binary.NativeEndian.AppendUint32(out, math.Float32bits(load(m.Type, m.Data[i*m.Type.Size():])))
	}
	return out
}
