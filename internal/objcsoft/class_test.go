package objcsoft

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClasses(t *testing.T) {
	h := newHarness(t)
	_, err := h.RegisterProtocol("Base")
	require.NoError(t, err)
	_, err = h.RegisterProtocol("Derived", "Base")
	require.NoError(t, err)
	answer := func(n uint64) Imp { return func(c *Call) { c.ReturnUint(n) } }
	a := h.register(ClassSpec{
		Name: "A", Framework: "Test", Protocols: []string{"Derived"},
		Methods:      []MethodSpec{{"one", "Q@:", answer(1)}, {"two", "Q@:", answer(2)}},
		ClassMethods: []MethodSpec{{"make", "Q@:", answer(10)}},
	})
	b := h.register(ClassSpec{
		Name: "B", Super: "A",
		Methods:      []MethodSpec{{"two", "Q@:", answer(22)}},
		ClassMethods: []MethodSpec{{"make", "Q@:", answer(20)}},
	})
	x := h.own(h.NewObject(b, "payload"))
	require.EqualValues(t, 1, h.send(x, "one"))
	require.EqualValues(t, 22, h.send(x, "two"))
	require.EqualValues(t, 10, h.send(a.ID(), "make"))
	require.EqualValues(t, 20, h.send(b.ID(), "make"))

	root := h.class("NSObject")
	require.Equal(t, b.ID(), h.id(x, "class"))
	require.Equal(t, a.ID(), h.id(x, "superclass"))
	require.Equal(t, root, h.id(a.ID(), "superclass"))
	require.Zero(t, h.id(root, "superclass"))
	require.Equal(t, b.ID(), h.id(b.ID(), "class"))
	require.Equal(t, "B", h.text(b.ID(), "description"))
	require.Contains(t, h.text(x, "description"), "<B: 0x5b1")
	require.Equal(t, h.text(x, "description"), h.text(x, "debugDescription"))
	require.Equal(t, "B", h.text(x, "className"))

	yes := func(recv ID, sel string, arg ID) {
		t.Helper()
		require.EqualValues(t, 1, h.send(recv, sel, uintptr(arg)), sel)
	}
	no := func(recv ID, sel string, arg ID) {
		t.Helper()
		require.Zero(t, h.send(recv, sel, uintptr(arg)), sel)
	}
	yes(x, "isKindOfClass:", a.ID())
	yes(x, "isKindOfClass:", root)
	no(x, "isKindOfClass:", h.class("NSString"))
	no(x, "isKindOfClass:", 0)
	no(x, "isKindOfClass:", x)
	yes(x, "isMemberOfClass:", b.ID())
	no(x, "isMemberOfClass:", a.ID())
	yes(b.ID(), "isSubclassOfClass:", a.ID())
	no(a.ID(), "isSubclassOfClass:", b.ID())
	for _, p := range []string{"Base", "Derived", "NSObject"} {
		yes(x, "conformsToProtocol:", h.Protocol(p).ID())
		yes(b.ID(), "conformsToProtocol:", h.Protocol(p).ID())
	}
	no(x, "conformsToProtocol:", h.Protocol("NSCopying").ID())
	no(x, "conformsToProtocol:", 0)
	yes(x, "respondsToSelector:", ID(h.Sel("one")))
	yes(b.ID(), "respondsToSelector:", ID(h.Sel("make")))
	yes(b.ID(), "respondsToSelector:", ID(h.Sel("retain")))
	no(b.ID(), "respondsToSelector:", ID(h.Sel("one")))
	yes(b.ID(), "instancesRespondToSelector:", ID(h.Sel("one")))
	no(x, "respondsToSelector:", ID(h.Sel("three")))
	no(x, "respondsToSelector:", 0)
	no(x, "respondsToSelector:", 1<<40)
	yes(x, "isEqual:", x)
	no(x, "isEqual:", 0)
	require.Equal(t, h.send(x, "hash"), h.send(x, "hash"))
	require.Zero(t, h.send(x, "zone"))
	require.Zero(t, h.send(x, "isProxy"))

	require.True(t, h.RespondsTo(x, h.Sel("one")))
	require.False(t, h.RespondsTo(0, h.Sel("one")))
	require.Equal(t, b, h.ClassOf(x))
	require.True(t, h.ClassOf(b.ID()).Meta)
	require.Equal(t, b.Metaclass(), h.ClassOf(b.ID()))
	require.Equal(t, b, h.ClassFrom(b.ID()))
	require.Nil(t, h.ClassFrom(x))
	require.Nil(t, h.ClassOf(0))
	require.Nil(t, h.Class("C"))
	require.Equal(t, "Derived", h.ProtocolFrom(h.Protocol("Derived").ID()).Name)
	require.Equal(t, []string{"Derived"}, a.Protocols())
	require.Equal(t, "Test", a.Framework)
	require.Equal(t, "Q@:", b.Method(h.Sel("one")).Encoding())
	require.Len(t, b.OwnMethods(), 2)

	require.NoError(t, h.Retain(b.ID()))
	for range 3 {
		require.NoError(t, h.Release(b.ID()), "classes are never freed")
	}
}

