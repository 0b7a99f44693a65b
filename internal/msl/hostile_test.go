package msl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// hostile is a short program that demands as much as possible, with its expected outcome.
type hostile struct {
	name  string
	n     int       // how much it demands
	code  diag.Code // of the first error; "" if it compiles
	steps int64     // maximum steps for reading and checking it
	text  func(n int) string
}

// hostileLimits are the limits for hostile programs: lower than the defaults, to make the test
// faster.
var hostileLimits = budget.Limits{Steps: 1 << 20, Bytes: 64 << 20}

func hostilePrograms() []hostile { return slices.Concat(hostileText, hostileTypes, hostileCode) }

// kern is the beginning of a kernel.
const kern = "kernel void k(device int *p [[buffer(0)]]) { "

func rep(s string, n int) string { return strings.Repeat(s, n) }

func sp(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// lines repeats a pattern n times, replacing # by the line number, from 1, @ by the previous
// number, and ~ by #.
func lines(pattern string, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "@", strconv.Itoa(i-1), "~", "#").Replace(pattern))
	}
	return b.String()
}

// compile compiles a hostile program and returns the error codes and the budget spent.
func (h *hostile) compile(ctx context.Context) (codes []diag.Code, spent budget.Limits) {
	var front *budget.Budget
	_, diags := Compile(ctx, Source{Text: h.text(h.n)}, Options{Verify: true, Warnings: diag.EveryWarning(),
		Budget: hostileLimits,
		watch:  func(b *budget.Budget) { front = b }})
	for _, d := range diags {
		if d.Severity == diag.Error {
			codes = append(codes, d.Code)
		}
	}
	return codes, front.Spent()
}

// hostileAlloc limits the allocations for one hostile program. The budget only counts live memory;
// garbage comes on top.
const hostileAlloc = 6 * 64 << 20

// TestHostile compiles every hostile program: it ends as expected, with little work and limited
// allocations. The compiler checks regularly whether to go on, and stops when canceled halfway. How
// long it runs between checks is measured by its allocations, which do not depend on the machine.
func TestHostile(t *testing.T) {
	const most = 64 << 20 // between two checks
	for _, h := range hostilePrograms() {
		t.Run(h.name, func(t *testing.T) {
			failOnInternal(t)
			all := &cancelAfter{Context: t.Context(), until: 1 << 30}
			fuzztest.BoundAlloc(t, hostileAlloc, func() {
				codes, spent := h.compile(all)
				assert.Equal(t, h.code, append(codes, "")[0])
				assert.LessOrEqual(t, spent.Steps, h.steps)
			})
			assert.Less(t, all.largest, uint64(most))
			half := &cancelAfter{Context: t.Context(), until: all.asked / 2}
			codes, _ := h.compile(half)
			require.NotEmpty(t, codes) // a program with earlier errors ends with those
			assert.LessOrEqual(t, half.asked, half.until+4)
		})
	}
}
