package gokernel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// textureRefusals are declarations, the statements of a kernel, and words of the reason.
var textureRefusals = []struct{ before, text, words string }{
	{"", "a := in; _ = a.Width()", "kernel.Texture2D[simd.Float4] as a value: a texture is only a parameter"},
	{"", "in = in", "a texture is only a parameter"},
	{"", "a := &in; _ = a.Width()", "a texture is only a parameter"},
	{"", "_ = (&in).Width()", "a texture is only a parameter"},
	{"", "var a kernel.Texture2D[simd.Float4]; _ = a.Width()", "a texture is only a parameter"},
	{"", "a := [2]kernel.Texture2D[simd.Float4]{in, in}; _ = a[0].Width()", "a texture is only a parameter"},
	{"", "_ = in.Image", "a texture is only a parameter"},
	{"", "_ = in.Image.Width()", "kernels have textures of it"},
	{"", "_ = in == in", "a texture is only a parameter"},
	{"", "_ = kernel.Texture2D[simd.Float4].Read(in, 0, 0)", "the method Read as a function"},
	{"", "f := in.Read; _ = f(0, 0)", "the method Read as a function"},
	{"", "_ = kernel.Texture2D[simd.Float4]{Image: in.Image}.Read(0, 0)", "a texture is only a parameter"},
	{"", "p := kernel.Shared[kernel.Texture2D[simd.Float4]](t); _ = p", "a texture is only a parameter"},
	{"type T struct{ A kernel.Texture2D[simd.Float4] }\nfunc f(v T) { _ = v.A.Read(0, 0) }\n", "f(T{in})",
		"a texture is only a parameter"},
	{"type T struct{ kernel.Texture2D[simd.Float4] }\n", "v := T{in}; v.Read(0, 0)", "a texture is only a parameter"},
	{"func f(in kernel.Texture2D[simd.Float4]) kernel.Texture2D[simd.Float4] { return in }\n", "_ = f(in).Read(0, 0)",
		"a texture is only a parameter"},
	{"func f(in, or kernel.Texture2D[simd.Float4]) { in = or; _ = in.Read(0, 0) }\n", "f(in, in)",
		"a texture is only a parameter"},
	{"type U kernel.Texture2D[simd.Float4]\n", "_ = U(in)", "field Image"},
	{"", "var m *kernel.Image; _ = m", "the variable m is a nil pointer"},
	{"", "var m kernel.Image; _ = m", "kernels have textures of it"},

	{"", "s := kernel.Sampler{}; r := s; _ = in.Sample(r, at)", "a kernel.Sampler as a value"},
	{"", "s := kernel.Sampler{}; s.Texels = true; _ = in.Sample(s, at)", "a kernel.Sampler as a value"},
	{"", "s := kernel.Sampler{}; s = kernel.Sampler{Texels: true}; _ = in.Sample(s, at)", "a kernel.Sampler as a value"},
	{"", "r, s := kernel.Sampler{}, kernel.Sampler{}; _, _ = in.Sample(r, at), in.Sample(s, at)",
		"a kernel.Sampler as a value"},
	{"", "s := kernel.Sampler{}; if s.Texels { x[0] = 1 }", "a kernel.Sampler as a value"},
	{"", "s := [1]kernel.Sampler{}; _ = in.Sample(s[0], at)", "a kernel.Sampler as a value"},
	{"func f() kernel.Sampler { return kernel.Sampler{} }\n", "_ = in.Sample(f(), at)", "a kernel.Sampler as a value"},
	{"", "s := kernel.Sampler{Filter: kernel.Filter(x[0])}; _ = in.Sample(s, at)", "the field Filter of a"},
	{"", "s := kernel.Sampler{S: 5}; _ = in.Sample(s, at)", "the field S of a kernel.Sampler is 5"},
	{"", "s := kernel.Sampler{S: kernel.Repeat, Texels: true}; _ = in.Sample(s, at)", "counts Texels and repeats"},
	{"var s = kernel.Sampler{}\nfunc init() { s.Texels = true }\n", "_ = in.Sample(s, at)", "the variable s, which line"},
	{"var s = r\nvar r = kernel.Sampler{}\n", "_ = in.Sample(s, at)", "a kernel.Sampler as a value"},
	{"var list = []kernel.Sampler{{}}\n", "_ = in.Sample(list[0], at)", "a kernel.Sampler as a value"},
	{"", "_ = ints.Sample(kernel.Sampler{Filter: kernel.Linear}, at)", "texels of kernel.Texture2D[simd.Int4] are"},
	{"var s = kernel.Sampler{kernel.Linear, 0, 0, 0, false}\n", "_ = ints.Sample(s, at)", "are integers; use Nearest"},
}

func textureProgram(before, text string) string {
	return "package k\n\nimport (\n\"github.com/puremetal/puremetal/kernel\"\n" +
		"\"github.com/puremetal/puremetal/simd\"\n)\n\n" + before + markK + ", x []int32, " +
		"in kernel.Texture2D[simd.Float4], ints kernel.Texture2D[simd.Int4], out kernel.WriteTexture2D[simd.Half4], " +
		"rw kernel.ReadWriteTexture2D[simd.UInt4], at simd.Float2) {\n" + text + "\n}\n"
}

