package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestActiveArgs: an argument is active if an effect depends on it, through values, control flow or
// loop parameters.
func TestActiveArgs(t *testing.T) {
	const head = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  arg {"kind":"buffer","index":1,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = arg #1 : ptr.device
    %2 = const true : i1
    %3 = const 1 : i32
`
	for _, c := range []struct {
		name, body string
		want       []bool
	}{
		{"nothing", "", []bool{false, false}},
		{"a load that nobody uses", "%4 = load %0 : i32", []bool{false, false}},
		{"a volatile load", "%4 = load %0 volatile : i32", []bool{true, false}},
		{"a value that is stored", "%4 = load %1 : i32\nstore %0, %4", []bool{true, true}},
		{"a condition", "%4 = load %1 : i1\nif %4 {\nstore %0, %3\nyield\n} else {\nyield\n}", []bool{true, true}},
		{"a condition without effect", "%4 = load %1 : i1\nif %4 {\nyield\n} else {\nyield\n}", []bool{false, false}},
		{"a condition of a result", "%4 = load %1 : i1\n%5 = if %4 : i32 {\nyield %3\n} else {\nyield %3\n}\nstore %0, %5",
			[]bool{true, true}},
		{"the other result", "%4 = load %1 : i32\n%5, %6 = if %2 : i32, i32 {\nyield %3, %4\n} else {\nyield %3, %4\n}\nstore %0, %5", []bool{true, false}},
		{"what a loop carries", "%4 = load %1 : i32\n%6 = loop ^0 (%5 : i32 = %4) : i32 {\nif %2 {\nbreak ^0 %3\n} else {\nyield\n}\nstore %0, %5\ncontinue ^0 %3\n}", []bool{true, true}},
		{"what a loop carries for nobody",
			"%4 = load %1 : i32\nloop ^0 (%5 : i32 = %4) {\nif %2 {\nbreak ^0\n} else {\nyield\n}\nstore %0, %3\ncontinue ^0 %5\n}", []bool{true, false}},
		{"what leaves a block", "%4 = load %1 : i32\n%5 = block ^0 : i32 {\nif %2 {\nbreak ^0 %4\n} else {\nyield\n}\nyield %3\n}\nstore %0, %5", []bool{true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse(head + c.body + "\nreturn\n}\n}\n")
			require.NoError(t, err)
			require.NoError(t, m.Verify())
			assert.Equal(t, c.want, m.Funcs[0].ActiveArgs())
		})
	}
}
