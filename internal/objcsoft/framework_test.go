package objcsoft

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFrameworks(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.LoadFramework("Foundation"))
	require.ErrorIs(t, w.LoadFramework("Metal"), ErrUnknown)
	require.ErrorContains(t, w.LoadFramework("Metal"), "framework Metal: not found")

	loads := 0
	require.NoError(t, w.RegisterFramework("Metal", func(*Runtime) error { loads++; return nil }))
	require.NoError(t, w.RegisterFramework("MPS", func(rt *Runtime) error { return rt.LoadFramework("Metal") }))
	require.NoError(t, w.LoadFramework("MPS"))
	require.NoError(t, w.LoadFramework("Metal"))
	require.NoError(t, w.LoadFramework("MPS"))
	require.Equal(t, 1, loads)

	require.NoError(t, w.RegisterFramework("Self", func(rt *Runtime) error { return rt.LoadFramework("Self") }))
	require.ErrorContains(t, w.LoadFramework("Self"), "its own load function")
	broken := errors.New("broken")
	require.NoError(t, w.RegisterFramework("Broken", func(*Runtime) error { loads++; return broken }))
	require.ErrorIs(t, w.LoadFramework("Broken"), broken)
	require.ErrorIs(t, w.LoadFramework("Broken"), broken)
	require.Equal(t, 2, loads, "not tried again")
	require.NoError(t, w.RegisterFramework("Panics", func(*Runtime) error { panic("oh") }))
	require.ErrorIs(t, w.LoadFramework("Panics"), ErrPanic)
	require.ErrorIs(t, w.RegisterFramework("Metal", func(*Runtime) error { return nil }), ErrDuplicate)
	require.Error(t, w.RegisterFramework("Nothing", nil))
}

func TestFunctions(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.RegisterFunction("Lib", "scale", "{_NSRange=QQ}f{_NSRange=QQ}", func(args, ret []uintptr) {
		f := math.Float32frombits(uint32(args[0]))
		ret[0], ret[1] = uintptr(f*float32(args[1])), uintptr(f*float32(args[2]))
	}))
	require.NoError(t, w.RegisterFunction("Lib", "narrow", "B", func(_, ret []uintptr) { ret[0] = 0x20 }))
	require.NoError(t, w.RegisterFunction("Lib", "panics", "v", func(_, _ []uintptr) { panic("oh") }))
	require.ErrorIs(t, w.RegisterFunction("Lib", "narrow", "B", func(_, _ []uintptr) {}), ErrDuplicate)
	require.Error(t, w.RegisterFunction("Lib", "bad", "{", func(_, _ []uintptr) {}))
	require.Error(t, w.RegisterFunction("Lib", "nil", "v", nil))
	require.Nil(t, w.Function("unknown"))

	ret := make([]uintptr, 3)
	require.NoError(t, w.Function("scale").Call([]uintptr{uintptr(math.Float32bits(2)), 3, 4}, ret))
	require.Equal(t, []uintptr{6, 8, 0}, ret)
	require.ErrorIs(t, w.Function("scale").Call([]uintptr{1}, ret), ErrEncoding)
	require.NoError(t, w.Function("narrow").Call(nil, ret))
	require.Equal(t, []uintptr{1, 0, 0}, ret)
	require.ErrorIs(t, w.Function("panics").Call(nil, nil), ErrPanic)

	require.NoError(t, w.Function("NSClassFromString").Call([]uintptr{uintptr(w.str("NSString"))}, ret))
	require.Equal(t, w.class("NSString"), ID(ret[0]))
	require.NoError(t, w.Function("NSSelectorFromString").Call([]uintptr{uintptr(w.str("length"))}, ret))
	require.Equal(t, w.Sel("length"), Sel(ret[0]))
	require.NoError(t, w.Function("NSStringFromSelector").Call([]uintptr{ret[0]}, ret))
	s, err := w.GoString(ID(ret[0]))
	require.NoError(t, err)
	require.Equal(t, "length", s)
	require.NoError(t, w.Function("NSProtocolFromString").Call([]uintptr{uintptr(w.str("NSCopying"))}, ret))
	require.Equal(t, w.Protocol("NSCopying").ID(), ID(ret[0]))
	require.NoError(t, w.Function("NSStringFromClass").Call([]uintptr{uintptr(w.class("NSURL"))}, ret))
	require.NoError(t, w.Function("NSStringFromProtocol").Call([]uintptr{ret[0]}, ret))
	require.Zero(t, ret[0])
	require.NoError(t, w.Function("NSPageSize").Call(nil, ret))
	require.GreaterOrEqual(t, ret[0], uintptr(4096))
	require.NoError(t, w.Function("NSTemporaryDirectory").Call(nil, ret))
	require.NotZero(t, ret[0])
	require.NoError(t, w.Function("NSHomeDirectory").Call(nil, ret))
	require.NotZero(t, ret[0])
}

func TestConstants(t *testing.T) {
	w := newWorld(t)
	id, ok := w.Constant("NSLocalizedDescriptionKey")
	require.True(t, ok)
	s, err := w.GoString(id)
	require.NoError(t, err)
	require.Equal(t, "NSLocalizedDescription", s)
	_, ok = w.Constant("NSNothing")
	require.False(t, ok)
	require.NoError(t, w.RegisterConstantString("Metal", "MTLDomain", "domain"))
	require.ErrorIs(t, w.RegisterConstantString("Metal", "MTLDomain", "domain"), ErrDuplicate)
	require.Error(t, w.RegisterConstant("Metal", "MTLNil", 0))
	id, _ = w.Constant("MTLDomain")
	for range 3 {
		require.NoError(t, w.Release(id), "constants are never freed")
	}
	require.EqualValues(t, 6, w.send(id, "length"))
}
