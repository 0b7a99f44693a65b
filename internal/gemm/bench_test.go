package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkMultiply measures square products by body, types and workers.
func BenchmarkMultiply(b *testing.B) {
	for _, y := range bodies() {
		for _, c := range []combination{{F32, F32, F32}, {F16, F16, F16}, {BF16, BF16, BF16}, {I8, I8, I32}} {
			for _, n := range []int{64, 256, 1024, 2048} {
				if y.name == "plain" && n > 256 || y.name == "VNNI" && c[0] != I8 {
					continue
				}
				for _, r := range []Runner{{}, runner} {
					b.Run(fmt.Sprintf("%s/%v/%d/workers=%d", y.name, c, n, max(1, r.Workers)), func(b *testing.B) {
						y.measure(b, r, c, n, n, n)
					})
				}
			}
		}
	}
}

// BenchmarkShape measures products that are not square.
func BenchmarkShape(b *testing.B) {
	y := fastest()
	for _, s := range [][3]int{{1, 1024, 1024}, {8, 1024, 1024}, {64, 4096, 1024}, {128, 4096, 1024},
		{1024, 10, 1024}, {1024, 1, 1024}, {64, 25088, 576}, {100, 100, 100}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			y.measure(b, runner, combination{F32, F32, F32}, s[0], s[1], s[2])
		})
	}
}

// measure runs a product of sizes m, n and k.
func (y *body) measure(b *testing.B, r Runner, c combination, m, n, k int) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := Product{Alpha: 1, A: Dense(filled(rng, c[0], m*k), c[0], m, k), B: Dense(filled(rng, c[1], k*n), c[1], k, n),
		C: Dense(make([]byte, m*n*c[2].Size()), c[2], m, n)}
	for b.Loop() {
		y.multiply(r, p)
	}
	flops := 2 * float64(m) * float64(n) * float64(k) * float64(b.N)
	b.ReportMetric(flops/float64(b.Elapsed().Nanoseconds()), "GFLOPS")
}

// BenchmarkTransposed measures the transposes of A and B, and a C in column-major order.
func BenchmarkTransposed(b *testing.B) {
	const n = 1024
	for _, c := range []combination{{F32, F32, F32}, {F16, F16, F16}, {I8, I8, I32}} {
		for _, which := range []string{"NN", "NT", "TN", "TT", "NN_C"} {
			b.Run(fmt.Sprintf("%v/%s", c, which), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				p := Product{Alpha: 1, A: Dense(filled(rng, c[0], n*n), c[0], n, n),
					B: Dense(filled(rng, c[1], n*n), c[1], n, n), C: Dense(make([]byte, n*n*c[2].Size()), c[2], n, n)}
				if which[0] == 'T' {
					p.A = p.A.T()
				}
				if which[1] == 'T' {
					p.B = p.B.T()
				}
				if len(which) > 2 {
					p.C = p.C.T()
				}
				for b.Loop() {
					fastest().multiply(runner, p)
				}
			})
		}
	}
}

// BenchmarkBatch measures many small products.
func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rng, c := rand.New(rand.NewPCG(1, 1)), combination{F32, F32, F32}
			const batches = 256
			p := Product{Alpha: 1, Batches: batches, A: Dense(filled(rng, c[0], batches*n*n), c[0], n, n),
				B: Dense(filled(rng, c[1], batches*n*n), c[1], n, n), C: Dense(make([]byte, batches*n*n*4), c[2], n, n)}
			for b.Loop() {
				fastest().multiply(runner, p)
			}
		})
	}
}
