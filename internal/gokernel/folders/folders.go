// Package folders finds the folders of Go packages with kernels. It does without Go's parser, so
// that the command can tell such a folder in a build without the translator. The scripts of
// cmd/puremetal test it.
package folders

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Directive begins the line over a function that makes it a kernel.
const Directive = "//puremetal:kernel"

// IsDirective reports whether a line begins with the directive.
func IsDirective(line string) bool {
	rest, ok := strings.CutPrefix(line, Directive)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// maxFile is the largest file in bytes.
const maxFile = 4 << 20

// ReadFile reads a file of a package.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return text, err
}

// HasKernels reports whether a folder of this machine has a Go file with a kernel.
func HasKernels(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := ReadFile(os.DirFS(dir), e.Name())
		if err == nil && slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return IsDirective(strings.TrimSpace(line))
		}) {
			return true
		}
	}
	return false
}

// Match returns the folders that a pattern of the go command means: a folder, or for dir/...
// those at dir and below it for which wanted, such as HasKernels, returns true, without those that
// the go command leaves out: vendor, testdata, names that begin with a dot or an underscore, and
// other modules. There is an error if none is wanted.
func Match(pattern string, wanted func(dir string) bool) (dirs []string, err error) {
	root, all := strings.CutSuffix(filepath.ToSlash(pattern), "...")
	if !all || root != "" && !strings.HasSuffix(root, "/") {
		return []string{pattern}, nil
	}
	root = filepath.Clean(root)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name != root {
			base := d.Name()
			if base == "vendor" || base == "testdata" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		if wanted(name) {
			dirs = append(dirs, name)
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("no package of %s has kernels: no function has a line %s above it", pattern, Directive)
	}
	return dirs, err
}
