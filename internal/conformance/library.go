package conformance

import (
	"slices"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

const preamble = "#include <metal_stdlib>\nusing namespace metal;\n"

// options returns compile options to be filled.
func (r *rig) options() mtl.CompileOptions {
	r.Helper()
	return own(r, must(mtl.NewCompileOptions()))
}

// compileError compiles source that has an error, and returns Metal's.
func (r *rig) compileError(src string) *objc.Error {
	r.Helper()
	_, err := r.device.NewLibrary(src, mtl.CompileOptions{})
	r.holds(assert.Error(r, err))
	var e *objc.Error
	r.holds(assert.ErrorAs(r, err, &e))
	return e
}

const constantKernels = `
constant uint k [[function_constant(0)]];
constant bool on [[function_constant(1)]];
constant float f [[function_constant(2)]];
constant bool has = is_function_constant_defined(f);
kernel void special(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = k + (on ? 100 : 0) + (has ? uint(f) : 7);
}
`

func libraryCases() []aCase {
	cases := []aCase{
		{"names", "A library lists the names of its kernels.", func(r *rig) {
			l := r.source("kernel void b(device int* x) { x[0] = 1; }\nkernel void a(device int* x) { x[0] = 2; }\nint helper() { return 1; }")
			names := l.FunctionNames()
			slices.Sort(names)
			assert.Equal(r, []string{"a", "b"}, names)
		}},
		{"empty", "A library without kernels compiles and lists no names.", func(r *rig) {
			assert.Empty(r, r.source("int helper() { return 1; }").FunctionNames())
		}},
		{"device", "A library names the device it was compiled for.", func(r *rig) {
			assert.Equal(r, r.device.RegistryID(), r.source(kernels).Device().RegistryID())
		}},
		{"type", "A library of kernels is executable.", func(r *rig) {
			assert.Equal(r, mtl.LibraryTypeExecutable, r.source(kernels).Type())
		}},
		{"label", "A library keeps the label it is given.", func(r *rig) {
			l := r.source(kernels)
			l.SetLabel("lib")
			assert.Equal(r, "lib", l.Label())
		}},
		{"function", "A function has the name asked for and is a kernel.", func(r *rig) {
			f := r.function("add")
			assert.Equal(r, "add", f.Name())
			assert.Equal(r, mtl.FunctionTypeKernel, f.FunctionType())
			assert.Equal(r, r.device.RegistryID(), f.Device().RegistryID())
		}},
		{"function label", "A function keeps the label it is given.", func(r *rig) {
			f := r.function("add")
			f.SetLabel("my add")
			assert.Equal(r, "my add", f.Label())
		}},
		{"no such function", "A name that no kernel has is an error that says so.", func(r *rig) {
			l := r.source(kernels)
			_, err := l.NewFunction("subtract")
			assert.ErrorContains(r, err, "subtract")
		}},
		{"helper is no function", "A function that is no kernel cannot be taken out of a library.", func(r *rig) {
			_, err := r.source("int helper() { return 1; }").NewFunction("helper")
			assert.Error(r, err)
		}},
		{"outlives library", "A function works after its library has been released.", func(r *rig) {
			l := must(r.device.NewLibrary(preamble+kernels, mtl.CompileOptions{}))
			f := own(r, must(l.NewFunction("number")))
			l.Release()
			own(r, must(r.device.NewComputePipelineState(f)))
		}},
		{"syntax error", "Source that does not parse is an error of the library domain.", func(r *rig) {
			e := r.compileError(preamble + "kernel void f( {")
			assert.Equal(r, must(mtl.LibraryErrorDomain()), e.Domain)
			assert.Equal(r, int(mtl.LibraryErrorCompileFailure), int(e.Code))
		}},
		{"error has line", "The description of a compile error has the line and the words of the compiler.", func(r *rig) {
			e := r.compileError(preamble + "kernel void f(device int* x) {\n  x[0] = undeclared_thing;\n}\n")
			assert.Contains(r, e.Error(), "undeclared_thing")
			assert.Contains(r, e.Error(), ":4:")
		}},
		{"two errors", "Both of two errors are described.", func(r *rig) {
			e := r.compileError(preamble +
				"kernel void f(device int* x) {\n  x[0] = first_missing;\n  x[1] = second_missing;\n}\n")
			assert.Contains(r, e.Error(), "first_missing")
			assert.Contains(r, e.Error(), "second_missing")
		}},
		{"macro error", "An error directive of the source is the error.", func(r *rig) {
			assert.Contains(r, r.compileError("#error no way\n").Error(), "no way")
		}},
		{"macros", "The macros of the options are defined in the source.", func(r *rig) {
			o := r.options()
			o.SetPreprocessorMacros(map[string]string{"NAME": "chosen", "N": "3"})
			l := own(r, must(r.device.NewLibrary(preamble+"kernel void NAME(device int* x) { x[0] = N; }", o)))
			assert.Equal(r, []string{"chosen"}, l.FunctionNames())
		}},
		{"macros kept", "Compile options keep their macros.", func(r *rig) {
			o := r.options()
			m := map[string]string{"A": "1", "B": "two"}
			o.SetPreprocessorMacros(m)
			assert.Equal(r, m, o.PreprocessorMacros())
		}},
		{"install name", "Compile options keep library type and install name.", func(r *rig) {
			o := r.options()
			o.SetLibraryType(mtl.LibraryTypeDynamic)
			o.SetInstallName("@rpath/x.metallib")
			assert.Equal(r, mtl.LibraryTypeDynamic, o.LibraryType())
			assert.Equal(r, "@rpath/x.metallib", o.InstallName())
		}},
		{"language version", "Compile options keep the language version.", func(r *rig) {
			o := r.options()
			o.SetLanguageVersion(mtl.LanguageVersion3_0)
			assert.Equal(r, mtl.LanguageVersion3_0, o.LanguageVersion())
			own(r, must(r.device.NewLibrary(preamble+kernels, o)))
		}},
		{"options copy", "A copy of compile options changes apart from the original.", func(r *rig) {
			o := r.options()
			o.SetInstallName("a")
			c := own(r, o.Copy())
			c.SetInstallName("b")
			assert.Equal(r, "a", o.InstallName())
			assert.Equal(r, "b", c.InstallName())
		}},
		{"async", "A library can be compiled in the background; the handler is called once.", func(r *rig) {
			got := make(chan error, 2)
			var names []string
			do(r.device.NewLibraryAsync(preamble+"kernel void f(device int* x) { x[0] = 1; }", mtl.CompileOptions{},
				func(l mtl.Library, err error) {
					pooled(func() { names = l.FunctionNames() })
					l.Release()
					got <- err
				}))
			r.holds(assert.NoError(r, <-got))
			assert.Equal(r, []string{"f"}, names)
		}},
		{"async error", "An error of a compilation in the background reaches the handler.", func(r *rig) {
			got := make(chan error, 2)
			do(r.device.NewLibraryAsync("nonsense here", mtl.CompileOptions{}, func(l mtl.Library, err error) {
				l.Release()
				got <- err
			}))
			r.holds(assert.Error(r, <-got))
		}},
		{"async nobody", "A compilation in the background needs a handler.", func(r *rig) {
			r.refused(r.device.NewLibraryAsync(kernels, mtl.CompileOptions{}, nil), mtl.ErrNil)
		}},
		{"no file", "A library file that is not there is an error.", func(r *rig) {
			_, err := r.device.NewLibraryWithFile(r.TempDir() + "/missing.metallib")
			assert.Error(r, err)
		}},
		{"no library", "Data that is no library is an error.", func(r *rig) {
			_, err := r.device.NewLibraryWithData([]byte("this is no library"))
			assert.Error(r, err)
		}},
		{"constants listed", "A function lists the constants that specialize it, with index and type.", func(r *rig) {
			l := r.source(constantKernels)
			f := own(r, must(l.NewFunctionWithConstants("special", r.constants(nil))))
			c := f.FunctionConstants()
			assert.Equal(r, uint(0), c["k"].Index)
			assert.Equal(r, mtl.DataTypeUInt, c["k"].Type)
			assert.Equal(r, mtl.DataTypeBool, c["on"].Type)
			assert.Equal(r, uint(2), c["f"].Index)
		}},
		{"constant of wrong type", "A Go type that no constant has is refused.", func(r *rig) {
			v := own(r, must(mtl.NewFunctionConstantValues()))
			r.refused(v.Set(0, "text"), mtl.ErrArgument)
		}},
		{"constants of no function", "Constants for a function that is not there are an error.", func(r *rig) {
			_, err := r.source(constantKernels).NewFunctionWithConstants("absent", r.constants(nil))
			assert.ErrorContains(r, err, "absent")
		}},
		{"required constant", "A constant that the kernel needs and nobody gives is an error.", func(r *rig) {
			v := own(r, must(mtl.NewFunctionConstantValues()))
			_, err := r.source(constantKernels).NewFunctionWithConstants("special", v)
			assert.Error(r, err)
		}},
		{"constants async", "A function can be specialized in the background.", func(r *rig) {
			got := make(chan error, 1)
			do(r.source(constantKernels).NewFunctionWithConstantsAsync("special", r.constants(nil),
				func(f mtl.Function, err error) {
					f.Release()
					got <- err
				}))
			r.holds(assert.NoError(r, <-got))
		}},
		{"same source twice", "The same source gives libraries that live apart.", func(r *rig) {
			a := must(r.device.NewLibrary(preamble+kernels, mtl.CompileOptions{}))
			b := own(r, must(r.device.NewLibrary(preamble+kernels, mtl.CompileOptions{})))
			a.Release()
			own(r, must(b.NewFunction("add")))
		}},
	}
	for _, e := range []struct{ name, src, says string }{
		{"type", "kernel void f(device int* x) { x[0] = x; }", ""},
		{"argument count", "kernel void f(device float* x) { x[0] = sin(x[0], x[1], x[2]); }", ""},
		{"unknown function", "kernel void f(device int* x) { x[0] = nowhere(1); }", "nowhere"},
		{"unknown type", "kernel void f(device nothing* x) { }", "nothing"},
		{"no semicolon", "kernel void f(device int* x) { x[0] = 1 }", ""},
		{"constant write", "kernel void f(constant int* x) { x[0] = 1; }", ""},
		{"kernel returns", "kernel int f(device int* x) { return 1; }", ""},
		{"redefinition", "kernel void f(device int* x) { int a = 1; int a = 2; x[0] = a; }", ""},
		{"missing include", "#include \"not_there.h\"\n", "not_there.h"},
		{"unbalanced conditional", "#if 1\nkernel void f(device int* x) { x[0] = 1; }\n", ""},
	} {
		cases = append(cases, aCase{"error: " + e.name, "Source with such a mistake does not compile.", func(r *rig) {
			assert.Contains(r, r.compileError(preamble+e.src).Error(), e.says)
		}})
	}
	return cases
}

// constants sets the values of k and on, and any others requested.
func (r *rig) constants(more func(mtl.FunctionConstantValues)) mtl.FunctionConstantValues {
	r.Helper()
	v := own(r, must(mtl.NewFunctionConstantValues()))
	do(v.Set(0, uint32(40)), v.Set(1, true))
	if more != nil {
		more(v)
	}
	return v
}
