package lint

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"testing"
)

// oneMachine matches text that is true on one machine only: folders of somebody's disk, and where
// somebody's package downloads come from. The patterns are written so that they do not match
// themselves.
var oneMachine = []struct {
	pattern *regexp.Regexp
	what    string
}{
	{regexp.MustCompile(`(^|[^\w./-])/(wor[k]|roo[t]|hom[e]|User[s])/`), "a folder of one machine"},
	{regexp.MustCompile(`(^|[^\w./-])/tm[p]/pm`), "a folder of one machine"},
	{regexp.MustCompile(`[A-Z]:\\User[s]\\`), "a folder of one machine"},
	{regexp.MustCompile(`GOPROX[Y]=|proxy\.golan[g]\.org|sum\.golan[g]\.org|(?i)artifactor[y]|jfro[g]`),
		"a package registry"},
}

// textFiles are the extensions, and textNames the names, of the files that are read for oneMachine.
var (
	textFiles = []string{".go", ".s", ".h", ".c", ".md", ".toml", ".yml", ".yaml", ".json", ".sh", ".mod", ".metal",
		".txt"}
	textNames = []string{".ci/run", ".gitignore", ".gitattributes", "NOTICE"}
)

// portable: no committed text speaks of one machine.
func portable(tr *tree) (bad []string) {
	for _, name := range tr.paths() {
		if !slices.Contains(textFiles, path.Ext(name)) && !slices.Contains(textNames, name) {
			continue
		}
		for i, line := range bytes.Split(tr.text[name], []byte("\n")) {
			for _, w := range oneMachine {
				if m := w.pattern.Find(line); m != nil {
					bad = append(bad, fmt.Sprintf("%s:%d: %q names %s", name, i+1, m, w.what))
				}
			}
		}
	}
	return bad
}

func TestPortable(t *testing.T) { holds(t, portable) }

func TestPortableSeen(t *testing.T) {
	slash := "/"
	sees(t, portable, []breach{
		{"allowed", map[string]string{
			"README.md": "see ../shared/abi, docs" + slash + "work/x, https://example.com" + slash + "home/x and a/tmp/pm",
			"go.sum":    slash + "root/x",
		}, nil},
		{"folders", map[string]string{
			"a.md":    "look in " + slash + "work/x\nor `" + slash + "home/me`\n",
			".ci/run": "cd " + slash + "root/go\n",
			"b.toml":  "dir = \"" + slash + "tmp/pm/x\"",
			"c.json":  `"C:` + `\Users` + `\me"`,
		}, []string{".ci/run:1", "a.md:1", "a.md:2", "b.toml:1", "c.json:1"}},
		{"registries", map[string]string{"ci.yml": "GOPROXY" + "=direct\n"}, []string{"ci.yml:1"}},
	})
}
