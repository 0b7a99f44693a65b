package bindtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// zeroArgs are zero values: nil wrappers, slices and functions, empty strings. With holes, slices
// and maps have one zero element each.
func (c *invocation) zeroArgs(holes bool) {
	for _, t := range ins(c.fn.Type()) {
		v := reflect.New(t).Elem()
		switch {
		case holes && t.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(t, 1, 1))
		case holes && t.Kind() == reflect.Map:
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
		case t.Kind() == reflect.Pointer:
			v.Set(reflect.New(t.Elem()))
		}
		c.args = append(c.args, v)
	}
}

// nilArgument returns the first parameter whose value would be passed to Metal as a nil that it
// does not accept, or "". Objects and blocks come first, then the sources of objects, such as a
// container with a nil element.
func (c *invocation) nilArgument() string {
	for i, p := range c.plan {
		if p < 0 || c.nilable[c.names[p]] {
			continue
		}
		v := c.args[p]
		if _, wrapper := c.recorder.b.wrapperOf(v.Type()); wrapper && c.sig[i].IsObject() && idOf(v) == 0 ||
			v.Kind() == reflect.Func && v.IsNil() {
			return c.names[p]
		}
	}
	for i, p := range c.plan {
		if p < 0 || !c.sig[i].IsObject() {
			continue
		}
		v, name := c.args[p], c.names[p]
		switch v.Kind() {
		case reflect.String:
			if strings.Contains(c.declOf(i), "NSURL") && v.Len() == 0 && !c.nilable[name] {
				return name
			}
		case reflect.Slice, reflect.Map:
			if _, wrapper := c.recorder.b.wrapperOf(v.Type().Elem()); wrapper && v.Len() > 0 {
				return name
			}
		}
	}
	return ""
}

// wantRefused expects that nothing is sent for a nil argument: an error or a fault names it, or the
// element of a container, and the results are zero.
func (c *invocation) wantRefused(outs []reflect.Value, err error, name string) {
	c.wantZero(outs)
	fs := c.recorder.takeFaults()
	if n := len(c.messages()); n > 0 {
		c.failf("%d messages arrived, want none", n)
	}
	_, fails := c.results()
	switch {
	case fails && (!errors.Is(err, objc.ErrNotObject) || !strings.Contains(err.Error(), name+" is nil")):
		c.failf("error is %v, want one that names %s", err, name)
	case fails:
	case len(fs) != 1 || !errors.Is(fs[0], objc.ErrNotObject):
		c.failf("%d faults, want one: %v", len(fs), fs)
	default:
		for _, part := range []string{name + " is nil", "of 1 is nil", "value of key"} {
			if strings.Contains(fs[0].Error(), part) {
				return
			}
		}
		c.failf("fault is %v, want one that names %s", fs[0], name)
	}
}

// wantShort expects an error or a fault that says how many elements a slice lacks, or what a check
// found.
func (c *invocation) wantShort(outs []reflect.Value, err error) {
	c.wantZero(outs)
	fs := c.recorder.takeFaults()
	if len(fs) == 1 && err == nil {
		err = fs[0]
	}
	if len(fs) > 1 || err == nil || !c.guarded && !errors.Is(err, objc.ErrShort) {
		c.failf("error is %v and %d faults, want one that gives the reason", err, len(fs))
	}
}

