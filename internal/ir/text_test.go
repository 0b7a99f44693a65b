package ir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func programs(t testing.TB) map[string]string {
	files, err := filepath.Glob("../../testdata/ir/*.ir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	m := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		m[filepath.Base(f)] = string(text)
	}
	return m
}

// TestRoundTrip: printing and parsing again gives the same text.
func TestRoundTrip(t *testing.T) {
	for name, text := range programs(t) {
		t.Run(name, func(t *testing.T) {
			m, err := Parse(text)
			require.NoError(t, err)
			require.NoError(t, m.Verify())
			once := m.String()
			again, err := Parse(once)
			require.NoError(t, err, once)
			assert.Equal(t, once, again.String())
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range programs(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		once := m.String()
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if twice := again.String(); twice != once {
			t.Fatalf("first %s\nthen %s", once, twice)
		}
		if a, b := m.Verify(), again.Verify(); (a == nil) != (b == nil) {
			t.Fatalf("first %v\nthen %v", a, b)
		}
	})
}
