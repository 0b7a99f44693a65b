//go:build !puremetal_nosoftware

package gokernel

import (
	"context"
	"io/fs"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/translate"
)

// goPackage is a Go package with kernels, as it was read.
type goPackage struct {
	files fs.FS
	dir   string
	show  func(name string) string
	sum   [32]byte
	size  int // bytes of the files
}

// readPackage reads a package in a folder of a file system, or of this machine if that is nil.
func readPackage(fsys fs.FS, dir string) (*goPackage, error) {
	p := &goPackage{dir: dir}
	if fsys == nil {
		var err error
		if fsys, p.dir, p.show, err = gokernel.Module(dir); err != nil {
			return nil, err
		}
	}
	s, err := gokernel.ReadSources(fsys, p.dir, p.show)
	if err != nil {
		return nil, err
	}
	p.files, p.sum, p.size = s, s.Sum, s.Size
	return p, nil
}

func (p *goPackage) translate(ctx context.Context, o compute.CompileOptions) (*translate.Result, error) {
	return gokernel.Package(ctx, p.files, p.dir, translate.Options{Show: p.show, Lines: true,
		DoubleAsFloat: o.DoubleAsFloat, Checked: o.Checked})
}
