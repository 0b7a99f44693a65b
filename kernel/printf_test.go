package kernel_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/kernel"
)

// print runs a kernel of n threads and returns what it has printed.
func print(t *testing.T, n uint32, fn func(t *kernel.Thread)) (string, error) {
	t.Helper()
	var b bytes.Buffer
	defer kernel.SetOutput(kernel.SetOutput(&b))
	err := kernel.Run(one(n), one(4), fn)
	return b.String(), err
}

func TestPrintf(t *testing.T) {
	text, err := print(t, 10, func(t *kernel.Thread) { kernel.Printf(t, "%d of %u\n", int32(t.Global.X)-1, t.GridSize.X) })
	require.NoError(t, err)
	want := ""
	for i := range 10 {
		want += fmt.Sprintf("%d of 10\n", i-1)
	}
	if !kernel.RaceDetector { // threads run in any order
		assert.Equal(t, want, text)
	}
	assert.ElementsMatch(t, strings.Split(want, "\n"), strings.Split(text, "\n"))
	for _, k := range []struct {
		format string
		arg    any
		want   string
	}{
		{"%d", float32(1), "%d does not take argument 1, a float32"},
		{"%f", int32(1), "%f does not take argument 1, a int32"},
		{"%s", "x", "%s does not take argument 1, a string"},
		{"%d", nil, "%d does not take argument 1, a <nil>"},
		{"%d %d", int32(1), "no argument for %d"},
		{"x", int32(1), "1 arguments, but 0 conversions"},
		{"%5", int32(1), "%5 has no conversion"},
	} {
		_, err := print(t, 1, func(t *kernel.Thread) { kernel.Printf(t, k.format, k.arg) })
		assert.ErrorContains(t, err, place(-1)+fmt.Sprintf(": Printf(%q): ", k.format)+k.want)
	}
	_, err = print(t, 1, func(t *kernel.Thread) {
		for {
			kernel.Printf(t, "%10000d", int32(1))
		}
	})
	assert.ErrorContains(t, err, "the launch prints more than 1048576 bytes")
}

// TestPrintfDevice: the texts are those of the device's log.
func TestPrintfDevice(t *testing.T) {
	formats := map[string][]any{}
	floats := []any{float32(0), float32(1.5), float32(-100000), float32(1e30), float32(1e-7), float32(123456.7),
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	ints := []any{int32(0), int32(5), int32(-5), int32(math.MaxInt32), int32(math.MinInt32)}
	for _, options := range []string{"", "8", "-8", "08", "+", " ", ".0", ".3", "+12.4", "-12.1", "010.2", "#", "#9"} {
		for _, l := range "dixXou" {
			formats["%"+options+string(l)] = ints
		}
		for _, l := range "feEgGF" {
			formats["%"+options+string(l)] = floats
		}
	}
	formats["%c|%%"], formats["%4c"] = []any{int32('a')}, []any{int32('b')}
	var source strings.Builder
	source.WriteString("#include <metal_logging>\nusing namespace metal;\nkernel void prints(uint i " +
		"[[thread_position_in_grid]]) {\n")
	var want strings.Builder
	for format, args := range formats {
		for _, a := range args {
			value := fmt.Sprint(a)
			switch v := a.(type) {
			case float32:
				value = fmt.Sprintf("as_type<float>(%#xu)", math.Float32bits(v))
			case int32:
				value = fmt.Sprintf("int(%#xu)", uint32(v))
			}
			fmt.Fprintf(&source, "os_log_default.log_info(%q, %s);\n", format, value)
			text, err := print(t, 1, func(t *kernel.Thread) { kernel.Printf(t, format, a) })
			require.NoError(t, err)
			want.WriteString(format + ": " + text + "\n")
		}
	}
	source.WriteString("}\n")
	var got strings.Builder
	acc := computetest.Open(t, compute.WithKernelLog(compute.KernelLog{Handler: func(m compute.KernelMessage) {
		got.WriteString(m.Text + "\n")
	}}))
	ctx := context.Background()
	program, err := acc.Compile(ctx, source.String(), compute.CompileOptions{Logging: true})
	require.NoError(t, err)
	defer program.Close()
	k, err := program.Kernel("prints")
	require.NoError(t, err)
	stream, err := acc.NextStream()
	require.NoError(t, err)
	require.NoError(t, stream.Launch(ctx, k, compute.Threads1D(1)))
	require.NoError(t, stream.Sync(ctx))
	lines := strings.Split(want.String(), "\n")
	assert.Equal(t, len(lines), strings.Count(got.String(), "\n")+1)
	for i, line := range strings.Split(got.String(), "\n") {
		_, text, _ := strings.Cut(lines[i], ": ")
		assert.Equal(t, text, line, lines[i])
	}
}
