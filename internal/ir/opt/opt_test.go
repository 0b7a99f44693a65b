package opt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// scalar evaluates the operations used in this package's tests; engines pass their own evaluator.
func scalar(op ir.Op, from, to ir.Kind, x [4]uint64) (out [2]uint64) {
	shift := 64 - from.Bits()
	a, b := int64(x[0])<<shift>>shift, int64(x[1])<<shift>>shift
	switch op {
	case ir.OpAdd:
		out[0] = uint64(a + b)
	case ir.OpAnd:
		out[0] = x[0] & x[1]
	case ir.OpOr:
		out[0] = x[0] | x[1]
	case ir.OpShl:
		out[0] = x[0] << x[1]
	case ir.OpZExt:
		out[0] = x[0]
	case ir.OpSLT:
		if a < b {
			out[0] = 1
		}
	case ir.OpSExt:
		out[0] = uint64(a)
	default:
		panic(op.String())
	}
	if n := to.Bits(); n < 64 {
		out[0] &= 1<<n - 1
	}
	return out
}

// TestPasses compares the output of each pass for its program in testdata/opt with the text beside
// it. PUREMETAL_UPDATE=1 rewrites it.
func TestPasses(t *testing.T) {
	for p := Pass(1); p <= All; p <<= 1 {
		t.Run(p.String(), func(t *testing.T) {
			name := filepath.Join("../../../testdata/opt", p.String())
			text, err := os.ReadFile(name + ".ir")
			require.NoError(t, err)
			m, err := ir.Parse(string(text))
			require.NoError(t, err)
			require.NoError(t, m.Verify())
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				text = []byte(m.String())
				require.NoError(t, os.WriteFile(name+".ir", text, 0o644))
			}
			assert.Equal(t, string(text), m.String(), "the text is not as it is printed")
			Run(m.Funcs[0], Options{Off: All &^ p, Scalar: scalar,
				Constants: []FConst{{Given: true, Defined: true, Lanes: [4]uint64{7}}, {Given: true}}})
			require.NoError(t, m.Verify(), "%s", m)
			got := m.String()
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(name+".want", []byte(got), 0o644))
			}
			want, err := os.ReadFile(name + ".want")
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			assert.NotEqual(t, string(text), got)
		})
	}
}

// TestOff: a pass that is turned off does nothing; without an evaluator, folding and unrolling do
// nothing either.
func TestOff(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/opt/*.ir")
	require.NoError(t, err)
	require.Len(t, files, numPasses)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := ir.Parse(string(text))
		require.NoError(t, err)
		off := All
		if name := filepath.Base(file); strings.HasPrefix(name, "fold") || strings.HasPrefix(name, "unroll") {
			off = All &^ (Fold | Unroll)
		}
		Run(m.Funcs[0], Options{Off: off})
		assert.Equal(t, string(text), m.String(), file)
	}
}
