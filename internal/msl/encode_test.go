package msl

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestEncode: the compiled form of each kernel in testdata, and of the built-in ones, survives
// encoding and decoding unchanged.
func TestEncode(t *testing.T) {
	kernels, bytes := 0, 0
	for _, root := range []string{"../../testdata", "../tensorop"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".metal" {
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			m, _ := Compile(context.Background(), Source{Name: filepath.Base(path), Text: string(text)},
				Options{Include: os.DirFS(filepath.Dir(path)), MetalVersion: 400, Logging: true})
			if filepath.Base(filepath.Dir(path)) == "kernels" {
				require.NotEmpty(t, m.IR.Funcs, path)
			}
			if len(m.IR.Funcs) == 0 { // programs to be rejected
				return nil
			}
			data, err := m.IR.Encode()
			require.NoError(t, err, path)
			again, err := ir.Decode(data)
			require.NoError(t, err, path)
			require.Equal(t, m.IR.String(), again.String(), path)
			for i, f := range m.IR.Funcs {
				g := again.Funcs[i]
				require.Equal(t, []any{f.Args, f.Constants, f.Attributes}, []any{g.Args, g.Constants, g.Attributes}, "%s: %s", path,
					f.Name)
			}
			twice, err := again.Encode()
			require.NoError(t, err, path)
			require.Equal(t, data, twice, path)
			kernels += len(m.IR.Funcs)
			bytes += len(data)
			return nil
		}))
	}
	assert.Greater(t, kernels, 200)
	t.Logf("%d kernels, %d bytes", kernels, bytes)
}
