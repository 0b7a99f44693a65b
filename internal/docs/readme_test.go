package docs

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const saxpy = "examples/saxpy/main.go"

// TestCode: the README shows the example from its kernel on, which is about fifteen lines of Go.
func TestCode(t *testing.T) {
	require.Equal(t, 1, same(t, "README.md", "code", func(name string) string {
		_, shown, found := strings.Cut(read(t, name), "\nconst source")
		require.True(t, found)
		return "const source" + shown
	}))
	found, what := marked(read(t, "README.md"), "code")
	assert.Equal(t, []string{saxpy}, what)
	_, code, _ := strings.Cut(found[0].text, "}`\n")
	assert.LessOrEqual(t, strings.Count(code, "\n"), 15)
}

// TestModule builds and runs the README's program as a newcomer would, in a separate module that
// imports the library. It must print what the README says.
func TestModule(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build with: ", err)
	}
	found, what := marked(read(t, "README.md"), "output")
	require.Equal(t, []string{saxpy}, what)
	dir := newcomer(t, map[string]string{"main.go": read(t, saxpy)})
	file := filepath.Join(dir, "newcomer.exe")
	buildNewcomer(t, dir, file, "-s -w")
	out, err := exec.Command(file).Output()
	require.NoError(t, err)
	assert.Equal(t, found[0].text, string(out))

	said := regexp.MustCompile(`for (\S+) has ([\d.]+) MB, and\s+([\d.]+) MB when`)
	sizes := said.FindStringSubmatch(read(t, "README.md"))
	require.Len(t, sizes, 4, "the README says how long the binary is")
	if sizes[1] != runtime.GOOS+"/"+runtime.GOARCH {
		return
	}
	near := func(file, said string) {
		want, err := strconv.ParseFloat(said, 64)
		require.NoError(t, err)
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.InEpsilon(t, want, float64(info.Size())/1e6, 0.02, "MB of the README's program; it says %s", said)
	}
	near(file, sizes[3])
	if !testing.Short() && !strings.Contains(os.Getenv("GOFLAGS"), "-dwarf=false") { // it takes another link
		buildNewcomer(t, dir, file, "")
		near(file, sizes[2])
	}
}

// newcomer writes files of a separate module that imports the library, and returns its folder.
func newcomer(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	// A module that needs the library has the library's own requirements and sums after go mod
	// tidy.
	mod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(read(t, "go.mod"),
		"module example.com/newcomer\n\nrequire github.com/puremetal/puremetal v0.0.0\n\n"+
			"replace github.com/puremetal/puremetal => "+filepath.ToSlash(root))
	dir = t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	write("go.mod", mod)
	write("go.sum", read(t, "go.sum"))
	for name, text := range files {
		write(name, text)
	}
	return dir
}

