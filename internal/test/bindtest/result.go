package bindtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"
)

var errorType = reflect.TypeFor[error]()

// results returns the types of the Go results without a trailing error.
func (c *invocation) results() (ts []reflect.Type, fails bool) {
	t := c.fn.Type()
	for i := range t.NumOut() {
		ts = append(ts, t.Out(i))
	}
	if c.decl != nil && c.decl.ret == "NSError *" {
		return ts, false
	}
	if n := len(ts); n > 0 && ts[n-1] == errorType {
		return ts[:n-1], true
	}
	return ts, false
}

// reply chooses a reply that matches the Go results.
func (c *invocation) reply(variant int) (recording.Reply, error) {
	r := recording.Reply{Variant: variant}
	ts, _ := c.results()
	if c.decl != nil && c.decl.ret == "NSError *" {
		r.Kind = recording.Failure
		return r, nil
	}
	if len(ts) == 0 || c.ret.Kind == typeenc.Void {
		return r, nil
	}
	class := func(t reflect.Type) (string, bool) {
		goType, ok := c.recorder.b.wrapperOf(t)
		if goType != "" {
			return c.recorder.className(goType), ok
		}
		return "", ok || t == idType
	}
	if len(ts) > 1 && c.trailing == 2 {
		out, ok := class(ts[1])
		if !ok {
			return r, fmt.Errorf("a second result of type %v", ts[1])
		}
		if r.Out = out; out == "" {
			r.Out = "Object"
		}
	}
	var ok bool
	switch t := ts[0]; t.Kind() {
	case reflect.String:
		r.Kind = recording.Text
		if c.decl != nil && strings.Contains(c.decl.ret, "NSURL") {
			r.Kind = recording.URL
		}
	case reflect.Slice:
		switch r.Class, ok = class(t.Elem()); {
		case ok:
			r.Kind = recording.Array
		case t.Elem().Kind() == reflect.String:
			r.Kind = recording.Texts
		case t.Elem().Kind() == reflect.Uint8:
			r.Kind = recording.Data
		case t.Elem().Kind() == reflect.Int:
			r.Kind = recording.Numbers
		case t.Elem().Kind() == reflect.Slice:
			r.Kind = recording.Lists
			r.Class, _ = class(t.Elem().Elem())
		default:
			return r, fmt.Errorf("result of type %v", t)
		}
	case reflect.Map:
		r.Kind = recording.TextMap
		if key, ok := class(t.Key()); ok {
			r.Kind, r.Key = recording.Dictionary, key
			r.Class, _ = class(t.Elem())
		} else if r.Class, ok = class(t.Elem()); ok {
			r.Kind = recording.Map
		} else if t.Elem().Kind() == reflect.Slice {
			r.Kind = recording.ArrayMap
			r.Class, _ = class(t.Elem().Elem())
		}
	default:
		r.Class, _ = class(t)
	}
	return r, nil
}

