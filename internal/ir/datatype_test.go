package ir

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDataTypes checks that each row of the table has a unique name and shape, both of which lead
// back to it, and that JSON uses the names.
func TestDataTypes(t *testing.T) {
	names, shapes := map[string]bool{}, map[DataShape]bool{}
	for d := range NumDataTypes {
		name, shape := d.String(), d.Shape()
		require.NotEmpty(t, name, "data type %d", d)
		assert.False(t, names[name], name)
		names[name] = true

		text, err := json.Marshal(d)
		require.NoError(t, err)
		assert.Equal(t, `"`+name+`"`, string(text))
		back := NumDataTypes
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, d, back)

		if d < DataBool {
			assert.Zero(t, shape, name)
			continue
		}
		assert.False(t, shapes[shape], name)
		shapes[shape] = true
		assert.Equal(t, d, DataTypeOf(shape), name)
	}
	assert.Equal(t, DataNone, DataTypeOf(DataShape{}))
	assert.Equal(t, DataNone, DataTypeOf(DataShape{Elem: BF16, Cols: 2, Rows: 2}))
}

// TestDataTypesRefused checks that numbers and names not in the table are errors.
func TestDataTypesRefused(t *testing.T) {
	_, err := json.Marshal(NumDataTypes)
	require.ErrorContains(t, err, "there is no data type 81")
	var d DataType
	require.ErrorContains(t, json.Unmarshal([]byte(`"Float9"`), &d), `there is no data type "Float9"`)
	assert.Equal(t, "data(81)", NumDataTypes.String())
	assert.Zero(t, NumDataTypes.Shape())

	_, err = json.Marshal(numTextureDims)
	require.ErrorContains(t, err, "there is no texture shape 17")
	var dim TextureDim
	require.ErrorContains(t, json.Unmarshal([]byte(`"4d"`), &dim), `there is no texture shape "4d"`)
}

// TestDataShape checks sizes and alignments against the language's layout.
func TestDataShape(t *testing.T) {
	for d, want := range map[DataType][2]int{DataStruct: {0, 0}, DataBool: {1, 1}, DataChar3: {4, 4}, DataHalf2: {4, 4},
		DataUInt3: {16, 16}, DataULong4: {32, 32}, DataHalf2x3: {16, 8}, DataFloat3x2: {24, 8}, DataFloat4x4: {64, 16}} {
		assert.Equal(t, want, [2]int{d.Shape().Size(), d.Shape().Align()}, d)
	}
}
