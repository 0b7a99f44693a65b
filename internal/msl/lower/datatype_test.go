package lower

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// TestDataType checks the data types for each kind of type.
func TestDataType(t *testing.T) {
	u := types.NewUniverse()
	for name, want := range map[string]ir.DataType{
		"float3": ir.DataFloat3, "packed_float3": ir.DataFloat3, "half4x3": ir.DataHalf4x3, "uchar": ir.DataUChar,
		"bool": ir.DataBool, "bool4": ir.DataBool4, "ulong2": ir.DataULong2, "bfloat3": ir.DataBFloat3, "char": ir.DataChar,
		"atomic_uint": ir.DataUInt, "atomic_int": ir.DataInt, "sampler": ir.DataSampler, "float2x2": ir.DataFloat2x2,
		"float4x4": ir.DataFloat4x4, "half2x2": ir.DataHalf2x2,
	} {
		ty, ok := types.Named(name)
		require.True(t, ok, name)
		assert.Equal(t, want, DataType(ty), name)
	}
	assert.Equal(t, ir.DataArray, DataType(u.MetalArray(types.Q(types.Float), 4)))
	assert.Equal(t, ir.DataTexture, DataType(u.Texture(types.Texture2D, types.Float, types.AccessSample, false)))
	assert.Equal(t, ir.DataIndirectCommandBuffer, DataType(u.Opaque("command_buffer")))
	assert.Equal(t, ir.DataUShort, DataType(&types.Enum{Underlying: types.UShort}))
	assert.Equal(t, ir.DataStruct, DataType(&types.Struct{}))
	assert.Equal(t, ir.DataNone, DataType(types.Void))
	assert.Equal(t, ir.DataNone, DataType(types.MatrixOf(types.BFloat, 2, 2)))
}
