package builtin

import (
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTraitNames(t *testing.T) {
	for name, want := range map[string]TraitForm{"is_same": TraitClassForm, "is_same_v": TraitValueForm,
		"is_same_t": NoTrait, "decay_t": TraitTypeForm,
		"decay": TraitClassForm, "decay_v": NoTrait, "rank_v": TraitValueForm, "vec": NoTrait, "size_t": NoTrait,
		"nothing": NoTrait} {
		c, form := LookupTrait(name)
		assert.Equal(t, want, form, name)
		assert.Equal(t, form != NoTrait, c != nil, name)
	}
}

// TestBoolTraits lists the types for which each trait is true.
func TestBoolTraits(t *testing.T) {
	u := types.NewUniverse()
	plain := u.NewStruct(types.StructRecord, "S")
	plain.Complete([]types.Field{{Name: "a", Type: types.Q(types.Int)}})
	empty := u.NewStruct(types.StructRecord, "E")
	empty.Complete(nil)
	union := u.NewStruct(types.UnionRecord, "U")
	union.Complete([]types.Field{{Name: "a", Type: types.Q(types.Int)}})
	all := map[string]types.Qualified{
		"void": types.Q(types.Void), "bool": types.Q(types.Bool), "uint": types.Q(types.UInt), "char": types.Q(types.Char),
		"half":   types.Q(types.Half),
		"bfloat": types.Q(types.BFloat), "const float": types.QConst(types.Float),
		"float3":        types.Q(types.VectorOf(types.Float, 3)),
		"packed_float3": types.Q(types.PackedOf(types.Float, 3)), "float2x2": types.Q(types.MatrixOf(types.Float, 2, 2)),
		"S": types.Q(plain), "E": types.Q(empty),
		"U": types.Q(union), "enum": types.Q(u.NewEnum("X", false)), "int[3]": types.Q(u.Array(types.Int, 3)),
		"int*": types.Q(u.Pointer(types.Q(types.Int))),
		"int&": types.Q(u.Reference(types.Q(types.Int), false)), "int&&": types.Q(u.Reference(types.Q(types.Int), true)),
		"void()": types.Q(u.Func(types.Q(types.Void), nil, false)), "nullptr_t": types.Q(types.Nullptr),
	}
	for trait, trues := range map[string][]string{
		"is_void":             {"void"},
		"is_null_pointer":     {"nullptr_t"},
		"is_integral":         {"bool", "uint", "char"},
		"is_floating_point":   {"half", "bfloat", "const float", "float3"},
		"is_arithmetic":       {"bool", "uint", "char", "half", "bfloat", "const float"},
		"is_fundamental":      {"void", "nullptr_t", "bool", "uint", "char", "half", "bfloat", "const float"},
		"is_scalar":           {"bool", "uint", "char", "half", "bfloat", "const float", "enum", "int*", "nullptr_t"},
		"is_vector":           {"float3", "packed_float3"},
		"is_packed_vector":    {"packed_float3"},
		"is_unpacked_vector":  {"float3"},
		"is_matrix":           {"float2x2"},
		"is_class":            {"S", "E"},
		"is_union":            {"U"},
		"is_empty":            {"E"},
		"is_enum":             {"enum"},
		"is_array":            {"int[3]"},
		"is_pointer":          {"int*"},
		"is_reference":        {"int&", "int&&"},
		"is_lvalue_reference": {"int&"},
		"is_rvalue_reference": {"int&&"},
		"is_function":         {"void()"},
		"is_const":            {"const float"},

		"__is_valid_simdgroup_type": {"uint", "char", "half", "const float", "float3"},
		"is_volatile":               nil,
		"is_signed":                 {"char", "half", "bfloat", "const float"},
		"is_unsigned":               {"bool", "uint"},
	} {
		var got []string
		for name, q := range all {
			v, ok := TraitValue(trait, q)
			require.True(t, ok, trait)
			if v.Truth() {
				got = append(got, name)
			}
		}
		assert.ElementsMatch(t, trues, got, trait)
		c := LookupClass(trait)
		require.NotNil(t, c, trait)
		assert.Equal(t, TraitClass, c.Kind)
	}
	f := types.Q(types.Float)
	same, ok := TraitValue("is_same", f, f)
	assert.True(t, ok && same.Truth())
	same, ok = TraitValue("is_same", f, f.WithConst())
	assert.True(t, ok && !same.Truth())
	v, ok := TraitValue("alignment_of", all["float3"])
	assert.True(t, ok)
	assert.Equal(t, "16ul", v.String())
	v, _ = TraitValue("rank", types.Q(u.Array(u.Array(types.Int, 3), 2)))
	assert.Equal(t, "2ul", v.String())
	v, _ = TraitValue("extent", all["int[3]"])
	assert.Equal(t, "3ul", v.String())
	v, _ = TraitValue("vec_size", all["packed_float3"])
	assert.Equal(t, "3ul", v.String())
	_, ok = TraitValue("is_convertible", f, f)
	assert.False(t, ok, "the checker's")
	_, ok = TraitValue("is_same")
	assert.False(t, ok)
	derived := u.NewStruct(types.StructRecord, "D")
	derived.Complete([]types.Field{{Type: types.Q(plain), Base: true}})
	v, _ = TraitValue("is_base_of", all["S"], types.Q(derived))
	assert.True(t, v.Truth())
}

func TestTypeTraits(t *testing.T) {
	u := types.NewUniverse()
	f := types.Q(types.Float)
	ref := types.Q(u.Reference(f.WithConst().In(types.Device), false))
	for _, c := range []struct {
		trait string
		q     types.Qualified
		want  string
	}{
		{"remove_const", f.WithConst(), "float"},
		{"remove_cv", types.Qualified{Type: types.Int, Const: true, Volatile: true}, "int"},
		{"remove_reference", ref, "const device float"},
		{"remove_reference", types.Q(u.Reference(f, true)), "float"},
		{"remove_cvref", ref, "float"},
		{"remove_addrspace", f.In(types.Device), "float"},
		{"decay", ref, "float"},
		{"decay", types.Q(u.Array(types.Int, 3)).In(types.Constant), "constant int *"},
		{"decay", types.Q(u.Func(f, nil, false)), "float (*)()"},
		{"remove_pointer", types.Q(u.Pointer(f.In(types.Threadgroup))), "threadgroup float"},
		{"remove_pointer", types.Q(u.Pointer(f)), "float"},
		{"remove_extent", types.Q(u.Array(u.Array(types.Int, 3), 2)), "int[3]"},
		{"remove_all_extents", types.Q(u.Array(u.Array(types.Int, 3), 2)), "int"},
		{"add_const", f, "const float"},
		{"add_cv", f, "const volatile float"},
		{"add_pointer", ref, "const device float *"},
		{"add_lvalue_reference", f, "thread float &"},
		{"add_rvalue_reference", ref, "const device float &"},
		{"add_lvalue_reference", types.Q(types.Void), "void"},
		{"make_unsigned", types.Q(types.VectorOf(types.Short, 3)), "ushort3"},
		{"make_signed", types.QConst(types.ULong), "const long"},
		{"make_unsigned", f, ""},
		{"make_unsigned", types.Q(types.Bool), ""},
		{"make_scalar", types.Q(types.VectorOf(types.Half, 4)), "half"},
		{"make_vector", types.Q(types.Half), "half4"},
		{"make_packed", types.Q(types.VectorOf(types.Half, 3)), "packed_half3"},
		{"make_unpacked", types.Q(types.PackedOf(types.Half, 3)), "half3"},
		{"underlying_type", types.Q(u.NewEnum("E", true)), "int"},
		{"underlying_type", f, ""},
		{"type_identity", ref, "const device float &"},
		{"enable_if", f, ""},
	} {
		got, ok := TraitType(u, c.trait, c.q, 4)
		assert.Equal(t, c.want != "", ok, "%s of %v", c.trait, c.q)
		if ok {
			assert.Equal(t, c.want, got.String(), "%s of %v", c.trait, c.q)
		}
		assert.NotNil(t, LookupClass(c.trait), c.trait)
	}
}
