package mtl

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/objc"
)

// MaxArguments is the most arguments of one kind in an argument buffer of tier 2, by Apple's Metal
// feature set tables.
const MaxArguments = 500000

// ArgumentEncoder writes arguments into an argument buffer.
//
// It remembers what Metal does not tell, the arguments there are and whether an argument buffer is
// set, as long as it is used through copies of the value that the maker returned. An encoder from
// [ArgumentEncoderFrom] checks less.
//
// Objective-C protocol MTLArgumentEncoder. Since macOS 10.13.
type ArgumentEncoder struct {
	objc.Object
	state *argumentState
}

// ArgumentEncoderFrom wraps id without changing its ownership.
func ArgumentEncoderFrom(id objc.ID) ArgumentEncoder {
	return ArgumentEncoder{Object: objc.ObjectFrom(id)}
}

// argumentState is what is known of an encoder.
type argumentState struct {
	spans []argumentSpan // nil: not known
	room  atomic.Uint64  // bytes of the argument buffer from the encoder's offset on; 0: none is set
	data  atomic.Uint64  // address of the first of them for the CPU; 0: it cannot reach them
}

// argumentSpan is one argument: an array has as many indices as elements.
type argumentSpan struct {
	first, count uint64
}

// has reports whether every index of a range belongs to an argument.
func (s *argumentState) has(first, count uint64) bool {
	for _, a := range s.spans {
		if first >= a.first && first-a.first < a.count {
			step := min(count, a.count-(first-a.first))
			if count -= step; count == 0 {
				return true
			}
			return s.has(first+step, count)
		}
	}
	return false
}

// known gives an encoder that was just made something to remember in.
func known(e ArgumentEncoder, spans []argumentSpan) ArgumentEncoder {
	e.state = &argumentState{spans: spans}
	return e
}

