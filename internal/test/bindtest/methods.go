package bindtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// totals counts what a bound test did.
type totals struct {
	called, calls, words, results int
	skipped                       []string
	seen                          map[string]bool // entries of zmethods
}

func (n *totals) skip(s fmt.Stringer, reason string) {
	n.skipped = append(n.skipped, s.String()+": "+reason)
}

func (n *totals) log(t *testing.T, what string) {
	t.Logf("%s: %d called in %d calls; %d argument words and %d results compared; %d skipped", what, n.called, n.calls,
		n.words, n.results, len(n.skipped))
	for _, s := range n.skipped {
		t.Logf("skipped: %s", s)
	}
}

// methodsTest calls every generated method and compares the message that arrives with the
// declaration.
func methodsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	n := totals{seen: map[string]bool{}}
	r.methods(func(f *goFunc) {
		for variant := range 2 {
			if !r.callFunc(&n, f, variant) {
				return
			}
		}
		n.seen[f.entry] = true
		n.called++
	})
	hidden := 0
	r.methods(func(f *goFunc) {
		if !ast.IsExported(f.name) {
			hidden++
		}
	})
	n.log(t, fmt.Sprintf("%d messages in zmethods, %d Go methods behind others written by hand", len(b.Methods), hidden))
	assert.Empty(t, n.skipped)
}

// functionsTest does the same for class methods, initializers and C functions.
func functionsTest(t *testing.T, b *Bindings) {
	r := NewRecorder(t, b)
	n := totals{seen: map[string]bool{}}
	for _, f := range r.src.funcs {
		if f.recv != "" || f.table != "zmethods" && f.table != "zfunctions" {
			continue
		}
		ok := true
		for variant := range 2 {
			ok = ok && r.callFunc(&n, f, variant)
		}
		if ok {
			n.called++
		}
	}
	n.log(t, "functions")
	assert.Empty(t, n.skipped)
}

// allTest: every message of zmethods belongs to a Go function, and every function sends one
// message.
func allTest(t *testing.T, b *Bindings) {
	b.prepare()
	src, err := b.readSource()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, f := range src.funcs {
		if f.table != "zclasses" {
			assert.Equal(t, 1, f.entries, "%s: %v uses %d messages", f.at, f, f.entries)
		}
		used[f.entry] = true
	}
	for name, i := range src.index {
		if name[0] == 'm' && !used[name] {
			t.Errorf("%s is sent by nobody", b.Methods[i].Name())
		}
	}
}

// callFunc makes one call and reports what was wrong with it. It returns false when the call was
// not made.
func (r *Recorder) callFunc(n *totals, f *goFunc, variant int) bool {
	before := r.rt.LiveTotal()
	var recv objc.ID
	if f.recv != "" {
		recv = r.object(f.recv)
	}
	c, err := r.prepare(f, recv, variant)
	if err != nil {
		n.skip(f, err.Error())
		r.Release(recv)
		return false
	}
	reply, err := c.reply(variant)
	if err != nil {
		c.failf("%v", err)
	}
	if c.fails() && c.ret.Kind == typeenc.Bool {
		reply.Variant = 0 // NO would be a failure; that has a test of its own
	}
	c.makeArgs()
	done := make(chan struct{})
	go func() { // with a stack that is still small, see shake
		defer close(done)
		r.call(c, recv, reply)
	}()
	<-done
	c.finish(before)
	n.calls++
	n.words += c.words
	n.results += c.fn.Type().NumOut()
	return true
}

// prepare finds the Go function and works out what its parameters become.
func (r *Recorder) prepare(f *goFunc, recv objc.ID, variant int) (*invocation, error) {
	s, err := r.subject(f, recv)
	if err != nil {
		return nil, err
	}
	sig, encoding, err := r.shape(s)
	if err != nil {
		return nil, err
	}
	c, err := r.newInvocation(s, encoding, sig.Args, variant)
	if err == nil {
		c.ret = sig.Ret
	}
	return c, err
}

// fails reports whether the method itself has an NSError **.
func (c *invocation) fails() bool { return c.trailing > 0 }

// finish releases receiver and arguments, looks for leaks and faults and reports all that was
// wrong.
func (c *invocation) finish(before int) {
	c.vs.release()
	c.recorder.Release(c.recv)
	for _, f := range c.recorder.takeFaults() {
		c.failf("fault: %v", f)
	}
	if live := c.recorder.rt.LiveTotal(); live != before {
		c.failf("%d live objects, %d before the call: %v", live, before, c.recorder.rt.LiveByClass())
	}
	if len(c.problem) > 0 {
		c.recorder.Errorf("%s: %s, call %d:\n\t%s", c.at, c.Name(), c.vs.variant, strings.Join(c.problem, "\n\t"))
	}
}

