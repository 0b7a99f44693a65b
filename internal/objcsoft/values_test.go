package objcsoft

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	h := newHarness(t)
	f64 := func(f float64) uintptr { return uintptr(math.Float64bits(f)) }
	neg := func(n int64) uintptr { return uintptr(n) }
	for _, tc := range []struct {
		make string
		word uintptr
		text string
		ctyp string
		get  map[string]uintptr
	}{
		{"Char", neg(-5), "-5", "c",
			map[string]uintptr{"charValue": neg(-5), "unsignedCharValue": 251, "longValue": neg(-5), "doubleValue": f64(-5)}},
		{"UnsignedChar", 250, "250", "C", map[string]uintptr{"charValue": neg(-6), "intValue": 250}},
		{"Short", neg(-300), "-300", "s",
			map[string]uintptr{"shortValue": neg(-300), "unsignedShortValue": 65236, "boolValue": 1}},
		{"UnsignedInt", 4000000000, "4000000000", "I",
			map[string]uintptr{"unsignedIntValue": 4000000000, "intValue": neg(-294967296)}},
		{"LongLong", neg(math.MinInt64), "-9223372036854775808", "q",
			map[string]uintptr{"longLongValue": neg(math.MinInt64)}},
		{"UnsignedLongLong", math.MaxUint64, "18446744073709551615", "Q",
			map[string]uintptr{"unsignedLongLongValue": math.MaxUint64, "longLongValue": neg(-1),
				"doubleValue": f64(math.MaxUint64)}},
		{"Integer", 7, "7", "q", map[string]uintptr{"integerValue": 7, "unsignedIntegerValue": 7, "boolValue": 1,
			"floatValue": uintptr(math.Float32bits(7))}},
		{"Float", uintptr(math.Float32bits(0.1)), "0.1", "f", map[string]uintptr{"floatValue": uintptr(math.Float32bits(0.1)),
			"doubleValue": f64(float64(float32(0.1))), "boolValue": 1}},
		{"Double", f64(-2.75), "-2.75", "d",
			map[string]uintptr{"doubleValue": f64(-2.75), "intValue": neg(-2), "unsignedLongValue": neg(-2)}},
		{"Double", f64(1e300), "1e+300", "d",
			map[string]uintptr{"longValue": math.MaxInt64, "unsignedLongValue": math.MaxUint64}},
		{"Double", f64(-1e300), "-1e+300", "d", map[string]uintptr{"longValue": neg(math.MinInt64)}},
		{"Double", f64(1 << 63), "9.223372036854775808e+18", "d", map[string]uintptr{"unsignedLongValue": 1 << 63}},
		{"Double", f64(math.NaN()), "NaN", "d", map[string]uintptr{"longValue": 0}},
		{"Bool", 1, "1", "c", map[string]uintptr{"boolValue": 1, "intValue": 1}},
		{"Bool", 0, "0", "c", map[string]uintptr{"boolValue": 0}},
	} {
		made := h.id(h.class("NSNumber"), "numberWith"+tc.make+":", tc.word)
		init := h.own(h.id(h.id(h.class("NSNumber"), "alloc"), "initWith"+tc.make+":", tc.word))
		for _, id := range []ID{made, init} {
			if tc.text != "9.223372036854775808e+18" {
				require.Equal(t, tc.text, h.text(id, "stringValue"))
			}
			ctype, err := ReadCString(h.send(id, "objCType"))
			require.NoError(t, err)
			require.Equal(t, tc.ctyp, ctype)
			for getter, want := range tc.get {
				require.Equal(t, want, h.send(id, getter), "%s %s", tc.text, getter)
			}
		}
		require.EqualValues(t, 1, h.send(made, "isEqual:", uintptr(init)), tc.text)
		require.Equal(t, h.send(made, "hash"), h.send(init, "hash"))
		require.Equal(t, made, h.id(made, "copy"))
		require.NoError(t, h.Release(made))
	}

	big, near := h.own(h.NewInt(1<<53+1)), h.own(h.NewFloat(1<<53))
	require.Zero(t, h.send(big, "isEqualToNumber:", uintptr(near)), "compared exactly")
	require.EqualValues(t, 1, h.send(big, "compare:", uintptr(near)))
	require.Equal(t, neg(-1), h.send(h.own(h.NewInt(-1)), "compare:", uintptr(h.own(h.NewUint(math.MaxUint64)))))
	nan := h.own(h.NewFloat(math.NaN()))
	require.Equal(t, neg(-1), h.send(nan, "compare:", uintptr(near)))
	require.EqualValues(t, 1, h.send(near, "compare:", uintptr(nan)))
	require.Equal(t, h.send(h.own(h.NewFloat(4)), "hash"), h.send(h.own(h.NewUint(4)), "hash"))
	require.Zero(t, h.send(big, "isEqual:", uintptr(h.str("1"))))
	_, err := h.try(big, "compare:", uintptr(h.str("1")))
	require.ErrorIs(t, err, ErrException)
	n, err := h.GoNumber(h.own(h.NewBool(true)))
	require.NoError(t, err)
	require.Equal(t, Number{Kind: 'c', Int: 1, Uint: 1, Float: 1}, n)
	_, err = h.GoNumber(0)
	require.Error(t, err)
	require.Zero(t, h.send(h.own(h.id(h.class("NSNumber"), "alloc")), "intValue"))
}

