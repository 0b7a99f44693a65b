package bindtest

import (
	"errors"
	"reflect"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"
)

// try calls a function with the arguments that were made, outside any pool if pool is false, and
// returns the results without a trailing error.
func (c *invocation) try(reply recording.Reply, inspect func(*recording.Message)) (outs []reflect.Value, err error) {
	c.recorder.expect(c, reply, inspect)
	defer func() {
		if r := recover(); r != nil {
			c.failf("panic: %v", r)
		}
	}()
	outs = c.fn.Call(c.args)
	if n := len(outs); n > 0 && outs[n-1].Type() == errorType {
		err, _ = outs[n-1].Interface().(error)
		outs = outs[:n-1]
	}
	return outs, err
}

// wantZero checks that results are zero; empty slices and maps count as zero.
func (c *invocation) wantZero(outs []reflect.Value) {
	for i, v := range outs {
		empty := v.Kind() == reflect.Slice || v.Kind() == reflect.Map
		if empty && v.Len() > 0 || !empty && !v.IsZero() {
			c.failf("result %d is %v, want zero", i, v)
		}
	}
}

// each calls f with every generated method, prepared for a receiver that recv makes.
func (r *Recorder) each(what string, recv func(f *goFunc) objc.ID, f func(c *invocation)) {
	n := totals{}
	r.methods(func(fn *goFunc) {
		before := r.rt.LiveTotal()
		id := recv(fn)
		c, err := r.prepare(fn, id, 0)
		if err != nil {
			n.skip(fn, err.Error())
			r.Release(id)
			return
		}
		n.called++
		n.calls++
		f(c)
		if id != 0 && !r.rt.IsLive(objcsoft.ID(id)) {
			c.recv = 0 // released on purpose
		}
		c.finish(before)
	})
	r.Logf("%s: %d methods called, %d skipped", what, n.called, len(n.skipped))
	for _, s := range n.skipped {
		r.Errorf("skipped: %s", s)
	}
}

// nilReceiversTest: a message to nil sends nothing and returns zero; a method with an error
// result returns an error.
func nilReceiversTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	r.each("nil receivers", func(*goFunc) objc.ID { return 0 }, func(c *invocation) {
		c.makeArgs()
		outs, err := c.try(recording.Reply{}, nil)
		c.wantZero(outs)
		if n := len(c.messages()); n > 0 {
			c.failf("%d messages arrived, want none", n)
		}
		switch {
		case c.fails() && !errors.Is(err, objc.ErrNotObject):
			c.failf("error is %v, want objc.ErrNotObject", err)
		case !c.fails() && err != nil:
			c.failf("error is %v, want nil", err)
		}
	})
}

// releasedReceiversTest: a message to a released object is a fault or an error.
func releasedReceiversTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	released := func(f *goFunc) objc.ID {
		id := r.object(f.recv)
		r.Release(id)
		return id
	}
	r.each("released receivers", released, func(c *invocation) {
		c.makeArgs()
		outs, err := c.try(recording.Reply{}, nil)
		c.wantZero(outs)
		if c.fails() && err == nil {
			c.failf("error is nil, want objc.ErrReleased")
		}
		c.wantFault(err, objc.ErrReleased)
	})
}

// wantFault expects exactly one fault, or none and the error.
func (c *invocation) wantFault(err, want error) {
	fs := c.recorder.takeFaults()
	switch {
	case err != nil && (len(fs) > 0 || !errors.Is(err, want)):
		c.failf("error is %v and %d faults, want %v", err, len(fs), want)
	case err == nil && (len(fs) != 1 && !(c.measured && len(fs) > 1) || !errors.Is(fs[0], want)):
		c.failf("faults are %v, want one: %v", fs, want)
	}
	if n := len(c.messages()); n > 0 {
		c.failf("%d messages arrived, want none", n)
	}
}

