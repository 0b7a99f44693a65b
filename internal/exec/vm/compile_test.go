package vm

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/msl"
)

// kernelsOf compiles MSL and returns its kernels by name.
func kernelsOf(tb testing.TB, text string) map[string]*exec.Kernel {
	tb.Helper()
	m, diags := msl.Compile(context.Background(),
		msl.Source{Name: "test.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}, msl.Options{})
	require.Empty(tb, diags)
	ks := map[string]*exec.Kernel{}
	for _, f := range m.IR.Funcs {
		ks[f.Name] = exec.NewKernel(f, exec.Options{Backend: Backend{}})
	}
	return ks
}

func words(x ...uint32) []byte {
	var b []byte
	for _, w := range x {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// compiled returns a kernel's program for a shape.
func compiled(k *exec.Kernel, shape [3]int) (*program, error) {
	p, err := k.Program(shape)
	if err != nil {
		return nil, err
	}
	return p.(*program), nil
}
