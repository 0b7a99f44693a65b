package objc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecorder(t *testing.T) {
	clean(t)
	Pool(func() {
		s := NewString("abc")
		defer Release(s)
		r := NewRecorder()
		for range 3 {
			doubled := r.Add(tm(tmAppend), s, uintptr(s))
			length := r.AddTo(tm(tmLength), doubled)
			again := r.AddTo(tm(tmAppend), doubled, uintptr(s))
			longer := r.AddTo(tm(tmLength), again)
			nothing := r.Add(tm(tmLength), 0)
			require.Equal(t, 5, r.Len())
			require.NoError(t, r.Send())
			require.Equal(t, uintptr(6), r.Word(length))
			require.Equal(t, uintptr(9), r.Word(longer))
			require.Zero(t, r.Word(nothing))
			require.Equal(t, "abcabc", GoString(ID(r.Word(doubled))))
			require.ErrorIs(t, r.Send(), ErrArguments)
			r.Reset()
		}
		require.Zero(t, r.Len())
		require.NoError(t, r.Send())
	})
}

func TestRecorderErrors(t *testing.T) {
	clean(t)
	s := NewString("a string that is no tagged pointer")
	r := NewRecorder()
	length := r.Add(tm(tmLength), s)
	r.AddTo(tm(tmLength), length)
	require.ErrorContains(t, r.Send(), "returns no object")
	r.Reset()

	r.Add(tm(tmAppend), s)
	require.ErrorIs(t, r.Send(), ErrArguments)
	r.Reset()

	r.AddTo(tm(tmLength), Result{7})
	require.ErrorIs(t, r.Send(), ErrNotObject)
	r.Reset()

	r.Add(tm(tmFirst), s)
	require.ErrorIs(t, r.Send(), ErrUnrecognized)
	r.Reset()

	r.Add(tm(tmLength), s)
	Release(s)
	require.ErrorIs(t, r.Send(), ErrReleased)
	require.Zero(t, r.Word(Result{99}))
}

func TestRecorderBytes(t *testing.T) {
	clean(t)
	r := NewRecorder()
	data, err := classData.Alloc()
	require.NoError(t, err)
	src := []byte{1, 2, 3}
	res := r.Add(fn(fnDataInit), data, r.Bytes(src), 3)
	src[0] = 9
	require.NoError(t, r.Send())
	id := ID(r.Word(res))
	require.Equal(t, []byte{1, 2, 3}, GoBytes(id))
	Release(id)
	require.Zero(t, r.Bytes(nil))
}
