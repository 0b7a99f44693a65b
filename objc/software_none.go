//go:build puremetal_nosoftware

package objc

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// openSoftware fails: the program leaves out the software device, with its compiler and engine,
// because it is for Macs only.
func openSoftware() (*objcsoft.Runtime, error) { return nil, leftOut() }

func readEngine() (Engine, error) { return Engine{}, leftOut() }

func leftOut() error {
	return fmt.Errorf("objc: the software driver was left out by the build tag puremetal_nosoftware: %w", ErrDriver)
}
