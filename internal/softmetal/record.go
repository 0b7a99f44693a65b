package softmetal

import (
	"fmt"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// recordSpec describes a plain class: an object with properties, such as a descriptor. Getters and setters are made of the
// encodings that the bindings have; a property without a bound setter is read-only.
type recordSpec struct {
	props []prop

	above *recordSpec    // the superclass's, whose properties come first
	words int            // of all properties
	at    map[string]int // name to index in all
	all   []prop
	ready bool
}

// prop is one property.
type prop struct {
	// name is the property's name. Its getter is the getter given, or the name; its setter is set<Name>:.
	name   string
	getter string
	// value is its first value where that is not zero: an integer or the bits of a float.
	value uintptr
	// values are the first values of a structure of several words.
	values []uintptr
	// copied says that the setter copies the object instead of retaining it.
	copied bool
	// child names the class of an object that the owner makes with itself and whose copy has its own: an array of
	// attachments, say.
	child string

	offset, words int
	object        bool
}

// record is the payload of an object of a plain class.
type record struct {
	mu    sync.Mutex
	spec  *recordSpec
	words []uintptr
}

// layout computes where the properties lie. The encodings of the getters say how wide they are.
func (s *recordSpec) layout(rt *objcsoft.Runtime, c *class) error {
	if s.ready {
		return nil
	}
	s.at = map[string]int{}
	if s.above != nil {
		if !s.above.ready {
			return fmt.Errorf("softmetal: class %s comes before its superclass", c.name)
		}
		s.all = append(s.all, s.above.all...)
		s.words = s.above.words
	}
	for _, p := range s.props {
		if p.getter == "" {
			p.getter = p.name
		}
		enc, err := encoding(rt, c, p.getter, false)
		if err != nil {
			return err
		}
		sig, err := typeenc.ParseMethod(enc)
		if err != nil {
			return err
		}
		p.object = sig.Ret.IsObject()
		p.words = max(1, int(sig.Ret.Size+7)/8)
		p.offset = s.words
		s.words += p.words
		s.all = append(s.all, p)
	}
	for i := range s.all {
		s.at[s.all[i].name] = i
	}
	s.ready = true
	return nil
}

// addProperties gives the class the methods of its properties. A method that the class has already stays: it does more than store.
func (c *class) addProperties(rt *objcsoft.Runtime) error {
	s := c.record
	if err := s.layout(rt, c); err != nil {
		return err
	}
	inherited := 0
	if s.above != nil {
		inherited = len(s.above.all)
	}
	for i := inherited; i < len(s.all); i++ {
		p := &s.all[i]
		if c.methods[p.getter] == nil {
			c.methods[p.getter] = p.get
		}
		set := setter(p.name)
		if c.methods[set] == nil {
			if _, err := encoding(rt, c, set, false); err == nil {
				c.methods[set] = p.set
			}
		}
	}
	if s.above == nil {
		if c.methods["copyWithZone:"] == nil {
			c.methods["copyWithZone:"] = copyRecord
		}
		freed := c.dealloc
		c.dealloc = func(o *objcsoft.Object) {
			if freed != nil {
				freed(o)
			}
			if r, ok := o.Payload.(*record); ok {
				r.drop(o)
			}
		}
	}
	made := c.alloc
	c.alloc = func(o *objcsoft.Object) {
		r := &record{spec: s, words: make([]uintptr, s.words)}
		from := 0
		if base, ok := o.Payload.(*record); ok { // the superclass's properties are there already
			copy(r.words, base.words)
			from = len(base.spec.all)
		}
		o.Payload = r
		r.initialise(rt, s.all[from:])
		if made != nil {
			made(o)
		}
	}
	return nil
}

func (r *record) initialise(rt *objcsoft.Runtime, props []prop) {
	for i := range props {
		p := &props[i]
		switch {
		case p.child != "":
			r.words[p.offset] = uintptr(newInstance(rt, p.child))
		case len(p.values) > 0:
			copy(r.words[p.offset:p.offset+p.words], p.values)
		default:
			r.words[p.offset] = p.value
		}
	}
}

// newInstance makes an object of a class by alloc and init, with a count of one. A failure panics, which the message in progress
// reports: the class is one of ours.
func newInstance(rt *objcsoft.Runtime, name string) objcsoft.ID {
	k := rt.Class(name)
	if k == nil {
		panic(fmt.Errorf("softmetal: class %s is not registered", name))
	}
	id, err := rt.Message(k.ID(), "new", "@@:")
	if err != nil {
		panic(err)
	}
	return objcsoft.ID(id)
}

func (p *prop) get(c *objcsoft.Call) {
	r, ok := c.Self.Payload.(*record)
	if !ok {
		c.Fail(fmt.Errorf("softmetal: %s is not initialised", c.Self.Class().Name))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.object {
		c.ReturnShared(objcsoft.ID(r.words[p.offset]))
		return
	}
	c.ReturnWords(r.words[p.offset : p.offset+p.words]...)
}

func (p *prop) set(c *objcsoft.Call) {
	r, ok := c.Self.Payload.(*record)
	if !ok {
		c.Fail(fmt.Errorf("softmetal: %s is not initialised", c.Self.Class().Name))
		return
	}
	if !p.object {
		r.mu.Lock()
		copy(r.words[p.offset:p.offset+p.words], c.Words(0))
		r.mu.Unlock()
		return
	}
	id, err := p.keep(c.RT, c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	r.mu.Lock()
	old := objcsoft.ID(r.words[p.offset])
	r.words[p.offset] = uintptr(id)
	r.mu.Unlock()
	if err := c.RT.Release(old); err != nil {
		c.Fail(err)
	}
}

// keep returns what the property stores of an object: the object or its copy, +1.
func (p *prop) keep(rt *objcsoft.Runtime, id objcsoft.ID) (objcsoft.ID, error) {
	if id == 0 {
		return 0, nil
	}
	if p.copied {
		w, err := rt.Message(id, "copy", "@@:")
		return objcsoft.ID(w), err
	}
	return id, rt.Retain(id)
}

// copyRecord answers copyWithZone: an object of the same class with the same values. Objects are shared, children are copied.
func copyRecord(c *objcsoft.Call) {
	r, ok := c.Self.Payload.(*record)
	if !ok {
		c.Fail(fmt.Errorf("softmetal: %s is not initialised", c.Self.Class().Name))
		return
	}
	n, err := r.copy(c.RT)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnID(c.RT.NewObject(c.Self.Class(), n))
}

func (r *record) copy(rt *objcsoft.Runtime) (*record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := &record{spec: r.spec, words: append([]uintptr(nil), r.words...)}
	for i := range r.spec.all {
		p := &r.spec.all[i]
		if !p.object {
			continue
		}
		id := objcsoft.ID(n.words[p.offset])
		var err error
		if p.child != "" {
			var w uintptr
			w, err = rt.Message(id, "copy", "@@:")
			n.words[p.offset] = w
		} else {
			err = rt.Retain(id)
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

// drop releases what the properties hold.
func (r *record) drop(o *objcsoft.Object) {
	r.mu.Lock()
	var ids []objcsoft.ID
	for i := range r.spec.all {
		if p := &r.spec.all[i]; p.object {
			ids = append(ids, objcsoft.ID(r.words[p.offset]))
			r.words[p.offset] = 0
		}
	}
	r.mu.Unlock()
	o.Drop(ids...)
}

// recordArg returns the record behind an object argument of a plain class. Nil, or another object, fails the call.
func recordArg(c *objcsoft.Call, arg int, what string) *record {
	if c.ID(arg) == 0 {
		misuse(c, "%s is nil", what)
		return nil
	}
	r, ok := payload[*record](c, arg)
	if !ok {
		return nil
	}
	return r
}

// word returns the first word of a property; a property that the class does not have panics, which fails the message.
func (r *record) word(name string) uintptr { return r.wordsOf(name)[0] }

// uint returns an integer property.
func (r *record) uint(name string) uint64 { return uint64(r.word(name)) }

// bool returns a BOOL property.
func (r *record) bool(name string) bool { return r.word(name) != 0 }

// id returns an object property, not retained.
func (r *record) id(name string) objcsoft.ID { return objcsoft.ID(r.word(name)) }

// wordsOf returns a copy of a property's words.
func (r *record) wordsOf(name string) []uintptr {
	p := r.spec.find(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]uintptr(nil), r.words[p.offset:p.offset+p.words]...)
}

// own sets an object property to an object that the caller gives away.
func (r *record) own(rt *objcsoft.Runtime, name string, id objcsoft.ID) {
	p := r.spec.find(name)
	r.mu.Lock()
	old := objcsoft.ID(r.words[p.offset])
	r.words[p.offset] = uintptr(id)
	r.mu.Unlock()
	if err := rt.Release(old); err != nil {
		panic(err) // it was the record's own: the message in progress reports it
	}
}

// setUint sets a property that holds no object.
func (r *record) setUint(name string, v uint64) {
	p := r.spec.find(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.words[p.offset] = uintptr(v)
}

func (s *recordSpec) find(name string) *prop {
	i, ok := s.at[name]
	if !ok {
		panic(fmt.Errorf("softmetal: no property %s", name))
	}
	return &s.all[i]
}

// setter returns the selector that sets a property.
func setter(name string) string { return "set" + strings.ToUpper(name[:1]) + name[1:] + ":" }
