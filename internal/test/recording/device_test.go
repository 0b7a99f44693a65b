package recording

import (
	"math"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func testDevice(t *testing.T) (*objcsoft.Runtime, *Device) {
	t.Helper()
	rt := objcsoft.New()
	d, err := New(rt, Spec{
		Prefix: "Test", Framework: "Metal",
		Classes: []Class{{Name: "MTLBuffer", Parent: "MTLResource", Protocol: true}, {Name: "MTLResource", Protocol: true},
			{Name: "MTLHeapDescriptor"}},
		Methods: []Method{
			{Class: "MTLResource", Selector: "setLabel:", Encoding: "v@:@", Protocol: true},
			{Class: "MTLResource", Selector: "label", Encoding: "@@:", Protocol: true},
			{Class: "MTLBuffer", Selector: "newView:error:", Encoding: "@@:{_NSRange=QQ}^@", Protocol: true, Retained: true},
			{Class: "MTLHeapDescriptor", Selector: "shared", Encoding: "@@:", ClassMethod: true},
			{Class: "MTLHeapDescriptor", Selector: "initWithSize:", Encoding: "@@:Q", Retained: true},
			{Class: "NSObject", Selector: "copy", Encoding: "@@:", Retained: true},
		},
		Functions: []Function{{Name: "MTLCount", Encoding: "I@"}},
		Constants: []string{"MTLKey"},
	})
	require.NoError(t, err)
	return rt, d
}

func send(t *testing.T, rt *objcsoft.Runtime, recv objcsoft.ID, selector, enc string, args ...uintptr) uintptr {
	t.Helper()
	w, err := rt.Message(recv, selector, enc, args...)
	require.NoError(t, err)
	return w
}

func TestRecords(t *testing.T) {
	rt, d := testDevice(t)
	start := rt.LiveTotal()
	buffer, err := d.Object("MTLBuffer")
	require.NoError(t, err)
	assert.True(t, d.Class("MTLBuffer").ConformsTo(rt.Protocol("TestMTLResource")))
	assert.Equal(t, "MTLBuffer", d.ClassName(buffer))

	name := rt.NewString("a name")
	seen := 0
	d.Expect(Reply{}, func(m *Message) { seen++; assert.Empty(t, m.Made) })
	send(t, rt, buffer, "setLabel:", "v@:@", uintptr(name))
	require.Len(t, d.Messages(), 1)
	m := d.Messages()[0]
	assert.Equal(t, 1, seen)
	assert.Equal(t, "MTLResource", m.Method.Class, "the class that declares it")
	assert.Equal(t, buffer, m.Receiver)
	assert.Equal(t, Value{ID: name, Class: "NSString", Text: "a name"}, m.Args[0].Value)
	require.NoError(t, rt.Release(name))

	d.Expect(Reply{Kind: Text, Variant: 3}, nil)
	assert.Empty(t, d.Messages())
	pool := rt.PushPool()
	s, err := rt.GoString(objcsoft.ID(send(t, rt, buffer, "label", "@@:")))
	require.NoError(t, err)
	assert.Equal(t, TextOf("label", 3), s)
	require.NoError(t, rt.PopPool(pool))

	require.NoError(t, rt.Release(buffer))
	assert.Equal(t, start, rt.LiveTotal())
}

func TestErrorsAndOwnership(t *testing.T) {
	rt, d := testDevice(t)
	buffer, err := d.Object("MTLBuffer")
	require.NoError(t, err)
	at := uintptr(unsafe.Pointer(&slot))

	pool := rt.PushPool()
	d.Expect(Reply{Empty: true, Error: true}, nil)
	assert.Zero(t, send(t, rt, buffer, "newView:error:", "@@:{_NSRange=QQ}^@", 1, 2, at))
	domain, code, text := ErrorOf("newView:error:")
	gotDomain, gotCode, gotText, _, ok := rt.ErrorInfo(objcsoft.ID(slot[0]))
	assert.True(t, ok)
	assert.Equal(t, []any{domain, code, text}, []any{gotDomain, int(gotCode), gotText})

	d.Expect(Reply{Class: "MTLBuffer"}, nil)
	view := objcsoft.ID(send(t, rt, buffer, "newView:error:", "@@:{_NSRange=QQ}^@", 1, 2, at))
	assert.Equal(t, []uintptr{1, 2}, d.Messages()[0].Args[0].Words)
	assert.Equal(t, []objcsoft.ID{view}, d.Messages()[0].Made)
	require.NoError(t, rt.PopPool(pool))
	assert.Equal(t, 1, rt.RetainCount(view), "retained: it outlives the pool")
	require.NoError(t, rt.Release(view))

	class := d.Class("MTLHeapDescriptor")
	d.Expect(Reply{Class: "MTLHeapDescriptor"}, nil)
	pool = rt.PushPool()
	shared := objcsoft.ID(send(t, rt, class.ID(), "shared", "@@:"))
	require.NoError(t, rt.PopPool(pool))
	assert.False(t, rt.IsLive(shared), "not retained: the pool had it")
	fresh := send(t, rt, class.ID(), "alloc", "@@:")
	assert.Equal(t, fresh, send(t, rt, objcsoft.ID(fresh), "initWithSize:", "@@:Q", 8))
	require.NoError(t, rt.Release(objcsoft.ID(fresh)))

	_, err = rt.Message(d.Bare(), "label", "@@:")
	assert.ErrorIs(t, err, objcsoft.ErrUnrecognized)
}

func TestFunctionsAndConstants(t *testing.T) {
	rt, d := testDevice(t)
	var ret [1]uintptr
	require.NoError(t, rt.Function("TestMTLCount").Call([]uintptr{0}, ret[:]))
	assert.Equal(t, Words("MTLCount", 0, typeenc.Type{Kind: typeenc.Uint32, Size: 4})[0], ret[0])
	assert.Equal(t, "MTLCount", d.Messages()[0].Method.Selector)
	id, ok := rt.Constant("TestMTLKey")
	require.True(t, ok)
	s, err := rt.GoString(id)
	require.NoError(t, err)
	assert.Equal(t, ConstantText("MTLKey"), s)
}

func TestWords(t *testing.T) {
	of := func(enc string, variant int) []uintptr {
		typ, err := typeenc.Parse(enc)
		require.NoError(t, err)
		return Words("x", variant, typ)
	}
	assert.Equal(t, []uintptr{1}, of("B", 0))
	assert.Equal(t, []uintptr{0}, of("B", 1))
	assert.Less(t, of("C", 0)[0], uintptr(256))
	assert.Less(t, of("{?=CCCC}", 0)[0], uintptr(1<<32))
	assert.False(t, math.IsNaN(math.Float64frombits(uint64(of("d", 0)[0]))))
	size := of("{?=QQQ}", 0)
	assert.Len(t, size, 3)
	assert.NotEqual(t, size[0], size[1])
	assert.NotEqual(t, of("Q", 0), of("Q", 1))
	short := int64(of("s", 0)[0])
	assert.Equal(t, int64(int16(short)), short, "sign-extended")
	assert.True(t, IsInit("init"))
	assert.True(t, IsInit("initWithSize:"))
	assert.False(t, IsInit("initialCapacity"))
}

// TestBadSpecs: what cannot be registered is an error.
func TestBadSpecs(t *testing.T) {
	for _, spec := range []Spec{
		{Methods: []Method{{Class: "NSObject", Selector: "x", Encoding: "?!"}}},
		{Methods: []Method{{Class: "Nowhere", Selector: "x", Encoding: "v@:"}}},
		{Classes: []Class{{Name: "A", Parent: "B"}, {Name: "B", Parent: "A"}}},
		{Functions: []Function{{Name: "f", Encoding: "!"}}},
	} {
		spec.Prefix, spec.Framework = "Test", "Metal"
		_, err := New(objcsoft.New(), spec)
		assert.Error(t, err)
	}
}

// slot takes what goes out through a pointer; a variable of the package does not move.
var slot [1]uintptr
