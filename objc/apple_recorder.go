//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"fmt"
	"math/bits"

	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// recorderBackend holds a recorder's messages as one batch of C calls.
type recorderBackend struct {
	rt      *appleRuntime
	batch   ccall.Batch
	results []objectResult // in order
	ids     []ID           // receivers and arguments
	deaths  uint64         // handles that had died when the first message was recorded

	// The last receiver: most messages of a batch go to one object.
	recv        ID
	self, class uintptr
}

// objectResult is a message whose result, or whose receiver, needs its handle seen to after the
// batch has run.
type objectResult struct {
	index  int
	method *Method
	recv   ID
	from   int
	id     ID
}

func (k *recorderBackend) reset() {
	k.batch.Reset()
	k.results = k.results[:0]
	k.ids = k.ids[:0]
	k.rt = nil
	k.recv = 0
}

// stillLive checks that nothing the batch names has been released since it was recorded.
func (k *recorderBackend) stillLive() error {
	if k.rt == nil || k.rt.handles.deaths.Load() == k.deaths {
		return nil
	}
	for _, id := range k.ids {
		if _, err := k.rt.handles.live(id); err != nil {
			return fmt.Errorf("objc: recorded messages name %#x: %w", uintptr(id), err)
		}
	}
	return nil
}

// addAgain is add for the common case: one more message to the last receiver, with at most one
// object among its arguments and none as its result. It reports whether that was the case.
func (k *recorderBackend) addAgain(b *binding, recv ID, args []uintptr) bool {
	ab := &b.apple
	if recv != k.recv || recv == 0 || b.retObject || ab.class == nil || ab.class.Load() != k.class {
		return false
	}
	if o := ab.objects; o != 0 {
		w := bits.TrailingZeros64(o)
		if o&(o-1) != 0 {
			return false
		}
		if id := ID(args[w]); id != 0 {
			s := k.rt.handles.peek(id)
			if s == nil {
				return false
			}
			k.ids = append(k.ids, id)
			args[w] = s.ptr.Load()
		}
	}
	return k.batch.Add(ab.plan, ab.fn, k.self, ab.sel, args...) >= 0
}

// add puts a message into the batch. Handles become addresses here: the objects must live until
// send.
func (k *recorderBackend) add(m *Method, b *binding, recv ID, from int, args []uintptr) error {
	ab := &b.apple
	h := &ab.rt.handles
	if k.rt == nil {
		k.rt, k.deaths = ab.rt, h.deaths.Load()
	}
	for o := ab.objects; o != 0; o &= o - 1 {
		w := bits.TrailingZeros64(o)
		if args[w] == 0 {
			continue
		}
		s := h.peek(ID(args[w]))
		if s == nil {
			return fmt.Errorf("argument word %d: %w", w, h.dead(ID(args[w])))
		}
		k.ids = append(k.ids, ID(args[w]))
		args[w] = s.ptr.Load()
	}
	var self uintptr // 0: a message to nil, which libobjc answers with zero
	switch {
	case from >= 0:
		if k.result(from) == nil {
			return noObjectResult(m, from)
		}
		k.batch.AddChained(ab.plan, ab.fn, from, ab.sel, args...)
		k.note(m, b, recv, from)
		return nil
	case recv != 0:
		s := h.peek(recv)
		if s == nil {
			return h.dead(recv)
		}
		if class := s.class.Load(); class != ab.class.Load() {
			if err := ab.learn(m, class); err != nil {
				return err
			}
		}
		k.ids = append(k.ids, recv)
		self = s.ptr.Load()
		k.recv, k.self, k.class = recv, self, s.class.Load()
	}
	k.batch.Add(ab.plan, ab.fn, self, ab.sel, args...)
	k.note(m, b, recv, from)
	return nil
}

// note remembers that the last message's result needs a handle, if it is an object.
func (k *recorderBackend) note(m *Method, b *binding, recv ID, from int) {
	if b.retObject {
		k.results = append(k.results, objectResult{index: k.batch.Len() - 1, method: m, recv: recv, from: from})
	}
}

// result returns the entry of message i, nil where it returns no object.
func (k *recorderBackend) result(i int) *objectResult {
	for j := len(k.results) - 1; j >= 0 && k.results[j].index >= i; j-- {
		if k.results[j].index == i {
			return &k.results[j]
		}
	}
	return nil
}

// send runs the batch and gives the objects that came back their handles.
func (k *recorderBackend) send() error {
	if err := k.stillLive(); err != nil {
		return err
	}
	if err := k.batch.Run(); err != nil {
		return err
	}
	for i := range k.results {
		res := &k.results[i]
		recv := res.recv
		if res.from >= 0 {
			recv = k.result(res.from).id
		}
		if recv != 0 && res.method.bound.Load().apple.init {
			// The callee took over the receiver's reference.
			if _, err := k.rt.handles.dropRef(recv); err != nil {
				return newFault(res.method.Name(), err)
			}
		}
		ptr := k.batch.Result(res.index)[0]
		if ptr == 0 {
			continue
		}
		self, err := k.rt.handles.address(recv)
		if err != nil {
			self = 0 // the receiver went with the message
		}
		if res.id, err = res.method.bound.Load().apple.result(ptr, self); err != nil {
			return newFault(res.method.Name(), err)
		}
	}
	return nil
}

// word returns the first word of message i's result.
func (k *recorderBackend) word(i int) uintptr {
	if res := k.result(i); res != nil {
		return uintptr(res.id)
	}
	if words := k.batch.Result(i); len(words) > 0 {
		return words[0]
	}
	return 0
}
