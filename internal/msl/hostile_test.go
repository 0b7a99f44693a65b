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
	"github.com/puremetal/puremetal/internal/msl/fuzztest"
)

// hostile is a program that asks for as much as it can with few words, and how it ends.
type hostile struct {
	name  string
	n     int       // how much it asks for
	code  diag.Code // of the first error; "" when it compiles
	steps int64     // that reading and checking it takes at most
	text  func(n int) string
}

// hostileLimits are what the hostile programs may take: less than programs get, so that the test
// takes less time.
var hostileLimits = budget.Limits{Steps: 1 << 20, Bytes: 64 << 20}

func hostilePrograms() []hostile { return slices.Concat(hostileText, hostileTypes, hostileCode) }

// kern begins a kernel.
const kern = "kernel void k(device int *p [[buffer(0)]]) { "

func rep(s string, n int) string { return strings.Repeat(s, n) }

func sp(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// lines writes a pattern n times: # is the number of the line, from 1, @ that before it, and ~ a #.
func lines(pattern string, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "@", strconv.Itoa(i-1), "~", "#").Replace(pattern))
	}
	return b.String()
}

// compile compiles a hostile program, and returns the codes of the errors and what was spent.
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

// hostileAlloc is what compiling a hostile program may allocate. The budget counts what is kept;
// what is free again comes on top.
const hostileAlloc = 6 * 64 << 20

// TestHostile compiles every hostile program: it ends as it should, with little work, and not much
// memory is allocated.
func TestHostile(t *testing.T) {
	for _, h := range hostilePrograms() {
		t.Run(h.name, func(t *testing.T) {
			failOnInternal(t)
			fuzztest.BoundAlloc(t, hostileAlloc, func() {
				codes, spent := h.compile(t.Context())
				assert.Equal(t, h.code, append(codes, "")[0])
				assert.LessOrEqual(t, spent.Steps, h.steps)
			})
		})
	}
}

// TestHostileAsks cancels every hostile program halfway. Its compilation asks again and again
// whether it may go on, and stops when it may not. How long it goes on unasked is measured by what
// it allocates meanwhile, which does not depend on the machine.
func TestHostileAsks(t *testing.T) {
	const most = 64 << 20
	for _, h := range hostilePrograms() {
		t.Run(h.name, func(t *testing.T) {
			all := &patience{Context: context.Background(), until: 1 << 30}
			h.compile(all)
			assert.Less(t, all.largest, uint64(most))
			half := &patience{Context: context.Background(), until: all.asked / 2}
			codes, _ := h.compile(half)
			require.NotEmpty(t, codes) // a program that had errors before ends with those
			assert.LessOrEqual(t, half.asked, half.until+4)
		})
	}
}
