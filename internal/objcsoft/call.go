package objcsoft

import (
	"fmt"
	"math"
)

// callWords is the room for arguments inside a Call. The longest method of the
// bound frameworks needs fewer; a longer one costs an allocation.
const callWords = 32

// Call is a message being answered: its receiver, arguments and result. It belongs to the method
// until the method returns; a method that continues to work afterward must copy what it needs.
// Argument numbers count from 0 after _cmd.
type Call struct {
	// RT is the runtime the message was sent in.
	RT *Runtime
	// Self is the receiver.
	Self *Object
	// Sel is the selector.
	Sel Sel
	// Args are the words of the arguments after _cmd.
	Args []uintptr

	layout *layout
	err    error
	ret    [maxResultWords]uintptr
	buf    [callWords]uintptr
}

// Word returns the first word of an argument.
func (c *Call) Word(i int) uintptr { return c.Args[c.layout.offsets[i]] }

// Words returns all words of an argument. They are the Call's own.
func (c *Call) Words(i int) []uintptr {
	end := c.layout.argWords
	if i+1 < len(c.layout.offsets) {
		end = c.layout.offsets[i+1]
	}
	return c.Args[c.layout.offsets[i]:end]
}

// ID returns an object argument unchecked.
func (c *Call) ID(i int) ID { return ID(c.Word(i)) }

// Object returns an object argument, nil for nil and for a handle that names no
// object; the latter also fails the call.
func (c *Call) Object(i int) *Object {
	id := c.ID(i)
	if id == 0 {
		return nil
	}
	o, err := c.RT.Object(id)
	if err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", i, err))
	}
	return o
}

// ClassArg returns a class argument, or nil if it is nil or not a class.
func (c *Call) ClassArg(i int) *Class { return c.RT.ClassFrom(c.ID(i)) }

// SelArg returns a selector argument.
func (c *Call) SelArg(i int) Sel {
	w := c.Word(i)
	if w > math.MaxUint32 {
		return 0
	}
	return Sel(w)
}

// Uint returns an integer argument.
func (c *Call) Uint(i int) uint64 { return uint64(c.Word(i)) }

// Int returns a signed integer argument.
func (c *Call) Int(i int) int64 { return int64(c.Word(i)) }

// Bool returns a BOOL argument.
func (c *Call) Bool(i int) bool { return c.Word(i) != 0 }

// F32 returns a float argument.
func (c *Call) F32(i int) float32 { return math.Float32frombits(uint32(c.Word(i))) }

// F64 returns a double argument.
func (c *Call) F64(i int) float64 { return math.Float64frombits(uint64(c.Word(i))) }

// Class returns the receiver of a class method.
func (c *Call) Class() *Class {
	k, _ := c.Self.Payload.(*Class)
	return k
}

// Return sets the first word of the result.
func (c *Call) Return(w uintptr) { c.ret[0] = w }

// ReturnID sets an object result as is: the method has taken care of its retain count.
func (c *Call) ReturnID(id ID) { c.ret[0] = uintptr(id) }

// ReturnAutoreleased gives an object that the method owns to the caller's pool
// and sets it as the result.
func (c *Call) ReturnAutoreleased(id ID) {
	if err := c.RT.Autorelease(id); err != nil {
		c.Fail(err)
		return
	}
	c.ret[0] = uintptr(id)
}

// ReturnRetained retains an object and sets it as the result.
func (c *Call) ReturnRetained(id ID) {
	if err := c.RT.Retain(id); err != nil {
		c.Fail(err)
		return
	}
	c.ret[0] = uintptr(id)
}

// ReturnShared sets an object that someone else owns as the result and keeps it
// alive for the caller's pool, as an atomic property does.
func (c *Call) ReturnShared(id ID) {
	if id == 0 {
		c.ret[0] = 0
		return
	}
	if c.RT.PoolDepth() == 0 { // there is no pool to keep it; its owner does
		c.ret[0] = uintptr(id)
		return
	}
	if err := c.RT.Retain(id); err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(id)
}

// ReturnBool sets a BOOL result.
func (c *Call) ReturnBool(b bool) {
	c.ret[0] = 0
	if b {
		c.ret[0] = 1
	}
}

// ReturnInt sets a signed integer result.
func (c *Call) ReturnInt(v int64) { c.ret[0] = uintptr(v) }

// ReturnUint sets an integer result.
func (c *Call) ReturnUint(v uint64) { c.ret[0] = uintptr(v) }

// ReturnF32 sets a float result.
func (c *Call) ReturnF32(v float32) { c.ret[0] = uintptr(math.Float32bits(v)) }

// ReturnF64 sets a double result.
func (c *Call) ReturnF64(v float64) { c.ret[0] = uintptr(math.Float64bits(v)) }

// ReturnWords sets a result of several words. More words than the encoding has fail the call.
func (c *Call) ReturnWords(words ...uintptr) {
	if len(words) > c.layout.retWords {
		c.Fail(fmt.Errorf("result of %d words, %q has %d: %w", len(words), c.layout.text, c.layout.retWords, ErrEncoding))
		return
	}
	for i, w := range words {
		c.ret[i%maxResultWords] = w
	}
}

// Fail makes Send return an error. The first error wins. The method should return; its result is
// dropped.
func (c *Call) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Raise fails the call with an error that would be an exception on a Mac.
func (c *Call) Raise(name, format string, args ...any) {
	c.Fail(&Exception{Name: name, Reason: fmt.Sprintf(format, args...)})
}

// Failed reports whether the call has failed already.
func (c *Call) Failed() bool { return c.err != nil }
