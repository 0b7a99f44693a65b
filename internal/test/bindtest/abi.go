package bindtest

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

	"github.com/puremetal/puremetal/internal/test/abitest"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ABI compares everything that the package binds with the ABI tables: methods, functions,
// structures and constants. That nothing of the tables is missing is tested with the generator.
// Where PUREMETAL_ABI_OUT names a folder, what was compared is written there for other tools to
// read.
func ABI(t *testing.T, b *Bindings) {
	b.prepare()
	t.Run("Methods", func(t *testing.T) { abiMethods(t, b) })
	t.Run("Implementations", func(t *testing.T) { abiImplementations(t, b) })
	t.Run("Functions", func(t *testing.T) { abiFunctions(t, b) })
	tables := abitest.Load(t)
	pkg, fset := checkPackage(t, b)
	t.Run("Structs", func(t *testing.T) { abiStructs(t, b, tables, pkg) })
	t.Run("Enums", func(t *testing.T) { abiEnums(t, b, tables, pkg, fset) })
}

func abiMethods(t *testing.T, b *Bindings) {
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
	for i := range b.Methods {
		m := &b.Methods[i]
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
		if got := amd64Encoding(m.Encoding, want); got != want.X86() {
			differ(m, "x86_64 encoding %s, the tables have %s", got, want.X86())
		}
		if m.Retained != want.ReturnsRetained {
			differ(m, "retained is %v, the tables have %v", m.Retained, want.ReturnsRetained)
		}
		since := tableVersion(t, want.Introduced)
		older := m.Since != since
		if owner.Name != m.Class { // no older than the method that it inherits, if that is known
			older = m.Since != 0 && m.Since < since
		}
		if since != 0 && older {
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

// amd64Encoding is the encoding on x86_64, where BOOL is a char and C's bool is not.
func amd64Encoding(enc string, m *abitest.Method) string {
	isBool := func(p abitest.Param) bool { return p.Type == "bool" || p.Type == "_Bool" }
	if isBool(abitest.Param{Type: m.Returns}) || slices.ContainsFunc(m.Params, isBool) {
		return enc
	}
	return typeenc.ForAMD64(enc)
}

// abiImplementations compares the protocols that Go types implement: every method, optional or
// not, with its encoding.
func abiImplementations(t *testing.T, b *Bindings) {
	tables := abitest.Load(t)
	skipped := skippedNames(t)
	n := 0
	for _, p := range b.Implementations {
		protocol := tables.Protocol(p.Protocol)
		if !assert.NotNil(t, protocol, "protocol %s is not in the tables", p.Protocol) {
			continue
		}
		have := map[string]bool{}
		for _, m := range p.Methods {
			n++
			have[m.Selector] = true
			want, _ := tables.Method(p.Protocol, m.Selector, false)
			if assert.NotNil(t, want, "%s: %s is not in the tables", p.Protocol, m.Selector) {
				assert.Equal(t, want.Encoding, m.Encoding, "%s: %s: encoding", p.Protocol, m.Selector)
				assert.Equal(t, want.X86(), amd64Encoding(m.Encoding, want), "%s: %s: x86_64 encoding", p.Protocol,
					m.Selector)
				assert.Equal(t, want.Optional, m.Has != nil, "%s: %s: optional", p.Protocol, m.Selector)
			}
		}
		for _, m := range protocol.Methods {
			name := (&objc.Method{Class: p.Protocol, Selector: m.Selector, IsClassMethod: m.ClassMethod}).Name()
			assert.True(t, have[m.Selector] || skipped[name] || m.ClassMethod || recording.IsInit(m.Selector),
				"%s is neither implemented nor skipped with a reason", name)
		}
	}
	t.Logf("%d methods of %d protocols compared with the tables", n, len(b.Implementations))
}

// abiFunctions compares the C functions, and the classes and constants by their names and
// versions.
func abiFunctions(t *testing.T, b *Bindings) {
	tables := abitest.Load(t)
	for i := range b.Functions {
		f := &b.Functions[i]
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
	for i := range b.Constants {
		c := &b.Constants[i]
		want := tables.Constant(c.Name)
		if assert.NotNil(t, want, "constant %s is not in the tables", c.Name) {
			assert.True(t, want.Symbol, "constant %s has no symbol", c.Name)
			if since := tableVersion(t, want.Introduced); since != 0 {
				assert.Equal(t, since, c.Since, "constant %s: since", c.Name)
			}
		}
	}
	for i := range b.Classes {
		c := &b.Classes[i]
		if want := tables.Class(c.Name); assert.NotNil(t, want, "class %s is not in the tables", c.Name) {
			assert.Equal(t, "class", want.Kind, c.Name)
		}
	}
	t.Logf("%d functions, %d constants behind symbols and %d classes compared with the tables", len(b.Functions),
		len(b.Constants), len(b.Classes))
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

func abiStructs(t *testing.T, b *Bindings, tables *abitest.Tables, pkg *types.Package) {
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
		want := tables.Struct(b.tableTypeName(name, func(n string) bool { return tables.Struct(n) != nil }))
		if want == nil {
			continue // a wrapper or a Go type of our own
		}
		var fields []*types.Var
		for i := range st.NumFields() {
			if st.Field(i).Name() != "_" { // padding
				fields = append(fields, st.Field(i))
			}
		}
		vectors := strings.Contains(want.Encoding, "<") // Go has no alignment like theirs
		for _, arch := range []string{"amd64", "arm64"} {
			sizes := types.SizesFor("gc", arch)
			got := layout{sizes.Sizeof(obj.Type()), sizes.Alignof(obj.Type()), offsets(sizes, st)}
			assert.EqualValues(t, want.Size, got.Size, "%s: size on %s", want.Name, arch)
			if vectors {
				got.Align = int64(want.Align)
			}
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
	t.Logf("%d structures compared with the tables", len(out))
	writeABI(t, "structs.json", out)
}

// offsets are those of the fields that have a name.
func offsets(sizes types.Sizes, st *types.Struct) (list []int64) {
	all := make([]*types.Var, st.NumFields())
	for i := range all {
		all[i] = st.Field(i)
	}
	for i, offset := range sizes.Offsetsof(all) {
		if all[i].Name() != "_" {
			list = append(list, offset)
		}
	}
	return list
}

func abiEnums(t *testing.T, b *Bindings, tables *abitest.Tables, pkg *types.Package, fset *token.FileSet) {
	out := make(map[string]json.Number)
	enums := make(map[string]bool)
	plain := 0
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !c.Exported() || !strings.HasPrefix(filepath.Base(fset.Position(c.Pos()).Filename), "z") {
			continue // the framework's constants are all generated
		}
		named, ok := types.Unalias(c.Type()).(*types.Named)
		if !ok {
			plain++
			comparePlain(t, b, tables, c)
			continue
		}
		typeName := named.Obj().Name()
		enum := tables.Enum(b.tableTypeName(typeName, func(n string) bool { return tables.Enum(n) != nil }))
		if enum == nil {
			t.Errorf("constant %s: its type %s is no enumeration of the tables", name, typeName)
			continue
		}
		if !enums[enum.Name] {
			enums[enum.Name] = true
			assert.EqualValues(t, enum.Size, types.SizesFor("gc", "arm64").Sizeof(named), "%s: size", enum.Name)
		}
		i := slices.IndexFunc(enum.Members, func(m abitest.Member) bool { return b.namesConstant(name, m.Name) })
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
	for name := range enums {
		for _, m := range tables.Enum(name).Members {
			assert.Contains(t, out, m.Name, "%s lacks a member", name)
		}
	}
	t.Logf("%d constants of %d enumerations and %d plain ones compared with the tables", len(out), len(enums), plain)
	writeABI(t, "enums.json", out)
}

// comparePlain compares a constant that belongs to no enumeration.
func comparePlain(t *testing.T, b *Bindings, tables *abitest.Tables, c *types.Const) {
	t.Helper()
	name := b.Prefix + c.Name()
	if other, ok := b.PlainConstants[c.Name()]; ok {
		name = other
	}
	want := tables.Constant(name)
	if assert.NotNil(t, want, "constant %s is not in the tables", name) {
		assert.Equal(t, string(want.Value), c.Val().ExactString(), name)
	}
}

// tableTypeName returns the Objective-C name of a Go type: MTL4Name for Name4, NSName for a
// Foundation type, else the prefix and the name.
func (b *Bindings) tableTypeName(name string, known func(string) bool) string {
	if base, ok := strings.CutSuffix(name, "4"); ok && known("MTL4"+base) {
		return "MTL4" + base
	}
	if known("NS" + name) {
		return "NS" + name
	}
	if b.Drop != "" && known(b.Drop+name) {
		return b.Drop + name
	}
	return b.Prefix + name
}

// namesConstant reports whether name is the Go name of a C constant: without the prefix, and with
// the 4 of MTL4 where the name of its type has it.
func (b *Bindings) namesConstant(name, c string) bool {
	rest, ok := strings.CutPrefix(c, "MTL4")
	if !ok {
		return name == b.dropped(c)
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

// checkPackage type-checks the package from source. Its imports are left out, since structures and
// constants need nothing from them.
func checkPackage(t *testing.T, b *Bindings) (*types.Package, *token.FileSet) {
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
	pkg, _ := config.Check(b.Package, fset, files, nil) // errors about the imports left out are expected
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
