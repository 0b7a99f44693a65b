package mtl

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/objc"
)

// MaxArguments is the maximum number of arguments of one kind in a tier 2 argument buffer, from
// Apple's Metal feature set tables.
const MaxArguments = 500000

// ArgumentEncoder writes arguments into an argument buffer. It also has the methods of
// [objc.Object], such as Release.
//
// The wrapper remembers two things that Metal cannot be asked: which arguments exist, and whether
// an argument buffer is set. Copies of the value returned by the constructor share this state; an
// encoder from [ArgumentEncoderFrom] has none, so fewer errors are detected.
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

// argumentState is what is known about an encoder.
type argumentState struct {
	spans []argumentSpan // nil: unknown
	room  atomic.Uint64  // bytes of the argument buffer starting at the encoder's offset; 0: no buffer is set
	data  atomic.Uint64  // the CPU's address of the first of them; 0: not accessible by the CPU
}

// argumentSpan is one argument. An array has as many indices as elements.
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

// known attaches state to a new encoder.
func known(e ArgumentEncoder, spans []argumentSpan) ArgumentEncoder {
	e.state = &argumentState{spans: spans}
	return e
}

// NewArgumentEncoder creates an encoder for the arguments that the descriptors describe, +1.
// Errors: [ErrLength] if there are none, [ErrArgument] for an argument without a data type and for
// two that share an index, [ErrIndex] for an index that is too large.
//
//	-[MTLDevice newArgumentEncoderWithArguments:]
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
	objc.Pool(func() { e = sendDeviceNewArgumentEncoderWithArguments(o, arguments) })
	return known(e, spans), c.made(e.ID(), ErrArgument, "Metal returned nil for %d arguments", len(arguments))
}

// spans checks that no two arguments share an index.
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

// NewArgumentEncoderForBinding creates an encoder, +1, for an argument buffer described by a
// kernel's reflection.
//
//	-[MTLDevice newArgumentEncoderWithBufferBinding:]
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
	e := sendDeviceNewArgumentEncoderWithBufferBinding(o, binding)
	return known(e, nil), c.made(e.ID(), ErrArgument, "the binding is not an argument buffer")
}

// NewArgumentEncoder creates an encoder, +1, for the argument buffer at an index of the function's
// buffers. An index of 31 or more is an error wrapping [ErrIndex]. The argument at the index must
// be an argument buffer; this is not checked, as only a pipeline's reflection knows.
//
//	-[MTLFunction newArgumentEncoderWithBufferIndex:]
func (o Function) NewArgumentEncoder(index uint) (ArgumentEncoder, error) {
	const c = check("-[MTLFunction newArgumentEncoderWithBufferIndex:]")
	if err := c.receiver(&zmethods[mFunctionNewArgumentEncoderWithBufferIndex], o.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return ArgumentEncoder{}, err
	}
	e := sendFunctionNewArgumentEncoderWithBufferIndex(o, index)
	return known(e, nil), c.made(e.ID(), ErrArgument, "index %d is not an argument buffer", index)
}

// NewNestedEncoder creates an encoder, +1, for the argument buffer that the argument at an index
// points to.
//
//	-[MTLArgumentEncoder newArgumentEncoderForBufferAtIndex:]
func (o ArgumentEncoder) NewNestedEncoder(index uint) (ArgumentEncoder, error) {
	const c = check("-[MTLArgumentEncoder newArgumentEncoderForBufferAtIndex:]")
	if err := c.receiver(&zmethods[mArgumentEncoderNewArgumentEncoderForBufferAtIndex], o.ID()); err != nil {
		return ArgumentEncoder{}, err
	}
	if err := o.has(c, uint64(index), 1); err != nil {
		return ArgumentEncoder{}, err
	}
	e := sendArgumentEncoderNewArgumentEncoderForBufferAtIndex(o, index)
	return known(e, nil), c.made(e.ID(), ErrArgument, "index %d is not a pointer to an argument buffer", index)
}

// SetArgumentBuffer sets the buffer that arguments are written to, and the offset in it. The offset
// must be a multiple of [ArgumentEncoder.Alignment] and leave EncodedLength bytes to the end of the
// buffer; the errors are [ErrAlignment], [ErrOffset] and [ErrLength]. A nil buffer sets none.
//
//	-[MTLArgumentEncoder setArgumentBuffer:offset:]
func (o ArgumentEncoder) SetArgumentBuffer(buffer Buffer, offset uint) error {
	const c = check("-[MTLArgumentEncoder setArgumentBuffer:offset:]")
	if err := c.receiver(&zmethods[mArgumentEncoderSetArgumentBuffer], o.ID()); err != nil {
		return err
	}
	if err := c.argumentBuffer(buffer, uint64(offset), 0, uint64(o.Alignment()), uint64(o.EncodedLength())); err != nil {
		return err
	}
	sendArgumentEncoderSetArgumentBuffer(o, buffer, offset)
	o.remember(buffer, uint64(offset))
	return nil
}

// SetArgumentBufferElement is SetArgumentBuffer for one element of an array of argument buffers
// that starts at an offset.
//
//	-[MTLArgumentEncoder setArgumentBuffer:startOffset:arrayElement:]
func (o ArgumentEncoder) SetArgumentBufferElement(buffer Buffer, startOffset, element uint) error {
	const c = check("-[MTLArgumentEncoder setArgumentBuffer:startOffset:arrayElement:]")
	if err := c.receiver(&zmethods[mArgumentEncoderSetArgumentBufferStartOffset], o.ID()); err != nil {
		return err
	}
	length := uint64(o.EncodedLength())
	if err := c.argumentBuffer(buffer, uint64(startOffset), uint64(element), uint64(o.Alignment()), length); err != nil {
		return err
	}
	sendArgumentEncoderSetArgumentBufferStartOffset(o, buffer, startOffset, element)
	o.remember(buffer, uint64(startOffset)+uint64(element)*length)
	return nil
}

// argumentBuffer checks that element n of an array of encoded arguments is within a buffer.
func (c check) argumentBuffer(buffer Buffer, offset, n, alignment, length uint64) error {
	if err := c.multipleOf("offset in bytes", offset, alignment); err != nil || buffer.IsNil() {
		return err
	}
	if err := c.notRemote("argument buffer", remoteFact(buffer.Resource)); err != nil {
		return err
	}
	return c.within("argument buffer", addSat(offset, mulSat(n, length)), length, uint64(buffer.Length()))
}

// remember records where arguments are written from now on.
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

// has checks the indices of arguments, as far as they are known.
func (o ArgumentEncoder) has(c check, first, count uint64) error {
	if err := c.atMost("index", addSat(first, count-1), MaxArguments-1, ErrIndex); err != nil {
		return err
	}
	if o.state != nil && o.state.spans != nil && !o.state.has(first, count) {
		return c.fail(ErrIndex, "no arguments at %d indices starting at %d", count, first)
	}
	return nil
}

// slots checks the receiver, that an argument buffer is set, and the indices of arguments.
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