func TestExtend(t *testing.T) {
	h := newHarness(t)
	answer := func(n uint64) Imp { return func(c *Call) { c.ReturnUint(n) } }
	h.register(ClassSpec{Name: "A"})
	b := h.register(ClassSpec{Name: "B", Super: "A"})
	x := h.own(h.NewObject(b, nil))
	require.False(t, h.RespondsTo(x, h.Sel("more")))
	require.False(t, h.RespondsTo(b.ID(), h.Sel("rootMore")))
	require.NoError(t, h.Extend("A", []MethodSpec{{"more", "Q@:", answer(5)}},
		[]MethodSpec{{"classMore", "Q@:", answer(6)}}, "NSCopying"))
	require.EqualValues(t, 5, h.send(x, "more"))
	require.EqualValues(t, 6, h.send(b.ID(), "classMore"))
	require.True(t, b.ConformsTo(h.Protocol("NSCopying")))
	require.NoError(t, h.Extend("NSObject", []MethodSpec{{"rootMore", "Q@:", answer(7)}}, nil))
	require.EqualValues(t, 7, h.send(b.ID(), "rootMore"), "classes answer what NSObject does")

	require.ErrorIs(t, h.Extend("A", []MethodSpec{{"more", "Q@:", answer(8)}}, nil), ErrDuplicate)
	require.ErrorIs(t, h.Extend("C", nil, nil), ErrUnknown)
	require.ErrorIs(t, h.Extend("A", nil, nil, "Nowhere"), ErrUnknown)
	require.EqualValues(t, 5, h.send(x, "more"))
}

func TestRegisterErrors(t *testing.T) {
	h := newHarness(t)
	nothing := func(*Call) {}
	for _, tc := range []struct {
		name string
		spec ClassSpec
		is   error
		text string
	}{
		{"no name", ClassSpec{}, nil, "without a name"},
		{"twice", ClassSpec{Name: "NSString"}, ErrDuplicate, "class NSString"},
		{"superclass", ClassSpec{Name: "X", Super: "Y"}, ErrUnknown, "class X: superclass Y: not found"},
		{"protocol", ClassSpec{Name: "X", Protocols: []string{"Y"}}, ErrUnknown, "class X: protocol Y: not found"},
		{"encoding", ClassSpec{Name: "X", Methods: []MethodSpec{{"a", "v@", nothing}}}, nil, "method a"},
		{"method twice", ClassSpec{Name: "X", ClassMethods: []MethodSpec{{"a", "v@:", nothing}, {"a", "v@:", nothing}}},
			ErrDuplicate, "method a"},
		{"no code", ClassSpec{Name: "X", Methods: []MethodSpec{{"a", "v@:", nil}}}, nil, "no code"},
	} {
		_, err := h.Register(tc.spec)
		require.ErrorContains(t, err, tc.text, tc.name)
		if tc.is != nil {
			require.ErrorIs(t, err, tc.is, tc.name)
		}
		require.Nil(t, h.Class("X"), tc.name)
	}
	_, err := h.RegisterProtocol("NSCopying")
	require.ErrorIs(t, err, ErrDuplicate)
	_, err = h.RegisterProtocol("P", "Q")
	require.ErrorIs(t, err, ErrUnknown)
	_, err = h.RegisterProtocol("")
	require.Error(t, err)
}

