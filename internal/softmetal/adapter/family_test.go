package adapter_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test's framework counts: a factory, which is an immortal object, makes counters from
// descriptors, and a counter adds numbers at once or in the background.
const (
	frameworkName = "Counting"
	errorDomain   = "CTErrorDomain"
	errorLimit    = 3
)

// tables are what a generator of bindings would write.
func tables() *adapter.Tables {
	return &adapter.Tables{Owners: []adapter.Owner{
		{Name: "CTNamed", Protocol: true, Methods: []adapter.Signature{
			{Name: "label", Enc: "@@:"},
			{Name: "setLabel:", Enc: "v@:@"},
		}},
		{Name: "CTCounter", Protocol: true, Above: []string{"CTNamed"}, Methods: []adapter.Signature{
			{Name: "add:", Enc: "v@:Q"},
			{Name: "add:completionHandler:", Enc: "v@:Q@?"},
			{Name: "value", Enc: "Q@:"},
		}},
		{Name: "CTFactory", Protocol: true, Methods: []adapter.Signature{
			{Name: "newCounterWithDescriptor:error:", Enc: "@@:@^@"},
		}},
		{Name: "CTCounterDescriptor", Methods: []adapter.Signature{
			{Name: "label", Enc: "@@:"},
			{Name: "limit", Enc: "Q@:"},
			{Name: "setLabel:", Enc: "v@:@"},
			{Name: "setLimit:", Enc: "v@:Q"},
		}},
	}, Functions: []adapter.Signature{{Name: "CTGetFactory", Enc: "@"}}}
}

// counter is the state of a CTCounter.
type counter struct {
	adapter.Label
	limit uint64

	mu    sync.Mutex
	value uint64
}

func (n *counter) get(c *objcsoft.Call) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c.ReturnUint(n.value)
}

// fits adds a number, and reports false if the sum is above the limit.
func (n *counter) fits(by uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if by > n.limit-n.value {
		return false
	}
	n.value += by
	return true
}

func (n *counter) add(c *objcsoft.Call) {
	if !n.fits(c.Uint(0)) {
		adapter.Misuse(c, "adding %d passes the limit %d", c.Uint(0), n.limit)
	}
}

func (n *counter) addAsync(c *objcsoft.Call) {
	by := c.Uint(0)
	block, ok := adapter.HandlerArg(c, 1)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		if !n.fits(by) {
			adapter.Complete(rt, block, rt.NewError(errorDomain, errorLimit, "past the limit", 0))
			return
		}
		adapter.Complete(rt, block, 0)
	}, block)
}

// factory is the state of the CTFactory.
type factory struct{ framework *adapter.Framework }

func (f *factory) newCounter(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	if r.Uint("limit") == 0 {
		adapter.Refuse(c, 1, errorDomain, errorLimit, "the limit is 0, want at least 1")
		return
	}
	n := &counter{limit: r.Uint("limit")}
	text, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	n.SetText(text)
	c.ReturnID(f.framework.New("PMSoftCounter", n))
}

func factoryClasses() []adapter.Class {
	return []adapter.Class{{Name: "PMSoftFactory", Protocols: []string{"CTFactory"}}}
}

// counterClasses declares the counter and its descriptor, and adds the counter's constructor to the
// factory.
func counterClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "CTCounterDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "limit", Value: 10}, {Name: "label", Copied: true},
		}},
		{Name: "PMSoftFactory", Methods: adapter.Methods{
			"newCounterWithDescriptor:error:": adapter.Method((*factory).newCounter),
		}},
		{Name: "PMSoftCounter", Protocols: []string{"CTCounter"}, Methods: adapter.WithLabel[*counter](adapter.Methods{
			"value":                  adapter.Method((*counter).get),
			"add:":                   adapter.Method((*counter).add),
			"add:completionHandler:": adapter.Method((*counter).addAsync),
		})},
	}
}

