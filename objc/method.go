package objc

import (
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Method describes one bound method: its selector and its signature. Packages of bindings keep
// methods in static tables; a Method is resolved at its first use.
type Method struct {
	Class         string  // class or protocol that declares it: "MTLDevice"
	Selector      string  // "newBufferWithLength:options:"
	Encoding      string  // type encoding as on arm64, without frame offsets: "@@:QQ"
	Since         Version // macOS version that introduced it; 0 if unknown
	IsClassMethod bool
	Retained      bool // an object result is +1
	Protocol      bool // Class names a protocol

	bound atomic.Pointer[binding]
}

// Name returns "-[MTLDevice newBufferWithLength:options:]", or "+[...]" for a class method.
func (m *Method) Name() string {
	sign := "-"
	if m.IsClassMethod {
		sign = "+"
	}
	return fmt.Sprintf("%s[%s %s]", sign, m.Class, m.Selector)
}

// Call sends the message and returns the first word of its result, or 0 if the receiver is nil or
// after a [Fault]. It allocates nothing.
func (m *Method) Call(recv ID, args ...uintptr) uintptr {
	var ret [1]uintptr
	if err := m.send(recv, noescape(args), noescape(ret[:])); err != nil {
		report(m.Name(), err)
		return 0
	}
	return ret[0]
}

// CallRet sends the message and stores the words of its result, usually a structure, in ret. Words
// beyond the result are zero; all of them are zero if the receiver is nil or after a [Fault].
func (m *Method) CallRet(ret []uintptr, recv ID, args ...uintptr) {
	if err := m.send(recv, noescape(args), noescape(ret)); err != nil {
		clear(ret)
		report(m.Name(), err)
	}
}

// TryCall is like [Method.Call] but returns the fault as an error.
func (m *Method) TryCall(recv ID, args ...uintptr) (uintptr, error) {
	var ret [1]uintptr
	if err := m.send(recv, noescape(args), noescape(ret[:])); err != nil {
		return 0, newFault(m.Name(), err)
	}
	return ret[0], nil
}

// CallString sends a message that returns an NSString and returns a copy of the string, or "" for
// nil. The message runs inside an autorelease pool of its own.
func (m *Method) CallString(recv ID, args ...uintptr) string {
	if recv == 0 {
		return ""
	}
	p := pushPool()
	defer p.drain()
	id := ID(m.Call(recv, noescape(args)...))
	if m.Retained {
		defer Release(id)
	}
	return GoString(id)
}

// CallError sends a message whose last parameter is an NSError **. CallError supplies that
// parameter; args are those before it. It returns the first word of the result, and an error if the
// result is nil or NO. An NSError that accompanies a result (a compiler's warnings) is dropped. The
// message runs inside an autorelease pool of its own; a +0 object result is moved to the caller's
// pool.
func (m *Method) CallError(recv ID, args ...uintptr) (uintptr, error) {
	res, _, err := m.callError(recv, noescape(args), false)
	return res, err
}

// CallErrorOut is like [Method.CallError], for methods whose last two parameters are an object
// out-parameter and the NSError **. The object returned through the out-parameter is +1.
func (m *Method) CallErrorOut(recv ID, args ...uintptr) (res uintptr, out ID, err error) {
	return m.callError(recv, noescape(args), true)
}

func (m *Method) callError(recv ID, args []uintptr, withOut bool) (res uintptr, out ID, err error) {
	if recv == 0 {
		return 0, 0, newFault(m.Name(), fmt.Errorf("nil receiver: %w", ErrNotObject))
	}
	b, err := m.bind()
	if err != nil {
		return 0, 0, newFault(m.Name(), err)
	}
	failure := NewOut()
	defer failure.Free()
	var extra Out
	var buf [maxWords]uintptr
	n := copy(buf[:maxWords-2], args)
	if withOut {
		extra = NewOut()
		defer extra.Free()
		buf[n] = extra.Word()
		n++
	}
	buf[n] = failure.Word()
	n++

	p := pushPool()
	defer p.drain()
	var ret [1]uintptr
	if err := m.send(recv, noescape(buf[:n]), noescape(ret[:])); err != nil {
		return 0, 0, newFault(m.Name(), err)
	}
	if withOut {
		out = extra.Take()
	}
	if ret[0] != 0 {
		if b.retObject && !m.Retained {
			p.promote(ID(ret[0]))
		}
		return ret[0], out, nil
	}
	if cause := ErrorFrom(failure.borrow()); cause != nil {
		return 0, out, fmt.Errorf("%s: %w", m.Name(), cause)
	}
	return 0, out, fmt.Errorf("%s: %w", m.Name(), ErrNil)
}

// Check reports whether recv responds to the method: it returns nil, or an error wrapping
// [ErrUnavailable] that names the macOS version that the method needs and the one that is running.
// A nil receiver passes, since a message to nil returns zero.
func (m *Method) Check(recv ID) error {
	if recv == 0 {
		return nil
	}
	b, err := m.bind()
	if err != nil {
		return newFault(m.Name(), err)
	}
	ok, err := b.responds(recv)
	if err != nil {
		return newFault(m.Name(), err)
	}
	if !ok {
		return &UnavailableError{Name: m.Name(), Since: m.Since, Have: runningVersion()}
	}
	return nil
}

// NilArgument returns the error for a nil object where the method requires one; Metal would raise
// an exception. param names the parameter.
func (m *Method) NilArgument(param string) error {
	return newFault(m.Name(), fmt.Errorf("%s is nil: %w", param, ErrNotObject))
}

// ReportNilArgument is [Method.NilArgument] for methods without an error result: it reports a
// [Fault].
func (m *Method) ReportNilArgument(param string) {
	report(m.Name(), fmt.Errorf("%s is nil: %w", param, ErrNotObject))
}

// ShortArgument returns the error for a slice with fewer elements than the method reads or writes.
func (m *Method) ShortArgument(param string, have, want uint) error {
	return newFault(m.Name(), fmt.Errorf("%s has %d elements, want at least %d: %w", param, have, want, ErrShort))
}

// ReportShortArgument is [Method.ShortArgument] for methods without an error result: it reports a
// [Fault].
func (m *Method) ReportShortArgument(param string, have, want uint) {
	report(m.Name(), fmt.Errorf("%s has %d elements, want at least %d: %w", param, have, want, ErrShort))
}

// BadArgument returns the error for arguments that the method does not accept; Metal would raise an
// exception. why wraps the reason.
func (m *Method) BadArgument(why error) error { return newFault(m.Name(), why) }

// ReportBadArgument is [Method.BadArgument] for methods without an error result: it reports a
// [Fault].
func (m *Method) ReportBadArgument(why error) { report(m.Name(), why) }

// UnavailableError says that a method, class, function or constant needs a newer macOS or another
// device.
type UnavailableError struct {
	Name  string
	Since Version // 0 if it does not depend on the version
	Have  Version // 0 with the software driver
}

// Error names what is missing, the version that it needs and the version that is running.
func (e *UnavailableError) Error() string {
	switch {
	case e.Since == 0 || e.Have >= e.Since:
		return fmt.Sprintf("objc: %s is not available on this device", e.Name)
	case e.Have == 0:
		return fmt.Sprintf("objc: %s needs %v; the software driver does not have it", e.Name, e.Since)
	}
	return fmt.Sprintf("objc: %s needs %v, this is %v", e.Name, e.Since, e.Have)
}

// Unwrap returns ErrUnavailable.
func (e *UnavailableError) Unwrap() error { return ErrUnavailable }

// send sends every message. Nothing below it may keep args or ret; args may be overwritten. Words
// of ret beyond the result are zero, and so is all of ret after an error.
func (m *Method) send(recv ID, args, ret []uintptr) error {
	if recv == 0 {
		clear(ret)
		return nil
	}
	b := m.bound.Load()
	if b == nil {
		var err error
		if b, err = m.bind(); err != nil {
			return err
		}
	}
	if len(args) != b.words {
		return b.wrongWords(m, args)
	}
	if b.soft != nil {
		return b.soft.Send(objcsoft.ID(recv), b.sel, b.enc, args, ret)
	}
	clear(ret)
	return b.apple.send(m, b.apple.fn, recv, args, ret)
}
