package objcsoft

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strings of every sort: ASCII, NUL inside, two and three bytes, a pair.
var someStrings = []string{"", "a", "kernel void f()", "a\x00b", "grüße", "日本語", "x😀y", strings.Repeat("long ", 400)}

func TestStringBytes(t *testing.T) {
	h := newHarness(t)
	for _, s := range someStrings {
		id := h.str(s)
		got, err := h.GoString(id)
		require.NoError(t, err)
		require.Equal(t, s, got)
		units := newString(s).utf16()
		require.EqualValues(t, len(units), h.send(id, "length"))
		require.EqualValues(t, len(s), h.send(id, "lengthOfBytesUsingEncoding:", encUTF8))
		require.EqualValues(t, 2*len(units), h.send(id, "lengthOfBytesUsingEncoding:", encUTF16))
		require.GreaterOrEqual(t, int(h.send(id, "maximumLengthOfBytesUsingEncoding:", encUTF8)), len(s))
		for i, u := range units {
			require.EqualValues(t, u, h.send(id, "characterAtIndex:", uintptr(i)))
		}
		addr := h.send(id, "UTF8String")
		require.Equal(t, addr, h.send(id, "UTF8String"), "stable")
		b, err := ReadMemory(addr, uint64(len(s)+1))
		require.NoError(t, err)
		require.Equal(t, s+"\x00", string(b))
		if !strings.Contains(s, "\x00") {
			require.Equal(t, s, h.text(h.class("NSString"), "stringWithUTF8String:", addr))
			init := h.id(h.id(h.class("NSString"), "alloc"), "initWithUTF8String:", addr)
			require.Equal(t, s, h.text(init, "description"))
			require.NoError(t, h.Release(init))
		}
		if len(s) > 0 {
			x := h.id(h.id(h.class("NSString"), "alloc"), "initWithBytes:length:encoding:", addr, uintptr(len(s)), encUTF8)
			require.EqualValues(t, 1, h.send(h.own(x), "isEqualToString:", uintptr(id)))
			require.Equal(t, h.send(id, "hash"), h.send(x, "hash"))
		}
		buf := h.memory(make([]byte, 2*len(units)+8))
		h.send(id, "getCharacters:range:", buf, 0, uintptr(len(units)))
		require.Equal(t, s, h.text(h.class("NSString"), "stringWithCharacters:length:", buf, uintptr(len(units))))
	}
}