func TestPerform(t *testing.T) {
	h := newHarness(t)
	class := h.register(ClassSpec{Name: "P", Methods: []MethodSpec{
		{"me", "@@:", returnSelf},
		{"echo:", "@@:@", func(c *Call) { c.ReturnID(c.ID(0)) }},
		{"second::", "@@:@@", func(c *Call) { c.ReturnID(c.ID(1)) }},
		{"count", "Q@:", func(c *Call) { c.ReturnUint(3) }},
	}})
	x, y := h.own(h.NewObject(class, nil)), h.own(h.NewObject(class, nil))
	require.Equal(t, x, h.id(x, "performSelector:", uintptr(h.Sel("me"))))
	require.Equal(t, y, h.id(x, "performSelector:withObject:", uintptr(h.Sel("echo:")), uintptr(y)))
	require.Equal(t, y, h.id(x, "performSelector:withObject:withObject:", uintptr(h.Sel("second::")), uintptr(x),
		uintptr(y)))
	_, err := h.try(x, "performSelector:", uintptr(h.Sel("count")))
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(x, "performSelector:", uintptr(h.Sel("echo:")))
	require.ErrorIs(t, err, ErrException)
	_, err = h.try(x, "performSelector:", uintptr(h.Sel("nope")))
	require.ErrorContains(t, err, "-[P nope]: unrecognized selector")
	_, err = h.try(x, "doesNotRecognizeSelector:", uintptr(h.Sel("nope")))
	require.ErrorContains(t, err, "-[P nope]: unrecognized selector")
	_, err = h.try(x, "copy")
	require.ErrorContains(t, err, "-[P copyWithZone:]: unrecognized selector")
}

// TestFirstUse lets goroutines meet at everything that is built when it is
// first needed.
func TestFirstUse(t *testing.T) {
	for range 20 {
		w := New()
		loads := 0
		require.NoError(t, w.RegisterFramework("Lib", func(rt *Runtime) error {
			loads++ // the race detector would see two
			_, err := rt.Register(ClassSpec{Name: "Late", Methods: []MethodSpec{
				{"answer", "Q@:", func(c *Call) { c.ReturnUint(42) }},
			}})
			return err
		}))
		start := make(chan struct{})
		var wg sync.WaitGroup
		errs := make(chan error, 64)
		for i := range 64 {
			wg.Go(func() {
				<-start
				errs <- func() error {
					if err := w.LoadFramework("Lib"); err != nil {
						return err
					}
					token := w.PushPool()
					id, err := w.Message(w.Class("Late").ID(), "new", "@@:")
					if err != nil {
						return err
					}
					n, err := w.Message(ID(id), "answer", "Q@:")
					if err != nil || n != 42 {
						return fmt.Errorf("%d %w", n, err)
					}
					name := fmt.Sprint("sel", i%4)
					if sel := w.Sel(name); w.SelName(sel) != name || sel != w.Sel(name) {
						return fmt.Errorf("selector %s is %d", name, sel)
					}
					if _, err := w.Encoding(fmt.Sprintf("v@:[%dQ]", i%4+1)); err != nil {
						return err
					}
					if err := w.Release(ID(id)); err != nil {
						return err
					}
					return w.PopPool(token)
				}()
			})
		}
		close(start)
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		require.Equal(t, 1, loads)
		require.Zero(t, w.LiveTotal())
	}
}
