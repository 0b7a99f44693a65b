package amd64

import (
	"bytes"
	"encoding/hex"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// baseFeatures are the features of Op.Feature's base set.
const baseFeatures = "+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512cd,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt"

// llvmMC returns the path of LLVM's assembler, and skips the test where there is none.
func llvmMC(t *testing.T) string {
	path, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("llvm-mc is not installed")
	}
	return path
}

// assemble returns the bytes of each line of assembly, nil for a line that LLVM refuses, and LLVM's
// messages.
func assemble(t *testing.T, features string, lines []string) ([][]byte, string) {
	cmd := exec.Command(llvmMC(t), "-triple=x86_64", "-mattr="+features, "-show-encoding", "-output-asm-variant=1")
	cmd.Stdin = strings.NewReader(".intel_syntax noprefix\n" + strings.Join(lines, "\n") + "\n")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	refused := make(map[int]bool)
	for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error:`).FindAllStringSubmatch(errs.String(), -1) {
		refused[atoi(m[1])-2] = true
	}
	require.Equal(t, err != nil, len(refused) > 0, "%v: %s", err, errs.String())
	list := make([][]byte, len(lines))
	found := regexp.MustCompile(`encoding: \[([^\]]*)\]`).FindAllStringSubmatch(out.String(), -1)
	require.Len(t, found, len(lines)-len(refused), "%s", errs.String())
	for n := range lines {
		if refused[n] {
			continue
		}
		b, err := hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(found[0][1]))
		require.NoError(t, err)
		list[n], found = b, found[1:]
	}
	return list, errs.String()
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

func TestScratch(t *testing.T) {
	all := allCases(t)
	var lines []string
	var codes [][]byte
	for _, f := range all {
		for _, c := range f.cases {
			lines = append(lines, c.text)
			codes = append(codes, c.code)
		}
	}
	t.Log(len(all), len(lines))
	got, errs := assemble(t, baseFeatures+",+avx512vbmi,+avx512bitalg,+avx512vpopcntdq,+avx512bf16", lines)
	if len(errs) > 3000 {
		errs = errs[:3000]
	}
	t.Log(errs)
	bad := 0
	for n := range lines {
		if !bytes.Equal(got[n], codes[n]) {
			bad++
			if bad < 20000 {
				assert.Failf(t, lines[n], "% x, want % x", codes[n], got[n])
			}
		}
	}
	t.Log(bad)
}
