package version

import (
	"os"
	"os/exec"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	type want struct {
		text    string
		settled bool
	}
	main := func(version, sum, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: Module, Version: version, Sum: sum},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: modified},
				{Key: "GOOS", Value: "darwin"}}}
	}
	ours := debug.Module{Path: Module, Version: "v1.2.3", Sum: "h1:x"}
	fork := ours
	fork.Replace = &debug.Module{Path: "example.com/fork", Version: "v1.2.4", Sum: "h1:fork"}
	local := ours
	local.Replace = &debug.Module{Path: "../checkout"}
	for _, c := range []struct {
		info *debug.BuildInfo
		want want
	}{
		{main("(devel)", "", "true"), want{"(devel) abc true", false}},
		{main("(devel)", "", "false"), want{"(devel) abc false", true}},
		{main("v1.2.3", "h1:x", ""), want{"v1.2.3 abc ", true}},
		{&debug.BuildInfo{Main: debug.Module{Path: Module, Version: "(devel)"}}, want{"(devel)", false}},
		{&debug.BuildInfo{Main: debug.Module{Path: "example.com/x"}, Deps: []*debug.Module{{Path: "example.com/y"}, &ours}},
			want{Module + " v1.2.3 h1:x", true}},
		{&debug.BuildInfo{Deps: []*debug.Module{&fork}}, want{"example.com/fork v1.2.4 h1:fork", true}},
		{&debug.BuildInfo{Deps: []*debug.Module{&local}}, want{"../checkout  ", false}},
		{&debug.BuildInfo{Main: debug.Module{Path: "example.com/x"}}, want{"", false}},
	} {
		text, settled := of(c.info)
		assert.Equal(t, c.want, want{text, settled})
	}
}

// envHelper has another process print its Build.
const envHelper = "PUREMETAL_TEST_BUILD"

func TestHelper(t *testing.T) {
	if os.Getenv(envHelper) != "" {
		_, err := os.Stdout.WriteString("build: " + Build() + "\n")
		require.NoError(t, err)
	}
}

// TestBuild: another process of the same program says the same.
func TestBuild(t *testing.T) {
	require.NotEmpty(t, Build())
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelper$")
	c.Env = append(os.Environ(), envHelper+"=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "build: "+Build()+"\n")
}
