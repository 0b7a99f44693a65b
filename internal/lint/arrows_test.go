package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// floor is a folder with everything in it, and what its packages may import from this module and
// others.
type floor struct {
	dir      string
	ours     []string // other floors
	tests    []string // additional floors for its test files
	external []string // modules of others, for files that are not tests
}

const (
	purego    = "github.com/ebitengine/purego"
	darwinkit = "github.com/progrium/darwinkit"
)

// execParts are what package exec and everything above it in internal/exec may import, mslInTests
// what tests there may import of the compiler, execTests what tests of kernels may, and mslTests
// what all of the compiler's tests may. harvestTests is for tests that judge the sanitizer by the
// kernels of a package, mpsTests for the packages that bind MPS.
var (
	execParts = []string{"internal/exec/hook", "internal/exec/message", "internal/exec/num",
		"internal/exec/num/fast", "internal/exec/texel", "internal/ir", "internal/ir/lir"}
	mslInTests = []string{"internal/msl", "internal/msl/builtin", "internal/msl/diag", "internal/test/fuzztest",
		"internal/msl/types", "internal/test/irtest", "internal/ir/lir/build", "internal/ir/opt"}
	execTests = slices.Concat([]string{"internal/exec", "internal/test/exectest", "internal/exec/ref",
		"internal/test/testlaunch", "internal/exec/vm"}, execParts, mslInTests)
	harvestTests = []string{"internal/objcsoft", "internal/test/harvest"}
	mpsTests     = []string{"internal/test/bindtest", "internal/test/mpstest", "simd"}
	mslTests     = []string{"internal/test/fuzztest", "internal/test/errtest", "internal/msl/diag",
		"internal/budget"}
)

