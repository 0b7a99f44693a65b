package objcsoft

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (h *harness) register(spec ClassSpec) *Class {
	h.t.Helper()
	c, err := h.Register(spec)
	require.NoError(h.t, err)
	return c
}

func TestWords(t *testing.T) {
	h := newHarness(t)
	var got []uintptr
	class := h.register(ClassSpec{Name: "Words", Methods: []MethodSpec{
		{"take:a:b:c:d:e:", "v@:cSBf{?=QQQ}d", func(c *Call) {
			got = append(got[:0], c.Args...)
			assert.Equal(t, int64(-1), c.Int(0))
			assert.Equal(t, uint64(0xffff), c.Uint(1))
			assert.True(t, c.Bool(2))
			assert.Equal(t, float32(1.5), c.F32(3))
			assert.Equal(t, []uintptr{1, 2, 3}, c.Words(4))
			assert.Equal(t, 2.25, c.F64(5))
			assert.Equal(t, "Words", c.Self.Class().Name)
			assert.Equal(t, "take:a:b:c:d:e:", h.SelName(c.Sel))
		}},
		{"char", "c@:", func(c *Call) { c.Return(0x1ff) }},
		{"uchar", "C@:", func(c *Call) { c.Return(0x1ff) }},
		{"short", "s@:", func(c *Call) { c.ReturnInt(-2) }},
		{"ushort", "S@:", func(c *Call) { c.ReturnInt(-2) }},
		{"int", "i@:", func(c *Call) { c.Return(0xffffffff) }},
		{"uint", "I@:", func(c *Call) { c.ReturnInt(-1) }},
		{"bool", "B@:", func(c *Call) { c.Return(0x80) }},
		{"notBool", "B@:", func(c *Call) { c.Return(0x100) }},
		{"float", "f@:", func(c *Call) { c.ReturnF32(-1) }},
		{"double", "d@:", func(c *Call) { c.ReturnF64(-1) }},
		{"region", "{?={?=QQQ}{?=QQQ}}@:", func(c *Call) { c.ReturnWords(1, 2, 3, 4, 5, 6) }},
		{"part", "{?=QQQ}@:", func(c *Call) { c.ReturnWords(9) }},
		{"void", "v@:", func(c *Call) { c.Return(77) }},
		{"word", "Q@:", func(*Call) {}},
		{"tooMany", "{_NSRange=QQ}@:", func(c *Call) { c.ReturnWords(1, 2, 3) }},
	}})
	o := h.own(h.NewObject(class, nil))
	f := uintptr(math.Float32bits(1.5)) | 0xabcd<<32
	h.send(o, "take:a:b:c:d:e:", 0xff, 0xaffff, 0x2, f, 1, 2, 3, uintptr(math.Float64bits(2.25)))
	require.Equal(t, uintptr(math.MaxUint64), got[0], "char is sign-extended")
	require.Equal(t, uintptr(math.Float32bits(1.5)), got[3], "float is zero-extended")

	for sel, want := range map[string]uintptr{
		"char": math.MaxUint64, "uchar": 0xff, "short": math.MaxUint64 - 1, "ushort": 0xfffe, "int": math.MaxUint64,
		"uint": 0xffffffff, "bool": 1, "notBool": 0, "float": uintptr(math.Float32bits(-1)),
		"double": uintptr(math.Float64bits(-1)),
		"void":   0, "word": 0, // what another message left is not seen
	} {
		ret := []uintptr{55, 55}
		enc, err := h.Encoding(h.encodingOf(o, sel))
		require.NoError(t, err)
		require.NoError(t, h.Send(o, h.Sel(sel), enc, nil, ret))
		if sel == "void" {
			require.NoError(t, h.Send(o, h.Sel("word"), benchEnc(t, h.Runtime, "Q@:"), nil, ret))
		}
		require.Equal(t, []uintptr{want, 0}, ret, sel)
	}
	ret, err := h.try(o, "region")
	require.NoError(t, err)
	require.Equal(t, []uintptr{1, 2, 3, 4, 5, 6, 0}, ret[:7])
	ret, err = h.try(o, "part")
	require.NoError(t, err)
	require.Equal(t, []uintptr{9, 0, 0}, ret[:3], "words of the region before are gone")
	short := make([]uintptr, 2)
	require.NoError(t, h.Send(o, h.Sel("region"), benchEnc(t, h.Runtime, "{?={?=QQQ}{?=QQQ}}@:"), nil, short))
	require.Equal(t, []uintptr{1, 2}, short)
	_, err = h.try(o, "tooMany")
	require.ErrorIs(t, err, ErrEncoding)
}

