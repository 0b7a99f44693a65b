package dispatch

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// device is a device of one buffer of 64 bytes, number 1, a remote view, number 2, and some
// textures.
type device struct {
	space    exec.Space
	textures map[uint64]*Texture
}

func (d *device) Space() *exec.Space             { return &d.space }
func (d *device) RemoteView(address uint64) bool { return address>>40 == 2 }
func (d *device) Texture(handle uint64) *Texture { return d.textures[handle] }

func TestCheckArguments(t *testing.T) {
	d := &device{textures: map[uint64]*Texture{
		1: {Kind: "2D", Format: "R32Float", Numbers: Fractions, Usage: UsageRead},
		2: {Kind: "2D", Format: "R32Float", Numbers: Fractions, Remote: true},
		3: {Kind: "2D", Format: "R32Sint", Numbers: Signed, Usage: UsageRead},
		4: {Kind: "2D", Format: "R32Float", Numbers: Fractions},
	}}
	d.space.Set(1, exec.Object{Data: make([]byte, 64)})
	image := &ir.TextureRef{Dim: ir.Tex2D, Data: ir.DataFloat, Access: "sample"}
	p := New(Pipeline{Name: "k", Args: []ir.Arg{
		{Kind: ir.ArgBuffer, Index: 0, Name: "x", Size: 16, Align: 16, Active: true},
		{Kind: ir.ArgBuffer, Index: 7, Name: "idle", Size: 16, Align: 16},
		{Kind: ir.ArgTexture, Index: 0, Name: "t", TextureInfo: image, Count: 3, Active: true},
	}})
	type slots = []uint64
	for _, c := range []struct {
		buffers, textures slots
		want              string
	}{
		{slots{exec.Address(1, 48)}, nil, ""},
		{slots{exec.Address(1, 0)}, slots{0, 1, 4}, ""},
		{slots{exec.Address(1, 0)}, slots{4, 0, 0, 3}, ""}, // the last one is behind the array
		{slots{exec.Address(1, 0)}, slots{9}, ""},          // a texture that is gone
		{slots{exec.Address(9, 8)}, nil, ""},               // a buffer that is gone
		{nil, nil, `kernel "k": nothing is bound at buffer index 0, argument "x"`},
		{slots{0, 5}, nil, `kernel "k": nothing is bound at buffer index 0, argument "x"`},
		{slots{exec.Address(1, 2)}, nil,
			`kernel "k": the offset of the buffer at index 0, argument "x", is 2 bytes, want a multiple of 16`},
		{slots{exec.Address(1, 64)}, nil,
			`kernel "k": the buffer at index 0, argument "x", has 0 bytes from offset 64 on, the argument takes 16`},
		{slots{exec.Address(1, 1<<40-16)}, nil,
			`kernel "k": the buffer at index 0, argument "x", has 0 bytes from offset 1099511627760 on, the argument takes 16`},
		{slots{exec.Address(2, 0)}, nil,
			`kernel "k": the buffer at index 0, argument "x", is a remote view, which only blits may read`},
		{slots{exec.Address(1, 0)}, slots{0, 2},
			`kernel "k": the texture at index 1, argument "t", is a remote view, which only blits may read`},
		{slots{exec.Address(1, 0)}, slots{1, 1, 3},
			`kernel "k": the texture at index 2, argument "t", has the pixel format R32Sint, want one of float or half`},
	} {
		err := p.CheckArguments(&Bindings{Buffers: c.buffers, Textures: c.textures}, d)
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, c.want)
	}
}

// TestCheckFormats: the error of a format that does not allow the access names formats that do, of
// the same kind of numbers.
func TestCheckFormats(t *testing.T) {
	d := &device{textures: map[uint64]*Texture{
		1: {Kind: "2D", Format: "A8Unorm", Numbers: Fractions, Allows: UsageRead},
		2: {Kind: "2D", Format: "RG8Unorm", Numbers: Fractions, Allows: UsageRead | UsageWrite},
		3: {Kind: "2D", Format: "RG8Uint", Numbers: Unsigned, Allows: UsageRead | UsageWrite},
		4: {Kind: "2D", Format: "RG8Sint", Numbers: Signed, Allows: UsageRead | UsageWrite},
		5: {Kind: "2D", Format: "R8Sint", Numbers: Signed, Allows: UsageRead | UsageWrite | UsageReadWrite},
		6: {Kind: "2D", Format: "RG8Sint", Numbers: Signed, Allows: UsageRead | UsageWrite, Usage: UsageAtomic | 3},
	}}
	for _, c := range []struct {
		texture uint64
		data    ir.DataType
		access  string
		want    string
	}{
		{1, ir.DataFloat, "sample", ""},
		{1, ir.DataFloat, "write", "A8Unorm, which kernels cannot write; use a format such as R8Unorm, RGBA8Unorm, "},
		{2, ir.DataHalf, "write", ""},
		{2, ir.DataHalf, "read_write", "RG8Unorm, which one argument cannot both read and write; use two textures, " +
			"or one of the formats R8Unorm, RGBA8Unorm, R16Float, RGBA16Float, R32Float or RGBA32Float"},
		{3, ir.DataUInt, "read_write", "or one of the formats R8Uint, "},
		{4, ir.DataInt, "read_write", "or one of the formats R8Sint, "},
		{5, ir.DataInt, "read_write", ""},
		{6, ir.DataInt, "read_write", ""},
	} {
		for _, count := range []int{0, 2} { // a texture, and the second of an array
			p := New(Pipeline{Name: "k", Args: []ir.Arg{{Kind: ir.ArgTexture, Name: "x", Count: count, Active: true,
				TextureInfo: &ir.TextureRef{Dim: ir.Tex2D, Data: c.data, Access: c.access}}}})
			slots := []uint64{c.texture}
			if count > 0 {
				slots = []uint64{0, c.texture}
			}
			err := p.CheckArguments(&Bindings{Textures: slots}, d)
			if c.want == "" {
				assert.NoError(t, err, c)
				continue
			}
			assert.ErrorContains(t, err, `kernel "k": the texture at index `)
			assert.ErrorContains(t, err, `argument "x", has the pixel format `)
			assert.ErrorContains(t, err, c.want)
		}
	}
}

