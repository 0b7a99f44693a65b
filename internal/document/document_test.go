package document

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a kind that is easy to exceed.
var small = Kind{Name: "a test", Size: 40, Depth: 3, Values: 6, Scans: 2}

// TestLimits: each limit holds, and what is just within passes.
func TestLimits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(name, make([]byte, 40), 0o666))
	data, err := small.ReadFile(name)
	require.NoError(t, err)
	assert.Len(t, data, 40)
	require.NoError(t, os.WriteFile(name, make([]byte, 41), 0o666))
	_, err = small.ReadFile(name)
	require.ErrorIs(t, err, ErrLimit)
	require.ErrorContains(t, err, name+" has 41 bytes; a test may have at most 40 bytes")
	require.NoError(t, os.Truncate(name, 1<<40)) // sparse
	_, err = small.ReadFile(name)
	require.ErrorIs(t, err, ErrLimit)
	_, err = small.Read(strings.NewReader(strings.Repeat("x", 41)))
	require.ErrorIs(t, err, ErrLimit)
	_, err = io.ReadAll(small.Limit(strings.NewReader(strings.Repeat("x", 41))))
	require.ErrorIs(t, err, ErrLimit)
	data, err = io.ReadAll(small.Limit(strings.NewReader(strings.Repeat("x", 40))))
	require.NoError(t, err)
	assert.Len(t, data, 40)

	var v any
	for _, good := range []string{`[[[1]]]`, `[1,2,3,4,5]`, `{"a":"[[[[{{,,,,,,\"[["}`, `"\\"`} {
		require.NoError(t, small.JSON([]byte(good), &v), good)
	}
	for bad, want := range map[string]string{`[[[[1]]]]`: "at most 3 deep", `{"a":{"b":[{}]}}`: "at most 3 deep",
		`[1,2,3,4,5,6]`: "at most 6 values", `[[],[],[],[]]`: "at most 6 values",
		`"` + strings.Repeat("x", 40) + `"`: "at most 40 bytes"} {
		err := small.JSON([]byte(bad), &v)
		require.ErrorIs(t, err, ErrLimit, bad)
		require.ErrorContains(t, err, want)
	}
	require.Error(t, small.JSON([]byte(`"unterminated \`), &v))

	require.NoError(t, small.Picture([]byte("\xff\xd8\xff\xda\xff\xda"), 2, 3))
	require.ErrorIs(t, small.Picture([]byte("\xff\xd8\xff\xda\xff\xda\xff\xda"), 2, 3), ErrLimit)
	require.ErrorIs(t, small.Picture(nil, 7, 1), ErrLimit)
	require.ErrorIs(t, small.Picture(nil, 1<<62, 1<<62), ErrLimit)
	require.ErrorIs(t, small.Picture(nil, 0, 1), ErrLimit)
}

// TestFS: a file system of documents has the limits of their kind.
func TestFS(t *testing.T) {
	files := small.FS(fstest.MapFS{"good": {Data: make([]byte, 40)}, "large": {Data: make([]byte, 41)},
		"pipe": {Mode: os.ModeNamedPipe}, "dir/file": {}})
	f, err := files.Open("good")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = files.Open("large")
	require.ErrorIs(t, err, ErrLimit)
	_, err = files.Open("pipe")
	require.ErrorContains(t, err, "not a regular file")
	_, err = files.Open("missing")
	require.ErrorIs(t, err, os.ErrNotExist)
	f, err = files.Open("dir")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = small.Open(t.TempDir())
	require.Error(t, err, "a directory")
}

// TestTable: SECURITY.md has the limits of all kinds.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
	require.NoError(t, err)
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	for _, k := range Kinds() {
		row := fmt.Sprintf("| %s | %d | %s | %s |\n", k.Name, k.Size, number(k.Depth), number(k.Values))
		assert.Contains(t, string(text), row)
	}
	assert.Contains(t, string(text), fmt.Sprintf("at most %d scans", Image.Scans))
}
