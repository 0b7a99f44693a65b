package fuzztest

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Seeds returns the programs in the test data below a folder. Lines that begin with //--- separate
// the programs of a file.
func Seeds(t testing.TB, dir string) (list []string) {
	tree := os.DirFS(dir)
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".metal") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		for i, part := range strings.Split("\n"+string(text), "\n//---") {
			if i > 0 {
				_, part, _ = strings.Cut(part, "\n") // skip the program's name
			}
			list = append(list, strings.TrimPrefix(part, "\n"))
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("%s holds %d programs: %v", dir, len(list), err)
	}
	return list
}
