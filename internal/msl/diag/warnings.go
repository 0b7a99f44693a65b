package diag

import (
	"fmt"
	"maps"
	"strings"
	"sync"
)

// level says which options enable a warning.
type level uint8

const (
	byDefault level = iota // enabled without options
	byAll                  // -Wall
	byExtra                // -Wextra
	byName                 // the name of its group, -Weverything
)

// groups maps warnings to the group names that options use: clang's, if clang has the warning.
// Warnings not listed here are always on.
var groups = sync.OnceValue(func() map[Code]group {
	return map[Code]group{
		Assignment:         {"parentheses", byDefault, ""},
		UnusedVariable:     {"unused-variable", byAll, ""},
		Uninitialized:      {"uninitialized", byDefault, ""},
		ShiftCount:         {"shift-count-overflow", byDefault, ""},
		NegativeShift:      {"shift-count-negative", byDefault, ""},
		DivergentBarrier:   {"divergent-barrier", byName, ""},
		ThreadgroupSize:    {"threadgroup-memory", byDefault, ""},
		SignCompare:        {"sign-compare", byExtra, ""},
		SelfCompare:        {"tautological-compare", byDefault, ""},
		OutOfRangeCompare:  {"tautological-constant-out-of-range-compare", byDefault, ""},
		LiteralConversion:  {"literal-conversion", byDefault, ""},
		ConstantConversion: {"constant-conversion", byDefault, ""},
		IntegerToFloat:     {"implicit-const-int-float-conversion", byDefault, ""},
		FloatToInteger:     {"float-conversion", byName, ""},
		UnknownAttribute:   {"unknown-attributes", byDefault, ""},
		DanglingReturn:     {"return-stack-address", byDefault, ""},
		Deprecated:         {"deprecated-declarations", byDefault, ""},
		DivisionByZero:     {"division-by-zero", byDefault, ""},
		IndexRange:         {"array-bounds", byDefault, ""},
		MissingReturn:      {"return-type", byDefault, ""},
		UnusedValue:        {"unused-value", byDefault, ""},
		Precedence:         {"parentheses", byDefault, ""},
		ShiftPrecedence:    {"shift-op-parentheses", byDefault, "parentheses"},
		DanglingElse:       {"dangling-else", byDefault, "parentheses"},
		ExtraParentheses:   {"parentheses-equality", byDefault, "parentheses"},
		NotPrecedence:      {"logical-not-parentheses", byDefault, "parentheses"},
		EmptyBody:          {"empty-body", byDefault, ""},
		SwitchEnum:         {"switch", byDefault, ""},
		SwitchBool:         {"switch-bool", byDefault, ""},
		LogicalConstant:    {"constant-logical-operand", byDefault, ""},
		Unsequenced:        {"unsequenced", byDefault, ""},
		IntegerOverflow:    {"integer-overflow", byDefault, ""},
		ShiftOverflow:      {"shift-overflow", byDefault, ""},
		ShiftNegative:      {"shift-negative-value", byDefault, ""},
		XorAsPower:         {"xor-used-as-pow", byDefault, ""},
		EnumCompare:        {"enum-compare", byDefault, ""},
		EnumCompareSwitch:  {"enum-compare-switch", byDefault, "enum-compare"},
		LiteralRange:       {"literal-range", byDefault, ""},
		AlwaysTrue:         {"pointer-bool-conversion", byDefault, ""},
		UnusedComparison:   {"unused-comparison", byDefault, "unused-value"},
		SizeofPointer:      {"sizeof-pointer-div", byDefault, ""},
		MultipleCharacters: {"multichar", byDefault, ""},
		ExtraTokens:        {"extra-tokens", byDefault, ""},
		LogFormat:          {"format", byDefault, ""},
		MacroRedefined:     {"macro-redefined", byDefault, ""},
		WarningDirective:   {"#warnings", byDefault, ""},
	}
})

// group is the name of a group, the level that enables it, and the larger group that it belongs to.
type group struct {
	name   string
	on     level
	within string // or ""
}

// Group returns a warning's group name for -W options, or "".
func Group(c Code) string { return groups()[c].name }

// Warnings selects which warnings are reported, and which of them as errors. The zero value reports
// those that are on by default.
type Warnings struct {
	on, fatal map[Code]bool // changes made by options
	allFatal  bool
}

// EveryWarning returns the selection of -Weverything.
func EveryWarning() (w Warnings) {
	w.enable(byName, true)
	return w
}

// Set applies a -W option of clang, given without the "-W": "all", "extra", "everything" or a group
// name, each optionally prefixed by "no-"; or "error", "error=group", "no-error" or
// "no-error=group". Later options override earlier ones.
func (w *Warnings) Set(option string) error {
	name, no := strings.CutPrefix(option, "no-")
	switch name {
	case "all":
		w.enable(byAll, !no)
		return nil
	case "extra": // despite its name, not a superset of -Wall
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
	names := make(map[string][]Code)
	for c, g := range groups() {
		names[g.name] = append(names[g.name], c)
		if g.within != "" {
			names[g.within] = append(names[g.within], c)
		}
	}
	codes, ok := names[named]
	if !ok {
		hint := ""
		if s := Suggest(named, maps.Keys(names)); s != "" {
			hint = fmt.Sprintf("; did you mean %q?", s)
		}
		return fmt.Errorf("there is no warning group %q%s", named, hint)
	}
	for _, c := range codes {
		if fatal {
			w.fatal = with(w.fatal, c, !no)
		}
		if !fatal || !no {
			w.on = with(w.on, c, !no)
		}
	}
	return nil
}

// enable turns all warnings up to a level on or off.
func (w *Warnings) enable(most level, on bool) {
	for c, g := range groups() {
		if g.on <= most {
			w.on = with(w.on, c, on)
		}
	}
}

// with returns a copy of a map with an entry added, since Warnings are copied by value.
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

// Promote turns warnings into errors as options demand. It runs after compilation, so that these
// errors hide nothing.
func (w Warnings) Promote(list []Diagnostic) {
	for i := range list {
		d := &list[i]
		fatal, ok := w.fatal[d.Code]
		if d.Severity == Warning && (fatal || !ok && w.allFatal) {
			d.Severity = Error
		}
	}
}
