package objc

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// quad is four doubles, a structure that comes back in memory on amd64 and in registers on arm64.
type quad struct{ A, B, C, D float64 }

// sendTo is a message to a class of these tests.
func sendTo(class, selector, encoding string) *Method {
	return &Method{Class: class, Selector: selector, Encoding: encoding, Retained: retainedFamily(selector)}
}

// TestGoClass: arguments and results of all kinds arrive, on both drivers.
func TestGoClass(t *testing.T) {
	clean(t)
	type state struct{ seen []string }
	note := func(format string, values ...any) func(any) {
		return func(v any) { v.(*state).seen = append(v.(*state).seen, fmt.Sprintf(format, values...)) }
	}
	class, err := NewClass(ClassSpec{Name: "PMTestEverything", Methods: []MethodSpec{
		{"count:and:", "q@:iB", func(_ ID, v any, args, ret []uintptr) {
			note("%d %d", int32(args[0]), args[1])(v)
			ret[0] = uintptr(int(int32(args[0])) - 1)
		}},
		{"scale:by:", "f@:fd", func(_ ID, v any, args, ret []uintptr) {
			note("%g %g", ToF32(args[0]), ToF64(args[1]))(v)
			ret[0] = F32(ToF32(args[0]) * float32(ToF64(args[1])))
		}},
		{"average:", "d@:d", func(_ ID, _ any, args, ret []uintptr) { ret[0] = F64(ToF64(args[0]) / 2) }},
		{"transform:offset:", "{?=dddd}@:@Q", func(_ ID, v any, args, ret []uintptr) {
			note("%s %d", GoString(ID(args[0])), args[1])(v)
			for i := range ret {
				ret[i] = F64(float64(i) + float64(args[1]))
			}
		}},
		{"place:", "{?=QQQ}@:{?=QQQ}", func(_ ID, _ any, args, ret []uintptr) {
			copy(ret, []uintptr{args[2], args[1], args[0]})
		}},
		{"title", "@@:", func(_ ID, _ any, _, ret []uintptr) {
			s := NewString("made by a method")
			Autorelease(s)
			ret[0] = uintptr(s)
		}},
		{"newTitle", "@@:", func(_ ID, _ any, _, ret []uintptr) { ret[0] = uintptr(NewString("made for the caller")) }},
		{"nothing", "v@:", func(_ ID, v any, _, _ []uintptr) { note("nothing")(v) }},
		{"fails", "q@:", func(ID, any, []uintptr, []uintptr) { panic("on purpose") }},
		{"exits", "@@:", func(ID, any, []uintptr, []uintptr) { runtime.Goexit() }},
	}})
	require.NoError(t, err)
	assert.Equal(t, "PMTestEverything", class.Name())
	assert.Equal(t, "PMTestEverything", class.Class().Name())
	value := &state{}
	o, err := class.New(value)
	require.NoError(t, err)
	send := func(selector, encoding string) *Method { return sendTo(class.Name(), selector, encoding) }

	assert.EqualValues(t, -43, int(send("count:and:", "q@:iB").Call(o, uintptr(0xffffffd6), 1)))
	assert.InDelta(t, 3.75, ToF32(send("scale:by:", "f@:fd").Call(o, F32(1.5), F64(2.5))), 0)
	assert.InDelta(t, 0.125, ToF64(send("average:", "d@:d").Call(o, F64(0.25))), 0)
	s := NewString("text")
	var r [4]uintptr
	send("transform:offset:", "{?=dddd}@:@Q").CallRet(r[:], o, uintptr(s), 7)
	assert.Equal(t, quad{7, 8, 9, 10}, Unpack[quad](r[:]...))
	send("place:", "{?=QQQ}@:{?=QQQ}").CallRet(r[:3], o, 1, 2, 3)
	assert.Equal(t, []uintptr{3, 2, 1}, r[:3])
	Pool(func() { assert.Equal(t, "made by a method", GoString(ID(send("title", "@@:").Call(o)))) })
	title := ID(send("newTitle", "@@:").Call(o))
	assert.Equal(t, "made for the caller", GoString(title))
	Release(title)
	send("nothing", "v@:").Call(o)
	assert.Equal(t, []string{"-42 1", "1.5 2.5", "text 7", "nothing"}, value.seen)

	var panics []*PanicError
	restore := OnPanic(func(p *PanicError) { panics = append(panics, p) })
	assert.Zero(t, send("fails", "q@:").Call(o))
	assert.Zero(t, send("exits", "@@:").Call(o))
	restore()
	require.Len(t, panics, 2)
	assert.Equal(t, "-[PMTestEverything fails]", panics[0].Where)
	assert.Equal(t, "-[PMTestEverything exits]", panics[1].Where)
	assert.Equal(t, errExited, panics[1].Value)

	got, ok := class.Value(o)
	assert.True(t, ok)
	assert.Same(t, value, got)
	_, ok = class.Value(s)
	assert.False(t, ok)
	Release(s)
	Release(o)
	_, ok = class.Value(o)
	assert.False(t, ok)
}

