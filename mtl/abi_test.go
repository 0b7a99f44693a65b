package mtl

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/abitest"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These tests compare everything this package binds with the ABI tables: methods, structures and
// constants. Where PUREMETAL_ABI_OUT names a folder, what was compared is written there for other
// tools to read.

func TestABIMethods(t *testing.T) {
	tables := abitest.Load(t)
	type entry struct {
		Class           string `json:"class"`
		Selector        string `json:"selector"`
		ClassMethod     bool   `json:"class_method"`
		Encoding        string `json:"encoding"`
		ReturnsRetained bool   `json:"returns_retained"`
		Params          int    `json:"params"`
	}
	var listing []entry
	seen := make(map[string]bool)
	bad := 0
	differ := func(m *objc.Method, format string, args ...any) {
		bad++
		t.Errorf("%s: %s", m.Name(), fmt.Sprintf(format, args...))
	}
	for i := range zmethods {
		m := &zmethods[i]
		if seen[m.Name()] {
			differ(m, "bound twice")
		}
		seen[m.Name()] = true
		listing = append(listing, entry{m.Class, m.Selector, m.IsClassMethod, m.Encoding, m.Retained,
			strings.Count(m.Selector, ":")})

		want, owner := tables.Method(m.Class, m.Selector, m.IsClassMethod)
		if want == nil {
			differ(m, "not in the tables")
			continue
		}
		if want.Unavailable {
			differ(m, "declared unavailable")
		}
		if m.Encoding != want.Encoding {
			differ(m, "encoding %s, the tables have %s", m.Encoding, want.Encoding)
		}
		if got := typeenc.ForAMD64(m.Encoding); got != want.X86() {
			differ(m, "x86_64 encoding %s, the tables have %s", got, want.X86())
		}
		if m.Retained != want.ReturnsRetained {
			differ(m, "retained is %v, the tables have %v", m.Retained, want.ReturnsRetained)
		}
		if since := tableVersion(t, want.Introduced); since != 0 && m.Since != since {
			differ(m, "since %v, the tables have %v", m.Since, since)
		}
		if class := tables.Class(m.Class); m.Protocol != (class.Kind == "protocol") {
			differ(m, "protocol is %v, but %s is a %s", m.Protocol, m.Class, class.Kind)
		}
		if got := strings.Count(m.Selector, ":"); got != len(want.Params) {
			differ(m, "%d parameters, %s declares %d", got, owner.Name, len(want.Params))
		}
	}
	require.NotEmpty(t, listing)
	t.Logf("%d bound methods compared with the tables, %d differences", len(listing), bad)
	writeABI(t, "listing.json", listing)
}

// TestABIFunctions compares the C functions, and the classes and constants by their names and
// versions.
func TestABIFunctions(t *testing.T) {
	tables := abitest.Load(t)
	for i := range zfunctions {
		f := &zfunctions[i]
		want := tables.Function(f.Name)
		if assert.NotNil(t, want, "function %s is not in the tables", f.Name) {
			assert.Equal(t, want.Encoding, f.Encoding, "function %s: encoding", f.Name)
			assert.False(t, want.Inline, "function %s has no symbol", f.Name)
			assert.Equal(t, want.ReturnsRetained, f.Retained, "function %s: retained", f.Name)
			if since := tableVersion(t, want.Introduced); since != 0 {
				assert.Equal(t, since, f.Since, "function %s: since", f.Name)
			}
		}
	}
	for i := range zconstants {
		c := &zconstants[i]
		want := tables.Constant(c.Name)
		if assert.NotNil(t, want, "constant %s is not in the tables", c.Name) {
			assert.True(t, want.Symbol, "constant %s has no symbol", c.Name)
			if since := tableVersion(t, want.Introduced); since != 0 {
				assert.Equal(t, since, c.Since, "constant %s: since", c.Name)
			}
		}
	}
	for i := range zclasses {
		c := &zclasses[i]
		if want := tables.Class(c.Name); assert.NotNil(t, want, "class %s is not in the tables", c.Name) {
			assert.Equal(t, "class", want.Kind, c.Name)
		}
	}
	t.Logf("%d functions, %d constants behind symbols and %d classes compared with the tables", len(zfunctions),
		len(zconstants), len(zclasses))
}

