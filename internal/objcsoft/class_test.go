package objcsoft

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClasses(t *testing.T) {
	w := newWorld(t)
	_, err := w.RegisterProtocol("Base")
	require.NoError(t, err)
	_, err = w.RegisterProtocol("Derived", "Base")
	require.NoError(t, err)
	answer := func(n uint64) Imp { return func(c *Call) { c.ReturnUint(n) } }
	a := w.register(ClassSpec{
		Name: "A", Framework: "Test", Protocols: []string{"Derived"},
		Methods:      []MethodSpec{{"one", "Q@:", answer(1)}, {"two", "Q@:", answer(2)}},
		ClassMethods: []MethodSpec{{"make", "Q@:", answer(10)}},
	})
	b := w.register(ClassSpec{
		Name: "B", Super: "A",
		Methods:      []MethodSpec{{"two", "Q@:", answer(22)}},
		ClassMethods: []MethodSpec{{"make", "Q@:", answer(20)}},
	})
	x := w.own(w.NewObject(b, "payload"))
	require.EqualValues(t, 1, w.send(x, "one"))
	require.EqualValues(t, 22, w.send(x, "two"))
	require.EqualValues(t, 10, w.send(a.ID(), "make"))
	require.EqualValues(t, 20, w.send(b.ID(), "make"))

	root := w.class("NSObject")
	require.Equal(t, b.ID(), w.id(x, "class"))
	require.Equal(t, a.ID(), w.id(x, "superclass"))
	require.Equal(t, root, w.id(a.ID(), "superclass"))
	require.Zero(t, w.id(root, "superclass"))
	require.Equal(t, b.ID(), w.id(b.ID(), "class"))
	require.Equal(t, "B", w.text(b.ID(), "description"))
	require.Contains(t, w.text(x, "description"), "<B: 0x5b1")
	require.Equal(t, w.text(x, "description"), w.text(x, "debugDescription"))
	require.Equal(t, "B", w.text(x, "className"))

	yes := func(recv ID, sel string, arg ID) {
		t.Helper()
		require.EqualValues(t, 1, w.send(recv, sel, uintptr(arg)), sel)
	}
	no := func(recv ID, sel string, arg ID) {
		t.Helper()
		require.Zero(t, w.send(recv, sel, uintptr(arg)), sel)
	}
	yes(x, "isKindOfClass:", a.ID())
	yes(x, "isKindOfClass:", root)
	no(x, "isKindOfClass:", w.class("NSString"))
	no(x, "isKindOfClass:", 0)
	no(x, "isKindOfClass:", x)
	yes(x, "isMemberOfClass:", b.ID())
	no(x, "isMemberOfClass:", a.ID())
	yes(b.ID(), "isSubclassOfClass:", a.ID())
	no(a.ID(), "isSubclassOfClass:", b.ID())
	for _, p := range []string{"Base", "Derived", "NSObject"} {
		yes(x, "conformsToProtocol:", w.Protocol(p).ID())
		yes(b.ID(), "conformsToProtocol:", w.Protocol(p).ID())
	}
	no(x, "conformsToProtocol:", w.Protocol("NSCopying").ID())
	no(x, "conformsToProtocol:", 0)
	yes(x, "respondsToSelector:", ID(w.Sel("one")))
	yes(b.ID(), "respondsToSelector:", ID(w.Sel("make")))
	yes(b.ID(), "respondsToSelector:", ID(w.Sel("retain")))
	no(b.ID(), "respondsToSelector:", ID(w.Sel("one")))
	yes(b.ID(), "instancesRespondToSelector:", ID(w.Sel("one")))
	no(x, "respondsToSelector:", ID(w.Sel("three")))
	no(x, "respondsToSelector:", 0)
	no(x, "respondsToSelector:", 1<<40)
	yes(x, "isEqual:", x)
	no(x, "isEqual:", 0)
	require.Equal(t, w.send(x, "hash"), w.send(x, "hash"))
	require.Zero(t, w.send(x, "zone"))
	require.Zero(t, w.send(x, "isProxy"))

	require.True(t, w.RespondsTo(x, w.Sel("one")))
	require.False(t, w.RespondsTo(0, w.Sel("one")))
	require.Equal(t, b, w.ClassOf(x))
	require.True(t, w.ClassOf(b.ID()).Meta)
	require.Equal(t, b.Metaclass(), w.ClassOf(b.ID()))
	require.Equal(t, b, w.ClassFrom(b.ID()))
	require.Nil(t, w.ClassFrom(x))
	require.Nil(t, w.ClassOf(0))
	require.Nil(t, w.Class("C"))
	require.Equal(t, "Derived", w.ProtocolFrom(w.Protocol("Derived").ID()).Name)
	require.Equal(t, []string{"Derived"}, a.Protocols())
	require.Equal(t, "Test", a.Framework)
	require.Equal(t, "Q@:", b.Method(w.Sel("one")).Encoding())
	require.Len(t, b.OwnMethods(), 2)

	require.NoError(t, w.Retain(b.ID()))
	for range 3 {
		require.NoError(t, w.Release(b.ID()), "classes are never freed")
	}
}

