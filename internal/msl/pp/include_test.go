package pp

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

func files(pairs ...string) fstest.MapFS {
	m := make(fstest.MapFS)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

func messages(diags []diag.Diagnostic, fs *diag.FileSet) (list []string) {
	for _, d := range diags {
		list = append(list, fs.Position(d.Pos).String()+" "+string(d.Code)+" "+d.Message)
	}
	return list
}

func TestInclude(t *testing.T) {
	tree := files(
		"a.h", "a",
		"once.h", "#pragma once\nonce",
		"guard.h", "#ifndef G\n#define G\nguard\n#endif",
		"sub/b.h", "#include \"c.h\"\n#include \"../a.h\"\nb __FILE__ __INCLUDE_LEVEL__",
		"sub/c.h", "c",
		"inc/d.h", "d",
		"inc/a.h", "wrong",
		"inc2/d.h", "wrong",
		"inc2/metal_stdlib", "wrong",
		"def.h", "#define F(x) <x>\n",
		"half.h", "F(",
		"open.h", "#if 1\nx",
		"comment.h", "/* x",
		"macro_file.h", "m",
		"sp ace.h", "s",
	)
	for _, tc := range []struct {
		name, src, want string
		diags           []string
	}{
		{"plain", "#include \"a.h\"\nx\n# /**/ include /**/ \"a.h\" // y", "a x a", nil},
		{"relative to the file that includes", "#include \"sub/b.h\"", `c a b "sub/b.h" 1`, nil},
		{"include folders", "#include <d.h>\n#include \"d.h\"", "d d", nil},
		{"beside the file first", "#include \"a.h\"", "a", nil},
		{"<> does not look beside the file", "#include <sub/c.h>\n#include <c.h>", "",
			[]string{"a.metal:1:10 E0210 'sub/c.h' file not found", "a.metal:2:10 E0210 'c.h' file not found"}},
		{"Metal's headers first", "#include <metal_stdlib>\n#include \"metal_stdlib\"\n#include <simd/simd.h>\nx", "x", nil},
		{"Metal's macros", "#include <metal_stdlib>\nMAXHALF FLT_MAX CHAR_BIT M_PI_F", "MAXHALF FLT_MAX 8 M_PI_F", nil},
		{"Metal's macros in a condition",
			"#include <metal_limits>\n#if defined(FLT_MAX) && !defined(M_PI_F) && INT_MAX == 2147483647 && UINT_MAX > 0xfffffffe && LONG_MIN < 0 && FLT_MANT_DIG == 24\nx\n#endif", "x", nil},
		{"the target", "#include <TargetConditionals.h>\n#if TARGET_OS_OSX && !TARGET_OS_IPHONE\nx\n#endif", "x", nil},
		{"once", "#include \"once.h\"\n#include \"once.h\"\n#include \"sub/../once.h\"", "once", nil},
		{"guard", "#include \"guard.h\"\n#include \"guard.h\"", "guard", nil},
		{"import", "#import \"a.h\"\n#import \"a.h\"\n#include \"a.h\"", "a", nil},
		{"macros of a file stay", "#include \"def.h\"\nF(1)", "<1>", nil},
		{"by a macro", "#define H \"a.h\"\n#define S <d.h>\n#define M(x) <x.h>\n#include H\n#include S\n#include M(d)",
			"a d d", nil},
		{"a name with a space", "#include \"sp ace.h\"", "s", nil},
		{"a call across the end of a file", "#include \"def.h\"\n#include \"half.h\"\n1)", "<1>", nil},
		{"within a call", "#include \"def.h\"\nF(\n#include \"a.h\"\n)", "<a>", nil},
		{"__has_include", "#if __has_include(\"a.h\") && __has_include(<d.h>) && !__has_include(\"none\") && !__has_include(<c.h>)\nx\n#endif", "x", nil},
		{"a conditional does not reach over files", "#include \"open.h\"\ny\n#endif", "x y",
			[]string{"open.h:1:2 E0206 unterminated #if", "a.metal:3:2 E0207 #endif without #if"}},
		{"nor a comment", "#include \"comment.h\"\ny", "y", []string{"comment.h:1:1 E0102 unterminated /* comment"}},
		{"not there", "#include \"none.h\"\n#include <metal_stdlb>\n#include <limit.h>\nx", "x",
			[]string{"a.metal:1:10 E0210 'none.h' file not found",
				"a.metal:2:10 E0223 unknown Metal header 'metal_stdlb' is treated as empty",
				"a.metal:3:10 E0210 'limit.h' file not found; did you mean <limits.h>?"}},
		{"a folder, a way out, an absolute name",
			"#include \"sub\"\n#include \"../../a.h\"\n#include \"/a.h\"\n#include \"sub//c.h\"", "c",
			[]string{"a.metal:1:10 E0210 'sub' file not found", "a.metal:2:10 E0210 '../../a.h' file not found",
				"a.metal:3:10 E0210 '/a.h' file not found"}},
		{"malformed", "#include\n#include a.h\n#include \"\"\n#include <a.h\n#include \"a.h\" x\ny", "a y",
			[]string{"a.metal:1:2 E0205 #include needs \"file\" or <file>",
				"a.metal:2:2 E0205 #include needs \"file\" or <file>", "a.metal:3:10 E0205 empty file name in #include",
				"a.metal:4:2 E0205 #include needs \"file\" or <file>", "a.metal:5:16 E0204 extra tokens at end of #include"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			toks, diags, fs := process(t, tc.src, Options{Include: tree, IncludeDirs: []string{"inc", "inc2"}})
			assert.Equal(t, tc.want, text(toks))
			assert.Equal(t, tc.diags, messages(diags, fs))
		})
	}
}

func TestIncludeFromFolder(t *testing.T) {
	tree := files("k/a.h", "near", "a.h", "far")
	run := func(name string, opts Options) string {
		fs := diag.NewFileSet()
		opts.Include = tree
		return text(Process(fs, fs.AddFile(name, "#include \"a.h\""), opts, nil))
	}
	assert.Equal(t, "near", run("k/main.metal", Options{}))
	assert.Equal(t, "far", run("main.metal", Options{}))
	assert.Equal(t, "near", run("main.metal", Options{Dir: "k"}))
	assert.Equal(t, "far", run("/somewhere/main.metal", Options{}), "a name outside the folders")
	assert.Equal(t, "", run("none/main.metal", Options{}))
}

// failing is a file system whose files cannot be read.
type failing struct{ fs.FS }

func (failing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("disk on fire")}
}

