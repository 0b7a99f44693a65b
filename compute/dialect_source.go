//go:build !puremetal_nosoftware

package compute

import (
	"context"

	"github.com/puremetal/puremetal/translate"
)

func translateSource(ctx context.Context, source string, o translate.Options) (*translate.Result, error) {
	return translate.Source(ctx, source, o)
}