// TestGoClassForgets: the value goes with the last reference, which may be a container's.
func TestGoClassForgets(t *testing.T) {
	clean(t)
	class, err := NewClass(ClassSpec{Name: "PMTestForgets"})
	require.NoError(t, err)
	gone := make(chan struct{})
	array := func() ID {
		value := new([64]byte)
		runtime.AddCleanup(value, func(c chan struct{}) { close(c) }, gone)
		o, err := class.New(value)
		require.NoError(t, err)
		array := NewArray([]ID{o})
		Release(o)
		got, ok := class.Value(ID(fn(fnArrayAt).Call(array, 0)))
		require.True(t, ok)
		require.Same(t, value, got)
		return array
	}()
	Release(array)
	settle.Until(t, "the value is unreachable", func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	})
}

func TestGoClassRefuses(t *testing.T) {
	clean(t)
	nothing := func(ID, any, []uintptr, []uintptr) {}
	_, err := NewClass(ClassSpec{Name: "PMTestTwice"})
	require.NoError(t, err)
	for text, spec := range map[string]ClassSpec{
		"PMTestTwice":        {Name: "PMTestTwice"},
		"NoSuchProtocol":     {Name: "PMTestProtocol", Protocols: []string{"NoSuchProtocol"}},
		"NoSuchFramework":    {Name: "PMTestFramework", Framework: "NoSuchFramework"},
		"x: has no function": {Name: "PMTestFunction", Methods: []MethodSpec{{"x:", "v@:q", nil}}},
		"PMTestEncoding":     {Name: "PMTestEncoding", Methods: []MethodSpec{{"x", "!", nothing}}},
		"two methods x":      {Name: "PMTestSame", Methods: []MethodSpec{{"x", "v@:", nothing}, {"x", "v@:", nothing}}},
	} {
		_, err := NewClass(spec)
		assert.ErrorContains(t, err, text)
		if text == "PMTestTwice" || text == "two methods x" {
			assert.ErrorIs(t, err, ErrDuplicate)
		}
	}
}

type counter struct{ n int }

func (c *counter) Count() int { c.n++; return c.n }

type resettable struct{ counter }

func (c *resettable) Reset() { c.n = 0 }

// TestImplementation: objects have the optional methods that their values have, share a class if
// those are the same, and are their own copies.
func TestImplementation(t *testing.T) {
	clean(t)
	p := &Implementation{Protocol: "PMTestCounting", Copies: true, Methods: []ImplementedMethod{
		{Selector: "count", Encoding: "q@:", Call: func(impl any, _, ret []uintptr) {
			ret[0] = uintptr(impl.(interface{ Count() int }).Count())
		}},
		{Selector: "reset", Encoding: "v@:",
			Has:  func(impl any) bool { _, ok := impl.(interface{ Reset() }); return ok },
			Call: func(impl any, _, _ []uintptr) { impl.(interface{ Reset() }).Reset() }},
	}}
	plain, err := p.New(&counter{})
	require.NoError(t, err)
	other, err := p.New(&counter{n: 10})
	require.NoError(t, err)
	both, err := p.New(&resettable{})
	require.NoError(t, err)
	assert.Equal(t, ClassOf(plain), ClassOf(other))
	assert.NotEqual(t, ClassOf(plain), ClassOf(both))
	count, reset := &Method{Class: "NSObject", Selector: "count", Encoding: "q@:"}, &Method{Class: "NSObject",
		Selector: "reset", Encoding: "v@:"}
	assert.EqualValues(t, 1, count.Call(plain))
	assert.EqualValues(t, 11, count.Call(other))
	assert.EqualValues(t, 1, count.Call(both))
	require.NoError(t, reset.Check(both))
	reset.Call(both)
	assert.EqualValues(t, 1, count.Call(both))
	require.ErrorIs(t, reset.Check(plain), ErrUnavailable)
	copied := ID((&Method{Class: "NSObject", Selector: "copy", Encoding: "@@:", Retained: true}).Call(both))
	assert.Equal(t, both, copied)
	for _, id := range []ID{plain, other, both, copied} {
		Release(id)
	}
	_, err = p.New(nil)
	require.ErrorIs(t, err, ErrNil)
}
