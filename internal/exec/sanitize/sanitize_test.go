package sanitize_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/sanitizetest"
	"github.com/puremetal/puremetal/sanitizer"
)

// corpus is the folder of kernels with mistakes, each beside its correct form.
var corpus = filepath.Join("..", "..", "..", "testdata", "sanitize")

// run launches a kernel under a sanitizer.
func run(t testing.TB, f *ir.Func, bytes int, format string, grid, group int, s *sanitize.Sanitizer) error {
	e := exec.NewEngine(2)
	defer e.Close()
	l := &exec.Launch{Grid: [3]int{grid}, Group: [3]int{group}, Space: &exec.Space{},
		Cooperative: &exec.Cooperative{}}
	for _, a := range f.Args {
		if a.Kind == ir.ArgTexture { // of 16 × 16 texels
			format, ok := texel.ParseFormat(format)
			require.True(t, ok)
			l.Space.SetTexture(1, texel.New(format, 16, 16, 1, 1, 1, make([]byte, 16*16*16)))
			l.Textures = []uint64{1}
		}
		if a.Kind != ir.ArgBuffer {
			continue
		}
		data := make([]byte, bytes)
		for i := range len(data) / 4 {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(i*7+1))
		}
		l.Space.Set(uint32(a.Index+1), exec.Object{Data: data})
		for len(l.Buffers) <= a.Index {
			l.Buffers = append(l.Buffers, 0)
		}
		l.Buffers[a.Index] = exec.Address(uint32(a.Index+1), 0)
	}
	l.Hook = s.Launch(l)
	return e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l)
}

// TestCorpus: each mistake is found, at its line, and nothing else, and nothing in correct kernels.
func TestCorpus(t *testing.T) {
	cases, err := sanitizetest.Corpus(corpus)
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	wrong, right := 0, 0
	for _, c := range cases {
		require.Equal(t, c.Wrong(), len(c.Find) > 0, c.Func.Name)
		if len(c.Find) > 0 {
			wrong++
		} else {
			right++
		}
		t.Run(c.Func.Name, func(t *testing.T) {
			s := sanitize.New(sanitizer.All, nil)
			err := run(t, c.Func, c.Bytes, c.Format, 128, 64, s)
			if err != nil {
				require.ErrorIs(t, err, exec.ErrDivergentBarrier)
			}
			have := map[string]bool{}
			for _, x := range s.Findings() {
				at := fmt.Sprintf("%v:%d", x.Kind, x.Line)
				if x.Other != nil && c.Find[fmt.Sprintf("%v:%d", x.Kind, x.Other.Line)] {
					have[fmt.Sprintf("%v:%d", x.Kind, x.Other.Line)] = true
					if !c.Find[at] {
						continue // the other place is the one that is marked
					}
				}
				have[at] = true
				assert.NotEmpty(t, x.Message)
				t.Log(x.String())
			}
			assert.Equal(t, c.Find, have)
		})
	}
	t.Logf("%d kernels with mistakes, %d without", wrong, right)
}

// TestMisalignedAndOutside: of an atomic operation whose lanes are all outside of the buffer, and
// the first one misaligned too, both mistakes are found.
func TestMisalignedAndOutside(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Text: `#include <metal_stdlib>
using namespace metal;
kernel void k(device uchar *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	atomic_fetch_add_explicit((device atomic_uint *)(out + (i == 0 ? 4097 : 4096 + 4 * i)), 1u, memory_order_relaxed);
}
`}, msl.Options{NoWarnings: true})
	require.Empty(t, diags)
	s := sanitize.New(sanitizer.All, nil)
	require.NoError(t, run(t, m.IR.Funcs[0], 4096, "", 32, 32, s))
	var kinds sanitizer.Kinds
	for _, f := range s.Findings() {
		kinds |= f.Kind
	}
	assert.Equal(t, sanitizer.Misaligned|sanitizer.Bounds, kinds)
}