// TestABIComplete: everything of Metal in the tables is bound, or zskipped.txt lists it with the
// reason.
func TestABIComplete(t *testing.T) {
	tables := abitest.Load(t)
	skipped := skippedNames(t)
	bound := make(map[string]bool)
	for i := range zclasses {
		bound["-["+zclasses[i].Name+" init]"] = true // ClassRef.New sends it
	}
	for i := range zmethods {
		m := &zmethods[i]
		bound[m.Name()] = true
		assert.False(t, skipped[m.Name()], "%s is bound and skipped", m.Name())
	}
	for i := range zfunctions {
		bound["function "+zfunctions[i].Name] = true
	}
	missing, left := 0, 0
	check := func(name string, have bool) {
		switch {
		case have:
		case skipped[name]:
			left++
		default:
			missing++
			t.Errorf("%s is neither bound nor skipped with a reason", name)
		}
	}
	metal := tables.Framework("Metal")
	for _, c := range metal.Classes {
		switch {
		case !strings.HasPrefix(c.Name, "MTL"):
			continue // Metal's additions to classes of other frameworks
		case skipped[c.Kind+" "+c.Name]:
			left += len(c.Methods)
			continue
		}
		lineage := tables.Lineage(c.Name)
		for _, m := range c.Methods {
			name := func(class string) string {
				return (&objc.Method{Class: class, Selector: m.Selector, IsClassMethod: m.ClassMethod}).Name()
			}
			// A wrapper embeds what it inherits from, so a method declared again there is bound once.
			have := slices.ContainsFunc(lineage, func(up *abitest.Class) bool { return bound[name(up.Name)] })
			check(name(c.Name), have || m.Unavailable)
		}
	}
	for _, f := range metal.Functions {
		check("function "+f.Name, bound["function "+f.Name])
	}
	t.Logf("%d methods and %d functions bound, %d left out with a reason, %d missing", len(zmethods), len(zfunctions),
		left, missing)
}

// skippedNames returns what zskipped.txt lists: methods by their names, the rest as "enum
// MTLWinding".
func skippedNames(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("zskipped.txt")
	require.NoError(t, err)
	skipped := make(map[string]bool)
	for _, line := range strings.Split(string(text), "\n") {
		name, reason, ok := strings.Cut(line, "  ")
		if ok && assert.NotEmpty(t, strings.TrimSpace(reason), "%s: no reason", name) {
			skipped[name] = true
		}
	}
	return skipped
}

func TestABIStructs(t *testing.T) {
	tables := abitest.Load(t)
	pkg, _ := checkPackage(t)
	type layout struct {
		Size    int64   `json:"size"`
		Align   int64   `json:"align"`
		Offsets []int64 `json:"offsets"`
	}
	out := make(map[string]layout)
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		st, ok := obj.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		want := tables.Struct(tableTypeName(name, func(n string) bool { return tables.Struct(n) != nil }))
		if want == nil {
			continue // a wrapper or a Go type of our own
		}
		fields := make([]*types.Var, st.NumFields())
		for i := range fields {
			fields[i] = st.Field(i)
		}
		for _, arch := range []string{"amd64", "arm64"} {
			sizes := types.SizesFor("gc", arch)
			got := layout{sizes.Sizeof(obj.Type()), sizes.Alignof(obj.Type()), sizes.Offsetsof(fields)}
			assert.EqualValues(t, want.Size, got.Size, "%s: size on %s", want.Name, arch)
			assert.EqualValues(t, want.Align, got.Align, "%s: alignment on %s", want.Name, arch)
			if !assert.Len(t, got.Offsets, len(want.Fields), "%s: fields", want.Name) {
				continue
			}
			for i, f := range want.Fields {
				assert.EqualValues(t, f.Offset, got.Offsets[i], "%s.%s: offset on %s", want.Name, f.Name, arch)
				assert.True(t, strings.EqualFold(strings.TrimPrefix(f.Name, "_"), fields[i].Name()),
					"%s: field %d is %s, the tables have %s", want.Name, i, fields[i].Name(), f.Name)
			}
			out[want.Name] = got
		}
	}
	require.NotEmpty(t, out)
	skipped := skippedNames(t)
	for _, s := range tables.Framework("Metal").Structs {
		assert.True(t, out[s.Name].Size > 0 || skipped["struct "+s.Name],
			"struct %s is neither bound nor skipped with a reason", s.Name)
	}
	t.Logf("%d structures compared with the tables", len(out))
	writeABI(t, "structs.json", out)
}

