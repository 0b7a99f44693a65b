package msl

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/lower"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// field is arithmetic modulo a 256-bit prime, as in hashes and proofs: Montgomery products of limbs
// in loops that call functions, and an inversion by a chain of products unrolled by templates.
const field = `#include <metal_stdlib>
using namespace metal;
struct Field { uint limb[8]; };
constant uint prime[8] = {0x1, 0, 0, 0, 0, 0, 0x11, 0x08000000};
inline uint2 mac(uint a, uint b, uint c, uint carry) {
  ulong t = ulong(a) + ulong(b) * ulong(c) + ulong(carry);
  return uint2(uint(t), uint(t >> 32));
}
template <int I> inline void row(thread uint *t, uint a, thread const Field &b) {
  uint2 r = uint2(0);
  r = mac(t[0], a, b.limb[0], 0); t[0] = r.x;
  r = mac(t[1], a, b.limb[1], r.y); t[1] = r.x;
  r = mac(t[2], a, b.limb[2], r.y); t[2] = r.x;
  r = mac(t[3], a, b.limb[3], r.y); t[3] = r.x;
  r = mac(t[4], a, b.limb[4], r.y); t[4] = r.x;
  r = mac(t[5], a, b.limb[5], r.y); t[5] = r.x;
  r = mac(t[6], a, b.limb[6], r.y); t[6] = r.x;
  r = mac(t[7], a, b.limb[7], r.y); t[7] = r.x;
  t[8] += r.y;
}
inline Field product(Field a, Field b) {
  uint t[9] = {};
  row<0>(t, a.limb[0], b); row<1>(t, a.limb[1], b); row<2>(t, a.limb[2], b); row<3>(t, a.limb[3], b);
  row<4>(t, a.limb[4], b); row<5>(t, a.limb[5], b); row<6>(t, a.limb[6], b); row<7>(t, a.limb[7], b);
  Field r;
  for (int i = 0; i < 8; i++) { r.limb[i] = t[i] - prime[i] * t[8]; }
  return r;
}
template <int N> inline Field power(Field a) {
  if constexpr (N == 0) { return a; } else { return product(power<N - 1>(a), a); }
}
kernel void invert(device Field *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = power<200>(x[i]); }
`

// lowered lowers a program's entry points with budgets.
func lowered(t *testing.T, text string, opts lower.Options) (*ir.Module, []diag.Diagnostic) {
	files, sink := diag.NewFileSet(), diag.NewSink()
	file := parse.File(files, pp.Process(files, files.AddFile("field.metal", text), pp.Options{}, sink), sink)
	prog := check.Program(files, file, check.Options{}, sink)
	require.Zero(t, sink.Errors())
	return lower.Program(context.Background(), prog, opts, sink), sink.Diagnostics()
}

// TestBudget compiles arithmetic that is large after inlining but small in memory.
func TestBudget(t *testing.T) {
	failOnInternal(t)
	m, diags := Compile(context.Background(), Source{Text: field}, Options{Verify: true})
	require.Empty(t, diags, "%s", render(t, m, diags))
	require.Len(t, m.IR.Funcs, 1)
	assert.Less(t, m.IR.Funcs[0].Bytes(), int64(128<<20))

	for _, c := range []struct {
		name    string
		opts    lower.Options
		message string
	}{
		{"steps of an entry point", lower.Options{Kernel: budget.Limits{Steps: 1 << 19}},
			"entry point 'invert' is too large with its calls inlined: the budget of entry point 'invert' is " +
				"524288 operations, and 524289 were reached"},
		{"steps of all", lower.Options{Total: budget.Limits{Steps: 1000}},
			"entry point 'invert' is too large with its calls inlined: the budget of all entry points is " +
				"1000 operations, and 1001 were reached"},
		{"bytes of an entry point", lower.Options{Kernel: budget.Limits{Bytes: 1 << 20}},
			"the budget of entry point 'invert' is 1048576 bytes of operations, and 10"},
		{"bytes of all", lower.Options{Total: budget.Limits{Bytes: 1 << 20}},
			"the budget of all entry points is 1048576 bytes of operations, and 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, diags := lowered(t, field, c.opts)
			assert.Empty(t, m.Funcs)
			require.Len(t, diags, 1)
			assert.Equal(t, diag.InlineSize, diags[0].Code)
			assert.Contains(t, diags[0].Message, c.message)
		})
	}
}

// TestBudgetOfUnit: entry points lowered on demand share the total budget, and one lowered
// repeatedly is charged once.
func TestBudgetOfUnit(t *testing.T) {
	const text = "inline int f(int x) { return x * x + 1; }\n" +
		"kernel void a(device int *p [[buffer(0)]]) { *p = f(*p); }\n" +
		"kernel void b(device int *p [[buffer(0)]]) { *p = f(f(f(f(f(f(f(*p))))))); }\n" +
		"kernel void c(device int *p [[buffer(0)]]) { *p = f(*p); }\n"
	files, sink := diag.NewFileSet(), diag.NewSink()
	file := parse.File(files, pp.Process(files, files.AddFile("unit.metal", text), pp.Options{}, sink), sink)
	prog := check.Program(files, file, check.Options{}, sink)
	require.Len(t, prog.Kernels, 3)
	u := lower.NewUnit(prog, lower.Options{Total: budget.Limits{Steps: 40}})
	ctx := context.Background()
	for range 9 {
		require.NotNil(t, u.Kernel(ctx, prog.Kernels[0], sink))
	}
	require.Empty(t, sink.Diagnostics())
	assert.Nil(t, u.Kernel(ctx, prog.Kernels[1], sink))
	require.Len(t, sink.Diagnostics(), 1)
	assert.Contains(t, sink.Diagnostics()[0].Message, "the budget of all entry points is 40 operations")
}

// TestBudgetOfEach: an entry point that is too large does not use up the budgets of the others, and
// all together have a total budget.
func TestBudgetOfEach(t *testing.T) {
	const text = "inline int f(int x) { return x * x + 1; }\n" +
		"kernel void small(device int *p [[buffer(0)]]) { *p = f(*p); }\n" +
		"kernel void large(device int *p [[buffer(0)]]) { *p = f(f(f(f(f(f(f(f(*p)))))))); }\n" +
		"kernel void last(device int *p [[buffer(0)]]) { *p = f(*p); }\n"
	names := func(m *ir.Module) (out []string) {
		for _, f := range m.Funcs {
			out = append(out, f.Name)
		}
		return out
	}
	m, diags := lowered(t, text, lower.Options{Kernel: budget.Limits{Steps: 40}})
	assert.Len(t, diags, 1)
	assert.Equal(t, []string{"small", "last"}, names(m))
	m, diags = lowered(t, text, lower.Options{Total: budget.Limits{Steps: 40}})
	require.Len(t, diags, 1)
	assert.Contains(t, diags[0].Message, "the budget of all entry points is 40 operations")
	assert.Equal(t, []string{"small"}, names(m), "what comes after it is left out")
}
