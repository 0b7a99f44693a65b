// Package engines picks the backend that runs kernels on this machine. It is the only package
// outside of tests that knows the backends by name.
package engines

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// Default returns the fastest backend of this machine.
func Default() exec.Backend { return vm.Backend{} }