func TestStringEncodings(t *testing.T) {
	h := newHarness(t)
	for _, tc := range []struct {
		enc   uint64
		s     string
		bytes string
		mark  string // in data only
	}{
		{encASCII, "abc", "abc", ""},
		{encLatin1, "gr\u00fc\u00dfe", "gr\xfc\xdfe", ""},
		{encUTF16LE, "a😀", "a\x00\x3d\xd8\x00\xde", ""},
		{encUTF16BE, "a😀", "\x00a\xd8\x3d\xde\x00", ""},
		{encUTF16, "ab", "a\x00b\x00", "\xff\xfe"},
		{encUTF32LE, "😀", "\x00\xf6\x01\x00", ""},
		{encUTF32BE, "😀", "\x00\x01\xf6\x00", ""},
		{encUTF32, "a", "a\x00\x00\x00", "\xff\xfe\x00\x00"},
	} {
		id, enc := h.str(tc.s), uintptr(tc.enc)
		require.EqualValues(t, len(tc.bytes), h.send(id, "lengthOfBytesUsingEncoding:", enc))
		require.EqualValues(t, 1, h.send(id, "canBeConvertedToEncoding:", enc))
		data := h.id(id, "dataUsingEncoding:", enc)
		b, err := h.GoBytes(data)
		require.NoError(t, err)
		require.Equal(t, tc.mark+tc.bytes, string(b), "%#x", tc.enc)
		back := h.own(h.id(h.id(h.class("NSString"), "alloc"), "initWithData:encoding:", uintptr(data), enc))
		require.Equal(t, tc.s, h.text(back, "description"), "%#x", tc.enc)
		addr := h.send(id, "cStringUsingEncoding:", enc)
		b, err = ReadMemory(addr, uint64(len(tc.bytes)+1))
		require.NoError(t, err)
		require.Equal(t, tc.bytes+"\x00", string(b))
		k, _ := codecOf(tc.enc)
		buf := h.memory(make([]byte, 64))
		require.EqualValues(t, 1, h.send(id, "getCString:maxLength:encoding:", buf, uintptr(len(tc.bytes)+k.width), enc))
		require.Zero(t, h.send(id, "getCString:maxLength:encoding:", buf, uintptr(len(tc.bytes)+k.width-1), enc))
	}
	// Big-endian with its mark.
	v, ok := decodeString([]byte("\xfe\xff\x00a"), encUTF16)
	require.True(t, ok)
	require.Equal(t, "a", v.goString())
	v, ok = decodeString([]byte("\x00\x00\xfe\xff\x00\x00\x00a"), encUTF32)
	require.True(t, ok)
	require.Equal(t, "a", v.goString())

	id := h.str("grüße")
	require.Zero(t, h.send(id, "cStringUsingEncoding:", encASCII))
	require.Zero(t, h.send(id, "dataUsingEncoding:", encASCII))
	require.Zero(t, h.send(id, "dataUsingEncoding:", 4711))
	require.Zero(t, h.send(id, "lengthOfBytesUsingEncoding:", encASCII))
	require.Zero(t, h.send(id, "canBeConvertedToEncoding:", 4711))
	b, err := h.GoBytes(h.id(id, "dataUsingEncoding:allowLossyConversion:", encASCII, 1))
	require.NoError(t, err)
	require.Equal(t, "gr??e", string(b))
	require.EqualValues(t, encASCII, h.send(h.str("a"), "fastestEncoding"))
	require.EqualValues(t, encUTF16, h.send(id, "smallestEncoding"))
	require.EqualValues(t, encUTF8, h.send(h.class("NSString"), "defaultCStringEncoding"))
}

func TestStringInvalid(t *testing.T) {
	h := newHarness(t)
	bad := h.memory([]byte("a\xffb\x00"))
	alloc := func() ID { return h.id(h.class("NSString"), "alloc") }
	require.Zero(t, h.id(alloc(), "initWithUTF8String:", bad), "and the receiver is released")
	require.Zero(t, h.id(alloc(), "initWithBytes:length:encoding:", bad, 3, encUTF8))
	require.Zero(t, h.id(alloc(), "initWithBytes:length:encoding:", bad, 3, encASCII))
	require.Zero(t, h.id(alloc(), "initWithBytes:length:encoding:", bad, 3, encUTF16))
	require.Zero(t, h.id(alloc(), "initWithBytes:length:encoding:", bad, 3, 4711))
	require.Zero(t, h.id(h.class("NSString"), "stringWithUTF8String:", bad))
	require.Zero(t, h.Live("NSString"))
	_, err := h.try(h.class("NSString"), "stringWithUTF8String:", 0)
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(h.class("NSString"), "stringWithUTF8String:", 0x10)
	require.ErrorIs(t, err, ErrAddress)
	_, err = h.try(h.class("NSString"), "stringWithCharacters:length:", 0x10, math.MaxUint64)
	require.ErrorIs(t, err, ErrAddress)
	x := alloc()
	_, err = h.try(x, "initWithBytes:length:encoding:", 0x10, 100, encUTF8)
	require.ErrorIs(t, err, ErrAddress)
	require.False(t, h.IsLive(x))

	s, err := h.GoString(h.str("a\xffb"))
	require.NoError(t, err)
	require.Equal(t, "a\ufffdb", s)
	_, err = h.GoString(h.class("NSObject"))
	require.ErrorContains(t, err, "not a string")
	_, err = h.GoString(3)
	require.ErrorIs(t, err, ErrNotObject)
	s, err = h.GoString(0)
	require.NoError(t, err)
	require.Empty(t, s)

	// A string of a lone surrogate has units, but no UTF-8.
	lone := h.id(h.class("NSString"), "stringWithCharacters:length:", h.memory([]byte{'a', 0, 0x3d, 0xd8}), 2)
	require.EqualValues(t, 2, h.send(lone, "length"))
	require.EqualValues(t, 0xd83d, h.send(lone, "characterAtIndex:", 1))
	require.Zero(t, h.send(lone, "UTF8String"))
	require.Zero(t, h.send(lone, "dataUsingEncoding:", encUTF8))
	require.Equal(t, "a\ufffd", h.text(lone, "description"))
	low := h.id(h.class("NSString"), "stringWithCharacters:length:", h.memory([]byte{0, 0xde}), 1)
	require.Equal(t, "a😀", h.text(lone, "stringByAppendingString:", uintptr(low)), "halves join")
	require.EqualValues(t, 1, h.send(lone, "hasPrefix:", uintptr(h.str("a"))))
	require.EqualValues(t, 1, h.send(lone, "containsString:", uintptr(h.str("a"))))
	require.Zero(t, h.send(lone, "isEqual:", uintptr(low)))
}

