package compute

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// anywhere takes any path, unlike other file systems.
type anywhere struct{}

func (anywhere) Open(name string) (fs.File, error) { return os.Open(filepath.FromSlash(name)) }

// TestIncludesOutside: a path that leads out of the file system is found where the file system
// takes such paths, and else is not there.
func TestIncludesOutside(t *testing.T) {
	a := accelerator(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.h"), []byte("enum { A = 1 };\n"), 0o666))
	compile := func(name, source string, files fs.FS) error {
		p, err := a.Compile(t.Context(), source+"kernel void f(device int *x [[buffer(0)]]) { x[0] = A; }\n",
			CompileOptions{Name: name, Includes: files})
		if err == nil {
			p.Close()
		}
		return err
	}
	require.NoError(t, compile(filepath.ToSlash(filepath.Join(dir, "main.metal")), "#include \"a.h\"\n", anywhere{}))
	require.NoError(t, compile("main.metal", "#if 0\n#include \"../out.h\"\n#endif\n#include \"a.h\"\n", os.DirFS(dir)))
	require.ErrorIs(t, compile("main.metal", "#include \"../a.h\"\n", os.DirFS(dir)), ErrCompile)
}
