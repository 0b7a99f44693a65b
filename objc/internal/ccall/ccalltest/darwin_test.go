//go:build darwin && (amd64 || arm64)

package ccalltest_test

import (
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// messenger sends messages to the Objective-C runtime, inside an autorelease
// pool on a pinned thread.
type messenger struct {
	t                                      *testing.T
	getClass, selRegister, send, sendStret uintptr
}

func newMessenger(t *testing.T) *messenger {
	lib, err := purego.Dlopen("/usr/lib/libobjc.A.dylib", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	require.NoError(t, err)
	for _, name := range []string{"Foundation", "Metal"} {
		_, err = purego.Dlopen("/System/Library/Frameworks/"+name+".framework/"+name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		require.NoError(t, err)
	}
	sym := func(name string) uintptr {
		p, err := purego.Dlsym(lib, name)
		require.NoError(t, err)
		return p
	}
	m := &messenger{t: t, getClass: sym("objc_getClass"), selRegister: sym("sel_registerName"), send: sym("objc_msgSend")}
	m.sendStret = m.send
	if runtime.GOARCH == "amd64" {
		m.sendStret = sym("objc_msgSend_stret")
	}
	runtime.LockOSThread()
	pool := ccall.CallC(sym("objc_autoreleasePoolPush"))
	pop := sym("objc_autoreleasePoolPop")
	t.Cleanup(func() {
		ccall.CallC(pop, pool)
		runtime.UnlockOSThread()
	})
	return m
}

// escaped takes what must not lie on a stack, which may move while C has the
// address.
var escaped any

// address returns where a slice's elements are, on the heap.
func address[T any](s []T) uintptr {
	escaped = s
	return uintptr(unsafe.Pointer(unsafe.SliceData(s)))
}

func (m *messenger) cString(fn uintptr, s string) uintptr {
	b := append([]byte(s), 0)
	r := ccall.CallC(fn, address(b))
	runtime.KeepAlive(b)
	return r
}

func (m *messenger) class(name string) uintptr {
	c := m.cString(m.getClass, name)
	require.NotZero(m.t, c, name)
	return c
}

func (m *messenger) sel(name string) uintptr { return m.cString(m.selRegister, name) }

func (m *messenger) plan(enc string) (*ccall.Plan, uintptr) {
	sig, err := typeenc.ParseMethod(enc)
	require.NoError(m.t, err)
	p, err := ccall.NewPlan(sig)
	require.NoError(m.t, err)
	if p.Stret() {
		return p, m.sendStret
	}
	return p, m.send
}

// msg sends one message and returns the result's words.
func (m *messenger) msg(self uintptr, sel, enc string, args ...uintptr) []uintptr {
	p, fn := m.plan(enc)
	ret := make([]uintptr, p.RetWords())
	p.Call(fn, self, m.sel(sel), args, ret)
	return ret
}

func double(v float64) uintptr { return uintptr(math.Float64bits(v)) }

func TestMessages(t *testing.T) {
	m := newMessenger(t)
	number := m.class("NSNumber")

	n := m.msg(number, "numberWithDouble:", "@@:d", double(1.25))[0]
	assert.Equal(t, []uintptr{double(1.25)}, m.msg(n, "doubleValue", "d@:"))
	n = m.msg(number, "numberWithFloat:", "@@:f", uintptr(math.Float32bits(2.5)))[0]
	assert.Equal(t, []uintptr{uintptr(math.Float32bits(2.5))}, m.msg(n, "floatValue", "f@:"))
	n = m.msg(number, "numberWithInt:", "@@:i", ^uintptr(6))[0]
	assert.Equal(t, []uintptr{^uintptr(6)}, m.msg(n, "intValue", "i@:"))
	n = m.msg(number, "numberWithBool:", "@@:B", 1)[0]
	assert.Equal(t, []uintptr{1}, m.msg(n, "boolValue", "B@:"))

	text := []byte("ranges pass in two registers\x00")
	data := m.msg(m.class("NSData"), "dataWithBytes:length:", "@@:r^vQ", address(text), uintptr(len(text)))[0]
	word := m.msg(data, "subdataWithRange:", "@@:{_NSRange=QQ}", 7, 4)[0]
	assert.Equal(t, []uintptr{4}, m.msg(word, "length", "Q@:"))
	got := make([]byte, 4)
	m.msg(data, "getBytes:range:", "v@:^v{_NSRange=QQ}", address(got), 7, 4)
	assert.Equal(t, "pass", string(got))
	str := m.msg(m.class("NSString"), "stringWithUTF8String:", "@@:r*", address(text))[0]
	part := m.msg(m.class("NSString"), "stringWithUTF8String:", "@@:r*", address(text[12:]))[0]
	assert.Equal(t, []uintptr{12, uintptr(len(text) - 13)}, m.msg(str, "rangeOfString:", "{_NSRange=QQ}@:@", part))
	runtime.KeepAlive(text)
}

// TestStructMessages has an indirect result, and a struct in memory or behind
// a pointer.
func TestStructMessages(t *testing.T) {
	m := newMessenger(t)
	info := m.msg(m.class("NSProcessInfo"), "processInfo", "@@:")[0]
	version := m.msg(info, "operatingSystemVersion", "{?=qqq}@:")
	require.Len(t, version, 3)
	assert.GreaterOrEqual(t, version[0], uintptr(10))
	const atLeast = "isOperatingSystemAtLeastVersion:"
	assert.Equal(t, []uintptr{1}, m.msg(info, atLeast, "B@:{?=qqq}", version...))
	assert.Equal(t, []uintptr{0}, m.msg(info, atLeast, "B@:{?=qqq}", version[0], version[1], version[2]+1))
	assert.Equal(t, []uintptr{0, 0, 0}, m.msg(0, "operatingSystemVersion", "{?=qqq}@:"))
}

func TestMetalMessages(t *testing.T) {
	m := newMessenger(t)
	create, err := purego.Dlsym(purego.RTLD_DEFAULT, "MTLCreateSystemDefaultDevice")
	require.NoError(t, err)
	device := ccall.CallC(create)
	if device == 0 {
		t.Skip("no Metal device")
	}
	defer m.msg(device, "release", "v@:")
	size := m.msg(device, "maxThreadsPerThreadgroup", "{?=QQQ}@:")
	assert.NotZero(t, size[0]*size[1]*size[2])
	need := m.msg(device, "heapBufferSizeAndAlignWithLength:options:", "{?=QQ}@:QQ", 1000, 0)
	assert.GreaterOrEqual(t, need[0], uintptr(1000))
	assert.NotZero(t, need[1])
}

// TestLibSystem calls plain C, and has C call back into Go.
func TestLibSystem(t *testing.T) {
	lib, err := purego.Dlopen("/usr/lib/libSystem.B.dylib", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	require.NoError(t, err)
	strlen, err := purego.Dlsym(lib, "strlen")
	require.NoError(t, err)
	m := &messenger{t: t}
	assert.Equal(t, uintptr(11), m.cString(strlen, "hello world"))

	qsort, err := purego.Dlsym(lib, "qsort")
	if err != nil {
		t.Skip("no qsort here")
	}
	compare := purego.NewCallback(func(a, b *int64) uintptr {
		grow(50)
		switch {
		case *a < *b:
			return ^uintptr(0)
		case *a > *b:
			return 1
		}
		return 0
	})
	numbers := []int64{5, 3, 9, 1, 7, 8, 2, 6, 4}
	ccall.CallC(qsort, address(numbers), uintptr(len(numbers)), 8, compare)
	runtime.KeepAlive(numbers)
	assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}, numbers)
}
