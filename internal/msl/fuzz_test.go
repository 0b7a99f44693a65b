package msl

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// noInternal compiles a program and fails the test on an internal error. It reports whether there
// was no error at all.
func noInternal(t *testing.T, text string, opts Options) bool {
	m, diags := Compile(context.Background(), Source{Text: text}, opts)
	ok := true
	for _, d := range diags {
		if ok = ok && d.Severity != diag.Error; d.Code == diag.Internal {
			t.Errorf("%s\n%s", render(t, m, diags), text)
		}
	}
	return ok
}

// lowering is the step budget for lowering an input, which is separate.
const lowering = 1 << 20

// FuzzCompile compiles test data with random token changes, and random programs: nothing panics or
// takes long, and the result of lowering is valid.
func FuzzCompile(f *testing.F) {
	for _, text := range fuzztest.Seeds(f, "../../testdata/msl") {
		f.Add(text, []byte(nil))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add("", randomBytes(r, 300))
	}
	for _, h := range hostilePrograms() {
		f.Add(h.text(min(h.n, 12)), []byte(nil))
	}
	fuzzCompile(f, Options{})
}

// fuzzCompile compiles mixed programs with options, within the limits of fuzzing.
func fuzzCompile(f *testing.F, opts Options) {
	f.Fuzz(func(t *testing.T, text string, changes []byte) {
		if text = fuzztest.Mix(text, changes); len(text) <= fuzztest.MaxText {
			fuzztest.BoundSteps(t, func() int64 {
				var front *budget.Budget
				o := opts
				o.Verify, o.Budget = true, fuzztest.Budget().Limits()
				o.watch = func(b *budget.Budget) { front = b }
				noInternal(t, text, o)
				return front.Spent().Steps + lowering
			})
		}
	})
}

// FuzzOpenCL does the same with kernels in OpenCL C, and with programs that are none.
func FuzzOpenCL(f *testing.F) {
	files, err := filepath.Glob("../../testdata/opencl/*.cl")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text), []byte(nil))
		for i := range byte(8) {
			f.Add(string(text), []byte{i * 31, i * 17, i, 200 - i, i * i, 3, i * 5, 99})
		}
	}
	for _, text := range []string{
		"__kernel void k(__global int *x) { int (*p)(int); double d; again: goto again; }",
		"__kernel void k(__global float8 *x, read_only image2d_t i) { x[0].s70 = (float2)(1); x->hi = x->odd; }",
		"typedef struct { int a : 3; } __attribute__((packed, aligned(4))) s;\n__kernel void k(__global s *x) { x->a++; }",
		"__kernel void k(pipe int p) { sampler_t s = CLK_FILTER_LINEAR; printf(\"%v4hld\", 1); }",
	} {
		f.Add(text, []byte(nil))
	}
	fuzzCompile(f, Options{Dialect: dialect.OpenCL, Logging: true})
}

func randomBytes(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// TestRandomPrograms compiles random programs, most of which are valid.
func TestRandomPrograms(t *testing.T) {
	failOnInternal(t)
	const all = 300
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range all {
		if noInternal(t, fuzztest.Program(randomBytes(r, 100+int(r.Uint32()%800))), Options{Verify: true}) {
			accepted++
		}
	}
	t.Logf("%d of %d random programs accepted", accepted, all)
	assert.Greater(t, accepted, all/2)
}
