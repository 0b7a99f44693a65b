package mtl

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boundTotals counts what a bound test did.
type boundTotals struct {
	called, calls, words, results int
	skipped                       []string
	seen                          map[string]bool // entries of zmethods
}

func (n *boundTotals) skip(s fmt.Stringer, reason string) {
	n.skipped = append(n.skipped, s.String()+": "+reason)
}

func (n *boundTotals) log(t *testing.T, what string) {
	t.Logf("%s: %d called in %d calls; %d argument words and %d results compared; %d skipped", what, n.called, n.calls,
		n.words, n.results, len(n.skipped))
	for _, s := range n.skipped {
		t.Logf("skipped: %s", s)
	}
}

// TestBoundMethods calls every generated method and compares the message that arrives with the
// declaration.
func TestBoundMethods(t *testing.T) {
	r := newBoundRecorder(t)
	n := boundTotals{seen: map[string]bool{}}
	r.methods(func(f *boundFunc) {
		for variant := range 2 {
			if !r.callBound(&n, f, variant) {
				return
			}
		}
		n.seen[f.entry] = true
		n.called++
	})
	hidden := 0
	r.methods(func(f *boundFunc) {
		if !ast.IsExported(f.name) {
			hidden++
		}
	})
	n.log(t, fmt.Sprintf("%d messages in zmethods, %d Go methods behind others written by hand", len(zmethods), hidden))
	assert.Empty(t, n.skipped)
}

// TestBoundFunctions does the same for class methods, initializers and C functions.
func TestBoundFunctions(t *testing.T) {
	r := newBoundRecorder(t)
	n := boundTotals{seen: map[string]bool{}}
	for _, f := range r.src.funcs {
		if f.recv != "" || f.table != "zmethods" && f.table != "zfunctions" {
			continue
		}
		ok := true
		for variant := range 2 {
			ok = ok && r.callBound(&n, f, variant)
		}
		if ok {
			n.called++
		}
	}
	n.log(t, "functions")
	assert.Empty(t, n.skipped)
}

// TestBoundAll: every message of zmethods belongs to a Go function, and every function sends one
// message.
func TestBoundAll(t *testing.T) {
	src, err := readBoundSource()
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
			t.Errorf("%s is sent by nobody", zmethods[i].Name())
		}
	}
}

// callBound makes one call and reports what was wrong with it. It returns false when the call was
// not made.
func (r *boundRecorder) callBound(n *boundTotals, f *boundFunc, variant int) bool {
	before := r.rt.LiveTotal()
	var recv objc.ID
	if f.recv != "" {
		recv = r.object(f.recv)
	}
	c, err := r.prepare(f, recv, variant)
	if err != nil {
		n.skip(f, err.Error())
		r.release(recv)
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
	go func() { // with a stack that is still small, see boundShake
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
func (r *boundRecorder) prepare(f *boundFunc, recv objc.ID, variant int) (*boundCall, error) {
	s, err := r.subject(f, recv)
	if err != nil {
		return nil, err
	}
	sig, encoding, err := s.shape()
	if err != nil {
		return nil, err
	}
	c, err := r.newBoundCall(s, encoding, sig.Args, variant)
	if err == nil {
		c.ret = sig.Ret
	}
	return c, err
}

// fails reports whether the method itself has an NSError **.
func (c *boundCall) fails() bool { return c.trailing > 0 }

// finish releases receiver and arguments, looks for leaks and faults and reports all that was
// wrong.
func (c *boundCall) finish(before int) {
	c.vs.release()
	c.recorder.release(c.recv)
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
func (s *boundSubject) shape() (*typeenc.Signature, string, error) {
	if s.method == nil {
		enc := ""
		for i := range zfunctions {
			if boundPrefix+s.cName() == zfunctions[i].Name {
				enc = zfunctions[i].Encoding
			}
		}
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

// cName returns the name of the C function.
func (s *boundSubject) cName() string {
	src, err := readBoundSource()
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(zfunctions[src.index[s.entry]].Name, boundPrefix)
}

// call makes the call inside a pool.
func (r *boundRecorder) call(c *boundCall, recv objc.ID, reply recording.Reply) {
	r.Expect(reply, c.inspect)
	var later func()
	objc.Pool(func() {
		outs := c.fn.Call(c.args)
		ms := r.Messages()
		if len(ms) != 1 {
			c.failf("%d messages arrived, want 1: %v", len(ms), boundSelectors(ms))
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
				if w, _ := boundWord(outs[i]); w != v {
					c.failf("result %d is %#x, want %#x", i, w, v)
				}
			}
		case len(ts) > 0 && c.ret.Kind == typeenc.Void:
			c.failf("a result for a method without")
		case len(ts) > 0:
			if err := c.checkResult(outs[0], m, reply, c.ret); err != nil {
				c.failf("%v", err)
			}
			if len(ts) > 1 && (len(m.Made) < 2 || boundIDOf(outs[1]) != objc.ID(m.Made[1])) {
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
			r.release(boundIDOf(outs[0]))
		}
		later = c.owned(m, m.Method.Retained)
	})
	if later != nil {
		later()
	}
}

// checkMessage compares the method that was reached with the one bound, and with the declaration.
func (c *boundCall) checkMessage(m *recording.Message, recv objc.ID) {
	if c.method == nil {
		if m.Method.Selector != c.cName() {
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
	if f := c.boundFunc; f.class != "" {
		i := c.recorder.src.index[f.class]
		if want := c.recorder.rt.Class(zclasses[i].Name); c.method.IsClassMethod && m.Receiver != want.ID() {
			c.failf("the receiver is not the class %s", want.Name)
		}
		if "Recording"+c.method.Class != zclasses[i].Name {
			c.failf("a method of %s for class %s", c.method.Class, zclasses[i].Name)
		}
	}
}

func boundSelectors(ms []*recording.Message) (list []string) {
	for _, m := range ms {
		list = append(list, m.Method.Selector)
	}
	return slices.Clip(list)
}
