package machine

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDetectCPU compares the answer with what Linux lists for the first processor.
func TestDetectCPU(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		require.Equal(t, CPU{}, DetectCPU())
		return
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("needs /proc/cpuinfo: no other source to compare with")
	}
	var flags string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "flags") {
			flags = line
			break
		}
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if !strings.Contains(flags+" ", " "+name+" ") && !strings.Contains(flags, " "+name+"\n") {
				return false
			}
		}
		return true
	}
	fma := has("avx2", "fma", "f16c")
	wide := fma && has("avx512f", "avx512bw", "avx512dq", "avx512vl")
	require.Equal(t, CPU{AVX2: has("avx2"), FMA: fma, BMI: has("bmi1", "bmi2"), AVX512: wide,
		VNNI: wide && has("avx512_vnni")}, DetectCPU())
}
