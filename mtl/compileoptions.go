package mtl

import (
	"errors"

	"github.com/puremetal/puremetal/objc"
)

// CompileSettings are the settings on which the meaning of a kernel's source depends. Metal derives
// them from the SDK that a program states when nobody sets them, and a Go binary states an old one;
// so this package always sets them, and reads them back.
type CompileSettings struct {
	LanguageVersion LanguageVersion
	MathMode        MathMode                   // before macOS 15 there is no relaxed mode
	MathFunctions   MathFloatingPointFunctions // which variants of the functions without namespace are called
}

// DefaultCompileSettings returns what [NewCompileOptions] sets: the newest language of the running
// macOS, and the maths that Metal documents as the default on Apple silicon, which is relaxed with
// fast functions; before macOS 15, where that does not exist, fast.
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

// newestLanguage returns the newest version of the Metal language that a macOS compiles. 0 means
// the software driver, which has the newest. To a program built with an SDK before 26, as Go
// programs are, macOS 26 reports version 16.
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

// NewCompileOptions makes compile options, +1, with the settings of [DefaultCompileSettings];
// change them with [CompileOptions.SetLanguageVersion] and [CompileOptions.SetMath].
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

// SetMath sets the maths mode and the variants of the mathematical functions. Before macOS 15 there
// is only one switch for both: fast with fast functions sets it, anything else clears it, which is
// the stricter choice.
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

// Settings reads back what the options say. Zero options stand for [NewCompileOptions].
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

// compileOptions returns options to compile with, +1: a copy of o with its settings set for
// certain, or new ones for zero options.
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
			err = c.fail(ErrState, "the options answer %+v after %+v was set", got, want)
		}
		return CompileOptions{}, err
	}
	return o, nil
}

// language refuses a version of the language that the running macOS does not compile.
func (c check) language(v LanguageVersion, have objc.Version) error {
	if newest := newestLanguage(have); v > newest {
		return c.fail(ErrArgument, "language version %v, %v has %v at most", v, have, newest)
	}
	if v < LanguageVersion1_0 {
		return c.fail(ErrArgument, "language version %v", v)
	}
	return nil
}
