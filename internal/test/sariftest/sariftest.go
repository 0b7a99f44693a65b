// Package sariftest checks SARIF that tests get.
package sariftest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// required returns the members that the SARIF 2.1.0 schema requires, by the name of the member that
// holds an object.
func required() map[string][]string {
	return map[string][]string{"": {"version", "runs"}, "runs": {"tool"}, "tool": {"driver"}, "driver": {"name"},
		"rules": {"id"}, "results": {"message"}, "message": {"text"}, "shortDescription": {"text"},
		"fixes": {"artifactChanges"}, "artifactChanges": {"artifactLocation", "replacements"},
		"replacements": {"deletedRegion"}}
}

// Valid checks a log against what the schema requires, and the values that it allows.
func Valid(t *testing.T, data []byte) {
	t.Helper()
	var log map[string]any
	require.NoError(t, json.Unmarshal(data, &log))
	assert.Equal(t, "2.1.0", log["version"])
	needs := required()
	levels := map[any]bool{"none": true, "note": true, "warning": true, "error": true}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(name, e)
			}
		case map[string]any:
			for _, member := range needs[name] {
				assert.Contains(t, v, member, "of %s", name)
			}
			if name == "results" {
				assert.True(t, levels[v["level"]], "level %v", v["level"])
			}
			for key, n := range v {
				if f, ok := n.(float64); ok && key != "ruleIndex" { // lines and columns
					assert.GreaterOrEqual(t, f, 1.0, "%s of %s", key, name)
				}
				if key != "properties" { // a bag with any members
					walk(key, n)
				}
			}
		}
	}
	walk("", log)
}
