package types

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func named(t *testing.T, name string) Type {
	t.Helper()
	ty, ok := Named(name)
	require.True(t, ok, name)
	return ty
}

func TestImplicit(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(`
int int identity 0
short int integer promotion 1
bool int integer promotion 1
uchar int integer promotion 1
int short integer conversion 2
int uint integer conversion 2
uint long integer conversion 2
half float float promotion 1
bfloat float float promotion 1
float half float conversion 2
half bfloat none 3
bfloat half none 3
float bfloat none 3
int bfloat integer to float 2
float bfloat4 none 3
bfloat float4 splat 2
int float integer to float 2
float int float to integer 2
float bool to bool 2
int bool to bool 2
float float4 splat 2
int half2 splat 2
float int4 splat 2
float4 float4 identity 0
packed_float3 float3 unpack 0
float3 packed_float3 pack 2
float packed_float3 splat 2
float3x3 float3x3 identity 0
half4 float4 none 3
float4 half4 none 3
float4 float3 none 3
float4 float none 3
int4 uint4 none 3
packed_half3 float3 none 3
float float3x3 none 3
float3x3 half3x3 none 3
nullptr_t bool none 3
void int none 3
atomic_int int none 3
nullptr_t int none 3`), "\n") {
		f := strings.Fields(line)
		c := Implicit(named(t, f[0]), named(t, f[1]))
		assert.Equal(t, strings.Join(f[2:len(f)-1], " "), c.Kind.String(), line)
		assert.Equal(t, f[len(f)-1], itoa(int(c.Rank)), line)
		assert.Equal(t, c.Rank != Impossible, c.OK(), line)
		assert.False(t, c.Explicit(), line)
	}
}

func TestPointers(t *testing.T) {
	u := NewUniverse()
	device, constDevice := u.Pointer(Q(Float).In(Device)), u.Pointer(QConst(Float).In(Device))
	voidDevice := u.Pointer(Q(Void).In(Device))
	plain, thread := u.Pointer(Q(Float)), u.Pointer(Q(Float).In(Thread))
	assert.Same(t, plain, thread, "an unqualified pointee lies in thread memory")
	assert.Same(t, device, u.Pointer(Q(Float).In(Device)))
	assert.NotSame(t, device, constDevice)

	assert.Equal(t, Qualify, Implicit(device, constDevice).Kind)
	assert.Negative(t, Implicit(device, device).Compare(Implicit(device, constDevice)), "the same type is the better one")
	assert.Equal(t, NoConv, Implicit(constDevice, device).Kind, "const is not dropped")
	assert.Equal(t, ToVoidPointer, Implicit(device, voidDevice).Kind)
	assert.Equal(t, NoConv, Implicit(device, plain).Kind, "an address space is not dropped")
	assert.Equal(t, NoConv, Explicit(device, plain).Kind, "not even by a cast")
	assert.Equal(t, NullToPointer, Implicit(Nullptr, device).Kind)
	assert.Equal(t, PointerToBool, Implicit(device, Bool).Kind)
	assert.Positive(t, Implicit(device, Bool).Compare(Implicit(device, voidDevice)))
	assert.Equal(t, NoConv, Implicit(Int, device).Kind)

	other := u.Pointer(Q(VectorOf(Float, 4)).In(Device))
	assert.Equal(t, NoConv, Implicit(device, other).Kind)
	assert.Equal(t, PointerCast, Explicit(device, other).Kind)
	assert.Equal(t, PointerToInt, Explicit(device, ULong).Kind)
	assert.Equal(t, NoConv, Explicit(device, Int).Kind)
	assert.Equal(t, IntToPointer, Explicit(ULong, device).Kind)

	arr := Qualified{Type: u.Array(Float, 4), Space: Device}
	assert.Equal(t, ArrayDecay, DecayTo(arr, device).Kind)
	assert.Equal(t, ArrayDecay, DecayTo(arr, constDevice).Kind)
	assert.Equal(t, NoConv, DecayTo(arr.WithConst(), device).Kind)
	assert.Equal(t, NoConv, DecayTo(arr.In(Threadgroup), device).Kind)
	fn := u.Func(Q(Float), []Qualified{Q(Int)}, false)
	assert.Same(t, fn, u.Func(Q(Float), []Qualified{QConst(Int)}, false), "top-level const of a parameter does not count")
	assert.Equal(t, FuncDecay, Implicit(fn, u.Pointer(Q(fn))).Kind)

	base, derived := record(t, StructRecord, "int a"), u.NewStruct(StructRecord, "D")
	derived.Complete([]Field{{Type: Q(base), Base: true}})
	assert.Equal(t, DerivedToBase, Implicit(derived, base).Kind)
	assert.Equal(t, NoConv, Implicit(base, derived).Kind)
	assert.Equal(t, DerivedToBase, Implicit(u.Pointer(Q(derived)), u.Pointer(Q(base))).Kind)
	assert.Equal(t, BaseToDerived, Explicit(u.Pointer(Q(base)), u.Pointer(Q(derived))).Kind)
}

