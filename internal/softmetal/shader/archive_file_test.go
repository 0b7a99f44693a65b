package shader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forget empties the cache of libraries, as in another process.
func forget() {
	libraries.mu.Lock()
	defer libraries.mu.Unlock()
	libraries.byHash, libraries.bytes = nil, 0
	libraries.recent.Init()
}

// archived returns the file of an archive with a pipeline of a source's kernel.
func archived(t testing.TB, source, kernel string, values *Values) []byte {
	t.Helper()
	forget()
	l, err := Compile(context.Background(), source, Options{})
	require.Nil(t, err)
	f, err := l.Specialize(t.Context(), kernel, values)
	require.Nil(t, err)
	spec := PipelineSpec{Function: f}
	_, err = NewPipeline(spec)
	require.Nil(t, err)
	a := NewArchive()
	a.AddPipeline(&spec)
	return a.Encode()
}

func decoded(t testing.TB, data []byte) *Archive {
	t.Helper()
	a, err := DecodeArchive(context.Background(), data, true)
	require.Nil(t, err)
	return a
}

// resealed changes what an archive's file says, and its hash.
func resealed(t testing.TB, data []byte, old, new string) []byte {
	t.Helper()
	body := data[len(archiveMagic)+2*sha256.Size+1:]
	require.True(t, bytes.Contains(body, []byte(old)), old)
	return archiveOf(strings.Replace(string(body), old, new, 1))
}

// TestArchiveCode: a process that has read an archive compiles nothing for what is in it, and the
// rest when it is asked for.
func TestArchiveCode(t *testing.T) {
	t.Cleanup(forget)
	source := header + scaled + "#warning careful\n"
	whole, err := Compile(context.Background(), source, Options{})
	require.Nil(t, err)
	require.NotEmpty(t, whole.Warnings)
	data := archived(t, source, "plain", nil)

	forget()
	a := decoded(t, data)
	l, err := Compile(context.Background(), source, Options{})
	require.Nil(t, err)
	assert.Equal(t, []any{whole.Names(), whole.Warnings, whole.Hash}, []any{l.Names(), l.Warnings, l.Hash})
	assert.Len(t, l.code, 1, "the source was compiled")
	f := l.Function(t.Context(), "plain")
	assert.Equal(t, whole.Function(t.Context(), "plain").kernel.String(), f.kernel.String())
	p, err := NewPipeline(PipelineSpec{Function: f})
	require.Nil(t, err)
	assert.True(t, a.HasPipeline(&PipelineSpec{Function: f}))
	var space exec.Space
	out := make([]byte, 4)
	space.Set(1, exec.Object{Data: out})
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(context.Background(), p.Code,
		&exec.Launch{Grid: [3]int{1, 1, 1}, Group: [3]int{1, 1, 1}, Space: &space, Buffers: []uint64{exec.Address(1, 0)}}))
	assert.Equal(t, []byte{0, 0, 0x80, 0x3f}, out)
	assert.Equal(t, 1, int(l.Function(t.Context(), "twice").Entry()))
	assert.Equal(t, Vertex, l.Function(t.Context(), "v").Type)
	assert.Len(t, l.code, 1)

	assert.Equal(t, whole.Function(t.Context(), "scaled").Args(), l.Function(t.Context(), "scaled").Args())
	assert.Len(t, l.code, 2)
	assert.Equal(t, data, a.Encode(), "the code of a kernel that was not added")

	// What is known already is not read again, and what another archive has is added.
	forget()
	decoded(t, data)
	var v Values
	v.Set(0, Value{ir.DataUInt, []byte{9, 0, 0, 0}})
	v.Set(1, Value{ir.DataBool, []byte{1}})
	v.Set(2, Value{ir.DataBool, []byte{1}})
	other := archived(t, source, "scaled", &v)
	forget()
	decoded(t, data)
	decoded(t, other)
	l, err = Compile(context.Background(), source, Options{})
	require.Nil(t, err)
	assert.Len(t, l.code, 2)
	one := l.code["plain"]
	decoded(t, data)
	assert.Same(t, one, l.code["plain"])
}

