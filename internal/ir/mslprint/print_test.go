package mslprint_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// errorsIn returns the errors among diagnostics.
func errorsIn(m *msl.Module, diags []diag.Diagnostic) (found []string) {
	for i := range diags {
		if diags[i].Severity == diag.Error {
			found = append(found, diags[i].Message)
		}
	}
	return found
}

// TestCorpus prints each kernel of the repository's programs; the text compiles.
func TestCorpus(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../../testdata/kernels/*.metal", "../../../testdata/msl/*/*.metal",
		"../../tensorop/*.metal", "../../../examples/*/*.metal", "../../softmps/imagekernels/*.metal"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	printed, total := 0, 0
	refused := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		opts := msl.Options{Include: os.DirFS(filepath.Dir(name))}
		if v, ok := strings.CutPrefix(string(text), "// metal "); ok {
			opts.MetalVersion, err = strconv.Atoi(v[:3])
			require.NoError(t, err)
		}
		m, diags := msl.Compile(context.Background(), msl.Source{Name: filepath.Base(name), Text: string(text)}, opts)
		if len(errorsIn(m, diags)) > 0 {
			continue
		}
		for _, f := range m.IR.Funcs {
			total++
			text, err := mslprint.Kernel(f)
			if err != nil {
				var u *mslprint.Unsupported
				require.True(t, errors.As(err, &u))
				refused[u.What]++
				continue
			}
			printed++
			again, diags := msl.Compile(context.Background(), msl.Source{Name: f.Name, Text: text},
				msl.Options{Math: "safe", MetalVersion: opts.MetalVersion, Verify: true})
			if !assert.Empty(t, errorsIn(again, diags), "%s: %s\n%s", name, f.Name, text) {
				continue
			}
			require.NotNil(t, again.IR.Func(f.Name))
		}
	}
	assert.Greater(t, printed, total*9/10)
	t.Logf("%d of %d kernels printed", printed, total)
	for what, n := range refused {
		t.Logf("refused: %d with %s", n, what)
	}
}

// TestText: what the text of a small kernel looks like.
func TestText(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Text: `#include <metal_stdlib>
kernel void below(device const int *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint &n [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
    float sum = 0;
    for (uint k = 0; k < n; k++) {
        if (in[k] < 0) break;
        sum += metal::sin(float(in[k] * 3));
    }
    out[i] = sum;
}`}, msl.Options{})
	require.Empty(t, errorsIn(m, diags))
	text, err := mslprint.Kernel(m.IR.Funcs[0])
	require.NoError(t, err)
	assert.Equal(t, `#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

kernel void below(device int* in [[buffer(0)]],
    device float* out [[buffer(1)]],
    constant uint& n [[buffer(2)]],
    uint3 thread_position_in_grid [[thread_position_in_grid]]) {
    device uchar* in_at = (device uchar*)in;
    device uchar* out_at = (device uchar*)out;
    constant uchar* n_at = (constant uchar*)&n;
    float f1;
    uint i2 = 0u;
    float f3 = 0.0f;
    while (true) {
        uint i4 = *(constant uint*)n_at;
        if (!(i2 < i4)) {
            f1 = f3;
            break;
        }
        uint i5 = *(device uint*)(in_at + ulong(i2) * 4);
        if (int(i5) < 0) {
            f1 = f3;
            break;
        }
        uint i6 = *(device uint*)(in_at + ulong(i2) * 4);
        i2 = i2 + 1u;
        f3 = f3 + fast::sin(float(int(i6 * 3u)));
    }
    *(device float*)(out_at + ulong(thread_position_in_grid.x) * 4) = f1;
}
`, text)
}

// TestRefused: the error for a kernel without a text says what and where.
func TestRefused(t *testing.T) {
	m, err := ir.Parse("file \"a.metal\"\nkernel \"k\" { body {\ngrid.barrier @1:7:9\nreturn } }")
	require.NoError(t, err)
	_, err = mslprint.Kernel(m.Funcs[0])
	require.EqualError(t, err, `a.metal:7:9: kernel "k" cannot be printed as Metal source: operation grid.barrier`)
}

// TestBrainSigns: the library has no copysign and fabs of bfloat, so the text computes their bits.
func TestBrainSigns(t *testing.T) {
	m, err := ir.Parse(`kernel "k" { arg {"kind":"buffer","space":"device","index":0} body {
		%0 = arg #0 : ptr.device %1 = load %0 : bf16x2 %2 = field %0 #4 : ptr.device %3 = load %2 : bf16x2
		%4 = copysign %1, %3 : bf16x2 store %0, %4
		%5 = fabs %3 : bf16x2 store %2, %5 return } }`)
	require.NoError(t, err)
	text, err := mslprint.Kernel(m.Funcs[0])
	require.NoError(t, err)
	again, diags := msl.Compile(context.Background(), msl.Source{Text: text}, msl.Options{Math: "safe", Verify: true})
	require.Empty(t, diags, text)
	data := []byte{0x80, 0x3f, 0x80, 0xbf, 0, 0xc0, 0, 0x40} // 1 -1, -2 2
	l := testlaunch.Launch{Grid: [3]int{1, 1, 1}, Group: [3]int{1, 1, 1},
		Buffers: map[int]testlaunch.Buffer{0: {Data: data}}}
	require.NoError(t, l.Run(context.Background(), again.IR.Func("k"), ref.Run))
	assert.Equal(t, []byte{0x80, 0xbf, 0x80, 0x3f, 0, 0x40, 0, 0x40}, data, text)
}