func TestValues(t *testing.T) {
	h := newHarness(t)
	v := h.id(h.class("NSValue"), "valueWithRange:", 3, 4)
	ret, err := h.try(v, "rangeValue")
	require.NoError(t, err)
	require.Equal(t, []uintptr{3, 4}, ret[:2])
	buf := h.array(0, 0)
	h.send(v, "getValue:size:", buf, 16)
	require.Equal(t, uintptr(4), h.word(buf+8))
	_, err = h.try(v, "getValue:size:", buf, 8)
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(v, "rectValue")
	require.ErrorIs(t, err, ErrException)
	typ := h.memory([]byte("{_NSRange=QQ}\x00"))
	same := h.own(h.id(h.id(h.class("NSValue"), "alloc"), "initWithBytes:objCType:", buf, typ))
	require.EqualValues(t, 1, h.send(v, "isEqual:", uintptr(same)))
	require.EqualValues(t, 1, h.send(v, "isEqualToValue:",
		uintptr(h.id(h.class("NSValue"), "valueWithBytes:objCType:", buf, typ))))
	require.Equal(t, h.send(v, "hash"), h.send(same, "hash"))
	require.Equal(t, "{length = 16, bytes = 0x03000000000000000400000000000000}", h.text(v, "description"))
	require.EqualValues(t, 0x1234, h.send(h.id(h.class("NSValue"), "valueWithPointer:", 0x1234), "pointerValue"))
	require.Equal(t, same, h.id(h.id(h.class("NSValue"), "valueWithNonretainedObject:", uintptr(same)),
		"nonretainedObjectValue"))
	rect := h.id(h.class("NSValue"), "valueWithRect:", 1, 2, 3, 4)
	ret, err = h.try(rect, "rectValue")
	require.NoError(t, err)
	require.Equal(t, []uintptr{1, 2, 3, 4, 0}, ret[:5])
	_, err = h.try(h.class("NSValue"), "value:withObjCType:", buf, h.memory([]byte("v\x00")))
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(h.class("NSValue"), "value:withObjCType:", 0x10, typ)
	require.ErrorIs(t, err, ErrAddress)
	h.send(h.own(h.NewInt(258)), "getValue:size:", buf, 8)
	require.EqualValues(t, 258, h.word(buf))
}

