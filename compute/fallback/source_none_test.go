//go:build puremetal_nosoftware

package fallback

import (
	"errors"
	"testing"

	internal "github.com/puremetal/puremetal/compute/internal/fallback"

	"github.com/stretchr/testify/require"
)

// TestNoSoftware: without the compiler, New names the build tag that left it out.
func TestNoSoftware(t *testing.T) {
	_, err := New(Options{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "left out by the build tag puremetal_nosoftware")
	_, err = (&CPU{}).Prepare(t.Context(), internal.Kernel{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
