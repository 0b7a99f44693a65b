package softgraph

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/softmps/graphdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnswered compares the methods of MPSGraph that the bindings send and that the software device
// does not answer with a list, so that none is missing without being known. A message that is not
// answered is a fault that names it.
func TestAnswered(t *testing.T) {
	answered := map[string]bool{}
	for _, c := range classes(nil) {
		if c.Name == "MPSGraph" {
			for sel := range c.Methods {
				answered[sel] = true
			}
		}
	}
	var missing []string
	operations := 0
	for _, m := range graphdata.Tables.Owner("MPSGraph").Methods {
		switch {
		case !answered[m.Name] && m.Name != "init":
			missing = append(missing, m.Name)
		case strings.HasSuffix(m.Name, "name:") || strings.HasPrefix(m.Name, "constant"):
			operations++
		}
	}
	t.Logf("%d methods are answered, of them %d that add operations; %d methods are not",
		len(graphdata.Tables.Owner("MPSGraph").Methods)-len(missing), operations, len(missing))
	assert.GreaterOrEqual(t, operations, 150)
	slices.Sort(missing)
	got := strings.Join(missing, "\n") + "\n"
	file := filepath.Join("testdata", "missing.txt")
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run with PUREMETAL_UPDATE=1")
}
