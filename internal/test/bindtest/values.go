package bindtest

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/puremetal/puremetal/objc"
)

// values makes arguments that all differ, and remembers what to release.
type values struct {
	recorder *Recorder
	variant  int // 1 has negative numbers, high bits, false
	n        int
	slices   int
	owned    []objc.ID
	calls    [][]reflect.Value // what the functions among the arguments were called with
	returned []reflect.Value   // what they returned
	measured bool              // numbers are small and slices long: the numbers are lengths of the slices
}

var idType = reflect.TypeFor[objc.ID]()

func idOf(v reflect.Value) objc.ID {
	return v.Interface().(interface{ ID() objc.ID }).ID()
}

// release gives up all objects that were made.
func (vs *values) release() {
	vs.recorder.Release(vs.owned...)
	vs.owned = nil
}

// object makes an object for a wrapper of any package.
func (vs *values) object(t reflect.Type) reflect.Value {
	name, _ := vs.recorder.b.wrapperOf(t)
	id := vs.recorder.object(name)
	vs.owned = append(vs.owned, id)
	return wrapperFor(t, id)
}

// make makes a value; decl is how Objective-C declares it.
func (vs *values) make(t reflect.Type, decl string) reflect.Value {
	vs.n++
	v := reflect.New(t).Elem()
	if _, ok := vs.recorder.b.wrapperOf(t); ok {
		return vs.object(t)
	}
	if t == idType {
		return reflect.ValueOf(idOf(vs.object(object)))
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(vs.variant == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x := int64(0x0123_4500_0000_1000 + vs.n)
		if vs.variant == 1 {
			x = -x
		}
		if vs.measured {
			x = int64(vs.n)
		}
		v.SetInt(narrowInt(x, t))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		x := uint64(0x0123_4567_0000_1000 + vs.n)
		if vs.variant == 1 {
			x = ^x
		}
		if vs.measured {
			x = uint64(vs.n)
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
			if t.Field(i).IsExported() { // not padding
				v.Field(i).Set(vs.make(t.Field(i).Type, ""))
			}
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
		_, objects := vs.recorder.b.wrapperOf(t.Elem())
		if vs.measured && !objects {
			n = 512
		}
		if vs.measured && t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes(bytes.Repeat([]byte{byte(vs.n), 2, 3, 5, 7}, 2000))
			return v
		}
		v.Set(reflect.MakeSlice(t, n, n))
		first := vs.n
		for i := range n {
			if vs.measured {
				vs.n = first + i%8
			}
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
			vs.returned = nil
			for i, in := range args {
				if in.Kind() == reflect.Pointer && t.In(i).Elem().Kind() == reflect.Slice {
					in.Elem().Set(reflect.Append(in.Elem(), vs.make(t.In(i).Elem().Elem(), "")))
				}
			}
			for i := range t.NumOut() {
				vs.returned = append(vs.returned, vs.make(t.Out(i), ""))
			}
			return vs.returned
		}))
	default:
		vs.recorder.Fatalf("no values of type %v", t)
	}
	return v
}

func narrowInt(x int64, t reflect.Type) int64 {
	shift := 64 - 8*t.Size()
	return x << shift >> shift
}

// wordOf returns a scalar as an argument word.
func wordOf(v reflect.Value) (uintptr, bool) {
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
