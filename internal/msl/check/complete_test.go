package check

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// checkComplete checks that an accepted program satisfies the invariants of package typed: it
// contains no nodes internal to the checker, and operands, initializers and results have the types
// they are used as.
func checkComplete(t *testing.T, p *typed.Program) {
	t.Helper()
	for _, k := range p.Kernels {
		require.NotEmpty(t, k.HostName)
		// Lowering reports an entry point that is declared but not defined.
		require.Equal(t, k.Func.Body != nil, slices.Contains(p.Functions, k.Func), "%s among the functions", k.HostName)
	}
	for _, f := range p.Functions {
		require.NotNil(t, f.Body, f.Linkage)
		typed.InspectBlock(f.Body, func(e typed.Expr) {
			require.NotNil(t, e.Type(), "%s: %T without a type", f.Linkage, e)
			switch e := e.(type) {
			case *badExpr, *typeOperand, *overload, *initList:
				t.Fatalf("%s: %T is left", f.Linkage, e)
			case *typed.Load:
				require.True(t, e.X.Base().LValue, "%s: a load of what is no lvalue: %T", f.Linkage, e.X)
			case *typed.Assign:
				require.True(t, e.X.Base().LValue, f.Linkage)
				require.Equal(t, e.X.Type(), e.Y.Type(), "%s: assignment", f.Linkage)
			case *typed.Binary:
				checkOperands(t, f, e)
			case *typed.Call:
				// A variadic function takes more arguments, of any type.
				require.GreaterOrEqual(t, len(e.Args), len(e.Func.Params), "%s calls %s", f.Linkage, e.Func.Linkage)
				for i, p := range e.Func.Params {
					require.Equal(t, p.Type, e.Args[i].Type(), "%s calls %s", f.Linkage, e.Func.Linkage)
				}
			}
		}, func(s typed.Stmt) {
			switch s := s.(type) {
			case *typed.VarDecl:
				if s.Init != nil {
					require.Equal(t, s.Var.Type, s.Init.Type(), "%s: initializer of %s", f.Linkage, s.Var.Name)
				}
			case *typed.If:
				require.Equal(t, types.Type(types.Bool), s.Cond.Type(), f.Linkage)
			case *typed.Return:
				if s.X != nil {
					require.Equal(t, f.Result, s.X.Type(), "%s returns", f.Linkage)
				}
			}
		})
	}
}

func checkOperands(t *testing.T, f *typed.Func, e *typed.Binary) {
	t.Helper()
	_, matrixX := e.X.Type().(*types.Matrix)
	_, matrixY := e.Y.Type().(*types.Matrix)
	if e.Op == types.Shl || e.Op == types.Shr || e.Op == types.Mul && (matrixX || matrixY) {
		return
	}
	if _, pointer := e.X.Type().(*types.Pointer); pointer {
		return // a pointer may be compared with one to the same type that differs in const
	}
	require.Equal(t, e.X.Type(), e.Y.Type(), "%s: operands of %v", f.Linkage, e.Op)
}
