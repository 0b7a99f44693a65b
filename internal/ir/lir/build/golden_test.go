package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestGolden compares the lowered kernels of testdata/lir, for threadgroups of 64 lanes in a row
// and of 8 by 8, with the text beside them. PUREMETAL_UPDATE=1 rewrites it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../../../../testdata/lir/*.ir")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 10)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			m, err := ir.Parse(string(text))
			require.NoError(t, err)
			require.NoError(t, m.Verify())
			var got strings.Builder
			for _, shape := range [][3]int{{64, 1, 1}, {8, 8, 1}} {
				p, err := Program(m.Funcs[0], shape)
				require.NoError(t, err)
				p.Simplify(0)
				require.NoError(t, p.Verify())
				got.WriteString(p.String())
			}
			golden := strings.TrimSuffix(name, ".ir") + ".lir"
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.String())
		})
	}
}