func TestData(t *testing.T) {
	h := newHarness(t)
	src := h.memory([]byte("bytes\x00here"))
	d := h.own(h.id(h.id(h.class("NSData"), "alloc"), "initWithBytes:length:", src, 10))
	require.EqualValues(t, 10, h.send(d, "length"))
	addr := h.send(d, "bytes")
	require.Equal(t, addr, h.send(d, "bytes"), "stable")
	require.NotEqual(t, src, addr)
	b, err := ReadMemory(addr, 10)
	require.NoError(t, err)
	require.Equal(t, "bytes\x00here", string(b))
	sub, err := h.GoBytes(h.id(d, "subdataWithRange:", 2, 3))
	require.NoError(t, err)
	require.Equal(t, "tes", string(sub))
	buf := h.memory(make([]byte, 8))
	h.send(d, "getBytes:length:", buf, 3)
	h.send(d, "getBytes:range:", buf+3, 6, 4)
	b, err = ReadMemory(buf, 8)
	require.NoError(t, err)
	require.Equal(t, "bythere\x00", string(b))
	require.Equal(t, "{length = 10, bytes = 0x62797465730068657265}", h.text(d, "description"))
	require.Contains(t, h.text(h.own(h.NewData(make([]byte, 100))), "description"), " ... ")
	same := h.own(h.NewData([]byte("bytes\x00here")))
	require.EqualValues(t, 1, h.send(d, "isEqual:", uintptr(same)))
	require.Equal(t, h.send(d, "hash"), h.send(same, "hash"))
	require.Zero(t, h.send(d, "isEqualToData:", uintptr(h.id(h.class("NSData"), "data"))))
	require.Zero(t, h.send(h.id(h.class("NSData"), "data"), "bytes"))
	require.Equal(t, "Ynl0ZXMAaGVyZQ==", h.text(d, "base64EncodedStringWithOptions:", 0))
	back := h.own(h.id(h.id(h.class("NSData"), "alloc"), "initWithBase64EncodedString:options:",
		uintptr(h.str("Ynl0ZXMAaGVyZQ==")), 0))
	require.EqualValues(t, 1, h.send(d, "isEqual:", uintptr(back)))
	require.Zero(t, h.id(h.id(h.class("NSData"), "alloc"), "initWithBase64EncodedString:options:", uintptr(h.str("?")), 0))
	require.EqualValues(t, 1, h.send(d, "isEqual:", uintptr(h.id(h.class("NSData"), "dataWithData:", uintptr(d)))))
	require.EqualValues(t, 4, h.send(h.id(h.class("NSData"), "dataWithBytes:length:", src, 4), "length"))
	require.Equal(t, d, h.id(d, "copy"))
	require.NoError(t, h.Release(d))

	var freed []uintptr
	free, err := h.NewBlock("v@?^vQ", func(args []uintptr) uintptr { freed = append(freed, args...); return 0 })
	require.NoError(t, err)
	mine := h.id(h.id(h.class("NSData"), "alloc"), "initWithBytesNoCopy:length:deallocator:", src, 5, uintptr(free))
	require.NoError(t, h.Release(free), "the data keeps it")
	require.Equal(t, src, h.send(mine, "bytes"))
	b, err = h.GoBytes(mine)
	require.NoError(t, err)
	require.Equal(t, "bytes", string(b))
	require.NoError(t, h.Release(mine))
	require.Equal(t, []uintptr{src, 5}, freed)

	for _, bad := range []struct {
		recv ID
		sel  string
		args []uintptr
		is   error
	}{
		{h.class("NSData"), "dataWithBytes:length:", []uintptr{0x10, 4}, ErrAddress},
		{h.class("NSData"), "dataWithBytes:length:", []uintptr{src, math.MaxUint64}, ErrAddress},
		{d, "getBytes:length:", []uintptr{0x10, 4}, ErrAddress},
		{d, "getBytes:range:", []uintptr{buf, 8, 3}, ErrException},
		{d, "subdataWithRange:", []uintptr{11, 0}, ErrException},
		{h.id(h.class("NSData"), "dataWithBytesNoCopy:length:", 0x10, 4), "description", nil, ErrAddress},
		{h.class("NSData"), "dataWithData:", words(h.str("x")), ErrException},
	} {
		_, err := h.try(bad.recv, bad.sel, bad.args...)
		require.ErrorIs(t, err, bad.is, bad.sel)
	}
	_, err = h.GoBytes(h.str("x"))
	require.ErrorContains(t, err, "not data")
	_, err = h.GoBytes(h.id(h.class("NSData"), "dataWithBytesNoCopy:length:freeWhenDone:", 0x10, 4, 0))
	require.ErrorIs(t, err, ErrAddress)
	b, err = h.GoBytes(0)
	require.NoError(t, err)
	require.Nil(t, b)
}

