package lint

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startupCalls are the calls that may initialize a package-level variable: they look nothing up and
// cannot fail.
var startupCalls = map[string]bool{
	"errors.New": true, "sync.OnceFunc": true, "sync.OnceValue": true, "sync.OnceValues": true,
	"reflect.TypeFor": true, "time.Duration": true,
	"unsafe.Sizeof": true, "unsafe.Offsetof": true, "unsafe.Alignof": true, "unsafe.Pointer": true,
}

// startupTools are the folders whose code runs in this project's commands and tests only, where a
// pattern may be compiled and a map be filled up front.
var startupTools = []string{"cmd", "internal/bindgen", "internal/test/bindtest", "internal/msl/builtin/internal"}

// startupAllowed names variables, as file:name, that are initialized by another call, each with its
// reason.
var startupAllowed = map[string]string{}

// predeclared are the built-in functions and types whose call form does no work worth a rule.
var predeclared = func() map[string]bool {
	m := make(map[string]bool)
	for _, name := range strings.Fields("new make len cap min max real imag complex bool string error any byte rune " +
		"int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128") {
		m[name] = true
	}
	return m
}()

// noStartup: loading a package does nothing. No func init, and no variable initialized by a call or
// by a map, which is filled then.
func noStartup(tr *tree) (bad []string) {
	types := declaredTypes(tr)
	for _, f := range tr.gos {
		if f.isTest() {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					bad = append(bad, tr.at(f, d.Pos(), "func init: loading a package does nothing; do it at first use"))
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, s := range d.Specs {
					spec := s.(*ast.ValueSpec)
					if _, ok := startupAllowed[f.path+":"+spec.Names[0].Name]; ok {
						continue
					}
					for _, v := range spec.Values {
						for _, pos := range startupWork(f, types, v) {
							bad = append(bad, tr.at(f, pos,
								"variable %s is initialized by a call or a map: loading a package does nothing; use sync.OnceValue or do it at first use", spec.Names[0].Name))
						}
					}
				}
			}
		}
	}
	return bad
}

// startupWork returns the calls, map literals and channel receives that evaluating e runs. Function
// literals only wait to be called.
func startupWork(f *goFile, types map[string]bool, e ast.Expr) (work []token.Pos) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			if _, ok := n.Type.(*ast.MapType); ok && !startupTool(f) {
				work = append(work, n.Pos())
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				work = append(work, n.Pos())
			}
		case *ast.CallExpr:
			if !startupCallAllowed(f, types, n.Fun) {
				work = append(work, n.Pos())
			}
		}
		return true
	})
	return work
}

func startupTool(f *goFile) bool {
	return slices.ContainsFunc(startupTools, func(dir string) bool { return within(f.path, dir) })
}

func startupCallAllowed(f *goFile, types map[string]bool, fun ast.Expr) bool {
	switch fun := fun.(type) {
	case *ast.ParenExpr:
		return startupCallAllowed(f, types, fun.X)
	case *ast.IndexExpr:
		return startupCallAllowed(f, types, fun.X)
	case *ast.IndexListExpr:
		return startupCallAllowed(f, types, fun.X)
	case *ast.ArrayType, *ast.StarExpr, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.ChanType, *ast.StructType:
		return true // a conversion
	case *ast.Ident:
		return predeclared[fun.Name] || types[f.dir()+"."+fun.Name]
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		if !ok {
			return false
		}
		for imp, spec := range f.imports() {
			name := path.Base(imp)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if name != x.Name {
				continue
			}
			q := imp + "." + fun.Sel.Name
			if q == "regexp.MustCompile" && startupTool(f) {
				return true
			}
			return startupCalls[q] || types[strings.TrimPrefix(q, module+"/")]
		}
	}
	return false
}

// declaredTypes returns the types declared at package level, as folder.Name.
func declaredTypes(tr *tree) map[string]bool {
	types := make(map[string]bool)
	for _, f := range tr.gos {
		for _, decl := range f.ast.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					types[f.dir()+"."+s.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	return types
}

func TestNoStartup(t *testing.T) { holds(t, noStartup) }

// TestStartupAllowedUsed keeps the table of exceptions no longer than it has to be.
func TestStartupAllowedUsed(t *testing.T) {
	tr, err := loadTree()
	require.NoError(t, err)
	for entry, reason := range startupAllowed {
		assert.NotEmpty(t, reason, "exception %s has no reason", entry)
		file, name, _ := strings.Cut(entry, ":")
		found := false
		for _, f := range tr.gos {
			found = found || f.path == file && f.ast.Scope != nil && f.ast.Scope.Lookup(name) != nil
		}
		assert.True(t, found, "exception %s names nothing", entry)
	}
}

func TestNoStartupSeen(t *testing.T) {
	sees(t, noStartup, []breach{
		{"allowed", map[string]string{
			"objc/a.go": `package objc
import ("errors"; "sync"; "unsafe")
type Version uint16
var ErrA = errors.New("a")
var v, w = Version(3), uint64(len("x"))
var once = sync.OnceValue(func() int { return open() })
var table = [...]func() int{open, func() int { return open() }}
var m = make(map[string]int)
var size = unsafe.Sizeof(v)
var p = (*int)(nil)
func open() int { return 0 }
type T struct{}
func (T) init() {}
`,
			"mtl/a.go":         "package mtl\nimport \"" + module + "/objc\"\nvar since = objc.Version(1)\n",
			"mtl/a_test.go":    "package mtl\nimport \"os\"\nvar e = os.Getenv(\"X\")\nfunc init() {}\n",
			"cmd/bindgen/a.go": "package main\nimport \"regexp\"\nvar re = regexp.MustCompile(`x`)\nvar m = map[string]int{`x`: 1}\n",
		}, nil},
		{"maps", map[string]string{"a/a.go": `package a
var names = [...]string{0: "a"}
var codes = map[string]int{"a": 1}
var nested = []any{map[int]int{1: 2}}
func f() map[int]int { return map[int]int{1: 2} }
`}, []string{"a/a.go:3: variable codes", "a/a.go:4: variable nested"}},
		{"init", map[string]string{"a/a.go": "package a\n\nfunc init() {}\n"}, []string{"a/a.go:3: func init"}},
		{"calls", map[string]string{"a/a.go": `package a
import ("os"; "regexp"; "fmt")
var env = os.Getenv("X")
var re = regexp.MustCompile("x")
var err = fmt.Errorf("x")
var own = struct{ n int }{open()}
var now = func() int { return 1 }()
func open() int { return 0 }
var ch chan int
var got = <-ch
`}, []string{"a/a.go:3: variable env", "a/a.go:4: variable re", "a/a.go:5: variable err", "a/a.go:6: variable own", "a/a.go:7: variable now", "a/a.go:10: variable got"}},
		{"a method and a renamed import", map[string]string{"a/a.go": `package a
import x "errors"
type T int
func (T) M() int { return 0 }
var ok = x.New("fine")
var bad = T(1).M()
`}, []string{"a/a.go:6: variable bad"}},
	})
}
