package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
)

// TestLanguage: run, check and generate compile as package compute does, and as --std says.
func TestLanguage(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software") // which has all versions
	acc, err := compute.Open()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, acc.Close(t.Context())) })
	program, err := acc.Compile(t.Context(), "kernel void k() {}", compute.CompileOptions{})
	require.NoError(t, err)
	defer program.Close()
	for std, version := range map[string]int{"": metalVersion(program.Settings().LanguageVersion), "metal3.0": 300,
		"metal4.0": 400} {
		file := filepath.Join(t.TempDir(), "k.metal")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "#if __METAL_VERSION__ != %d\n#error version\n#endif\n"+
			"kernel void k(device int *x) { x[0] = 1; }\n", version), 0o666))
		for _, args := range [][]string{{"check"}, {"generate", "--package", "k"},
			{"run", "--grid", "1", "--arg", "0=zeros:int[1]"}} {
			if std != "" {
				args = append(args, "--std", std)
			}
			var out strings.Builder
			a := &app{ctx: t.Context(), out: &out, err: &out, env: func(string) string { return "" }}
			assert.Zero(t, a.main(append(args, file)), "%v: %s", args, &out)
		}
	}
}
