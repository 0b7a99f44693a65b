package bindless_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/bindless"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

func compile(t *testing.T, text string) *ir.Func {
	t.Helper()
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "test.metal",
		Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}, msl.Options{})
	for i := range diags {
		require.Less(t, diags[i].Severity, diag.Error, diags[i].Message)
	}
	return m.IR.Funcs[0]
}

// TestRewrite: textures and samplers come from buffers at free indices, wherever they are used. The
// kernel itself stays as it is, and the new one can be printed and compiled again.
func TestRewrite(t *testing.T) {
	f := compile(t, `
constant bool extra [[function_constant(0)]];
kernel void k(texture2d<float> a [[texture(3)]], texture2d_array<uint, access::read_write> b [[texture(0)]],
              sampler s [[sampler(2)]], depth2d<float> d [[texture(1), function_constant(extra)]],
              device float *x [[buffer(1)]], constant uint &n [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  for (uint j = 0; j < n; j++) {
    if (j % 2 == 0) x[i] += a.sample(s, float2(i, j)).x;
    else b.write(b.read(uint2(i, j), 0) + 1, uint2(i, j), 0);
  }
  if (extra) x[i] += d.sample(s, float2(i));
}`)
	before := f.String()
	made, handles, err := bindless.Rewrite(f)
	require.NoError(t, err)
	require.Equal(t, before, f.String())
	require.NoError(t, made.Verify())
	found := map[string]bindless.Handle{}
	for _, h := range handles {
		found[fmt.Sprintf("%v%d", h.Sampler, h.Index)] = h
	}
	require.Len(t, found, 4)
	for key, kind := range map[string]string{"false3": "texture2d<float, access::sample>",
		"false0": "texture2d_array<uint, access::read_write>", "false1": "depth2d<float, access::sample>"} {
		require.Equal(t, kind, found[key].Kind.String())
	}
	require.Zero(t, found["true2"].Kind)
	buffers := map[int]bool{}
	for i := range made.Args {
		a := &made.Args[i]
		require.Equal(t, ir.ArgBuffer, a.Kind, a.Name)
		require.False(t, buffers[a.Index], "two arguments have index %d", a.Index)
		buffers[a.Index] = true
		require.Equal(t, f.Args[i].Condition, a.Condition)
	}
	require.Len(t, buffers, 6)

	text, err := mslprint.Program([]*ir.Func{made})
	require.NoError(t, err)
	again := compile(t, text)
	require.Len(t, again.Args, 6)
	for i := range again.Args {
		require.Equal(t, ir.ArgBuffer, again.Args[i].Kind)
	}
}

// TestRefused: arrays of textures, and a kernel that has no buffer index left.
func TestRefused(t *testing.T) {
	_, _, err := bindless.Rewrite(compile(t,
		"kernel void k(array<texture2d<float>, 3> t [[texture(4)]], device float *x) { *x = t[1].read(uint2(0)).x; }"))
	require.EqualError(t, err,
		"texture 4 (t) is an array, which launches cannot pass; put the array into an argument buffer")
	var params, sum strings.Builder
	for i := range 29 {
		fmt.Fprintf(&params, "device float *b%d [[buffer(%d)]], ", i, i)
		fmt.Fprintf(&sum, "*b%d = 1; ", i)
	}
	_, _, err = bindless.Rewrite(compile(t, "kernel void k("+params.String()+"texture2d<float> t [[texture(0)]]) { "+
		sum.String()+"*b0 = t.read(uint2(0)).x; }"))
	require.NoError(t, err) // the last index
	_, _, err = bindless.Rewrite(compile(t, "kernel void k("+params.String()+
		"texture2d<float> t [[texture(0)]], sampler s [[sampler(5)]]) { "+sum.String()+"*b0 = t.sample(s, float2(0)).x; }"))
	require.EqualError(t, err, "sampler 5 (s) needs a buffer index, and the kernel uses all 30")
}

// TestKind: types that <puremetal/launch> does not know have a text as well.
func TestKind(t *testing.T) {
	require.Equal(t, "texture_buffer<other, access::read>", bindless.Kind(uint32(ir.TexBuffer)|1<<16).String())
	require.Equal(t, "texturecube_array<ushort, access::other>",
		bindless.Kind(uint32(ir.TexCubeArray)|6<<8|9<<16).String())
}
