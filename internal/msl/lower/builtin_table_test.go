package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
)

// TestLoweringRows checks that each operation in stdlib.def has a row with exactly what its way of
// lowering needs.
func TestLoweringRows(t *testing.T) {
	require.Len(t, lowerings, builtin.NumOps())
	assert.Equal(t, lowering{}, lowerings[builtin.OpInvalid])
	assert.Equal(t, &lowerings[builtin.OpInvalid], loweringOf(builtin.Op(builtin.NumOps())))
	for op := builtin.OpInvalid + 1; int(op) < builtin.NumOps(); op++ {
		row := loweringOf(op)
		assert.True(t, row.how > noLowering && row.how <= refused, "%v has no row", op)
		assert.Equal(t, row.how == oneOp || row.how == laneOp || row.how == fillOp, row.op != ir.OpInvalid, op)
		if row.how != byAtomic {
			assert.Equal(t, row.how == oneOpByType, row.ops != ops{}, op)
		}
		if row.how == laneOp || row.how == fillOp {
			assert.True(t, row.op.AmongLanes(), op)
			assert.Equal(t, strings.HasPrefix(op.String(), "Quad"), row.op.Group() == ir.QuadOps, op)
		}
		assert.Equal(t, row.how == byPacking, entry(packFormats[:], op).widths != nil, op)
	}
}

// TestLoweringRefused checks that exactly the rows of functions that package check rejects or
// replaces have no lowering.
func TestLoweringRefused(t *testing.T) {
	unsupported, special := map[builtin.Op]bool{}, map[builtin.Op]bool{}
	all := builtin.All()
	for i := range all {
		f := &all[i]
		if before, seen := unsupported[f.Op]; !seen || before {
			unsupported[f.Op] = f.Flags.Has(builtin.Unsupported)
		}
		special[f.Op] = special[f.Op] || f.Flags.Has(builtin.Special)
	}
	for op := builtin.OpInvalid + 1; int(op) < builtin.NumOps(); op++ {
		switch h := loweringOf(op).how; {
		case unsupported[op]:
			assert.Equal(t, refused, h, op)
		case h == refused, h == inCheck:
			assert.True(t, special[op], "%v would reach lowering", op)
		}
	}
}

// TestLoweringMethods checks that the method given by a row has a case for the operation, and that
// no method has cases for other operations.
func TestLoweringMethods(t *testing.T) {
	methods := map[how][]string{byMath: {"math"}, byInteger: {"integer"}, byRelation: {"relation"},
		byGeometry: {"geometry"},
		byArray:    {"array"}, byThread: {"thread"}, byAtomic: {"atomic"}, byMatrix: {"matrix"}, byTexture: {"texture"},
		byCommand: {"command", "commandOp"}, byTable: {"table"}, byLibrary: {"library"}}
	cases := casesByFunc(t)
	for h, names := range methods {
		has := map[string]bool{}
		for _, name := range names {
			require.NotEmpty(t, cases[name], name)
			for op := range cases[name] {
				has[op] = true
			}
		}
		for op := builtin.OpInvalid + 1; int(op) < builtin.NumOps(); op++ {
			row := loweringOf(op)
			want := row.how == h && (h != byAtomic || row.ops == ops{}) // atomic takes other operations from the row
			assert.Equal(t, want, has["Op"+op.String()], "%v in %v", op, names)
		}
	}
}

// casesByFunc returns the operations of package builtin for which the functions of this package and
// the methods of libCall have cases.
func casesByFunc(t *testing.T) map[string]map[string]bool {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	out := map[string]map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil && receiver(f) != "libCall" {
				continue
			}
			out[f.Name.Name] = map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				if clause, ok := n.(*ast.CaseClause); ok {
					for _, x := range clause.List {
						if s, ok := x.(*ast.SelectorExpr); ok {
							if p, ok := s.X.(*ast.Ident); ok && p.Name == "builtin" {
								out[f.Name.Name][s.Sel.Name] = true
							}
						}
					}
				}
				return true
			})
		}
	}
	return out
}

func receiver(f *ast.FuncDecl) string {
	if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
		if id, ok := star.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}
