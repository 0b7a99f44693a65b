package mtl

import (
	"errors"

	"github.com/puremetal/puremetal/objc"
)

// CompileSettings are the settings that determine the meaning of a kernel's source. If they are not
// set, Metal derives them from the SDK version that a program declares, and Go binaries declare an
// old one. This package therefore always sets them, and reads them back.
type CompileSettings struct {
	LanguageVersion LanguageVersion
	MathMode        MathMode                   // before macOS 15 there is no relaxed mode
	MathFunctions   MathFloatingPointFunctions // the variants that functions without a namespace resolve to
}

// DefaultCompileSettings returns the settings that [NewCompileOptions] uses: the newest language
// version of the running macOS, and the math mode that Metal documents as the default on Apple
// silicon, relaxed with fast functions. Before macOS 15, which introduced that mode, it is fast.
func DefaultCompileSettings() (CompileSettings, error) {
	have, err := objc.OSVersion()
	if err != nil {
		return CompileSettings{}, err
	}
	return defaultSettings(have), nil
}

func defaultSettings(have objc.Version) CompileSettings {
	s := CompileSettings{LanguageVersion: newestLanguage(have), MathMode: MathModeRelaxed,
		MathFunctions: MathFloatingPointFunctionsFast}
	if have != 0 && have.Major() < 15 {
		s.MathMode = MathModeFast
	}
	return s
}

// newestLanguage returns the newest version of the Metal language that a macOS version compiles.
// For 0, the software driver, it is the newest of all. macOS 26 reports version 16 to programs
// built with an SDK before 26, as Go programs are.
func newestLanguage(have objc.Version) LanguageVersion {
	switch major := have.Major(); {
	case have == 0 || major >= 16:
		return LanguageVersion4_0
	case major == 15:
		return LanguageVersion3_2
	case major == 14:
		return LanguageVersion3_1
	}
	return LanguageVersion3_0
}

// NewCompileOptions creates compile options, +1, with the settings of [DefaultCompileSettings].
// Change them with [CompileOptions.SetLanguageVersion] and [CompileOptions.SetMath].
func NewCompileOptions() (CompileOptions, error) {
	s, err := DefaultCompileSettings()
	if err != nil {
		return CompileOptions{}, err
	}
	id, err := zclasses[cCompileOptions].New()
	if err != nil {
		return CompileOptions{}, err
	}
	o := CompileOptionsFrom(id)
	o.SetLanguageVersion(s.LanguageVersion)
	if err := o.SetMath(s.MathMode, s.MathFunctions); err != nil {
		o.Release()
		return CompileOptions{}, err
	}
	return o, nil
}

// SetMath sets the math mode and the variants of the mathematical functions. Before macOS 15 one
// switch controls both: fast mode with fast functions turns it on, and anything else turns it off,
// which is the stricter choice.
//
//	-[MTLCompileOptions setMathMode:]
func (o CompileOptions) SetMath(mode MathMode, functions MathFloatingPointFunctions) error {
	const c = check("-[MTLCompileOptions setMathMode:]")
	if err := c.object("options", o.ID()); err != nil {
		return err
	}
	if mode < MathModeSafe || mode > MathModeFast || functions < MathFloatingPointFunctionsFast ||
		functions > MathFloatingPointFunctionsPrecise {
		return c.fail(ErrArgument, "%v with %v", mode, functions)
	}
	err := o.SetMathMode(mode)
	if errors.Is(err, objc.ErrUnavailable) {
		o.SetFastMathEnabled(mode == MathModeFast && functions == MathFloatingPointFunctionsFast)
		return nil
	}
	if err != nil {
		return err
	}
	return o.SetMathFloatingPointFunctions(functions)
}

// Settings reads the settings back. For zero options it returns those of [NewCompileOptions].
func (o CompileOptions) Settings() (CompileSettings, error) {
	if o.IsNil() {
		return DefaultCompileSettings()
	}
	s := CompileSettings{LanguageVersion: o.LanguageVersion()}
	var err error
	if s.MathMode, err = o.MathMode(); errors.Is(err, objc.ErrUnavailable) {
		if o.FastMathEnabled() {
			return CompileSettings{s.LanguageVersion, MathModeFast, MathFloatingPointFunctionsFast}, nil
		}
		return CompileSettings{s.LanguageVersion, MathModeSafe, MathFloatingPointFunctionsPrecise}, nil
	}
	if err != nil {
		return s, err
	}
	s.MathFunctions, err = o.MathFloatingPointFunctions()
	return s, err
}

// compileOptions returns the options to compile with, +1: a verified copy of o, or new options if o
// is zero.
func (c check) compileOptions(o CompileOptions) (CompileOptions, error) {
	want, err := o.Settings()
	if err != nil {
		return CompileOptions{}, err
	}
	have, err := objc.OSVersion()
	if err != nil {
		return CompileOptions{}, err
	}
	if err := c.language(want.LanguageVersion, have); err != nil {
		return CompileOptions{}, err
	}
	if o.IsNil() {
		o, err = NewCompileOptions()
	} else if o = o.Copy(); o.IsNil() {
		err = c.fail(ErrNil, "copy of the options")
	}
	if err != nil {
		return CompileOptions{}, err
	}
	o.SetLanguageVersion(want.LanguageVersion)
	if err := o.SetMath(want.MathMode, want.MathFunctions); err != nil {
		o.Release()
		return CompileOptions{}, err
	}
	if got, err := o.Settings(); err != nil || got != want {
		o.Release()
		if err == nil {
			err = c.fail(ErrState, "the options report %+v after %+v was set", got, want)
		}
		return CompileOptions{}, err
	}
	return o, nil
}

// language rejects a language version that the running macOS does not compile.
func (c check) language(v LanguageVersion, have objc.Version) error {
	if newest := newestLanguage(have); v > newest {
		return c.fail(ErrArgument, "language version %v: the newest that %v supports is %v", v, have, newest)
	}
	if v < LanguageVersion1_0 {
		return c.fail(ErrArgument, "language version %v", v)
	}
	return nil
}
