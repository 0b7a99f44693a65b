package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunTag: README's first command compiles neither HTTP, TLS, charts and Go's type checker nor
// what only other subcommands use. With its tag, the command says where those are, and refuses Go
// packages.
func TestRunTag(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	list, err := exec.Command("go", "list", "-deps", "-tags", "puremetal_run", ".").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(list))
	const own = "github.com/puremetal/puremetal/"
	for _, p := range []string{"net", "net/http", "crypto/tls", "html/template", "text/template",
		"github.com/go-echarts/go-echarts/v2/charts", "golang.org/x/tools/go/analysis/unitchecker",
		own + "analyze", own + "compute/ops", own + "compute/peer", own + "internal/conformance", own + "telemetry",
		"go/build", "go/types", "golang.org/x/sys/unix", own + "internal/gokernel", own + "simd",
		own + "cmd/puremetal/internal/bench", own + "cmd/puremetal/internal/generate"} {
		assert.NotContains(t, deps, p)
	}
	out, err := exec.Command("go", "run", "-tags", "puremetal_run", ".", "bench").CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), `unknown command "bench"`)
	assert.Contains(t, string(out), "a build without the tag puremetal_run has more")
	for _, args := range [][]string{{"run", "--grid", "1"}, {"check"}} {
		out, err := exec.Command("go", slices.Concat([]string{"run", "-tags", "puremetal_run", "."}, args,
			[]string{filepath.Join("..", "..", "examples", "gokernels", "kernels")})...).CombinedOutput()
		assert.Error(t, err)
		assert.Contains(t, string(out), "kernels is a Go package, and this build, with the tag puremetal_run, leaves "+
			"kernels in Go out; build the command without the tag")
	}
}
