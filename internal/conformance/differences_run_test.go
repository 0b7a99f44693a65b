package conformance

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	differencesVariable = "PUREMETAL_TEST_DIFFERENCES" // "1" for TestDifferences to run
	aloneVariable       = "PUREMETAL_TEST_DIFFERENCE"  // the case that a process of TestDifferences runs
)

// TestDifferences runs each case that the list of differences skips on this platform, and fails for
// those that pass: their entries are out of date. A case has its own process because it may end it.
func TestDifferences(t *testing.T) {
	if os.Getenv(differencesVariable) != "1" {
		t.Skip(differencesVariable + "=1 runs the cases that are skipped here, and fails for those that pass")
	}
	cases, where := Cases()
	for _, c := range cases {
		if c.Difference == "" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			passed, output := runAlone(t, c.String())
			t.Logf("%s", output)
			assert.False(t, passed, "the case passes on the %s, so its entry is out of date", where)
		})
	}
}

// TestRunAlone checks that TestDifferences can tell a case that passes from one that does not.
func TestRunAlone(t *testing.T) {
	passed, output := runAlone(t, "buffer/no bytes")
	assert.True(t, passed, "%s", output)
	t.Setenv("PUREMETAL_DRIVER", "none")
	passed, output = runAlone(t, "buffer/no bytes")
	assert.False(t, passed, "%s", output)
}

// runAlone runs a case in a separate process, even if it is listed as a difference, and reports
// whether it passed.
func runAlone(t *testing.T, name string) (passed bool, output string) {
	t.Helper()
	full := "TestConformance/" + strings.ReplaceAll(name, " ", "_") // as package testing writes it
	parts := strings.Split(full, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	c := exec.CommandContext(t.Context(), os.Args[0],
		"-test.run="+strings.Join(parts, "/"), "-test.count=1", "-test.v", "-test.timeout=1m")
	c.Env = append(os.Environ(), aloneVariable+"="+name, "GOTRACEBACK=none")
	out, err := c.CombinedOutput()
	require.Contains(t, string(out), "=== RUN   "+full+"\n", "the process ran something else")
	return err == nil && strings.Contains(string(out), "--- PASS: "+full+" "), string(out)
}
