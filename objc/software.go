package objc

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
)

// openSoftware makes the software world: a runtime that knows the frameworks which the software driver has. They are loaded
// at the first use of one of their classes or functions.
func openSoftware() (*objcsoft.Runtime, error) { return softmetal.Open() }