// floors lists the house from the ground up. An entry may name only entries above it, which is what
// makes the arrows go down.
var floors = []floor{
	{dir: "internal/lint"},
	{dir: "internal/version"},
	// Instructions and memory to run them in know nothing of kernels.
	{dir: "internal/exec/jit/amd64"},
	{dir: "internal/machine"},
	{dir: "internal/exec/jit/execmem", ours: []string{"internal/machine"}},
	// Matrix products know nothing of the device that runs them.
	{dir: "internal/gemm", ours: []string{"internal/machine"}},
	{dir: "internal/packed", ours: []string{"internal/gemm", "internal/machine"}},
	{dir: "internal/contain"},
	// Limits of what is read.
	{dir: "internal/document", ours: []string{"internal/machine"}},
	{dir: "internal/test/abitest"},
	{dir: "internal/standin", external: []string{purego}},
	{dir: "internal/test/settle"},
	{dir: "internal/test/contexttest", external: []string{"github.com/stretchr/testify"}},
	{dir: "internal/test/handletest"},
	{dir: "internal/typeenc", tests: []string{"internal/test/abitest"}},
	{dir: "internal/objcsoft",
		ours:  []string{"internal/typeenc"},
		tests: []string{"internal/test/abitest"}},
	{dir: "internal/test/recording", ours: []string{"internal/objcsoft", "internal/typeenc"}},
	// The compiler and the engines know nothing of Objective-C.
	{dir: "internal/budget"},
	{dir: "internal/ir", tests: []string{"internal/test/irtest"}},
	{dir: "internal/test/irtest", ours: []string{"internal/ir"}},
	{dir: "internal/ir/opt", ours: []string{"internal/ir"}},
	{dir: "internal/ir/mslprint", ours: []string{"internal/ir"},
		tests: slices.Concat(execTests, []string{"internal/exec/sanitize", "sanitizer"})},
	{dir: "internal/ir/bindless", ours: []string{"internal/ir"},
		tests: []string{"internal/ir/mslprint", "internal/msl", "internal/msl/diag"}},
	{dir: "internal/ir/window", ours: []string{"internal/ir"}, tests: execTests},
	{dir: "internal/ir/split", ours: []string{"internal/ir"},
		tests: slices.Concat(execTests, []string{"internal/exec/sanitize", "internal/ir/mslprint", "sanitizer"})},
	{dir: "internal/ir/lir", ours: []string{"internal/ir"}},
	{dir: "internal/ir/lir/build", ours: []string{"internal/ir", "internal/ir/lir"},
		tests: []string{"internal/test/irtest"}},
	// The compiler's phases, each over what the ones before it made.
	{dir: "internal/test/fuzztest", ours: []string{"internal/budget"}},
	{dir: "internal/sarif"},
	{dir: "internal/test/sariftest", external: []string{"github.com/stretchr/testify"}},
	{dir: "internal/msl/diag", ours: []string{"internal/budget", "internal/sarif"},
		tests: []string{"internal/test/sariftest"}},
	{dir: "internal/test/errtest", ours: []string{"internal/msl/diag"}},
	{dir: "internal/msl/token", ours: []string{"internal/msl/diag"}, tests: mslTests},
	{dir: "internal/msl/ast", ours: []string{"internal/msl/diag", "internal/msl/token"}, tests: mslTests},
	{dir: "internal/msl/dialect", ours: []string{"internal/msl/ast", "internal/msl/diag", "internal/msl/token"}},
	{dir: "internal/msl/pp", ours: []string{"internal/msl/dialect", "internal/msl/diag", "internal/msl/token"},
		tests: mslTests},
	{dir: "internal/msl/dialect/internal/gen",
		ours: []string{"internal/msl/diag", "internal/msl/pp", "internal/msl/token"}},
	{dir: "internal/msl/parse", ours: []string{"internal/msl/dialect", "internal/msl/diag", "internal/msl/token",
		"internal/msl/ast"},
		tests: append([]string{"internal/msl/pp"}, mslTests...)},
	{dir: "internal/msl/types"},
	{dir: "internal/msl/builtin", ours: []string{"internal/msl/types"}},
	{dir: "internal/msl/typed", ours: []string{"internal/msl/diag", "internal/msl/types", "internal/msl/builtin"}},
	{dir: "internal/msl/consteval", ours: []string{"internal/msl/types", "internal/msl/builtin", "internal/msl/typed"}},
	{dir: "internal/msl/check",
		ours: []string{"internal/ir", "internal/msl/diag", "internal/msl/token", "internal/msl/ast", "internal/msl/pp",
			"internal/msl/dialect", "internal/msl/parse", "internal/msl/types", "internal/msl/builtin",
			"internal/msl/typed",
			"internal/msl/consteval"},
		tests: mslTests},
	{dir: "internal/msl/lower",
		ours: []string{"internal/budget", "internal/ir", "internal/msl/diag", "internal/msl/types",
			"internal/msl/builtin", "internal/msl/typed", "internal/msl/consteval"},
		tests: append([]string{"internal/msl/pp", "internal/msl/parse", "internal/msl/check"}, mslTests...)},
	{dir: "internal/msl",
		ours: []string{"internal/budget", "internal/ir", "internal/msl/diag", "internal/msl/pp", "internal/msl/parse",
			"internal/msl/ast", "internal/msl/dialect", "internal/msl/token", "internal/msl/typed",
			"internal/msl/check",
			"internal/msl/lower"},
		tests: append([]string{"internal/msl/token", "internal/msl/ast"}, mslTests...)},
	{dir: "internal/msl/translate",
		ours: []string{"internal/ir", "internal/msl", "internal/msl/ast", "internal/msl/check", "internal/msl/diag",
			"internal/msl/dialect", "internal/msl/pp", "internal/msl/token", "internal/msl/typed",
			"internal/msl/types"},
		tests: execTests},
	// Types that Go and kernels share.
	{dir: "simd/float16"},
	{dir: "simd", ours: []string{"simd/float16"}, tests: []string{"compute", "compute/computetest", "mtl"}},
	// Kernels that are Go functions, as Metal.
	{dir: "translate", ours: []string{"internal/msl", "internal/msl/diag", "internal/msl/dialect",
		"internal/msl/translate"}},
	{dir: "internal/gokernel/folders"},
	{dir: "internal/gokernel", ours: []string{"internal/gokernel/folders", "simd", "internal/msl",
		"internal/msl/diag", "internal/msl/dialect", "internal/msl/token", "internal/msl/types", "translate"}},
	{dir: "sanitizer", ours: []string{"internal/msl/diag", "internal/sarif"}},
	// Orders of threadgroups; engines know only an interface, tests of engines give them an order.
	{dir: "internal/schedule", ours: []string{"sanitizer"}},
	// Launches, memory, kernels and workers; hook, message, num and texel are parts that it and its
	// backends share.
	{dir: "internal/exec/hook", ours: []string{"internal/ir"}},
	{dir: "internal/exec/message", ours: []string{"internal/ir"}},
	{dir: "internal/exec/num/fast", ours: []string{"internal/ir"}},
	{dir: "internal/exec/num", ours: []string{"internal/exec/num/fast", "internal/ir"}},
	{dir: "internal/exec/texel", ours: []string{"internal/ir", "internal/exec/num"}},
	// Kernels in Go, on the CPU; its tests compare with the software device.
	{dir: "kernel", ours: []string{"internal/exec/texel", "internal/ir", "simd"},
		tests: []string{"compute", "compute/computetest"}},
	{dir: "internal/exec",
		ours:  append([]string{"internal/ir/lir/build", "internal/ir/opt", "internal/ir/split"}, execParts...),
		tests: append([]string{"internal/exec/vm", "internal/test/exectest"}, mslInTests...)},
	// What compiles programs to machine code knows nothing of the engine that calls it.
	{dir: "internal/exec/jit/plan", ours: []string{"internal/exec/num/fast", "internal/ir", "internal/ir/lir"},
		tests: append([]string{"internal/exec/num"}, mslInTests...)},
	{dir: "internal/exec/jit/emit", ours: []string{"internal/machine", "internal/exec/jit/amd64",
		"internal/exec/jit/plan", "internal/exec/num/fast", "internal/exec/texel", "internal/ir", "internal/ir/lir"}},
	// Only what runs the code knows what it runs for; its tests run it in the interpreter.
	{dir: "internal/exec/jit", ours: []string{"internal/machine", "internal/exec", "internal/exec/jit/emit",
		"internal/exec/jit/execmem", "internal/exec/jit/plan", "internal/exec/texel", "internal/ir/lir"},
		tests: slices.Concat([]string{"internal/exec/ref", "internal/test/testlaunch", "internal/exec/vm",
			"internal/machine"}, execParts, mslInTests)},
	// Backends know exec and not each other, nor what compiles machine code for them.
	{dir: "internal/exec/vm",
		ours: append([]string{"internal/machine", "internal/exec"}, execParts...),
		tests: append([]string{"internal/exec/ref", "internal/test/testlaunch", "internal/test/exectest",
			"internal/schedule"}, mslInTests...)},
	{dir: "internal/exec/ref",
		ours: append([]string{"internal/exec"}, execParts...),
		tests: append([]string{"internal/test/testlaunch", "internal/test/exectest", "internal/exec/vm",
			"internal/exec/sanitize", "internal/ir/mslprint", "internal/schedule", "sanitizer"}, mslInTests...)},
	{dir: "internal/exec/engines", ours: []string{"internal/exec", "internal/exec/jit", "internal/exec/ref",
		"internal/exec/vm", "internal/ir"},
		tests: append([]string{"internal/machine", "internal/exec/jit/execmem", "internal/test/testlaunch"},
			mslInTests...)},
	// What only tests use: launches by slot, and both engines side by side.
	{dir: "internal/test/testlaunch", ours: append([]string{"internal/exec", "internal/test/irtest",
		"internal/ir/lir/build", "internal/msl"}, execParts...)},
	{dir: "internal/test/exectest",
		ours: append([]string{"internal/exec", "internal/exec/jit", "internal/exec/ref", "internal/test/testlaunch",
			"internal/exec/vm", "internal/ir/opt"}, execParts...),
		tests: append([]string{"internal/test/sanitizetest", "internal/gemm", "internal/ir/mslprint",
			"sanitizer"}, mslInTests...)},
	// Bodies in Go of some kernels.
	{dir: "internal/exec/native", ours: []string{"internal/exec", "internal/gemm", "internal/ir", "internal/packed"},
		tests: append([]string{"internal/tensorop"}, execTests...)},
	{dir: "internal/exec/sanitize", ours: append([]string{"internal/exec", "sanitizer"}, execParts...),
		tests: append([]string{"internal/test/sanitizetest", "internal/exec/vm"}, mslInTests...)},
	// What judges the sanitizer, for tests.
	{dir: "internal/test/sanitizetest", ours: append([]string{"internal/exec", "internal/exec/ref",
		"internal/exec/sanitize", "internal/test/testlaunch", "internal/exec/vm", "internal/msl", "internal/msl/diag",
		"sanitizer"}, execParts...)},
	// Figures of observed launches, and what counts them.
	{dir: "analyze/event"},
	{dir: "internal/exec/observe", ours: append([]string{"internal/exec", "analyze/event"}, execParts...),
		tests: append([]string{"internal/exec/vm"}, mslInTests...)},
	// Addresses as polynomials; its tests compare them with those that launches access.
	{dir: "internal/ir/affine", ours: []string{"internal/ir"}, tests: execTests},
	{dir: "internal/test/kernels", tests: append([]string{"internal/test/sanitizetest"}, execTests...)},
	{dir: "internal/test/passes", tests: execTests},
	{dir: "internal/test/values", tests: execTests},
	{dir: "internal/test/dialects/gokernels", ours: []string{"kernel", "simd"}},
	{dir: "internal/test/dialects", tests: append([]string{"internal/msl/dialect", "internal/msl/translate",
		"internal/test/dialects/gokernels", "internal/gokernel", "kernel", "simd"}, execTests...)},
	// The software device is below the seam, which picks it: see docs/RATIONALE.md. Its tests use
	// it as programs do. The toolkit for classes knows nothing of Metal; what runs commands knows
	// nothing of Objective-C.
	// What the software device has beyond Metal.
	{dir: "internal/softmetal/extension", ours: []string{"internal/typeenc"}},
	{dir: "internal/softmetal/adapter", ours: []string{"internal/objcsoft", "internal/typeenc"}},
	{dir: "internal/softmetal/memory", ours: []string{"internal/exec", "internal/machine"}},
	{dir: "internal/softmetal/journal", ours: []string{"internal/exec/message", "internal/ir"}},
	{dir: "internal/softmetal/limits", ours: []string{"internal/ir"}, tests: []string{"mtl"}},
	{dir: "internal/softmetal/dispatch", ours: []string{"internal/softmetal/extension", "internal/softmetal/limits",
		"internal/exec", "internal/ir",
		"internal/ir/affine"}, tests: []string{"internal/msl"}},
	{dir: "internal/softmetal/shader",
		ours: []string{"internal/softmetal/limits", "internal/softmetal/dispatch", "internal/msl", "internal/msl/diag",
			"internal/msl/lower", "internal/document", "internal/exec", "internal/exec/engines",
			"internal/exec/native", "internal/ir", "internal/version"}},
	{dir: "internal/softmetal/command",
		ours: append([]string{"internal/softmetal/limits", "internal/softmetal/dispatch", "internal/exec"},
			execParts...),
		tests: []string{"internal/msl", "internal/exec/engines", "internal/schedule"}},
	// Metal's classes by theme, each over those before it.
	{dir: "internal/softmetal/metal",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/extension"}},
	{dir: "internal/softmetal/device",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/extension", "internal/softmetal/metal",
			"internal/softmetal/memory", "internal/softmetal/journal", "internal/softmetal/limits",
			"internal/softmetal/dispatch", "internal/softmetal/command", "internal/objcsoft",
			"internal/exec", "internal/exec/hook", "internal/exec/observe", "internal/exec/sanitize", "internal/ir",
			"internal/schedule", "internal/machine", "sanitizer"}},
	{dir: "internal/softmetal/resource",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal",
			"internal/softmetal/memory", "internal/softmetal/limits", "internal/softmetal/dispatch",
			"internal/softmetal/device", "internal/objcsoft", "internal/exec", "internal/exec/texel",
			"internal/ir"}},
	{dir: "internal/softmetal/library",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal",
			"internal/softmetal/memory", "internal/softmetal/limits", "internal/softmetal/dispatch",
			"internal/softmetal/shader", "internal/softmetal/device", "internal/softmetal/resource",
			"internal/objcsoft", "internal/document", "internal/exec", "internal/ir"}},
	{dir: "internal/softmetal/encode",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal",
			"internal/softmetal/journal", "internal/softmetal/limits", "internal/softmetal/dispatch",
			"internal/softmetal/command", "internal/softmetal/device", "internal/softmetal/resource",
			"internal/softmetal/library", "internal/objcsoft", "internal/exec/texel", "internal/ir"}},
	{dir: "internal/softmetal/metal4",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal",
			"internal/softmetal/limits", "internal/softmetal/command", "internal/softmetal/device",
			"internal/softmetal/resource", "internal/softmetal/library", "internal/softmetal/encode",
			"internal/objcsoft", "internal/ir"}},
	{dir: "internal/softmetal/capture",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal",
			"internal/softmetal/command", "internal/softmetal/device", "internal/softmetal/encode",
			"internal/softmetal/metal4", "internal/objcsoft"}},
	// The root wires them. Its tests use the device as programs do.
	{dir: "internal/softmetal",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal",
			"internal/softmetal/command", "internal/softmetal/device", "internal/softmetal/resource",
			"internal/softmetal/library", "internal/softmetal/encode", "internal/softmetal/metal4",
			"internal/softmetal/capture", "internal/exec", "internal/exec/engines", "internal/objcsoft"},
		tests: []string{"objc", "mtl", "internal/softmetal/memory", "internal/exec/hook", "internal/ir",
			"internal/softmetal/extension", "internal/softmetal/extension/client", "sanitizer"}},
	// For tests, it collects what programs launch, and judges the sanitizer by it.
	{dir: "internal/test/harvest", ours: []string{"internal/exec", "internal/exec/hook",
		"internal/test/sanitizetest", "internal/ir", "internal/objcsoft", "internal/softmetal",
		"internal/softmetal/command"}},
	{dir: "internal/test/stress", tests: []string{"internal/softmetal", "internal/objcsoft", "mtl", "objc"}},

	{dir: "objc/internal/ccall",
		ours:  []string{"internal/typeenc"},
		tests: []string{"internal/test/abitest"}},
	{dir: "objc",
		ours:     []string{"objc/internal/ccall", "internal/objcsoft", "internal/softmetal", "internal/typeenc"},
		tests:    []string{"internal/test/abitest"},
		external: []string{purego}},
	{dir: "internal/softmetal/extension/client",
		ours: []string{"internal/softmetal/extension", "internal/typeenc", "objc"}},
	{dir: "internal/bindgen",
		ours:     []string{"internal/typeenc"},
		tests:    []string{"internal/test/abitest"},
		external: []string{"github.com/BurntSushi/toml", darwinkit}},
	{dir: "cmd/bindgen", ours: []string{"internal/bindgen", "internal/typeenc"}},

	// What tests of bindings share.
	{dir: "internal/test/bindtest", ours: []string{"internal/test/abitest", "internal/test/recording",
		"internal/objcsoft", "internal/typeenc", "objc"},
		external: []string{"github.com/stretchr/testify"}},
	// The bindings know the seam and nothing under it.
	{dir: "mtl",
		ours:  []string{"objc", "simd/float16"},
		tests: []string{"internal/test/bindtest", "internal/typeenc", "internal/objcsoft"}},
	// The tests describe devices in terms of the bindings alone, so that they apply to every
	// device.
	{dir: "internal/conformance/assert"},
	// Operations on tensors: what they launch, which knows nothing of Metal, and what encodes that.
	{dir: "internal/tensorop", ours: []string{"internal/gemm", "internal/packed"},
		tests: []string{"internal/test/optest"}},
	{dir: "internal/tensorop/encode", ours: []string{"internal/tensorop", "mtl", "objc"},
		tests: []string{"internal/gemm"}},
	{dir: "internal/test/optest", ours: []string{"internal/tensorop", "internal/tensorop/encode", "mtl", "objc"},
		external: []string{"github.com/stretchr/testify"}},
	// MPS of the software device sends Metal messages through the bindings, as programs do.
	{dir: "internal/softmps/mpsdata", ours: []string{"internal/softmetal/adapter"}},
	{dir: "internal/softmps/graphdata", ours: []string{"internal/softmetal/adapter"}},
	{dir: "internal/softmps/imagekernels", tests: []string{"internal/msl"}},
	{dir: "internal/softmps",
		ours: []string{"internal/softmetal/adapter", "internal/softmetal/metal", "internal/softmps/mpsdata",
			"internal/softmps/imagekernels",
			"internal/objcsoft",
			"internal/tensorop", "internal/tensorop/encode", "internal/typeenc", "mtl", "objc", "simd/float16"}},
	{dir: "internal/softmps/softgraph",
		ours: []string{"internal/softmetal/adapter", "internal/softmps", "internal/softmps/mpsdata",
			"internal/softmps/graphdata", "internal/objcsoft", "internal/tensorop", "internal/tensorop/encode",
			"mtl", "objc"},
		tests: []string{"internal/softmetal", "internal/softmetal/extension", "internal/softmetal/extension/client",
			"mps", "mps/graph"}},
	{dir: "internal/softmps/driver", ours: []string{"internal/softmps", "internal/objcsoft"}},
	{dir: "internal/softmps/softgraph/driver", ours: []string{"internal/softmps/softgraph", "internal/objcsoft"}},
	{dir: "mps", ours: []string{"objc", "mtl", "internal/softmps/driver"},
		tests: append([]string{"mps/filter"}, mpsTests...)},
	{dir: "internal/test/mpstest", ours: []string{"internal/standin", "mps", "mtl", "objc", "simd"},
		external: []string{"github.com/stretchr/testify"}},
	{dir: "mps/filter", ours: []string{"objc", "mtl", "mps", "internal/softmps/driver"}, tests: mpsTests},
	{dir: "mps/cnn", ours: []string{"objc", "mtl", "mps", "internal/softmps/driver"}, tests: mpsTests},
	{dir: "mps/nn", ours: []string{"objc", "mtl", "mps", "mps/cnn", "internal/softmps/driver"}, tests: mpsTests},
	{dir: "mps/rnn", ours: []string{"objc", "mtl", "mps", "mps/cnn", "internal/softmps/driver"}, tests: mpsTests},
	{dir: "mps/ray", ours: []string{"objc", "mtl", "mps", "internal/softmps/driver"}, tests: mpsTests},
	{dir: "mps/graph",
		ours:  []string{"objc", "mtl", "mps", "internal/softmps/softgraph/driver"},
		tests: []string{"internal/test/bindtest"}},
	// ONNX's models, which judge MPSGraph in tests.
	{dir: "internal/test/onnxjudge", tests: []string{"internal/standin", "mps", "mps/graph", "mtl", "objc"}},
	{dir: "internal/conformance", ours: []string{"internal/conformance/assert", "internal/standin", "mtl", "objc"},
		tests: harvestTests},
	// Of the seam they need autorelease pools, and to ask which driver there is.
	{dir: "pool", ours: []string{"mtl", "objc"}, tests: []string{"internal/test/handletest"}},
	{dir: "compute/internal/share"},
	// What packages compute and resilience know of each other.
	{dir: "compute/internal/guard"},
	{dir: "compute/observe", ours: []string{"pool"}},
	{dir: "compute/internal/fallback", ours: []string{"mtl"}},
	{dir: "compute/internal/store", ours: []string{"internal/document", "internal/machine"}},
	// Its tests count what the software device tried, to have it fail at each place.
	// Programs for drivers that have only Metal's own compiler.
	{dir: "internal/plainmetal", ours: []string{"internal/ir", "internal/ir/bindless", "internal/ir/mslprint",
		"internal/ir/opt", "internal/ir/split", "internal/ir/window", "internal/msl", "internal/msl/diag",
		"internal/msl/lower"}},
	// What a command is, and the memory, order and failures of commands.
	{dir: "compute/internal/stream",
		ours: []string{"compute/internal/guard", "compute/observe", "internal/contain", "internal/softmetal/extension",
			"internal/softmetal/extension/client", "mtl", "objc", "pool"}},
	// It translates kernels that synchronize the grid, which Metal's compiler does not know.
	{dir: "compute",
		ours: []string{"compute/internal/guard", "compute/internal/stream", "compute/internal/fallback",
			"compute/internal/share", "compute/internal/store", "compute/observe",
			"mtl", "pool", "objc", "sanitizer", "simd/float16",
			"internal/contain", "internal/document", "internal/machine",
			"internal/schedule", "internal/plainmetal", "internal/version",
			"internal/softmetal/extension", "internal/softmetal/extension/client",
			"translate"},
		tests: []string{"compute/graph", "internal/gokernel", "internal/test/handletest", "internal/softmetal", "simd",
			"internal/softmetal/command", "internal/exec/hook", "internal/objcsoft"}},
	{dir: "internal/test/devicetest", ours: []string{"compute", "internal/test/settle", "objc"},
		external: []string{"github.com/stretchr/testify"}},
	// Kernels in Go, apart from what all programs contain.
	{dir: "compute/gokernel",
		ours:  []string{"compute", "compute/internal/stream", "internal/gokernel", "translate"},
		tests: []string{"internal/test/devicetest", "mtl", "sanitizer"}},
	// Commands that are recorded once, and kernels that launch kernels.
	{dir: "compute/graph",
		ours: []string{"compute", "compute/internal/stream", "compute/observe", "internal/contain", "mtl", "objc"},
		tests: []string{"internal/objcsoft", "internal/softmetal", "internal/standin", "internal/test/devicetest",
			"internal/test/handletest", "internal/test/settle", "sanitizer"}},
	{dir: "compute/tree",
		ours: []string{"compute", "compute/graph", "compute/internal/stream", "compute/observe",
			"internal/plainmetal", "mtl"},
		tests: []string{"compute/gokernel", "internal/test/devicetest", "internal/test/handletest",
			"internal/test/settle", "objc", "simd"}},
	// For tests alone, ours and users'. It asks the seam which driver there is.
	{dir: "compute/computetest",
		ours: []string{"compute", "compute/gokernel", "compute/observe", "internal/gokernel", "kernel", "mtl", "objc",
			"simd"},
		tests: []string{"internal/test/handletest", "sanitizer"}},
	// Several devices. Its tests have them fail.
	{dir: "compute/peer", ours: []string{"compute", "internal/machine", "mtl", "objc"},
		tests: []string{"internal/test/handletest", "compute/computetest", "internal/softmetal", "internal/objcsoft"}},
	// An observer of compute.
	{dir: "compute/profile", ours: []string{"compute", "compute/observe", "internal/document"},
		tests: []string{"compute/gokernel", "compute/computetest", "internal/test/handletest"}},
	// Metrics, health and reports; the modules below give them to others.
	{dir: "telemetry", ours: []string{"compute", "compute/observe", "internal/contain"},
		external: []string{"github.com/HdrHistogram/hdrhistogram-go"},
		tests: []string{"compute/computetest", "internal/test/handletest", "internal/softmetal", "internal/objcsoft",
			"mtl"}},
	{dir: "telemetry/prometheus", ours: []string{"compute", "compute/observe", "telemetry"},
		external: []string{"github.com/prometheus/client_golang", "github.com/prometheus/client_model",
			"github.com/prometheus/common"}},
	{dir: "telemetry/otel", ours: []string{"compute", "compute/observe", "telemetry"},
		external: []string{"go.opentelemetry.io/otel"}},
	// Launches on the CPU, by the software device's compiler and engine without its device.
	{dir: "compute/fallback", ours: []string{"compute", "compute/internal/fallback", "internal/exec", "internal/ir",
		"internal/softmetal/dispatch", "internal/softmetal/limits", "internal/softmetal/shader", "mtl"},
		tests: []string{"compute/computetest", "compute/graph", "compute/observe", "internal/test/handletest",
			"internal/objcsoft", "internal/softmetal", "objc",
			"simd"}},
	// Static analysis and observed launches.
	{dir: "analyze", ours: []string{"analyze/event", "compute", "compute/gokernel", "objc", "translate",
		"internal/exec/num",
		"internal/ir", "internal/ir/affine",
		"internal/ir/opt", "internal/msl", "internal/msl/diag",
		"internal/softmetal/extension", "internal/softmetal/extension/client"},
		tests:    []string{"compute/computetest", "sanitizer"},
		external: []string{purego}},
	{dir: "analyze/analyzetest", ours: []string{"analyze", "analyze/event", "compute"},
		tests: []string{"compute/computetest"}},
	// Operations on arrays and on tensors run the same plans. Neither knows the other backends: a
	// program without MPS does not contain it.
	{dir: "compute/internal/backend", ours: []string{"compute", "internal/tensorop", "mtl"},
		tests: []string{"compute/computetest"}},
	{dir: "compute/ops", ours: []string{"compute", "compute/internal/backend", "internal/tensorop", "simd/float16"},
		tests: append([]string{"internal/test/handletest", "compute/computetest", "simd"}, harvestTests...)},
	// NumPy's files.
	{dir: "npy", ours: []string{"internal/document"}},
	{dir: "compute/tensor", ours: []string{"compute", "compute/internal/backend", "internal/document",
		"internal/packed", "internal/tensorop", "npy", "simd/float16"},
		tests: append([]string{"compute/computetest", "internal/test/handletest", "internal/softmetal", "simd"},
			harvestTests...)},
	// Retries and circuit breakers. Its tests have devices fail under everything that takes a stream.
	{dir: "compute/resilience", ours: []string{"compute", "compute/internal/guard", "compute/observe", "internal/contain",
		"objc"},
		external: []string{"github.com/cenkalti/backoff/v5", "github.com/sony/gobreaker/v2"},
		tests: []string{"compute/graph", "compute/fallback", "compute/ops", "compute/tensor", "compute/tree",
			"internal/test/handletest",
			"internal/softmetal", "internal/objcsoft", "internal/standin", "mtl"}},
	{dir: "compute/tensor/mpsbackend", ours: []string{"compute", "compute/internal/backend", "compute/ops",
		"compute/tensor", "internal/tensorop", "mps", "mps/graph", "mtl", "objc"},
		tests: []string{"compute/computetest"}},
	// Files of models, which know nothing of devices, and what runs them.
	{dir: "model/gguf", ours: []string{"internal/document", "internal/machine"}},
	{dir: "model/safetensors", ours: []string{"internal/document", "internal/machine"}},
	{dir: "model/tokenizer", ours: []string{"internal/document", "model/gguf"},
		external: []string{"golang.org/x/text"}},
	{dir: "model", ours: []string{"compute", "compute/tensor", "internal/document", "model/gguf",
		"model/safetensors", "model/tokenizer"},
		tests: []string{"compute/computetest", "npy"}},
	{dir: "internal/test/tinymodel", ours: []string{"model/gguf"}, external: []string{"github.com/stretchr/testify"}},
	// Conversations, and the language of their templates.
	{dir: "internal/jinja"},
	{dir: "model/chat", ours: []string{"internal/document", "internal/jinja", "model", "model/gguf", "model/tokenizer"},
		tests: []string{"compute", "compute/computetest", "compute/tensor", "internal/test/tinymodel"}},
	{dir: "cmd/puremetal/internal/value", ours: []string{"internal/document", "npy", "simd/float16"},
		tests: []string{"simd"}},
	{dir: "cmd/puremetal/internal/bench",
		ours: []string{"objc", "compute", "compute/ops", "internal/gemm", "mtl", "simd"}},
	{dir: "cmd/puremetal/internal/page", ours: []string{"cmd/puremetal/internal/bench"},
		external: []string{"github.com/go-echarts/go-echarts/v2"}},
	{dir: "cmd/puremetal/internal/launchpage", ours: []string{"analyze", "analyze/event"}},
	{dir: "cmd/puremetal/internal/kernelvet", ours: []string{"internal/gokernel"},
		external: []string{"golang.org/x/tools"}},
	{dir: "cmd/puremetal/internal/rewrite", ours: []string{"internal/msl", "internal/msl/ast", "internal/msl/diag",
		"internal/msl/parse", "internal/msl/pp", "internal/msl/token"}},
	{dir: "cmd/puremetal/internal/generate/launched", ours: []string{"compute", "kernel", "simd", "translate"},
		tests: []string{"compute/computetest"}},
	{dir: "cmd/puremetal",
		ours: []string{"translate", "internal/gokernel", "internal/gokernel/folders", "internal/msl/dialect",
			"cmd/puremetal/internal/value",
			"cmd/puremetal/internal/bench", "cmd/puremetal/internal/page",
			"cmd/puremetal/internal/kernelvet", "cmd/puremetal/internal/launchpage",
			"cmd/puremetal/internal/rewrite", "analyze", "analyze/event", "objc",
			"mtl", "pool", "compute", "compute/observe", "compute/peer", "compute/profile", "compute/tensor", "model",
			"model/chat", "model/gguf", "model/safetensors", "model/tokenizer", "sanitizer", "simd",
			"simd/float16", "npy",
			"telemetry", "internal/conformance", "internal/document", "internal/machine", "internal/msl",
			"internal/msl/diag", "internal/ir", "internal/sarif", "internal/version"},
		external: []string{"github.com/alecthomas/kong", "github.com/BurntSushi/toml", "golang.org/x/term",
			"github.com/go-echarts/go-echarts/v2"},
		tests: []string{"compute/computetest", "internal/test/sariftest", "internal/test/tinymodel"}},
	// What users write.
	{dir: "examples", ours: []string{"compute", "compute/gokernel", "compute/ops", "compute/tensor", "kernel", "mtl",
		"pool", "simd", "npy", "translate"},
		tests: []string{"compute/computetest"}},
	{dir: "examples/generate", ours: []string{"compute", "compute/tensor", "model", "model/tokenizer"},
		tests: []string{"internal/test/tinymodel"}},
	{dir: "examples/serve", ours: []string{"compute", "compute/tensor", "model", "model/chat", "model/tokenizer",
		"telemetry"},
		tests: []string{"internal/test/tinymodel", "model/gguf"}},
	{dir: "examples/service", ours: []string{"compute", "compute/resilience", "compute/tensor", "telemetry"},
		tests: []string{"internal/objcsoft", "internal/softmetal", "mtl"}},
	{dir: "examples/gemm", ours: []string{"compute", "compute/ops", "compute/tensor", "mps", "mps/graph", "mtl",
		"objc"},
		tests: []string{"compute/computetest"}},
	{dir: "examples/cookbook", ours: []string{"compute", "compute/gokernel", "compute/graph", "compute/ops",
		"compute/tensor",
		"mtl",
		"sanitizer", "simd",
		"translate"},
		tests: []string{"analyze", "analyze/analyzetest", "compute/computetest", "compute/tensor/mpsbackend", "mps",
			"mps/filter", "mps/graph", "objc"}},
	{dir: "examples/image/scene"},
	{dir: "examples/cnn", ours: []string{"mps", "mps/graph", "mtl", "objc"}},
	{dir: "examples/imagefilter", ours: []string{"examples/image/scene", "mps", "mps/filter", "mtl", "objc"}},
	// What is written for users is tested as they would.
	{dir: "internal/docs", tests: []string{"compute", "compute/gokernel", "compute/ops", "compute/tree", "mtl",
		"sanitizer", "simd",
		"translate"}},
}