// client sends messages as the bindings do.
type client struct {
	t         *testing.T
	rt        *objcsoft.Runtime
	framework *adapter.Framework
}

func newClient(t *testing.T) *client {
	t.Helper()
	rt := objcsoft.New()
	f := adapter.NewFramework(rt, frameworkName, tables())
	f.MakesObject = func(_, sel string) bool { return sel == "newCounterWithDescriptor:error:" }
	require.NoError(t, rt.RegisterFramework(frameworkName, func(rt *objcsoft.Runtime) error {
		require.NoError(t, f.RegisterProtocols())
		require.NoError(t, f.RegisterClasses(factoryClasses(), counterClasses()))
		made := rt.NewImmortal(rt.Class("PMSoftFactory"), &factory{framework: f})
		return f.RegisterFunction("CTGetFactory", func(_, ret []uintptr) { ret[0] = uintptr(made) })
	}))
	require.NoError(t, rt.LoadFramework(frameworkName))
	return &client{t: t, rt: rt, framework: f}
}

func (k *client) try(recv objcsoft.ID, sel string, args ...uintptr) (uintptr, error) {
	m := k.rt.ClassOf(recv).Method(k.rt.Sel(sel))
	require.NotNil(k.t, m, sel)
	var ret [1]uintptr
	err := k.rt.Send(recv, m.Sel, m.Enc, args, ret[:])
	return ret[0], err
}

func (k *client) send(recv objcsoft.ID, sel string, args ...uintptr) uintptr {
	k.t.Helper()
	ret, err := k.try(recv, sel, args...)
	require.NoError(k.t, err)
	return ret
}

// text returns a label.
func (k *client) text(recv objcsoft.ID) string {
	k.t.Helper()
	pool := k.rt.PushPool()
	text, err := k.rt.GoString(objcsoft.ID(k.send(recv, "label")))
	require.NoError(k.t, err)
	require.NoError(k.t, k.rt.PopPool(pool))
	return text
}

// factory calls the C function.
func (k *client) factory() objcsoft.ID {
	k.t.Helper()
	var ret [1]uintptr
	require.NoError(k.t, k.rt.Function("CTGetFactory").Call(nil, ret[:]))
	return objcsoft.ID(ret[0])
}

// counter makes a counter with a limit and a label.
func (k *client) counter(limit uintptr, label string) objcsoft.ID {
	k.t.Helper()
	d, text := adapter.NewInstance(k.rt, "CTCounterDescriptor"), k.rt.NewString(label)
	k.send(d, "setLimit:", limit)
	k.send(d, "setLabel:", uintptr(text))
	id := objcsoft.ID(k.send(k.factory(), "newCounterWithDescriptor:error:", uintptr(d), 0))
	k.release(d, text)
	return id
}

func (k *client) release(ids ...objcsoft.ID) {
	k.t.Helper()
	for _, id := range ids {
		require.NoError(k.t, k.rt.Release(id))
	}
}

func TestFamilyDescriptor(t *testing.T) {
	k := newClient(t)
	d := adapter.NewInstance(k.rt, "CTCounterDescriptor")
	assert.EqualValues(t, 10, k.send(d, "limit"), "the default")
	k.send(d, "setLimit:", 7)
	twin := objcsoft.ID(k.send(d, "copy"))
	k.send(d, "setLimit:", 8)
	assert.EqualValues(t, 7, k.send(twin, "limit"), "a copy keeps its values")
	assert.EqualValues(t, 8, k.send(d, "limit"))
	k.release(d, twin)
	assert.Empty(t, k.rt.Leaks())
}

