package build

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// shapes are the threadgroup shapes to lower for: one lane, one simdgroup, one strip, many strips,
// and several axes.
var shapes = [][3]int{{1, 1, 1}, {32, 1, 1}, {40, 1, 1}, {256, 1, 1}, {1000, 1, 1}, {16, 16, 1}, {8, 33, 1}, {4, 4, 4}}

// check lowers a kernel and verifies each stage.
func check(t *testing.T, f *ir.Func, shape [3]int, what string) {
	p, err := Program(f, shape)
	require.NoError(t, err, what)
	stage := func(name string) {
		if err := p.Verify(); err != nil {
			t.Fatalf("%s, kernel %s, shape %v, %s: %v\n%s", what, f.Name, shape, name, err, p)
		}
	}
	stage("lowered")
	p.Simplify(0)
	stage("simplified")
	p.Allocate()
	stage("allocated")
}

// TestVerify: lowered random kernels and the compiler's golden kernels pass the verifier at each
// stage.
func TestVerify(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(100), Approx: true})
		check(t, m.Funcs[0], shapes[seed%uint64(len(shapes))], "random kernel")
	}
	for _, pattern := range []string{"../../../../testdata/msl/lower/*.ir", "../../../../testdata/ir/*.ir"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			m, err := ir.Parse(string(text))
			require.NoError(t, err, file)
			for _, f := range m.Funcs {
				for _, shape := range shapes {
					check(t, f, shape, file)
				}
			}
		}
	}
}
