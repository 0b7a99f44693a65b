//go:build !puremetal_nosoftware

package fallback

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/handletest"

	"github.com/stretchr/testify/require"
)

// TestHandles gives every exported function and method handles that nobody made.
func TestHandles(t *testing.T) {
	c, err := New(Options{})
	require.NoError(t, err)
	handletest.Check(t, handletest.Package{Handles: []any{c}, Functions: map[string]any{"New": New}, Err: compute.ErrNil})
}
