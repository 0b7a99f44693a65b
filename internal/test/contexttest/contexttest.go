// Package contexttest checks that each exported function of a package that takes a context refuses
// one that has ended.
package contexttest

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errCause = errors.New("enough")

// Ended returns a context that was canceled, with a cause that Check knows.
func Ended(t testing.TB) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errCause)
	return ctx
}

// Check makes calls with the context that Ended returned. They have names such as "Copy" and
// "Stream.Sync", and each function of the package in the working directory whose first parameter is
// a context must be among them, apart from those that are exempt. Each call must fail with the
// package's error of canceled calls and with the context's cause.
func Check(t *testing.T, calls map[string]func() error, canceled error, exempt ...string) {
	t.Helper()
	for name, fn := range exported(t) {
		params := fn.Type.Params.List
		if len(params) == 0 || slices.Contains(exempt, name) {
			continue
		}
		if sel, ok := params[0].Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Context" {
			assert.Contains(t, calls, name, "add it to the list")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		t.Run(name, func(t *testing.T) {
			err := calls[name]()
			require.ErrorIs(t, err, canceled)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errCause)
		})
	}
}

// exported returns the package's exported functions and methods of exported types by name.
func exported(t *testing.T) map[string]*ast.FuncDecl {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	all := map[string]*ast.FuncDecl{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			if fn.Recv == nil {
				all[fn.Name.Name] = fn
			} else if receiver := typeName(fn.Recv.List[0].Type); ast.IsExported(receiver) {
				all[receiver+"."+fn.Name.Name] = fn
			}
		}
	}
	return all
}

// typeName returns "Buffer" for *Buffer[T].
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
