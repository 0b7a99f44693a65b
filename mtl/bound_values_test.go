package mtl

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"

	"github.com/puremetal/puremetal/objc"
)

// boundValues makes arguments that all differ, and remembers what to release.
type boundValues struct {
	recorder *boundRecorder
	variant  int // 1 has negative numbers, high bits, false
	n        int
	slices   int
	owned    []objc.ID
	calls    [][]reflect.Value // what the functions among the arguments were called with
}

var boundIDType = reflect.TypeFor[objc.ID]()

// boundWrapperOf returns the class behind a Go type: its wrapper's name, "" for objc.Object.
func boundWrapperOf(t reflect.Type) (goType string, ok bool) {
	if t.Kind() != reflect.Struct || !t.Implements(reflect.TypeFor[interface{ ID() objc.ID }]()) {
		return "", false
	}
	if t == reflect.TypeFor[objc.Object]() {
		return "", true
	}
	return t.Name(), true
}

func boundIDOf(v reflect.Value) objc.ID {
	return v.Interface().(interface{ ID() objc.ID }).ID()
}

// release gives up all objects that were made.
func (vs *boundValues) release() {
	vs.recorder.release(vs.owned...)
	vs.owned = nil
}

func (vs *boundValues) object(goType string) reflect.Value {
	id := vs.recorder.object(goType)
	vs.owned = append(vs.owned, id)
	return vs.recorder.wrap(goType, id)
}

// make makes a value; decl is how Objective-C declares it.
func (vs *boundValues) make(t reflect.Type, decl string) reflect.Value {
	vs.n++
	v := reflect.New(t).Elem()
	if goType, ok := boundWrapperOf(t); ok {
		return vs.object(goType)
	}
	if t == boundIDType {
		return reflect.ValueOf(boundIDOf(vs.object("")))
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(vs.variant == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x := int64(0x0123_4500_0000_1000 + vs.n)
		if vs.variant == 1 {
			x = -x
		}
		v.SetInt(boundNarrowInt(x, t))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		x := uint64(0x0123_4567_0000_1000 + vs.n)
		if vs.variant == 1 {
			x = ^x
		}
		v.SetUint(x & (1<<(8*t.Size()-1)<<1 - 1))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(vs.n) + 0.25)
		if vs.variant == 1 {
			v.SetFloat(math.Inf(-1))
		}
	case reflect.String:
		s := fmt.Sprintf("π %d\x00 \"", vs.n)
		if strings.Contains(decl, "NSURL") {
			s = fmt.Sprintf("/a folder/π %d", vs.n)
			if vs.variant == 1 {
				s = fmt.Sprintf("https://example.com/%d?x=y", vs.n)
			}
		} else if strings.Contains(decl, "char") {
			s = fmt.Sprintf("path π %d", vs.n)
		}
		v.SetString(s)
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(vs.make(t.Field(i).Type, ""))
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(vs.make(t.Elem(), ""))
		}
	case reflect.Slice:
		// Lengths differ, so that counts are distinguishable.
		n := 3 + vs.slices
		if vs.variant == 1 {
			n = max(1, 7-vs.slices)
		}
		vs.slices++
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			v.Index(i).Set(vs.make(t.Elem(), decl))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range 2 {
			v.SetMapIndex(vs.make(t.Key(), ""), vs.make(t.Elem(), ""))
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(vs.make(t.Elem(), ""))
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
			vs.calls = append(vs.calls, args)
			return nil
		}))
	default:
		vs.recorder.Fatalf("no values of type %v", t)
	}
	return v
}

func boundNarrowInt(x int64, t reflect.Type) int64 {
	shift := 64 - 8*t.Size()
	return x << shift >> shift
}

// boundImage returns the memory of a value without pointers as words, the last one filled up with
// zeros.
func boundImage(v reflect.Value) []uintptr {
	b := boundImageBytes(v)
	words := make([]uintptr, (len(b)+7)/8)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(b)), b)
	return words
}

func boundImageBytes(v reflect.Value) []byte {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	n := int(v.Type().Size())
	return append([]byte(nil), unsafe.Slice((*byte)(p.UnsafePointer()), n)...)
}

// boundWord returns a scalar as an argument word.
func boundWord(v reflect.Value) (uintptr, bool) {
	switch v.Kind() {
	case reflect.Bool:
		return objc.Bool(v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return uintptr(v.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return uintptr(v.Uint()), true
	case reflect.Float32:
		return objc.F32(float32(v.Float())), true
	case reflect.Float64:
		return objc.F64(v.Float()), true
	}
	return 0, false
}
