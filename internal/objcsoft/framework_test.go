package objcsoft

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFrameworks(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.LoadFramework("Foundation"))
	require.ErrorIs(t, h.LoadFramework("Metal"), ErrUnknown)
	require.ErrorContains(t, h.LoadFramework("Metal"), "framework Metal: not found")

	loads := 0
	require.NoError(t, h.RegisterFramework("Metal", func(*Runtime) error { loads++; return nil }))
	require.NoError(t, h.RegisterFramework("MPS", func(rt *Runtime) error { return rt.LoadFramework("Metal") }))
	require.NoError(t, h.LoadFramework("MPS"))
	require.NoError(t, h.LoadFramework("Metal"))
	require.NoError(t, h.LoadFramework("MPS"))
	require.Equal(t, 1, loads)

	require.NoError(t, h.RegisterFramework("Self", func(rt *Runtime) error { return rt.LoadFramework("Self") }))
	require.ErrorContains(t, h.LoadFramework("Self"), "its own load function")
	broken := errors.New("broken")
	require.NoError(t, h.RegisterFramework("Broken", func(*Runtime) error { loads++; return broken }))
	require.ErrorIs(t, h.LoadFramework("Broken"), broken)
	require.ErrorIs(t, h.LoadFramework("Broken"), broken)
	require.Equal(t, 2, loads, "not tried again")
	require.NoError(t, h.RegisterFramework("Panics", func(*Runtime) error { panic("oh") }))
	require.ErrorIs(t, h.LoadFramework("Panics"), ErrPanic)
	require.ErrorIs(t, h.RegisterFramework("Metal", func(*Runtime) error { return nil }), ErrDuplicate)
	require.Error(t, h.RegisterFramework("Nothing", nil))
}

func TestFunctions(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.RegisterFunction("Lib", "scale", "{_NSRange=QQ}f{_NSRange=QQ}", func(args, ret []uintptr) {
		f := math.Float32frombits(uint32(args[0]))
		ret[0], ret[1] = uintptr(f*float32(args[1])), uintptr(f*float32(args[2]))
	}))
	require.NoError(t, h.RegisterFunction("Lib", "narrow", "B", func(_, ret []uintptr) { ret[0] = 0x20 }))
	require.NoError(t, h.RegisterFunction("Lib", "panics", "v", func(_, _ []uintptr) { panic("oh") }))
	require.ErrorIs(t, h.RegisterFunction("Lib", "narrow", "B", func(_, _ []uintptr) {}), ErrDuplicate)
	require.Error(t, h.RegisterFunction("Lib", "bad", "{", func(_, _ []uintptr) {}))
	require.Error(t, h.RegisterFunction("Lib", "nil", "v", nil))
	require.Nil(t, h.Function("unknown"))

	ret := make([]uintptr, 3)
	require.NoError(t, h.Function("scale").Call([]uintptr{uintptr(math.Float32bits(2)), 3, 4}, ret))
	require.Equal(t, []uintptr{6, 8, 0}, ret)
	require.ErrorIs(t, h.Function("scale").Call([]uintptr{1}, ret), ErrEncoding)
	require.NoError(t, h.Function("narrow").Call(nil, ret))
	require.Equal(t, []uintptr{1, 0, 0}, ret)
	require.ErrorIs(t, h.Function("panics").Call(nil, nil), ErrPanic)

	require.NoError(t, h.Function("NSClassFromString").Call([]uintptr{uintptr(h.str("NSString"))}, ret))
	require.Equal(t, h.class("NSString"), ID(ret[0]))
	require.NoError(t, h.Function("NSSelectorFromString").Call([]uintptr{uintptr(h.str("length"))}, ret))
	require.Equal(t, h.Sel("length"), Sel(ret[0]))
	require.NoError(t, h.Function("NSStringFromSelector").Call([]uintptr{ret[0]}, ret))
	s, err := h.GoString(ID(ret[0]))
	require.NoError(t, err)
	require.Equal(t, "length", s)
	require.NoError(t, h.Function("NSProtocolFromString").Call([]uintptr{uintptr(h.str("NSCopying"))}, ret))
	require.Equal(t, h.Protocol("NSCopying").ID(), ID(ret[0]))
	require.NoError(t, h.Function("NSStringFromClass").Call([]uintptr{uintptr(h.class("NSURL"))}, ret))
	require.NoError(t, h.Function("NSStringFromProtocol").Call([]uintptr{ret[0]}, ret))
	require.Zero(t, ret[0])
	require.NoError(t, h.Function("NSPageSize").Call(nil, ret))
	require.GreaterOrEqual(t, ret[0], uintptr(4096))
	require.NoError(t, h.Function("NSTemporaryDirectory").Call(nil, ret))
	require.NotZero(t, ret[0])
	require.NoError(t, h.Function("NSHomeDirectory").Call(nil, ret))
	require.NotZero(t, ret[0])
}

func TestConstants(t *testing.T) {
	h := newHarness(t)
	id, ok := h.Constant("NSLocalizedDescriptionKey")
	require.True(t, ok)
	s, err := h.GoString(id)
	require.NoError(t, err)
	require.Equal(t, "NSLocalizedDescription", s)
	_, ok = h.Constant("NSNothing")
	require.False(t, ok)
	require.NoError(t, h.RegisterConstantString("Metal", "MTLDomain", "domain"))
	require.ErrorIs(t, h.RegisterConstantString("Metal", "MTLDomain", "domain"), ErrDuplicate)
	require.Error(t, h.RegisterConstant("Metal", "MTLNil", 0))
	id, _ = h.Constant("MTLDomain")
	for range 3 {
		require.NoError(t, h.Release(id), "constants are never freed")
	}
	require.EqualValues(t, 6, h.send(id, "length"))
}
