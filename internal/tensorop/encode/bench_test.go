package encode_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// BenchmarkMatMul compares a float32 product by way of Metal with package gemm alone.
func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		b.Run(fmt.Sprintf("metal-%d", n), func(b *testing.B) { metal(b, n) })
		b.Run(fmt.Sprintf("gemm-%d", n), func(b *testing.B) { direct(b, n) })
	}
}

func fill(data []byte) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < len(data); i += 4 {
		binary.NativeEndian.PutUint32(data[i:], math.Float32bits(float32(rng.NormFloat64())))
	}
}

func metal(b *testing.B, n int) {
	device, err := mtl.DefaultDevice()
	require.NoError(b, err)
	defer device.Release()
	queue, err := device.NewCommandQueue()
	require.NoError(b, err)
	defer queue.Release()
	e := encode.New(device, nil)
	defer e.Close()
	v := tensorop.Dense(tensorop.Float32, n, n)
	builder, in, out := tensorop.NewBuilder([]tensorop.View{v, v}, []tensorop.View{v})
	builder.MatMul(out[0], in[0], in[1], 1, 0)
	p, err := builder.Plan()
	require.NoError(b, err)
	var buffers []encode.Buffer
	for range 3 {
		buffer, err := device.NewBuffer(uint(4*n*n), mtl.ResourceStorageModeShared)
		require.NoError(b, err)
		defer buffer.Release()
		contents, err := buffer.Bytes()
		require.NoError(b, err)
		fill(contents)
		buffers = append(buffers, encode.Buffer{Buffer: buffer})
	}
	for b.Loop() {
		objc.Pool(func() {
			cb, err := queue.CommandBuffer()
			require.NoError(b, err)
			require.NoError(b, e.Encode(cb, p, buffers))
			require.NoError(b, cb.Commit())
			require.NoError(b, cb.WaitUntilCompleted())
			require.NoError(b, cb.Err())
		})
	}
}

func direct(b *testing.B, n int) {
	var data [3][]byte
	for i := range data {
		data[i] = make([]byte, 4*n*n)
		fill(data[i])
	}
	p := gemm.Product{A: gemm.Dense(data[0], gemm.F32, n, n), B: gemm.Dense(data[1], gemm.F32, n, n),
		C: gemm.Dense(data[2], gemm.F32, n, n), Alpha: 1}
	r := gemm.Runner{Workers: runtime.GOMAXPROCS(0), Run: func(n int, f func(int)) {
		var next = make(chan int, n)
		for i := range n {
			next <- i
		}
		close(next)
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := range next {
					f(i)
				}
			})
		}
		wg.Wait()
	}}
	for b.Loop() {
		require.NoError(b, gemm.Multiply(r, p))
	}
}
