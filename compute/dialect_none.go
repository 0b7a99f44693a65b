//go:build puremetal_nosoftware

package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/translate"
)

func translateSource(context.Context, string, translate.Options) (*translate.Result, error) {
	return &translate.Result{}, fmt.Errorf("languages other than Metal take this module's compiler, which was left out "+
		"by the build tag puremetal_nosoftware: %w", errors.ErrUnsupported)
}