// testFloors are the packages that every test may use.
var testFloors = []string{"internal/standin", "internal/test/contexttest", "internal/test/settle"}

// testModules are the modules of others that every test may use.
var testModules = []string{"github.com/google/pprof", "github.com/rogpeppe/go-internal", "github.com/stretchr/testify",
	"go.uber.org/goleak", "pgregory.net/rapid", purego}

// within reports whether a slash-separated path is dir or inside it.
func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// floorOf returns the floor that a folder belongs to: the longest that holds it.
func floorOf(dir string) *floor {
	var best *floor
	for i := range floors {
		if f := &floors[i]; within(dir, f.dir) && (best == nil || len(f.dir) > len(best.dir)) {
			best = f
		}
	}
	return best
}

// arrows: each package imports only what its floor allows, of this module and of others.
func arrows(tr *tree) (bad []string) {
	for _, f := range tr.gos {
		fl := floorOf(f.dir())
		if fl == nil {
			bad = append(bad, tr.at(f, f.ast.Package, "folder %s has no entry in the floors of internal/lint", f.dir()))
			continue
		}
		imports := f.imports()
		for _, imp := range slices.Sorted(maps.Keys(imports)) {
			if why := refuse(f, fl, imp); why != "" {
				bad = append(bad, tr.at(f, imports[imp].Pos(), "%s", why))
			}
		}
	}
	return bad
}

