package types

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reference returns the command that compiles the shading language with clang. It is in the folder
// mslref of the folder that PUREMETAL_SHARED names, or of ../shared beside the repository.
func reference(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("PUREMETAL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	script := filepath.Join(shared, "mslref", "msl2cpp.py")
	if _, err := os.Stat(script); err != nil {
		t.Skip("no reference compiler beside the repository: " + err.Error())
	}
	for _, tool := range []string{"python3", "clang-19"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the reference compiler needs " + tool)
		}
	}
	script, err := filepath.Abs(script)
	require.NoError(t, err)
	return script
}

// randomRecord writes a record of random fields, which may be earlier records, and returns its
// layout.
func randomRecord(r *rand.Rand, u *Universe, b *strings.Builder, name string, earlier []*Struct) *Struct {
	names := []string{"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "bfloat",
		"float", "half2", "half3", "half4", "bfloat3",
		"float2", "float3", "float4", "uchar3", "int3", "long2", "ulong3", "bool3", "packed_float3", "packed_half3",
		"packed_uchar3", "packed_ushort4",
		"float2x2", "float3x3", "float4x2", "half3x2", "half3x3", "atomic_uint", "atomic_ulong"}
	kind, keyword := StructRecord, "struct"
	if r.IntN(5) == 0 {
		kind, keyword = UnionRecord, "union"
	}
	s := u.NewStruct(kind, name)
	if r.IntN(8) == 0 {
		s.AlignAs = 64
		keyword += " alignas(64)"
	}
	var fields []Field
	fmt.Fprintf(b, "%s %s {\n", keyword, name)
	for i := range 1 + r.IntN(7) {
		f := Field{Name: fmt.Sprintf("f%d", i)}
		switch pick := r.IntN(10); {
		case pick < 2 && len(earlier) > 0:
			f.Type = Q(earlier[r.IntN(len(earlier))])
		case pick == 2:
			f.Type = Q(u.Pointer(Q(Float).In(Device)))
		case pick == 3 && kind == StructRecord:
			scalar := basics[BoolKind+1+Kind(r.IntN(int(ULongKind-BoolKind)))]
			f.Type, f.IsBits = Q(scalar), true
			f.Bits = 1 + r.IntN(8*scalar.Size())
			fields = append(fields, f)
			fmt.Fprintf(b, "  %s : %d;\n", f.Type.Declare(f.Name), f.Bits)
			continue
		default:
			ty, _ := Named(names[r.IntN(len(names))])
			f.Type = Q(ty)
		}
		if r.IntN(4) == 0 {
			f.Type = Q(u.Array(f.Type.Type, 1+r.IntN(5)))
		}
		if f.Type.Type.Align() <= 32 && r.IntN(10) == 0 {
			f.Align = 32
			b.WriteString("  alignas(32)")
		}
		fmt.Fprintf(b, "  %s;\n", f.Type.Declare(f.Name))
		fields = append(fields, f)
	}
	b.WriteString("};\n")
	s.Complete(fields)
	return s
}

// TestLayoutsAgainstClang lays out random records and has clang compare sizes, alignments and
// offsets.
func TestLayoutsAgainstClang(t *testing.T) {
	script := reference(t)
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	assertEqual := func(what string, n int) { fmt.Fprintf(&b, "static_assert(%s == %d, \"%s\");\n", what, n, what) }
	var types []string
	for name, ty := range namedTypes() {
		switch ty.(type) {
		case *Basic, *Vector, *Packed, *Matrix:
			// The shim lacks packed vectors of bool, vectors of size_t and the like, and matrices
			// other than float and half.
			if e := ElemOf(ty); e.IsArithmetic() && name == ty.String() && (e != BFloat || !strings.Contains(name, "x")) {
				types = append(types, name)
			}
		}
	}
	slices.Sort(types)
	for _, name := range types {
		ty, _ := Named(name)
		assertEqual("sizeof("+name+")", ty.Size())
		assertEqual("alignof("+name+")", ty.Align())
	}
	r := rand.New(rand.NewPCG(7, 8))
	u := NewUniverse()
	var records []*Struct
	for i := range 120 {
		name := fmt.Sprintf("S%d", i)
		s := randomRecord(r, u, &b, name, records)
		records = append(records, s)
		assertEqual("sizeof("+name+")", s.Size())
		assertEqual("alignof("+name+")", s.Align())
		for _, f := range s.Fields {
			if !f.IsBits {
				assertEqual("__builtin_offsetof("+name+", "+f.Name+")", f.Offset)
			}
		}
	}
	// Bases have scalar members only, since the shim's vectors are classes with constructors.
	b.WriteString("struct B0 { int i; char c; };\nstruct D0 : B0 { char d; };\nstruct B1 { int i; char c; B1() {} };\nstruct D1 : B1 { char d; };\n" +
		"struct E {};\nstruct D2 : E { char d; };\nstruct D3 : D1 { half h; };\n")
	base := record(t, StructRecord, "int i, char c")
	free := record(t, StructRecord, "int i, char c")
	free.NonPOD = true
	derive := func(from *Struct, ty *Basic) *Struct {
		s := u.NewStruct(StructRecord, "D")
		s.NonPOD = true
		s.Complete([]Field{{Type: Q(from), Base: true}, {Name: "d", Type: Q(ty)}})
		return s
	}
	assertEqual("sizeof(D0)", derive(base, Char).Size())
	assertEqual("sizeof(D1)", derive(free, Char).Size())
	assertEqual("sizeof(D2)", derive(record(t, StructRecord, ""), Char).Size())
	assertEqual("sizeof(D3)", derive(derive(free, Char), Half).Size())
	assertEqual("__builtin_offsetof(D3, h)", derive(derive(free, Char), Half).Fields[1].Offset)

	dir := t.TempDir()
	src := filepath.Join(dir, "layout.metal")
	require.NoError(t, os.WriteFile(src, []byte(b.String()), 0o644))
	cmd := exec.Command("python3", script, src, "-o", filepath.Join(dir, "layout.so"), "--syntax")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%d types and %d records", len(types), len(records))
}
