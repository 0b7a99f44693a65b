//go:build puremetal_nosoftware

package compute

import (
	"testing"

	"github.com/puremetal/puremetal/objc"
	"github.com/stretchr/testify/require"
)

// TestNoSoftware: without the software device, Open names the build tag that left it out.
func TestNoSoftware(t *testing.T) {
	t.Setenv("PUREMETAL_DRIVER", "software")
	_, err := Open()
	require.ErrorIs(t, err, objc.ErrDriver)
	require.ErrorContains(t, err, "left out by the build tag puremetal_nosoftware")
}