// NewArgumentEncoder makes an encoder for arguments that the descriptors describe, +1. Errors:
// [ErrLength] for none, [ErrArgument] for an argument without data type and for two that share an
// index, [ErrIndex] for an index that is too large.
func (o Device) NewArgumentEncoder(arguments []ArgumentDescriptor) (ArgumentEncoder, error) {
	const c = check("-[MTLDevice newArgumentEncoderWithArguments:]")
	if err := c.receiver(&zmethods[mDeviceNewArgumentEncoderWithArguments], o.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if err := c.atLeast("number of arguments", uint64(len(arguments)), 1, ErrLength); err != nil {
		return ArgumentEncoder{}, err
	}
	var spans []argumentSpan
	for _, a := range arguments {
		if err := c.object("argument", a.ID()); err != nil {
			return ArgumentEncoder{}, err
		}
		if a.DataType() == DataTypeNone {
			return ArgumentEncoder{}, c.fail(ErrArgument, "argument %d has no data type", a.Index())
		}
		spans = append(spans, argumentSpan{uint64(a.Index()), max(uint64(a.ArrayLength()), 1)})
	}
	if err := c.spans(spans); err != nil {
		return ArgumentEncoder{}, err
	}
	var e ArgumentEncoder
	objc.Pool(func() { e = o.sendNewArgumentEncoderWithArguments(arguments) })
	return known(e, spans), c.made(e.ID(), ErrArgument, "nil for %d arguments", len(arguments))
}

// spans checks that arguments do not share indices.
func (c check) spans(spans []argumentSpan) error {
	for i, a := range spans {
		if err := c.atMost("last index of an argument", addSat(a.first, a.count-1), MaxArguments-1, ErrIndex); err != nil {
			return err
		}
		for _, b := range spans[:i] {
			if a.first < b.first+b.count && b.first < a.first+a.count {
				return c.fail(ErrArgument, "arguments at index %d and %d share an index", b.first, a.first)
			}
		}
	}
	return nil
}

// NewArgumentEncoderForBinding makes an encoder for the argument buffer that a kernel's reflection
// describes, +1.
func (o Device) NewArgumentEncoderForBinding(binding BufferBinding) (ArgumentEncoder, error) {
	const c = check("-[MTLDevice newArgumentEncoderWithBufferBinding:]")
	if err := c.receiver(&zmethods[mDeviceNewArgumentEncoderWithBufferBinding], o.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if err := c.object("binding", binding.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if typ := binding.Type(); typ != BindingTypeBuffer {
		return ArgumentEncoder{}, c.fail(ErrArgument, "binding %q is a %v, want %v", binding.Name(), typ, BindingTypeBuffer)
	}
	e := o.sendNewArgumentEncoderWithBufferBinding(binding)
	return known(e, nil), c.made(e.ID(), ErrArgument, "nil for a binding that is no argument buffer")
}

// NewArgumentEncoder makes an encoder for the argument buffer at an index of the function's
// buffers, +1. An index of 31 or more is an error wrapping [ErrIndex]. The argument there must be
// an argument buffer, which Metal can only be asked with a pipeline's reflection.
func (o Function) NewArgumentEncoder(index uint) (ArgumentEncoder, error) {
	const c = check("-[MTLFunction newArgumentEncoderWithBufferIndex:]")
	if err := c.receiver(&zmethods[mFunctionNewArgumentEncoderWithBufferIndex], o.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return ArgumentEncoder{}, err
	}
	e := o.sendNewArgumentEncoderWithBufferIndex(index)
	return known(e, nil), c.made(e.ID(), ErrArgument, "nil for index %d, which is no argument buffer", index)
}

// NewNestedEncoder makes an encoder for the argument buffer that the argument of an index points
// to, +1.
func (o ArgumentEncoder) NewNestedEncoder(index uint) (ArgumentEncoder, error) {
	const c = check("-[MTLArgumentEncoder newArgumentEncoderForBufferAtIndex:]")
	if err := c.receiver(&zmethods[mArgumentEncoderNewArgumentEncoderForBufferAtIndex], o.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if err := o.has(c, uint64(index), 1); err != nil {
		return ArgumentEncoder{}, err
	}
	e := o.sendNewArgumentEncoderForBufferAtIndex(index)
	return known(e, nil), c.made(e.ID(), ErrArgument, "nil for index %d, which is no pointer to an argument buffer", index)
}

// SetArgumentBuffer says which buffer the arguments are written into, and from which offset on. The
// offset keeps to [ArgumentEncoder.Alignment], and the buffer must have EncodedLength bytes from
// there on: [ErrAlignment], [ErrOffset], [ErrLength]. A nil buffer sets none.
func (o ArgumentEncoder) SetArgumentBuffer(buffer Buffer, offset uint) error {
	const c = check("-[MTLArgumentEncoder setArgumentBuffer:offset:]")
	if err := c.receiver(&zmethods[mArgumentEncoderSetArgumentBuffer], o.ID()); err != nil {
		return err
	}
	if err := c.argumentBuffer(buffer, uint64(offset), 0, uint64(o.Alignment()), uint64(o.EncodedLength())); err != nil {
		return err
	}
	o.sendSetArgumentBuffer(buffer, offset)
	o.remember(buffer, uint64(offset))
	return nil
}

// SetArgumentBufferElement is SetArgumentBuffer for an element of an array of argument buffers that
// starts at an offset.
func (o ArgumentEncoder) SetArgumentBufferElement(buffer Buffer, startOffset, element uint) error {
	const c = check("-[MTLArgumentEncoder setArgumentBuffer:startOffset:arrayElement:]")
	if err := c.receiver(&zmethods[mArgumentEncoderSetArgumentBufferStartOffset], o.ID()); err != nil {
		return err
	}
	length := uint64(o.EncodedLength())
	if err := c.argumentBuffer(buffer, uint64(startOffset), uint64(element), uint64(o.Alignment()), length); err != nil {
		return err
	}
	o.sendSetArgumentBufferStartOffset(buffer, startOffset, element)
	o.remember(buffer, uint64(startOffset)+uint64(element)*length)
	return nil
}

// argumentBuffer checks that element number n of an array of encoded arguments lies in a buffer.
func (c check) argumentBuffer(buffer Buffer, offset, n, alignment, length uint64) error {
	if err := c.multipleOf("offset in bytes", offset, alignment); err != nil || buffer.IsNil() {
		return err
	}
	if err := c.notRemote("argument buffer", remoteFact(buffer.Resource)); err != nil {
		return err
	}
	return c.within("argument buffer", addSat(offset, mulSat(n, length)), length, uint64(buffer.Length()))
}

// remember notes where arguments go from now on.
func (o ArgumentEncoder) remember(buffer Buffer, offset uint64) {
	if o.state == nil {
		return
	}
	var room, data uint64
	if !buffer.IsNil() {
		room = uint64(buffer.Length()) - offset
		if m := buffer.StorageMode(); m == StorageModeShared || m == StorageModeManaged {
			data = uint64(buffer.Contents()) + offset
		}
	}
	o.state.room.Store(room)
	o.state.data.Store(data)
}

// has checks indices of arguments as far as they are known.
func (o ArgumentEncoder) has(c check, first, count uint64) error {
	if err := c.atMost("index", addSat(first, count-1), MaxArguments-1, ErrIndex); err != nil {
		return err
	}
	if o.state != nil && o.state.spans != nil && !o.state.has(first, count) {
		return c.fail(ErrIndex, "no arguments at %d indices from %d on", count, first)
	}
	return nil
}

// slots checks the receiver, that an argument buffer is set, and indices of arguments.
func (o ArgumentEncoder) slots(c check, m *objc.Method, first uint, count int) error {
	if o.ID().IsNil() {
		return c.receiver(m, o.ID())
	}
	if o.state != nil && o.state.room.Load() == 0 {
		return c.fail(ErrState, "no argument buffer is set")
	}
	if count == 0 {
		return nil
	}
	return o.has(c, uint64(first), uint64(count))
}
