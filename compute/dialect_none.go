//go:build puremetal_nosoftware

package compute

import (
	"context"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/translate"
)

func translateSource(context.Context, string, translate.Options) (*translate.Result, error) {
	return &translate.Result{}, stream.ErrNoTranslator()
}
