package softgraph

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
)

// compilationDescriptor is the payload of an MPSGraphCompilationDescriptor. Optimization levels,
// profiles, reduced precision and a change of the layout are permissions: the software device
// computes everything itself, in the precision of the types, and takes tensors in any layout.
type compilationDescriptor struct {
	mu      sync.Mutex
	numbers map[string]uint64
	later   bool        // compile at the first run
	objects objectTable // by property, retained
}

type objectTable map[string]objcsoft.ID

func (t objectTable) list() (ids []objcsoft.ID) {
	for _, id := range t {
		ids = append(ids, id)
	}
	return ids
}

// compilation is what a descriptor says of a compilation.
type compilation struct {
	wait, later    bool
	handler, queue objcsoft.ID
	callables      map[string]*executable
	called         []objcsoft.ID
}

// dispatchQueue is a queue of blocks of the software device.
type dispatchQueue interface{ Do(func()) }

// call calls the handler with an executable, or an error, which it releases, on the queue if there
// is one.
func (k *compilation) call(rt *objcsoft.Runtime, exe, failure objcsoft.ID) {
	handler := k.handler
	invoke := func() {
		words := []uintptr{uintptr(exe), 0}
		if failure != 0 {
			words = []uintptr{0, uintptr(failure)}
		}
		_, _ = rt.InvokeBlock(handler, words) // the runtime reports a panic
		adapter.Release(rt, failure)
	}
	if q, ok := adapter.PayloadOf[dispatchQueue](rt, k.queue); ok {
		kept := []objcsoft.ID{exe, handler}
		for _, id := range kept {
			_ = rt.Retain(id) // the caller keeps them alive during the call
		}
		q.Do(func() {
			adapter.InPool(rt, invoke)
			adapter.Release(rt, kept...)
		})
		return
	}
	invoke()
}

// compilation reads an argument that is a compilation descriptor or nil.
func (a *args) compilation(i int) *compilation {
	return a.compilationOf(a.c.ID(i))
}

func (a *args) compilationOf(id objcsoft.ID) *compilation {
	k := &compilation{}
	if id == 0 {
		return k
	}
	d, ok := adapter.PayloadOf[*compilationDescriptor](a.c.RT, id)
	if !ok {
		a.fail("the compilation descriptor is of another class")
		return k
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	k.wait, k.later = d.numbers["waitForCompilationCompletion"] != 0, d.later
	k.handler, k.queue = d.objects["compilationCompletionHandler"], d.objects["dispatchQueue"]
	keys, values, err := a.c.RT.DictionaryItems(d.objects["callables"])
	if err != nil {
		a.fail("the callables: %w", err)
		return k
	}
	for n, key := range keys {
		symbol, err := a.c.RT.GoString(key)
		e, ok := adapter.PayloadOf[*executable](a.c.RT, values[n])
		if err != nil || !ok {
			a.fail("the callables have an entry that is not a string with an executable")
			return k
		}
		if k.callables == nil {
			k.callables = map[string]*executable{}
		}
		k.callables[symbol] = e
		k.called = append(k.called, values[n])
	}
	return k
}

// callables returns the executables that a run may call: those of the compilation descriptor of its
// execution descriptor.
func (a *args) callables(descriptor objcsoft.ID) map[string]*executable {
	return a.compilationOf(descriptor).callables
}

func compilationDescriptorClass() adapter.Class {
	type descriptor = *compilationDescriptor
	m := adapter.Methods{
		"disableTypeInference": adapter.Method(func(d descriptor, _ *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.later = true
		}),
		"convertLayoutToNHWC": adapter.Method(func(descriptor, *objcsoft.Call) {}), // a permission
		"copyWithZone:": adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			n := &compilationDescriptor{numbers: map[string]uint64{}, objects: objectTable{}, later: d.later}
			for name, v := range d.numbers {
				n.numbers[name] = v
			}
			for name, id := range d.objects {
				if err := c.RT.Retain(id); err != nil {
					adapter.Release(c.RT, n.objects.list()...)
					c.Fail(err)
					return
				}
				n.objects[name] = id
			}
			c.ReturnID(c.RT.NewObject(c.Self.Class(), n))
		}),
	}
	for name, limit := range map[string]uint64{"optimizationLevel": 1, "optimizationProfile": 1,
		"reducedPrecisionFastMath": 7, "waitForCompilationCompletion": 1} {
		m[name] = adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			c.ReturnUint(d.numbers[name])
		})
		m[adapter.Setter(name)] = adapter.Method(func(d descriptor, c *objcsoft.Call) {
			if v := c.Uint(0); v > limit {
				adapter.Misuse(c, "%s %d; the limit is %d", name, v, limit)
				return
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			d.numbers[name] = c.Uint(0)
		})
	}
	for _, name := range []string{"callables", "compilationCompletionHandler", "dispatchQueue"} {
		m[name] = adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			c.ReturnShared(d.objects[name])
		})
		m[adapter.Setter(name)] = adapter.Method(func(d descriptor, c *objcsoft.Call) {
			id := c.ID(0)
			if _, ok := adapter.PayloadOf[dispatchQueue](c.RT, id); name == "dispatchQueue" && id != 0 && !ok {
				adapter.Misuse(c, "the object is not a dispatch queue of the software device")
				return
			}
			var err error
			if name == "callables" && id != 0 {
				var w uintptr
				w, err = c.RT.Message(id, "copy", "@@:")
				id = objcsoft.ID(w)
			} else {
				err = c.RT.Retain(id)
			}
			if err != nil {
				c.Fail(err)
				return
			}
			d.mu.Lock()
			old := d.objects[name]
			d.objects[name] = id
			d.mu.Unlock()
			if err := c.RT.Release(old); err != nil {
				c.Fail(err)
			}
		})
	}
	return adapter.Class{Name: "MPSGraphCompilationDescriptor", Super: "MPSGraphObject",
		Protocols: []string{"NSCopying"}, Methods: m,
		Alloc: func(o *objcsoft.Object) {
			o.Payload = &compilationDescriptor{numbers: map[string]uint64{}, objects: objectTable{}}
		},
		Dealloc: adapter.DeallocHook(func(d descriptor, o *objcsoft.Object) { o.Drop(d.objects.list()...) }),
	}
}

