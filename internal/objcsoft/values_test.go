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
	w := newWorld(t)
	f64 := func(f float64) uintptr { return uintptr(math.Float64bits(f)) }
	neg := func(n int64) uintptr { return uintptr(n) }
	for _, tc := range []struct {
		make string
		word uintptr
		text string
		ctyp string
		get  map[string]uintptr
	}{
		{"Char", neg(-5), "-5", "c", map[string]uintptr{"charValue": neg(-5), "unsignedCharValue": 251, "longValue": neg(-5), "doubleValue": f64(-5)}},
		{"UnsignedChar", 250, "250", "C", map[string]uintptr{"charValue": neg(-6), "intValue": 250}},
		{"Short", neg(-300), "-300", "s", map[string]uintptr{"shortValue": neg(-300), "unsignedShortValue": 65236, "boolValue": 1}},
		{"UnsignedInt", 4000000000, "4000000000", "I", map[string]uintptr{"unsignedIntValue": 4000000000, "intValue": neg(-294967296)}},
		{"LongLong", neg(math.MinInt64), "-9223372036854775808", "q", map[string]uintptr{"longLongValue": neg(math.MinInt64)}},
		{"UnsignedLongLong", math.MaxUint64, "18446744073709551615", "Q", map[string]uintptr{"unsignedLongLongValue": math.MaxUint64, "longLongValue": neg(-1), "doubleValue": f64(math.MaxUint64)}},
		{"Integer", 7, "7", "q", map[string]uintptr{"integerValue": 7, "unsignedIntegerValue": 7, "boolValue": 1, "floatValue": uintptr(math.Float32bits(7))}},
		{"Float", uintptr(math.Float32bits(0.1)), "0.1", "f", map[string]uintptr{"floatValue": uintptr(math.Float32bits(0.1)), "doubleValue": f64(float64(float32(0.1))), "boolValue": 1}},
		{"Double", f64(-2.75), "-2.75", "d", map[string]uintptr{"doubleValue": f64(-2.75), "intValue": neg(-2), "unsignedLongValue": neg(-2)}},
		{"Double", f64(1e300), "1e+300", "d", map[string]uintptr{"longValue": math.MaxInt64, "unsignedLongValue": math.MaxUint64}},
		{"Double", f64(-1e300), "-1e+300", "d", map[string]uintptr{"longValue": neg(math.MinInt64)}},
		{"Double", f64(1 << 63), "9.223372036854775808e+18", "d", map[string]uintptr{"unsignedLongValue": 1 << 63}},
		{"Double", f64(math.NaN()), "NaN", "d", map[string]uintptr{"longValue": 0}},
		{"Bool", 1, "1", "c", map[string]uintptr{"boolValue": 1, "intValue": 1}},
		{"Bool", 0, "0", "c", map[string]uintptr{"boolValue": 0}},
	} {
		made := w.id(w.class("NSNumber"), "numberWith"+tc.make+":", tc.word)
		init := w.own(w.id(w.id(w.class("NSNumber"), "alloc"), "initWith"+tc.make+":", tc.word))
		for _, id := range []ID{made, init} {
			if tc.text != "9.223372036854775808e+18" {
				require.Equal(t, tc.text, w.text(id, "stringValue"))
			}
			ctype, err := ReadCString(w.send(id, "objCType"))
			require.NoError(t, err)
			require.Equal(t, tc.ctyp, ctype)
			for getter, want := range tc.get {
				require.Equal(t, want, w.send(id, getter), "%s %s", tc.text, getter)
			}
		}
		require.EqualValues(t, 1, w.send(made, "isEqual:", uintptr(init)), tc.text)
		require.Equal(t, w.send(made, "hash"), w.send(init, "hash"))
		require.Equal(t, made, w.id(made, "copy"))
		require.NoError(t, w.Release(made))
	}

	big, near := w.own(w.NewInt(1<<53+1)), w.own(w.NewFloat(1<<53))
	require.Zero(t, w.send(big, "isEqualToNumber:", uintptr(near)), "compared exactly")
	require.EqualValues(t, 1, w.send(big, "compare:", uintptr(near)))
	require.Equal(t, neg(-1), w.send(w.own(w.NewInt(-1)), "compare:", uintptr(w.own(w.NewUint(math.MaxUint64)))))
	nan := w.own(w.NewFloat(math.NaN()))
	require.Equal(t, neg(-1), w.send(nan, "compare:", uintptr(near)))
	require.EqualValues(t, 1, w.send(near, "compare:", uintptr(nan)))
	require.Equal(t, w.send(w.own(w.NewFloat(4)), "hash"), w.send(w.own(w.NewUint(4)), "hash"))
	require.Zero(t, w.send(big, "isEqual:", uintptr(w.str("1"))))
	_, err := w.try(big, "compare:", uintptr(w.str("1")))
	require.ErrorIs(t, err, ErrException)
	n, err := w.GoNumber(w.own(w.NewBool(true)))
	require.NoError(t, err)
	require.Equal(t, Number{Kind: 'c', Int: 1, Uint: 1, Float: 1}, n)
	_, err = w.GoNumber(0)
	require.Error(t, err)
	require.Zero(t, w.send(w.own(w.id(w.class("NSNumber"), "alloc")), "intValue"))
}

