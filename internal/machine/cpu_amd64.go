package machine

// cpuid executes CPUID for a leaf and a subleaf.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns the low half of XCR0: the registers that the system saves.
func xgetbv() uint32

func detectCPU() CPU {
	var f CPU
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return f
	}
	_, _, one, _ := cpuid(1, 0)
	const (
		fma     = 1 << 12
		osxsave = 1 << 27
		avx     = 1 << 28
		f16c    = 1 << 29
	)
	if one&(osxsave|avx) != osxsave|avx {
		return f
	}
	const (
		ymm = 1<<1 | 1<<2
		zmm = ymm | 1<<5 | 1<<6 | 1<<7
	)
	saved := xgetbv()
	_, seven, extra, _ := cpuid(7, 0)
	const avx512 = 1<<16 | 1<<17 | 1<<30 | 1<<31 // F, DQ, BW, VL
	f.AVX2 = saved&ymm == ymm && seven&(1<<5) != 0
	f.FMA = f.AVX2 && one&(fma|f16c) == fma|f16c
	f.BMI = seven&(1<<3|1<<8) == 1<<3|1<<8
	f.AVX512 = f.FMA && saved&zmm == zmm && seven&avx512 == avx512
	f.VNNI = f.AVX512 && extra&(1<<11) != 0
	return f
}
