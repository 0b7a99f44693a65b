package types

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTextureKinds checks the properties of a kind against its name.
func TestTextureKinds(t *testing.T) {
	for k := range NumTextureKinds {
		name := k.String()
		has := func(s string) bool { return strings.Contains(name, s) }
		assert.Equal(t, has("_array"), k.IsArray(), name)
		assert.Equal(t, has("_ms"), k.IsMultisampled(), name)
		assert.Equal(t, has("cube"), k.IsCube(), name)
		assert.Equal(t, has("depth"), k.IsDepth(), name)
		dims := 2
		switch {
		case has("1d"), has("_buffer"):
			dims = 1
		case has("3d"):
			dims = 3
		}
		assert.Equal(t, dims, k.Dims(), name)
		assert.True(t, k.TextureElem(Float), name)
		assert.Equal(t, !k.IsDepth(), k.TextureElem(Half), name)
		assert.False(t, k.TextureElem(BFloat), name)
		assert.False(t, k.TextureElem(Char), name)
		want := AccessSample
		if has("_ms") || has("_buffer") {
			want = AccessRead
		}
		assert.Equal(t, want, k.DefaultAccess(), name)
	}
	assert.True(t, Texture2D.TextureElem(ULong))
	assert.False(t, TextureCube.TextureElem(ULong))
	assert.True(t, AccessRead.CanRead() && !AccessRead.CanWrite())
	assert.True(t, AccessWrite.CanWrite() && !AccessWrite.CanRead())
	assert.True(t, AccessReadWrite.CanWrite() && AccessReadWrite.CanRead())
	assert.True(t, AccessSample.CanRead() && !AccessSample.CanWrite())
	u := NewUniverse()
	assert.Same(t, u.Texture(Texture2D, Half, AccessRead, false), u.Texture(Texture2D, Half, AccessRead, false))
	assert.NotSame(t, u.Texture(Texture2D, Half, AccessRead, false), u.Texture(Texture2D, Half, AccessRead, true))
	_, ok := TextureKindOf("texture4d")
	assert.False(t, ok)
}
