package ir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDropUnused: unused pure instructions are dropped, including chains and those in regions;
// loads and loop-carried values remain.
func TestDropUnused(t *testing.T) {
	const text = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = const 1 : i32
    %2 = const 2 : i32 # gone
    %3 = add %2, %2 : i32 # gone
    %4 = load %0 : i32
    %5 = const true : i1
    if %5 {
      %6 = mul %1, %3 : i32 # gone
      store %0, %1
      yield
    } else {
      yield
    }
    %8 = loop ^0 (%7 : i32 = %1) : i32 {
      %9 = const 3 : i32
      %10 = sub %9, %7 : i32 # gone
      if %5 {
        break ^0 %9
      } else {
        yield
      }
      continue ^0 %9
    }
    return
  }
}
`
	var given, want strings.Builder
	for line := range strings.Lines(text) {
		before, _, gone := strings.Cut(line, " # gone")
		if given.WriteString(strings.TrimRight(before, "\n") + "\n"); !gone {
			want.WriteString(line)
		}
	}
	m, err := Parse(given.String())
	require.NoError(t, err)
	m.Funcs[0].DropUnused()
	require.NoError(t, m.Verify())
	words := func(s string) (out []string) { // without the numbers of values, which printing reassigns
		for line := range strings.Lines(s) {
			if _, op, ok := strings.Cut(line, "= "); ok && strings.HasPrefix(strings.TrimSpace(line), "%") {
				line = op
			}
			if f := strings.Fields(line); len(f) > 0 {
				out = append(out, f[0])
			}
		}
		return out
	}
	assert.Equal(t, words(want.String()), words(m.String()))
}