// TestArchiveOtherBuild: code of another build is not run; the source is compiled in its place.
func TestArchiveOtherBuild(t *testing.T) {
	t.Cleanup(forget)
	data := resealed(t, archived(t, header+scaled, "plain", nil), `"build":"`, `"build":"an older `)
	data = resealed(t, data, "PMIR", "XXXX")
	forget()
	a := decoded(t, data)
	l, err := Compile(context.Background(), header+scaled, Options{})
	require.Nil(t, err)
	require.NotNil(t, l.program, "the source was not compiled")
	assert.Empty(t, l.code, "code of another build")
	spec := PipelineSpec{Function: l.Function(t.Context(), "plain")}
	_, err = NewPipeline(spec)
	require.Nil(t, err)
	assert.True(t, a.HasPipeline(&spec))
}

// TestArchiveWrong: archives whose hashes are right and whose content is not.
func TestArchiveWrong(t *testing.T) {
	t.Cleanup(forget)
	data := archived(t, header+scaled, "plain", nil)
	for name, bad := range map[string][]byte{
		"the code":      resealed(t, data, "PMIR", "XXXX"),
		"another name":  resealed(t, data, `"kernel":"plain"`, `"kernel":"scaled"`),
		"no such name":  resealed(t, data, `"kernel":"plain"`, `"kernel":"absent"`),
		"too short":     resealed(t, data, `"size":`, `"size":9`),
		"negative":      resealed(t, data, `"size":`, `"size":-`),
		"too much":      resealed(t, data, `"code":[`, `"no":[`),
		"no other line": resealed(t, data, "\nPMIR", ""),
	} {
		forget()
		_, err := DecodeArchive(context.Background(), bad, true)
		require.NotNil(t, err, name)
		assert.Equal(t, []any{BinaryArchiveDomain, ArchiveInvalidFile}, []any{err.Domain, err.Code}, name)
		assert.Nil(t, libraries.get((&Options{}).hash(header+scaled)), "%s: the library is known all the same", name)
	}
	// Kernels that the source does not have are no functions, when it comes to it.
	forget()
	decoded(t, resealed(t, data, `"kernels":["plain",`, `"kernels":["absent","plain",`))
	l, err := Compile(context.Background(), header+scaled, Options{})
	require.Nil(t, err)
	assert.Nil(t, l.Function(t.Context(), "absent"))
	assert.NotNil(t, l.Function(t.Context(), "plain"))

	for i := len(archiveMagic) + 2*sha256.Size + 1; i < len(data); i += 5 { // none of them panics
		bad := bytes.Clone(data)
		bad[i] ^= 4
		forget()
		_, _ = DecodeArchive(context.Background(), archiveOf(string(bad[len(archiveMagic)+2*sha256.Size+1:])), true)
	}
}

// substitute returns an archive of a source's kernel whose code and reflection are those of another
// source, with the hash made right: what somebody can write who may write a file.
func substitute(t testing.TB, victim, foreign, kernel string) []byte {
	t.Helper()
	name, err := json.Marshal(foreign)
	require.NoError(t, err)
	instead, err := json.Marshal(victim)
	require.NoError(t, err)
	data := resealed(t, archived(t, foreign, kernel, nil), string(name), string(instead))
	return resealed(t, data, fmt.Sprintf("%x", (&Options{}).hash(foreign)), fmt.Sprintf("%x", (&Options{}).hash(victim)))
}

// TestArchiveSubstitution: opening an archive that somebody else may have written changes nothing
// of what a source is compiled to: not its code, not its reflection, not the list of its functions.
func TestArchiveSubstitution(t *testing.T) {
	t.Cleanup(forget)
	const victim = "kernel void k(device int *x [[buffer(0)]]) { x[0] = 1; }"
	const foreign = "#warning nobody wrote this\n" +
		"kernel void k(device int *x [[buffer(7)]]) { x[0] = 666; } kernel void more(device int *x) { x[0] = 2; }"
	data := substitute(t, victim, foreign, "k")
	forget()
	whole, err := Compile(context.Background(), victim, Options{})
	require.Nil(t, err)
	want := whole.Function(t.Context(), "k")

	forget()
	a, err := DecodeArchive(context.Background(), data, false)
	require.Nil(t, err)
	l, err := Compile(context.Background(), victim, Options{})
	require.Nil(t, err)
	got := l.Function(t.Context(), "k")
	require.NotNil(t, got)
	assert.Equal(t, want.kernel.String(), got.kernel.String())
	assert.Equal(t, want.Args(), got.Args())
	assert.Equal(t, whole.index, l.index)
	assert.True(t, a.HasPipeline(&PipelineSpec{Function: got}), "the archive lists it, and that is all it does")
	assert.Same(t, l, a.libraries[l.Hash])

	// A library that is known already stays as it is.
	one := l.code["k"]
	_, err = DecodeArchive(context.Background(), data, false)
	require.Nil(t, err)
	assert.Same(t, one, l.code["k"])

	// The same file is used as it is when somebody vouches for it; else this test would prove nothing.
	forget()
	_, err = DecodeArchive(context.Background(), data, true)
	require.Nil(t, err)
	l, err = Compile(context.Background(), victim, Options{})
	require.Nil(t, err)
	assert.NotEqual(t, want.kernel.String(), l.Function(t.Context(), "k").kernel.String())
}