// refuse returns why a file of a floor may not import a path, or "".
func refuse(f *goFile, fl *floor, imp string) string {
	if within(imp, module) {
		dir := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
		to := floorOf(dir)
		switch {
		case to == nil:
			return fmt.Sprintf("imports %s, which has no entry in the floors of internal/lint", imp)
		case to == fl, slices.Contains(fl.ours, to.dir):
			return ""
		case f.isTest() && (slices.Contains(testFloors, to.dir) || slices.Contains(fl.tests, to.dir)):
			return ""
		}
		return fmt.Sprintf("%s may not import %s", fl.dir, to.dir)
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	allowed := fl.external
	if f.isTest() {
		allowed = slices.Concat(fl.external, testModules)
	}
	if !slices.ContainsFunc(allowed, func(m string) bool { return within(imp, m) }) {
		return fmt.Sprintf("%s may not import %s", fl.dir, imp)
	}
	switch {
	case within(imp, darwinkit) && f.path != "internal/bindgen/tools.go":
		return "darwinkit is the generator's input: only internal/bindgen/tools.go names it, so that no importer of " +
			"the library compiles it"
	case within(imp, purego) && !f.isTest() && !strings.HasSuffix(f.path, "_darwin.go"):
		return "purego may only be imported in *_darwin.go and in tests: elsewhere it makes static binaries dynamic"
	}
	return ""
}

func TestArrows(t *testing.T) { holds(t, arrows) }

func TestArrowsSeen(t *testing.T) {
	imports := func(pkg string, paths ...string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n", pkg)
		for _, p := range paths {
			fmt.Fprintf(&b, "import _ %q\n", p)
		}
		return b.String()
	}
	sees(t, arrows, []breach{
		{"down is allowed", map[string]string{
			"mtl/a.go": imports("mtl", "fmt", module+"/objc"),
			"mtl/a_test.go": imports("mtl", module+"/internal/typeenc",
				"github.com/stretchr/testify/assert"),
			"objc/a.go":                 imports("objc", module+"/objc/internal/ccall", module+"/internal/objcsoft"),
			"objc/dl_darwin.go":         imports("objc", purego),
			"internal/exec/vm/a.go":     imports("vm", module+"/internal/exec", module+"/internal/ir"),
			"internal/bindgen/tools.go": imports("bindgen", darwinkit+"/macos/metal"),
		}, nil},
		{"bindings under the seam", map[string]string{"mtl/a.go": imports("mtl", module+"/internal/objcsoft")},
			[]string{"mtl/a.go:2: mtl may not import internal/objcsoft"}},
		{"up", map[string]string{"internal/typeenc/a.go": imports("typeenc", module+"/objc")},
			[]string{"internal/typeenc may not import objc"}},
		{"a test up", map[string]string{"internal/typeenc/a_test.go": imports("typeenc", module+"/objc")},
			[]string{"internal/typeenc may not import objc"}},
		{"library to generator", map[string]string{"objc/a.go": imports("objc", module+"/internal/bindgen")},
			[]string{"objc may not import internal/bindgen"}},
		{"engine to seam", map[string]string{"internal/exec/a.go": imports("exec", module+"/objc")},
			[]string{"internal/exec may not import objc"}},
		{"device to interpreter", map[string]string{"internal/softmetal/a.go": imports("softmetal",
			module+"/internal/exec/vm")},
			[]string{"internal/softmetal may not import internal/exec/vm"}},
		{"unknown folder", map[string]string{"util/a.go": imports("util")},
			[]string{"util/a.go:1: folder util has no entry"}},
		{"unknown import", map[string]string{"mtl/a.go": imports("mtl", module+"/util")},
			[]string{"which has no entry"}},
		{"a prefix is not a folder", map[string]string{"mtl2/a.go": imports("mtl2")}, []string{"no entry"}},
		{"purego outside darwin files", map[string]string{
			"objc/a.go":        imports("objc", purego),
			"mtl/a_test.go":    imports("mtl", purego),
			"mtl/dl_darwin.go": imports("mtl", purego+"/objc"),
		}, []string{"mtl may not import " + purego, "purego may only be imported in *_darwin.go"}},
		{"darwinkit outside tools.go", map[string]string{
			"internal/bindgen/read.go": imports("bindgen", darwinkit+"/macos/metal"),
			"mtl/a_test.go":            imports("mtl", darwinkit+"/macos/metal"),
		}, []string{"only internal/bindgen/tools.go", "mtl may not import " + darwinkit}},
		{"a module of others", map[string]string{"compute/a.go": imports("compute", "example.com/kitchen/sink")},
			[]string{"compute may not import example.com/kitchen/sink"}},
	})
}

// TestFloorsExist: every floor is a folder with Go files in it or below it.
func TestFloorsExist(t *testing.T) {
	tr, err := loadTree()
	require.NoError(t, err)
	for _, f := range floors {
		assert.True(t, slices.ContainsFunc(tr.gos, func(g *goFile) bool { return within(g.dir(), f.dir) }),
			"floor %s is empty", f.dir)
	}
}

// TestFloorsGoDown holds the table itself to its order.
func TestFloorsGoDown(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range floors {
		for _, to := range f.ours {
			assert.True(t, seen[to], "floor %s imports %s, which does not stand above it in the table", f.dir, to)
		}
		assert.False(t, seen[f.dir], "floor %s stands twice in the table", f.dir)
		seen[f.dir] = true
	}
}
