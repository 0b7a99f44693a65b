//go:build !puremetal_nosoftware

package fallback

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/handletest"

	"github.com/stretchr/testify/require"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	c, err := New(Options{})
	require.NoError(t, err)
	handletest.Check(t, handletest.Package{Handles: []any{c}, Functions: map[string]any{"New": New}, Err: compute.ErrNil})
}