// TestSharedTextures: a kernel must not write what another argument reads; parts of a texture
// without a common slice of a level are two textures.
func TestSharedTextures(t *testing.T) {
	memory, other := new(int), new(int)
	part := func(m any, offset uint64, levels, slices [2]uint64) *Texture {
		return &Texture{Kind: "2D", Numbers: Fractions, Part: Part{m, offset, levels, slices}}
	}
	one := [2]uint64{0, 1}
	d := &device{textures: map[uint64]*Texture{
		1: part(memory, 0, one, one), 2: part(memory, 0, one, one), 3: part(other, 0, one, one),
		4: part(memory, 0, [2]uint64{1, 3}, one), 5: part(memory, 0, [2]uint64{0, 2}, one),
		6: part(memory, 0, one, [2]uint64{1, 2}), 7: part(memory, 64, one, one), 8: {Kind: "2D", Numbers: Fractions},
	}}
	texture := func(index, count int, access string) ir.Arg {
		return ir.Arg{Kind: ir.ArgTexture, Index: index, Name: access, Count: count, Active: true,
			TextureInfo: &ir.TextureRef{Dim: ir.Tex2D, Data: ir.DataFloat, Access: access}}
	}
	args := []ir.Arg{texture(0, 0, "sample"), texture(2, 0, "write"), texture(3, 0, "read_write"), texture(4, 2,
		"read")}
	p := New(Pipeline{Name: "k", Args: args})
	for _, c := range []struct {
		textures []uint64
		want     string
	}{
		{[]uint64{1, 0, 2, 3, 0, 0},
			`"sample", which the kernel reads, has the texels of the one at index 2, argument "write"`},
		{[]uint64{1, 0, 3, 1, 0, 0},
			`"sample", which the kernel reads, has the texels of the one at index 3, argument "read_write"`},
		{[]uint64{4, 0, 3, 5, 0, 0}, `argument "read_write"`},
		{[]uint64{3, 0, 1, 1, 0, 0}, ""}, // two that write
		{[]uint64{1, 0, 4, 6, 0, 0}, ""},
		{[]uint64{1, 0, 7, 3, 0, 0}, ""},
		{[]uint64{8, 0, 8, 8, 0, 0}, ""}, // nothing is known
		{[]uint64{3, 0, 1, 4, 1, 4}, ""}, // an array
		{[]uint64{9, 0, 9, 9, 0, 0}, ""}, // gone
	} {
		err := p.CheckArguments(&Bindings{Textures: c.textures}, d)
		if c.want == "" {
			assert.NoError(t, err, c.textures)
			continue
		}
		assert.ErrorContains(t, err, c.want, c.textures)
	}
}

func TestCheckGroup(t *testing.T) {
	p := New(Pipeline{Name: "k", MaxThreads: 256, StaticMemory: 32768 - 32})
	for _, c := range []struct {
		group  Size
		memory []uint64
		want   string
	}{
		{Size{256, 1, 1}, []uint64{16, 16}, ""},
		{Size{257, 1, 1}, nil, `kernel "k": the threadgroup has 257 threads (257 x 1 x 1), want at most 256`},
		{Size{1 << 33, 1 << 33, 1}, nil,
			`kernel "k": the threadgroup has 18446744073709551615 threads (8589934592 x 8589934592 x 1), want at most 256`},
		{Size{1, 0, 1}, nil, `kernel "k": the threadgroup is 1 x 0 x 1 threads, want at least 1 each way`},
		{Size{1, 1, 1}, []uint64{16, 16, 16},
			`kernel "k": threadgroup memory is 32784 bytes, 32736 of them the kernel's own, want at most 32768`},
	} {
		err := p.CheckGroup(c.group, c.memory)
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, c.want)
	}
	require.NoError(t, New(Pipeline{MaxThreads: 64, MultipleOfWidth: true}).CheckGroup(Size{8, 8, 1}, nil))
	require.ErrorContains(t, New(Pipeline{MaxThreads: 64, MultipleOfWidth: true}).CheckGroup(Size{8, 5, 1}, nil),
		"40 threads")
}

func TestVolume(t *testing.T) {
	assert.EqualValues(t, 24, Size{2, 3, 4}.Volume())
	assert.EqualValues(t, 0, Size{1 << 40, 1 << 40, 0}.Volume())
	assert.EqualValues(t, uint64(math.MaxUint64), Size{1 << 32, 1 << 32, 1}.Volume())
}
