//go:build !puremetal_nosoftware

package graph

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps/softgraph/driver"
)

// software registers the framework with the software driver.
func software(rt *objcsoft.Runtime) error { return driver.Register(rt) }
