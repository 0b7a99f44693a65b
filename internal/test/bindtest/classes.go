package bindtest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
)

// constructorsTest: every plain constructor creates one object, +1, of the class that its
// result wraps.
func constructorsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	n := 0
	for _, f := range r.src.funcs {
		if f.table != "zclasses" {
			continue
		}
		n++
		before := r.rt.LiveTotal()
		outs := r.b.funcs[f.name].Call(nil)
		if !assert.Len(t, outs, 2, f.name) || !assert.Nil(t, outs[1].Interface(), f.name) {
			continue
		}
		id := idOf(outs[0])
		assert.Equal(t, r.src.classes[f.results[0]].name, r.ClassName(objcsoft.ID(id)), f.name)
		assert.Equal(t, 1, r.rt.RetainCount(objcsoft.ID(id)), f.name)
		r.Release(id)
		assert.Equal(t, before, r.rt.LiveTotal(), f.name)
	}
	assert.Empty(t, r.takeFaults())
	t.Logf("%d constructors", n)
}

// constantsTest: every function that reads a constant reads the one with its name.
func constantsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	n := 0
	for _, f := range r.src.funcs {
		if f.table != "zconstants" {
			continue
		}
		n++
		c := &b.Constants[r.src.index[f.entry]]
		name := strings.TrimPrefix(c.Name, Prefix)
		outs := r.b.funcs[f.name].Call(nil)
		assert.Nil(t, outs[1].Interface(), f.name)
		assert.Equal(t, recording.ConstantText(name), outs[0].Interface(), f.name)
		assert.Equal(t, r.b.goName(name), f.name, "function for %s", name)
	}
	assert.Equal(t, len(b.Constants), n)
	assert.Empty(t, r.takeFaults())
	t.Logf("%d constants", n)
}

// missingTest: if a framework lacks something, every function that needs it returns an error
// and does not panic.
func missingTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	t.Cleanup(r.b.redirect(Prefix + "No"))
	r.ExpectMany(r.other, nil)
	n := 0
	for _, f := range r.src.funcs {
		fn, ok := r.b.funcs[f.name]
		if f.recv != "" || !ok {
			continue
		}
		n++
		before := r.rt.LiveTotal()
		vs := &values{recorder: r, measured: f.measured}
		var args []reflect.Value
		for _, in := range ins(fn.Type()) {
			args = append(args, vs.make(in, "char"))
		}
		b.setValid(f, args)
		var outs []reflect.Value
		objc.Pool(func() { outs = fn.Call(args) })
		err, _ := outs[len(outs)-1].Interface().(error)
		assert.ErrorIs(t, err, objc.ErrNotFound, f.name)
		for _, v := range outs[:len(outs)-1] {
			assert.True(t, v.IsZero(), f.name)
		}
		vs.release()
		assert.Equal(t, before, r.rt.LiveTotal(), f.name)
	}
	assert.Empty(t, r.takeFaults())
	t.Logf("%d functions", n)
}
