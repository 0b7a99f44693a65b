package kernels

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/exec"
)

// measured are the works of BenchmarkKernels, at sizes for which the launch overhead is small.
func measured() []*work {
	square, wide := [3]int{16, 16, 1}, [3]int{128, 1, 1}
	list := []struct {
		name string
		work *work
	}{
		{"bitonic sort", bitonic("uint", 1<<16, 256, anyUint)},
		{"bitonic sort of tiles", bitonicTiles(1<<18, 2048, 512)},
		{"radix sort", radix(1<<18, 1024)},
		{"top 40 of rows", topK(64, 4096, 40, 1024)},
		{"inclusive scan", scanned("inclusive", "uint", 1<<20, 1024)},
		{"exclusive scan", scanned("exclusive", "uint", 1<<20, 1024)},
		{"compaction", compaction(1<<20, 1024, 500)},
		{"sum", reduction("sum", 1<<22, 64, 256)},
		{"sum by trees", tree(1<<22, 256)},
		{"min", reduction("min", 1<<22, 64, 256)},
		{"argmax of rows", argmax(1024, 1024, 256)},
		{"softmax", rows("softmax", "float", 1024, 1024, 256)},
		{"softmax of halves", rows("softmax", "half", 1024, 1024, 256)},
		{"rms-norm", rows("rms_norm", "float", 1024, 1024, 256)},
		{"layer-norm", rows("layer_norm", "float", 1024, 1024, 256)},
		{"naive product", gemm("naive", "float", 256, 256, 256, square)},
		{"tiled product", gemm("tiled", "float", 256, 256, 256, square)},
		{"simdgroup product", gemm("simd", "float", 256, 256, 256, wide)},
		{"simdgroup product of halves", gemm("simd", "half", 256, 256, 256, wide)},
		{"simdgroup product of bfloats", gemm("simd", "bfloat", 256, 256, 256, wide)},
		{"matrix by vector", gemv("float", 2048, 2048, 256)},
		{"matrix by vector of halves", gemv("half", 2048, 2048, 256)},
		{"convolution 1D", conv1d(line{Length: 1 << 14, Taps: 9, Stride: 1, Padding: 4, Dilation: 1, Channels: 8}, 8,
			across(256))},
		{"convolution 2D", conv2d(plane{W: 256, H: 256, Channels: 8, Outputs: 8, Radius: 1, Stride: 1}, false, square)},
		{"tiled convolution 2D", conv2d(plane{W: 256, H: 256, Channels: 8, Outputs: 8, Radius: 1, Stride: 1}, true, square)},
		{"Fourier transform radix 2", fft(2, 256, 1024, 256, false)},
		{"Fourier transform radix 4", fft(4, 256, 1024, 256, false)},
		{"transposition", transpose(1024, 1024, 8)},
		{"histogram", histogram("histogram", 1<<22, 1<<14, 256)},
		{"direct histogram", histogram("histogram_direct", 1<<20, 0, 256)},
		{"N-body", nbody(2048, 256, 1)},
		{"mandelbrot", mandelbrot(512, 512, 256, square)},
		{"box blur", blur(512, 512, 2, square)},
		{"sobel", sobel(512, 512, square)},
		{"resizing", resize(256, 256, 512, 512, square)},
		{"argument buffer", weighted(1<<20, 256)},
		{"function constants", activation(2, true, 2.5, 1<<20, 256)},
		{"attention", attention("float", 4, 128, 256, true, 8)},
	}
	var works []*work
	for _, l := range list {
		l.work.name = l.name + " " + l.work.name
		works = append(works, l.work)
	}
	return works
}

// BenchmarkKernels measures each kernel on the vector engine, with compiled programs, and reports
// its time relative to that of the single-threaded plain Go loop as plain-ratio.
func BenchmarkKernels(b *testing.B) {
	for _, w := range measured() {
		b.Run(w.name, func(b *testing.B) {
			m := compiled(b, w.file)
			plain := time.Hour
			for range 3 {
				start := time.Now()
				w.plain()
				plain = min(plain, time.Since(start))
			}
			e := exec.NewEngine(0)
			defer e.Close()
			d := w.on(b, m, "all workers", e)
			w.launch(d)
			b.ReportMetric(plain.Seconds()*1e3, "plain-ms")
			b.ResetTimer()
			for b.Loop() {
				w.launch(d)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "vm-ms")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/plain.Seconds(), "plain-ratio")
		})
	}
}
