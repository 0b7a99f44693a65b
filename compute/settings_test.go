package compute

import (
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPinnedSettings: what the caller does not choose depends on no system that has it, and a
// program tells what it was compiled with.
func TestPinnedSettings(t *testing.T) {
	a := accelerator(t)
	system, err := mtl.DefaultCompileSettings()
	require.NoError(t, err)
	const source = `kernel void version(device int *x [[buffer(0)]]) { x[0] = __METAL_VERSION__; }`
	precise, fast := mtl.MathFloatingPointFunctionsPrecise, mtl.MathFloatingPointFunctionsFast
	safe := mtl.MathModeSafe
	if system.MathMode == mtl.MathModeFast { // before macOS 15 one switch is all there is
		precise = fast
	}
	for _, c := range []struct {
		o       CompileOptions
		want    mtl.CompileSettings
		version int32
	}{
		{CompileOptions{}, mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_2,
			MathMode: mtl.MathModeRelaxed, MathFunctions: fast}, 320},
		{CompileOptions{Language: mtl.LanguageVersion3_0, PreciseFunctions: true},
			mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_0, MathMode: mtl.MathModeRelaxed,
				MathFunctions: precise}, 300},
		{CompileOptions{Language: NewestLanguage, Math: &safe}, mtl.CompileSettings{
			LanguageVersion: system.LanguageVersion, MathMode: mtl.MathModeSafe, MathFunctions: fast},
			versionMacro(system.LanguageVersion)},
	} {
		p := compile(t, a, source, c.o)
		if system.MathMode == mtl.MathModeRelaxed {
			assert.Equal(t, c.want, p.Settings())
		}
		assert.Equal(t, c.want.LanguageVersion, p.Settings().LanguageVersion)
		if !standin.Running() { // whose compiler has a version of its own
			x, s := bufferOf[int32](t, a, 0), newStream(t, a)
			require.NoError(t, s.Launch(t.Context(), kernel(t, p, "version"), Threads1D(1), x))
			require.NoError(t, s.Sync(t.Context()))
			got, err := x.Data()
			require.NoError(t, err)
			assert.Equal(t, c.version, got[0])
		}
		p.Close()
		assert.Zero(t, p.Settings())
	}
	// The default is its value.
	misses := a.CacheStats().ProgramMisses
	compile(t, a, source, CompileOptions{Language: DefaultLanguage, Math: &system.MathMode}).Close()
	assert.Equal(t, misses, a.CacheStats().ProgramMisses)
	_, err = a.Compile(t.Context(), source, CompileOptions{Language: system.LanguageVersion + 1})
	require.ErrorIs(t, err, mtl.ErrArgument)
}

// versionMacro returns what a version of the language is called by __METAL_VERSION__.
func versionMacro(v mtl.LanguageVersion) int32 { return int32(v>>16*100 + v&0xffff*10) }

// TestPinnedOnSystems: from macOS 15 on, every system compiles zero options alike.
func TestPinnedOnSystems(t *testing.T) {
	for _, c := range []struct {
		name         string
		system, want mtl.CompileSettings
	}{
		{"macOS 13", mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_0, MathMode: mtl.MathModeFast},
			mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_0, MathMode: mtl.MathModeFast}},
		{"macOS 14", mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_1, MathMode: mtl.MathModeFast},
			mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_1, MathMode: mtl.MathModeFast}},
		{"macOS 15", mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_2, MathMode: mtl.MathModeRelaxed},
			mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_2, MathMode: mtl.MathModeRelaxed}},
		{"macOS 26", mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion4_0, MathMode: mtl.MathModeRelaxed},
			mtl.CompileSettings{LanguageVersion: mtl.LanguageVersion3_2, MathMode: mtl.MathModeRelaxed}},
	} {
		o := CompileOptions{}.pinnedOn(c.system)
		assert.Equal(t, c.want, mtl.CompileSettings{LanguageVersion: o.Language, MathMode: *o.Math}, c.name)
		newest := CompileOptions{Language: NewestLanguage}.pinnedOn(c.system)
		assert.Equal(t, c.system.LanguageVersion, newest.Language, c.name)
	}
}