func TestStringOutlivesPool(t *testing.T) {
	h := newHarness(t)
	token := h.PushPool()
	s := h.NewString("label")
	addr := h.send(s, "UTF8String")
	require.NoError(t, h.Release(s))
	require.True(t, h.IsLive(s), "the pool keeps what the address is in")
	text, err := ReadCString(addr)
	require.NoError(t, err)
	require.Equal(t, "label", text)
	require.NoError(t, h.PopPool(token))
	require.False(t, h.IsLive(s))
}

func TestStringParts(t *testing.T) {
	h := newHarness(t)
	id := h.str("x😀yz")
	require.Equal(t, "yz", h.text(id, "substringFromIndex:", 3))
	require.Equal(t, "x", h.text(id, "substringToIndex:", 1))
	require.Equal(t, "😀", h.text(id, "substringWithRange:", 1, 2))
	require.Equal(t, "", h.text(id, "substringFromIndex:", 5))
	require.Equal(t, "x😀yz!", h.text(id, "stringByAppendingString:", uintptr(h.str("!"))))
	require.Equal(t, "x😀Yz", h.text(id, "stringByReplacingOccurrencesOfString:withString:", uintptr(h.str("y")),
		uintptr(h.str("Y"))))
	require.Equal(t, "X😀YZ", h.text(id, "uppercaseString"))
	require.Equal(t, "x😀yz", h.text(id, "lowercaseString"))
	parts, err := h.ArrayItems(h.id(h.str("a,b,"), "componentsSeparatedByString:", uintptr(h.str(","))))
	require.NoError(t, err)
	require.Len(t, parts, 3)
	ret, err := h.try(id, "rangeOfString:", uintptr(h.str("y")))
	require.NoError(t, err)
	require.Equal(t, []uintptr{3, 1}, ret[:2])
	ret, err = h.try(id, "rangeOfString:", uintptr(h.str("q")))
	require.NoError(t, err)
	require.Equal(t, []uintptr{notFound, 0}, ret[:2])
	for sel, want := range map[string][2]string{"hasPrefix:": {"x😀", "y"}, "hasSuffix:": {"yz", "x"},
		"containsString:": {"😀y", "zz"}} {
		require.EqualValues(t, 1, h.send(id, sel, uintptr(h.str(want[0]))), sel)
		require.Zero(t, h.send(id, sel, uintptr(h.str(want[1]))), sel)
	}
	require.EqualValues(t, 1, h.send(id, "compare:", uintptr(h.str("x"))))
	require.EqualValues(t, uintptr(math.MaxUint64), h.send(h.str("a"), "compare:", uintptr(h.str("b"))))
	require.Zero(t, h.send(h.str("GRÜN"), "caseInsensitiveCompare:", uintptr(h.str("grün"))))
	require.Equal(t, id, h.id(id, "copy"))
	require.NoError(t, h.Release(id))

	for _, bad := range []struct {
		sel  string
		args []uintptr
	}{
		{"characterAtIndex:", []uintptr{5}},
		{"characterAtIndex:", []uintptr{math.MaxUint64}},
		{"substringFromIndex:", []uintptr{6}},
		{"substringToIndex:", []uintptr{6}},
		{"substringWithRange:", []uintptr{3, math.MaxUint64}},
		{"getCharacters:range:", []uintptr{0x10, 5, 1}},
		{"stringByAppendingString:", []uintptr{0}},
		{"hasPrefix:", []uintptr{uintptr(h.class("NSString"))}},
	} {
		_, err := h.try(id, bad.sel, bad.args...)
		require.ErrorIs(t, err, ErrException, bad.sel)
	}
	_, err = h.try(id, "getCharacters:range:", 0x10, 0, 1)
	require.ErrorIs(t, err, ErrAddress)
	_, err = h.try(id, "isEqualToString:", 17)
	require.NoError(t, err)
	x := h.own(h.id(h.class("NSString"), "alloc"))
	require.Zero(t, h.send(x, "length"), "a string that was not initialized is empty")
	_, err = h.try(h.NewString("abc"), "initWithString:", uintptr(id)) // takes the reference
	require.ErrorContains(t, err, "initialized already")
}