func TestExtend(t *testing.T) {
	w := newWorld(t)
	answer := func(n uint64) Imp { return func(c *Call) { c.ReturnUint(n) } }
	w.register(ClassSpec{Name: "A"})
	b := w.register(ClassSpec{Name: "B", Super: "A"})
	x := w.own(w.NewObject(b, nil))
	require.False(t, w.RespondsTo(x, w.Sel("more")))
	require.False(t, w.RespondsTo(b.ID(), w.Sel("rootMore")))
	require.NoError(t, w.Extend("A", []MethodSpec{{"more", "Q@:", answer(5)}}, []MethodSpec{{"classMore", "Q@:", answer(6)}}, "NSCopying"))
	require.EqualValues(t, 5, w.send(x, "more"))
	require.EqualValues(t, 6, w.send(b.ID(), "classMore"))
	require.True(t, b.ConformsTo(w.Protocol("NSCopying")))
	require.NoError(t, w.Extend("NSObject", []MethodSpec{{"rootMore", "Q@:", answer(7)}}, nil))
	require.EqualValues(t, 7, w.send(b.ID(), "rootMore"), "classes answer what NSObject does")

	require.ErrorIs(t, w.Extend("A", []MethodSpec{{"more", "Q@:", answer(8)}}, nil), ErrDuplicate)
	require.ErrorIs(t, w.Extend("C", nil, nil), ErrUnknown)
	require.ErrorIs(t, w.Extend("A", nil, nil, "Nowhere"), ErrUnknown)
	require.EqualValues(t, 5, w.send(x, "more"))
}

func TestRegisterErrors(t *testing.T) {
	w := newWorld(t)
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
		{"method twice", ClassSpec{Name: "X", ClassMethods: []MethodSpec{{"a", "v@:", nothing}, {"a", "v@:", nothing}}}, ErrDuplicate, "method a"},
		{"no code", ClassSpec{Name: "X", Methods: []MethodSpec{{"a", "v@:", nil}}}, nil, "no code"},
	} {
		_, err := w.Register(tc.spec)
		require.ErrorContains(t, err, tc.text, tc.name)
		if tc.is != nil {
			require.ErrorIs(t, err, tc.is, tc.name)
		}
		require.Nil(t, w.Class("X"), tc.name)
	}
	_, err := w.RegisterProtocol("NSCopying")
	require.ErrorIs(t, err, ErrDuplicate)
	_, err = w.RegisterProtocol("P", "Q")
	require.ErrorIs(t, err, ErrUnknown)
	_, err = w.RegisterProtocol("")
	require.Error(t, err)
}

func TestPerform(t *testing.T) {
	w := newWorld(t)
	class := w.register(ClassSpec{Name: "P", Methods: []MethodSpec{
		{"me", "@@:", returnSelf},
		{"echo:", "@@:@", func(c *Call) { c.ReturnID(c.ID(0)) }},
		{"second::", "@@:@@", func(c *Call) { c.ReturnID(c.ID(1)) }},
		{"count", "Q@:", func(c *Call) { c.ReturnUint(3) }},
	}})
	x, y := w.own(w.NewObject(class, nil)), w.own(w.NewObject(class, nil))
	require.Equal(t, x, w.id(x, "performSelector:", uintptr(w.Sel("me"))))
	require.Equal(t, y, w.id(x, "performSelector:withObject:", uintptr(w.Sel("echo:")), uintptr(y)))
	require.Equal(t, y, w.id(x, "performSelector:withObject:withObject:", uintptr(w.Sel("second::")), uintptr(x), uintptr(y)))
	_, err := w.try(x, "performSelector:", uintptr(w.Sel("count")))
	require.ErrorIs(t, err, ErrException)
	_, err = w.try(x, "performSelector:", uintptr(w.Sel("echo:")))
	require.ErrorIs(t, err, ErrException)
	_, err = w.try(x, "performSelector:", uintptr(w.Sel("nope")))
	require.ErrorContains(t, err, "-[P nope]: unrecognized selector")
	_, err = w.try(x, "doesNotRecognizeSelector:", uintptr(w.Sel("nope")))
	require.ErrorContains(t, err, "-[P nope]: unrecognized selector")
	_, err = w.try(x, "copy")
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
