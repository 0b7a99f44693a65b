package gokernel

import (
	"fmt"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The declarations of packages of the standard library equal those of the library itself.
func TestStandardStubs(t *testing.T) {
	if build.Default.GOROOT == "" {
		t.Skip("the test was built with -trimpath, and does not know where Go is")
	}
	for _, path := range []string{"iter", "math", "math/bits", "sync/atomic"} {
		real, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import(path)
		require.NoError(t, err)
		stub, err := newLoader(os.DirFS("."), nil).Import(path)
		require.NoError(t, err)
		for _, name := range stub.Scope().Names() {
			want, have := real.Scope().Lookup(name), stub.Scope().Lookup(name)
			require.NotNil(t, want, "%s.%s", path, name)
			if _, ok := have.(*types.TypeName); ok { // a type of each package
				require.Equal(t, want.String(), have.String())
				continue
			}
			require.True(t, types.Identical(want.Type(), have.Type()), "%v, want %v", have, want)
			if c, ok := have.(*types.Const); ok {
				require.Equal(t, want.(*types.Const).Val().ExactString(), c.Val().ExactString(), "%s.%s", path, name)
			}
		}
	}
}

// The declarations of packages kernel and simd are those of the packages. PUREMETAL_UPDATE=1 writes
// them.
func TestOwnStubs(t *testing.T) {
	for _, path := range []string{kernelPath, simdPath} {
		dir := filepath.Base(path)
		l := newLoader(os.DirFS("../.."), nil)
		l.findModule(dir)
		p, err := l.read(dir, path)
		require.NoError(t, err)
		want := stubText(p.types)
		if os.Getenv("PUREMETAL_UPDATE") != "" {
			require.NoError(t, os.WriteFile(stubOf(path), []byte(want), 0o644))
			continue
		}
		have, err := stubs.ReadFile(stubOf(path))
		require.NoError(t, err)
		require.Equal(t, want, string(have), "run PUREMETAL_UPDATE=1 go test ./internal/gokernel -run TestOwnStubs")
	}
}

// stubText returns the exported declarations of a package, without what functions do. Types of a
// package in its folder, which it has under another name, are its own.
func stubText(p *types.Package) string {
	var b strings.Builder
	imports := map[string]bool{}
	own := func(q *types.Package) string {
		if q == p || strings.HasPrefix(q.Path(), p.Path()+"/") {
			return ""
		}
		imports[q.Path()] = true
		return q.Name()
	}
	function := func(recv string, f *types.Func) {
		sig := types.TypeString(f.Type(), own)
		if strings.Contains(sig, "invalid type") { // of a package that kernels cannot use
			return
		}
		fmt.Fprintf(&b, "func %s%s%s { panic(0) }\n", recv, f.Name(), strings.TrimPrefix(sig, "func"))
	}
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Func:
			if o.Exported() {
				function("", o)
			}
		case *types.Const:
			if o.Exported() {
				fmt.Fprintf(&b, "const %s %s = %s\n", name, types.TypeString(o.Type(), own), o.Val().ExactString())
			}
		case *types.TypeName:
			if !o.Exported() && !types.IsInterface(o.Type()) {
				continue
			}
			named, ok := types.Unalias(o.Type()).(*types.Named)
			if !ok || o.IsAlias() && own(named.Obj().Pkg()) != "" || named.Obj().Name() != name { // another name
				fmt.Fprintf(&b, "type %s = %s\n", name, types.TypeString(types.Unalias(o.Type()), own))
				continue
			}
			var params []string
			for i := range named.TypeParams().Len() {
				q := named.TypeParams().At(i)
				params = append(params, q.Obj().Name()+" "+types.TypeString(q.Constraint(), own))
			}
			list := ""
			if len(params) > 0 {
				list = "[" + strings.Join(params, ", ") + "]"
			}
			under := ""
			if s, ok := named.Underlying().(*types.Struct); ok {
				under = exportedFields(s, own)
			} else {
				under = types.TypeString(named.Underlying(), own)
			}
			fmt.Fprintf(&b, "type %s%s %s\n", name, list, under)
			for i := range named.NumMethods() {
				if m := named.Method(i); m.Exported() {
					recv := types.TypeString(m.Type().(*types.Signature).Recv().Type(), own)
					function("("+recv+") ", m)
				}
			}
		}
	}
	head := fmt.Sprintf("package %s\n\n", p.Name())
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		head += fmt.Sprintf("import %q\n", path)
	}
	return head + b.String()
}

// exportedFields returns a structure without what belongs to its package, but with its padding.
func exportedFields(s *types.Struct, own types.Qualifier) string {
	var fields []string
	for i := range s.NumFields() {
		if f := s.Field(i); f.Exported() || f.Name() == "_" {
			fields = append(fields, f.Name()+" "+types.TypeString(f.Type(), own))
		}
	}
	return "struct{" + strings.Join(fields, "; ") + "}"
}
