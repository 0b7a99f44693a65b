package compute

import (
	"context"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// encoding is a program's own commands, of an encodeWork, or the accesses of a functionWork.
type encoding struct {
	call   func(mtl.CommandBuffer) error // nil of a functionWork
	views  []view                        // what they access
	writes []bool                        // for each view
}

// Encode records commands that the program encodes itself, for features of Metal that this package
// does not wrap, such as the kernels of Metal Performance Shaders. encode is called once, on
// another goroutine in an autorelease pool, before the command buffer is committed: it adds
// encoders to it and ends them. It must neither commit the command buffer nor wait for it, nor call
// methods of the stream. Its commands begin after the earlier ones of the stream have ended, and
// later ones begin after them.
//
// access lists all buffers that the commands access, by [Reads] and [Writes]; they are kept alive
// until the commands have ended. [Buffer.Metal] returns Metal's buffers; call it before Encode. An
// error or panic of encode fails the command buffer, and [Stream.Sync] returns it.
func (s *Stream) Encode(ctx context.Context, encode func(mtl.CommandBuffer) error, access ...any) error {
	if err := checkCall(ctx, "stream: Encode", s.missing()); err != nil {
		return err
	}
	if encode == nil {
		return nilError("stream: Encode: the function")
	}
	w := work{kind: encodeWork, encoding: &encoding{call: encode}}
	if err := eachAccess(s.acc, access, w.encoding.add); err != nil {
		w.end()
		return fmt.Errorf("compute: stream: Encode: %w", err)
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	w.site = site[0]
	return s.record(ctx, w)
}

// eachAccess calls add for each buffer in a list of [Reads] and [Writes].
func eachAccess(a *Accelerator, access []any, add func(v view, writes bool) error) error {
	for i, list := range access {
		u, ok := list.(uses)
		if !ok {
			return fmt.Errorf("access %d is a %T; want Reads or Writes: %w", i, list, ErrOption)
		}
		for j, b := range u.buffers {
			v, err := u.view(a, b)
			if err == nil {
				err = add(v, u.writes)
			}
			if err != nil {
				return fmt.Errorf("access %d, buffer %d: %w", i, j, err)
			}
		}
	}
	return nil
}

// view checks a listed buffer.
func (u uses) view(a *Accelerator, b AnyBuffer) (view, error) {
	if b == nil || b.missing() {
		return view{}, ErrNil
	}
	v, _, readOnly := b.asArgument()
	switch {
	case v.mem.acc != a:
		return v, fmt.Errorf("%v %w", v.mem, ErrAccelerator)
	case readOnly && u.writes:
		return v, fmt.Errorf("%v is read-only, but Writes lists it: %w", v.mem, ErrStorage)
	}
	return v, nil
}

// add adds an access, whose use it counts.
func (p *encoding) add(v view, writes bool) error {
	if err := v.mem.use(); err != nil {
		return err
	}
	p.views, p.writes = append(p.views, v), append(p.writes, writes)
	return nil
}

// use counts the uses.
func (p *encoding) use() error {
	for i, v := range p.views {
		if err := v.mem.use(); err != nil {
			for _, v := range p.views[:i] {
				v.mem.done()
			}
			return err
		}
	}
	return nil
}

// done ends the uses.
func (p *encoding) done() {
	for _, v := range p.views {
		v.mem.done()
	}
}

// program encodes a program's own commands. Their encoders do not wait for the stream's fence, so
// events order them instead.
func (e *encoder) program(p *encoding) error {
	if err := e.order(); err != nil {
		return err
	}
	if err := contained(func() string { return "Encode on stream " + e.stream.label }, func() (err error) {
		objc.Pool(func() { err = p.call(e.commands) })
		return err
	}); err != nil {
		return err
	}
	return e.order()
}

// order makes all later commands of the command buffer begin after all earlier ones have ended.
func (e *encoder) order() error {
	if err := e.close(); err != nil {
		return err
	}
	m := &e.stream.metal
	if m.order.IsNil() {
		if m.order = e.stream.acc.device.NewEvent(); m.order.IsNil() {
			return fmt.Errorf("the device made no event: %w", ErrOutOfMemory)
		}
	}
	m.ordered++
	if err := e.commands.EncodeSignalEvent(m.order, m.ordered); err != nil {
		return err
	}
	return e.commands.EncodeWaitForEvent(m.order, m.ordered)
}
