//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"fmt"
	"math/bits"

	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// recorderBackend sends a recorder's messages as one batch of C calls.
type recorderBackend struct{ batch ccall.Batch }

func (k *recorderBackend) reset() { k.batch.Reset() }

func (k *recorderBackend) send(a *appleRuntime, r *Recorder) error {
	k.batch.Reset()
	for i := range r.messages {
		if err := k.add(a, r, i); err != nil {
			return newFault(r.messages[i].method.Name(), err)
		}
	}
	if err := k.batch.Run(); err != nil {
		return err
	}
	for i := range r.messages {
		m := &r.messages[i]
		if m.binding.apple.init {
			// The callee took over the receiver's reference.
			recv := m.recv
			if m.from >= 0 {
				recv = ID(r.messages[m.from].result)
			}
			if recv != 0 {
				if _, err := a.handles.dropRef(recv); err != nil {
					return newFault(m.method.Name(), err)
				}
			}
		}
		words := k.batch.Result(i)
		if len(words) == 0 {
			continue
		}
		m.result = words[0]
		if m.binding.retObject && m.result != 0 {
			id, err := a.wrap(m.result, m.method.Retained)
			if err != nil {
				return newFault(m.method.Name(), err)
			}
			m.result = uintptr(id)
		}
	}
	return nil
}

func (k *recorderBackend) add(a *appleRuntime, r *Recorder, i int) error {
	m := &r.messages[i]
	b := &m.binding.apple
	args := r.args(i)
	for o := b.objects; o != 0; o &= o - 1 {
		w := bits.TrailingZeros64(o)
		if args[w] == 0 {
			continue
		}
		p, err := a.handles.address(ID(args[w]))
		if err != nil {
			return fmt.Errorf("argument word %d: %w", w, err)
		}
		args[w] = p
	}
	if m.from >= 0 {
		k.batch.AddChained(b.plan, b.fn, m.from, b.sel, args...)
		return nil
	}
	if m.recv == 0 {
		// A message to nil answers zero; libobjc does that itself.
		k.batch.Add(b.plan, b.fn, 0, b.sel, args...)
		return nil
	}
	s, _, err := a.handles.find(m.recv)
	if err != nil {
		return err
	}
	if class := s.class.Load(); class != b.class.Load() {
		if ccall.CallC(a.classRespondsTo, class, b.sel)&0xff == 0 {
			return fmt.Errorf("%s: %w", a.describe(class, m.method.Selector), ErrUnrecognized)
		}
		b.class.Store(class)
	}
	k.batch.Add(b.plan, b.fn, s.ptr.Load(), b.sel, args...)
	return nil
}
