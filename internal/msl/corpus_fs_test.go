package msl

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// anyFolder stands for any folder of a corpus that contains a header: names in it are looked up by
// path suffix. It is nested so that a few "../" do not lead out of it.
const anyFolder = "@/@/@/@"

// corpusFS contains the files of a corpus, and finds headers also by path suffix, since the include
// folders that a build system would specify are unknown.
type corpusFS struct {
	fs.FS
	paths   []string // all files
	folders []string // all folders named include
}

func newCorpusFS(fsys fs.FS) (*corpusFS, error) {
	c := &corpusFS{FS: fsys}
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case !d.IsDir():
			c.paths = append(c.paths, path)
		case d.Name() == "include":
			c.folders = append(c.folders, path)
		}
		return err
	})
	return c, err
}

// includeDirs lists the folders that may contain the headers of a file: those above it, those named
// include (nearest first), and all others.
func (c *corpusFS) includeDirs(file string) []string {
	var dirs []string
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == "." {
			break
		}
	}
	near := slices.Clone(c.folders)
	slices.SortStableFunc(near, func(a, b string) int { return commonPrefix(b, file) - commonPrefix(a, file) })
	return append(append(dirs, near...), anyFolder)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// near is the corpus as seen from one file: of several headers whose paths end alike, the nearest
// is used.
type near struct {
	*corpusFS
	file string
}

// Open implements fs.FS.
func (n near) Open(name string) (fs.File, error) {
	if !strings.HasPrefix(name, "@/") {
		return n.FS.Open(name)
	}
	end := name
	for strings.HasPrefix(end, "@/") {
		end = end[2:]
	}
	best := ""
	for _, p := range n.paths {
		if (p == end || strings.HasSuffix(p, "/"+end)) && (best == "" || commonPrefix(p, n.file) > commonPrefix(best,
			n.file)) {
			best = p
		}
	}
	if best == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return n.FS.Open(best)
}

// TestCorpusIncludes finds headers above a file, in include folders and by path suffix.
func TestCorpusIncludes(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	c, err := newCorpusFS(fstest.MapFS{
		"a/src/k/main.metal":     file("#include \"up.h\"\n#include \"inc.h\"\n#include \"deep/by_end.h\"\n#include \"../../gone/far.h\"\nconstant int all = UP + INC + END + NEXT + FAR;"),
		"a/up.h":                 file("#define UP 1"),
		"a/include/inc.h":        file("#define INC 1"),
		"b/include/inc.h":        file("#error the far one"),
		"a/x/deep/by_end.h":      file("#include \"beside.h\"\n#define END 1"),
		"a/x/deep/beside.h":      file("#define NEXT 1"),
		"b/x/deep/by_end.h":      file("#error the far one"),
		"a/other/y/gone/far.h":   file("#define FAR 1"),
		"a/other/y/gone/main.md": file(""),
	})
	require.NoError(t, err)
	const name = "a/src/k/main.metal"
	text, err := fs.ReadFile(c, name)
	require.NoError(t, err)
	_, diags := Compile(t.Context(), Source{Name: name, Text: string(text)},
		Options{Include: near{c, name}, IncludeDirs: c.includeDirs(name)})
	require.Empty(t, diags)
}