func TestValues(t *testing.T) {
	w := newWorld(t)
	v := w.id(w.class("NSValue"), "valueWithRange:", 3, 4)
	ret, err := w.try(v, "rangeValue")
	require.NoError(t, err)
	require.Equal(t, []uintptr{3, 4}, ret[:2])
	buf := w.array(0, 0)
	w.send(v, "getValue:size:", buf, 16)
	require.Equal(t, uintptr(4), w.word(buf+8))
	_, err = w.try(v, "getValue:size:", buf, 8)
	require.ErrorIs(t, err, ErrException)
	_, err = w.try(v, "rectValue")
	require.ErrorIs(t, err, ErrException)
	typ := w.memory([]byte("{_NSRange=QQ}\x00"))
	same := w.own(w.id(w.id(w.class("NSValue"), "alloc"), "initWithBytes:objCType:", buf, typ))
	require.EqualValues(t, 1, w.send(v, "isEqual:", uintptr(same)))
	require.EqualValues(t, 1, w.send(v, "isEqualToValue:", uintptr(w.id(w.class("NSValue"), "valueWithBytes:objCType:", buf, typ))))
	require.Equal(t, w.send(v, "hash"), w.send(same, "hash"))
	require.Equal(t, "{length = 16, bytes = 0x03000000000000000400000000000000}", w.text(v, "description"))
	require.EqualValues(t, 0x1234, w.send(w.id(w.class("NSValue"), "valueWithPointer:", 0x1234), "pointerValue"))
	require.Equal(t, same, w.id(w.id(w.class("NSValue"), "valueWithNonretainedObject:", uintptr(same)), "nonretainedObjectValue"))
	rect := w.id(w.class("NSValue"), "valueWithRect:", 1, 2, 3, 4)
	ret, err = w.try(rect, "rectValue")
	require.NoError(t, err)
	require.Equal(t, []uintptr{1, 2, 3, 4, 0}, ret[:5])
	_, err = w.try(w.class("NSValue"), "value:withObjCType:", buf, w.memory([]byte("v\x00")))
	require.ErrorIs(t, err, ErrException)
	_, err = w.try(w.class("NSValue"), "value:withObjCType:", 0x10, typ)
	require.ErrorIs(t, err, ErrAddress)
	w.send(w.own(w.NewInt(258)), "getValue:size:", buf, 8)
	require.EqualValues(t, 258, w.word(buf))
}

