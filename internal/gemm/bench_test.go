package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkMultiply measures square products by body, types and workers.
func BenchmarkMultiply(b *testing.B) {
	for _, y := range bodies() {
		for _, c := range []combination{{F32, F32, F32}, {F16, F16, F16}, {BF16, BF16, BF16}, {I8, I8, I32}, {I8, I8, F32}} {
			for _, n := range []int{64, 256, 1024, 2048} {
				if y.name == "plain" && n > 256 {
					continue
				}
				for _, r := range []Runner{{}, runner} {
					b.Run(fmt.Sprintf("%s/%v/%d/workers=%d", y.name, c, n, max(1, r.Workers)), func(b *testing.B) {
						rng := rand.New(rand.NewPCG(1, 1))
						p := Product{Alpha: 1, A: Dense(filled(rng, c[0], n*n), c[0], n, n),
							B: Dense(filled(rng, c[1], n*n), c[1], n, n), C: Dense(make([]byte, n*n*c[2].Size()), c[2], n, n)}
						for b.Loop() {
							y.multiply(r, p)
						}
						b.ReportMetric(2*float64(n)*float64(n)*float64(n)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOPS")
					})
				}
			}
		}
	}
}
