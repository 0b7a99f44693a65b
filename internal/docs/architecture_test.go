package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	module           = "github.com/puremetal/puremetal/"
	architecturePage = "docs/architecture.md"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Name, Doc, Dir string
	Imports, GoFiles           []string
	TestGoFiles, XTestGoFiles  []string
	path                       string // within the module
}

// packages lists the module's packages on Linux, without the examples.
func packages(t *testing.T) (all []listed) {
	t.Helper()
	list := exec.Command("go", "list", "-json", "./...")
	list.Dir = filepath.Join("..", "..")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := list.Output()
	require.NoError(t, err)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		p.path = strings.TrimPrefix(p.ImportPath, module)
		if !strings.HasPrefix(p.path, "examples/") {
			all = append(all, p)
		}
	}
}

// TestPackages: docs/architecture.md lists all packages with the first sentence of their comments.
func TestPackages(t *testing.T) {
	table := "| package | purpose |\n|---|---|\n"
	for _, p := range packages(t) {
		purpose := strings.TrimPrefix(strings.TrimPrefix(p.Doc, "Package "+p.Name+" "), "Command "+path.Base(p.path)+" ")
		purpose = strings.NewReplacer("|", `\|`, "[", "", "]", "").Replace(strings.TrimSuffix(purpose, "."))
		table += fmt.Sprintf("| `%s` | %s |\n", p.path, purpose)
	}
	page := read(t, architecturePage)
	place := regexp.MustCompile(`(<!-- packages -->\n)((?:\|.*\n)*)`)
	m := place.FindStringSubmatchIndex(page)
	require.NotNil(t, m)
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		file := filepath.Join("..", "..", filepath.FromSlash(architecturePage))
		require.NoError(t, os.WriteFile(file, []byte(page[:m[4]]+table+page[m[5]:]), 0o666))
		return
	}
	assert.Equal(t, table, page[m[4]:m[5]], "PUREMETAL_UPDATE=1 writes the table")
}

// roomOf returns the room of a package in the diagram of docs/architecture.md, or "" for what only
// tests use. A folder of the module or of internal is a room with all that is in it, except for
// packages that another floor uses.
func roomOf(p string) string {
	apart := []string{"analyze/event", "compute/internal/backend", "compute/internal/fallback",
		"internal/softmetal/extension/client", "internal/softmps/driver", "internal/softmps/softgraph/driver",
		"internal/tensorop/encode"}
	if slices.Contains(apart, p) {
		return p
	}
	parts := strings.Split(p, "/")
	switch {
	case strings.HasPrefix(p, "compute/internal/"):
		return "compute"
	case parts[0] == "internal" && slices.Contains([]string{"docs", "lint", "standin", "test"}, parts[1]):
		return ""
	case parts[0] == "internal", parts[0] == "compute" && len(parts) > 1, parts[0] == "cmd":
		return path.Join(parts[:2]...)
	}
	return parts[0]
}

// TestRooms: docs/architecture.md shows all rooms, each above those that it imports. Arrows that
// follow from others are left out.
func TestRooms(t *testing.T) {
	uses := map[string]map[string]bool{}
	for _, p := range packages(t) {
		room := roomOf(p.path)
		if room == "" {
			continue
		}
		if uses[room] == nil {
			uses[room] = map[string]bool{}
		}
		for _, i := range p.Imports {
			below, ours := strings.CutPrefix(i, module)
			if below = roomOf(below); ours && below != "" && below != room {
				uses[room][below] = true
			}
		}
	}
	reached := map[string]map[string]bool{}
	var reach func(room string, on []string) map[string]bool
	reach = func(room string, on []string) map[string]bool {
		require.NotContains(t, on, room, "the rooms import each other: %v", on)
		if reached[room] == nil {
			all := map[string]bool{}
			for below := range uses[room] {
				all[below] = true
				maps.Copy(all, reach(below, append(slices.Clip(on), room)))
			}
			reached[room] = all
		}
		return reached[room]
	}
	rooms := slices.Sorted(maps.Keys(uses))
	diagram := "flowchart TD\n"
	for i, room := range rooms {
		diagram += fmt.Sprintf("    r%d[\"%s\"]\n", i, room)
	}
	for i, room := range rooms {
		reach(room, nil)
		for j, below := range rooms {
			direct := uses[room][below]
			for other := range uses[room] {
				direct = direct && !reach(other, nil)[below]
			}
			if direct {
				diagram += fmt.Sprintf("    r%d --> r%d\n", i, j)
			}
		}
	}
	require.Equal(t, 1, same(t, architecturePage, "diagram", func(string) string { return diagram }))
}

// TestTested: the comment of a package without tests of its own says where they are.
func TestTested(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 || p.Name == "main" || strings.HasPrefix(p.path, "internal/test/") {
			continue
		}
		var comment strings.Builder
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
				parser.ParseComments|parser.PackageClauseOnly)
			require.NoError(t, err)
			comment.WriteString(f.Doc.Text())
		}
		assert.Regexp(t, `(?i)\btest`, comment.String(), "the comment of package %s must say which tests it has", p.path)
	}
}
