package objc

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
)

// openSoftware makes the software driver's runtime. Its frameworks are loaded at the first use of
// one of their classes or functions.
func openSoftware() (*objcsoft.Runtime, error) { return softmetal.Open() }
