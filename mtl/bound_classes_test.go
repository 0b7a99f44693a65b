package mtl

import (
	"reflect"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
)

// TestBoundConstructors: every plain constructor creates one object, +1, of the class that its
// result wraps.
func TestBoundConstructors(t *testing.T) {
	r := newBoundRecorder(t)
	n := 0
	for _, f := range r.src.funcs {
		if f.table != "zclasses" {
			continue
		}
		n++
		before := r.rt.LiveTotal()
		outs := reflect.ValueOf(boundFuncs[f.name]).Call(nil)
		if !assert.Len(t, outs, 2, f.name) || !assert.Nil(t, outs[1].Interface(), f.name) {
			continue
		}
		id := boundIDOf(outs[0])
		goType, _ := boundWrapperOf(outs[0].Type())
		assert.Equal(t, r.src.classes[goType].name, r.ClassName(objcsoft.ID(id)), f.name)
		assert.Equal(t, 1, r.rt.RetainCount(objcsoft.ID(id)), f.name)
		r.release(id)
		assert.Equal(t, before, r.rt.LiveTotal(), f.name)
	}
	assert.Empty(t, r.takeFaults())
	t.Logf("%d constructors", n)
}

// TestBoundConstants: every function that reads a constant reads the one with its name.
func TestBoundConstants(t *testing.T) {
	r := newBoundRecorder(t)
	n := 0
	for _, f := range r.src.funcs {
		if f.table != "zconstants" {
			continue
		}
		n++
		c := &zconstants[r.src.index[f.entry]]
		name := strings.TrimPrefix(c.Name, boundPrefix)
		outs := reflect.ValueOf(boundFuncs[f.name]).Call(nil)
		assert.Nil(t, outs[1].Interface(), f.name)
		assert.Equal(t, recording.ConstantText(name), outs[0].Interface(), f.name)
		assert.Equal(t, boundGoName(name), f.name, "function for %s", name)
	}
	assert.Equal(t, len(zconstants), n)
	assert.Empty(t, r.takeFaults())
	t.Logf("%d constants", n)
}

// TestBoundMissing: if a framework lacks something, every function that needs it returns an error
// and does not panic.
func TestBoundMissing(t *testing.T) {
	r := newBoundRecorder(t)
	for i := range zclasses {
		c := &zclasses[i]
		*c = objc.ClassRef{Name: boundPrefix + "No" + c.Name, Framework: boundPrefix + "Metal", Since: c.Since}
	}
	for i := range zfunctions {
		f := &zfunctions[i]
		*f = objc.Function{Name: boundPrefix + "No" + f.Name, Framework: boundPrefix + "Metal", Encoding: f.Encoding,
			Since: f.Since, Retained: f.Retained}
	}
	for i := range zconstants {
		c := &zconstants[i]
		*c = objc.Constant{Name: boundPrefix + "No" + c.Name, Framework: boundPrefix + "Metal", Since: c.Since}
	}
	t.Cleanup(func() {
		trim := func(s string) string { return strings.TrimPrefix(s, boundPrefix+"No") }
		for i := range zclasses {
			c := &zclasses[i]
			*c = objc.ClassRef{Name: trim(c.Name), Framework: c.Framework, Since: c.Since}
		}
		for i := range zfunctions {
			f := &zfunctions[i]
			*f = objc.Function{Name: trim(f.Name), Framework: f.Framework, Encoding: f.Encoding, Since: f.Since,
				Retained: f.Retained}
		}
		for i := range zconstants {
			c := &zconstants[i]
			*c = objc.Constant{Name: trim(c.Name), Framework: c.Framework, Since: c.Since}
		}
	})
	n := 0
	for _, f := range r.src.funcs {
		fn, ok := boundFuncs[f.name]
		if f.recv != "" || !ok {
			continue
		}
		n++
		before := r.rt.LiveTotal()
		vs := &boundValues{recorder: r}
		var args []reflect.Value
		for _, in := range boundIns(reflect.TypeOf(fn)) {
			args = append(args, vs.make(in, "char"))
		}
		outs := reflect.ValueOf(fn).Call(args)
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