func TestData(t *testing.T) {
	w := newWorld(t)
	src := w.memory([]byte("bytes\x00here"))
	d := w.own(w.id(w.id(w.class("NSData"), "alloc"), "initWithBytes:length:", src, 10))
	require.EqualValues(t, 10, w.send(d, "length"))
	addr := w.send(d, "bytes")
	require.Equal(t, addr, w.send(d, "bytes"), "stable")
	require.NotEqual(t, src, addr)
	b, err := ReadMemory(addr, 10)
	require.NoError(t, err)
	require.Equal(t, "bytes\x00here", string(b))
	sub, err := w.GoBytes(w.id(d, "subdataWithRange:", 2, 3))
	require.NoError(t, err)
	require.Equal(t, "tes", string(sub))
	buf := w.memory(make([]byte, 8))
	w.send(d, "getBytes:length:", buf, 3)
	w.send(d, "getBytes:range:", buf+3, 6, 4)
	b, err = ReadMemory(buf, 8)
	require.NoError(t, err)
	require.Equal(t, "bythere\x00", string(b))
	require.Equal(t, "{length = 10, bytes = 0x62797465730068657265}", w.text(d, "description"))
	require.Contains(t, w.text(w.own(w.NewData(make([]byte, 100))), "description"), " ... ")
	same := w.own(w.NewData([]byte("bytes\x00here")))
	require.EqualValues(t, 1, w.send(d, "isEqual:", uintptr(same)))
	require.Equal(t, w.send(d, "hash"), w.send(same, "hash"))
	require.Zero(t, w.send(d, "isEqualToData:", uintptr(w.id(w.class("NSData"), "data"))))
	require.Zero(t, w.send(w.id(w.class("NSData"), "data"), "bytes"))
	require.Equal(t, "Ynl0ZXMAaGVyZQ==", w.text(d, "base64EncodedStringWithOptions:", 0))
	back := w.own(w.id(w.id(w.class("NSData"), "alloc"), "initWithBase64EncodedString:options:", uintptr(w.str("Ynl0ZXMAaGVyZQ==")), 0))
	require.EqualValues(t, 1, w.send(d, "isEqual:", uintptr(back)))
	require.Zero(t, w.id(w.id(w.class("NSData"), "alloc"), "initWithBase64EncodedString:options:", uintptr(w.str("?")), 0))
	require.EqualValues(t, 1, w.send(d, "isEqual:", uintptr(w.id(w.class("NSData"), "dataWithData:", uintptr(d)))))
	require.EqualValues(t, 4, w.send(w.id(w.class("NSData"), "dataWithBytes:length:", src, 4), "length"))
	require.Equal(t, d, w.id(d, "copy"))
	require.NoError(t, w.Release(d))

	var freed []uintptr
	free, err := w.NewBlock("v@?^vQ", func(args []uintptr) uintptr { freed = append(freed, args...); return 0 })
	require.NoError(t, err)
	mine := w.id(w.id(w.class("NSData"), "alloc"), "initWithBytesNoCopy:length:deallocator:", src, 5, uintptr(free))
	require.NoError(t, w.Release(free), "the data keeps it")
	require.Equal(t, src, w.send(mine, "bytes"))
	b, err = w.GoBytes(mine)
	require.NoError(t, err)
	require.Equal(t, "bytes", string(b))
	require.NoError(t, w.Release(mine))
	require.Equal(t, []uintptr{src, 5}, freed)

	for _, bad := range []struct {
		recv ID
		sel  string
		args []uintptr
		is   error
	}{
		{w.class("NSData"), "dataWithBytes:length:", []uintptr{0x10, 4}, ErrAddress},
		{w.class("NSData"), "dataWithBytes:length:", []uintptr{src, math.MaxUint64}, ErrAddress},
		{d, "getBytes:length:", []uintptr{0x10, 4}, ErrAddress},
		{d, "getBytes:range:", []uintptr{buf, 8, 3}, ErrException},
		{d, "subdataWithRange:", []uintptr{11, 0}, ErrException},
		{w.id(w.class("NSData"), "dataWithBytesNoCopy:length:", 0x10, 4), "description", nil, ErrAddress},
		{w.class("NSData"), "dataWithData:", words(w.str("x")), ErrException},
	} {
		_, err := w.try(bad.recv, bad.sel, bad.args...)
		require.ErrorIs(t, err, bad.is, bad.sel)
	}
	_, err = w.GoBytes(w.str("x"))
	require.ErrorContains(t, err, "not data")
	_, err = w.GoBytes(w.id(w.class("NSData"), "dataWithBytesNoCopy:length:freeWhenDone:", 0x10, 4, 0))
	require.ErrorIs(t, err, ErrAddress)
	b, err = w.GoBytes(0)
	require.NoError(t, err)
	require.Nil(t, b)
}

