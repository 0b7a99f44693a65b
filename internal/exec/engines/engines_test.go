package engines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// TestNamed: the variable chooses the engine, and another text leaves the interpreter.
func TestNamed(t *testing.T) {
	for _, name := range []string{"", "auto", "vm"} {
		b, problem := named(name)
		require.Equal(t, vm.Backend{}, b)
		require.Empty(t, problem)
	}
	b, problem := named("fast")
	require.Equal(t, vm.Backend{}, b)
	require.Equal(t, "want auto, vm or jit, not fast", problem)
	b, problem = named("jit")
	if err := jit.Available(); err != nil {
		require.Equal(t, vm.Backend{}, b)
		require.Contains(t, problem, err.Error())
	} else {
		require.NotNil(t, b.(vm.Backend).JIT)
		require.Empty(t, problem)
	}
}
