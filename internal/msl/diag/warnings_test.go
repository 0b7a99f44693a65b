package diag

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWarningOptions applies options in order and checks which warnings are then on and which are
// errors.
func TestWarningOptions(t *testing.T) {
	list := []Code{Assignment, UnusedVariable, DivergentBarrier, UnknownMetalHeader}
	for _, c := range []struct {
		name    string
		options []string
		on      []Code
		errors  []Code
	}{
		{"none", nil, []Code{Assignment, UnknownMetalHeader}, nil},
		{"all", []string{"all"}, []Code{Assignment, UnusedVariable, UnknownMetalHeader}, nil},
		{"everything", []string{"everything"}, list, nil},
		{"all but one", []string{"all", "no-parentheses"}, []Code{UnusedVariable, UnknownMetalHeader}, nil},
		{"the last rules", []string{"no-parentheses", "all"}, []Code{Assignment, UnusedVariable, UnknownMetalHeader},
			nil},
		{"no groups", []string{"no-everything"}, []Code{UnknownMetalHeader}, nil},
		{"errors", []string{"error"}, []Code{Assignment, UnknownMetalHeader}, list},
		{"no errors", []string{"error", "no-error"}, []Code{Assignment, UnknownMetalHeader}, nil},
		{"one error", []string{"error=unused-variable"}, []Code{Assignment, UnusedVariable, UnknownMetalHeader},
			[]Code{UnusedVariable}},
		{"errors but one", []string{"error", "no-error=parentheses"}, []Code{Assignment, UnknownMetalHeader},
			[]Code{UnusedVariable, DivergentBarrier, UnknownMetalHeader}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w Warnings
			for _, o := range c.options {
				require.NoError(t, w.Set(o))
			}
			var on, errors []Code
			var diags []Diagnostic
			for _, code := range list {
				if w.On(code) {
					on = append(on, code)
				}
				diags = append(diags, Warnf(code, NoPos, NoPos, "w"))
			}
			w.Promote(diags)
			for _, d := range diags {
				if d.Severity == Error {
					errors = append(errors, d.Code)
				}
			}
			assert.Equal(t, c.on, on)
			assert.Equal(t, c.errors, errors)
		})
	}
	var w Warnings
	assert.EqualError(t, w.Set("no-parenthesis"),
		`there is no warning group "parenthesis"; did you mean "parentheses"?`)
	assert.EqualError(t, w.Set("xyzzy"), `there is no warning group "xyzzy"`)
	assert.Error(t, w.Set("error=all"))
	before := w
	require.NoError(t, w.Set("unused-variable"))
	assert.False(t, before.On(UnusedVariable), "a copy is changed")
}

// TestGroups: only two warnings share a group, each has a code, and -W of a group applies to the
// groups within it.
func TestGroups(t *testing.T) {
	seen := map[string]Code{}
	for c, g := range groups() {
		if g.name != "parentheses" {
			assert.Empty(t, seen[g.name], g.name)
		}
		seen[g.name] = c
		_, ok := Lookup(c)
		assert.True(t, ok, c)
	}
	for c, g := range groups() {
		if g.within != "" {
			assert.Contains(t, seen, g.within)
			var w Warnings
			require.NoError(t, w.Set("no-"+g.within))
			assert.False(t, w.On(c), g.name)
		}
	}
}