func TestBindReference(t *testing.T) {
	u := NewUniverse()
	ref := func(q Qualified) *Reference { return u.Reference(q, false) }
	lvalue := Q(Float).In(Device)
	b := BindReference(lvalue, true, ref(lvalue))
	assert.True(t, b.OK() && !b.Temporary && b.Kind == Identity)
	assert.False(t, BindReference(lvalue, true, ref(Q(Float))).OK(), "a thread reference does not bind to device memory")
	assert.False(t, BindReference(lvalue.WithConst(), true, ref(lvalue)).OK())
	assert.True(t, BindReference(lvalue, true, ref(lvalue.WithConst())).OK())
	assert.False(t, BindReference(Q(Float), false, ref(Q(Float))).OK(), "an rvalue does not bind to T &")
	b = BindReference(Q(Int), false, ref(QConst(Float)))
	assert.True(t, b.OK() && b.Temporary && b.Kind == IntToFloat)
	assert.False(t, BindReference(Q(Int), false, ref(QConst(Float).In(Constant))).OK(),
		"a temporary lies in thread memory")
	b = BindReference(Q(Float), false, u.Reference(Q(Float), true))
	assert.True(t, b.OK() && b.RValueRef && b.Temporary)
	assert.False(t, BindReference(Q(Float), true, u.Reference(Q(Float), true)).OK(), "an lvalue does not bind to T &&")
	s := u.Pointer(Q(Float))
	arr := Q(u.Array(Float, 3))
	assert.True(t, BindReference(arr, true, ref(QConst(s))).OK())
	assert.True(t, BindReference(arr, true, ref(arr)).OK())

	assert.Same(t, ref(Q(Float)), u.Reference(Q(ref(Q(Float))), true), "T & && is T &")
	rr := u.Reference(Q(Float), true)
	assert.Same(t, ref(Q(Float)), u.Reference(Q(rr), false))
	assert.Same(t, rr, u.Reference(Q(rr), true))
}

