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

// withModules are the packages below compute that use modules of others.
var withModules = []string{"compute/resilience"}

// TestDependencies: a program that uses the library compiles no other module, except purego on a
// Mac, unless it imports a package that is about more than computing. TestArrows says which package
// may import what; this is what the go command makes of it.
func TestDependencies(t *testing.T) {
	const self = "github.com/puremetal/puremetal"
	for system, want := range map[string][]string{
		"linux":   {self},
		"windows": {self},
		"darwin":  {purego, self},
	} {
		t.Run(system, func(t *testing.T) {
			all, err := exec.Command("go", "list", self+"/compute/...").Output()
			require.NoError(t, err)
			packages := slices.DeleteFunc(strings.Fields(string(all)),
				func(name string) bool { return slices.Contains(withModules, strings.TrimPrefix(name, self+"/")) })
			list := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}",
				"./mtl", "./objc", "./pool", "./simd", "./npy"}, packages...)...)
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
