package objcsoft

import (
	"sync/atomic"
)

// Imp is the Go code of a method. It reads its arguments from the Call and
// leaves its result there. The Call is the method's only until it returns.
type Imp func(c *Call)

// Method is one entry of a class.
type Method struct {
	// Sel is the selector.
	Sel Sel
	// Enc is the interned type encoding.
	Enc Enc

	imp      Imp
	layout   *layout
	argWords int  // the layout's, kept here because every message needs it
	wideArgs bool // the arguments are all whole words, and fit a Call
	wideRet  bool // the result is one whole word, or none
}

// Encoding returns the text of the method's type encoding.
func (m *Method) Encoding() string { return m.layout.text }

// Class is a class or a metaclass. Its exported fields never change.
type Class struct {
	// Name is the class's name; a metaclass has that of its class.
	Name string
	// Super is the superclass, nil for NSObject.
	Super *Class
	// Framework is the framework that the class is from.
	Framework string
	// Meta says that this is the class of a class.
	Meta bool

	rt      *Runtime
	object  *Object // the class as an object; nil for a metaclass
	meta    *Class  // the class of object; nil for a metaclass
	alloc   func(*Object)
	dealloc []func(*Object) // of the class and its superclasses, in the order in which they run

	table tablePointer // never nil; the runtime's unbuilt one until it is needed
	live  atomic.Int64

	// Guarded by the runtime's class lock.
	own        map[Sel]*Method
	protocols  []*Protocol
	subclasses []*Class
}

// ID returns the class as an object, 0 for a metaclass.
func (c *Class) ID() ID {
	if c.object == nil {
		return 0
	}
	return c.object.id
}

// Method returns the method for a selector, the class's own or an inherited one, or nil if there is
// none. For class methods, use the Metaclass.
func (c *Class) Method(sel Sel) *Method { return c.lookup(sel) }

// Metaclass returns the class of the class, which holds its class methods. The metaclass of a
// metaclass is NSObject's.
func (c *Class) Metaclass() *Class {
	if c.meta == nil {
		return c.rt.root.meta
	}
	return c.meta
}

// IsSubclassOf reports whether other is c or one of its superclasses.
func (c *Class) IsSubclassOf(other *Class) bool {
	for ; c != nil; c = c.Super {
		if c == other {
			return true
		}
	}
	return false
}

// ConformsTo reports whether the class or a superclass adopts the protocol, directly or through
// another protocol.
func (c *Class) ConformsTo(p *Protocol) bool {
	if p == nil {
		return false
	}
	c.rt.classes.mu.RLock()
	defer c.rt.classes.mu.RUnlock()
	for ; c != nil; c = c.Super {
		for _, q := range c.protocols {
			if q.includes(p) {
				return true
			}
		}
	}
	return false
}

// Protocols returns the names of the protocols that the class itself adopts.
func (c *Class) Protocols() []string {
	c.rt.classes.mu.RLock()
	defer c.rt.classes.mu.RUnlock()
	names := make([]string, len(c.protocols))
	for i, p := range c.protocols {
		names[i] = p.Name
	}
	return names
}

// MethodInfo is a registered method, for tests that compare them with tables.
type MethodInfo struct {
	Class, Selector, Encoding string
	ClassMethod               bool
}

// OwnMethods returns the methods registered for the class itself, including class methods, in no
// particular order.
func (c *Class) OwnMethods() []MethodInfo {
	c.rt.classes.mu.RLock()
	defer c.rt.classes.mu.RUnlock()
	var all []MethodInfo
	for _, k := range []*Class{c, c.meta} {
		if k == nil {
			continue
		}
		for sel, m := range k.own {
			all = append(all, MethodInfo{c.Name, c.rt.SelName(sel), m.layout.text, k.Meta})
		}
	}
	return all
}

// bracketed writes a message as Objective-C does.
func (c *Class) bracketed(selector string) string {
	sign := "-["
	if c.Meta {
		sign = "+["
	}
	return sign + c.Name + " " + selector + "]"
}

// methodTable holds the methods of a class and its superclasses. It is immutable; when methods are
// added, the class gets a new one.
type methodTable struct {
	mask    Sel
	entries []methodEntry // a power of two, at most half full
}

type methodEntry struct {
	sel    Sel
	method *Method
}

// lookup finds a method by open addressing. Selectors are small dense numbers,
// so their low bits spread well enough.
func (c *Class) lookup(sel Sel) *Method {
	t := c.table.Load()
	if t == c.rt.unbuilt {
		t = c.flatten()
	}
	for i := sel & t.mask; ; i = (i + 1) & t.mask {
		if e := &t.entries[i]; e.sel == sel || e.method == nil {
			return e.method
		}
	}
}

// flatten builds the table on the first message to the class.
func (c *Class) flatten() *methodTable {
	c.rt.classes.mu.Lock()
	defer c.rt.classes.mu.Unlock()
	if t := c.table.Load(); t != c.rt.unbuilt {
		return t
	}
	all := map[Sel]*Method{}
	for k := c; k != nil; k = k.Super {
		for sel, m := range k.own {
			if all[sel] == nil {
				all[sel] = m
			}
		}
	}
	size := 8
	for size < 2*len(all)+1 {
		size *= 2
	}
	t := &methodTable{mask: Sel(size - 1), entries: make([]methodEntry, size)}
	for sel, m := range all {
		i := sel & t.mask
		for t.entries[i].method != nil {
			i = (i + 1) & t.mask
		}
		t.entries[i] = methodEntry{sel, m}
	}
	c.table.Store(t)
	return t
}

// Protocol is a protocol; it is an object of class Protocol as well.
type Protocol struct {
	// Name is the protocol's name.
	Name string

	object   *Object
	conforms []*Protocol
}

// ID returns the protocol as an object.
func (p *Protocol) ID() ID { return p.object.id }

func (p *Protocol) includes(other *Protocol) bool {
	if p == other {
		return true
	}
	for _, q := range p.conforms {
		if q.includes(other) {
			return true
		}
	}
	return false
}
