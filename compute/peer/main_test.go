package peer

import (
	"fmt"
	"os"
	"testing"
)

// TestMain has four devices: three peers and one that has none.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"PUREMETAL_SOFTWARE_DEVICES": "4", "PUREMETAL_SOFTWARE_PEERS": "1,1,1,2",
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