func TestABIEnums(t *testing.T) {
	tables := abitest.Load(t)
	pkg, fset := checkPackage(t)
	out := make(map[string]json.Number)
	enums := make(map[string]bool)
	plain := 0
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !c.Exported() || !strings.HasPrefix(filepath.Base(fset.Position(c.Pos()).Filename), "z") {
			continue // Metal's constants are all generated
		}
		named, ok := types.Unalias(c.Type()).(*types.Named)
		if !ok {
			plain++
			comparePlain(t, tables, c)
			continue
		}
		typeName := named.Obj().Name()
		enum := tables.Enum(tableTypeName(typeName, func(n string) bool { return tables.Enum(n) != nil }))
		if enum == nil {
			t.Errorf("constant %s: its type %s is no enumeration of the tables", name, typeName)
			continue
		}
		if !enums[enum.Name] {
			enums[enum.Name] = true
			assert.EqualValues(t, enum.Size, types.SizesFor("gc", "arm64").Sizeof(named), "%s: size", enum.Name)
		}
		i := slices.IndexFunc(enum.Members, func(m abitest.Member) bool { return namesConstant(name, m.Name) })
		if i < 0 {
			t.Errorf("constant %s: %s has no such member", name, enum.Name)
			continue
		}
		m := enum.Members[i]
		got := constantBits(c.Val())
		assert.Equal(t, tableBits(t, m.Value, enum.Size), truncate(got, enum.Size), "%s: is %s, the tables have %s", m.Name,
			c.Val(), m.Value)
		out[m.Name] = json.Number(c.Val().ExactString())
	}
	require.NotEmpty(t, out)
	for name := range enums {
		for _, m := range tables.Enum(name).Members {
			assert.Contains(t, out, m.Name, "%s lacks a member", name)
		}
	}
	skipped := skippedNames(t)
	for _, e := range tables.Framework("Metal").Enums {
		assert.True(t, enums[e.Name] || skipped["enum "+e.Name], "enum %s is neither bound nor skipped with a reason", e.Name)
	}
	t.Logf("%d constants of %d enumerations and %d plain ones compared with the tables", len(out), len(enums), plain)
	writeABI(t, "enums.json", out)
}

// comparePlain compares a constant that belongs to no enumeration.
func comparePlain(t *testing.T, tables *abitest.Tables, c *types.Const) {
	t.Helper()
	name := "MTL" + c.Name()
	if c.Name() == "TensorMaxRank" {
		name = "MTL_TENSOR_MAX_RANK"
	}
	want := tables.Constant(name)
	if assert.NotNil(t, want, "constant %s is not in the tables", name) {
		assert.Equal(t, string(want.Value), c.Val().ExactString(), name)
	}
}

// tableTypeName returns the Objective-C name of a Go type: MTL4Name for Name4, NSName for a
// Foundation type, else MTLName.
func tableTypeName(name string, known func(string) bool) string {
	if base, ok := strings.CutSuffix(name, "4"); ok && known("MTL4"+base) {
		return "MTL4" + base
	}
	if known("NS" + name) {
		return "NS" + name
	}
	return "MTL" + name
}

// namesConstant reports whether name is the Go name of a Metal constant: without MTL, and with the
// 4 of MTL4 where the name of its type has it.
func namesConstant(name, metal string) bool {
	rest, ok := strings.CutPrefix(metal, "MTL4")
	if !ok {
		return name == strings.TrimPrefix(metal, "MTL")
	}
	for i := range rest {
		if name == rest[:i+1]+"4"+rest[i+1:] {
			return true
		}
	}
	return false
}

func tableVersion(t *testing.T, s string) objc.Version {
	t.Helper()
	if s == "" {
		return 0
	}
	parts := strings.Split(s, ".")
	if len(parts) == 1 {
		parts = append(parts, "0")
	}
	major, err := strconv.Atoi(parts[0])
	require.NoError(t, err)
	minor, err := strconv.Atoi(parts[1])
	require.NoError(t, err)
	return objc.MakeVersion(major, minor)
}

func truncate(v uint64, size int) uint64 {
	if size >= 8 {
		return v
	}
	return v & (1<<(8*size) - 1)
}

func constantBits(v constant.Value) uint64 {
	if u, ok := constant.Uint64Val(v); ok {
		return u
	}
	i, _ := constant.Int64Val(v)
	return uint64(i)
}

func tableBits(t *testing.T, n json.Number, size int) uint64 {
	t.Helper()
	v := constant.MakeFromLiteral(strings.TrimPrefix(n.String(), "-"), token.INT, 0)
	require.Equal(t, constant.Int, v.Kind(), "%s is no integer", n)
	if strings.HasPrefix(n.String(), "-") {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return truncate(constantBits(v), size)
}

// checkPackage type-checks this package from source. Its imports are left out, since Metal's
// structures and constants need nothing from them.
func checkPackage(t *testing.T) (*types.Package, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	config := types.Config{Importer: noImports{}, Error: func(error) {}, IgnoreFuncBodies: true}
	pkg, _ := config.Check("mtl", fset, files, nil) // errors about the imports left out are expected
	require.NotNil(t, pkg)
	return pkg, fset
}

type noImports struct{}

// Import returns an empty package.
func (noImports) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	pkg.MarkComplete()
	return pkg, nil
}

func writeABI(t *testing.T, name string, v any) {
	t.Helper()
	dir := os.Getenv("PUREMETAL_ABI_OUT")
	if dir == "" {
		return
	}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
}
