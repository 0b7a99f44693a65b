package mtl

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boundBlockArgs are the words passed to a block, and the values that its Go function must receive.
type boundBlockArgs struct {
	words []uintptr
	want  []func(reflect.Value) error
	made  []objcsoft.ID
}

// blockArgsFor makes distinctive arguments; with empty, all objects are nil.
func (r *boundRecorder) blockArgsFor(sig *typeenc.Signature, fn reflect.Type, empty bool) (*boundBlockArgs, error) {
	b := &boundBlockArgs{}
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
					if err := boundSameScalar(t, a); err != nil {
						return err
					}
				}
				got, _ := boundWord(v)
				return boundSameWords([]uintptr{got}, word0)
			})
			continue
		}
		text := fmt.Sprintf("block argument %d", i)
		var id objcsoft.ID
		goType, wrapper := boundWrapperOf(t)
		switch {
		case empty:
		case wrapper:
			id = objcsoft.ID(r.object(goType))
		case t == boundErrorType:
			id = r.rt.NewError("RecordingErrorDomain", int64(i)+7, text, 0)
		case t.Kind() == reflect.String:
			id = r.rt.NewString(text)
		default:
			return nil, fmt.Errorf("argument %d of a block is a %v in Go", i, t)
		}
		b.words = append(b.words, uintptr(id))
		b.made = append(b.made, id)
		b.want = append(b.want, func(v reflect.Value) error {
			switch {
			case empty && t == boundErrorType && !v.IsNil():
				return fmt.Errorf("argument %d is %v, want a nil error", i, v)
			case empty && !v.IsZero():
				return fmt.Errorf("argument %d is %v, want zero", i, v)
			case empty:
			case wrapper && boundIDOf(v) != objc.ID(id):
				return fmt.Errorf("argument %d is %#x, want %#x", i, boundIDOf(v), id)
			case t.Kind() == reflect.String && v.String() != text:
				return fmt.Errorf("argument %d is %q, want %q", i, v, text)
			case t == boundErrorType:
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

// TestBoundBlocks: every method that takes a block creates one that outlives the call, passes its
// arguments to the Go function, survives a panic in it and is finally freed.
func TestBoundBlocks(t *testing.T) {
	r := newBoundRecorder(t)
	methods, calls := 0, 0
	r.methods(func(f *boundFunc) {
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
	})
	assert.Positive(t, methods)
	t.Logf("%d methods with blocks, %d calls", methods, calls)
}

// callBlock calls a method, and its block after the method has returned.
func (r *boundRecorder) callBlock(f *boundFunc, param int, how string) {
	before := r.rt.LiveTotal()
	recv := r.object(f.recv)
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
		for _, m := range r.Messages() {
			if m.Method.Retained {
				r.release(objc.ID(m.Result[0]))
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
	r.release(objc.ID(block))
	c.finish(before)
}

// invoke calls a block as Metal would: on another goroutine, in a pool.
func (r *boundRecorder) invoke(c *boundCall, block objcsoft.ID, encoding string, fn reflect.Type, how string) {
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
		objc.Pool(func() {
			_, err := r.rt.InvokeBlock(block, b.words)
			done <- err
		})
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
		r.release(objc.ID(id))
	}
}
