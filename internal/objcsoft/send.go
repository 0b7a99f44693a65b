package objcsoft

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// Send sends a message. args are the words after _cmd, ret takes as many words
// of the result as it has room for. Neither is kept. A nil receiver gives zeros
// and no error; any error gives zeros too.
func (rt *Runtime) Send(recv ID, sel Sel, enc Enc, args, ret []uintptr) error {
	if recv == 0 {
		clear(ret)
		return nil
	}
	o := rt.table.get(recv)
	if o == nil {
		clear(ret)
		return rt.noObject(rt.SelName(sel), recv)
	}
	m := o.class.lookup(sel)
	if m == nil || m.Enc != enc || len(args) != m.argWords {
		clear(ret)
		return rt.badMessage(o, m, sel, enc, len(args))
	}
	c := rt.calls.Get().(*Call)
	c.Self, c.Sel, c.layout = o, sel, m.layout
	if m.wideArgs {
		for i, w := range args {
			c.buf[i%callWords] = w
		}
		c.Args = c.buf[:len(args)]
	} else {
		c.setArgs(args)
	}
	if err := c.run(m.imp); err != nil {
		clear(ret)
		err = rt.failedMessage(o, sel, err)
		if typeenc.InFamily(rt.SelName(sel), "init") {
			rt.dropFailed(recv, o)
		}
		return err // the Call is not used again: a panic may have left it with someone
	}
	if m.wideRet {
		if len(ret) > 0 {
			clear(ret[1:])
			ret[0] = c.ret[0]
		}
		c.ret[0] = 0
	} else {
		c.takeResult(ret)
	}
	rt.calls.Put(c)
	return nil
}

// dropFailed releases the receiver of an init method that failed: the method takes the caller's
// reference, and the caller gets nil. An init method that it called may have released it already.
func (rt *Runtime) dropFailed(id ID, o *Object) {
	if rt.table.get(id) == o {
		_ = rt.Release(id) // the message's own error is the one to report
	}
}

// setArgs copies the arguments in and extends the narrow ones.
func (c *Call) setArgs(args []uintptr) {
	if len(args) <= callWords {
		c.Args = c.buf[:copy(c.buf[:], args)]
	} else {
		c.Args = append([]uintptr(nil), args...)
	}
	for _, n := range c.layout.narrow {
		c.Args[n.word] = n.how.apply(c.Args[n.word])
	}
}

// takeResult copies the result out and leaves the Call with none.
func (c *Call) takeResult(ret []uintptr) {
	words := c.layout.retWords
	if words == 1 {
		c.ret[0] = c.layout.narrowRet.apply(c.ret[0])
	}
	for i := range c.ret[:words] {
		if i < len(ret) {
			ret[i] = c.ret[i]
		}
		c.ret[i] = 0
	}
	if len(ret) > words {
		clear(ret[words:])
	}
}

// run calls the method's code and turns a panic into an error.
func (c *Call) run(imp Imp) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	imp(c)
	return c.err
}

func (rt *Runtime) badMessage(o *Object, m *Method, sel Sel, enc Enc, words int) error {
	e := &MessageError{Method: o.class.bracketed(rt.SelName(sel)), Site: callSite()}
	switch {
	case m == nil:
		e.Fault = ErrUnrecognized
	case m.Enc != enc:
		e.Fault = ErrEncoding
		e.Detail = fmt.Sprintf("called as %q, method is %q", rt.EncodingText(enc), m.layout.text)
	default:
		e.Fault = ErrEncoding
		e.Detail = fmt.Sprintf("%d words of arguments, %q takes %d", words, m.layout.text, m.layout.argWords)
	}
	return e
}

// failedMessage names the message that failed. What a message sent inside it
// failed with stays as it is: that is the one to look at.
func (rt *Runtime) failedMessage(o *Object, sel Sel, err error) error {
	var inner *MessageError
	if errors.As(err, &inner) {
		return err
	}
	return &MessageError{Method: o.class.bracketed(rt.SelName(sel)), Fault: err, Site: callSite()}
}

// Message sends a message by name, with single-word arguments and result. It is
// for class implementers; the encoding is checked as in Send.
func (rt *Runtime) Message(recv ID, selector, encoding string, args ...uintptr) (uintptr, error) {
	if stackUsed() > maxStack {
		return 0, fmt.Errorf("objc: %s: %w (at %s)", selector, ErrDepth, callSite())
	}
	enc, err := rt.Encoding(encoding)
	if err != nil {
		return 0, err
	}
	var ret [1]uintptr
	err = rt.Send(recv, rt.Sel(selector), enc, args, ret[:])
	return ret[0], err
}

// RespondsTo reports whether a message with that selector would be answered.
// Nil and released objects answer none.
func (rt *Runtime) RespondsTo(id ID, sel Sel) bool {
	o := rt.table.get(id)
	return o != nil && o.class.lookup(sel) != nil
}
