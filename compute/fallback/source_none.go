//go:build puremetal_nosoftware

package fallback

import (
	"context"
	"errors"
	"fmt"

	internal "github.com/puremetal/puremetal/compute/internal/fallback"
)

// CPU runs kernels on the CPU. The build tag puremetal_nosoftware leaves it out.
type CPU struct{}

// errLeftOut names the build tag.
func errLeftOut() error {
	return fmt.Errorf("fallback: kernels on the CPU take this module's compiler, which was left out by the build tag "+
		"puremetal_nosoftware: %w", errors.ErrUnsupported)
}

// New fails: the program leaves out the compiler with the software device.
func New(Options) (*CPU, error) { return nil, errLeftOut() }

// Prepare fails as New does.
func (*CPU) Prepare(context.Context, internal.Kernel) (internal.Code, error) {
	return nil, errLeftOut()
}
