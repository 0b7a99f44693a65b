package graph

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/stretchr/testify/require"
)

// failOn has the software device fail every n-th command buffer from now on with an error code,
// until the test ends; 0 ends it at once.
func failOn(t *testing.T, a *compute.Accelerator, f softmetal.Faults) {
	t.Helper()
	rt := softmetal.Opened()
	if rt == nil {
		t.Skip("only the software device fails on demand while a program runs")
	}
	id := objcsoft.ID(a.Device().ID())
	require.NoError(t, softmetal.Inject(rt, id, f))
	t.Cleanup(func() { require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{})) })
}