// shapedType is the payload of an MPSGraphShapedType. A nil shape is unknown.
type shapedType struct {
	mu       sync.Mutex
	dataType uint64
	shape    []int
}

func (t *shapedType) spec() (spec, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	typ, err := softmps.TypeOf(t.dataType)
	return spec{typ, t.shape}, err
}

func (t *shapedType) set(c *objcsoft.Call, shape int) bool {
	s, ok := softmps.IntegersArg(c, shape)
	if !ok {
		return false
	}
	for d, n := range s {
		if n < -1 {
			adapter.Misuse(c, "dimension %d is %d; want at least 0, or -1 for an unknown one", d, n)
			return false
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shape = s
	return true
}

func shapedTypeClass() adapter.Class {
	type shaped = *shapedType
	return adapter.Class{Name: "MPSGraphShapedType", Super: "MPSGraphType", Methods: adapter.Methods{
		"initWithShape:dataType:": func(c *objcsoft.Call) {
			t := &shapedType{dataType: c.Uint(1)}
			if t.set(c, 0) {
				softmps.Init(c, t)
			}
		},
		"shape": adapter.Method(func(t shaped, c *objcsoft.Call) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.shape != nil {
				softmps.ReturnIntegers(c, t.shape)
			}
		}),
		"setShape:": adapter.Method(func(t shaped, c *objcsoft.Call) { t.set(c, 0) }),
		"dataType": adapter.Method(func(t shaped, c *objcsoft.Call) {
			t.mu.Lock()
			defer t.mu.Unlock()
			c.ReturnUint(t.dataType)
		}),
		"setDataType:": adapter.Method(func(t shaped, c *objcsoft.Call) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.dataType = c.Uint(0)
		}),
		"isEqualTo:": adapter.Method(func(t shaped, c *objcsoft.Call) {
			o, ok := adapter.PayloadOf[shaped](c.RT, c.ID(0))
			if !ok || o == t {
				c.ReturnBool(ok)
				return
			}
			o.mu.Lock()
			other := shapedType{dataType: o.dataType, shape: o.shape}
			o.mu.Unlock()
			t.mu.Lock()
			defer t.mu.Unlock()
			c.ReturnBool(t.dataType == other.dataType && (t.shape == nil) == (other.shape == nil) &&
				slices.Equal(t.shape, other.shape))
		}),
		"copyWithZone:": adapter.Method(func(t shaped, c *objcsoft.Call) {
			t.mu.Lock()
			defer t.mu.Unlock()
			c.ReturnID(c.RT.NewObject(c.Self.Class(), &shapedType{dataType: t.dataType, shape: t.shape}))
		}),
	}}
}
