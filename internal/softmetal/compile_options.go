package softmetal

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

func compileOptionsClasses() []class {
	return []class{{
		name: "MTLCompileOptions", protocols: []string{"NSCopying"},
		record: &recordSpec{props: []prop{
			{name: "preprocessorMacros", copied: true}, {name: "fastMathEnabled", value: 1}, {name: "mathMode", value: mtlMathModeFast},
			{name: "mathFloatingPointFunctions"}, {name: "languageVersion", value: mtlLanguageVersion4_0}, {name: "libraryType"},
			{name: "installName", copied: true}, {name: "libraries", copied: true}, {name: "preserveInvariance"}, {name: "optimizationLevel"},
			{name: "compileSymbolVisibility"}, {name: "allowReferencingUndefinedSymbols"}, {name: "maxTotalThreadsPerThreadgroup"},
			{name: "requiredThreadsPerThreadgroup"}, {name: "enableLogging"},
		}},
		methods: methods{
			"setFastMathEnabled:": on(setFastMath),
			"setMathMode:":        on(setMathMode),
		},
	}}
}

// setFastMath is the older of two names for one setting.
func setFastMath(r *record, c *objcsoft.Call) {
	mode, functions := uint64(mtlMathModeSafe), uint64(mtlMathFloatingPointFunctionsPrecise)
	if c.Bool(0) {
		mode, functions = mtlMathModeFast, mtlMathFloatingPointFunctionsFast
	}
	r.setUint("fastMathEnabled", uint64(c.Word(0)))
	r.setUint("mathMode", mode)
	r.setUint("mathFloatingPointFunctions", functions)
}

func setMathMode(r *record, c *objcsoft.Call) {
	var fast uint64
	if c.Uint(0) == mtlMathModeFast {
		fast = 1
	}
	r.setUint("mathMode", c.Uint(0))
	r.setUint("fastMathEnabled", fast)
}

// compileOptions reads MTLCompileOptions; nil are the defaults. What the software device cannot do is an error.
func compileOptions(rt *objcsoft.Runtime, id objcsoft.ID) (shader.Options, error) {
	o := shader.Options{Math: shader.MathFast}
	if id == 0 {
		return o, nil
	}
	r, ok := payloadOf[*record](rt, id)
	if !ok {
		return o, fmt.Errorf("the options are no MTLCompileOptions")
	}
	v := r.uint("languageVersion")
	o.Version = int(v>>16)*100 + int(v&0xffff)*10
	switch r.uint("mathMode") {
	case mtlMathModeSafe:
		o.Math = shader.MathSafe
	case mtlMathModeRelaxed:
		o.Math = shader.MathRelaxed
	}
	o.PreciseFunctions = r.uint("mathFloatingPointFunctions") == mtlMathFloatingPointFunctionsPrecise
	o.Dynamic = r.uint("libraryType") == mtlLibraryTypeDynamic
	o.MaxThreads = int(min(r.uint("maxTotalThreadsPerThreadgroup"), shader.MaxThreads))
	for i, w := range r.wordsOf("requiredThreadsPerThreadgroup") {
		o.Required[i] = int(w)
	}
	o.Logging = r.bool("enableLogging")
	var err error
	if o.InstallName, err = rt.GoString(r.id("installName")); err != nil {
		return o, err
	}
	libraries, err := rt.ArrayItems(r.id("libraries"))
	if err != nil {
		return o, err
	}
	if len(libraries) > 0 {
		return o, fmt.Errorf("the software device does not link dynamic libraries: MTLCompileOptions.libraries has %d", len(libraries))
	}
	o.Macros, err = macros(rt, r.id("preprocessorMacros"))
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