func TestEnumsAndCasts(t *testing.T) {
	u := NewUniverse()
	plain, scoped := u.NewEnum("E", false), u.NewEnum("C", true)
	assert.Equal(t, IntPromote, Implicit(plain, Int).Kind)
	assert.Equal(t, EnumToInt, Implicit(plain, Float).Kind)
	assert.Equal(t, Splat, Implicit(plain, VectorOf(Int, 2)).Kind)
	assert.Equal(t, NoConv, Implicit(scoped, Int).Kind)
	assert.Equal(t, NoConv, Implicit(Int, plain).Kind)
	assert.Equal(t, ScopedEnumToInt, Explicit(scoped, Int).Kind)
	assert.Equal(t, IntToEnum, Explicit(Int, scoped).Kind)
	assert.Equal(t, VectorConv, Explicit(VectorOf(Half, 4), VectorOf(Float, 4)).Kind)
	for _, c := range [][2]Type{{Float, BFloat}, {Half, BFloat}, {BFloat, Half}, {Float, VectorOf(BFloat, 2)}} {
		e := Explicit(c[0], c[1])
		assert.True(t, e.OK() && e.Explicit(), "%v to %v", c[0], c[1])
	}
	assert.False(t, Explicit(Float, Half).Explicit())
	assert.Equal(t, FloatToInt, Explicit(VectorOf(Float, 3), VectorOf(Int, 3)).Elem)
	assert.Equal(t, VectorConv, Explicit(PackedOf(Half, 3), VectorOf(Float, 3)).Kind)
	assert.Equal(t, NoConv, Explicit(VectorOf(Float, 4), VectorOf(Float, 3)).Kind)
	assert.Equal(t, MatrixConv, Explicit(MatrixOf(Half, 3, 3), MatrixOf(Float, 3, 3)).Kind)
	assert.Equal(t, NoConv, Explicit(MatrixOf(Half, 3, 3), MatrixOf(Float, 3, 4)).Kind)
	assert.Equal(t, ToVoid, Explicit(MatrixOf(Half, 3, 3), Void).Kind)

	for _, c := range []struct {
		a, b string
		ok   bool
	}{{"float", "uint", true}, {"float4", "uint4", true}, {"half2", "uint", true}, {"uchar4", "float", true},
		{"ulong", "float2", true}, {"half", "bfloat", true},
		{"float", "half", false}, {"float3", "uint3", true}, {"float4x4", "float4", false}, {"packed_half4", "uint2", true},
		{"void", "int", false}, {"float2", "float4", false}} {
		assert.Equal(t, c.ok, CanReinterpret(named(t, c.a), named(t, c.b)), "%s to %s", c.a, c.b)
		assert.Equal(t, c.ok, CanReinterpret(named(t, c.b), named(t, c.a)), "%s to %s", c.b, c.a)
	}
}

func TestUsual(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(`
char uchar int
short int int
int uint uint
uint long long
long ulong ulong
uint ulong ulong
bool bool int
half int half
half ulong half
bfloat int bfloat
half float float
half bfloat -
float long float
half half half
float4 float float4
float4 int float4
half4 float half4
int4 short int4
int4 float -
float4 half4 -
float4 float3 -
char4 char4 char4
packed_float3 float float3
packed_float3 float3 float3
packed_half3 packed_half3 half3
float3x3 float float3x3
float3x3 float3x3 float3x3
float3x3 float2x2 -
void int -`), "\n") {
		f := strings.Fields(line)
		a, b := named(t, f[0]), named(t, f[1])
		for _, u := range []Type{Usual(a, b), Usual(b, a)} {
			got := "-"
			if u != nil {
				got = u.String()
			}
			assert.Equal(t, f[2], got, line)
		}
	}
}

func TestBinaryOperands(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(`
float + int = float
short << long = int
ulong >> int = ulong
uint4 << int = uint4
int << uint2 = uint2
float << int = -
int % int = int
float % float = -
half4 < half4 = bool4
half4 == float = bool4
int < float = bool
float4 && bool = bool4
int || float = bool
float3x3 * float3 = float3
float2x4 * float2 = float4
float4 * float2x4 = float2
float2x4 * float3x2 = float3x4
float2x2 * float3x3 = -
float3x3 + float3x3 = float3x3
float3x3 + float = -
float3x3 * float = float3x3
half * half3x3 = half3x3
float3x3 / float = float3x3
float / float3x3 = -
float3x3 == float3x3 = bool
float3x3 < float3x3 = -
bool4 + bool4 = -
bool4 & bool4 = bool4
bool + bool = int
bool3 ^ bool3 = bool3
packed_float3 * float = float3
packed_float3 - packed_float3 = float3
simdgroup_float8x8 * simdgroup_float8x8 = simdgroup_float8x8
simdgroup_float8x8 - simdgroup_float8x8 = -
atomic_int + int = -`), "\n") {
		f := strings.Fields(line)
		var op Op
		for op = Add; op.String() != f[1]; op++ {
		}
		o := BinaryOperands(op, named(t, f[0]), named(t, f[2]))
		got := "-"
		if o.Result != nil {
			got = o.Result.String()
		}
		assert.Equal(t, f[4], got, line)
	}
	e := NewUniverse().NewEnum("E", true)
	assert.Equal(t, Type(Bool), BinaryOperands(Eq, e, e).Result)
	assert.Nil(t, BinaryOperands(Add, e, e).Result)
	assert.Nil(t, BinaryOperands(Shl, e, Int).Result)

	for _, c := range [][3]string{{"-", "char", "int"}, {"-", "char4", "char4"}, {"~", "ushort", "int"},
		{"~", "uint3", "uint3"}, {"!", "float3", "bool3"},
		{"!", "int", "bool"}, {"-", "float3x3", "float3x3"}, {"-", "half", "half"}, {"+", "packed_float3", "float3"},
		{"~", "bool2", "bool2"}, {"-", "bool2", ""}, {"-", "bool", "int"}, {"~", "float", ""}, {"-", "void", ""},
		{"~", "float2x2", ""}} {
		op := map[string]Op{"-": Neg, "+": Plus, "!": Not, "~": BitNot}[c[0]]
		_, r := UnaryOperand(op, named(t, c[1]))
		got := ""
		if r != nil {
			got = r.String()
		}
		assert.Equal(t, c[2], got, c)
	}
}

