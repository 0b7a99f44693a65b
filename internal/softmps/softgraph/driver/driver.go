//go:build !puremetal_nosoftware

// Package driver registers MPSGraph with the software driver. It stands between packages graph and
// softgraph so that Go's build cache keeps the compiled graph, which is large, when the inside of
// softgraph changes.
//
// All tests of package graph run through it.
package driver

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps/softgraph"
)

// Register registers the framework. Inlined, graph would depend on softgraph all the same.
//
//go:noinline
func Register(rt *objcsoft.Runtime) error { return softgraph.Register(rt) }