// buildNewcomer builds the program of the module in a folder; with -s -w, it links as go run does.
func buildNewcomer(t *testing.T, dir, file, flags string) {
	t.Helper()
	run := exec.Command("go", "build", "-mod=mod", "-ldflags="+flags, "-o", file, ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// installLines returns the README's commands for a new module that uses a clone.
func installLines(t *testing.T) (lines []string) {
	for _, b := range blocks(read(t, "README.md")) {
		if b.mark == "install" {
			lines = strings.Split(strings.TrimSpace(b.text), "\n")
		}
	}
	return lines
}

var everyModule = flag.Bool("docs.modules", false, "build a program that imports every module of the repository")

// TestInstallModules runs these commands for a program that imports every module of this
// repository.
func TestInstallModules(t *testing.T) {
	if !*everyModule {
		t.Skip("-docs.modules builds what the modules need, which takes long")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build with: ", err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "go.mod"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	lines := installLines(t)
	program := "package main\n\nimport (\n\t_ \"github.com/puremetal/puremetal/compute\"\n"
	var dirs []string
	for _, file := range files {
		dir, err := filepath.Rel(root, filepath.Dir(file))
		require.NoError(t, err)
		path := "github.com/puremetal/puremetal/" + filepath.ToSlash(dir)
		require.Contains(t, lines, "go mod edit -replace="+path+"=/path/to/the/clone/"+filepath.ToSlash(dir))
		program += "\t_ \"" + path + "\"\n"
		dirs = append(dirs, filepath.Dir(file))
	}
	command := func(dir, line string) (string, error) {
		args := strings.Fields(strings.ReplaceAll(line, "/path/to/the/clone", root))
		run := exec.Command(args[0], args[1:]...)
		run.Dir = dir
		run.Env = append(os.Environ(), "GOWORK=off")
		out, err := run.CombinedOutput()
		return string(out), err
	}
	for _, dir := range dirs {
		if out, err := command(dir, "go mod download"); err != nil {
			t.Skipf("the modules that %s needs cannot be downloaded: %s", filepath.Base(dir), out)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/newcomer\n",
		"main.go": program + ")\n\nfunc main() {}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	// .ci/run compiles the modules; here it is enough that go finds every package.
	for _, line := range append(lines, "go list -deps .") {
		out, err := command(dir, line)
		if own := regexp.MustCompile(`puremetal/telemetry/\w+: `); err != nil && !own.MatchString(out) &&
			regexp.MustCompile(`dial tcp|module lookup disabled|connection refused`).MatchString(out) {
			t.Skipf("%s: tests of other modules cannot be downloaded: %s", line, out)
		}
		require.NoError(t, err, "%s: %s", line, out)
	}
}

// TestInstall runs the README's commands for a new module that uses a clone, and then go generate
// with the cookbook's directive.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build with: ", err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	lines := installLines(t)
	require.Len(t, lines, 5)
	directive := regexp.MustCompile(`(?m)^//go:generate .*$`).FindString(read(t, "docs/cookbook.md"))
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/newcomer\n", "go.sum": read(t, "go.sum"),
		"main.go":     "package main\n\n" + directive + "\n\nfunc main() {}\n",
		"saxpy.metal": read(t, "examples/cookbook/saxpy.metal"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	lines = append(lines, "go generate", "go build -o newcomer .")
	if strings.Contains(os.Getenv("GOFLAGS"), "-gcflags") {
		// go tool, which the directive calls, ignores these flags and would compile everything again.
		_, tool, ok := strings.Cut(directive, " go tool ")
		require.True(t, ok, "%s", directive)
		build := "go build github.com/puremetal/puremetal/cmd/puremetal"
		lines = slices.Replace(lines, len(lines)-2, len(lines)-1, build, "./"+tool)
	}
	for _, line := range lines {
		args := strings.Fields(strings.ReplaceAll(line, "/path/to/the/clone", root))
		run := exec.Command(args[0], args[1:]...)
		run.Dir = dir
		run.Env = append(os.Environ(), "GOWORK=off")
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
	}
	assert.FileExists(t, filepath.Join(dir, "zsaxpy.go"))
}

// TestCommands: the marks by which .ci/run finds the README's two commands exist, each with one
// line.
func TestCommands(t *testing.T) {
	page := read(t, "README.md")
	for _, mark := range []string{"ci:first", "ci:test"} {
		n := 0
		for _, b := range blocks(page) {
			if b.mark == mark {
				n++
				assert.Equal(t, "sh", b.language)
				assert.Equal(t, 1, strings.Count(b.text, "\n"), "%s: %s", mark, b.text)
			}
		}
		assert.Equal(t, 1, n, "%s", mark)
	}
}

// TestExamplesListed: the README lists every example.
func TestExamplesListed(t *testing.T) {
	page := read(t, "README.md")
	dirs, err := os.ReadDir(filepath.Join("..", "..", "examples"))
	require.NoError(t, err)
	for _, d := range dirs {
		if d.Name() == "cookbook" {
			continue
		}
		assert.Contains(t, page, "](examples/"+d.Name()+")")
	}
}
