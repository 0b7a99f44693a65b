//go:build linux && (amd64 || arm64)

package objc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// stubRuntime is an Objective-C runtime in which every class responds to every selector by
// returning its receiver, so that a message costs only the call.
const stubRuntime = `
#include <stdlib.h>
#include <string.h>
typedef void *id;
static long metaclass[4] = {0}, class[4] = {0};
void *_NSConcreteStackBlock[32];
id objc_msgSend(id self, const char *sel) { return self; }
void objc_msgSend_stret(void *ret, id self, const char *sel) { memset(ret, 0, 8); }
const char *sel_registerName(const char *s) { return strdup(s); }
id objc_getClass(const char *s) { return class; }
id objc_getProtocol(const char *s) { return 0; }
id object_getClass(id o) { return o == class ? (id)metaclass : (id)class; }
const char *class_getName(id c) { return "Stub"; }
id class_getSuperclass(id c) { return 0; }
int class_respondsToSelector(id c, const char *s) { return 1; }
int class_isMetaClass(id c) { return c == metaclass; }
id class_getMethodImplementation(id c, const char *s) { return objc_msgSend; }
id class_getMethodImplementation_stret(id c, const char *s) { return objc_msgSend_stret; }
id objc_retain(id o) { return o; }
void objc_release(id o) {}
id objc_autorelease(id o) { return o; }
void *objc_autoreleasePoolPush(void) { return class; }
void objc_autoreleasePoolPop(void *p) {}
void *_Block_copy(void *b) { return b; }
void *dispatch_data_create(const void *p, size_t n, void *q, void *d) { return class; }
`

// openStub builds the stub runtime and opens Apple's driver on it, beside the software driver that
// the other tests use.
func openStub(tb testing.TB) *appleRuntime {
	tb.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		tb.Skip("needs gcc to build a stub of the Objective-C runtime")
	}
	dir := tb.TempDir()
	source, lib := filepath.Join(dir, "stub.c"), filepath.Join(dir, "stub.so")
	require.NoError(tb, os.WriteFile(source, []byte(stubRuntime), 0o644))
	out, err := exec.Command(cc, "-O2", "-w", "-fPIC", "-shared", "-o", lib, source).CombinedOutput()
	require.NoErrorf(tb, err, "%s", out)
	handle, err := purego.Dlopen(lib, purego.RTLD_NOW)
	require.NoError(tb, err)
	a, err := newApple(&loader{
		open:     func(string) (uintptr, error) { return handle, nil },
		symbol:   purego.Dlsym,
		callback: func(fn any) uintptr { return purego.NewCallback(fn) },
	})
	require.NoError(tb, err)
	return a
}

// stubMethod binds a method to the stub.
func stubMethod(tb testing.TB, a *appleRuntime, selector, encoding string) *Method {
	tb.Helper()
	m := &Method{Class: "Stub", Selector: selector, Encoding: encoding}
	sig, err := typeenc.ParseMethod(encoding)
	require.NoError(tb, err)
	b := &binding{retObject: isObject(sig.Ret.Kind), words: argWords(sig.Args[2:])}
	b.apple, err = a.bind(m, sig)
	require.NoError(tb, err)
	m.bound.Store(b)
	return m
}

func stubObject(tb testing.TB, a *appleRuntime) ID {
	tb.Helper()
	id, ok := a.class("Stub")
	require.True(tb, ok)
	return id
}

func TestStubMessages(t *testing.T) {
	a := openStub(t)
	id := stubObject(t, a)
	self, err := a.address(id)
	require.NoError(t, err)
	require.Equal(t, self, stubMethod(t, a, "number", "Q@:").Call(id))
	require.Equal(t, id, ID(stubMethod(t, a, "object", "@@:").Call(id)))
	m := stubMethod(t, a, "setBuffer:offset:atIndex:", "v@:@QQ")
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Call(id, uintptr(id), 16, 3) }))
	region := stubMethod(t, a, "setStageInRegion:", "v@:{?={?=QQQ}{?=QQQ}}")
	require.Zero(t, testing.AllocsPerRun(100, func() { region.Call(id, 0, 0, 0, 8, 8, 1) }))
}

// BenchmarkAppleMessage is one message through the C path, handles included.
func BenchmarkAppleMessage(b *testing.B) {
	a := openStub(b)
	id := stubObject(b, a)
	b.Run("getter", func(b *testing.B) {
		m := stubMethod(b, a, "length", "Q@:")
		b.ReportAllocs()
		for b.Loop() {
			m.Call(id)
		}
	})
	b.Run("setBuffer", func(b *testing.B) {
		m := stubMethod(b, a, "setBuffer:offset:atIndex:", "v@:@QQ")
		b.ReportAllocs()
		for b.Loop() {
			m.Call(id, uintptr(id), 16, 3)
		}
	})
	b.Run("dispatch", func(b *testing.B) {
		m := stubMethod(b, a, "dispatchThreads:threadsPerThreadgroup:", "v@:{?=QQQ}{?=QQQ}")
		b.ReportAllocs()
		for b.Loop() {
			m.Call(id, 1024, 1, 1, 256, 1, 1)
		}
	})
}

// BenchmarkSoftwareMessage is the same message to the software driver.
func BenchmarkSoftwareMessage(b *testing.B) {
	s := NewString("abc")
	defer Release(s)
	m := tm(tmLength)
	b.ReportAllocs()
	for b.Loop() {
		m.Call(s)
	}
}
