package objcsoft

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// harness is a runtime whose test ends with no live object, no open pool and no
// object autoreleased without one.
type harness struct {
	*Runtime
	t *testing.T
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	h := &harness{New(), t}
	h.TrackSites(true)
	token := h.PushPool()
	t.Cleanup(func() {
		require.NoError(t, h.PopPool(token))
		require.Empty(t, h.Leaks())
		require.Zero(t, h.LiveTotal())
		require.Empty(t, h.OpenPools())
		require.Zero(t, h.NoPoolCount())
	})
	return h
}

// own releases the object at the end of the test.
func (h *harness) own(id ID) ID {
	h.t.Helper()
	require.NotZero(h.t, id)
	h.t.Cleanup(func() { require.NoError(h.t, h.Release(id)) })
	return id
}

func (h *harness) str(s string) ID { return h.own(h.NewString(s)) }

// encodingOf finds how the receiver's class registered the method.
func (h *harness) encodingOf(recv ID, selector string) string {
	h.t.Helper()
	class := h.ClassOf(recv)
	require.NotNil(h.t, class, "receiver of %s", selector)
	m := class.Method(h.Sel(selector))
	require.NotNil(h.t, m, "%s of %s", selector, class.Name)
	return m.Encoding()
}

// try sends a message with the encoding of the method that will answer.
func (h *harness) try(recv ID, selector string, args ...uintptr) ([]uintptr, error) {
	h.t.Helper()
	enc, err := h.Encoding(h.encodingOf(recv, selector))
	require.NoError(h.t, err)
	ret := make([]uintptr, maxResultWords)
	err = h.Send(recv, h.Sel(selector), enc, args, ret)
	return ret, err
}

// send is try that must succeed, for the first word of the result.
func (h *harness) send(recv ID, selector string, args ...uintptr) uintptr {
	h.t.Helper()
	ret, err := h.try(recv, selector, args...)
	require.NoError(h.t, err, "%s", selector)
	return ret[0]
}

func (h *harness) id(recv ID, selector string, args ...uintptr) ID {
	h.t.Helper()
	return ID(h.send(recv, selector, args...))
}

// text sends a message that returns a string.
func (h *harness) text(recv ID, selector string, args ...uintptr) string {
	h.t.Helper()
	s, err := h.GoString(h.id(recv, selector, args...))
	require.NoError(h.t, err)
	return s
}

func (h *harness) class(name string) ID {
	h.t.Helper()
	c := h.Class(name)
	require.NotNil(h.t, c, "class %s", name)
	return c.ID()
}

// memory pins bytes for the test and returns their address.
func (h *harness) memory(b []byte) uintptr {
	p := pinBytes(b)
	h.t.Cleanup(p.unpin)
	return p.address()
}

// array pins words for the test and returns the address of a copy of them.
func (h *harness) array(words ...uintptr) uintptr {
	h.t.Helper()
	addr := h.memory(make([]byte, max(8*len(words), 8)))
	require.NoError(h.t, WriteWords(addr, words...))
	return addr
}

func (h *harness) word(addr uintptr) uintptr {
	h.t.Helper()
	words, err := ReadWords(addr, 1)
	require.NoError(h.t, err)
	return words[0]
}
