// Package engines selects the backend that runs kernels on this machine. It is the only package,
// apart from tests, that refers to backends by name.
package engines

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// Default returns the fastest backend of this machine.
func Default() exec.Backend { return vm.Backend{} }
