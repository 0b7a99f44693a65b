package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/machine"
)

// Options force rarely used ways, for tests, or ask for listings. The results of kernels do not
// depend on them.
type Options struct {
	List   bool // ranges have listings
	Blocks int  // vectors of a block; 0 lets the compiler choose
	Spill  bool // no variable has a register across segments
	Cold   bool // every lane checks its address
	AVX2   bool // no instructions of AVX-512, also if the processor has them
	Starve bool // the engine gives no fuel, so the code is suspended at every backward jump
	Whole  bool // nothing is compiled only when it is first needed
	Solo   bool // all loops that lanes can run solo are run so
	Calls  bool // all functions are subroutines
}

// Vectors returns the name of the instructions on vectors that Compile uses.
func (o Options) Vectors() string { return o.Target().Name }

// Target returns the processor that code is for.
func (o Options) Target() plan.Target {
	if o.AVX2 || !machine.DetectCPU().AVX512 {
		return avx2
	}
	return avx512
}

func (o Options) forced() plan.Forced { return plan.Forced{Blocks: o.Blocks, Spill: o.Spill} }

// Fastest is the name of the instructions on vectors with which code is fastest.
const Fastest = "AVX-512"

// The processors that there is code for.
var (
	avx512 = plan.Target{Name: Fastest, Width: 16, FirstScratch: 28, ScratchMasks: scratchMasks, MinLocals: 10,
		Registers: 32, MaxCode: 256 << 10, Gather: 4, Fixed: ctxData, Bytes: codeBytes}
	avx2 = plan.Target{Name: "AVX2", Width: 8, FirstScratch: amd64.FirstMask, ScratchMasks: scratchMasks, MinLocals: 4,
		Registers: 16, MaxCode: 512 << 10, Gather: 6, Fixed: ctxData, Bytes: codeBytes}
)

// codeBytes are those of code with AVX2, which is longer.
var codeBytes = plan.CodeBytes{Operation: 12, Step: 10, Gather: 200, Texture: 120}

// regular reports whether the strips of a program differ only in where they begin.
func regular(p *lir.Program) bool { return p.Strips == 1 || plan.Translates(p.Shape, p.Lanes) }
