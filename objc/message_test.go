package objc

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var testMethods = [...]Method{
	{Class: "NSString", Selector: "length", Encoding: "Q@:"},
	{Class: "NSString", Selector: "noSuchMethod:", Encoding: "v@:Q"},
	{Class: "NSArray", Selector: "firstObject", Encoding: "@@:"},
	{Class: "NSString", Selector: "stringByAppendingString:", Encoding: "@@:@"},
	{Class: "NSNumber", Selector: "numberWithInt:", Encoding: "@@:i", IsClassMethod: true},
	{Class: "NSNumber", Selector: "intValue", Encoding: "i@:"},
	{Class: "NSNumber", Selector: "floatValue", Encoding: "f@:"},
	{Class: "NSString", Selector: "tooNew", Encoding: "v@:", Since: MakeVersion(99, 1)},
}

const (
	tmLength = iota
	tmMissing
	tmFirst
	tmAppend
	tmNumberWithInt
	tmIntValue
	tmFloatValue
	tmTooNew
)

func tm(i int) *Method { return &testMethods[i] }

func TestMessages(t *testing.T) {
	clean(t)
	Pool(func() {
		s := NewString("abc")
		defer Release(s)
		require.Equal(t, uintptr(3), tm(tmLength).Call(s))
		require.Equal(t, "abcabc", tm(tmAppend).CallString(s, uintptr(s)))
		number, err := classNumber.Get()
		require.NoError(t, err)
		minus := int64(-5)
		n := ID(tm(tmNumberWithInt).Call(number, uintptr(minus)))
		require.Equal(t, int64(-5), int64(tm(tmIntValue).Call(n)))
		require.Equal(t, float32(-5), ToF32(tm(tmFloatValue).Call(n)))
		require.Contains(t, ClassOf(n).Name(), "Number")
	})
}

func TestNilReceiver(t *testing.T) {
	clean(t)
	require.Zero(t, tm(tmLength).Call(0))
	require.Equal(t, "", tm(tmAppend).CallString(0, 0))
	ret := [3]uintptr{1, 2, 3}
	fn(fnProcessVersion).CallRet(ret[:], 0)
	require.Zero(t, ret)
	_, err := tm(tmLength).CallError(0)
	require.ErrorIs(t, err, ErrNotObject)
	require.NoError(t, tm(tmTooNew).Check(0))
	Retain(0)
	Release(0)
	Autorelease(0)
	require.Equal(t, "", Description(0))
	require.True(t, ClassOf(0).IsNil())
	require.Equal(t, "", Class{}.Name())
	require.True(t, Class{}.Superclass().IsNil())
	require.True(t, Object{}.IsNil())
	require.False(t, Conforms(0, "NSObject"))
	_, err = Block{}.Call("v@?")
	require.ErrorIs(t, err, ErrNotObject)
}

func TestReleasedReceiver(t *testing.T) {
	clean(t)
	s := NewString("a string that is no tagged pointer")
	Release(s)
	wantFault(t, ErrReleased, func() { require.Zero(t, tm(tmLength).Call(s)) })
	wantFault(t, ErrReleased, func() { Retain(s) })
	wantFault(t, ErrReleased, func() { Release(s) })
	_, err := tm(tmLength).TryCall(s)
	require.ErrorIs(t, err, ErrReleased)

	// As an argument too.
	r := NewString("another string that is no tagged pointer")
	defer Release(r)
	wantFault(t, ErrReleased, func() { tm(tmAppend).Call(r, uintptr(s)) })
}

func TestNilArgument(t *testing.T) {
	clean(t)
	err := tm(tmAppend).NilArgument("string")
	require.ErrorIs(t, err, ErrNotObject)
	require.ErrorContains(t, err, "-[NSString stringByAppendingString:]: string is nil")
	f := wantFault(t, ErrNotObject, func() { tm(tmAppend).ReportNilArgument("string") })
	require.Contains(t, f.Site, "message_test.go:")
}

func TestNoObject(t *testing.T) {
	clean(t)
	for _, id := range []ID{1, 0xdeadbeef, ^ID(0), 0x7fff_0000_1000} {
		wantFault(t, ErrNotObject, func() { tm(tmLength).Call(id) })
		wantFault(t, ErrNotObject, func() { Release(id) })
	}
}

func TestWrongClass(t *testing.T) {
	clean(t)
	s := NewString("abc")
	defer Release(s)
	f := wantFault(t, ErrUnrecognized, func() { tm(tmFirst).Call(s) })
	require.Contains(t, f.Error(), "firstObject]: unrecognized selector")
	require.Contains(t, f.Error(), "message_test.go:")
	f = wantFault(t, ErrUnrecognized, func() { tm(tmMissing).Call(s, 1) })
	require.Contains(t, f.Error(), "noSuchMethod:]")
	// The same method still works for others.
	a := NewStrings([]string{"x"})
	defer Release(a)
	Pool(func() { require.Equal(t, "x", tm(tmFirst).CallString(a)) })
}

func TestWrongArguments(t *testing.T) {
	clean(t)
	s := NewString("abc")
	defer Release(s)
	wantFault(t, ErrArguments, func() { tm(tmLength).Call(s, 1) })
	wantFault(t, ErrArguments, func() { tm(tmAppend).Call(s) })
	bad := Method{Class: "NSString", Selector: "length", Encoding: "Q@"}
	_, err := bad.TryCall(s)
	require.Error(t, err)
}

