package bindtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// blockArgs are the words passed to a block, and the values that its Go function must receive.
type blockArgs struct {
	words []uintptr
	want  []func(reflect.Value) error
	made  []objcsoft.ID
}

// blockArgsFor makes distinctive arguments; with empty, all objects are nil.
func (r *Recorder) blockArgsFor(sig *typeenc.Signature, fn reflect.Type, empty bool) (*blockArgs, error) {
	b := &blockArgs{}
	for i, a := range sig.Args[1:] {
		t := fn.In(i)
		if !a.IsObject() {
			if len(recording.Words("block", i, a)) != 1 {
				return nil, fmt.Errorf("argument %d of a block is %v", i, a)
			}
			word0 := recording.Words("block", 2*i, a)[0]
			b.words = append(b.words, word0)
			b.want = append(b.want, func(v reflect.Value) error {
				if t.Kind() != reflect.Uintptr {
					if err := sameScalar(t, a); err != nil {
						return err
					}
				}
				got, _ := wordOf(v)
				return sameWords([]uintptr{got}, word0)
			})
			continue
		}
		text := fmt.Sprintf("block argument %d", i)
		var id objcsoft.ID
		goType, wrapper := r.b.wrapperOf(t)
		switch {
		case empty:
		case wrapper:
			id = objcsoft.ID(r.object(goType))
		case t == errorType:
			id = r.rt.NewError("RecordingErrorDomain", int64(i)+7, text, 0)
		case t.Kind() == reflect.String:
			id = r.rt.NewString(text)
		case t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Pointer:
			c, err := r.containerFor(t, b)
			if err != nil {
				return nil, fmt.Errorf("argument %d of a block: %w", i, err)
			}
			b.words = append(b.words, uintptr(c.id))
			b.made = append(b.made, c.id)
			b.want = append(b.want, c.check)
			continue
		default:
			return nil, fmt.Errorf("argument %d of a block is a %v in Go", i, t)
		}
		b.words = append(b.words, uintptr(id))
		b.made = append(b.made, id)
		b.want = append(b.want, func(v reflect.Value) error {
			switch {
			case empty && t == errorType && !v.IsNil():
				return fmt.Errorf("argument %d is %v, want a nil error", i, v)
			case empty && v.Kind() == reflect.Pointer:
			case empty && !v.IsZero():
				return fmt.Errorf("argument %d is %v, want zero", i, v)
			case empty:
			case wrapper && idOf(v) != objc.ID(id):
				return fmt.Errorf("argument %d is %#x, want %#x", i, idOf(v), id)
			case t.Kind() == reflect.String && v.String() != text:
				return fmt.Errorf("argument %d is %q, want %q", i, v, text)
			case t == errorType:
				var e *objc.Error
				if err, _ := v.Interface().(error); !errors.As(err, &e) || e.Code != i+7 || e.Description != text {
					return fmt.Errorf("argument %d is %v", i, v)
				}
			}
			return nil
		})
	}
	return b, nil
}

// container is a collection that a block gets.
type container struct {
	id    objcsoft.ID
	check func(reflect.Value) error
}

// containerFor makes an array or a dictionary with one element.
func (r *Recorder) containerFor(t reflect.Type, b *blockArgs) (container, error) {
	object := func(t reflect.Type) (objcsoft.ID, error) {
		goType, ok := r.b.wrapperOf(t)
		if !ok {
			return 0, fmt.Errorf("no elements of type %v", t)
		}
		id := objcsoft.ID(r.object(goType))
		b.made = append(b.made, id)
		return id, nil
	}
	if t.Kind() == reflect.Pointer {
		id := objcsoft.ID(objc.NewMutableArray([]objc.Object(nil)))
		return container{id, func(v reflect.Value) error {
			want := v.Elem() // what the function has appended
			items, err := r.rt.ArrayItems(id)
			if err != nil || want.Len() == 0 || len(items) != want.Len() {
				return fmt.Errorf("the array has %v (%v), the function appended %d elements", items, err, want.Len())
			}
			for i, item := range items {
				if objc.ID(item) != idOf(want.Index(i)) {
					return fmt.Errorf("element %d is %#x, want %#x", i, item, idOf(want.Index(i)))
				}
			}
			return nil
		}}, nil
	}
	elem, err := object(t.Elem())
	if err != nil {
		return container{}, err
	}
	if t.Kind() == reflect.Slice {
		id, err := r.rt.NewArray([]objcsoft.ID{elem})
		return container{id, func(v reflect.Value) error {
			if v.Len() != 1 || idOf(v.Index(0)) != objc.ID(elem) {
				return fmt.Errorf("the function gets %v, want one element %#x", v, elem)
			}
			return nil
		}}, err
	}
	key, err := object(t.Key())
	if err != nil {
		return container{}, err
	}
	r.ExpectMany(func(*recording.Message) recording.Reply { return recording.Reply{Self: true} }, nil)
	id, err := r.rt.NewDictionaryOf([]objcsoft.ID{key}, []objcsoft.ID{elem})
	return container{id, func(v reflect.Value) error {
		if v.Len() != 1 || idOf(v.MapKeys()[0]) != objc.ID(key) || idOf(v.MapIndex(v.MapKeys()[0])) != objc.ID(elem) {
			return fmt.Errorf("the function gets %v, want %#x: %#x", v, key, elem)
		}
		return nil
	}}, err
}