// checkResult compares the first Go result with the answer that was given.
func (c *invocation) checkResult(v reflect.Value, m *recording.Message, r recording.Reply, ret typeenc.Type) error {
	text := recording.TextOf(m.Method.Selector, r.Variant)
	if r.Kind == recording.Failure {
		err, _ := v.Interface().(error)
		return sameError(err, m.Method.Selector)
	}
	made := func() objc.ID { return objc.ID(m.Made[0]) }
	if ret.IsObject() {
		switch r.Kind {
		case recording.Instance:
			if want := objc.ID(m.Result[0]); idOf(v) != want {
				return fmt.Errorf("result is %#x, want %#x", idOf(v), want)
			}
			return nil
		case recording.Text, recording.URL:
			if r.Kind == recording.URL {
				text = "/" + text
			}
			return sameResult(v.Interface(), text)
		case recording.Data:
			return sameResult(string(v.Bytes()), text)
		case recording.Numbers:
			return sameResult(v.Interface(), []int{int(recording.NumberOf(m.Method.Selector, r.Variant))})
		case recording.Texts:
			return sameResult(v.Interface(), []string{text})
		case recording.TextMap:
			return sameResult(v.Interface(), map[string]string{text: text})
		}
		if v.Len() != 1 {
			return fmt.Errorf("result has %d elements, want 1", v.Len())
		}
		var e reflect.Value
		switch r.Kind {
		case recording.Array:
			e = v.Index(0)
		case recording.Lists:
			if e = v.Index(0); e.Len() == 1 {
				e = e.Index(0)
			} else {
				return fmt.Errorf("result is %v", v)
			}
		case recording.Dictionary:
			if key := v.MapKeys()[0]; idOf(key) != objc.ID(m.Key) {
				return fmt.Errorf("key is %#x, want %#x", idOf(key), m.Key)
			}
			e = v.MapIndex(v.MapKeys()[0])
		case recording.Map:
			e = v.MapIndex(reflect.ValueOf(text))
		case recording.ArrayMap:
			if e = v.MapIndex(reflect.ValueOf(text)); e.IsValid() && e.Len() == 1 {
				e = e.Index(0)
			} else {
				return fmt.Errorf("result is %v", v)
			}
		}
		if !e.IsValid() || idOf(e) != made() {
			return fmt.Errorf("result is %v, want one element %#x", v, made())
		}
		return nil
	}
	want := recording.Words(m.Method.Selector, r.Variant, ret)
	if ret.Kind == typeenc.Struct {
		if int(v.Type().Size()) != ret.Size {
			return fmt.Errorf("result %v has %d bytes, want %d", v.Type(), v.Type().Size(), ret.Size)
		}
		return sameImage(v, want)
	}
	if v.Kind() == reflect.Slice {
		return fmt.Errorf("a %v for %v cannot be compared", v.Type(), ret)
	}
	w, ok := wordOf(v)
	if !ok {
		return fmt.Errorf("a %v for %v", v.Type(), ret)
	}
	if ret.Kind != typeenc.Pointer {
		if err := sameScalar(v.Type(), ret); err != nil {
			return err
		}
	}
	return sameWords([]uintptr{w}, want...)
}

// sameImage compares the words of a structure, but for the bytes between its fields.
func sameImage(v reflect.Value, want []uintptr) error {
	fields := image(fieldMask(v.Type()))
	got := image(v)
	for i := range got {
		if (got[i]^want[i])&fields[i] != 0 {
			return fmt.Errorf("%#x arrived, want %#x", got, want)
		}
	}
	return nil
}

// sameError checks that err is the Go form of the NSError that a method gave.
func sameError(err error, selector string) error {
	domain, code, text := recording.ErrorOf(selector)
	var got *objc.Error
	if !errors.As(err, &got) || got.Domain != domain || got.Code != code || got.Description != text {
		return fmt.Errorf("error is %v (%T), want %s %d", err, err, domain, code)
	}
	return nil
}

func sameResult(got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("result is %q, want %q", got, want)
	}
	return nil
}

// owned checks, inside the pool of the call, who owns the returned objects, and releases those that
// the caller owns. later checks what must be true once the pool has been drained.
func (c *invocation) owned(m *recording.Message, retained bool) (later func()) {
	// A collection holds its elements itself. Either the collection is +1 or, where the comment says
	// so, each element.
	ids := append([]objcsoft.ID(nil), m.Made...)
	for _, id := range ids {
		if !c.recorder.rt.IsLive(id) {
			c.failf("a returned object is gone before the pool ends")
		}
	}
	return func() {
		ts, _ := c.results()
		for i, id := range ids {
			plus1 := retained && i == 0 || i > 0 // an out-parameter comes back +1
			if len(ts) > 0 && ts[0].Kind() != reflect.Slice && ts[0].Kind() != reflect.Struct {
				plus1 = false // copied to Go, or elements of a map
			}
			want := 0
			if plus1 {
				want = 1
			}
			if n := c.recorder.rt.RetainCount(id); n != want {
				c.failf("object %d of the result has a count of %d after the pool, want %d", i, n, want)
			}
			for range c.recorder.rt.RetainCount(id) {
				c.recorder.Release(objc.ID(id))
			}
		}
	}
}
