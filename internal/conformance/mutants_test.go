//go:build !race

package conformance

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/harvest"
	"github.com/puremetal/puremetal/mtl"
)

var everyMutant = flag.Int("mutants.every", 17, "judge one mutant in this many")

// TestMutants: the sanitizer finds no mistakes in the kernels of the suite, as an oracle does, and
// those of mutants.
func TestMutants(t *testing.T) {
	device, err := mtl.CreateSystemDefaultDevice()
	require.NoError(t, err)
	cases, where := Cases()
	harvest.Mutants(t, objcsoft.ID(device.ID()), *everyMutant, 40, func() {
		for _, c := range cases {
			t.Run(c.String(), func(t *testing.T) { runCase(t, c, where) })
		}
	})
}
