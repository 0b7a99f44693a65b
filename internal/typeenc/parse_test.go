package typeenc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSizes(t *testing.T) {
	for _, c := range []struct {
		enc         string
		kind        Kind
		size, align int
		words       int
	}{
		{"v", Void, 0, 1, 0},
		{"B", Bool, 1, 1, 1},
		{"c", Int8, 1, 1, 1},
		{"C", Uint8, 1, 1, 1},
		{"s", Int16, 2, 2, 1},
		{"S", Uint16, 2, 2, 1},
		{"i", Int32, 4, 4, 1},
		{"l", Int32, 4, 4, 1},
		{"I", Uint32, 4, 4, 1},
		{"L", Uint32, 4, 4, 1},
		{"q", Int64, 8, 8, 1},
		{"Q", Uint64, 8, 8, 1},
		{"t", Int128, 16, 16, 2},
		{"T", Uint128, 16, 16, 2},
		{"f", Float, 4, 4, 1},
		{"d", Double, 8, 8, 1},
		{"D", LongDouble, 16, 16, 2},
		{"jf", Complex, 8, 4, 1},
		{"jd", Complex, 16, 8, 2},
		{"@", Object, 8, 8, 1},
		{`@"NSString"`, Object, 8, 8, 1},
		{`@"NSArray<NSCopying><MTLDevice>"`, Object, 8, 8, 1},
		{"#", Class, 8, 8, 1},
		{":", Selector, 8, 8, 1},
		{"@?", Block, 8, 8, 1},
		{`@?<v@?@"NSError"{_NSRange=QQ}>`, Block, 8, 8, 1},
		{"*", CString, 8, 8, 1},
		{"r*", CString, 8, 8, 1},
		{"^v", Pointer, 8, 8, 1},
		{"^?", Pointer, 8, 8, 1},
		{"^@", Pointer, 8, 8, 1},
		{"r^{?={?=QQQ}{?=QQQ}}", Pointer, 8, 8, 1},
		{"^{NSZone}", Pointer, 8, 8, 1},
		{"?", Unknown, 0, 1, 1},
		{"{_NSRange=QQ}", Struct, 16, 8, 2},
		{"{?=QQQ}", Struct, 24, 8, 3},
		{"{?={?=QQQ}{?=QQQ}}", Struct, 48, 8, 6},
		{"{?=CCCC}", Struct, 4, 1, 1},
		{"{?=ff}", Struct, 8, 4, 1},
		{"{?=}", Struct, 0, 1, 1},
		{"{NSZone}", Struct, 0, 1, 1},
		{"{?=cqc}", Struct, 24, 8, 3},
		{"{?=c{?=sc}i}", Struct, 12, 4, 2},
		{`{CGPoint="x"d"y"d}`, Struct, 16, 8, 2},
		{`{Foo="isa"#"name"@"NSString""next"@"flags"i}`, Struct, 32, 8, 4},
		{`{Foo="a"[2@"NSString"]"b"^@"c"i}`, Struct, 32, 8, 4},
		{"{_MTLPackedFloat3=(?={?=fff}[3f])}", Struct, 12, 4, 2},
		{"{_MTLPackedFloat4x3=[4{_MTLPackedFloat3=(?={?=fff}[3f])}]}", Struct, 48, 4, 6},
		{"(?=id[3s])", Union, 8, 8, 1},
		{"[12i]", Array, 48, 4, 6},
		{"[0i]", Array, 0, 4, 1},
		{"<4f>", Vector, 16, 16, 2},
		{"<3f>", Vector, 16, 16, 2},
		{"<2s>", Vector, 4, 4, 1},
		{"<3C>", Vector, 4, 4, 1},
		{"<16f>", Vector, 64, 64, 8},
		{"{?=<4S><4S>SSSSSS{?=SSSS}}", Struct, 40, 8, 5},
		{"{?=QB<4f><4f>}", Struct, 48, 16, 6},
		{"{?=b8b4b1b1b18[8S]}", Struct, 20, 4, 3},
		{"{?=b20b20}", Struct, 8, 4, 1},
		{"{?=b1b0b1}", Struct, 8, 4, 1},
		{"{?=cb4}", Struct, 4, 4, 1},
		{"{?=b40c}", Struct, 8, 8, 1},
		{"(?=b3b30)", Union, 4, 4, 1},
		{"{vector<int, std::allocator<int>>=^i^i^i}", Struct, 24, 8, 3},
		{"{(anonymous namespace)::S=i}", Struct, 4, 4, 1},
		{"rnNoORVAi", Int32, 4, 4, 1},
	} {
		got, err := Parse(c.enc)
		if !assert.NoError(t, err, c.enc) {
			continue
		}
		assert.Equal(t, c.kind, got.Kind, c.enc)
		assert.Equal(t, c.size, got.Size, "size of %s", c.enc)
		assert.Equal(t, c.align, got.Align, "align of %s", c.enc)
		assert.Equal(t, c.words, Words(got), "words of %s", c.enc)
		if c.enc != "l" && c.enc != "L" {
			assert.Equal(t, c.enc, got.String())
		}
	}
}

