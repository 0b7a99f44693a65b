//go:build puremetal_nosoftware

package gokernel

import (
	"context"
	"io/fs"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/translate"
)

type goPackage struct {
	sum  [32]byte
	size int
}

func readPackage(fs.FS, string) (*goPackage, error) { return nil, stream.ErrNoTranslator() }

func (*goPackage) translate(context.Context, compute.CompileOptions) (*translate.Result, error) {
	return &translate.Result{}, stream.ErrNoTranslator()
}