func TestURL(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "a b%.metal")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	u := w.own(w.NewFileURL(file))
	require.EqualValues(t, 1, w.send(u, "isFileURL"))
	require.Equal(t, filepath.ToSlash(file), w.text(u, "path"))
	require.True(t, strings.HasPrefix(w.text(u, "absoluteString"), "file:///"))
	require.True(t, strings.HasSuffix(w.text(u, "absoluteString"), "/a%20b%25.metal"))
	require.Equal(t, "a b%.metal", w.text(u, "lastPathComponent"))
	require.Equal(t, "metal", w.text(u, "pathExtension"))
	require.Zero(t, w.send(u, "hasDirectoryPath"))
	back := w.id(w.class("NSURL"), "URLWithString:", uintptr(w.id(u, "absoluteString")))
	require.EqualValues(t, 1, w.send(u, "isEqual:", uintptr(back)))
	require.Equal(t, w.send(u, "hash"), w.send(back, "hash"))
	c, err := ReadCString(w.send(u, "fileSystemRepresentation"))
	require.NoError(t, err)
	require.Equal(t, w.text(u, "path"), c)
	text, isFile, err := w.GoURL(u)
	require.NoError(t, err)
	require.True(t, isFile)
	require.Equal(t, w.text(u, "path"), text)

	d := w.id(w.class("NSURL"), "fileURLWithPath:", uintptr(w.str(dir)))
	require.EqualValues(t, 1, w.send(d, "hasDirectoryPath"))
	require.Equal(t, filepath.ToSlash(dir), w.text(d, "path"))
	require.EqualValues(t, 1, w.send(u, "isEqual:", uintptr(w.id(d, "URLByAppendingPathComponent:", uintptr(w.str("a b%.metal"))))))
	require.Equal(t, w.text(d, "absoluteString"), w.text(w.id(u, "URLByDeletingLastPathComponent"), "absoluteString"))
	require.Equal(t, "a b%", w.text(w.id(u, "URLByDeletingPathExtension"), "lastPathComponent"))
	require.Equal(t, "a b%.metal.air", w.text(w.id(u, "URLByAppendingPathExtension:", uintptr(w.str("air"))), "lastPathComponent"))
	sub := w.id(d, "URLByAppendingPathComponent:isDirectory:", uintptr(w.str("x")), 1)
	require.EqualValues(t, 1, w.send(sub, "hasDirectoryPath"))
	relative := w.id(w.class("NSURL"), "fileURLWithPath:isDirectory:", uintptr(w.str("x.y")), 0)
	cwd, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, filepath.ToSlash(filepath.Join(cwd, "x.y")), w.text(relative, "path"))

	web := w.own(w.NewURL("https://me:pw@example.com:8080/p/q?x=1#frag"))
	for sel, want := range map[string]string{
		"scheme": "https", "host": "example.com", "user": "me", "password": "pw", "path": "/p/q", "query": "x=1", "fragment": "frag",
		"relativeString": "https://me:pw@example.com:8080/p/q?x=1#frag", "description": "https://me:pw@example.com:8080/p/q?x=1#frag",
	} {
		require.Equal(t, want, w.text(web, sel), sel)
	}
	require.EqualValues(t, 8080, w.send(w.id(web, "port"), "intValue"))
	require.Zero(t, w.send(web, "isFileURL"))
	require.Zero(t, w.id(u, "query"))
	require.Zero(t, w.id(u, "port"))
	require.Zero(t, w.id(u, "baseURL"))
	require.Equal(t, u, w.id(u, "absoluteURL"))
	require.Zero(t, w.NewURL("http://a b"))
	require.Zero(t, w.NewURL(""))
	require.Zero(t, w.NewFileURL(""))
	require.Zero(t, w.id(w.id(w.class("NSURL"), "alloc"), "initFileURLWithPath:", uintptr(w.str(""))))
	_, err = w.try(w.class("NSURL"), "URLWithString:", 0)
	require.ErrorIs(t, err, ErrException)
	_, _, err = w.GoURL(w.str("x"))
	require.ErrorContains(t, err, "not a URL")
	text, isFile, err = w.GoURL(web)
	require.NoError(t, err)
	require.False(t, isFile)
	require.Contains(t, text, "example.com")
}

