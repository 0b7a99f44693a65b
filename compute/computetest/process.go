package computetest

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// runElsewhere runs a test in a process of its own, with the software driver.
func runElsewhere(t testing.TB) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatalf("computetest: the test's binary: %v", err)
	}
	c := exec.CommandContext(t.Context(), binary, arguments(t)...)
	c.Env = append(os.Environ(), driverVariable+"=software")
	out, err := c.CombinedOutput()
	result := regexp.MustCompile(`(?m)^ *--- (\w+): ` + regexp.QuoteMeta(t.Name()) + ` \(`).FindSubmatch(out)
	switch {
	case err != nil:
		t.Errorf("computetest: %s failed in a process with the software driver: %v\n%s", t.Name(), err, out)
	case result == nil:
		t.Errorf("computetest: %s did not run in a process with the software driver:\n%s", t.Name(), out)
	case bytes.Equal(result[1], []byte("SKIP")):
		t.Skipf("computetest: skipped in a process with the software driver:\n%s", out)
	}
}

// arguments returns the arguments for the process that runs a test: for that test alone, with the
// program's own flags and arguments.
func arguments(t testing.TB) []string {
	var names []string
	for name := range strings.SplitSeq(t.Name(), "/") {
		names = append(names, "^"+regexp.QuoteMeta(name)+"$")
	}
	args := []string{"-test.v", "-test.run=" + strings.Join(names, "/")}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") || f.Name == "test.short" || f.Name == "test.timeout" {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	return append(append(args, "--"), flag.Args()...)
}
