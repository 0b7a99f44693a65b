package resilience

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain has two devices: one that fails, and one to fall back to.
func TestMain(m *testing.M) {
	if err := os.Setenv("PUREMETAL_SOFTWARE_DEVICES", "2"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
