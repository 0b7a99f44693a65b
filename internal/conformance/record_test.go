package conformance

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	check "github.com/puremetal/puremetal/internal/conformance/assert"
)

// TestRecord has cases end in each way that does not end the process.
func TestRecord(t *testing.T) {
	var order []string
	var dir string
	for _, c := range []struct {
		name    string
		run     func(*rig)
		outcome Outcome
		text    string
	}{
		{"passes", func(r *rig) {
			r.Cleanup(func() { order = append(order, "second") })
			r.Cleanup(func() { order = append(order, "first"); assert.Error(t, r.Context().Err()) })
			dir = r.TempDir()
			assert.NoError(t, r.Context().Err())
		}, Passed, ""},
		{"two checks", func(r *rig) {
			check.Equal(r, 1, 2)
			r.Error("other")
		}, Failed, "record_test.go:30: got 2, want 1\nrecord_test.go:31: other"},
		{"must", func(r *rig) { must(0, errors.New("broken")) }, Failed, "broken"},
		{"holds", func(r *rig) { r.holds(check.True(r, false)); t.Error("went on") }, Failed,
			"record_test.go:34: got false, want true"},
		{"skips", func(r *rig) { r.Skipf("no %s", "peers") }, Skipped, "no peers"},
		{"fails at the end", func(r *rig) {
			r.Cleanup(func() { order = append(order, "third") })
			r.Cleanup(func() { r.FailNow() })
		}, Failed, ""},
	} {
		k := Case{Concept: "test", Name: c.name, Asserts: "Nothing.", run: c.run}
		got := k.Record(t.Context())
		assert.Equal(t, "test/"+c.name, got.Case)
		assert.Equal(t, c.outcome, got.Outcome, c.name)
		assert.Equal(t, c.text, got.Text, c.name)
	}
	assert.Equal(t, []string{"first", "second", "third"}, order)
	_, err := os.Stat(dir)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
