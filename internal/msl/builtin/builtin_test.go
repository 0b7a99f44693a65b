package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// instancesOf returns the overloads of an entry; for members, with every component type of the
// class.
func instancesOf(l *Library, f *Func) (out []*Instance) {
	if f.Recv == "" || f.Flags.Has(Constructor) {
		return l.Instances(f)
	}
	for _, recv := range receivers(l, f.Recv) {
		for _, i := range l.Methods(recv, f.Name) {
			if i.Fn == f {
				out = append(out, i)
			}
		}
	}
	return out
}

// receivers returns types of a class.
func receivers(l *Library, class string) (out []types.Type) {
	u := l.Universe()
	if k, ok := types.TextureKindOf(class); ok {
		for _, e := range []*types.Basic{types.Float, types.Half, types.Int, types.UInt, types.Short, types.UShort,
			types.ULong} {
			if k.TextureElem(e) {
				out = append(out, u.Texture(k, e, k.DefaultAccess(), false))
			}
		}
		return out
	}
	switch class {
	case "simdgroup_matrix":
		return []types.Type{types.SimdgroupMatrixOf(types.Float), types.SimdgroupMatrixOf(types.Half)}
	case "array":
		return []types.Type{u.MetalArray(types.Q(types.Float), 3)}
	case "array_ref":
		return []types.Type{u.MetalArrayRef(types.Q(types.Float))}
	case "visible_function_table":
		return []types.Type{u.Opaque("visible_function_table",
			types.TemplateArg{Type: types.Q(u.Func(types.Q(types.Float), nil, false))})}
	}
	if t := l.Type(class); t != nil {
		out = append(out, t)
	}
	return out
}

// TestEveryEntry expands all overloads of all entries: each type in stdlib.def is valid.
func TestEveryEntry(t *testing.T) {
	l := New(types.NewUniverse())
	total := 0
	for i := range zfuncs {
		f := &zfuncs[i]
		assert.NotEqual(t, OpInvalid, f.Op, f.Signature())
		assert.NotEmpty(t, f.Op.Doc(), f.Op.String())
		if f.Flags.Has(Special) {
			continue
		}
		is := instancesOf(l, f)
		total += len(is)
		want := 1
		for _, v := range f.Vars {
			want *= len(v.Types)
		}
		if f.Recv == "" {
			assert.Len(t, is, want, "overloads of %s", f.Signature())
		} else {
			assert.NotEmpty(t, is, "overloads of %s", f.Signature())
		}
		for _, inst := range is {
			require.Len(t, inst.Params, len(f.Params))
			assert.NotNil(t, inst.Result.Type, f.Signature())
			for p := range f.Params {
				_, ok := inst.Default(p)
				assert.Equal(t, f.Params[p].HasDefault, ok, "default %d of %s", p, f.Signature())
			}
		}
	}
	t.Logf("%d entries, %d operations, %d overloads", len(zfuncs), NumOps()-1, total)
}

// TestNoDuplicates: no two overloads of one name take the same arguments, also with defaults, so
// that no call with exact arguments is ambiguous.
func TestNoDuplicates(t *testing.T) {
	l := New(types.NewUniverse())
	seen := map[string]string{}
	for i := range zfuncs {
		f := &zfuncs[i]
		if f.Flags.Has(Special) {
			key := f.Namespace + " " + f.Recv + "." + f.Name
			assert.Empty(t, seen[key], "%s is declared twice, as a special function", f.Signature())
			seen[key] = f.Signature()
			continue
		}
		for _, inst := range instancesOf(l, f) {
			for n := inst.Required(); n <= len(inst.Params); n++ {
				key := fmt.Sprintf("%s %v.%s", f.Namespace, inst.Recv, f.Name)
				for _, p := range inst.Params[:n] {
					key += "," + p.Unqualified().String()
				}
				sig := f.Signature()
				assert.Empty(t, seen[key], "%s takes the same %d arguments as another: %s", sig, n, key)
				seen[key] = sig
			}
		}
	}
}

