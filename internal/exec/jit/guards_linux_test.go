package jit

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// fenced returns n bytes with pages before and behind them that must not be touched.
func fenced(t *testing.T, n int) []byte {
	t.Helper()
	const page = 4096
	size := (n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(all)) })
	require.NoError(t, syscall.Mprotect(all[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(all[page+size:], syscall.PROT_NONE))
	return all[page+size-n : page+size : page+size]
}

// TestMachineCodeGuards: machine code touches no byte behind a buffer, even where the last vector
// of a threadgroup has fewer lanes.
func TestMachineCodeGuards(t *testing.T) {
	needMachineCode(t)
	for typ, size := range map[string]int{"float": 4, "ushort": 2, "uchar": 1} {
		testGuards(t, typ, size)
	}
}

// testGuards is TestMachineCodeGuards for a type of so many bytes.
func testGuards(t *testing.T, typ string, size int) {
	t.Helper()
	ks := kernelsOf(t, strings.ReplaceAll(`
kernel void copy(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  out[i] = in[i] * 2 + in[i ^ 1];
}
kernel void rows(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 uint2 p [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  out[p.y * size.x + p.x] = in[p.y * size.x + p.x] + in[p.x] + in[size.x * size.y - 1];
}
kernel void some(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  if (i % 3 != 1) out[i + 1] = in[i + 3] - in[2 * i];
}`, "float", typ))
	e := exec.NewEngine(2)
	for name, k := range ks {
		for _, n := range []int{2, 14, 16, 18, 100, 254, 256, 258, 1000} {
			for _, group := range [][3]int{{16, 1, 1}, {100, 1, 1}, {256, 1, 1}, {300, 1, 1}} {
				grid := [3]int{n, 1, 1}
				if name == "rows" {
					grid, group = [3]int{n / 2, 2, 1}, [3]int{16, 2, 1}
				}
				in, out, want := fenced(t, size*n), fenced(t, size*n), make([]byte, size*n)
				copy(in, floats(n)[:size*n])
				run := func(k *exec.Kernel, out []byte) {
					sp := &exec.Space{}
					sp.Set(1, exec.Object{Data: out})
					sp.Set(2, exec.Object{Data: in})
					require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: grid, Group: group, Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
				}
				run(k, want)
				for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Cold: true}) {
					clear(out)
					run(exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}}), out)
					require.Equal(t, want, out, "%s of %s, %d threads in groups of %v, %+v", name, typ, n, group, o)
				}
			}
		}
	}
}

// TestMachineCodeTextureGuards: machine code touches no byte outside of the pages of a texture.
func TestMachineCodeTextureGuards(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, strings.NewReplacer("TYPE", "float", "VALUE", "float4").Replace(textureKernels))
	for _, format := range []string{"R8Unorm", "RG8Unorm", "R16Float", "R32Float", "RGBA16Float", "RGBA32Float"} {
		for _, name := range []string{"apart", "rows", "shapes"} {
			testTextures(t, ks[name], "float", format+", "+name, func() textureLaunch {
				return newTextureLaunch(t, format, specialFloats(), nil, func(n int) []byte { return fenced(t, n) })
			})
		}
	}
}

// TestMachineCodeSampleGuards: the same of samples.
func TestMachineCodeSampleGuards(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, strings.ReplaceAll(sampleKernels, "TYPE", "float"))
	for _, format := range []string{"R8Unorm", "RG8Unorm", "R16Float", "R32Float", "RGBA16Float", "RGBA32Float"} {
		for _, linear := range []bool{true, false} {
			for _, name := range []string{"plain", "levels"} {
				s := &ir.SamplerState{MagLinear: linear, MinLinear: linear, Mip: "nearest"}
				testTextures(t, ks[name], "float", format+", "+name, func() textureLaunch {
					return newSampleLaunch(t, format, s, 7, func(n int) []byte { return fenced(t, n) })
				})
			}
		}
	}
}
