package sanitize_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/sanitizer"
)

// corpus is the folder of kernels with mistakes, each beside its correct form.
var corpus = filepath.Join("..", "..", "..", "testdata", "sanitize")

var (
	kernelLine = regexp.MustCompile(`^kernel void (\w+)\(`)
	buffers    = regexp.MustCompile(`^// buffers (\d+)$`)
	mark       = regexp.MustCompile(`// FIND (\w+)$`)
)

// expectation is what a kernel of the corpus says of itself.
type expectation struct {
	bytes int
	find  map[string]bool // "kind:line"
}

// expectations reads the comments of a file.
func expectations(t *testing.T, text string) map[string]*expectation {
	all := map[string]*expectation{}
	bytes, now := 4096, (*expectation)(nil)
	for i, line := range strings.Split(text, "\n") {
		if m := buffers.FindStringSubmatch(line); m != nil {
			bytes, _ = strconv.Atoi(m[1])
		}
		if m := kernelLine.FindStringSubmatch(line); m != nil {
			now = &expectation{bytes, map[string]bool{}}
			all[m[1]], bytes = now, 4096
		}
		if m := mark.FindStringSubmatch(line); m != nil {
			require.NotNil(t, now, "line %d", i+1)
			now.find[fmt.Sprintf("%s:%d", m[1], i+1)] = true
		}
	}
	return all
}

// run launches a kernel under a sanitizer.
func run(t testing.TB, f *ir.Func, bytes, grid, group int, s *sanitize.Sanitizer) error {
	e := exec.NewEngine(2)
	defer e.Close()
	l := &exec.Launch{Grid: [3]int{grid}, Group: [3]int{group}, Space: &exec.Space{},
		Cooperative: &exec.Cooperative{}}
	for _, a := range f.Args {
		if a.Kind == ir.ArgTexture { // of 16 × 16 texels
			format, ok := texel.ParseFormat("RGBA32Uint")
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
	files, err := filepath.Glob(filepath.Join(corpus, "*.metal"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	wrong, right := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		expected := expectations(t, string(text))
		m, diags := msl.Compile(context.Background(), msl.Source{Name: filepath.Base(file), Text: string(text)},
			msl.Options{NoWarnings: true, KeepUninitialized: true})
		require.Empty(t, diags)
		for _, f := range m.IR.Funcs {
			want := expected[f.Name]
			require.NotNil(t, want, f.Name)
			require.Equal(t, strings.HasSuffix(f.Name, "_wrong"), len(want.find) > 0, f.Name)
			if len(want.find) > 0 {
				wrong++
			} else {
				right++
			}
			t.Run(f.Name, func(t *testing.T) {
				s := sanitize.New(sanitizer.All, nil)
				err := run(t, f, want.bytes, 128, 64, s)
				if err != nil {
					require.ErrorIs(t, err, exec.ErrDivergentBarrier)
				}
				have := map[string]bool{}
				for _, x := range s.Findings() {
					at := fmt.Sprintf("%v:%d", x.Kind, x.Line)
					if x.Other != nil && want.find[fmt.Sprintf("%v:%d", x.Kind, x.Other.Line)] {
						have[fmt.Sprintf("%v:%d", x.Kind, x.Other.Line)] = true
						if !want.find[at] {
							continue // the other place is the one that is marked
						}
					}
					have[at] = true
					assert.NotEmpty(t, x.Message)
					t.Log(x.String())
				}
				assert.Equal(t, want.find, have)
			})
		}
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
	require.NoError(t, run(t, m.IR.Funcs[0], 4096, 32, 32, s))
	var kinds sanitizer.Kinds
	for _, f := range s.Findings() {
		kinds |= f.Kind
	}
	assert.Equal(t, sanitizer.Misaligned|sanitizer.Bounds, kinds)
}
