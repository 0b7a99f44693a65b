package gokernel

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// FuzzGo translates any text as the only file of a package: nothing panics, and each refusal has a
// place and a reason.
func FuzzGo(f *testing.F) {
	files, err := filepath.Glob("../test/dialects/gokernels/*.go")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		translateText(t, text)
	})
}

// translateText translates a package of one file.
func translateText(t testing.TB, text string) (*Result, error) {
	r, err := Translate(context.Background(), fstest.MapFS{"k/k.go": {Data: []byte(text)}}, "k", Options{})
	require.NotErrorIs(t, err, ErrInternal)
	require.NotNil(t, r)
	for _, x := range r.Refused {
		require.True(t, x.Pos.IsValid(), "%+v", x)
		require.NotEmpty(t, x.Reason)
		require.False(t, strings.Contains(x.Reason, "%!"), x.Reason)
	}
	return r, err
}

// The beginning of a package, of a kernel, and of a package that begins with a kernel.
const (
	head    = "package k\n\nimport \"github.com/puremetal/puremetal/kernel\"\n\n"
	markK   = "//puremetal:kernel\nfunc K(t *kernel.Thread"
	kernelK = head + markK
)

// hostile are packages that want much memory or time, or that are no packages.
var hostile = map[string]string{
	"parentheses": kernelK + ", x []int32) { x[0] = " + strings.Repeat("(", 9000) + "1" + strings.Repeat(")", 9000) +
		" }\n",
	"blocks":   kernelK + ") { " + strings.Repeat("{", 2000) + strings.Repeat("}", 2000) + " }\n",
	"sum":      kernelK + ", x []int32) { x[0] = x[0]" + strings.Repeat(" + x[0]", 9000) + " }\n",
	"constant": kernelK + ", x []float32) { x[0] = 1 << 500 >> 500; const c = 1 << 500; x[0] = c }\n",
	"array":    kernelK + ", x []int8) { var a [1 << 40]int8; x[0] = a[x[0]&1] }\n",
	"arrays":   kernelK + ", x []int8) { var a [1 << 30][1 << 30][1 << 30]int8; x[0] = a[0][0][0] }\n",
	"literal":  kernelK + ", x []int8) { a := [1 << 40]int8{1}; x[0] = a[0] }\n",
	"shared":   kernelK + ") { a := kernel.Shared[[1 << 40]int8](t); a[0] = 1 }\n",
	"table":    head + "var v = []int8{1 << 40: 1}\n" + markK + ", x []int8) { x[0] = v[x[0]&1] }\n",
	"itself":   head + "type T struct { a [2]T }\n" + markK + ", x []T) { x[0] = x[1] }\n",
	"pointer":  head + "type T struct { p *T }\n" + markK + ", x []T) { x[0] = x[1] }\n",
	"pointers": head + "type P *P\nfunc f(p P) {}\n" + markK + ") { var p P; f(p) }\n",
	"slices":   head + "type S []S\n" + markK + ", x S) { x[0] = x[1] }\n",
	"larger":   head + "func f[T any](x T) { var y [2]T; f(y) }\n" + markK + ") { f(int8(1)) }\n",
	"shift":    kernelK + ", x []int32) { x[0] = x[0] << 1000000000000000000000 }\n",
	"unicode": head + "type é struct{ ü, Ü int32 }\n//puremetal:kernel\n" +
		"func 核(t *kernel.Thread, 数 []int32) { ö := é{1, 2}; 数[0] = ö.ü + ö.Ü }\n",
	"case":    kernelK + ") {}\n//puremetal:kernel\nfunc k(t *kernel.Thread) {}\n",
	"twice":   kernelK + ") {}\n" + markK + ") {}\n",
	"group":   head + "//puremetal:kernel group=99999999999999999999,1\nfunc K(t *kernel.Thread) {}\n",
	"options": head + "//puremetal:kernel group=1 group=2 x\nfunc K(t *kernel.Thread) {}\n",
	"main": "package main\n\nimport \"github.com/puremetal/puremetal/kernel\"\n\n" + markK +
		") {}\n\nfunc main() {}\n",
	"cgo": "package k\n\n// int f();\nimport \"C\"\nimport \"github.com/puremetal/puremetal/kernel\"\n\n" +
		markK + ", x []int32) { x[0] = int32(C.f()) }\n",
	"no body":    kernelK + ")\n",
	"init":       head + "//puremetal:kernel\nfunc init() {}\n//puremetal:kernel\nfunc _(t *kernel.Thread) {}\n",
	"blank":      head + "//puremetal:kernel\nfunc K(_ *kernel.Thread, _ []int32, _ int32) {}\n",
	"nothing":    "",
	"no package": "//puremetal:kernel\nfunc K() {}",
	"bytes":      "package k\x00\xff",
	"fields": head + "type S struct { _ int32; _ int32; A int32 }\n" + markK +
		", x []S) { x[0] = S{A: 1}; x[1].A++ }\n",
	"fallthrough": kernelK + ", x []int32) { switch x[0] { case 1: fallthrough; default: } }\n",
	"method":      head + "type T struct{ A int32 }\n//puremetal:kernel\nfunc (T) K(t *kernel.Thread) {}\n",
	"literals": head + "type T struct{ A int32 }\nvar a = T{1: 2}\nvar b = T{1, 2}\nvar c = [2]int32{x: 1}\n" +
		"//puremetal:kernel\nfunc A(t *kernel.Thread) { _ = a }\n//puremetal:kernel\nfunc B(t *kernel.Thread) { _ = b }\n" +
		"//puremetal:kernel\nfunc C(t *kernel.Thread) { _ = c }\n",
	"samplers": head + "var r = kernel.Sampler{1: 2}\nvar s = kernel.Sampler{0, 0, 0, 0, false, 1}\n" +
		"var u = kernel.Sampler{Filter: \"a\", None: x}\nvar v = kernel.Sampler(nil)\n" +
		"var w, y = r, kernel.Sampler{S: 300}\n" +
		"//puremetal:kernel\nfunc A(t *kernel.Thread) { _ = r }\n//puremetal:kernel\nfunc B(t *kernel.Thread) { _ = s }\n" +
		"//puremetal:kernel\nfunc C(t *kernel.Thread) { _ = u }\n//puremetal:kernel\nfunc D(t *kernel.Thread) { _ = v }\n" +
		"//puremetal:kernel\nfunc E(t *kernel.Thread) { _ = w }\n//puremetal:kernel\nfunc F(t *kernel.Thread) { _ = y }\n",
	"textures": head + "import \"github.com/puremetal/puremetal/simd\"\n\n" +
		"var s = kernel.Sampler{Filter: kernel.Linear}\n\ntype T[V kernel.Texel] kernel.Texture2D[V]\n\n" +
		"func f[V kernel.Texel](a kernel.Texture2D[V]) V { return a.Sample(s, simd.Float2{X: 1}) }\n" + markK +
		", a kernel.Texture2D[simd.Float4], b kernel.WriteTexture2D[simd.Half4], " +
		"c kernel.ReadWriteTexture2D[simd.Int4]) {\n" +
		"b.Write(simd.Half4{}, a.Width(), c.Height())\nc.Write(c.Read(1, 2), 3, 4)\n_ = f(a)\n}\n" +
		"//puremetal:kernel\nfunc L(t *kernel.Thread, a kernel.Texture2D[simd.Float2], b T[simd.Int4], " +
		"c kernel.Texture2D[float32], d kernel.Texture2D) {\na.Read(0, 0)\n}\n",
	"thread": kernelK + ", u *kernel.Thread) { *t = *u; t = nil; t.Local.X = 1 }\n",
}

// TestHostile: such packages give clear errors, or a translation that compiles, in a short time.
func TestHostile(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) { translateText(t, text) })
	}
}
