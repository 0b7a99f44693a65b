package library

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

func compileOptionsClasses() []adapter.Class {
	return []adapter.Class{{
		Name: "MTLCompileOptions", Protocols: []string{"NSCopying"},
		Properties: adapter.Properties{
			{Name: "preprocessorMacros", Copied: true}, {Name: "fastMathEnabled", Value: 1},
			{Name: "mathMode", Value: metal.MathModeFast},
			{Name: "mathFloatingPointFunctions"}, {Name: "languageVersion", Value: metal.LanguageVersion4_0},
			{Name: "libraryType"},
			{Name: "installName", Copied: true}, {Name: "libraries", Copied: true}, {Name: "preserveInvariance"},
			{Name: "optimizationLevel"},
			{Name: "compileSymbolVisibility"}, {Name: "allowReferencingUndefinedSymbols"},
			{Name: "maxTotalThreadsPerThreadgroup"},
			{Name: "requiredThreadsPerThreadgroup"}, {Name: "enableLogging"},
		},
		Methods: adapter.Methods{
			"setFastMathEnabled:": adapter.Method(setFastMath),
			"setMathMode:":        adapter.Method(setMathMode),
		},
	}}
}

// setFastMath is the older of two names for one setting.
func setFastMath(r *adapter.Record, c *objcsoft.Call) {
	mode, functions := uint64(metal.MathModeSafe), uint64(metal.MathFloatingPointFunctionsPrecise)
	if c.Bool(0) {
		mode, functions = metal.MathModeFast, metal.MathFloatingPointFunctionsFast
	}
	r.SetUint("fastMathEnabled", uint64(c.Word(0)))
	r.SetUint("mathMode", mode)
	r.SetUint("mathFloatingPointFunctions", functions)
}

func setMathMode(r *adapter.Record, c *objcsoft.Call) {
	var fast uint64
	if c.Uint(0) == metal.MathModeFast {
		fast = 1
	}
	r.SetUint("mathMode", c.Uint(0))
	r.SetUint("fastMathEnabled", fast)
}

// compileOptions reads MTLCompileOptions; nil are the defaults. What the software device cannot do
// is an error.
func compileOptions(rt *objcsoft.Runtime, id objcsoft.ID) (shader.Options, error) {
	o := shader.Options{Math: shader.MathFast}
	if id == 0 {
		return o, nil
	}
	r, ok := adapter.PayloadOf[*adapter.Record](rt, id)
	if !ok {
		return o, fmt.Errorf("the options are no MTLCompileOptions")
	}
	v := r.Uint("languageVersion")
	o.Version = int(v>>16)*100 + int(v&0xffff)*10
	switch r.Uint("mathMode") {
	case metal.MathModeSafe:
		o.Math = shader.MathSafe
	case metal.MathModeRelaxed:
		o.Math = shader.MathRelaxed
	}
	o.PreciseFunctions = r.Uint("mathFloatingPointFunctions") == metal.MathFloatingPointFunctionsPrecise
	o.Dynamic = r.Uint("libraryType") == metal.LibraryTypeDynamic
	o.MaxThreads = int(min(r.Uint("maxTotalThreadsPerThreadgroup"), limits.MaxThreads))
	for i, w := range r.Words("requiredThreadsPerThreadgroup") {
		o.Required[i] = int(w)
	}
	o.Logging = r.Bool("enableLogging")
	var err error
	if o.InstallName, err = rt.GoString(r.ID("installName")); err != nil {
		return o, err
	}
	libraries, err := rt.ArrayItems(r.ID("libraries"))
	if err != nil {
		return o, err
	}
	if len(libraries) > 0 {
		return o, fmt.Errorf("the software device does not link dynamic libraries: MTLCompileOptions.libraries has %d",
			len(libraries))
	}
	o.Macros, err = macros(rt, r.ID("preprocessorMacros"))
	return o, err
}

// macros reads a dictionary whose values are strings or numbers.
func macros(rt *objcsoft.Runtime, id objcsoft.ID) (map[string]string, error) {
	keys, values, err := rt.DictionaryItems(id)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	m := make(map[string]string, len(keys))
	for i := range keys {
		name, err := rt.GoString(keys[i])
		if err != nil {
			return nil, err
		}
		if m[name], err = rt.Description(values[i]); err != nil {
			return nil, err
		}
	}
	return m, nil
}