func TestAvailability(t *testing.T) {
	clean(t)
	s := NewString("abc")
	defer Release(s)
	require.NoError(t, tm(tmLength).Check(s))
	err := tm(tmTooNew).Check(s)
	require.ErrorIs(t, err, ErrUnavailable)
	require.Contains(t, err.Error(), "-[NSString tooNew] needs macOS 99.1")
	have, err := OSVersion()
	require.NoError(t, err)
	if d, _ := CurrentDriver(); d == DriverApple {
		require.GreaterOrEqual(t, have.Major(), 13)
	}
}

func TestClasses(t *testing.T) {
	clean(t)
	_, err := (&ClassRef{Name: "NSNoSuchClass", Framework: "Foundation"}).Get()
	require.EqualError(t, err, "objc: class NSNoSuchClass not found in Foundation.framework")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = (&ClassRef{Name: "NSString", Framework: "NoSuchFramework"}).Get()
	require.ErrorContains(t, err, "NoSuchFramework")
	_, err = LookUpClass("")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = LookUpClass("NS\x00String")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = LookUpProtocol("NSNoSuchProtocol")
	require.ErrorIs(t, err, ErrNotFound)

	c, err := LookUpClass("NSMutableArray")
	require.NoError(t, err)
	require.Equal(t, "NSMutableArray", c.Name())
	require.Equal(t, "NSArray", c.Superclass().Name())
	require.True(t, c.Responds(Selector("count")))
	require.False(t, c.Responds(Selector("noSuchMethod:")))

	a := NewStrings([]string{"x"})
	defer Release(a)
	array, err := LookUpClass("NSArray")
	require.NoError(t, err)
	require.True(t, IsKindOf(a, array))
	require.True(t, Conforms(a, "NSObject"))
	require.False(t, IsKindOf(a, Class{}))

	_, err = (&Function{Name: "NSNoSuchFunction", Framework: "Foundation", Encoding: "v"}).Call()
	require.ErrorIs(t, err, ErrNotFound)
	_, err = (&Constant{Name: "NSNoSuchConstant", Framework: "Foundation"}).String()
	require.ErrorIs(t, err, ErrNotFound)
	key, err := localizedDescriptionKey.String()
	require.NoError(t, err)
	require.Equal(t, "NSLocalizedDescription", key)
}

func TestEqualCopy(t *testing.T) {
	clean(t)
	a, b := NewString("same"), NewString("same")
	defer Release(a)
	defer Release(b)
	require.True(t, Equal(a, b))
	require.False(t, Equal(a, 0))
	require.True(t, Equal(0, 0))
	c := Copy(a)
	require.Equal(t, "same", GoString(c))
	Release(c)
	require.Equal(t, "same", GoString(a))
}

func TestIMP(t *testing.T) {
	clean(t)
	s := NewString("four")
	defer Release(s)
	imp, err := ClassOf(s).Implementation(tm(tmLength))
	require.NoError(t, err)
	n, err := imp.Call(s)
	require.NoError(t, err)
	require.Equal(t, uintptr(4), n)
	a := NewStrings(nil)
	defer Release(a)
	_, err = imp.Call(a)
	require.ErrorIs(t, err, ErrUnrecognized)
	_, err = ClassOf(s).Implementation(tm(tmFirst))
	require.ErrorIs(t, err, ErrUnrecognized)
	_, err = IMP{}.Call(s)
	require.Error(t, err)
}

// Every name here is used for the first time, by 64 goroutines at once.
func TestFirstUse(t *testing.T) {
	clean(t)
	methods := [4]Method{
		{Class: "NSString", Selector: "length", Encoding: "Q@:"},
		{Class: "NSString", Selector: "lengthOfBytesUsingEncoding:", Encoding: "Q@:Q"},
		{Class: "NSString", Selector: "hash", Encoding: "Q@:"},
		{Class: "NSString", Selector: "firstUseOfAMissingMethod", Encoding: "v@:"},
	}
	class := ClassRef{Name: "NSMutableDictionary", Framework: "Foundation"}
	var wg sync.WaitGroup
	errs := make(chan error, 1000)
	for range 64 {
		wg.Go(func() {
			s := NewString("abc")
			defer Release(s)
			if n := methods[0].Call(s); n != 3 {
				errs <- fmt.Errorf("length %d", n)
			}
			if n := methods[1].Call(s, utf8Encoding); n != 3 {
				errs <- fmt.Errorf("bytes %d", n)
			}
			methods[2].Call(s)
			if _, err := methods[3].TryCall(s); err == nil {
				errs <- fmt.Errorf("a missing method answered")
			}
			d, err := class.New()
			if err != nil {
				errs <- err
			}
			Release(d)
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

func TestMessagesDoNotAllocate(t *testing.T) {
	if expensiveChecks {
		t.Skip("builds with checks on note call sites, and pools forget under the race detector")
	}
	clean(t)
	s := NewString("abc")
	defer Release(s)
	v := NewInt(3)
	defer Release(v)
	m, missing := tm(tmLength), tm(tmIntValue)
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Call(s) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { missing.Call(v) }))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		Retain(s)
		Release(s)
	}))
}
