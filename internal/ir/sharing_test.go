package ir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConvergence: barriers after different control flow; the warning names the instruction.
func TestConvergence(t *testing.T) {
	const before = `kernel "k" { arg {"kind":"buffer","index":0,"space":"constant"} body {
%0 = input thread_index_in_threadgroup : i32
%1 = input simdgroup_index_in_threadgroup : i32
%2 = input threadgroup_position_in_grid : i32x3
%3 = extract %2 : i32
%4 = arg #0 : ptr.constant
%5 = load %4 : i32
%6 = const 0 : i32
%7 = eq %0, %6 : i1
%8 = eq %1, %6 : i1
%9 = eq %3, %5 : i1
`
	tests := []struct {
		name, body string
		bad        bool
	}{
		{"straight", "barrier return", false},
		{"varying", "if %7 { barrier yield } else { yield } return", true},
		{"simdgroup", "if %8 { barrier yield } else { yield } return", true},
		{"uniform", "if %9 { barrier yield } else { yield } return", false},
		{"together again", "if %7 { yield } else { yield } barrier return", false},
		{"returned", "if %7 { return } else { yield } barrier return", false},
		{"uniform loop", "loop ^0 (%20 : i32 = %6) { %21 = ult %20, %5 : i1 if %21 { yield } else { break ^0 } barrier\n%22 = add %20, %20 : i32 continue ^0 %22 } return", false},
		{"varying loop", "loop ^0 (%20 : i32 = %6) { %21 = ult %20, %0 : i1 if %21 { yield } else { break ^0 } barrier\n%22 = add %20, %20 : i32 continue ^0 %22 } return", true},
		{"behind a varying loop", "loop ^0 (%20 : i32 = %6) { %21 = ult %20, %0 : i1 if %21 { yield } else { break ^0 } %22 = add %20, %20 : i32 continue ^0 %22 } barrier return", false},
		{"a round begun early", "loop ^0 { if %7 { continue ^0 } else { yield } if %9 { break ^0 } else { yield } barrier continue ^0 } return", true},
		{"before a round begun early",
			"loop ^0 { barrier if %9 { break ^0 } else { yield } if %7 { continue ^0 } else { yield } continue ^0 } return",
			false},
		{"out of a block", "block ^0 { if %7 { break ^0 } else { yield } barrier yield } return", true},
		{"behind a block", "block ^0 { if %7 { break ^0 } else { yield } yield } barrier return", false},
		{"two levels", "loop ^0 { block ^1 { if %7 { break ^0 } else { yield } yield } barrier continue ^0 } return", true},
		{"a merged value", "%20 = if %7 : i1 { %21 = const true : i1 yield %21 } else { %22 = const false : i1 yield %22 } if %20 { barrier yield } else { yield } return", true},
		{"a uniform merge", "%20 = if %9 : i1 { yield %9 } else { %22 = const false : i1 yield %22 } if %20 { barrier yield } else { yield } return", false},
		{"a carried value", "loop ^0 (%20 : i1 = %9) { if %20 { barrier yield } else { break ^0 } continue ^0 %7 } return",
			true},
		{"a loop's round", "%20 = loop ^0 (%21 : i32 = %6) : i32 { %22 = ult %21, %0 : i1 if %22 { yield } else { break ^0 %21 } %23 = add %21, %21 : i32 continue ^0 %23 } %24 = eq %20, %6 : i1 if %24 { barrier yield } else { yield } return", true},
		{"ballot", "%20 = simd.any %7 : i1 if %20 { simd.barrier yield } else { yield } return", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := Parse(before + test.body + " } }")
			require.NoError(t, err)
			require.NoError(t, m.Verify())
			err = m.Funcs[0].VerifyConvergence()
			if test.bad {
				assert.ErrorContains(t, err, "barrier in control flow where threads of a threadgroup may have diverged")
			} else {
				assert.NoError(t, err)
			}
		})
	}
	const onlyIf = "if %21 { grid.barrier yield } else { yield } return"
	grids := []struct {
		name, body string
		bad        bool
	}{
		{"straight", "grid.barrier return", false},
		{"threadgroup", "if %10 { grid.barrier yield } else { yield } return", true},
		{"threadgroup's memory", "%20 = shared #0 : ptr.threadgroup %21 = load %20 : i1 " + onlyIf, true},
		{"memory at a thread's address",
			"%20 = zext %0 : i64 %18 = offset %4, %20 #1 : ptr.constant %21 = load %18 : i1 " + onlyIf, true},
		{"memory", "if %11 { grid.barrier yield } else { yield } return", false},
		{"an atomic load", "%21 = atomic.load %12 : i1 " + onlyIf, false},
		{"an atomic operation", "%20 = atomic.add %12, %5 : i32 %21 = eq %20, %5 : i1 " + onlyIf, true},
		{"returned", "if %7 { return } else { yield } grid.barrier return", false},
		{"returned in a loop", "loop ^0 { grid.barrier if %7 { return } else { yield } if %11 { break ^0 } else { yield } " +
			"continue ^0 } return", false},
		{"a varying loop", "loop ^0 (%20 : i32 = %6) { %21 = ult %20, %3 : i1 if %21 { yield } else { break ^0 } " +
			"grid.barrier\n%22 = add %20, %20 : i32 continue ^0 %22 } return", true},
	}
	for _, test := range grids {
		t.Run("grid: "+test.name, func(t *testing.T) {
			head := strings.Replace(before, "body {", `arg {"kind":"buffer","index":1}
threadgroup {"name":"s","size":16,"align":16} body {`, 1)
			m, err := Parse(head + "%10 = eq %3, %6 : i1 %11 = eq %5, %6 : i1 %12 = arg #1 : ptr.device\n" + test.body + " } }")
			require.NoError(t, err)
			require.NoError(t, m.Verify())
			err = m.Funcs[0].VerifyGridBarriers()
			if test.bad {
				assert.ErrorContains(t, err, "grid barrier in control flow that may not be the same for")
			} else {
				assert.NoError(t, err)
			}
		})
	}
	for name, text := range programs(t) {
		m, err := Parse(text)
		require.NoError(t, err)
		assert.Equal(t, name == "barrier_divergent.ir", m.Funcs[0].VerifyConvergence() != nil, name)
	}
}