func TestStringGetBytes(t *testing.T) {
	h := newHarness(t)
	id := h.str("aß😀")
	buf, used, rest := h.memory(make([]byte, 32)), h.array(99), h.array(9, 9)
	get := func(addr, limit, enc, options, from, n uintptr) (ok uintptr, got string, remaining [2]uintptr) {
		t.Helper()
		ok = h.send(id, "getBytes:maxLength:usedLength:encoding:options:range:remainingRange:", addr, limit, used, enc,
			options, from, n, rest)
		b, err := ReadMemory(buf, uint64(h.word(used)))
		require.NoError(t, err)
		return ok, string(b), [2]uintptr{h.word(rest), h.word(rest + 8)}
	}
	ok, s, left := get(buf, 32, encUTF8, 0, 0, 4)
	assert.EqualValues(t, 1, ok)
	assert.Equal(t, "aß😀", s)
	assert.Equal(t, [2]uintptr{4, 0}, left)
	ok, s, left = get(buf, 5, encUTF8, 0, 0, 4)
	assert.EqualValues(t, 1, ok)
	assert.Equal(t, "aß", s, "whole characters only")
	assert.Equal(t, [2]uintptr{2, 2}, left)
	ok, s, left = get(buf, 32, encASCII, 0, 1, 3)
	assert.Zero(t, ok)
	assert.Empty(t, s)
	assert.Equal(t, [2]uintptr{1, 3}, left)
	_, s, _ = get(buf, 32, encASCII, conversionLossy, 0, 4)
	assert.Equal(t, "a??", s)
	_, s, _ = get(buf, 32, encUTF16, conversionExternal, 0, 1)
	assert.Equal(t, "\xff\xfea\x00", s)
	get(0, 0, encUTF8, 0, 0, 4)
	assert.EqualValues(t, 7, h.word(used), "a nil buffer counts")
	ok, _, _ = get(buf, 32, 4711, 0, 0, 4)
	assert.Zero(t, ok)
	_, err := h.try(id, "getBytes:maxLength:usedLength:encoding:options:range:remainingRange:", buf, 32, used, encUTF8, 0,
		3, 2, rest)
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(id, "getBytes:maxLength:usedLength:encoding:options:range:remainingRange:", 0x20, 32, 0, encUTF8, 0, 0,
		2, 0)
	require.ErrorIs(t, err, ErrAddress)
}

func TestStringNumbers(t *testing.T) {
	h := newHarness(t)
	for s, want := range map[string]float64{"": 0, "x": 0, " 12abc": 12, "-3.5e2z": -350, "1e": 1, ".5": 0.5, "+7": 7,
		"1e999": math.Inf(1)} {
		got := h.send(h.str(s), "doubleValue")
		require.Equal(t, want, math.Float64frombits(uint64(got)), "%q", s)
	}
	require.Equal(t, uintptr(math.Float32bits(1.5)), h.send(h.str("1.5"), "floatValue"))
	for s, want := range map[string]int64{"": 0, "-12x": -12, "99999999999999999999": math.MaxInt64, "--1": 0} {
		require.Equal(t, want, int64(h.send(h.str(s), "integerValue")), "%q", s)
		require.Equal(t, want, int64(h.send(h.str(s), "longLongValue")), "%q", s)
	}
	require.Equal(t, int64(math.MaxInt32), int64(h.send(h.str("99999999999"), "intValue")))
	for s, want := range map[string]uintptr{"YES": 1, "no": 0, "0": 0, "+01": 1, "true": 1, "": 0} {
		require.Equal(t, want, h.send(h.str(s), "boolValue"), "%q", s)
	}
}

