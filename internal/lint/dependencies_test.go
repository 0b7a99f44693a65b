package lint

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDependencies: a program that uses the library compiles no other module, except purego on a
// Mac. TestArrows says which package may import what; this is what the go command makes of it.
func TestDependencies(t *testing.T) {
	const self = "github.com/puremetal/puremetal"
	for system, want := range map[string][]string{
		"linux":   {self},
		"windows": {self},
		"darwin":  {purego, self},
	} {
		t.Run(system, func(t *testing.T) {
			list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}",
				"./mtl", "./objc", "./compute/...", "./pool", "./simd", "./npy")
			list.Dir = "../.."
			list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
			var stderr strings.Builder
			list.Stderr = &stderr
			out, err := list.Output()
			require.NoError(t, err, stderr.String())
			modules := strings.Fields(string(out))
			slices.Sort(modules)
			assert.Equal(t, want, slices.Compact(modules))
		})
	}
}
