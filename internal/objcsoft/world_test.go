package objcsoft

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// world is a runtime whose test ends with no live object, no open pool and no
// object autoreleased without one.
type world struct {
	*Runtime
	t *testing.T
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{New(), t}
	w.TrackSites(true)
	token := w.PushPool()
	t.Cleanup(func() {
		require.NoError(t, w.PopPool(token))
		require.Empty(t, w.Leaks())
		require.Zero(t, w.LiveTotal())
		require.Empty(t, w.OpenPools())
		require.Zero(t, w.NoPoolCount())
	})
	return w
}

// own releases the object at the end of the test.
func (w *world) own(id ID) ID {
	w.t.Helper()
	require.NotZero(w.t, id)
	w.t.Cleanup(func() { require.NoError(w.t, w.Release(id)) })
	return id
}

func (w *world) str(s string) ID { return w.own(w.NewString(s)) }

// encodingOf finds how the receiver's class registered the method.
func (w *world) encodingOf(recv ID, selector string) string {
	w.t.Helper()
	class := w.ClassOf(recv)
	require.NotNil(w.t, class, "receiver of %s", selector)
	m := class.Method(w.Sel(selector))
	require.NotNil(w.t, m, "%s of %s", selector, class.Name)
	return m.Encoding()
}

// try sends a message with the encoding of the method that will answer.
func (w *world) try(recv ID, selector string, args ...uintptr) ([]uintptr, error) {
	w.t.Helper()
	enc, err := w.Encoding(w.encodingOf(recv, selector))
	require.NoError(w.t, err)
	ret := make([]uintptr, maxResultWords)
	err = w.Send(recv, w.Sel(selector), enc, args, ret)
	return ret, err
}

// send is try that must succeed, for the first word of the result.
func (w *world) send(recv ID, selector string, args ...uintptr) uintptr {
	w.t.Helper()
	ret, err := w.try(recv, selector, args...)
	require.NoError(w.t, err, "%s", selector)
	return ret[0]
}

func (w *world) id(recv ID, selector string, args ...uintptr) ID {
	w.t.Helper()
	return ID(w.send(recv, selector, args...))
}

// text sends a message that returns a string.
func (w *world) text(recv ID, selector string, args ...uintptr) string {
	w.t.Helper()
	s, err := w.GoString(w.id(recv, selector, args...))
	require.NoError(w.t, err)
	return s
}

func (w *world) class(name string) ID {
	w.t.Helper()
	c := w.Class(name)
	require.NotNil(w.t, c, "class %s", name)
	return c.ID()
}

// memory pins bytes for the test and returns their address.
func (w *world) memory(b []byte) uintptr {
	p := pinBytes(b)
	w.t.Cleanup(p.unpin)
	return p.address()
}

// array pins words for the test and returns the address of a copy of them.
func (w *world) array(words ...uintptr) uintptr {
	w.t.Helper()
	addr := w.memory(make([]byte, max(8*len(words), 8)))
	require.NoError(w.t, WriteWords(addr, words...))
	return addr
}

func (w *world) word(addr uintptr) uintptr {
	w.t.Helper()
	words, err := ReadWords(addr, 1)
	require.NoError(w.t, err)
	return words[0]
}