// TestHashCovers: every setting and every byte of a compilation's input has its part in the hash.
func TestHashCovers(t *testing.T) {
	seen := map[Hash]int{}
	for i, x := range []struct {
		o      Options
		source string
	}{
		{}, {source: "a"}, {source: "\xff"}, {source: "\xfe"},
		{o: Options{Version: 310}}, {o: Options{Math: MathFast}}, {o: Options{PreciseFunctions: true}},
		{o: Options{Macros: map[string]string{"A": "1"}}}, {o: Options{Macros: map[string]string{"A": "2"}}},
		{o: Options{Macros: map[string]string{"A": "\xff"}}}, {o: Options{Macros: map[string]string{"A": "\xfe"}}},
		{o: Options{Macros: map[string]string{"A": "B"}}, source: "C"},
		{o: Options{Macros: map[string]string{"A": ""}}, source: "BC"},
		{o: Options{Macros: map[string]string{"A": "", "B": "C"}}},
		{o: Options{Dynamic: true}}, {o: Options{InstallName: "a"}},
		{o: Options{InstallName: "\xff"}}, {o: Options{InstallName: "\xfe"}},
		{o: Options{MaxThreads: 1}}, {o: Options{Required: [3]int{1, 1, 1}}}, {o: Options{Logging: true}},
		{o: Options{KeepUninitialized: true}},
	} {
		h := x.o.hash(x.source)
		if other, ok := seen[h]; ok {
			t.Errorf("input %d has the hash of input %d", i, other)
		}
		seen[h] = i
	}
	require.Equal(t, 10, reflect.TypeFor[Options]().NumField(), "a new field needs a line above")
}

// TestArchiveTables: a kernel stands in the file with the tables that it uses, and not with those
// of others.
func TestArchiveTables(t *testing.T) {
	t.Cleanup(forget)
	const source = "constant uchar table[1000] = {1, 2, 3}; constant int small[] = {4, 5};" +
		"kernel void large(device int *x, uint i [[thread_position_in_grid]]) { x[0] = table[i]; }" +
		"kernel void plain(device int *x, uint i [[thread_position_in_grid]]) { x[0] = small[i]; }"
	size := func(kernel string) int {
		data := archived(t, source, kernel, nil)
		whole, err := Compile(context.Background(), source, Options{})
		require.Nil(t, err)
		forget()
		decoded(t, data)
		l, err := Compile(context.Background(), source, Options{})
		require.Nil(t, err)
		assert.Len(t, l.code, 1)
		assert.Equal(t, whole.code[kernel].String(), l.code[kernel].String())
		return len(data)
	}
	assert.Greater(t, size("large"), size("plain")+900)
}

// TestArchiveFlush: what could not be written is not gone.
func TestArchiveFlush(t *testing.T) {
	t.Cleanup(forget)
	a := decoded(t, archived(t, header+scaled, "plain", nil))
	want := a.Encode()
	full := errors.New("no space")
	require.ErrorIs(t, a.Flush(func([]byte) error { return full }), full)
	require.NoError(t, a.Flush(func(data []byte) error {
		assert.Equal(t, want, data)
		return nil
	}))
	assert.Zero(t, a.Len())
	assert.Less(t, len(a.Encode()), len(want))
}