// TestTextureRefusals: what kernels cannot do with textures and samplers is refused.
func TestTextureRefusals(t *testing.T) {
	for _, c := range textureRefusals {
		text := textureProgram(c.before, c.text)
		r, err := translateText(t, text)
		require.NoError(t, err, "%s", c.text)
		require.Len(t, r.Refused, 1, "%s", text)
		assert.Contains(t, r.Refused[0].Reason, c.words, "%s%s", c.before, c.text)
		line := r.Refused[0].Pos.Line
		assert.NotEmpty(t, strings.TrimSpace(strings.Split(text, "\n")[line-1]), "%s", c.text)
	}
	r, err := translateText(t, strings.Replace(textureProgram("", ""), "at simd.Float2", "s kernel.Sampler", 1))
	require.NoError(t, err)
	require.Len(t, r.Refused, 1)
	assert.Contains(t, r.Refused[0].Reason, "parameter s is a kernel.Sampler; declare it in the kernel")
	many := "in kernel.Texture2D[simd.Float4]" + strings.Repeat(", _ kernel.Texture2D[simd.Float4]", 128)
	r, err = translateText(t, strings.Replace(textureProgram("", ""), "in kernel.Texture2D[simd.Float4]", many, 1))
	require.NoError(t, err)
	require.Len(t, r.Refused, 1)
	assert.Contains(t, r.Refused[0].Reason, "more than 128 textures")
}

// TestTextureText: the text of what kernels do with textures, and where Metal binds them.
func TestTextureText(t *testing.T) {
	for _, c := range []struct {
		before, text string
		want         []string
	}{
		{"", "_ = in", []string{"(void)(in);"}},
		{"", "_ = kernel.Sampler{}", []string{"constexpr metal::sampler sampler(metal::filter::nearest);"}},
		{"", "out.Write(simd.Half4{}, 1, out.Width())", []string{
			"metal::texture2d<half, metal::access::write> out [[texture(2)]]",
			"metal::texture2d<uint, metal::access::read_write> rw [[texture(3)]]",
			"constant float2& at [[buffer(2)]]",
			"out.write(half4(half(0), half(0), half(0), half(0)), uint2(1, out.get_width()));"}},
		{"", "t.Barrier()", []string{"(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup);"}},
		{"", "rw.Write(simd.UInt4{}, 0, 0)\nt.Barrier()\nx[0] = int32(rw.Read(1, 2).X)",
			[]string{"rw.fence();", "mem_threadgroup | metal::mem_flags::mem_texture);"}},
		{"var smooth = kernel.Sampler{Filter: kernel.Linear, S: kernel.ClampToBorder, Border: kernel.OpaqueWhite}\n",
			"x[0] = int32(in.Sample(smooth, at).X)", []string{"constexpr metal::sampler smooth(metal::filter::linear, " +
				"metal::s_address::clamp_to_border, metal::border_color::opaque_white);", "in.sample(smooth, at).x"}},
		{"func f[T interface{ Read(x, y uint32) simd.Float4 }](a T) float32 { return a.Read(1, 2).X }\n",
			"x[0] = int32(f(in))", []string{"static float f_texture2d_float(metal::texture2d<float> a) {\n" +
				"  return a.read(uint2(1, 2)).x;\n"}},
		{"", "f := func(a kernel.Texture2D[simd.Float4], s kernel.Sampler) float32 { return a.Sample(s, at).X }\n" +
			"s := kernel.Sampler{Texels: true, T: kernel.ClampToZero}\nx[0] = int32(f(in, s))", []string{
			"const auto f = [&](metal::texture2d<float> a, metal::sampler s) -> float {",
			"constexpr metal::sampler s(metal::filter::nearest, metal::t_address::clamp_to_zero, metal::coord::pixel);"}},
		{"func texel(a kernel.Texture2D[simd.Float4], x uint32) float32 { return a.Read(x, 1).X }\n" +
			"func sum(a kernel.Texture2D[simd.Float4], f func(kernel.Texture2D[simd.Float4], uint32) float32) float32 {\n" +
			"return f(a, 0) + f(a, 1)\n}\n",
			"g := texel\nx[0] = int32(sum(in, texel) + g(in, 2))",
			[]string{"const auto g = [&](metal::texture2d<float> a, uint a_2) -> float {"}},
		{"func texels(a kernel.Texture2D[simd.Float4], s kernel.Sampler) func(yield func(float32) bool) {\n" +
			"return func(yield func(float32) bool) {\nfor i := range a.Width() {\n" +
			"if !yield(a.Sample(s, simd.Float2{X: float32(i)}).X) {\nreturn\n}\n}\n}\n}\n",
			"for v := range texels(in, kernel.Sampler{Texels: true}) {\nx[0] += int32(v)\n}\n" +
				"all := texels(in, kernel.Sampler{})\nfor v := range all {\nx[0] += int32(v)\n}",
			[]string{"metal::texture2d<float> a, metal::sampler s", "metal::coord::pixel"}},
	} {
		r, err := translateText(t, textureProgram(c.before, c.text))
		require.NoError(t, err, "%s", c.text)
		require.Empty(t, r.Refused, "%s", c.text)
		for _, want := range c.want {
			assert.Contains(t, r.Text, want, "%s", c.text)
		}
		args := r.Kernels[0].Args
		require.Len(t, args, 7)
		assert.Equal(t, Arg{Name: "rw", As: "rw", Kind: "texture", Index: 3, Type: "texture2d<uint, access::read_write>"},
			args[5])
		assert.Equal(t, Arg{Name: "at", As: "at", Kind: "value", Index: 2, Type: "float2"}, args[6])
	}
}
