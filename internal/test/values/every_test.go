package values

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/builtin"
)

// elsewhere are the functions whose values are tested elsewhere, or that have none, with the place
// or reason.
var elsewhere = map[builtin.Op]string{
	builtin.OpAsType: "programs", builtin.OpMove: "programs", builtin.OpForward: "programs", builtin.OpSwap: "programs",
	builtin.OpDeclval:     "is never evaluated",
	builtin.OpMakeUniform: "programs", builtin.OpIsUniform: "programs", builtin.OpAssert: "has no value",
	builtin.OpExpect:      "programs",
	builtin.OpUnreachable: "has no value", builtin.OpAssume: "has no value", builtin.OpThreadgroupBarrier: "programs",
	builtin.OpSimdgroupBarrier:  "programs",
	builtin.OpAtomicThreadFence: "programs", builtin.OpSimdLane: "the compiler's own",
	builtin.OpSimdgroupSize: "the compiler's own",
	builtin.OpGridBarrier:   "exectest", builtin.OpTileBarrier: "exectest", builtin.OpThreadPosition: "exectest",
	builtin.OpActiveBarrier: "exectest", builtin.OpLocalPosition: "exectest",
	builtin.OpGridThreads: "exectest", builtin.OpThreadgroupPosition: "exectest",
	builtin.OpGridThreadgroups: "exectest", builtin.OpThreadgroupThreads: "exectest", builtin.OpThreadIndex: "exectest",
	builtin.OpSimdgroupIndex: "exectest", builtin.OpLauncher: "is an argument",
	builtin.OpSimdIsHelper: "programs", builtin.OpQuadIsHelper: "programs", builtin.OpTranspose: "matrices",
	builtin.OpDeterminant: "matrices",
	builtin.OpSimdAll:     "TestVotes", builtin.OpSimdAny: "TestVotes", builtin.OpSimdBallot: "TestVotes",
	builtin.OpSimdIsFirst: "TestVotes", builtin.OpSimdActiveMask: "TestVotes",
	builtin.OpQuadAll: "TestVotes", builtin.OpQuadAny: "TestVotes", builtin.OpQuadBallot: "TestVotes",
	builtin.OpQuadIsFirst: "TestVotes", builtin.OpQuadActiveMask: "TestVotes",
	builtin.OpSimdgroupLoad: "programs", builtin.OpSimdgroupStore: "programs", builtin.OpSimdgroupMultiply: "programs",
	builtin.OpSimdgroupMultiplyAccumulate: "programs", builtin.OpSimdgroupFilled: "programs",
	builtin.OpSimdgroupDiagonal:       "programs",
	builtin.OpFunctionConstantDefined: "programs", builtin.OpTexIsNull: "is a question about arguments",
	builtin.OpTexNull:             "is a handle",
	builtin.OpSamplerIsNull:       "is a question about arguments",
	builtin.OpCommandBufferIsNull: "is a question about arguments",
	builtin.OpFunctionTableIsNull: "is a question about arguments", builtin.OpMakeArrayRef: "programs",
	builtin.OpPackUnorm4x8Srgb: "TestSRGB", builtin.OpUnpackUnorm4x8Srgb: "TestSRGB",
}

// TestEveryFunction fails if the library has a free function that is neither tested here nor listed
// with a reason.
func TestEveryFunction(t *testing.T) {
	missing := map[string]bool{}
	all := builtin.All()
	for i := range all {
		f := &all[i]
		_, atomic := atomics[f.Op]
		_, define := exchanger(f)
		if f.Recv != "" || f.Flags.Has(builtin.Unsupported) || f.Op == builtin.OpInvalid || elsewhere[f.Op] != "" {
			continue
		}
		if !lanewise(f.Op) && f.Name != "addressof" && !atomic && define == nil && vectors[f.Op] == nil &&
			packings[f.Op] == nil && unpackings[f.Op] == builtin.OpInvalid &&
			f.Op != builtin.OpAll && f.Op != builtin.OpAny {
			missing[f.Name] = true
		}
	}
	assert.Empty(t, slices.Sorted(maps.Keys(missing)))
}