func TestURL(t *testing.T) {
	h := newHarness(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "a b%.metal")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	u := h.own(h.NewFileURL(file))
	require.EqualValues(t, 1, h.send(u, "isFileURL"))
	require.Equal(t, filepath.ToSlash(file), h.text(u, "path"))
	require.True(t, strings.HasPrefix(h.text(u, "absoluteString"), "file:///"))
	require.True(t, strings.HasSuffix(h.text(u, "absoluteString"), "/a%20b%25.metal"))
	require.Equal(t, "a b%.metal", h.text(u, "lastPathComponent"))
	require.Equal(t, "metal", h.text(u, "pathExtension"))
	require.Zero(t, h.send(u, "hasDirectoryPath"))
	back := h.id(h.class("NSURL"), "URLWithString:", uintptr(h.id(u, "absoluteString")))
	require.EqualValues(t, 1, h.send(u, "isEqual:", uintptr(back)))
	require.Equal(t, h.send(u, "hash"), h.send(back, "hash"))
	c, err := ReadCString(h.send(u, "fileSystemRepresentation"))
	require.NoError(t, err)
	require.Equal(t, h.text(u, "path"), c)
	text, isFile, err := h.GoURL(u)
	require.NoError(t, err)
	require.True(t, isFile)
	require.Equal(t, h.text(u, "path"), text)

	d := h.id(h.class("NSURL"), "fileURLWithPath:", uintptr(h.str(dir)))
	require.EqualValues(t, 1, h.send(d, "hasDirectoryPath"))
	require.Equal(t, filepath.ToSlash(dir), h.text(d, "path"))
	require.EqualValues(t, 1, h.send(u, "isEqual:",
		uintptr(h.id(d, "URLByAppendingPathComponent:", uintptr(h.str("a b%.metal"))))))
	require.Equal(t, h.text(d, "absoluteString"), h.text(h.id(u, "URLByDeletingLastPathComponent"), "absoluteString"))
	require.Equal(t, "a b%", h.text(h.id(u, "URLByDeletingPathExtension"), "lastPathComponent"))
	require.Equal(t, "a b%.metal.air",
		h.text(h.id(u, "URLByAppendingPathExtension:", uintptr(h.str("air"))), "lastPathComponent"))
	sub := h.id(d, "URLByAppendingPathComponent:isDirectory:", uintptr(h.str("x")), 1)
	require.EqualValues(t, 1, h.send(sub, "hasDirectoryPath"))
	relative := h.id(h.class("NSURL"), "fileURLWithPath:isDirectory:", uintptr(h.str("x.y")), 0)
	cwd, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, filepath.ToSlash(filepath.Join(cwd, "x.y")), h.text(relative, "path"))

	web := h.own(h.NewURL("https://me:pw@example.com:8080/p/q?x=1#frag"))
	for sel, want := range map[string]string{
		"scheme": "https", "host": "example.com", "user": "me", "password": "pw", "path": "/p/q", "query": "x=1",
		"fragment":       "frag",
		"relativeString": "https://me:pw@example.com:8080/p/q?x=1#frag",
		"description":    "https://me:pw@example.com:8080/p/q?x=1#frag",
	} {
		require.Equal(t, want, h.text(web, sel), sel)
	}
	require.EqualValues(t, 8080, h.send(h.id(web, "port"), "intValue"))
	require.Zero(t, h.send(web, "isFileURL"))
	require.Zero(t, h.id(u, "query"))
	require.Zero(t, h.id(u, "port"))
	require.Zero(t, h.id(u, "baseURL"))
	require.Equal(t, u, h.id(u, "absoluteURL"))
	require.Zero(t, h.NewURL("http://a b"))
	require.Zero(t, h.NewURL(""))
	require.Zero(t, h.NewFileURL(""))
	require.Zero(t, h.id(h.id(h.class("NSURL"), "alloc"), "initFileURLWithPath:", uintptr(h.str(""))))
	_, err = h.try(h.class("NSURL"), "URLWithString:", 0)
	require.ErrorIs(t, err, ErrException)
	_, _, err = h.GoURL(h.str("x"))
	require.ErrorContains(t, err, "not a URL")
	text, isFile, err = h.GoURL(web)
	require.NoError(t, err)
	require.False(t, isFile)
	require.Contains(t, text, "example.com")
}

