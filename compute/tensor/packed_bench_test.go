package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/require"
)

// BenchmarkPackedProduct multiplies a few rows with packed weights of 4096 x 4096.
func BenchmarkPackedProduct(b *testing.B) {
	const n = 4096
	e, s := open(b)
	r := rand.New(rand.NewPCG(1, 1))
	for _, f := range []tensor.Format{tensor.PackedF32, tensor.Q8_0, tensor.Q4_0, tensor.Q4_K, tensor.TQ2_0} {
		elements, _ := f.Block()
		data := tensor.Of(s, randomBlocks(r, f, n*n/elements, false))
		p, err := tensor.NewPacked(f, data, n, n)
		require.NoError(b, err)
		b.Run(f.String()+"/unpack", func(b *testing.B) {
			for b.Loop() {
				s := e.Scope(b.Context())
				s.Unpack(p, tensor.Float32)
				require.NoError(b, e.Sync(b.Context()))
				s.Close()
			}
		})
		for _, m := range []int{1, 32} {
			x := s.Full(tensor.Float32, 1, m, n)
			bench := func(name string, do func(s *tensor.Scope) *tensor.Tensor) {
				b.Run(fmt.Sprintf("%v/m=%d/%s", f, m, name), func(b *testing.B) {
					b.SetBytes(int64(p.Bytes()))
					for b.Loop() {
						s := e.Scope(b.Context())
						do(s)
						require.NoError(b, e.Sync(b.Context()))
						s.Close()
					}
				})
			}
			bench("float", func(s *tensor.Scope) *tensor.Tensor { return s.MatMulPacked(x, p) })
			if f.IsTernary() {
				bench("int8", func(s *tensor.Scope) *tensor.Tensor { return s.MatMulTernary(x, p) })
			}
			if f == tensor.PackedF32 {
				w := s.Full(tensor.Float32, 1, n, n)
				bench("MatMul", func(s *tensor.Scope) *tensor.Tensor { return s.MatMul(x, w.T()) })
			}
		}
		data.Close()
	}
}
