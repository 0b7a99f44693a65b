//go:build !puremetal_nosoftware

// Package driver registers MPS with the software driver. It stands between packages mps and
// softmps so that Go's build cache keeps the compiled mps, which is large, when the inside of
// softmps changes.
//
// All tests of package mps run through it.
package driver

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps"
)

// Register registers the framework. Inlined, mps would depend on softmps all the same.
//
//go:noinline
func Register(rt *objcsoft.Runtime) error { return softmps.Register(rt) }
