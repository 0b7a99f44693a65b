package softmetal

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// unanswered lists what the bindings can send to the objects of this package's first concepts and
// what has no answer: sending it is an error that names it. Each group has its reason; a selector
// that gets an answer must leave the list.
func unanswered() map[string][]string {
	return map[string][]string{
		"PMSoftDevice": slices.Concat(
			// Nothing is drawn, and no memory is sparse.
			[]string{
				"getDefaultSamplePositions:count:", "newBufferWithLength:options:placementSparsePageSize:",
				"convertSparsePixelRegions:toTileRegions:withTileSize:alignmentMode:numRegions:",
				"convertSparseTileRegions:toPixelRegions:withTileSize:numRegions:", "sparseTileSizeInBytes",
				"sparseTileSizeInBytesForSparsePageSize:",
				"sparseTileSizeWithTextureType:pixelFormat:sampleCount:",
				"sparseTileSizeWithTextureType:pixelFormat:sampleCount:sparsePageSize:",
			},
			// There are no surfaces, no textures of other processes and no queues for files.
			[]string{
				"newTextureWithDescriptor:iosurface:plane:", "newSharedTextureWithDescriptor:", "newSharedTextureWithHandle:",
				"newIOCommandQueueWithDescriptor:error:", "newIOFileHandleWithURL:compressionMethod:error:",
				"newIOFileHandleWithURL:error:",
				"newIOHandleWithURL:compressionMethod:error:", "newIOHandleWithURL:error:",
			},
			// Tensors and pools of views are still to come.
			[]string{"newTensorWithDescriptor:error:", "tensorSizeAndAlignWithDescriptor:",
				"newTextureViewPoolWithDescriptor:error:"}),
		"PMSoftBuffer":       {"newTensorWithDescriptor:offset:error:"},
		"PMSoftTexture":      {"newSharedTextureHandle"},
		"PMSoftHeap":         nil,
		"PMSoftSamplerState": nil,
		"PMSoftResidencySet": nil,

		"PMSoftArgumentEncoder":        nil,
		"PMSoftBinaryArchive":          nil,
		"PMSoftBlitCommandEncoder":     nil,
		"PMSoftCommandBuffer":          nil,
		"PMSoftCommandQueue":           nil,
		"PMSoftComputeCommandEncoder":  nil,
		"PMSoftComputePipelineState":   nil,
		"PMSoftCounterSampleBuffer":    nil,
		"PMSoftEvent":                  nil,
		"PMSoftFence":                  nil,
		"PMSoftFunction":               nil,
		"PMSoftFunctionHandle":         nil,
		"PMSoftIndirectCommandBuffer":  nil,
		"PMSoftIndirectComputeCommand": nil,
		"PMSoftLibrary":                nil,
		"PMSoftLogState":               nil,
		"PMSoftSharedEvent":            nil,
		"PMSoftVisibleFunctionTable":   nil,

		// Metal 4 lacks what draws and infers only, which the bindings do not send or the device refuses
		// in words.
		"PMSoftCommandQueue4":          nil,
		"PMSoftCommandAllocator4":      nil,
		"PMSoftCommandBuffer4":         nil,
		"PMSoftComputeCommandEncoder4": nil,
		"PMSoftArgumentTable4":         nil,
		"PMSoftCounterHeap4":           nil,
		"PMSoftCommitFeedback4":        nil,
	}
}

// bound returns the selectors of a protocol and of those that it includes.
func bound(name string) []string {
	o := metal.Tables.Owner(name)
	var out []string
	for _, m := range o.Methods {
		out = append(out, m.Name)
	}
	for _, above := range o.Above {
		out = append(out, bound(above)...)
	}
	return out
}

func TestAnswers(t *testing.T) {
	rt := newRuntime(t)
	for name, except := range unanswered() {
		k := rt.Class(name)
		var missing []string
		for _, p := range k.Protocols() {
			for _, sel := range bound(p) {
				if k.Method(rt.Sel(sel)) == nil {
					missing = append(missing, sel)
				}
			}
		}
		slices.Sort(missing)
		slices.Sort(except)
		assert.Equal(t, except, missing, name)
	}
}
