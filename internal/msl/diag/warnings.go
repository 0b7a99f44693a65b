package diag

import (
	"fmt"
	"maps"
	"strings"
	"sync"
)

// level says which options ask for a warning.
type level uint8

const (
	byDefault level = iota // reported unasked
	byAll                  // -Wall
	byExtra                // -Wextra
	byName                 // the name of its group, -Weverything
)

// groups are the names that options have for warnings: clang's, where it has such a warning.
// Warnings that are not here are always on.
var groups = sync.OnceValue(func() map[Code]group {
	return map[Code]group{
		Assignment:         {"parentheses", byDefault},
		UnusedVariable:     {"unused-variable", byAll},
		Uninitialized:      {"uninitialized", byDefault},
		ShiftCount:         {"shift-count-overflow", byDefault},
		NegativeShift:      {"shift-count-negative", byDefault},
		DivergentBarrier:   {"divergent-barrier", byName},
		ThreadgroupSize:    {"threadgroup-memory", byDefault},
		SignCompare:        {"sign-compare", byExtra},
		SelfCompare:        {"tautological-compare", byDefault},
		OutOfRangeCompare:  {"tautological-constant-out-of-range-compare", byDefault},
		LiteralConversion:  {"literal-conversion", byDefault},
		ConstantConversion: {"constant-conversion", byDefault},
		IntegerToFloat:     {"implicit-const-int-float-conversion", byDefault},
		FloatToInteger:     {"float-conversion", byName},
		UnknownAttribute:   {"unknown-attributes", byDefault},
		DanglingReturn:     {"return-stack-address", byDefault},
		Deprecated:         {"deprecated-declarations", byDefault},
		DivisionByZero:     {"division-by-zero", byDefault},
		IndexRange:         {"array-bounds", byDefault},
		MissingReturn:      {"return-type", byDefault},
		UnusedValue:        {"unused-value", byDefault},
		LogFormat:          {"format", byDefault},
		MacroRedefined:     {"macro-redefined", byDefault},
		WarningDirective:   {"#warnings", byDefault},
	}
})

// group is a name and what turns it on.
type group struct {
	name string
	on   level
}

// Group returns the name that -W options have for a warning, or "".
func Group(c Code) string { return groups()[c].name }

// Warnings says which warnings are reported, and which of them as errors. The zero value reports
// those that are on by default.
type Warnings struct {
	on, fatal map[Code]bool // what options have changed
	allFatal  bool
}

// EveryWarning returns what -Weverything asks for.
func EveryWarning() (w Warnings) {
	w.enable(byName, true)
	return w
}

// Set applies what stands behind -W in an option of clang's: "all", "extra", "everything", the name
// of a group, any of them behind "no-", and "error", "error=group", "no-error" or "no-error=group".
// A later option overrules an earlier one.
func (w *Warnings) Set(option string) error {
	name, no := strings.CutPrefix(option, "no-")
	switch name {
	case "all":
		w.enable(byAll, !no)
		return nil
	case "extra": // which, unlike its name, is no superset of -Wall
		for c, g := range groups() {
			if g.on == byExtra {
				w.on = with(w.on, c, !no)
			}
		}
		return nil
	case "everything":
		w.enable(byName, !no)
		return nil
	case "error":
		w.allFatal = !no
		return nil
	}
	named, fatal := strings.CutPrefix(name, "error=")
	names := make(map[string]Code)
	for c, g := range groups() {
		names[g.name] = c
	}
	code, ok := names[named]
	if !ok {
		hint := ""
		if s := Suggest(named, maps.Keys(names)); s != "" {
			hint = fmt.Sprintf("; did you mean %q?", s)
		}
		return fmt.Errorf("there is no group of warnings %q%s", named, hint)
	}
	if fatal {
		w.fatal = with(w.fatal, code, !no)
	}
	if !fatal || !no {
		w.on = with(w.on, code, !no)
	}
	return nil
}

// enable turns the warnings up to a level on or off.
func (w *Warnings) enable(most level, on bool) {
	for c, g := range groups() {
		if g.on <= most {
			w.on = with(w.on, c, on)
		}
	}
}

// with returns a copy of a map with one more entry: Warnings are copied.
func with(m map[Code]bool, c Code, v bool) map[Code]bool {
	m = maps.Clone(m)
	if m == nil {
		m = make(map[Code]bool)
	}
	m[c] = v
	return m
}

// On reports whether a warning is reported.
func (w Warnings) On(c Code) bool {
	if on, ok := w.on[c]; ok {
		return on
	}
	return groups()[c].on == byDefault
}

// Promote turns the warnings into errors that options ask to be errors. That happens when all is
// compiled, so that it does not hide anything.
func (w Warnings) Promote(list []Diagnostic) {
	for i := range list {
		d := &list[i]
		fatal, ok := w.fatal[d.Code]
		if d.Severity == Warning && (fatal || !ok && w.allFatal) {
			d.Severity = Error
		}
	}
}