func TestErrors(t *testing.T) {
	w := newWorld(t)
	inner := w.own(w.NewError("Inner", -3, "inner text", 0))
	e := w.own(w.NewError("MTLLibraryErrorDomain", 3, "program_source:1:2: error", inner))
	domain, code, text, underlying, ok := w.ErrorInfo(e)
	require.True(t, ok)
	require.Equal(t, "MTLLibraryErrorDomain", domain)
	require.EqualValues(t, 3, code)
	require.Equal(t, "program_source:1:2: error", text)
	require.Equal(t, inner, underlying)
	require.Equal(t, "MTLLibraryErrorDomain", w.text(e, "domain"))
	require.EqualValues(t, 3, w.send(e, "code"))
	require.Equal(t, int64(-3), int64(w.send(inner, "code")))
	require.Equal(t, text, w.text(e, "localizedDescription"))
	require.Zero(t, w.id(e, "localizedFailureReason"))
	key, ok := w.Constant("NSUnderlyingErrorKey")
	require.True(t, ok)
	require.Equal(t, inner, w.id(w.id(e, "userInfo"), "objectForKey:", uintptr(key)))
	under, err := w.ArrayItems(w.id(e, "underlyingErrors"))
	require.NoError(t, err)
	require.Equal(t, []ID{inner}, under)
	require.Equal(t, `Error Domain=MTLLibraryErrorDomain Code=3 "program_source:1:2: error"`, w.text(e, "description"))

	bare := w.id(w.class("NSError"), "errorWithDomain:code:userInfo:", uintptr(w.str("D")), 5, 0)
	require.Equal(t, "The operation couldn’t be completed. (D error 5.)", w.text(bare, "localizedDescription"))
	require.Zero(t, w.send(w.id(bare, "userInfo"), "count"))
	reason := w.own(w.NewErrorInfo("D", 5, map[string]ID{localizedFailureReason: w.str("Because."), "dead": 99}))
	require.Equal(t, "The operation couldn’t be completed. Because.", w.text(reason, "localizedDescription"))
	require.Equal(t, "Because.", w.text(reason, "localizedFailureReason"))
	require.EqualValues(t, 1, w.send(bare, "isEqual:", uintptr(bare)))
	require.Zero(t, w.send(bare, "isEqual:", uintptr(reason)))
	full := w.own(w.id(w.id(w.class("NSError"), "alloc"), "initWithDomain:code:userInfo:", uintptr(w.str("D")), 5, uintptr(w.id(reason, "userInfo"))))
	require.EqualValues(t, 1, w.send(full, "isEqual:", uintptr(reason)))
	require.Equal(t, w.send(full, "hash"), w.send(reason, "hash"))
	require.Equal(t, full, w.id(full, "copy"))
	require.NoError(t, w.Release(full))
	_, err = w.try(w.class("NSError"), "errorWithDomain:code:userInfo:", 0, 5, 0)
	require.ErrorIs(t, err, ErrException)
	_, err = w.try(w.class("NSError"), "errorWithDomain:code:userInfo:", uintptr(w.str("D")), 5, uintptr(w.str("D")))
	require.ErrorIs(t, err, ErrException)
	_, _, _, _, ok = w.ErrorInfo(w.str("x"))
	require.False(t, ok)

	// An NSError ** parameter.
	class := w.register(ClassSpec{Name: "Fails", Methods: []MethodSpec{{"run:", "B@:^@", func(c *Call) {
		c.StoreError(0, c.RT.NewError("D", 1, "no", 0))
	}}}})
	x := w.own(w.NewObject(class, nil))
	out := w.array(0)
	require.Zero(t, w.send(x, "run:", out))
	require.Equal(t, "no", w.text(ID(w.word(out)), "localizedDescription"))
	require.Zero(t, w.send(x, "run:", 0))
	_, err = w.try(x, "run:", 0x10)
	require.ErrorIs(t, err, ErrAddress)
}

