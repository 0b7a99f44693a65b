package imagekernels

import (
	"context"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl"

	"github.com/stretchr/testify/require"
)

// TestSources: every library compiles without diagnostics.
func TestSources(t *testing.T) {
	list, err := files.ReadDir(".")
	require.NoError(t, err)
	libraries := 0
	for _, f := range list {
		name := strings.TrimSuffix(f.Name(), ".metal")
		if name == "common" {
			continue
		}
		libraries++
		text, err := Source(name)
		require.NoError(t, err)
		_, diagnostics := msl.Compile(context.Background(), msl.Source{Name: f.Name(), Text: text}, msl.Options{})
		require.Empty(t, diagnostics, name)
	}
	require.Equal(t, 8, libraries)
	_, err = Source("missing")
	require.Error(t, err)
}
