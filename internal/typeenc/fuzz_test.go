package typeenc

import (
	"reflect"
	"testing"
)

// FuzzParse asserts that no input panics, that what parses prints as an
// encoding of the same type, and that sizes are sane.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"v@:@QQ", "v24@0:8@16", "{?={?=QQQ}{?=QQQ}}@:", "v@?@", "@", "r^{?={?=QQQ}{?=QQQ}}",
		`{Foo="isa"#"name"@"NSString""next"@"n"i}`,
		"{?=b8b4b1b1b18[8S]}", "{_MTLPackedFloat3=(?={?=fff}[3f])}", "v@:@?<4f>@?<v@?>", "{?=QB<4f><4f>}",
		"[1{__va_list_tag=II^v^v}]",
		"{vector<int, std::allocator<int>>=^i^i^i}", "rnNoORVA@", "jd", "^?", "[99999999999i]", "@?<", "{?=b0b64b1}",
		"(?=b3D)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ForAMD64(s)
		_, _ = ParseMethod(s)
		_, _ = ParseBlock(s)
		if sig, err := ParseFunction(s); err == nil {
			check(t, s, &sig.Ret)
			for i := range sig.Args {
				check(t, s, &sig.Args[i])
			}
		}
		ty, err := Parse(s)
		if err != nil {
			return
		}
		check(t, s, &ty)
		again, err := Parse(ty.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", s, ty.String(), err)
		}
		if !equal(&ty, &again) {
			t.Fatalf("%q prints as %q, which is another type", s, ty.String())
		}
	})
}

func check(t *testing.T, s string, ty *Type) {
	if ty.Kind == Invalid || ty.Align < 1 || ty.Size < 0 || ty.Size > MaxSize+MaxSize || ty.Size%ty.Align != 0 {
		t.Fatalf("%q: %v of size %d and alignment %d", s, ty.Kind, ty.Size, ty.Align)
	}
	end := 0
	for i := range ty.Fields {
		f := &ty.Fields[i]
		if f.Offset+f.Size > ty.Size && f.Kind != BitField {
			t.Fatalf("%q: field %d ends at %d of %d", s, i, f.Offset+f.Size, ty.Size)
		}
		if ty.Kind == Struct && f.Kind != BitField && f.Offset < end {
			t.Fatalf("%q: field %d at %d overlaps %d", s, i, f.Offset, end)
		}
		if f.Kind != BitField {
			end = f.Offset + f.Size
		}
		check(t, s, f)
	}
}

// equal compares types, except for the text of block signatures, which may have contained frame
// offsets.
func equal(a, b *Type) bool {
	x, y := *a, *b
	if (x.Sig == nil) != (y.Sig == nil) || (x.Elem == nil) != (y.Elem == nil) || len(x.Fields) != len(y.Fields) {
		return false
	}
	if x.Sig != nil && (!equal(&x.Sig.Ret, &y.Sig.Ret) || !equalAll(x.Sig.Args, y.Sig.Args)) {
		return false
	}
	if x.Elem != nil && !equal(x.Elem, y.Elem) || !equalAll(x.Fields, y.Fields) {
		return false
	}
	x.Sig, x.Elem, x.Fields, y.Sig, y.Elem, y.Fields = nil, nil, nil, nil, nil, nil
	return reflect.DeepEqual(x, y)
}

func equalAll(a, b []Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}
