//go:build puremetal_nosoftware

package compute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/puremetal/puremetal/translate"
)

func errNoTranslator() error {
	return fmt.Errorf("languages other than Metal take this module's compiler, which was left out "+
		"by the build tag puremetal_nosoftware: %w", errors.ErrUnsupported)
}

func translateSource(context.Context, string, translate.Options) (*translate.Result, error) {
	return &translate.Result{}, errNoTranslator()
}

type goPackage struct {
	sum  [32]byte
	size int
}

func readPackage(fs.FS, string) (*goPackage, error) { return nil, errNoTranslator() }

func (*goPackage) translate(context.Context, CompileOptions) (*translate.Result, error) {
	return &translate.Result{}, errNoTranslator()
}