func TestManyWords(t *testing.T) {
	h := newHarness(t)
	n := callWords + 8
	class := h.register(ClassSpec{Name: "Many", Methods: []MethodSpec{
		{strings.Repeat("a:", n), "Q@:" + strings.Repeat("Q", n), func(c *Call) {
			var sum uint64
			for i := range n {
				sum += c.Uint(i)
			}
			c.ReturnUint(sum)
		}},
	}})
	args := make([]uintptr, n)
	for i := range args {
		args[i] = uintptr(i)
	}
	require.EqualValues(t, n*(n-1)/2, h.send(h.own(h.NewObject(class, nil)), strings.Repeat("a:", n), args...))
}

func TestFaults(t *testing.T) {
	h := newHarness(t)
	class := h.register(ClassSpec{
		Name: "MTLFoo",
		Methods: []MethodSpec{
			{"boom", "Q@:", func(c *Call) { c.Return(3); panic("kaboom") }},
			{"null", "Q@:", func(*Call) { var p *Object; p.Payload = 1 }},
			{"bad", "Q@:Q", func(c *Call) { c.Return(3); c.Raise(rangeException, "index %d, count 2", c.Uint(0)) }},
			{"inner", "v@:", func(c *Call) { c.forward(c.Self.ID(), "boom", "Q@:") }},
			{"nope", "v@:", func(c *Call) { c.forward(c.Self.ID(), "missing", "v@:") }},
			{"arg:", "v@:@", func(c *Call) { c.Object(0) }},
		},
	})
	o := h.own(h.NewObject(class, nil))
	gone := h.NewObject(class, nil)
	require.NoError(t, h.Release(gone))
	word := benchEnc(t, h.Runtime, "Q@:")
	for _, tc := range []struct {
		name string
		recv ID
		sel  string
		enc  string
		args []uintptr
		is   error
		text string
	}{
		{"unknown selector", o, "bar:", "Q@:", nil, ErrUnrecognized,
			"-[MTLFoo bar:]: unrecognized selector (sent at objcsoft/send_test.go:"},
		{"unknown class method", class.ID(), "bar:", "Q@:", nil, ErrUnrecognized,
			"+[MTLFoo bar:]: unrecognized selector (sent at objcsoft/send_test.go:"},
		{"instance method of a class", class.ID(), "boom", "Q@:", nil, ErrUnrecognized,
			"+[MTLFoo boom]: unrecognized selector"},
		{"selector 0", o, "", "Q@:", nil, ErrUnrecognized, "-[MTLFoo ]: unrecognized selector"},
		{"encoding", o, "bad", "q@:Q", []uintptr{1}, ErrEncoding,
			`-[MTLFoo bad]: type encoding differs: called as "q@:Q", method is "Q@:Q"`},
		{"too few words", o, "bad", "Q@:Q", nil, ErrEncoding, `0 words of arguments, "Q@:Q" takes 1`},
		{"too many words", o, "bad", "Q@:Q", []uintptr{1, 2}, ErrEncoding, `2 words of arguments`},
		{"panic", o, "boom", "Q@:", nil, ErrPanic, "-[MTLFoo boom]: panic: kaboom"},
		{"nil dereference", o, "null", "Q@:", nil, ErrPanic, "nil pointer"},
		{"exception", o, "bad", "Q@:Q", []uintptr{7}, ErrException, "-[MTLFoo bad]: NSRangeException: index 7, count 2"},
		{"panic inside", o, "inner", "v@:", nil, ErrPanic, "-[MTLFoo boom]: panic: kaboom"},
		{"unknown inside", o, "nope", "v@:", nil, ErrUnrecognized, "-[MTLFoo missing]: unrecognized selector"},
		{"released", gone, "boom", "Q@:", nil, ErrReleased, "-[MTLFoo boom]: object is released: 0x5b1"},
		{"no handle", 0x1234, "boom", "Q@:", nil, ErrNotObject, "boom: not an object: 0x1234"},
		{"handle never made", makeID(99999, 1), "boom", "Q@:", nil, ErrNotObject, "not an object"},
		{"released argument", o, "arg:", "v@:@", []uintptr{uintptr(gone)}, ErrReleased, "object is released"},
		{"no object as argument", o, "arg:", "v@:@", []uintptr{12}, ErrNotObject, "not an object: 0xc"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ret := []uintptr{9, 9}
			enc, err := h.Encoding(tc.enc)
			require.NoError(t, err)
			err = h.Send(tc.recv, h.Sel(tc.sel), enc, tc.args, ret)
			require.ErrorIs(t, err, tc.is)
			require.ErrorContains(t, err, tc.text)
			require.Equal(t, []uintptr{0, 0}, ret)
			var m *MessageError
			require.ErrorAs(t, err, &m)
			require.Contains(t, m.Site, "send_test.go:")
		})
	}

	ret := []uintptr{9, 9}
	require.NoError(t, h.Send(0, h.Sel("boom"), word, nil, ret), "nil receiver")
	require.Equal(t, []uintptr{0, 0}, ret)

	var p *PanicError
	_, err := h.try(o, "boom")
	require.ErrorAs(t, err, &p)
	require.Equal(t, "kaboom", p.Value)
	require.Contains(t, string(p.Stack), "TestFaults")
}