// TestLayoutWrong: arguments that lie outside of their layout are none.
func TestLayoutWrong(t *testing.T) {
	for _, m := range []ir.Member{{Offset: -8, Size: 8}, {Offset: 16, Size: 8}, {Offset: 12, Size: 8}, {Size: -1},
		{Size: 1 << 62}, {Offset: 1 << 62, Size: 1 << 62},
		{Array: &ir.Array{Len: 1, Stride: 17}}, {Array: &ir.Array{Len: 1, Stride: -1}}} {
		l := LayoutOf(&ir.Arg{ArgumentBuffer: true, Size: 16, Struct: &ir.Struct{Members: []ir.Member{m}}})
		_, ok := l.At(0)
		assert.False(t, ok, "%+v", m)
	}
}

// TestPipelineMemory: threadgroup memory is what the variables have, whatever the code says of it.
func TestPipelineMemory(t *testing.T) {
	m, err := ir.Parse(`kernel "k" { threadgroup {"size":40000} body { return } }`)
	require.NoError(t, err)
	l := newLibrary(Hash{}, "", Options{}, index{Kernels: []string{"k"}})
	l.add(m.Funcs)
	_, failed := NewPipeline(PipelineSpec{Function: l.Function(t.Context(), "k")})
	require.NotNil(t, failed)
	assert.Contains(t, failed.Text, "threadgroup memory size (40000)")
	m.Funcs[0].Threadgroup = nil
	_, failed = NewPipeline(PipelineSpec{Function: l.Function(t.Context(), "k"), Required: [3]int{1 << 62, 4, 1}})
	require.NotNil(t, failed)
}

// FuzzArchive: what is behind a right hash may be anything; it is an error, or pipelines can be
// made of it.
func FuzzArchive(f *testing.F) {
	for _, source := range []string{"kernel void plain(device float *x) { x[0] = 1; }", header + scaled} {
		data := archived(f, source, "plain", nil)
		f.Add(data[len(archiveMagic)+2*sha256.Size+1:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		forget()
		_, _ = DecodeArchive(context.Background(), archiveOf(string(body)), false) // compiles, and uses no code
		forget()
		a, err := DecodeArchive(context.Background(), archiveOf(string(body)), true)
		if err != nil {
			return
		}
		for _, l := range a.libraries {
			for _, name := range l.Names() {
				fn := l.Function(t.Context(), name)
				if fn == nil || fn.Type != Kernel {
					continue
				}
				for _, arg := range fn.Args() {
					if layout := LayoutOf(&arg); layout != nil {
						layout.At(0)
					}
				}
				spec := PipelineSpec{Function: fn}
				if _, err := NewPipeline(spec); err == nil {
					a.AddPipeline(&spec)
				}
			}
		}
		again, err := DecodeArchive(context.Background(), a.Encode(), true)
		if err != nil {
			t.Fatal(err.Text)
		}
		if again.Len() != a.Len() {
			t.Fatalf("%d entries, then %d", a.Len(), again.Len())
		}
	})
}

// kernels is a program of many kernels, each with the body of hundred.
func kernels(n int) string {
	one := strings.TrimPrefix(hundred(0), header)
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		b.WriteString(strings.NewReplacer("struct P", "struct P"+hex.EncodeToString([]byte{byte(i)}), "constant P ",
			"constant P"+hex.EncodeToString([]byte{byte(i)})+" ",
			"mix3", "mix3_"+hex.EncodeToString([]byte{byte(i)}), "kernel void k(",
			"kernel void k"+hex.EncodeToString([]byte{byte(i)})+"(").Replace(one))
	}
	return b.String()
}

// BenchmarkArchive is a program that has not been seen, up to its pipeline: compiled, and from an
// archive. The large one has 20 kernels, of which one is used.
func BenchmarkArchive(b *testing.B) {
	for _, p := range []struct{ name, source, kernel string }{{"hundred", hundred(0), "k"},
		{"large", kernels(20), "k13"}} {
		use := func(b *testing.B) {
			l, err := Compile(context.Background(), p.source, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := NewPipeline(PipelineSpec{Function: l.Function(b.Context(), p.kernel)}); err != nil {
				b.Fatal(err)
			}
		}
		data := archived(b, p.source, p.kernel, nil)
		b.Run(p.name+"/compiled", func(b *testing.B) {
			for b.Loop() {
				forget()
				use(b)
			}
		})
		b.Run(p.name+"/archived", func(b *testing.B) {
			for b.Loop() {
				forget()
				if _, err := DecodeArchive(context.Background(), data, true); err != nil {
					b.Fatal(err)
				}
				use(b)
			}
			b.ReportMetric(float64(len(data)), "file-bytes")
		})
		forget()
	}
}