// zeroArgumentsTest: nil is passed on where the declaration says nullable. Otherwise nothing
// is sent, and an error or a fault gives the reason. Nothing panics and nothing leaks.
func zeroArgumentsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	sent, refused := 0, 0
	check := func(c *invocation, holes bool) {
		if len(c.plan) == 0 {
			return
		}
		reply, err := c.reply(0)
		if err != nil {
			c.failf("%v", err)
		}
		c.zeroArgs(holes)
		name := c.nilArgument()
		var later func()
		objc.Pool(func() {
			outs, err := c.try(reply, c.inspectZero)
			if name != "" {
				refused++
				c.wantRefused(outs, err, name)
				return
			}
			if (c.measured || c.guarded) && len(c.messages()) == 0 {
				refused++
				c.wantShort(outs, err)
				return
			}
			sent++
			if ms := c.messages(); len(ms) == 1 {
				later = c.owned(ms[0], ms[0].Method.Retained)
				if recording.IsInit(ms[0].Method.Selector) {
					r.Release(idOf(outs[0]))
				}
			} else {
				c.failf("%d messages arrived, want 1: %v", len(ms), err)
			}
		})
		if later != nil {
			later()
		}
	}
	for _, holes := range []bool{false, true} {
		what := "zero arguments"
		if holes {
			what = "slices and maps of zero elements"
		}
		r.each(what, func(f *goFunc) objc.ID { return r.object(f.recv) },
			func(c *invocation) { check(c, holes) })
		for _, f := range r.src.funcs {
			if f.recv != "" || f.table != "zmethods" && f.table != "zfunctions" {
				continue
			}
			before := r.rt.LiveTotal()
			c, err := r.prepare(f, 0, 0)
			require.NoError(t, err, "%v", f)
			check(c, holes)
			c.finish(before)
		}
	}
	t.Logf("%d calls sent, %d refused", sent, refused)
	assert.Positive(t, refused)
}

// noURLTest: text that is not a URL is refused, even where an empty one is passed as nil.
func noURLTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	n := 0
	r.methods(func(f *goFunc) {
		before := r.rt.LiveTotal()
		recv := r.object(f.recv)
		c, err := r.prepare(f, recv, 0)
		require.NoError(t, err, "%v", f)
		c.makeArgs()
		for i, p := range c.plan {
			if p >= 0 && c.declOf(i) == "NSURL *" {
				n++
				c.args[p] = reflect.ValueOf("https://no host/%zz")
				outs, err := c.try(recording.Reply{}, nil)
				c.wantRefused(outs, err, c.names[p])
			}
		}
		c.finish(before)
	})
	t.Logf("%d methods", n)
}

// nulTest: a C string ends at a NUL byte, so a NUL byte inside one is an error that says
// where.
func nulTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	n := 0
	for _, f := range r.src.funcs {
		if f.table != "zfunctions" {
			continue
		}
		before := r.rt.LiveTotal()
		c, err := r.prepare(f, 0, 0)
		require.NoError(t, err, "%v", f)
		c.makeArgs()
		for i, p := range c.plan {
			if c.sig[i].Kind != typeenc.CString {
				continue
			}
			n++
			c.args[p] = reflect.ValueOf("/a\x00b")
			outs, err := c.try(recording.Reply{}, nil)
			c.wantZero(outs)
			assert.EqualError(t, err, fmt.Sprintf("mtl: %s: %s has a NUL byte at offset 2", f.name, c.names[p]))
			c.wantNothing()
		}
		c.finish(before)
	}
}

// inspectZero checks that nil stays nil: objects, blocks, empty C arrays and their counts are zero
// words.
func (c *invocation) inspectZero(m *recording.Message) {
	for i, p := range c.plan {
		words := m.Args[i].Words
		switch {
		case p >= 0:
			v := c.args[p]
			switch v.Kind() {
			case reflect.String, reflect.Pointer:
				continue
			case reflect.Slice, reflect.Map:
				if v.Len() > 0 {
					continue
				}
				if m.Args[i].Type.IsObject() && words[0] != 0 && m.Args[i].Value.Items == nil && m.Args[i].Value.Data == nil {
					continue // an empty collection
				}
			}
		case p == outResult:
			continue
		default:
			if c.count() > 0 {
				continue
			}
		}
		for _, w := range words {
			if w != 0 && !(p >= 0 && m.Args[i].Type.IsObject()) {
				c.failf("argument %d is %#x, want zero", i, words)
			}
		}
	}
}