// TestFailedInit: an init method takes the reference of its receiver, also one that fails and
// returns nil; so do an init method and the one that it calls, together.
func TestFailedInit(t *testing.T) {
	h := newHarness(t)
	var freed int
	class := h.register(ClassSpec{Name: "Foo", Dealloc: func(*Object) { freed++ }, Methods: []MethodSpec{
		{"initBadly", "@@:", func(c *Call) { c.Fail(errors.New("cause")) }},
		{"initOuter", "@@:", func(c *Call) { c.forward(c.Self.ID(), "initBadly", "@@:") }},
		{"initPanic", "@@:", func(c *Call) { panic("cause") }},
		{"initially", "@@:", func(c *Call) { c.Fail(errors.New("cause")) }},
	}})
	for i, sel := range []string{"initBadly", "initOuter", "initPanic"} {
		_, err := h.try(h.NewObject(class, nil), sel)
		require.ErrorContains(t, err, "cause")
		require.Equal(t, i+1, freed, sel)
		require.Zero(t, h.Live("Foo"), sel)
	}
	_, err := h.try(h.own(h.NewObject(class, nil)), "initially")
	require.Error(t, err)
	require.Equal(t, 1, h.Live("Foo"), "not an init method")
}

func TestPanicWithError(t *testing.T) {
	h := newHarness(t)
	cause := errors.New("cause")
	class := h.register(ClassSpec{Name: "Foo", Methods: []MethodSpec{{"boom", "v@:", func(*Call) { panic(cause) }}}})
	_, err := h.try(h.own(h.NewObject(class, nil)), "boom")
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, ErrPanic)
}

func TestReleasedHandleOfReusedSlot(t *testing.T) {
	h := newHarness(t)
	class := h.Class("NSObject")
	a := h.NewObject(class, nil)
	require.NoError(t, h.Release(a))
	b := h.own(h.NewObject(class, nil))
	require.Equal(t, a.index(), b.index(), "the slot is used again")
	require.NotEqual(t, a, b)
	require.ErrorIs(t, h.Retain(a), ErrReleased)
	require.ErrorIs(t, h.Release(a), ErrReleased)
	require.ErrorIs(t, h.Autorelease(a), ErrReleased)
	_, err := h.Object(a)
	require.ErrorIs(t, err, ErrReleased)
	require.Equal(t, 1, h.RetainCount(b))
}

