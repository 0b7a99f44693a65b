//go:build linux && (amd64 || arm64)

package ccalltest_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// cTypes are the types that generated functions take and return: the encoding
// and how C writes it. %s is the name of a typedef.
var cTypes = []struct{ enc, c string }{
	{"c", "typedef signed char %s"}, {"C", "typedef unsigned char %s"}, {"s", "typedef short %s"},
	{"S", "typedef unsigned short %s"},
	{"i", "typedef int %s"}, {"I", "typedef unsigned %s"}, {"q", "typedef long long %s"},
	{"Q", "typedef unsigned long long %s"},
	{"B", "typedef _Bool %s"}, {"f", "typedef float %s"}, {"d", "typedef double %s"}, {"^v", "typedef void *%s"},
	{"{?=QQ}", "typedef struct { unsigned long long a, b; } %s"},
	{"{?=QQQ}", "typedef struct { unsigned long long a, b, c; } %s"},
	{"{?={?=QQQ}{?=QQQ}}", "typedef struct { struct { unsigned long long a, b, c; } o, s; } %s"},
	{"{?=Q}", "typedef struct { unsigned long long a; } %s"},
	{"{?=CCCC}", "typedef struct { unsigned char r, g, b, a; } %s"},
	{"{?=CCC}", "typedef struct { unsigned char r, g, b; } %s"},
	{"{?=S}", "typedef struct { unsigned short a; } %s"},
	{"{?=ff}", "typedef struct { float x, y; } %s"},
	{"{?=f}", "typedef struct { float x; } %s"},
	{"{?=fff}", "typedef struct { float x, y, z; } %s"},
	{"{?=(?={?=fff}[3f])}", "typedef struct { union { struct { float x, y, z; } s; float e[3]; } u; } %s"},
	{"{?=ffff}", "typedef struct { float x, y, z, w; } %s"},
	{"{?=fffff}", "typedef struct { float a[5]; } %s"},
	{"{?=dd}", "typedef struct { double a, b; } %s"},
	{"{?=ddd}", "typedef struct { double a, b, c; } %s"},
	{"{?=dddd}", "typedef struct { double a, b, c, d; } %s"},
	{"{?=dQ}", "typedef struct { double a; unsigned long long b; } %s"},
	{"{?=Qf}", "typedef struct { unsigned long long a; float b; } %s"},
	{"{?=fI}", "typedef struct { float a; unsigned b; } %s"},
	{"{?=fd}", "typedef struct { float a; double b; } %s"},
	{"{?=IIII}", "typedef struct { unsigned a, b, c, d; } %s"},
	{"{?=III}", "typedef struct { unsigned a, b, c; } %s"},
	{"{?=cqs}", "typedef struct { signed char a; long long b; short c; } %s"},
	{"{?=cs}", "typedef struct { signed char a; short c; } %s"},
	{"(?=fI)", "typedef union { float a; unsigned b; } %s"},
	{"(?=dq)", "typedef union { double a; long long b; } %s"},
	{"{?=[16q]}", "typedef struct { long long a[16]; } %s"},
	{"<4f>", "typedef float %s __attribute__((vector_size(16)))"},
	{"<2f>", "typedef float %s __attribute__((vector_size(8)))"},
	{"<16C>", "typedef unsigned char %s __attribute__((vector_size(16)))"},
	{"{?=<4f><4f>}", "typedef struct { float a __attribute__((vector_size(16))), b __attribute__((vector_size(16))); } %s"},
	{"{?=Q<4f>}", "typedef struct { unsigned long long a; float b __attribute__((vector_size(16))); } %s"},
}

// generated is one function: ret(args), indices into cTypes; ret is -1 for void.
type generated struct {
	ret  int
	args []int
}

func (g generated) encoding() string {
	enc := "v"
	if g.ret >= 0 {
		enc = cTypes[g.ret].enc
	}
	for _, a := range g.args {
		enc += cTypes[a].enc
	}
	return enc
}

// source writes the function: it copies each argument to its place in out, and
// returns what is in ret.
func (g generated) source(name string) string {
	var params, body strings.Builder
	for i, a := range g.args {
		if i > 0 {
			params.WriteString(", ")
		}
		fmt.Fprintf(&params, "t%d a%d", a, i)
		fmt.Fprintf(&body, " memcpy(out + %d, &a%d, sizeof a%d);", i*outSlot, i, i)
	}
	if g.ret < 0 {
		return fmt.Sprintf("void %s(%s) {%s }\n", name, params.String(), body.String())
	}
	return fmt.Sprintf("t%d %s(%s) {%s t%d r; memcpy(&r, ret, sizeof r); return r; }\n", g.ret, name, params.String(),
		body.String(), g.ret)
}

const (
	outSlot   = 128
	maxArgs   = 14
	functions = 400
)

