package objc

import (
	"bytes"
	"runtime"
	"strings"
)

// NewData returns an NSData with a copy of b, +1.
func NewData(b []byte) ID {
	id := build(&classData, fnDataInit, Slice(b), uintptr(len(b)))
	runtime.KeepAlive(b)
	return id
}

// GoBytes returns a copy of an NSData's bytes, or nil if the data is nil or empty.
func GoBytes(id ID) []byte {
	n := int(fn(fnDataLength).Call(id))
	return bytes.Clone(View(fn(fnDataBytes).Call(id), n))
}

// NewDispatchData returns a dispatch_data_t with a copy of b, +1.
func NewDispatchData(b []byte) ID {
	d, err := current()
	if err != nil {
		report("dispatch_data_create", err)
		return 0
	}
	if d.soft != nil {
		// In the software runtime, dispatch data is an ordinary object that behaves as NSData.
		return NewData(b)
	}
	id, err := d.apple.dispatchData(b)
	if err != nil {
		report("dispatch_data_create", err)
	}
	return id
}

// NewURL returns an NSURL, +1. If s has a scheme ("https://..."), that is the URL; otherwise s is
// the path of a file URL. The result is nil if s is empty or not a valid URL.
func NewURL(s string) ID {
	if s == "" {
		return 0
	}
	method := fnURLFile
	if strings.Contains(s, "://") {
		method = fnURLString
	}
	class, err := classURL.Get()
	if err != nil {
		report("+[NSURL]", err)
		return 0
	}
	str := NewString(s)
	defer Release(str)
	p := pushPool()
	defer p.drain()
	return ID(fn(method).Call(class, uintptr(str))).Retain()
}

// GoURL returns the path of a file URL, any other URL as a string, or "" for nil.
func GoURL(id ID) string {
	if fn(fnURLIsFile).Call(id) != 0 {
		return fn(fnURLPath).CallString(id)
	}
	return fn(fnURLAbsolute).CallString(id)
}

// NewInt returns an NSNumber, +1.
func NewInt(v int64) ID { return build(&classNumber, fnNumberInt, uintptr(v)) }

// NewUint returns an NSNumber, +1.
func NewUint(v uint64) ID { return build(&classNumber, fnNumberUint, uintptr(v)) }

// NewFloat returns an NSNumber, +1.
func NewFloat(v float64) ID { return build(&classNumber, fnNumberDouble, F64(v)) }

// NewBool returns an NSNumber, +1.
func NewBool(v bool) ID { return build(&classNumber, fnNumberBool, Bool(v)) }

// GoInt returns the value of an NSNumber, or 0 for nil.
func GoInt(id ID) int64 { return int64(fn(fnNumberAsInt).Call(id)) }

// GoUint returns the value of an NSNumber, or 0 for nil.
func GoUint(id ID) uint64 { return uint64(fn(fnNumberAsUint).Call(id)) }

// GoFloat returns the value of an NSNumber, or 0 for nil.
func GoFloat(id ID) float64 { return ToF64(fn(fnNumberAsFloat).Call(id)) }

// GoBool returns the value of an NSNumber, or false for nil.
func GoBool(id ID) bool { return fn(fnNumberAsBool).Call(id) != 0 }