// unavailableTest: if the class lacks the selector, a method newer than its class or than the
// oldest supported macOS returns an error that names the version; for other methods it is a fault.
func unavailableTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	late := 0
	r.each("objects without the method", func(*goFunc) objc.ID { return objc.ID(r.Bare()) },
		func(c *invocation) {
			floor := max(objc.MakeVersion(13, 0), objc.Version(r.src.classes[c.goFunc.recv].since))
			if want := c.method.Since > floor || c.optional; c.checked != want {
				c.failf("since %v, class since %v: checks availability is %v, want %v", c.method.Since, floor, c.checked, want)
			}
			c.makeArgs()
			outs, err := c.try(recording.Reply{}, nil)
			c.wantZero(outs)
			if !c.checked {
				if c.method.Selector == "copy" && err == nil && len(outs) == 1 {
					c.recorder.takeFaults() // every object has it
					return
				}
				c.wantFault(err, objc.ErrUnrecognized)
				return
			}
			late++
			var un *objc.UnavailableError
			if !errors.As(err, &un) || un.Name != c.method.Name() || un.Since != c.method.Since || !errors.Is(err,
				objc.ErrUnavailable) {
				c.failf("error is %v, want an UnavailableError for %v", err, c.method.Since)
			}
			c.wantNothing()
		})
	r.Logf("%d methods check whether the receiver answers", late)
}

func (c *invocation) wantNothing() {
	if fs := c.recorder.takeFaults(); len(fs) > 0 {
		c.failf("faults: %v", fs)
	}
	if n := len(c.messages()); n > 0 {
		c.failf("%d messages arrived, want none", n)
	}
}

// errorsTest: an NSError becomes an *objc.Error; nil or NO without one is an error too; an
// error beside a result is dropped.
func errorsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	failing := 0
	for _, fn := range r.src.funcs {
		if fn.recv == "" || fn.table != "zmethods" {
			continue
		}
		for _, mode := range []recording.Reply{{Empty: true, Error: true}, {Empty: true}, {Error: true}} {
			before := r.rt.LiveTotal()
			recv := r.object(fn.recv)
			c, err := r.prepare(fn, recv, 0)
			if err != nil || !c.fails() {
				r.Release(recv)
				break
			}
			failing++
			reply, err := c.reply(0)
			if err != nil {
				c.failf("%v", err)
			}
			reply.Empty, reply.Error = mode.Empty, mode.Error
			c.makeArgs()
			var later func()
			objc.Pool(func() {
				outs, err := c.try(reply, nil)
				switch ms := c.messages(); {
				case len(ms) != 1:
					c.failf("%d messages arrived, want 1", len(ms))
				case !mode.Empty:
					if err != nil {
						c.failf("error is %v, want nil beside a result", err)
					}
					later = c.owned(ms[0], ms[0].Method.Retained)
				case mode.Error:
					c.wantZero(outs)
					if bad := sameError(err, c.method.Selector); bad != nil {
						c.failf("%v", bad)
					}
				default:
					c.wantZero(outs)
					if !errors.Is(err, objc.ErrNil) {
						c.failf("error is %v, want objc.ErrNil", err)
					}
				}
			})
			if later != nil {
				later()
			}
			c.finish(before)
		}
	}
	t.Logf("%d calls of %d methods with an NSError **", failing, failing/3)
}

// withoutPoolTest: a method that returns no objects autoreleases nothing, since there may be
// no pool, and a method whose result is nil returns zero.
func withoutPoolTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	r.each("outside any pool", func(f *goFunc) objc.ID { return r.object(f.recv) }, func(c *invocation) {
		reply, err := c.reply(0)
		if err != nil {
			c.failf("%v", err)
		}
		switch reply.Kind {
		case recording.Text, recording.URL, recording.Data, recording.Texts, recording.TextMap, recording.Failure:
		default:
			reply.Empty = c.ret.IsObject()
		}
		c.makeArgs()
		none := r.rt.NoPoolCount()
		outs, err := c.try(reply, nil)
		if reply.Empty {
			c.wantZero(outs)
		}
		if err != nil && !reply.Empty && reply.Kind != recording.Failure && c.ret.Kind != typeenc.Bool {
			c.failf("error: %v", err)
		}
		if n := r.rt.NoPoolCount() - none; n > 0 {
			c.failf("%d objects autoreleased without a pool", n)
		}
	})
}
