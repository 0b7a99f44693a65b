//go:build puremetal_nosoftware

package plainmetal

import (
	"context"
	"errors"
	"fmt"
)

// Source fails: the program leaves out the compiler with the software device.
func Source(context.Context, Options) (*Program, error) {
	return nil, fmt.Errorf("groups of threads take this module's compiler, which was left out by the build tag "+
		"puremetal_nosoftware: %w", errors.ErrUnsupported)
}
