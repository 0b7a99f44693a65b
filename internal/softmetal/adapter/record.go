package adapter

import (
	"fmt"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// Properties are the properties of a plain class, such as a descriptor. The framework's encodings
// say which getters and setters there are and how wide a property is; a property without a bound
// setter is read-only.
type Properties []Property

// recordSpec is the layout of the records of a plain class.
type recordSpec struct {
	own   Properties     // without the superclass's
	above *recordSpec    // of the superclass, whose properties come first
	words int            // size of all properties
	at    map[string]int // name to index in all
	all   []Property
	ready bool
}

// Property is one property of a plain class.
type Property struct {
	// Name is the property's name; its setter is set<Name>:. Getter is the getter's selector, if
	// that is not the name.
	Name   string
	Getter string
	// Value is the default: an integer or the bits of a float.
	Value uintptr
	// Values are the default of a structure of several words.
	Values []uintptr
	// Copied makes the setter copy the object instead of retaining it.
	Copied bool
	// Child names the class of an object that the owner creates with itself, and that is copied with
	// it: an array of attachments, for example.
	Child string

	offset, words int
	object        bool
}

// Record is the payload of an object of a plain class.
type Record struct {
	mu    sync.Mutex
	spec  *recordSpec
	words []uintptr
}

// layout computes the offset and size of each property from the encodings of the getters.
func (s *recordSpec) layout(f *Framework, c *Class) error {
	if s.ready {
		return nil
	}
	s.at = map[string]int{}
	if s.above != nil {
		if !s.above.ready {
			return fmt.Errorf("softmetal: class %s comes before its superclass", c.Name)
		}
		s.all = append(s.all, s.above.all...)
		s.words = s.above.words
	}
	for _, p := range s.own {
		if p.Getter == "" {
			p.Getter = p.Name
		}
		enc, err := f.tables.Encoding(f.RT, c, p.Getter, false)
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
		s.at[s.all[i].Name] = i
	}
	s.ready = true
	return nil
}

// addProperties gives the class the methods of its properties. It keeps methods that the class has
// already, which do more than store a value.
func (c *Class) addProperties(f *Framework) error {
	s := c.record
	if err := s.layout(f, c); err != nil {
		return err
	}
	inherited := 0
	if s.above != nil {
		inherited = len(s.above.all)
	}
	for i := inherited; i < len(s.all); i++ {
		p := &s.all[i]
		if c.Methods[p.Getter] == nil {
			c.Methods[p.Getter] = p.get
		}
		set := Setter(p.Name)
		if c.Methods[set] == nil {
			if _, err := f.tables.Encoding(f.RT, c, set, false); err == nil {
				c.Methods[set] = p.set
			}
		}
	}
	if s.above == nil {
		if c.Methods["copyWithZone:"] == nil {
			c.Methods["copyWithZone:"] = copyRecord
		}
		freed := c.Dealloc
		c.Dealloc = func(o *objcsoft.Object) {
			if freed != nil {
				freed(o)
			}
			if r, ok := o.Payload.(*Record); ok {
				r.drop(o)
			}
		}
	}
	made := c.Alloc
	c.Alloc = func(o *objcsoft.Object) {
		r := &Record{spec: s, words: make([]uintptr, s.words)}
		from := 0
		if base, ok := o.Payload.(*Record); ok { // the superclass's properties already exist
			copy(r.words, base.words)
			from = len(base.spec.all)
		}
		o.Payload = r
		r.initialize(f.RT, s.all[from:])
		if made != nil {
			made(o)
		}
	}
	return nil
}

func (r *Record) initialize(rt *objcsoft.Runtime, props []Property) {
	for i := range props {
		p := &props[i]
		switch {
		case p.Child != "":
			r.words[p.offset] = uintptr(NewInstance(rt, p.Child))
		case len(p.Values) > 0:
			copy(r.words[p.offset:p.offset+p.words], p.Values)
		default:
			r.words[p.offset] = p.Value
		}
	}
}

// NewInstance makes an object of a class by alloc and init, with a count of one. A failure panics,
// and the message in progress reports it.
func NewInstance(rt *objcsoft.Runtime, name string) objcsoft.ID {
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

func (p *Property) get(c *objcsoft.Call) {
	r, ok := c.Self.Payload.(*Record)
	if !ok {
		c.Fail(fmt.Errorf("softmetal: %s is not initialized", c.Self.Class().Name))
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

func (p *Property) set(c *objcsoft.Call) {
	r, ok := c.Self.Payload.(*Record)
	if !ok {
		c.Fail(fmt.Errorf("softmetal: %s is not initialized", c.Self.Class().Name))
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

// keep returns the object that the property stores, +1: the argument or its copy.
func (p *Property) keep(rt *objcsoft.Runtime, id objcsoft.ID) (objcsoft.ID, error) {
	if id == 0 {
		return 0, nil
	}
	if p.Copied {
		w, err := rt.Message(id, "copy", "@@:")
		return objcsoft.ID(w), err
	}
	return id, rt.Retain(id)
}

// copyRecord implements copyWithZone: an object of the same class with the same values. Objects are
// shared, children are copied.
func copyRecord(c *objcsoft.Call) {
	r, ok := c.Self.Payload.(*Record)
	if !ok {
		c.Fail(fmt.Errorf("softmetal: %s is not initialized", c.Self.Class().Name))
		return
	}
	n, err := r.copy(c.RT)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnID(c.RT.NewObject(c.Self.Class(), n))
}

func (r *Record) copy(rt *objcsoft.Runtime) (*Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := &Record{spec: r.spec, words: append([]uintptr(nil), r.words...)}
	for i := range r.spec.all {
		p := &r.spec.all[i]
		if !p.object {
			continue
		}
		id := objcsoft.ID(n.words[p.offset])
		var err error
		if p.Child != "" {
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

// drop releases the objects that the properties hold.
func (r *Record) drop(o *objcsoft.Object) {
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

// RecordArg returns the record of an object argument of a plain class. Nil, or another object,
// fails the call and returns nil.
func RecordArg(c *objcsoft.Call, arg int, what string) *Record {
	if c.ID(arg) == 0 {
		Misuse(c, "%s is nil", what)
		return nil
	}
	r, ok := Payload[*Record](c, arg)
	if !ok {
		return nil
	}
	return r
}

// Has reports whether the class has a property.
func (r *Record) Has(name string) bool {
	_, ok := r.spec.at[name]
	return ok
}

// Word returns the first word of a property. The message fails if the object's class has no such
// property: then it is an argument of the wrong class.
func (r *Record) Word(name string) uintptr { return r.Words(name)[0] }

// Uint returns an integer property.
func (r *Record) Uint(name string) uint64 { return uint64(r.Word(name)) }

// Bool returns a BOOL property.
func (r *Record) Bool(name string) bool { return r.Word(name) != 0 }

// ID returns an object property, not retained.
func (r *Record) ID(name string) objcsoft.ID { return objcsoft.ID(r.Word(name)) }

// Words returns a copy of a property's words.
func (r *Record) Words(name string) []uintptr {
	p := r.spec.find(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]uintptr(nil), r.words[p.offset:p.offset+p.words]...)
}

// Own sets an object property and takes over the caller's reference.
func (r *Record) Own(rt *objcsoft.Runtime, name string, id objcsoft.ID) {
	p := r.spec.find(name)
	r.mu.Lock()
	old := objcsoft.ID(r.words[p.offset])
	r.words[p.offset] = uintptr(id)
	r.mu.Unlock()
	if err := rt.Release(old); err != nil {
		objcsoft.Fail(err)
	}
}

// SetUint sets a property that holds no object.
func (r *Record) SetUint(name string, v uint64) {
	p := r.spec.find(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.words[p.offset] = uintptr(v)
}

func (s *recordSpec) find(name string) *Property {
	i, ok := s.at[name]
	if !ok {
		objcsoft.Fail(fmt.Errorf("the object has no property %s: it is of another class than the call takes", name))
	}
	return &s.all[i]
}

// Setter returns the selector that sets a property.
func Setter(name string) string { return "set" + strings.ToUpper(name[:1]) + name[1:] + ":" }

// NewAutoreleased makes a class method that returns a new object of a class.
func NewAutoreleased(class string) objcsoft.Imp {
	return func(c *objcsoft.Call) { c.ReturnAutoreleased(NewInstance(c.RT, class)) }
}

// Reset sets every property to its default.
func (r *Record) Reset(c *objcsoft.Call) {
	fresh := &Record{spec: r.spec, words: make([]uintptr, len(r.words))}
	fresh.initialize(c.RT, r.spec.all)
	r.mu.Lock()
	r.words, fresh.words = fresh.words, r.words
	r.mu.Unlock()
	for i := range fresh.spec.all {
		if p := &fresh.spec.all[i]; p.object {
			if err := c.RT.Release(objcsoft.ID(fresh.words[p.offset])); err != nil {
				c.Fail(err)
			}
		}
	}
}