func TestSpelling(t *testing.T) {
	u := NewUniverse()
	f := Q(Float)
	for want, q := range map[string]Qualified{
		"float":                         f,
		"const float":                   QConst(Float),
		"const device float *":          Q(u.Pointer(QConst(Float).In(Device))),
		"device float *const":           QConst(u.Pointer(f.In(Device))),
		"threadgroup float4x4 &":        Q(u.Reference(Q(MatrixOf(Float, 4, 4)).In(Threadgroup), false)),
		"thread float &&":               Q(u.Reference(f, true)),
		"float[4]":                      Q(u.Array(Float, 4)),
		"float[2][3]":                   Q(u.Array(u.Array(Float, 3), 2)),
		"device float (*)[4]":           Q(u.Pointer(Q(u.Array(Float, 4)).In(Device))),
		"device float *[3]":             Q(u.Array(u.Pointer(f.In(Device)), 3)),
		"constant int (&)[]":            Q(u.Reference(Q(u.Array(Int, Unsized)).In(Constant), false)),
		"float (*)(int, half2)":         Q(u.Pointer(Q(u.Func(f, []Qualified{Q(Int), Q(VectorOf(Half, 2))}, false)))),
		"void(int, ...)":                Q(u.Func(Q(Void), []Qualified{Q(Int)}, true)),
		"texture2d<half, access::read>": Q(u.Texture(Texture2D, Half, AccessRead, false)),
		"array<texture2d<float, access::sample>, 8ul>": Q(u.MetalArray(Q(u.Texture(Texture2D, Float, AccessSample, false)),
			8)),
		"volatile device atomic_uint *": Q(u.Pointer(Qualified{Type: AtomicOf(UInt), Volatile: true, Space: Device})),
		"atomic<long>":                  Q(AtomicOf(Long)),
		"visible_function_table<float(int)>": Q(u.Opaque("visible_function_table",
			TemplateArg{Type: Q(u.Func(f, []Qualified{Q(Int)}, false))})),
	} {
		assert.Equal(t, want, q.String())
	}
	assert.Equal(t, "device float (&a)[4]", Q(u.Reference(Q(u.Array(Float, 4)).In(Device), false)).Declare("a"))
	assert.Equal(t, "const constant float *p", Q(u.Pointer(QConst(Float).In(Constant))).Declare("p"))
	assert.Equal(t, "float a[4]", Q(u.Array(Float, 4)).Declare("a"))
	assert.Equal(t, "int f(float)", Q(u.Func(Q(Int), []Qualified{f}, false)).Declare("f"))
	assert.Equal(t, "device float *const p", QConst(u.Pointer(f.In(Device))).Declare("p"))
	assert.Equal(t, "<invalid>", Qualified{}.String())
	for k := range NumTextureKinds {
		back, ok := TextureKindOf(k.String())
		assert.True(t, ok && back == k)
	}
	assert.Same(t, u.MetalArray(f, 8), u.MetalArray(f, 8))
	assert.Same(t, Sampler, u.Opaque("sampler"))
}
