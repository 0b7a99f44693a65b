package amd64

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goldenFile = "testdata/encodings.txt"

// TestGolden compares the encodings with those that TestLLVM compared with LLVM's, so that machines
// without LLVM check them too. For each Op and encoding the file has the number of cases, a digest
// of them all, and the first one. PUREMETAL_UPDATE=1 writes it, where LLVM is installed.
func TestGolden(t *testing.T) {
	var b strings.Builder
	names := opNames(t)
	for _, f := range allCases(t) {
		h := sha256.New()
		for _, c := range f.cases {
			fmt.Fprintf(h, "%s = %x\n", c.text, c.code)
		}
		form := [...]string{legacy: "legacy", vex: "vex", evex: "evex"}[f.form]
		fmt.Fprintf(&b, "%s %s: %d, %x: %s = %x\n", names[f.op], form, len(f.cases), h.Sum(nil)[:8], f.cases[0].text,
			f.cases[0].code)
	}
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.True(t, t.Run("LLVM", TestLLVM))
		require.NoError(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
	}
	file, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	want, got := strings.Split(string(file), "\n"), strings.Split(b.String(), "\n")
	require.Len(t, got, len(want))
	for n := range want {
		assert.Equal(t, want[n], got[n])
	}
}

// opNames returns the names of the constants.
func opNames(t *testing.T) (names []string) {
	src, err := os.ReadFile("instructions.def")
	require.NoError(t, err)
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(line, "#") {
			names = append(names, f[0])
		}
	}
	require.Len(t, names, int(opCount))
	return names
}
