package vm

import (
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// kernelsOf compiles MSL and returns its kernels by name.
func kernelsOf(tb testing.TB, text string) map[string]*exec.Kernel {
	tb.Helper()
	ks := map[string]*exec.Kernel{}
	for _, f := range testlaunch.Compile(tb, text) {
		ks[f.Name] = exec.NewKernel(f, exec.Options{Backend: Backend{}})
	}
	return ks
}

func words(x ...uint32) []byte { return testlaunch.Words(x...) }

func noise(n int) []byte { return testlaunch.Noise(n) }

// compiled returns a kernel's program for a shape.
func compiled(k *exec.Kernel, shape [3]int) (*program, error) {
	p, err := k.Program(shape)
	if err != nil {
		return nil, err
	}
	return p.(*program), nil
}
