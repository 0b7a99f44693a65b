// Package engines selects the backend that runs kernels on this machine. It is the only package,
// apart from tests, that refers to backends by name.
package engines

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
)

// Variable is the environment variable that chooses the engine.
const Variable = "PUREMETAL_SOFTWARE_ENGINE"

// Default returns the backend that Variable names:
//
//   - auto, the default, interprets a kernel until machine code is worth compiling, then runs those
//     parts of it as machine code that the compiler knows;
//   - jit compiles before the first launch;
//   - jit-avx2 does so too, for processors with AVX2, also on one with AVX-512;
//   - vm only interprets;
//   - ref is vm for launches that are checked or observed; the others run as Whole says.
//
// Where the machine cannot run machine code, all are vm. The results are the same.
var Default = sync.OnceValue(func() exec.Backend {
	b, err := named(os.Getenv(Variable))
	if err != nil {
		slog.Error("software device: the interpreter runs kernels", "variable", Variable, "error", err)
	}
	return observed(b)
})

// oracle is the name of the engine that executes kernels as package ref does.
const oracle = "ref"

// Whole returns how launches of a kernel are executed instead of by Default, if Variable is ref: by
// the oracle, which executes the instructions of the kernel as it was compiled, thread by thread,
// on one worker and in one order. It has neither the optimizer nor the lower representation of the
// others, so it tells whether a result that looks wrong is their mistake; and it is slow. constants
// has the values of the kernel's function constants, as in a Launch.
func Whole(f *ir.Func, constants map[int][]byte) func(context.Context, *exec.Launch) error {
	if os.Getenv(Variable) != oracle {
		return nil
	}
	return func(ctx context.Context, l *exec.Launch) error {
		own := *l
		own.Constants = constants
		return ref.Run(ctx, f, &own)
	}
}

// named returns the backend with a name, and what is wrong with the name or the machine.
func named(name string) (vm.Backend, error) {
	switch name {
	case "", "auto":
		return vm.Backend{Machine: jit.Options{}, Tiered: true}, nil
	case "jit":
		return vm.Backend{Machine: jit.Options{}}, jit.Available()
	case "jit-avx2":
		return vm.Backend{Machine: jit.Options{AVX2: true}}, jit.Available()
	case "vm", oracle:
		return vm.Backend{}, nil
	}
	return vm.Backend{}, fmt.Errorf("want auto, jit, jit-avx2, vm or ref, not %q", name)
}

// Describe says in one line which engine Default is, and why it is not the fastest.
func Describe() string {
	name := os.Getenv(Variable)
	b, err := named(name)
	if name == oracle {
		return "oracle: each thread by itself, slowly; the interpreter for launches that are checked (" + Variable +
			"=ref)"
	}
	o, ok := b.Machine.(jit.Options)
	if err != nil || !ok {
		if err == nil {
			err = errors.New(Variable + "=vm")
		}
		return "interpreter: " + err.Error()
	}
	if err := jit.Available(); err != nil {
		return "interpreter: " + err.Error()
	}
	what := "amd64 with " + o.Vectors()
	switch best := (jit.Options{}).Vectors(); {
	case o.Vectors() != best:
		what += " (" + Variable + "=" + name + ")"
	case o.Vectors() != jit.Fastest:
		what += " (the processor has no " + jit.Fastest + ")"
	}
	return "machine code for " + what + ", where its compiler knows the instructions; else interpreter"
}
