package sanitize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/sanitizer"
)

// TestAliases: a texture made of a buffer shares its memory, from byte 256 on. Only barriers for
// both order accesses through the two.
func TestAliases(t *testing.T) {
	const write = "tex.write(uint4(t), uint2(t % 16, t / 16));"
	const both = "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_texture); "
	const read = "a[200 + t] = tex.read(uint2(15 - t % 16, t / 16)).x;"
	for _, c := range []struct {
		name, body string
		race       string // Memory of the finding, "" for none
	}{
		{"texel after word", "a[64 + t] = t; " + read, `texture 0 "tex"`},
		{"word after texel", write + " uint x = a[127 - t]; a[200 + t] = x;", `buffer 0 "a"`},
		{"word over texel", "uint x = tex.read(uint2(t % 16, t / 16)).x; a[127 - t] = x;", `buffer 0 "a"`},
		{"texel over word", "uint x = a[127 - t]; a[200 + t] = x; " + write, `texture 0 "tex"`},
		{"byte of a texel", "((device uchar *)a)[300 + t] = t; " + read, `texture 0 "tex"`},
		{"other threadgroup", "a[64 + t] = 1000 * g; " + both + read,
			`buffer 0 "a"`},
		{"barrier for device memory", "a[64 + t] = t; threadgroup_barrier(mem_flags::mem_device); " + read,
			`texture 0 "tex"`},
		{"barrier for textures", "a[64 + t] = t; threadgroup_barrier(mem_flags::mem_texture); " + read, `texture 0 "tex"`},
		{"barrier for both", "a[64 + t] = t; " + both + read, ""},
		{"one barrier for each", "a[64 + t] = t; threadgroup_barrier(mem_flags::mem_device); " +
			"threadgroup_barrier(mem_flags::mem_texture); " + read, ""},
		{"both read", "uint x = a[127 - t] + tex.read(uint2(t % 16, t / 16)).x; a[200 + t] = x;", ""},
		{"several readers, then a barrier", "uint x = a[127 - t] + tex.read(uint2(t % 16, t / 16)).x; a[200 + t] = x; " +
			both + "a[64 + t] = x;", ""},
		{"the thread's own", "a[64 + t] = t; a[200 + t] = tex.read(uint2(t % 16, t / 16)).x;", ""},
		{"beside the texture", "a[t] = t; a[128 + t] = t; " + read, ""},
		{"in a loop", "for (uint i = 0; i < 4; i++) { a[64 + (t + i) % 64] = t; " + both + read + both + "}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if raceDetector {
				t.Skip("the race detector fails the test for the kernel's race")
			}
			m, diags := msl.Compile(t.Context(), msl.Source{Name: "k.metal", Text: `#include <metal_stdlib>
using namespace metal;
kernel void k(device uint *a [[buffer(0)]], texture2d<uint, access::read_write> tex [[texture(0)]],
              uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  ` + c.body + "\n}\n"}, msl.Options{KeepUninitialized: true, NoWarnings: true})
			require.Empty(t, diags)
			data := make([]byte, 2048)
			for i := range data {
				data[i] = byte(i)
			}
			groups := 1
			if c.name == "other threadgroup" {
				groups = 2
			}
			l := &exec.Launch{Grid: [3]int{64 * groups}, Group: [3]int{64}, Space: &exec.Space{},
				Buffers: []uint64{exec.Address(1, 0)}, Textures: []uint64{1}}
			l.Space.Set(1, exec.Object{Data: data})
			format, _ := texel.ParseFormat("R32Uint")
			l.Space.SetTexture(1, texel.New(format, 16, 4, 1, 1, 1, data[256:512]))
			s := sanitize.New(sanitizer.All, nil)
			l.Hook = s.Launch(l)
			e := exec.NewEngine(1)
			defer e.Close()
			require.NoError(t, e.Run(t.Context(), exec.NewKernel(m.IR.Func("k"), exec.Options{Backend: vm.Backend{}}), l))
			if c.race == "" {
				require.Empty(t, s.Findings())
				return
			}
			require.NotEmpty(t, s.Findings())
			f := s.Findings()[0]
			t.Log(f)
			assert.Equal(t, sanitizer.Race, f.Kind)
			assert.Equal(t, c.race, f.Memory)
		})
	}
}
