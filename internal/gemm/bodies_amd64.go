package gemm

import "github.com/puremetal/puremetal/internal/machine"

// bodies returns what this machine can run, the fastest last.
func bodies() []body {
	all, has := []body{plain()}, machine.DetectCPU()
	if !has.FMA {
		return all
	}
	avx2 := body{name: "AVX2", rows: 6, columns: 16, float: productF32AVX2, integer: productI16AVX2,
		convert: convertAVX2, pairs: linesI8Pairs, transpose: transpose}
	avx2.lines[F32], avx2.lines[F16], avx2.lines[BF16], avx2.lines[I8] = linesF32, linesF16, linesBF16, linesI8
	avx2.widen[F16], avx2.widen[BF16] = widenF16AVX2, widenBF16AVX2
	avx2.store[F32], avx2.store[F16] = storeF32AVX2, storeF16AVX2
	avx2.store[BF16], avx2.store[I32] = storeBF16AVX2, storeI32AVX2
	short := avx2
	short.rows, short.float, short.integer = shortRows, productF32AVX2Short, productI16AVX2Short
	short.convert = convertAVX2Short
	avx2.short = &short
	all = append(all, avx2)
	if !has.AVX512 {
		return all
	}
	wide := avx2
	wide.name, wide.rows, wide.columns = "AVX512", 14, 32
	wide.float, wide.integer, wide.convert = productF32AVX512, productI16AVX512, convertAVX512
	wide.widen[F16], wide.widen[BF16] = widenF16AVX512, widenBF16AVX512
	wide.store[F32], wide.store[F16] = storeF32AVX512, storeF16AVX512
	wide.store[BF16], wide.store[I32] = storeBF16AVX512, storeI32AVX512
	shortWide := wide
	shortWide.rows, shortWide.float, shortWide.integer = shortRows, productF32AVX512Short, productI16AVX512Short
	shortWide.convert = convertAVX512Short
	wide.short = &shortWide
	all = append(all, wide)
	if has.VNNI {
		shortDot := shortWide
		shortDot.integer = productVNNIAVX512Short
		wide.name, wide.integer, wide.short = "VNNI", productVNNIAVX512, &shortDot
		all = append(all, wide)
	}
	return all
}
