package shader

import (
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestComputedConditions reads a program whose kernel says under which constants its arguments
// exist, and compares that with the arguments that the kernel has under these constants.
func TestComputedConditions(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/msl/run/conditions.metal")
	require.NoError(t, err)
	l := library(t, strings.TrimPrefix(string(text), header), Options{})
	types := map[int]ir.DataType{}
	for _, c := range l.Function(t.Context(), "conditions").Constants() {
		types[c.Index] = c.Data
	}
	launches := regexp.MustCompile(`(?m)^// launch conditions (.*)\n.*\n// want 0: i32 (.*)$`).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, launches)
	for _, launch := range launches {
		var values Values
		for _, m := range regexp.MustCompile(`const(\d+)=(\w+)`).FindAllStringSubmatch(launch[1], -1) {
			index, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			data, err := hex.DecodeString(m[2])
			require.NoError(t, err)
			require.Contains(t, types, index)
			values.Set(index, Value{types[index], data})
		}
		f, failure := l.Specialize(t.Context(), "conditions", &values)
		require.Nil(t, failure)
		exists := map[int]bool{}
		for _, a := range f.Args() {
			exists[a.Index] = true
		}
		assert.True(t, exists[0])
		for i, want := range strings.Fields(launch[2]) {
			assert.Equal(t, want == "1", exists[i+1], "argument %d under %s", i+1, launch[1])
		}
	}
}