// shape returns the arguments after _cmd, and the result.
func (r *Recorder) shape(s *subject) (*typeenc.Signature, string, error) {
	if s.method == nil {
		enc := r.cFunction(s).Encoding
		sig, err := typeenc.ParseFunction(enc)
		return sig, enc, err
	}
	sig, err := typeenc.ParseMethod(s.method.Encoding)
	if err != nil {
		return nil, "", err
	}
	sig.Args = sig.Args[2:]
	return sig, s.method.Encoding, nil
}

func (r *Recorder) cFunction(s *subject) *objc.Function { return &r.b.Functions[r.src.index[s.entry]] }

// call makes the call inside a pool.
func (r *Recorder) call(c *invocation, recv objc.ID, reply recording.Reply) {
	r.expect(c, reply, c.inspect)
	var later func()
	objc.Pool(func() {
		outs := c.fn.Call(c.args)
		ms := c.messages()
		if len(ms) != 1 {
			c.failf("%d messages arrived, want 1: %v", len(ms), selectorsOf(ms))
			return
		}
		m := ms[0]
		c.checkMessage(m, recv)
		ts, fails := c.results()
		if fails {
			if err, _ := outs[len(outs)-1].Interface().(error); err != nil {
				c.failf("error: %v", err)
			}
		}
		switch {
		case len(c.outResults) > 0:
			for i, v := range c.outResults {
				if w, _ := wordOf(outs[i]); w != v {
					c.failf("result %d is %#x, want %#x", i, w, v)
				}
			}
		case len(ts) > 0 && c.ret.Kind == typeenc.Void:
			c.failf("a result for a method without")
		case len(ts) > 0:
			if err := c.checkResult(outs[0], m, reply, c.ret); err != nil {
				c.failf("%v", err)
			}
			if len(c.objectResults) > 0 {
				c.checkObjects(outs[1:])
			} else if len(ts) > 1 && (len(m.Made) < 2 || idOf(outs[1]) != objc.ID(m.Made[1])) {
				c.failf("second result is %v", outs[1])
			}
		case c.ret.Kind != typeenc.Void && !(fails && c.ret.Kind == typeenc.Bool):
			c.failf("the result, a %v, is dropped", c.ret)
		}
		for _, check := range c.out {
			if err := check(); err != nil {
				c.failf("%v", err)
			}
		}
		if recording.IsInit(m.Method.Selector) && c.ret.Kind == typeenc.Object {
			r.Release(idOf(outs[0]))
		}
		owned := c.owned(m, m.Method.Retained)
		later = func() {
			owned()
			c.releaseObjects()
		}
	})
	if later != nil {
		later()
	}
}

// checkMessage compares the method that was reached with the one bound, and with the declaration.
func (c *invocation) checkMessage(m *recording.Message, recv objc.ID) {
	if c.method == nil {
		if Prefix+m.Method.Selector != c.recorder.cFunction(c.subject).Name {
			c.failf("function %s was called", m.Method.Selector)
		}
		return
	}
	want := recording.Method{
		Class: c.method.Class, Selector: c.method.Selector, Encoding: c.method.Encoding,
		ClassMethod: c.method.IsClassMethod, Retained: c.method.Retained, Protocol: c.method.Protocol,
	}
	if m.Method != want {
		c.failf("message is %+v, want %+v", m.Method, want)
	}
	if recv != 0 && objc.ID(m.Receiver) != recv {
		c.failf("the receiver is another object")
	}
	if c.decl != nil && (c.decl.selector() != c.method.Selector || c.decl.classMethod != c.method.IsClassMethod) {
		c.failf("declared as %s", c.decl.selector())
	}
	if f := c.goFunc; f.class != "" {
		i := c.recorder.src.index[f.class]
		class := c.recorder.b.Classes[i].Name
		if want := c.recorder.rt.Class(class); c.method.IsClassMethod && m.Receiver != want.ID() {
			c.failf("the receiver is not the class %s", want.Name)
		}
		if Prefix+c.method.Class != class {
			c.failf("a method of %s for class %s", c.method.Class, class)
		}
	}
}

func selectorsOf(ms []*recording.Message) (list []string) {
	for _, m := range ms {
		list = append(list, m.Method.Selector)
	}
	return slices.Clip(list)
}