// portable reports whether Linux's convention places the call as Apple's does:
// not where it spills something narrower than a slot of 8 bytes.
func portable(p *ccall.Plan) bool {
	if runtime.GOARCH == "amd64" {
		return true
	}
	for i := range p.NumArgs() {
		l := p.Arg(i).Locs[0]
		if l.Kind == ccall.OnStack && (l.Size%8 != 0 || p.Signature().Args[i].Size < 8) {
			return false
		}
	}
	return true
}

// TestGenerated compares every placement with what the C compiler does: random
// functions of every shape, whose arguments and results must arrive.
func TestGenerated(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var src strings.Builder
	fmt.Fprintf(&src, "#include <string.h>\nunsigned char out[%d], ret[256];\n", maxArgs*outSlot)
	for i, c := range cTypes {
		fmt.Fprintf(&src, c.c+";\n", fmt.Sprintf("t%d", i))
	}
	var funcs []generated
	for len(funcs) < functions {
		g := generated{ret: rnd.IntN(len(cTypes)+1) - 1}
		for range rnd.IntN(maxArgs + 1) {
			a := rnd.IntN(len(cTypes))
			if rnd.IntN(3) == 0 {
				a = rnd.IntN(12) // scalars, to use up registers
			}
			g.args = append(g.args, a)
		}
		if !portable(plan(t, g.encoding())) {
			continue
		}
		src.WriteString(g.source(fmt.Sprintf("f%d", len(funcs))))
		funcs = append(funcs, g)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "generated.c")
	require.NoError(t, os.WriteFile(file, []byte(src.String()), 0o600))
	lib := compileC(t, dir, file)
	memory := func(name string, size int) []byte {
		p, err := purego.Dlsym(lib, name)
		require.NoError(t, err)
		return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), size)
	}
	out, ret := memory("out", maxArgs*outSlot), memory("ret", 256)
	for i, g := range funcs {
		fn, err := purego.Dlsym(lib, fmt.Sprintf("f%d", i))
		require.NoError(t, err)
		for range 3 {
			g.check(t, rnd, fn, out, ret)
		}
	}
}

func (g generated) check(t *testing.T, rnd *rand.Rand, fn uintptr, out, ret []byte) {
	p := plan(t, g.encoding())
	sig := p.Signature()
	clear(out)
	var args []uintptr
	var images [][]byte
	for i := range sig.Args {
		words := randomWords(rnd, &sig.Args[i])
		args = append(args, words...)
		images = append(images, imageOf(words, &sig.Args[i]))
	}
	want := randomWords(rnd, &sig.Ret)
	clear(ret)
	copy(ret, imageOf(want, &sig.Ret))

	got := make([]uintptr, p.RetWords())
	p.CallFunc(fn, args, got)
	where := func(i int) string { return fmt.Sprintf("argument %d of %s in %s", i, sig.Encoding, p.ArgString(i)) }
	for i := range images {
		at := out[i*outSlot:]
		assert.Equal(t, images[i], masked(at[:sig.Args[i].Size], &sig.Args[i]), where(i))
	}
	if p.RetWords() > 0 {
		assert.Equal(t, imageOf(want, &sig.Ret), imageOf(got, &sig.Ret), "result of %s in %s", sig.Encoding, p.RetString())
		if !sig.Ret.IsAggregate() {
			assert.Equal(t, want, got, "result of %s", sig.Encoding)
		}
	}
}

// randomWords returns the words of a random value.
func randomWords(rnd *rand.Rand, t *typeenc.Type) []uintptr {
	words := make([]uintptr, typeenc.Words(*t))
	for i := range words {
		words[i] = uintptr(rnd.Uint64())
	}
	if t.IsAggregate() || t.Kind == typeenc.Vector || t.Size == 8 || len(words) == 0 {
		return words
	}
	up := 64 - 8*t.Size
	switch {
	case t.Kind == typeenc.Bool:
		words[0] &= 1
	case t.IsSigned():
		words[0] = uintptr(int64(words[0]) << up >> up)
	default:
		words[0] = words[0] << up >> up
	}
	return words
}

// imageOf returns a value's bytes in memory, those between fields zero.
func imageOf(words []uintptr, t *typeenc.Type) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, uint64(w))
	}
	return masked(b[:t.Size], t)
}

func masked(b []byte, t *typeenc.Type) []byte {
	used := make([]bool, len(b))
	mark(used, t, 0)
	out := make([]byte, len(b))
	for i := range b {
		if used[i] {
			out[i] = b[i]
		}
	}
	return out
}

func mark(used []bool, t *typeenc.Type, at int) {
	if len(t.Fields) == 0 {
		for i := range t.Size {
			used[at+i] = true
		}
	}
	for i := range t.Fields {
		mark(used, &t.Fields[i], at+t.Fields[i].Offset)
	}
}
