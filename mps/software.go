//go:build !puremetal_nosoftware

package mps

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps/driver"
)

// software registers the framework with the software driver.
func software(rt *objcsoft.Runtime) error { return driver.Register(rt) }
