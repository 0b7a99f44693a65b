package library

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// bindingValues returns the values of four enumerations by their names in package mtl. It reads the
// generated source: a test of this package cannot import the bindings, which depend on it.
func bindingValues(t *testing.T) map[string]uint64 {
	files, err := filepath.Glob("../../../mtl/z*.go")
	require.NoError(t, err)
	values := map[string]uint64{}
	line := regexp.MustCompile(`(?m)^\t((?:DataType|TextureType|BindingType|BindingAccess)\w+)\s+(?:\w+\s+)?= (\d+)$`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			values[m[1]], err = strconv.ParseUint(m[2], 10, 32)
			require.NoError(t, err)
		}
	}
	require.Greater(t, len(values), 120)
	return values
}

// TestMetalNumbers compares every number of the tables with the bindings', by name.
func TestMetalNumbers(t *testing.T) {
	values := bindingValues(t)
	value := func(name string) uint64 {
		n, ok := values[name]
		require.True(t, ok, name)
		return n
	}
	for d := range ir.NumDataTypes {
		n := metalDataType(d)
		assert.Equal(t, value("DataType"+d.String()), n, d)
		assert.Equal(t, d, dataTypeOfMetal(n), d)
	}
	assert.Zero(t, metalDataType(ir.NumDataTypes))
	assert.Equal(t, ir.DataNone, dataTypeOfMetal(value("DataTypeRGBA8Unorm")), "the language has no such type")

	for kind, name := range map[ir.ArgKind]string{ir.ArgBuffer: "Buffer", ir.ArgThreadgroup: "ThreadgroupMemory",
		ir.ArgTexture: "Texture", ir.ArgSampler: "Sampler", ir.ArgFunctionTable: "VisibleFunctionTable"} {
		assert.Equal(t, value("BindingType"+name), metalBindingType(kind), name)
	}
	for access, name := range map[string]string{"read": "ReadOnly", "sample": "ReadOnly", "write": "WriteOnly",
		"read_write": "ReadWrite"} {
		assert.Equal(t, value("BindingAccess"+name), metalAccess(access), name)
	}

	// Metal names the shapes as package ir does, but for depth, samples and buffers.
	metalName := strings.NewReplacer("depth", "", "_ms", "Multisample", "_array", "Array", "cube", "Cube", "buffer",
		"TextureBuffer",
		"1d", "1D", "2d", "2D", "3d", "3D")
	for d := ir.Tex1D; !strings.HasPrefix(d.String(), "texture("); d++ {
		n, ok := metalTextureType(d)
		assert.True(t, ok, d)
		assert.Equal(t, value("TextureType"+metalName.Replace(d.String())), n, d)
	}
	_, ok := metalTextureType(ir.NoTexture)
	assert.False(t, ok)
}
