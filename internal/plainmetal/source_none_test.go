//go:build puremetal_nosoftware

package plainmetal

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoSoftware: without the compiler, Source names the build tag that left it out.
func TestNoSoftware(t *testing.T) {
	_, err := Source(t.Context(), Options{})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "left out by the build tag puremetal_nosoftware")
}
