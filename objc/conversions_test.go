package objc

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestStrings(t *testing.T) {
	clean(t)
	for _, s := range []string{"", "a", "Größe 8×8", "日本語 🎉", "a\x00b", "\x00", strings.Repeat("long ", 20000)} {
		id := NewString(s)
		require.False(t, id.IsNil(), "%q", s)
		require.Equal(t, s, GoString(id))
		require.Equal(t, 1, strings.Count(Description(id)+"|", "|"))
		Release(id)
	}
	id := NewString("bad \xff\xfe utf-8")
	require.Equal(t, "bad \uFFFD utf-8", GoString(id))
	Release(id)
	require.Equal(t, "", GoString(0))
}

func FuzzStrings(f *testing.F) {
	for _, s := range []string{"", "a", "\x00", "é\x00ü", "\xff", "🎉"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id := NewString(s)
		defer Release(id)
		if want := strings.ToValidUTF8(s, "\uFFFD"); GoString(id) != want {
			t.Fatalf("%q came back as %q", want, GoString(id))
		}
		if !utf8.ValidString(GoString(id)) {
			t.Fatalf("%q is not UTF-8", GoString(id))
		}
	})
}

func TestCollections(t *testing.T) {
	clean(t)
	Pool(func() {
		a := NewStrings([]string{"x", "", "z"})
		require.Equal(t, []string{"x", "", "z"}, GoStrings(a))
		Release(a)

		empty := NewStrings(nil)
		require.False(t, empty.IsNil())
		require.Empty(t, GoStrings(empty))
		Release(empty)

		m := map[string]string{"N": "8", "": "empty key", "k": ""}
		d := NewStringMap(m)
		require.Equal(t, m, GoStringMap(d))
		Release(d)

		n := NewInt(7)
		d = NewMap(map[string]ID{"n": n}, func(id ID) ID { return id })
		Release(n)
		require.Equal(t, map[string]int64{"n": 7}, MapOf(d, GoInt))
		require.Equal(t, map[string]string{"n": "7"}, GoStringMap(d))
		Release(d)

		require.Nil(t, ArrayOf(0, GoString))
		require.Nil(t, MapOf(0, GoString))
	})
	wantFault(t, ErrNotObject, func() { require.True(t, NewArray([]ID{0}).IsNil()) })
	wantFault(t, ErrNotObject, func() { require.True(t, NewMap(map[string]ID{"k": 0}, ID.ID).IsNil()) })
}

func TestNumbersAndData(t *testing.T) {
	clean(t)
	for _, v := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
		id := NewInt(v)
		require.Equal(t, v, GoInt(id))
		Release(id)
	}
	id := NewUint(math.MaxUint64)
	require.Equal(t, uint64(math.MaxUint64), GoUint(id))
	Release(id)
	for _, v := range []float64{0, -0.5, math.Pi, math.Inf(1), math.MaxFloat64} {
		id := NewFloat(v)
		require.Equal(t, v, GoFloat(id))
		Release(id)
	}
	id = NewBool(true)
	require.True(t, GoBool(id))
	Release(id)
	require.Zero(t, GoInt(0))
	require.Zero(t, GoFloat(0))

	for _, b := range [][]byte{nil, {0}, []byte("data\x00more"), make([]byte, 1<<20)} {
		id := NewData(b)
		require.Equal(t, len(b), len(GoBytes(id)))
		if len(b) > 0 {
			require.Equal(t, b, GoBytes(id))
		}
		Release(id)
	}
	require.Nil(t, GoBytes(0))
	id = NewDispatchData([]byte{1, 2, 3})
	require.False(t, id.IsNil())
	Release(id)
}

func TestURLs(t *testing.T) {
	clean(t)
	for _, s := range []string{"/tmp/a b.metallib", "/", "https://example.org/x?y=1"} {
		id := NewURL(s)
		require.Equal(t, s, GoURL(id))
		Release(id)
	}
	require.True(t, NewURL("").IsNil())
	require.Equal(t, "", GoURL(0))
}