func TestParseParts(t *testing.T) {
	got, err := Parse(`{Foo="isa"#"name"@"NSString""next"@"flags"i"range"{_NSRange="location"Q"length"Q}}`)
	require.NoError(t, err)
	var names, classes []string
	var offsets []int
	for _, f := range got.Fields {
		names = append(names, f.FieldName)
		classes = append(classes, f.Name)
		offsets = append(offsets, f.Offset)
	}
	assert.Equal(t, "Foo", got.Name)
	assert.Equal(t, []string{"isa", "name", "next", "flags", "range"}, names)
	assert.Equal(t, []string{"", "NSString", "", "", "_NSRange"}, classes)
	assert.Equal(t, []int{0, 8, 16, 24, 32}, offsets)

	got, err = Parse("rN^r[3<4f>]")
	require.NoError(t, err)
	assert.True(t, got.Const)
	assert.Equal(t, InOut, got.Quals)
	assert.True(t, got.Elem.Const)
	assert.Equal(t, 3, got.Elem.Len)
	assert.Equal(t, Vector, got.Elem.Elem.Kind)
	assert.Equal(t, Float, got.Elem.Elem.Elem.Kind)
	assert.Equal(t, 48, got.Elem.Size)

	got, err = Parse("@?<B@?@Q>")
	require.NoError(t, err)
	require.NotNil(t, got.Sig)
	assert.Equal(t, Bool, got.Sig.Ret.Kind)
	assert.Len(t, got.Sig.Args, 3)
	assert.Equal(t, "B@?@Q", got.Sig.Encoding)

	got, err = Parse("{?=b8b30b0b40}")
	require.NoError(t, err)
	offsets = nil
	for _, f := range got.Fields {
		offsets = append(offsets, f.Offset)
	}
	assert.Equal(t, []int{0, 4, 8, 8}, offsets)
}

func kinds(ts []Type) []Kind {
	var ks []Kind
	for _, t := range ts {
		ks = append(ks, t.Kind)
	}
	return ks
}

func TestSignatures(t *testing.T) {
	for _, enc := range []string{"v@:@QQ", "v40@0:8@16Q24Q32", "v-40@+0:8@16Q24Q-32"} {
		s, err := ParseMethod(enc)
		require.NoError(t, err, enc)
		assert.Equal(t, Void, s.Ret.Kind)
		assert.Equal(t, []Kind{Object, Selector, Object, Uint64, Uint64}, kinds(s.Args))
		assert.Equal(t, enc, s.Encoding)
	}
	s, err := ParseMethod("{_NSRange=QQ}#:")
	require.NoError(t, err)
	assert.Equal(t, []Kind{Class, Selector}, kinds(s.Args))

	// A block without a signature before a SIMD vector.
	s, err = ParseMethod("v@:@?<4f>@?<v@?>i")
	require.NoError(t, err)
	assert.Equal(t, []Kind{Object, Selector, Block, Vector, Block, Int32}, kinds(s.Args))

	s, err = ParseBlock("v16@?0@8")
	require.NoError(t, err)
	assert.Equal(t, []Kind{Block, Object}, kinds(s.Args))

	s, err = ParseFunction("@")
	require.NoError(t, err)
	assert.Equal(t, Object, s.Ret.Kind)
	assert.Empty(t, s.Args)
	s, err = ParseFunction("v^vr^vQ")
	require.NoError(t, err)
	assert.Equal(t, []Kind{Pointer, Pointer, Uint64}, kinds(s.Args))
}

