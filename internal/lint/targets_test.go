package lint

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var targetsFlag = flag.String("lint.targets", "",
	"systems and architectures whose source is type-checked, such as windows/amd64,darwin/arm64")

// TestTargets type-checks every package and its tests for the systems in -lint.targets. It finds
// what a build would find except for assembly, in a tenth of the time: nothing is compiled, and of
// other modules only declarations are read.
func TestTargets(t *testing.T) {
	if *targetsFlag == "" {
		t.Skip("-lint.targets names no system")
	}
	for target := range strings.SplitSeq(*targetsFlag, ",") {
		t.Run(target, func(t *testing.T) {
			system, arch, ok := strings.Cut(target, "/")
			require.True(t, ok, "%q is not SYSTEM/ARCHITECTURE", target)
			for _, err := range typeErrors(t, system, arch, module+"/...") {
				t.Error(err)
			}
		})
	}
}

// TestTargetsSeen: a mistake in a file of one system is found there, in tests too.
func TestTargetsSeen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.25\n",
		"a.go":           "package m\n\nfunc f() int { return 1 }\n",
		"a_windows.go":   "package m\n\nvar _ string = f()\n",
		"a_test.go":      "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { var unused int }\n",
		"b_test.go":      "package m_test\n\nimport \"example.com/m\"\n\nvar _ = m.G\n",
		"export_test.go": "package m\n\nvar G = f\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	t.Chdir(dir)
	found := func(system string) (all []string) {
		for _, err := range typeErrors(t, system, "amd64", "./...") {
			all = append(all, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
		}
		return all
	}
	unused := "a_test.go:5:32: declared and not used: unused"
	assert.Equal(t, []string{unused}, found("linux"))
	wrong := "a_windows.go:3:16: cannot use f() (value of type int) as string value in variable declaration"
	assert.Equal(t, []string{wrong, wrong, unused}, found("windows"), "without tests, and with them")
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir, ForTest string
	Standard, DepOnly        bool
	GoFiles                  []string
	ImportMap                map[string]string
	Error                    *struct{ Err string }
}

// typeErrors returns the mistakes in packages and their tests for a system and architecture.
func typeErrors(t *testing.T, system, arch, pattern string) (bad []error) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test",
		"-json=ImportPath,Dir,ForTest,Standard,DepOnly,GoFiles,ImportMap,Error", pattern)
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, list.Start())
	checker := targetChecker{fset: token.NewFileSet(), files: map[string]*ast.File{},
		done: map[string]*types.Package{"unsafe": types.Unsafe}, sizes: types.SizesFor("gc", arch)}
	for d := json.NewDecoder(out); ; { // a package comes after what it imports
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		switch {
		case p.Error != nil:
			bad = append(bad, errors.New(p.Error.Err))
		case p.ImportPath != "unsafe" && !strings.HasSuffix(p.ImportPath, ".test"): // the main package of tests
			bad = append(bad, checker.check(&p)...)
		}
	}
	require.NoError(t, list.Wait())
	return bad
}

// targetChecker checks the packages of one target.
type targetChecker struct {
	fset  *token.FileSet
	files map[string]*ast.File
	done  map[string]*types.Package
	sizes types.Sizes
}

func (c *targetChecker) check(p *listed) (bad []error) {
	// Of a package that needs another variant because of a test, the bodies are known to be right.
	path, _, variant := strings.Cut(p.ImportPath, " [")
	declarations := p.Standard || p.DepOnly && !variant || variant && p.ForTest != strings.TrimSuffix(path, "_test")
	var files []*ast.File
	for _, name := range p.GoFiles {
		name = filepath.Join(p.Dir, name)
		f := c.files[name]
		if f == nil {
			var err error
			f, err = parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return []error{err}
			}
			if p.Standard {
				for _, d := range f.Decls {
					if d, is := d.(*ast.FuncDecl); is {
						d.Body = nil
					}
				}
			}
			c.files[name] = f
		}
		files = append(files, f)
	}
	conf := types.Config{
		Sizes:            c.sizes,
		IgnoreFuncBodies: declarations,
		Error:            func(err error) { bad = append(bad, err) },
		Importer: importer(func(name string) (*types.Package, error) {
			if mapped := p.ImportMap[name]; mapped != "" {
				name = mapped
			}
			if done := c.done[name]; done != nil {
				return done, nil
			}
			return nil, fmt.Errorf("%s: not listed before %s", name, p.ImportPath)
		}),
	}
	c.done[p.ImportPath], _ = conf.Check(path, c.fset, files, nil) // Error has got the errors
	if p.Standard {
		return nil // such as bodies in assembly
	}
	return bad
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