func TestLookups(t *testing.T) {
	l := New(types.NewUniverse())
	ops := func(fs []*Func) (s []string) {
		for _, f := range fs {
			s = append(s, f.Namespace+":"+f.Op.String())
		}
		return s
	}
	assert.ElementsMatch(t, []string{"metal:Fma", "metal::fast:Fma", "metal::precise:Fma"}, ops(Lookup("fma")))
	assert.ElementsMatch(t, []string{"metal:FMax", "metal:IMax"}, ops(LookupIn("metal", "max")))
	assert.Equal(t, []string{"metal::precise:Exp"}, ops(LookupIn("metal::precise", "exp")))
	assert.True(t, LookupIn("metal::precise", "exp")[0].Flags.Has(Precise|Pure))
	assert.Equal(t, []string{":Exp"}, ops(Lookup("__metal_exp")))
	assert.Len(t, Lookup("__metal_exp")[0].Params, 2, "whether it is fast")
	assert.Len(t, Lookup("__metal_fma")[0].Params, 3)
	assert.Len(t, Lookup("__metal_simd_shuffle_down")[0].Params, 2)
	assert.Empty(t, LookupIn("metal", "as_typ"))
	assert.Empty(t, Lookup("get_width"), "a member is no free function")
	assert.Len(t, LookupMember("texture2d", "write"), 1)
	assert.True(t, IsNamespace("metal::raytracing"))
	assert.False(t, IsNamespace("std"))
	assert.Contains(t, Namespaces(), "mpp::tensor_ops")
	assert.Contains(t, Names(), "threadgroup_barrier")

	assert.EqualValues(t, 320, LookupIn("metal", "atomic_thread_fence")[0].Since)
	assert.EqualValues(t, 100, LookupIn("metal", "sin")[0].Since)
	assert.Equal(t, "3.1", LookupIn("metal", "nextafter")[0].Since.String())
	for i := range zfuncs {
		v := zfuncs[i].Since
		assert.True(t, v >= 100 && v <= 400 && v%10 == 0, "%s: version %d", zfuncs[i].Name, v)
	}

	assert.Equal(t, types.Type(types.UShort), l.Type("uint16_t"))
	assert.Equal(t, types.Type(types.ULong), l.Type("vote_t"))
	assert.Nil(t, l.Type("texture2d"), "a template is no type")
	assert.Nil(t, l.Type("double"))
	assert.Same(t, l.Type("mem_flags"), l.Type("mem_flags"))
	e, i := LookupEnumerator("memory_order_relaxed")
	require.NotNil(t, e)
	assert.Equal(t, "memory_order", e.Name)
	assert.Equal(t, "memory_order_relaxed", l.Enum(e).Values[i].Value.String())
	e, _ = LookupEnumerator("mem_device")
	assert.Nil(t, e, "mem_flags is scoped")
	assert.Equal(t, "pure math"[:4], (Pure).String())
	assert.Nil(t, LookupConst("M_TAU_F"))
	assert.Nil(t, LookupClass("nothing"))
	assert.Equal(t, "Op(?)", Op(60000).String())
}

// TestSignatures compares some entries with the prototypes in the specification.
func TestSignatures(t *testing.T) {
	l := New(types.NewUniverse())
	overload := func(namespace, name, params string) *Instance {
		for _, f := range LookupIn(namespace, name) {
			for _, i := range l.Instances(f) {
				if paramList(i) == params {
					return i
				}
			}
		}
		t.Errorf("no overload %s(%s)", name, params)
		return &Instance{}
	}
	result := func(i *Instance) string { return i.Result.String() }
	assert.Equal(t, "float3", result(overload("metal", "cross", "float3, float3")))
	assert.Equal(t, "half", result(overload("metal", "dot", "half4, half4")))
	assert.Equal(t, "float2", result(overload("metal", "frexp", "float2, thread int2 &")))
	assert.Equal(t, "bool3", result(overload("metal", "isnan", "half3")))
	assert.Equal(t, "float3x2", result(overload("metal", "transpose", "float2x3")))
	assert.Equal(t, "uchar4", result(overload("metal", "absdiff", "char4, char4")))
	assert.Equal(t, "ulong", result(overload("metal", "mulhi", "ulong, ulong")))
	assert.Equal(t, "uint", result(overload("metal", "atomic_fetch_add_explicit",
		"volatile threadgroup atomic_uint *, uint, memory_order")))
	assert.Equal(t, "bool", result(overload("metal", "atomic_compare_exchange_weak_explicit",
		"volatile device atomic_int *, thread int *, int, memory_order, memory_order")))
	assert.Equal(t, "void", result(overload("metal", "simdgroup_multiply_accumulate",
		"thread simdgroup_float8x8 &, simdgroup_half8x8, simdgroup_half8x8, simdgroup_float8x8")))
	assert.Equal(t, "void", result(overload("metal", "threadgroup_barrier", "mem_flags")))
	assert.Equal(t, "half3", result(overload("metal", "unpack_unorm565_to_half", "ushort")))

	tex := l.Universe().Texture(types.Texture2D, types.Half, types.AccessReadWrite, false)
	var got []string
	for _, i := range l.Methods(tex, "read") {
		got = append(got, paramList(i)+" -> "+result(i))
		assert.True(t, i.Fn.Flags.Has(NeedRead|ConstMember))
		v, ok := i.Default(1)
		assert.True(t, ok)
		assert.Zero(t, v.Bits())
	}
	assert.Equal(t, []string{"ushort2, ushort -> half4", "uint2, uint -> half4"}, got)
	depth := l.Universe().Texture(types.Depth2D, types.Float, types.AccessSample, false)
	samples := l.Methods(depth, "sample")
	require.NotEmpty(t, samples)
	assert.Equal(t, "sampler, float2, int2 -> float", paramList(samples[0])+" -> "+result(samples[0]))
	assert.Equal(t, "depth2d", ClassOf(depth))
	assert.Equal(t, "", ClassOf(types.Float))
	elements := l.Methods(types.SimdgroupMatrixOf(types.Float), "thread_elements")
	require.Len(t, elements, 1)
	assert.Equal(t, "thread float2 &", result(elements[0]))
	vote := l.Type("simd_vote")
	require.Len(t, l.Methods(vote, "all"), 1)
	assert.Equal(t, 8, vote.Size())
}

func paramList(i *Instance) string {
	var s []string
	for _, p := range i.Params {
		s = append(s, p.String())
	}
	return strings.Join(s, ", ")
}

func TestSorted(t *testing.T) {
	assert.True(t, slices.IsSortedFunc(zfuncs[:], func(a, b Func) int { return strings.Compare(a.Name, b.Name) }))
	assert.True(t, slices.IsSortedFunc(zclasses[:], func(a, b Class) int { return strings.Compare(a.Name, b.Name) }))
	assert.True(t, slices.IsSortedFunc(zconsts[:], func(a, b Const) int { return strings.Compare(a.Name, b.Name) }))
}
