// Package engines selects the backend that runs kernels on this machine. It is the only package,
// apart from tests, that refers to backends by name.
package engines

import (
	"log/slog"
	"os"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// Variable is the environment variable that chooses the engine.
const Variable = "PUREMETAL_SOFTWARE_ENGINE"

// Default returns the backend that Variable names: vm, the interpreter, or jit, which runs those
// parts of kernels as machine code that its compiler knows. auto is vm as long as the compiler is
// new. If the machine cannot run machine code, jit is vm, too.
var Default = sync.OnceValue(func() exec.Backend {
	b, err := named(os.Getenv(Variable))
	if err != "" {
		slog.Error("software device: "+err+"; the interpreter runs kernels", "variable", Variable)
	}
	return b
})

// named returns the backend with a name, and what is wrong with the name or the machine.
func named(name string) (b exec.Backend, problem string) {
	switch name {
	case "", "auto", "vm":
		return vm.Backend{}, ""
	case "jit":
		if err := jit.Available(); err != nil {
			return vm.Backend{}, "no machine code: " + err.Error()
		}
		return vm.Backend{JIT: &jit.Options{}}, ""
	}
	return vm.Backend{}, "want auto, vm or jit, not " + name
}