// checkReturned compares the result of a block with what the Go function returned.
func (c *invocation) checkReturned(word uintptr) error {
	if len(c.vs.returned) == 0 {
		return nil
	}
	v := c.vs.returned[0]
	if w, ok := wordOf(v); ok {
		return sameWords([]uintptr{word}, w)
	}
	return c.compareObject(c.recorder.Value(objcsoft.ID(word)), v, "")
}

// blocksTest: every method that takes a block creates one that outlives the call, passes its
// arguments to the Go function, survives a panic in it and is finally freed.
func blocksTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	methods, calls := 0, 0
	for _, f := range r.src.funcs {
		if f.table != "zmethods" && f.table != "zfunctions" {
			continue
		}
		for i, p := range f.params {
			if !strings.HasPrefix(p, "func(") {
				continue
			}
			methods++
			for _, how := range []string{"objects", "nil", "panic", "no function"} {
				calls++
				r.callBlock(f, i, how)
			}
		}
	}
	t.Logf("%d methods with blocks, %d calls", methods, calls)
}

// callBlock calls a method, and its block after the method has returned.
func (r *Recorder) callBlock(f *goFunc, param int, how string) {
	before := r.rt.LiveTotal()
	var recv objc.ID
	if f.recv != "" {
		recv = r.object(f.recv)
	}
	c, err := r.prepare(f, recv, 0)
	require.NoError(r, err, "%v", f)
	c.makeArgs()
	if how == "no function" {
		c.args[param] = reflect.Zero(c.args[param].Type())
	}
	if how == "panic" {
		t := c.args[param].Type()
		c.args[param] = reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { panic("in " + f.name) })
	}
	reply, err := c.reply(0)
	require.NoError(r, err)
	var block objcsoft.ID
	var encoding string
	refused := how == "no function" && !f.nilable[f.names[param]]
	objc.Pool(func() {
		outs, err := c.try(reply, func(m *recording.Message) {
			for i, p := range c.plan {
				if p == param {
					block, encoding = objcsoft.ID(m.Args[i].Words[0]), m.Args[i].Value.Block
				}
			}
			if err := r.rt.Retain(block); err != nil {
				c.failf("%v", err)
			}
		})
		if refused {
			c.wantRefused(outs, err, f.names[param])
			return
		}
		if err != nil {
			c.failf("error: %v", err)
		}
		for _, m := range c.messages() {
			if m.Method.Retained {
				r.Release(objc.ID(m.Result[0]))
			}
		}
	})
	if how == "no function" {
		if block != 0 {
			c.failf("a nil function gives a block")
		}
	} else {
		r.invoke(c, block, encoding, c.args[param].Type(), how)
		if n := r.rt.RetainCount(block); n != 1 {
			c.failf("the block has a count of %d after the call, want ours alone", n)
		}
	}
	r.Release(objc.ID(block))
	c.finish(before)
}

// invoke calls a block as Metal would: on another goroutine, in a pool.
func (r *Recorder) invoke(c *invocation, block objcsoft.ID, encoding string, fn reflect.Type, how string) {
	sig, err := typeenc.ParseBlock(encoding)
	if err != nil {
		c.failf("%v", err)
		return
	}
	b, err := r.blockArgsFor(sig, fn, how == "nil")
	if err != nil {
		c.failf("%v", err)
		return
	}
	done := make(chan error)
	go func() {
		var err error
		objc.Pool(func() {
			var word uintptr
			if word, err = r.rt.InvokeBlock(block, b.words); err == nil && how != "panic" {
				err = c.checkReturned(word)
			}
		})
		done <- err // after the pool, whose objects would count as leaks
	}()
	if err := <-done; err != nil {
		c.failf("%v", err)
	}
	panics := r.takePanics()
	switch {
	case how == "panic":
		if len(panics) != 1 || panics[0].Value != "in "+c.name {
			c.failf("panics reported: %v", panics)
		}
	case len(panics) > 0:
		c.failf("panics: %v", panics)
	case len(c.vs.calls) != 1:
		c.failf("the function was called %d times", len(c.vs.calls))
	default:
		for i, check := range b.want {
			if err := check(c.vs.calls[0][i]); err != nil {
				c.failf("%v", err)
			}
		}
	}
	for _, id := range b.made {
		r.Release(objc.ID(id))
	}
}