func TestErrors(t *testing.T) {
	h := newHarness(t)
	inner := h.own(h.NewError("Inner", -3, "inner text", 0))
	e := h.own(h.NewError("MTLLibraryErrorDomain", 3, "program_source:1:2: error", inner))
	domain, code, text, underlying, ok := h.ErrorInfo(e)
	require.True(t, ok)
	require.Equal(t, "MTLLibraryErrorDomain", domain)
	require.EqualValues(t, 3, code)
	require.Equal(t, "program_source:1:2: error", text)
	require.Equal(t, inner, underlying)
	require.Equal(t, "MTLLibraryErrorDomain", h.text(e, "domain"))
	require.EqualValues(t, 3, h.send(e, "code"))
	require.Equal(t, int64(-3), int64(h.send(inner, "code")))
	require.Equal(t, text, h.text(e, "localizedDescription"))
	require.Zero(t, h.id(e, "localizedFailureReason"))
	key, ok := h.Constant("NSUnderlyingErrorKey")
	require.True(t, ok)
	require.Equal(t, inner, h.id(h.id(e, "userInfo"), "objectForKey:", uintptr(key)))
	under, err := h.ArrayItems(h.id(e, "underlyingErrors"))
	require.NoError(t, err)
	require.Equal(t, []ID{inner}, under)
	require.Equal(t, `Error Domain=MTLLibraryErrorDomain Code=3 "program_source:1:2: error"`, h.text(e, "description"))

	bare := h.id(h.class("NSError"), "errorWithDomain:code:userInfo:", uintptr(h.str("D")), 5, 0)
	require.Equal(t, "The operation couldn’t be completed. (D error 5.)", h.text(bare, "localizedDescription"))
	require.Zero(t, h.send(h.id(bare, "userInfo"), "count"))
	reason := h.own(h.NewErrorInfo("D", 5, map[string]ID{localizedFailureReason: h.str("Because."), "dead": 99}))
	require.Equal(t, "The operation couldn’t be completed. Because.", h.text(reason, "localizedDescription"))
	require.Equal(t, "Because.", h.text(reason, "localizedFailureReason"))
	require.EqualValues(t, 1, h.send(bare, "isEqual:", uintptr(bare)))
	require.Zero(t, h.send(bare, "isEqual:", uintptr(reason)))
	full := h.own(h.id(h.id(h.class("NSError"), "alloc"), "initWithDomain:code:userInfo:", uintptr(h.str("D")), 5,
		uintptr(h.id(reason, "userInfo"))))
	require.EqualValues(t, 1, h.send(full, "isEqual:", uintptr(reason)))
	require.Equal(t, h.send(full, "hash"), h.send(reason, "hash"))
	require.Equal(t, full, h.id(full, "copy"))
	require.NoError(t, h.Release(full))
	_, err = h.try(h.class("NSError"), "errorWithDomain:code:userInfo:", 0, 5, 0)
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(h.class("NSError"), "errorWithDomain:code:userInfo:", uintptr(h.str("D")), 5, uintptr(h.str("D")))
	require.ErrorIs(t, err, ErrException)
	_, _, _, _, ok = h.ErrorInfo(h.str("x"))
	require.False(t, ok)

	// An NSError ** parameter.
	class := h.register(ClassSpec{Name: "Fails", Methods: []MethodSpec{{"run:", "B@:^@", func(c *Call) {
		c.StoreError(0, c.RT.NewError("D", 1, "no", 0))
	}}}})
	x := h.own(h.NewObject(class, nil))
	out := h.array(0)
	require.Zero(t, h.send(x, "run:", out))
	require.Equal(t, "no", h.text(ID(h.word(out)), "localizedDescription"))
	require.Zero(t, h.send(x, "run:", 0))
	_, err = h.try(x, "run:", 0x10)
	require.ErrorIs(t, err, ErrAddress)
}

