package softmetal_test

import (
	"os"
	"testing"
)

// TestMain makes the software driver the one that package objc picks, with two devices, for the
// tests that speak to it through the bindings. What the environment asks to sanitize would change
// what tests of validation and of native kernels see.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"PUREMETAL_DRIVER": "software", "PUREMETAL_SOFTWARE_DEVICES": "2",
		"PUREMETAL_SANITIZE": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
