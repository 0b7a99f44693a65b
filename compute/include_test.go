package compute

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIncludes: what is not taken is not looked for, headers may include each other behind guards,
// and a file that is missing is an error of the compiler, in its line.
func TestIncludes(t *testing.T) {
	a := accelerator(t)
	files := fstest.MapFS{
		"a/a.h": {Data: []byte("#ifndef A_H\n#define A_H\n#include \"../b.h\"\n#include \"a.h\"\nenum { A = 1 };\n#endif\n")},
		"b.h":   {Data: []byte("// b\n# ifndef B_H\n# define B_H 1\n#include \"a/a.h\"\nenum { B = 2 };\n# endif\n")},

		"once/ab.h": {Data: []byte("# pragma once\nenum { A = 1, B = 2 };\n#include \"a.h\"\n")},
		"once/a.h":  {Data: []byte("#pragma once\n#include \"ab.h\"\nenum { OF_A };\n")},
		"once/b.h":  {Data: []byte("#pragma once\n#include \"ab.h\"\nenum { OF_B };\n")},

		"lib/c.h": {Data: []byte("#include <b.h>\n#include \"d.h\"\n")},
		"lib/d.h": {Data: []byte("enum { C = A + B };\n")},

		"metal_stdlib": {Data: []byte("#error not Metal's\n")},
		"stdint.h":     {Data: []byte("#error not Metal's\n")},

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
	for _, branch := range []string{"1", "0"} { // of which the compiler takes one
		require.NoError(t, compile("#if "+branch+
			"\n#include \"once/a.h\"\n#else\n#include \"once/b.h\"\n#endif\n#include \"once/b.h\"\n#include \"once/ab.h\"\n"+
			kernel))
	}
	require.NoError(t, compile("#include <metal_stdlib>\n# include <b.h>\n"+kernel))
	t.Run("header of C", func(t *testing.T) {
		if standin.Running() {
			t.Skip("the stand-ins' compiler has no <stdint.h>; whether Apple's has is untested")
		}
		require.NoError(t, compile("#include <stdint.h>\n#include <b.h>\n"+kernel))
	})
	require.NoError(t, compile("#include <lib/c.h>\nstatic_assert(C == 3, \"\");\n"+kernel))
	require.ErrorContains(t, compile("#include <d.h>\n"+kernel), "d.h", "only quotes search beside the including file")
	err := compile("#include \"b.h\"\n#include \"nowhere.h\"\n" + kernel)
	require.ErrorIs(t, err, ErrCompile)
	assert.ErrorContains(t, err, "nowhere.h")
	assert.ErrorContains(t, err, "main.metal:2")
	err = compile("#include \"endless.h\"\n" + kernel)
	assert.ErrorContains(t, err, "nest deeper than 64")
}

// TestIncludesGrow: a text that doubles with each header ends with an error; one whose headers are
// there once does not grow.
func TestIncludesGrow(t *testing.T) {
	headers := func(first string) fstest.MapFS {
		files := fstest.MapFS{"0.h": {Data: []byte(first + "\nenum { LAST }; // " + strings.Repeat("x", 1<<20) + "\n")}}
		for i := 1; i <= 40; i++ {
			files[fmt.Sprintf("%d.h", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
				"%s\n#include \"%d.h\"\n#include \"%[2]d.h\"\n", first, i-1)}
		}
		return files
	}
	text, err := expandIncludes(headers("#pragma once"), "main.metal", "#include \"40.h\"\n")
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(text, "LAST"))
	_, err = expandIncludes(headers("// again"), "main.metal", "#include \"40.h\"\n")
	assert.ErrorContains(t, err, "exceeds 67108864 bytes")
}

// TestIncludesLimited: what is no file, or too large, is an error and is not read.
func TestIncludesLimited(t *testing.T) {
	files := fstest.MapFS{"pipe.h": {Mode: fs.ModeNamedPipe}, "large.h": {Data: make([]byte, document.Header.Size+1)}}
	_, err := expandIncludes(files, "main.metal", "#include \"pipe.h\"\n")
	require.ErrorContains(t, err, "main.metal:1: #include \"pipe.h\": open pipe.h: not a regular file")
	_, err = expandIncludes(files, "main.metal", "\n#include \"large.h\"\n")
	require.ErrorIs(t, err, document.ErrLimit)
	require.ErrorContains(t, err, "main.metal:2")
}