func TestProcessInfo(t *testing.T) {
	h := newHarness(t)
	p := h.id(h.class("NSProcessInfo"), "processInfo")
	require.NotZero(t, p)
	memory := h.send(p, "physicalMemory")
	require.Greater(t, memory, uintptr(64<<20))
	require.Less(t, memory, uintptr(1<<50))
	if ret, err := h.try(p, "systemUptime"); err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist) // a stand-in for a Mac without kern.boottime
	} else {
		require.Positive(t, math.Float64frombits(uint64(ret[0])))
	}
	require.EqualValues(t, runtime.NumCPU(), h.send(p, "processorCount"))
	require.EqualValues(t, runtime.NumCPU(), h.send(p, "activeProcessorCount"))
	require.EqualValues(t, os.Getpid(), h.send(p, "processIdentifier"))
	require.NotEmpty(t, h.text(p, "processName"))
	require.NotEmpty(t, h.text(p, "hostName"))
	require.NotEqual(t, h.text(p, "globallyUniqueString"), h.text(p, "globallyUniqueString"))
	require.EqualValues(t, len(os.Args), h.send(h.id(p, "arguments"), "count"))
	t.Setenv("OBJCSOFT_TEST", "a=b")
	require.Equal(t, "a=b", h.text(h.id(p, "environment"), "objectForKey:", uintptr(h.str("OBJCSOFT_TEST"))))
	require.Zero(t, h.send(p, "thermalState"))
	require.Zero(t, h.send(p, "isLowPowerModeEnabled"))
	h.SetPowerState(2, true)
	require.EqualValues(t, 2, h.send(p, "thermalState"))
	require.EqualValues(t, 1, h.send(p, "isLowPowerModeEnabled"))
	h.SetOSVersion(OSVersion{14, 2, 1})
	ret, err := h.try(p, "operatingSystemVersion")
	require.NoError(t, err)
	require.Equal(t, []uintptr{14, 2, 1}, ret[:3])
	require.Contains(t, h.text(p, "operatingSystemVersionString"), "Version 14.2.1")
	for _, tc := range [][4]uintptr{{14, 2, 1, 1}, {14, 2, 2, 0}, {13, 9, 9, 1}, {15, 0, 0, 0}, {14, 1, 9, 1}} {
		require.Equal(t, tc[3], h.send(p, "isOperatingSystemAtLeastVersion:", tc[:3]...), "%v", tc)
	}
	for range 3 {
		require.NoError(t, h.Release(p), "it is a singleton")
	}

	b := h.id(h.class("NSBundle"), "mainBundle")
	require.Zero(t, h.id(b, "bundleIdentifier"))
	require.Equal(t, filepath.Dir(h.text(b, "executablePath")), h.text(b, "bundlePath"))
	require.EqualValues(t, 1, h.send(h.id(b, "bundleURL"), "hasDirectoryPath"))
	require.Zero(t, h.send(h.id(b, "infoDictionary"), "count"))
}

func TestMemory(t *testing.T) {
	p := pinBytes([]byte{1, 2, 3})
	defer p.unpin()
	b, err := ReadMemory(p.address(), 3)
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2, 3}, b)
	for _, addr := range []uintptr{0, 8, 1 << 46, 1 << 62, math.MaxUint64 - 7, uintptr(makeID(1, 1))} {
		_, err := ReadMemory(addr, 4)
		require.ErrorIs(t, err, ErrAddress, "%#x", addr)
		require.ErrorIs(t, WriteMemory(addr, b), ErrAddress, "%#x", addr)
		_, err = ReadCString(addr)
		require.ErrorIs(t, err, ErrAddress, "%#x", addr)
		_, err = ReadWords(addr, math.MaxUint64)
		require.ErrorIs(t, err, ErrAddress, "%#x", addr)
	}
	b, err = ReadMemory(0, 0)
	require.NoError(t, err)
	require.Empty(t, b)
	require.NoError(t, WriteWords(0))
	require.Zero(t, (*pinned)(nil).address())

	// Pins of a runtime that is dropped with its objects do not end the program.
	for range 3 {
		rt := New()
		rt.NewString("left behind")
		_, err := rt.Message(rt.NewString("x"), "UTF8String", "r*@:")
		require.NoError(t, err)
		runtime.GC()
	}
	runtime.GC()
}
