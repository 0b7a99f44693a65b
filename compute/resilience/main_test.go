package resilience

import (
	"fmt"
	"os"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"

	"go.uber.org/goleak"
)

// TestMain has two devices: one that fails, and one to fall back to.
func TestMain(m *testing.M) {
	if err := os.Setenv("PUREMETAL_SOFTWARE_DEVICES", "2"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(settle.Run(m, func() error { return goleak.Find() }))
}
