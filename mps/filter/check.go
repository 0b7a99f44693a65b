package filter

import (
	"fmt"

	"github.com/puremetal/puremetal/mps"
)

// checkOdd checks a window with a center.
func checkOdd(width, height uint) error {
	if width%2 == 0 || height%2 == 0 {
		return fmt.Errorf("kernel of %d x %d, want odd numbers: %w", width, height, mps.ErrKernelSize)
	}
	return nil
}
