//go:build puremetal_nosoftware

package fallback

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
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

// Prepare implements [compute.Fallback]. It fails as New does.
func (*CPU) Prepare(context.Context, compute.FallbackKernel) (compute.FallbackCode, error) {
	return nil, errLeftOut()
}
