package packed

import "github.com/puremetal/puremetal/internal/machine"

// bodies returns what this machine can run, the fastest last.
func bodies() []body {
	all, has := []body{plain()}, machine.DetectCPU()
	if !has.FMA || !has.BMI {
		return all
	}
	y := body{name: "AVX2", sums: sums, linear: linearAVX2, linearUnsigned: linearUnsignedAVX2, trits: tritsAVX2,
		tritsWhole: tritsWholeAVX2, spread: spreadI2S, recode: recodeTQ1, eights: eightsAVX2, stream: stream,
		look:     look,
		codesI2S: codesI2S}
	y.rows = [maxTile]rowsFunc{rows1AVX2,
		rows2AVX2,
		rows3AVX2}
	y.blocks = [formats]func(dst *float32, src *byte, blocks int){
		Q4_0: unpackQ4_0AVX2, Q4_1: unpackQ4_1AVX2, Q5_0: unpackQ5_0AVX2,
		Q5_1: unpackQ5_1AVX2, Q8_0: unpackQ8_0AVX2, Q2_K: unpackQ2_KAVX2,
		Q3_K: unpackQ3_KAVX2, Q4_K: unpackQ4_KAVX2, Q5_K: unpackQ5_KAVX2,
		Q6_K: unpackQ6_KAVX2, IQ4_NL: unpackIQ4_NLAVX2, IQ4_XS: unpackIQ4_XSAVX2,
		TQ1_0: unpackTQ1_0AVX2, TQ2_0: unpackTQ2_0AVX2, MXFP4: unpackMXFP4AVX2, NVFP4: unpackNVFP4AVX2,
	}
	y.dots = [formats]func(x *float32, src *byte, stride, blocks int, sums *float32){
		Q4_0: dotQ4_0AVX2, Q4_1: dotQ4_1AVX2, Q5_0: dotQ5_0AVX2,
		Q5_1: dotQ5_1AVX2, Q8_0: dotQ8_0AVX2, Q2_K: dotQ2_KAVX2,
		Q3_K: dotQ3_KAVX2, Q4_K: dotQ4_KAVX2, Q5_K: dotQ5_KAVX2,
		Q6_K: dotQ6_KAVX2, IQ4_NL: dotIQ4_NLAVX2, IQ4_XS: dotIQ4_XSAVX2,
		TQ1_0: dotTQ1_0AVX2, TQ2_0: dotTQ2_0AVX2, MXFP4: dotMXFP4AVX2, NVFP4: dotNVFP4AVX2,
	}
	all = append(all, y)
	if !has.AVX512 {
		return all
	}
	y.name, y.eights, y.linear, y.linearUnsigned = "AVX512", eightsAVX512, linearAVX512, linearUnsignedAVX512
	y.rows = [maxTile]rowsFunc{rows1AVX512,
		rows2AVX512, rows3AVX512}
	y.blocks = [formats]func(dst *float32, src *byte, blocks int){
		Q4_0: unpackQ4_0AVX512, Q4_1: unpackQ4_1AVX512, Q5_0: unpackQ5_0AVX512,
		Q5_1: unpackQ5_1AVX512, Q8_0: unpackQ8_0AVX512, Q2_K: unpackQ2_KAVX512,
		Q3_K: unpackQ3_KAVX512, Q4_K: unpackQ4_KAVX512, Q5_K: unpackQ5_KAVX512,
		Q6_K: unpackQ6_KAVX512, IQ4_NL: unpackIQ4_NLAVX512, IQ4_XS: unpackIQ4_XSAVX512,
		TQ1_0: unpackTQ1_0AVX512, TQ2_0: unpackTQ2_0AVX512, MXFP4: unpackMXFP4AVX512, NVFP4: unpackNVFP4AVX512,
	}
	y.dots = [formats]func(x *float32, src *byte, stride, blocks int, sums *float32){
		Q4_0: dotQ4_0AVX512, Q4_1: dotQ4_1AVX512, Q5_0: dotQ5_0AVX512,
		Q5_1: dotQ5_1AVX512, Q8_0: dotQ8_0AVX512, Q2_K: dotQ2_KAVX512,
		Q3_K: dotQ3_KAVX512, Q4_K: dotQ4_KAVX512, Q5_K: dotQ5_KAVX512,
		Q6_K: dotQ6_KAVX512, IQ4_NL: dotIQ4_NLAVX512, IQ4_XS: dotIQ4_XSAVX512,
		TQ1_0: dotTQ1_0AVX512, TQ2_0: dotTQ2_0AVX512, MXFP4: dotMXFP4AVX512, NVFP4: dotNVFP4AVX512,
	}
	y.pairs[TQ2_0] = true
	all = append(all, y)
	if has.VNNI {
		y.name, y.trits, y.tritsWhole = "VNNI", tritsVNNI, tritsWholeVNNI
		all = append(all, y)
	}
	return all
}