func TestErrors(t *testing.T) {
	clean(t)
	Pool(func() {
		cause := &Error{Domain: "inner", Code: -3, Description: "the cause"}
		want := &Error{Domain: "MTLLibraryErrorDomain", Code: 3, Description: "program_source:1:1: error: x",
			Underlying: cause}
		id := NewError(want)
		err := ErrorFrom(id)
		Release(id)
		require.ErrorIs(t, err, &Error{Domain: "MTLLibraryErrorDomain", Code: 3})
		require.ErrorIs(t, err, &Error{Domain: "inner", Code: -3})
		require.NotErrorIs(t, err, &Error{Domain: "inner", Code: 3})
		var got *Error
		require.True(t, errors.As(err, &got))
		require.Equal(t, want.Description, got.Description)
		require.Contains(t, err.Error(), "MTLLibraryErrorDomain 3")
	})
	require.NoError(t, ErrorFrom(0))
}

func FuzzErrors(f *testing.F) {
	f.Add("MTLLibraryErrorDomain", 3, "text", "inner", -1)
	f.Add("", 0, "", "", 0)
	f.Add("a\x00b", math.MaxInt, "\xff", "é", math.MinInt)
	f.Fuzz(func(t *testing.T, domain string, code int, description, inner string, innerCode int) {
		valid := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
		id := NewError(&Error{Domain: domain, Code: code, Description: description,
			Underlying: &Error{Domain: inner, Code: innerCode}})
		if id == 0 {
			t.Fatal("no error was made")
		}
		defer Release(id)
		var got *Error
		if !errors.As(ErrorFrom(id), &got) || got.Domain != valid(domain) || got.Code != code {
			t.Fatalf("%q %d came back as %v", domain, code, got)
		}
		if description != "" && got.Description != valid(description) {
			t.Fatalf("%q came back as %q", description, got.Description)
		}
		if !errors.Is(got, &Error{Domain: valid(inner), Code: innerCode}) {
			t.Fatalf("the underlying %q %d is lost: %v", inner, innerCode, got.Underlying)
		}
	})
}

func TestProcessInfo(t *testing.T) {
	clean(t)
	info, err := ReadProcessInfo()
	require.NoError(t, err)
	require.Greater(t, info.PhysicalMemory, uint64(64<<20))
	require.Positive(t, info.Processors)
	require.Positive(t, info.ActiveProcessors)
	require.Positive(t, info.Uptime)
	require.NotEmpty(t, info.VersionString)
	require.Positive(t, info.Major)
}

func TestTrueVersion(t *testing.T) {
	require.Equal(t, "macOS 15.7", trueVersion(15, 7).String())
	require.Equal(t, "macOS 26.4", trueVersion(16, 4).String())
	require.Equal(t, "macOS 26.4", trueVersion(26, 4).String())
	require.Equal(t, "macOS 27.0", trueVersion(17, 0).String())
}

func TestWords(t *testing.T) {
	type rgba struct{ r, g, b, a uint8 }
	require.Equal(t, uintptr(0x04030201), Pack(rgba{1, 2, 3, 4}))
	require.Equal(t, rgba{1, 2, 3, 4}, Unpack[rgba](0x04030201))
	type packed3 struct{ x, y, z float32 }
	a, b := Pack2(packed3{1, 2, 3})
	require.Equal(t, packed3{1, 2, 3}, Unpack[packed3](a, b))
	require.Equal(t, packed3{1, 2, 0}, Unpack[packed3](a))
	require.Equal(t, float32(-1.5), ToF32(F32(-1.5)))
	require.Equal(t, -1.5, ToF64(F64(-1.5)))
	require.Equal(t, uintptr(1), Bool(true))
	require.Zero(t, Slice([]int(nil)))
	require.Zero(t, Addr[int](nil))
	require.Nil(t, View(0, 10))
}