func TestErrors(t *testing.T) {
	type parse = func(string) error
	one := func(s string) error { _, err := Parse(s); return err }
	method := func(s string) error { _, err := ParseMethod(s); return err }
	block := func(s string) error { _, err := ParseBlock(s); return err }
	function := func(s string) error { _, err := ParseFunction(s); return err }
	for _, c := range []struct {
		parse parse
		enc   string
		pos   int
		msg   string
	}{
		{one, "", 0, "the encoding ends where a type is expected"},
		{one, "r", 1, "the encoding ends where a type is expected"},
		{one, "x", 0, "unknown type 'x'"},
		{one, "\x00", 0, `unknown type '\x00'`},
		{one, "ii", 1, "'i' after the type"},
		{one, "^", 1, "the encoding ends where a type is expected"},
		{one, "{Foo=i", 6, "a struct or union is not closed"},
		{one, "{Foo", 1, "a struct is not closed"},
		{one, "{}", 1, "a struct has no name"},
		{one, "(=i)", 1, "a union has no name"},
		{one, "{Foo=i)", 6, "unknown type ')'"},
		{one, "{Foo=v}", 5, "a field is void"},
		{one, `{Foo="a}`, 5, "no closing quote"},
		{one, `@"NSString`, 1, "no closing quote"},
		{one, `@""`, 1, "an empty class name"},
		{one, "[i]", 1, "no array length"},
		{one, "[3i", 3, "no ] after an array's element"},
		{one, "[3v]", 0, "an array of void"},
		{one, "[99999999999999999999i]", 1, "array length exceeds the limit of 268435456"},
		{one, "[268435456q]", 0, "an array of 268435456 elements of 8 bytes exceeds the limit of 268435456 bytes"},
		{one, "{?=[268435456c][268435456c]}", 15, "a struct exceeds the limit of 268435456 bytes"},
		{one, "<4@>", 0, "a vector of object"},
		{one, "<0f>", 0, "a vector of no elements"},
		{one, "<f>", 1, "no vector length"},
		{one, "<4f", 3, "no > after a vector's element"},
		{one, "<128d>", 0, "a vector of 1024 bytes exceeds the limit of 128"},
		{one, "b3", 0, "a bit field outside a struct or union"},
		{one, "{?=b65}", 4, "bit field width exceeds the limit of 64"},
		{one, "{?=b}", 4, "no bit field width"},
		{one, "j@", 0, "a complex number of object"},
		{one, "@?<v@?", 6, "no > after a block's signature"},
		{one, "@?<>", 3, "no result type"},
		{one, strings.Repeat("^", 100) + "v", 64, "nesting exceeds the limit of 64"},
		{one, strings.Repeat("{?=", 100), 192, "nesting exceeds the limit of 64"},
		{function, "", 0, "no result type"},
		{function, "iv", 1, "argument 0 is void"},
		{function, strings.Repeat("i", 70000), 65536, "70000 bytes exceed the limit of 65536"},
		{method, "v", 1, "a method's first argument is not self (@ or #)"},
		{method, "vQ:", 1, "a method's first argument is not self (@ or #)"},
		{method, "v@", 2, "a method's second argument is not _cmd (:)"},
		{method, "v16@0@8", 5, "a method's second argument is not _cmd (:)"},
		{block, "v@", 1, "a block's first argument is not the block (@?)"},
		{block, "v", 1, "a block's first argument is not the block (@?)"},
	} {
		err := c.parse(c.enc)
		var e *Error
		if assert.ErrorAs(t, err, &e, c.enc) {
			assert.Equal(t, c.pos, e.Pos, "%s: %v", c.enc, err)
			assert.Equal(t, c.msg, e.Msg, c.enc)
			assert.Less(t, len(e.Error()), 400)
		}
	}
	assert.EqualError(t, one("[i]"), `typeenc: no array length at offset 1 of "[i]"`)
}

func TestForAMD64(t *testing.T) {
	for in, want := range map[string]string{
		"v@:B":                      "v@:c",
		"B@:":                       "c@:",
		"@@:^B^@":                   "@@:^c^@",
		"v@:B@Q":                    "v@:c@Q",
		`v@:@"NSBundle"B`:           `v@:@"NSBundle"c`,
		"v@:{Big=QB}B":              "v@:{Big=Qc}c",
		`v@:{Big="Bar"B}`:           `v@:{Big="Bar"c}`,
		"v@:{B=Q}^{B}(B=i)":         "v@:{B=Q}^{B}(B=i)",
		"v@:@?<B@?B>":               "v@:@?<c@?c>",
		"B24@0:8B16":                "c24@0:8c16",
		"v@:{MTL4BufferRange=QQ}@Q": "v@:{MTL4BufferRange=QQ}@Q",
		"B<not an encoding":         "B<not an encoding",
		"":                          "",
	} {
		assert.Equal(t, want, ForAMD64(in), in)
	}
}

func TestPredicates(t *testing.T) {
	for enc, want := range map[string][4]bool{ // object, aggregate, float, signed
		"@": {true}, "#": {true}, "@?": {true}, "^@": {}, ":": {}, "{?=Q}": {false, true}, "(?=Q)": {false, true},
		"[2i]": {false, true},
		"f":    {false, false, true}, "d": {false, false, true}, "c": {false, false, false, true},
		"q": {false, false, false, true}, "B": {}, "Q": {},
	} {
		ty, err := Parse(enc)
		require.NoError(t, err)
		assert.Equal(t, want, [4]bool{ty.IsObject(), ty.IsAggregate(), ty.IsFloat(), ty.IsSigned()}, enc)
	}
	assert.Equal(t, "bit field", BitField.String())
	assert.Equal(t, "kind 200", Kind(200).String())
	for k := range numKinds {
		assert.NotEmpty(t, k.String())
	}
}
