package compute

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIncludes: what is not taken is not looked for, headers may include each other behind guards, and a file that is missing is an error of the compiler, in its
// line.
func TestIncludes(t *testing.T) {
	a := accelerator(t)
	files := fstest.MapFS{
		"a/a.h": {Data: []byte("#ifndef A_H\n#define A_H\n#include \"../b.h\"\n#include \"a.h\"\nenum { A = 1 };\n#endif\n")},
		"b.h":   {Data: []byte("// b\n# ifndef B_H\n# define B_H 1\n#include \"a/a.h\"\nenum { B = 2 };\n# endif\n")},

		"endless.h": {Data: []byte("#include \"endless.h\"\n")},
	}
	const kernel = "kernel void f(device int *x [[buffer(0)]]) { x[0] = A + B; }\n"
	compile := func(source string) error {
		p, err := a.Compile(t.Context(), source, CompileOptions{Name: "main.metal", Includes: files})
		if err == nil {
			p.Close()
		}
		return err
	}
	require.NoError(t, compile("#include \"a/a.h\"\n#include \"b.h\"\n"+kernel))
	require.NoError(t, compile("#if 0\n#include \"nowhere.h\"\n#include \"../out.h\"\n#endif\n#include \"b.h\"\n"+kernel))
	err := compile("#include \"b.h\"\n#include \"nowhere.h\"\n" + kernel)
	require.ErrorIs(t, err, ErrCompile)
	assert.ErrorContains(t, err, "nowhere.h")
	assert.ErrorContains(t, err, "main.metal:2")
	err = compile("#include \"endless.h\"\n" + kernel)
	assert.ErrorContains(t, err, "nest deeper than 64")
}
