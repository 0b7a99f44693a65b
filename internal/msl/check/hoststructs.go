package check

import "strings"

// hostStructs are structures that a kernel writes to a buffer for the host's commands to read:
// tessellation factors, and the arguments of indirect draws and dispatches. Metal's headers declare
// them outside namespaces. A program may declare its own.
const hostStructs = `
struct MTLQuadTessellationFactorsHalf { half edgeTessellationFactor[4]; half insideTessellationFactor[2]; };
struct MTLTriangleTessellationFactorsHalf { half edgeTessellationFactor[3]; half insideTessellationFactor; };
struct MTLDrawPatchIndirectArguments { uint patchCount; uint instanceCount; uint patchStart; uint baseInstance; };
struct MTLDrawPrimitivesIndirectArguments {
  uint vertexCount; uint instanceCount; uint vertexStart; uint baseInstance;
};
struct MTLDrawIndexedPrimitivesIndirectArguments {
  uint indexCount; uint instanceCount; uint indexStart; int baseVertex; uint baseInstance;
};
struct MTLDispatchThreadgroupsIndirectArguments { uint threadgroupsPerGrid[3]; };
struct MTLStageInRegionIndirectArguments { uint stageInOrigin[3]; uint stageInSize[3]; };
`

// hostStruct finds one of hostStructs by name, or returns nil.
func (c *checker) hostStruct(name string) *sym {
	if !strings.HasPrefix(name, "MTL") || c.metal == nil {
		return nil
	}
	return c.metal.syms.of(name)
}