func TestIncludeCannotRead(t *testing.T) {
	toks, diags, fs := process(t, "#include \"a.h\"\nx", Options{Include: failing{}})
	assert.Equal(t, "x", text(toks))
	assert.Equal(t, []string{"a.metal:1:10 E0210 'a.h' cannot be read: open a.h: disk on fire"}, messages(diags, fs))
}

func TestIncludeLimits(t *testing.T) {
	tree := files("self.h", "#include \"self.h\"\n#include \"self.h\"\nx", "p.h", "#include \"q.h\"", "q.h",
		"#include \"p.h\"", "big.h", strings.Repeat("x ", 600), "many.h", "#include \"self2.h\"", "self2.h", "")
	toks, diags, fs := process(t, "#include \"self.h\"", Options{Include: tree})
	assert.Empty(t, text(toks))
	assert.Equal(t, []string{"self.h:1:10 E0211 #include nested too deeply: more than 200 levels"}, messages(diags, fs))
	_, diags, fs = process(t, "#include \"p.h\"\ny", Options{Include: tree, MaxIncludeDepth: 7})
	assert.Equal(t, []string{"p.h:1:10 E0211 #include nested too deeply: more than 7 levels"}, messages(diags, fs))

	two := "#include \"big.h\"\n#include \"big.h\"\n"
	_, diags, _ = process(t, two, Options{Include: tree, MaxIncludeBytes: 3000})
	assert.Empty(t, diags)
	_, diags, fs = process(t, two, Options{Include: tree, MaxIncludeBytes: 2000})
	assert.Equal(t, []string{"a.metal:2:10 E0212 included files exceed 2000 bytes in total"}, messages(diags, fs))
	_, diags, fs = process(t, two, Options{Include: tree, MaxIncludeBytes: 100})
	assert.Equal(t, []string{"a.metal:1:10 E0210 'big.h' cannot be read: it exceeds the limit of all included files"},
		messages(diags, fs)[:1])
	_, diags, fs = process(t, strings.Repeat("#include \"self2.h\"\n", 100),
		Options{Include: tree, MaxIncludeBytes: 10_000})
	assert.Equal(t, []string{"a.metal:40:10 E0212 included files exceed 10000 bytes in total"},
		messages(diags, fs), "empty files count too")
}

func TestPragmas(t *testing.T) {
	var got []string
	record := func(p Pragma) {
		var words []string
		for _, t := range p.Tokens {
			words = append(words, t.Text)
		}
		got = append(got, strings.Join(words, " "))
	}
	tree := files("once.h", "_Pragma(\"once\") x")
	toks, diags, _ := process(t, "#define N 4\n#pragma unroll N\n#define P(x) _Pragma(#x)\nP(METAL fp math_mode(safe)) a\n#pragma\n#if 0\n#pragma no\n#endif\n#include \"once.h\"\n#include \"once.h\"", Options{Pragma: record, Include: tree})
	assert.Equal(t, []string{"unroll N", "METAL fp math_mode ( safe )", ""}, got)
	assert.Equal(t, "a x", text(toks))
	assert.Empty(t, diags)
}

func TestPositions(t *testing.T) {
	tree := files("h.h", "#define ADD(a, b) ((a) + b)\nh")
	toks, _, fs := process(t, "#include \"h.h\"\nADD(x,\n  ADD(y, 1))\n#line 100 \"z.metal\"\nw", Options{Include: tree})
	where := make(map[string]string)
	for _, tok := range toks {
		where[tok.Text] = fs.Position(tok.Pos).String()
	}
	assert.Equal(t, "h.h:2:1", where["h"])
	assert.Equal(t, "a.metal:2:5", where["x"], "an argument is where it is written")
	assert.Equal(t, "a.metal:3:7", where["y"])
	assert.Equal(t, "a.metal:3:3", where["+"], "the inner macro's, where it is used")
	assert.Equal(t, "z.metal:100:1", where["w"])
	i := 0
	for toks[i].Text != "y" {
		i++
	}
	steps := fs.ExpansionSteps(toks[i].Pos)
	require.Len(t, steps, 2, "an argument of an argument")
	assert.Equal(t, "ADD", steps[0].Macro)
	assert.Equal(t, "h.h:1:9", fs.Position(steps[0].Pos).String())
	plus := toks[i+2]
	require.Equal(t, "+", plus.Text)
	assert.Equal(t, "h.h:1:24", fs.Position(fs.Spelled(plus.Pos)).String())
	assert.Equal(t, token.EOF, toks[len(toks)-1].Kind)
	assert.Equal(t, "z.metal:100:2", fs.Position(toks[len(toks)-1].Pos).String())
	var nowhere diag.Pos
	assert.Empty(t, fs.ExpansionSteps(nowhere))
}
