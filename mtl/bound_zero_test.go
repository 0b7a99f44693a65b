package mtl

import (
	"reflect"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/objc"
)

// zeroArgs are zero values: nil wrappers, slices and functions, empty strings. With holes, slices and maps have one
// zero element each.
func (c *boundCall) zeroArgs(holes bool) {
	for _, t := range boundIns(c.fn.Type()) {
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

// TestBoundZeroArguments: nil and empty arguments go through, or are a fault; nothing panics and nothing leaks.
func TestBoundZeroArguments(t *testing.T) {
	w := newBoundWorld(t)
	faults := map[string]int{}
	for _, holes := range []bool{false, true} {
		what := "zero arguments"
		if holes {
			what = "slices and maps of zero elements"
		}
		w.eachBoundMethod(what, func(f *boundFunc) objc.ID { return w.object(f.recv) }, func(c *boundCall) {
			if len(c.plan) == 0 {
				return
			}
			reply, err := c.reply(0)
			if err != nil {
				c.failf("%v", err)
			}
			c.zeroArgs(holes)
			var later func()
			objc.Pool(func() {
				c.try(reply, c.inspectZero)
				if ms := w.Messages(); len(ms) == 1 {
					later = c.owned(ms[0], ms[0].Method.Retained)
				} else {
					c.failf("%d messages arrived, want 1", len(ms))
				}
			})
			if later != nil {
				later()
			}
			for _, f := range w.takeFaults() {
				faults[f.Error()]++
			}
		})
	}
	for f, n := range faults {
		t.Logf("%d times: %s", n, f)
	}
}

// inspectZero checks that nil stays nil: objects, blocks and C arrays of no elements are words of zero, and so is what a slice counts.
func (c *boundCall) inspectZero(m *recording.Message) {
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
		case p == boundOutResult:
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
