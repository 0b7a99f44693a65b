package kernels

import (
	"path/filepath"
	"testing"
)

// TestCompile compiles every file in testdata/kernels without any diagnostic.
func TestCompile(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "kernels", "*.metal"))
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			if m := compiled(t, filepath.Base(f)); len(m.Kernels) == 0 {
				t.Error("no kernel")
			}
		})
	}
}
