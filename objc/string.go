package objc

import (
	"runtime"
	"strings"
	"unsafe"
)

// utf8Encoding is NSUTF8StringEncoding.
const utf8Encoding = 4

// NewString returns s as an NSString, +1. NUL bytes are kept. Bytes that are not valid UTF-8, which
// NSString cannot hold, become U+FFFD.
func NewString(s string) ID {
	s = strings.ToValidUTF8(s, "\uFFFD")
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	id := build(&classString, fnStringInit, Slice(b), uintptr(len(b)), utf8Encoding)
	runtime.KeepAlive(b)
	return id
}

// GoString returns a copy of an NSString, including NUL bytes, or "" for nil.
func GoString(id ID) string {
	if id == 0 {
		return ""
	}
	p := pushPool()
	defer p.drain()
	n := int(fn(fnStringLength).Call(id, utf8Encoding))
	if n == 0 {
		return ""
	}
	return string(View(fn(fnStringUTF8).Call(id), n))
}

// NewStrings returns an NSArray of NSStrings, +1.
func NewStrings(ss []string) ID {
	ids := make([]ID, len(ss))
	for i, s := range ss {
		ids[i] = NewString(s)
	}
	defer releaseAll(ids)
	return NewArray(ids)
}

// GoStrings returns copies of the strings in an NSArray.
func GoStrings(id ID) []string {
	p := pushPool()
	defer p.drain()
	return ArrayOf(id, GoString)
}

func releaseAll(ids []ID) {
	for _, id := range ids {
		Release(id)
	}
}
