//go:build puremetal_run

package main

import (
	"github.com/puremetal/puremetal/internal/msl"
)

// Go's parser and type checker take eight processor seconds of README's first command, and its
// example is in Metal.

func errNoGo(name string) error {
	return usage("%s is a Go package, and this build, with the tag puremetal_run, leaves kernels in Go out; "+
		"build the command without the tag", name)
}

func (c *runCmd) goPackage(*app, *plan) error { return errNoGo(c.source) }

func (c *checkCmd) compileGo(_ *app, name string, _ msl.Options) (*checked, error) {
	return nil, errNoGo(name)
}