func TestStringPaths(t *testing.T) {
	h := newHarness(t)
	for _, tc := range []struct{ s, last, ext, dir, base string }{
		{"/a/b.metal", "b.metal", "metal", "/a", "/a/b"},
		{"/a/", "a", "", "/", "/a"},
		{"a", "a", "", "", "a"},
		{"/", "/", "", "/", "/"},
		{"", "", "", "", ""},
		{"a/.hidden", ".hidden", "", "a", "a/.hidden"},
		{"/b.tar.gz/", "b.tar.gz", "gz", "/", "/b.tar"},
	} {
		id := h.str(tc.s)
		require.Equal(t, tc.last, h.text(id, "lastPathComponent"), tc.s)
		require.Equal(t, tc.ext, h.text(id, "pathExtension"), tc.s)
		require.Equal(t, tc.dir, h.text(id, "stringByDeletingLastPathComponent"), tc.s)
		require.Equal(t, tc.base, h.text(id, "stringByDeletingPathExtension"), tc.s)
	}
	require.Equal(t, "/a/b", h.text(h.str("/a/"), "stringByAppendingPathComponent:", uintptr(h.str("b"))))
	require.Equal(t, "b", h.text(h.str(""), "stringByAppendingPathComponent:", uintptr(h.str("b"))))
	require.Equal(t, "a.b", h.text(h.str("a"), "stringByAppendingPathExtension:", uintptr(h.str("b"))))
	require.EqualValues(t, 1, h.send(h.str("/a"), "isAbsolutePath"))
	require.Zero(t, h.send(h.str("a"), "isAbsolutePath"))
}

func FuzzString(f *testing.F) {
	for _, s := range someStrings {
		f.Add([]byte(s), uint8(0))
	}
	f.Add([]byte("a\xffb\x00\xc3"), uint8(3))
	f.Add([]byte{0x3d, 0xd8, 'a', 0}, uint8(6))
	rt := New()
	encodings := []uint64{encUTF8, encASCII, encLatin1, encUTF16, encUTF16BE, encUTF16LE, encUTF32, encUTF32BE, encUTF32LE,
		77}
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		token := rt.PushPool()
		id := rt.NewString(string(b))
		s, err := rt.GoString(id)
		require.NoError(t, err)
		require.Equal(t, strings.ToValidUTF8(string(b), "\ufffd"), s)
		require.True(t, utf8.ValidString(s))

		enc := encodings[int(which)%len(encodings)]
		p := pinBytes(append(b, 0))
		alloc, err := rt.Message(rt.Class("NSString").ID(), "alloc", "@@:")
		require.NoError(t, err)
		w, err := rt.Message(ID(alloc), "initWithBytes:length:encoding:", "@@:r^vQQ", p.address(), uintptr(len(b)),
			uintptr(enc))
		require.NoError(t, err)
		if enc == encUTF8 {
			require.Equal(t, utf8.Valid(b), w != 0)
		}
		if w != 0 { // what was decoded encodes to what decodes to the same
			v := stringOf(rt.table.get(ID(w)))
			require.Equal(t, len(v.utf16()), v.units)
			for _, again := range encodings {
				if enc, ok := v.encodeAll(again, false, true); ok {
					back, ok := decodeString(enc, again)
					require.True(t, ok)
					if !strings.HasPrefix(v.goString(), "\ufeff") && !strings.HasPrefix(v.goString(), "\ufffe") {
						require.True(t, v.equal(back), "%q %q", v.goString(), back.goString())
						require.Equal(t, v.hash(), back.hash())
					}
				}
			}
			for lo := 0; lo <= min(v.units, 40); lo++ {
				require.True(t, v.slice(0, lo).append(v.slice(lo, v.units)).equal(v), "cut at %d", lo)
			}
			require.NoError(t, rt.Release(ID(w)))
		}
		p.unpin()
		require.NoError(t, rt.Release(id))
		require.NoError(t, rt.PopPool(token))
		require.Zero(t, rt.LiveTotal())
	})
}