func TestFamilyState(t *testing.T) {
	k := newClient(t)
	id := k.counter(5, "apples")
	k.send(id, "add:", 2)
	k.send(id, "add:", 3)
	assert.EqualValues(t, 5, k.send(id, "value"))
	_, err := k.try(id, "add:", 1)
	assert.ErrorIs(t, err, objcsoft.ErrException)
	assert.ErrorContains(t, err, "adding 1 passes the limit 5")
	assert.EqualValues(t, 5, k.send(id, "value"), "a call that fails changes nothing")

	assert.Equal(t, "apples", k.text(id))
	name := k.rt.NewString("pears")
	k.send(id, "setLabel:", uintptr(name))
	assert.Equal(t, "pears", k.text(id))
	assert.True(t, k.rt.ClassOf(id).ConformsTo(k.rt.Protocol("CTNamed")))
	k.release(id, name)
	assert.Empty(t, k.rt.Leaks())
}

func TestFamilyRefuses(t *testing.T) {
	k := newClient(t)
	pool := k.rt.PushPool()
	d := adapter.NewInstance(k.rt, "CTCounterDescriptor")
	k.send(d, "setLimit:", 0)
	out := new(objcsoft.ID)
	p := reflect.ValueOf(out).Pointer()
	assert.Zero(t, k.send(k.factory(), "newCounterWithDescriptor:error:", uintptr(d), p))
	domain, code, text, _, ok := k.rt.ErrorInfo(*out)
	require.True(t, ok)
	assert.Equal(t, errorDomain, domain)
	assert.EqualValues(t, errorLimit, code)
	assert.Equal(t, "the limit is 0, want at least 1", text)

	_, err := k.try(k.factory(), "newCounterWithDescriptor:error:", 0, p)
	assert.ErrorContains(t, err, "the descriptor is nil")
	_, err = k.try(k.factory(), "newCounterWithDescriptor:error:", uintptr(k.factory()), p)
	assert.ErrorContains(t, err, "argument 0 is a PMSoftFactory")
	k.release(d)
	require.NoError(t, k.rt.PopPool(pool))
	assert.Empty(t, k.rt.Leaks())
}

func TestFamilyCompletion(t *testing.T) {
	k := newClient(t)
	id := k.counter(5, "")
	codes := make(chan int64, 1)
	block, err := k.rt.NewBlock("v@?@", func(args []uintptr) uintptr {
		code := int64(0)
		if args[0] != 0 {
			_, code, _, _, _ = k.rt.ErrorInfo(objcsoft.ID(args[0]))
		}
		codes <- code
		return 0
	})
	require.NoError(t, err)
	k.send(id, "add:completionHandler:", 4, uintptr(block))
	assert.Zero(t, <-codes)
	assert.EqualValues(t, 4, k.send(id, "value"))
	k.send(id, "add:completionHandler:", 4, uintptr(block))
	assert.EqualValues(t, errorLimit, <-codes)
	assert.EqualValues(t, 4, k.send(id, "value"))
	_, err = k.try(id, "add:completionHandler:", 1, 0)
	assert.ErrorContains(t, err, "the completion handler is nil")
	k.release(id, block)
}

func TestFamilyFaults(t *testing.T) {
	k := newClient(t)
	k.framework.Faults.FailEvery(2)
	first, second := k.counter(1, ""), k.counter(1, "")
	assert.NotZero(t, first)
	assert.Zero(t, second, "every second object is nil")
	assert.Equal(t, 2, k.framework.Faults.Attempts())
	k.release(first)
	assert.Empty(t, k.rt.Leaks())
}

func TestFamilyUnbound(t *testing.T) {
	nothing := func(*objcsoft.Call) {}
	f := adapter.NewFramework(objcsoft.New(), frameworkName, tables())
	require.NoError(t, f.RegisterProtocols())
	err := f.RegisterClasses([]adapter.Class{
		{Name: "PMSoftCounter", Protocols: []string{"CTCounter"}, Methods: adapter.Methods{"subtract:": nothing}},
	})
	assert.ErrorContains(t, err, "-[PMSoftCounter subtract:]: no binding sends this selector")
	assert.ErrorContains(t, f.RegisterFunction("CTCount", nil), "CTCount: no binding calls this function")
}