func TestSlotIsRetired(t *testing.T) {
	h := newHarness(t)
	class := h.Class("NSObject")
	a := h.NewObject(class, nil)
	h.table.chunks[a.index()>>chunkBits].Load().generations[a.index()%chunkSize] = maxGeneration - 1
	require.NoError(t, h.Release(a))
	b := h.NewObject(class, nil)
	require.Equal(t, a.index(), b.index())
	require.EqualValues(t, maxGeneration, b.generation())
	require.NoError(t, h.Release(b))
	require.NotEqual(t, b.index(), h.own(h.NewObject(class, nil)).index(), "its generations are spent")
}

func TestIDIsNoAddress(t *testing.T) {
	for _, id := range []ID{makeID(0, 0), makeID(maxIndex, maxGeneration), makeID(1, 1)} {
		top := uint64(id) >> 47
		require.NotZero(t, top, "not a user address")
		require.NotEqual(t, uint64(1<<17-1), top, "not a kernel address")
		require.NotZero(t, uint64(id)<<8>>8>>48, "nor one where the top byte is ignored")
		require.True(t, id.IsHandle())
	}
	require.False(t, ID(0).IsHandle())
	require.Equal(t, uint32(5), makeID(5, 7).index())
	require.Equal(t, uint32(7), makeID(5, 7).generation())
}

func TestEncodingErrors(t *testing.T) {
	h := newHarness(t)
	for _, enc := range []string{"", "v", "v@", "v@:{", "{a=[17Q]}@:"} {
		_, err := h.Encoding(enc)
		require.Error(t, err, "%q", enc)
	}
	a, b := benchEnc(t, h.Runtime, "v@:@"), benchEnc(t, h.Runtime, "v@:@")
	require.Equal(t, a, b)
	require.Equal(t, "v@:@", h.EncodingText(a))
	require.Empty(t, h.EncodingText(0))
	require.Empty(t, h.EncodingText(1<<30))
	require.Empty(t, h.SelName(1<<30))
	require.Zero(t, h.Sel(""))
}

func TestStackIsNotOverrun(t *testing.T) {
	h := newHarness(t)
	t.Run("a list that contains itself", func(t *testing.T) {
		a := ID(h.send(h.class("NSMutableArray"), "new"))
		b := ID(h.send(h.class("NSMutableArray"), "new"))
		h.send(a, "addObject:", uintptr(a))
		h.send(a, "addObject:", uintptr(a))
		h.send(b, "addObject:", uintptr(b))
		_, err := h.try(a, "description")
		require.ErrorIs(t, err, ErrDepth)
		_, err = h.try(a, "isEqual:", uintptr(b))
		require.NoError(t, err, "of different length")
		h.send(b, "addObject:", uintptr(b))
		_, err = h.try(a, "isEqual:", uintptr(b))
		require.ErrorIs(t, err, ErrDepth)
		h.send(a, "removeAllObjects")
		h.send(b, "removeAllObjects")
		require.NoError(t, h.Release(a))
		require.NoError(t, h.Release(b))
	})
	t.Run("a block that calls itself", func(t *testing.T) {
		var id ID
		var last error
		id, err := h.NewBlock("v@?", func([]uintptr) uintptr {
			if _, err := h.InvokeBlock(id, nil); err != nil {
				last = err
			}
			return 0
		})
		require.NoError(t, err)
		_, err = h.InvokeBlock(id, nil)
		require.NoError(t, err)
		require.ErrorIs(t, last, ErrDepth)
		require.NoError(t, h.Release(id))
	})
	t.Run("a chain of owners", func(t *testing.T) {
		h.TrackSites(false)
		var head ID
		for range 200_000 {
			next, err := h.NewArray(append([]ID(nil), nonzero(head)...))
			require.NoError(t, err)
			if head != 0 {
				require.NoError(t, h.Release(head))
			}
			head = next
		}
		require.NoError(t, h.Release(head))
		require.Zero(t, h.Live("NSArray"))
	})
}

func nonzero(id ID) []ID {
	if id == 0 {
		return nil
	}
	return []ID{id}
}

func ExampleRuntime_Send() {
	rt := New()
	s := rt.NewString("hello")
	enc, err := rt.Encoding("Q@:")
	if err != nil {
		panic(err)
	}
	var ret [1]uintptr
	fmt.Println(rt.Send(s, rt.Sel("length"), enc, nil, ret[:]), ret[0])
	// Output: <nil> 5
}
