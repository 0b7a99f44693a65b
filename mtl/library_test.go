package mtl

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testSource = `#include <metal_stdlib>
using namespace metal;
constant uint scale [[function_constant(0)]];
constant bool flip [[function_constant(1)]];
kernel void add(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                device float *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = a[i] + b[i];
}
kernel void scaled(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = flip ? -out[i] * scale : out[i] * scale;
}
`

// testLibrary compiles testSource for one test.
func testLibrary(t *testing.T, d Device) Library {
	t.Helper()
	l, err := d.NewLibrary(testSource, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}

func TestNewestLanguage(t *testing.T) {
	for v, want := range map[objc.Version]LanguageVersion{
		0:                           LanguageVersion4_0,
		objc.MakeVersion(13, 0):     LanguageVersion3_0,
		objc.MakeVersion(13, 7):     LanguageVersion3_0,
		objc.MakeVersion(14, 2):     LanguageVersion3_1,
		objc.MakeVersion(15, 6):     LanguageVersion3_2,
		objc.MakeVersion(16, 0):     LanguageVersion4_0, // how macOS 26 presents itself to old programs
		objc.MakeVersion(26, 0):     LanguageVersion4_0,
		objc.MakeVersion(40, 0):     LanguageVersion4_0,
		objc.MakeVersion(12, 0):     LanguageVersion3_0,
		objc.MakeVersion(13, 3) + 1: LanguageVersion3_0,
	} {
		assert.Equal(t, want, newestLanguage(v), v)
	}
	assert.Equal(t, MathModeFast, defaultSettings(objc.MakeVersion(14, 2)).MathMode)
	assert.Equal(t, MathModeRelaxed, defaultSettings(objc.MakeVersion(15, 0)).MathMode)
	assert.Equal(t, MathModeRelaxed, defaultSettings(0).MathMode)
	const c = check("-[T t]")
	require.ErrorIs(t, c.language(LanguageVersion3_2, objc.MakeVersion(14, 2)), ErrArgument)
	require.ErrorIs(t, c.language(0, 0), ErrArgument)
	assert.NoError(t, c.language(LanguageVersion2_4, objc.MakeVersion(14, 2)))
}

func TestCompileOptions(t *testing.T) {
	testDevice(t)
	o, err := NewCompileOptions()
	require.NoError(t, err)
	defer o.Release()
	want, err := DefaultCompileSettings()
	require.NoError(t, err)
	got, err := o.Settings()
	require.NoError(t, err)
	assert.Equal(t, want, got)
	have, err := objc.OSVersion()
	require.NoError(t, err)
	assert.Equal(t, newestLanguage(have), got.LanguageVersion)

	require.ErrorIs(t, o.SetMath(3, 0), ErrArgument)
	require.ErrorIs(t, o.SetMath(-1, 0), ErrArgument)
	require.ErrorIs(t, o.SetMath(0, 2), ErrArgument)
	require.NoError(t, o.SetMath(MathModeSafe, MathFloatingPointFunctionsPrecise))
	got, err = o.Settings()
	require.NoError(t, err)
	assert.Equal(t, MathModeSafe, got.MathMode)
	assert.Equal(t, MathFloatingPointFunctionsPrecise, got.MathFunctions)
	require.NoError(t, o.SetMath(MathModeFast, MathFloatingPointFunctionsFast))
	got, err = o.Settings()
	require.NoError(t, err)
	assert.Equal(t, MathModeFast, got.MathMode)
}

// TestCompileOptionsKept: what the caller has set is what compiles, in a copy of the caller's
// options.
func TestCompileOptionsKept(t *testing.T) {
	testDevice(t)
	o, err := NewCompileOptions()
	require.NoError(t, err)
	defer o.Release()
	o.SetLanguageVersion(LanguageVersion2_4)
	require.NoError(t, o.SetMath(MathModeSafe, MathFloatingPointFunctionsPrecise))
	o.SetPreprocessorMacros(map[string]string{"N": "7"})
	const c = check("-[T t]")
	used, err := c.compileOptions(o)
	require.NoError(t, err)
	defer used.Release()
	assert.NotEqual(t, o.ID(), used.ID())
	s, err := used.Settings()
	require.NoError(t, err)
	assert.Equal(t, CompileSettings{LanguageVersion2_4, MathModeSafe, MathFloatingPointFunctionsPrecise}, s)
	assert.Equal(t, map[string]string{"N": "7"}, used.PreprocessorMacros())
	o.SetLanguageVersion(LanguageVersion4_0 + 1<<16)
	_, err = c.compileOptions(o)
	require.ErrorIs(t, err, ErrArgument)
}

func TestNewLibrary(t *testing.T) {
	d := testDevice(t)
	for _, s := range []string{"", " \n\t", "kernel\x00"} {
		_, err := d.NewLibrary(s, CompileOptions{})
		require.ErrorIs(t, err, ErrArgument, "%q", s)
		require.ErrorIs(t, d.NewLibraryAsync(s, CompileOptions{}, func(Library, error) {}), ErrArgument)
	}
	l := testLibrary(t, d)
	assert.ElementsMatch(t, []string{"add", "scaled"}, l.FunctionNames())

	_, err := d.NewLibrary("#include <metal_stdlib>\nkernel void broken(device float *out [[buffer(0)]]) {\n    out[0] = y;\n}\n", CompileOptions{})
	var e *CompileError
	require.ErrorAs(t, err, &e)
	var o *objc.Error
	require.ErrorAs(t, err, &o)
	assert.Equal(t, "MTLLibraryErrorDomain", o.Domain)
	require.NotEmpty(t, e.Diagnostics, "%v", err)
	assert.Equal(t, 3, e.Diagnostics[0].Line)
	assert.Equal(t, SeverityError, e.Diagnostics[0].Severity)
	assert.NotZero(t, e.Settings.LanguageVersion)
}

func TestNewLibraryAsync(t *testing.T) {
	d := testDevice(t)
	type result struct {
		l   Library
		err error
	}
	results := make(chan result, 1)
	done := func(l Library, err error) { results <- result{l, err} }
	require.NoError(t, d.NewLibraryAsync(testSource, CompileOptions{}, done))
	r := <-results
	require.NoError(t, r.err)
	assert.Len(t, r.l.FunctionNames(), 2)
	r.l.Release()
	require.NoError(t, d.NewLibraryAsync("kernel void broken( {", CompileOptions{}, done))
	r = <-results
	var e *CompileError
	require.ErrorAs(t, r.err, &e)
	assert.True(t, r.l.IsNil())
	require.ErrorIs(t, d.NewLibraryAsync(testSource, CompileOptions{}, nil), ErrNil)
}

func TestLoadLibrary(t *testing.T) {
	d := testDevice(t)
	for _, p := range []string{"", "a\x00b"} {
		_, err := d.NewLibraryWithFile(p)
		require.ErrorIs(t, err, ErrArgument)
	}
	missing := filepath.Join(t.TempDir(), "missing.metallib")
	_, err := d.NewLibraryWithFile(missing)
	require.ErrorIs(t, err, error(&objc.Error{Domain: libraryDomain, Code: int(LibraryErrorFileNotFound)}))
	_, err = d.NewLibraryWithData(nil)
	limitOf(t, err, ErrLength)
	_, err = d.NewLibraryWithData([]byte("no library"))
	var o *objc.Error
	require.ErrorAs(t, err, &o)
	_, err = d.NewDefaultLibrary()
	require.ErrorIs(t, err, ErrState)
	_, err = d.NewDefaultLibraryWithBundle(objc.Object{})
	require.ErrorIs(t, err, ErrNil)
	if !standin.Running() {
		return
	}
	path := filepath.Join(t.TempDir(), "test.metallib")
	require.NoError(t, os.WriteFile(path, []byte("VMACLIB\n"+testSource), 0o600)) // the stand-ins' form of a library
	l, err := d.NewLibraryWithFile(path)
	require.NoError(t, err)
	assert.Len(t, l.FunctionNames(), 2)
	l.Release()
	l, err = d.NewLibraryWithData([]byte("VMACLIB\n" + testSource))
	require.NoError(t, err)
	assert.Len(t, l.FunctionNames(), 2)
	l.Release()
}

func TestBinaries(t *testing.T) {
	const c = check("-[T t]")
	require.ErrorIs(t, c.dynamic(false, LibraryTypeDynamic), ErrDevice)
	require.ErrorIs(t, c.dynamic(true, LibraryTypeExecutable), ErrState)
	assert.NoError(t, c.dynamic(true, LibraryTypeDynamic))

	d := testDevice(t)
	l := testLibrary(t, d)
	_, err := d.NewDynamicLibrary(l)
	require.Error(t, err)
	_, err = d.NewDynamicLibrary(Library{})
	require.ErrorIs(t, err, ErrNil)
	_, err = d.NewDynamicLibraryWithFile("")
	require.ErrorIs(t, err, ErrArgument)
	_, err = d.NewBinaryArchive(BinaryArchiveDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	desc, err := NewBinaryArchiveDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	a, err := d.NewBinaryArchive(desc)
	require.NoError(t, err)
	defer a.Release()
	require.ErrorIs(t, a.AddComputePipelineFunctions(ComputePipelineDescriptor{}), ErrNil)
	if err := a.AddLibrary(StitchedLibraryDescriptor{}); !errors.Is(err, objc.ErrUnavailable) { // before macOS 15
		require.ErrorIs(t, err, ErrNil)
	}
	require.ErrorIs(t, a.AddFunction(FunctionDescriptor{}, l), ErrNil)
	require.ErrorIs(t, a.AddFunction(FunctionDescriptor{}, Library{}), ErrNil)
	require.ErrorIs(t, a.SerializeToFile(""), ErrArgument)

	p, err := NewComputePipelineDescriptor()
	require.NoError(t, err)
	defer p.Release()
	require.ErrorIs(t, a.AddComputePipelineFunctions(p), ErrNil)
	f, err := l.NewFunction("add")
	require.NoError(t, err)
	defer f.Release()
	p.SetComputeFunction(f)
	require.NoError(t, a.AddComputePipelineFunctions(p))
	require.NoError(t, a.SerializeToFile(filepath.Join(t.TempDir(), "archive")))
}