func TestProcessInfo(t *testing.T) {
	w := newWorld(t)
	p := w.id(w.class("NSProcessInfo"), "processInfo")
	require.NotZero(t, p)
	memory := w.send(p, "physicalMemory")
	require.Greater(t, memory, uintptr(64<<20))
	require.Less(t, memory, uintptr(1<<50))
	if ret, err := w.try(p, "systemUptime"); err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist) // a stand-in for a Mac without kern.boottime
	} else {
		require.Positive(t, math.Float64frombits(uint64(ret[0])))
	}
	require.EqualValues(t, runtime.NumCPU(), w.send(p, "processorCount"))
	require.EqualValues(t, runtime.NumCPU(), w.send(p, "activeProcessorCount"))
	require.EqualValues(t, os.Getpid(), w.send(p, "processIdentifier"))
	require.NotEmpty(t, w.text(p, "processName"))
	require.NotEmpty(t, w.text(p, "hostName"))
	require.NotEqual(t, w.text(p, "globallyUniqueString"), w.text(p, "globallyUniqueString"))
	require.EqualValues(t, len(os.Args), w.send(w.id(p, "arguments"), "count"))
	t.Setenv("OBJCSOFT_TEST", "a=b")
	require.Equal(t, "a=b", w.text(w.id(p, "environment"), "objectForKey:", uintptr(w.str("OBJCSOFT_TEST"))))
	require.Zero(t, w.send(p, "thermalState"))
	require.Zero(t, w.send(p, "isLowPowerModeEnabled"))
	w.SetPowerState(2, true)
	require.EqualValues(t, 2, w.send(p, "thermalState"))
	require.EqualValues(t, 1, w.send(p, "isLowPowerModeEnabled"))
	w.SetOSVersion(OSVersion{14, 2, 1})
	ret, err := w.try(p, "operatingSystemVersion")
	require.NoError(t, err)
	require.Equal(t, []uintptr{14, 2, 1}, ret[:3])
	require.Contains(t, w.text(p, "operatingSystemVersionString"), "Version 14.2.1")
	for _, tc := range [][4]uintptr{{14, 2, 1, 1}, {14, 2, 2, 0}, {13, 9, 9, 1}, {15, 0, 0, 0}, {14, 1, 9, 1}} {
		require.Equal(t, tc[3], w.send(p, "isOperatingSystemAtLeastVersion:", tc[:3]...), "%v", tc)
	}
	for range 3 {
		require.NoError(t, w.Release(p), "it is a singleton")
	}

	b := w.id(w.class("NSBundle"), "mainBundle")
	require.Zero(t, w.id(b, "bundleIdentifier"))
	require.Equal(t, filepath.Dir(w.text(b, "executablePath")), w.text(b, "bundlePath"))
	require.EqualValues(t, 1, w.send(w.id(b, "bundleURL"), "hasDirectoryPath"))
	require.Zero(t, w.send(w.id(b, "infoDictionary"), "count"))
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
