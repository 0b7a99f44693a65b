package objcsoft

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/typeenc"
)

func nsObject() ClassSpec {
	return ClassSpec{
		Name:      "NSObject",
		Framework: foundationName,
		Methods: []MethodSpec{
			{"self", "@@:", returnSelf},
			{"init", "@@:", returnSelf},
			{"class", "#@:", func(c *Call) { c.ReturnID(c.Self.class.ID()) }},
			{"superclass", "#@:", func(c *Call) { c.ReturnID(idOf(c.Self.class.Super)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(hashID(c.Self.id)) }},
			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(c.ID(0) == c.Self.id) }},
			{"isProxy", "B@:", func(c *Call) { c.ReturnBool(false) }},
			{"isKindOfClass:", "B@:#", func(c *Call) {
				k := c.ClassArg(0)
				c.ReturnBool(k != nil && c.Self.class.IsSubclassOf(k))
			}},
			{"isMemberOfClass:", "B@:#", func(c *Call) {
				k := c.ClassArg(0)
				c.ReturnBool(k != nil && c.Self.class == k)
			}},
			{"conformsToProtocol:", "B@:@", func(c *Call) {
				c.ReturnBool(c.Self.class.ConformsTo(c.RT.ProtocolFrom(c.ID(0))))
			}},
			{"respondsToSelector:", "B@::", func(c *Call) {
				c.ReturnBool(c.Self.class.lookup(c.SelArg(0)) != nil)
			}},
			{"doesNotRecognizeSelector:", "v@::", func(c *Call) {
				c.Fail(c.RT.badMessage(c.Self, nil, c.SelArg(0), 0, 0))
			}},
			{"retain", "@@:", func(c *Call) { c.ReturnRetained(c.Self.id) }},
			{"release", "Vv@:", func(c *Call) {
				if err := c.RT.Release(c.Self.id); err != nil {
					c.Fail(err)
				}
			}},
			{"autorelease", "@@:", func(c *Call) { c.ReturnAutoreleased(c.Self.id) }},
			{"retainCount", "Q@:", func(c *Call) { c.ReturnUint(uint64(c.Self.RetainCount())) }},
			{"zone", "^{_NSZone=}@:", func(c *Call) { c.Return(0) }},
			{"description", "@@:", describe},
			{"debugDescription", "@@:", func(c *Call) { c.forward(c.Self.id, "description", "@@:") }},
			{"className", "@@:", func(c *Call) { c.returnString(c.Self.class.Name) }},
			{"copy", "@@:", func(c *Call) { c.forward(c.Self.id, "copyWithZone:", "@@:^{_NSZone=}", 0) }},
			{"mutableCopy", "@@:", func(c *Call) { c.forward(c.Self.id, "mutableCopyWithZone:", "@@:^{_NSZone=}", 0) }},
			{"performSelector:", "@@::", func(c *Call) { perform(c, 0) }},
			{"performSelector:withObject:", "@@::@", func(c *Call) { perform(c, 1) }},
			{"performSelector:withObject:withObject:", "@@::@@", func(c *Call) { perform(c, 2) }},
		},
		ClassMethods: []MethodSpec{
			{"alloc", "@@:", alloc},
			{"allocWithZone:", "@@:^{_NSZone=}", alloc},
			{"new", "@@:", func(c *Call) {
				alloc(c)
				if !c.Failed() {
					c.forward(ID(c.ret[0]), "init", "@@:")
				}
			}},
			{"class", "#@:", returnSelf},
			{"superclass", "#@:", func(c *Call) { c.ReturnID(idOf(c.Class().Super)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(hashID(c.Self.id)) }},
			{"description", "@@:", func(c *Call) { c.returnString(c.Class().Name) }},
			{"debugDescription", "@@:", func(c *Call) { c.returnString(c.Class().Name) }},
			{"isSubclassOfClass:", "B@:#", func(c *Call) {
				k := c.ClassArg(0)
				c.ReturnBool(k != nil && c.Class().IsSubclassOf(k))
			}},
			{"instancesRespondToSelector:", "B@::", func(c *Call) {
				c.ReturnBool(c.Class().lookup(c.SelArg(0)) != nil)
			}},
			{"conformsToProtocol:", "B@:@", func(c *Call) {
				c.ReturnBool(c.Class().ConformsTo(c.RT.ProtocolFrom(c.ID(0))))
			}},
			{"version", "q@:", func(c *Call) { c.ReturnInt(0) }},
		},
	}
}

func nsBlock() ClassSpec {
	return ClassSpec{
		Name:      blockClass,
		Framework: foundationName,
		Protocols: []string{"NSCopying"},
		Methods: []MethodSpec{
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) { c.ReturnRetained(c.Self.id) }},
		},
		Dealloc: func(o *Object) {
			if b, ok := o.Payload.(*block); ok {
				o.Drop(b.captured...)
			}
		},
	}
}

func returnSelf(c *Call) { c.ReturnID(c.Self.id) }

func idOf(k *Class) ID {
	if k == nil {
		return 0
	}
	return k.ID()
}

// hashID mixes a handle's index and generation; the tag carries no information.
func hashID(id ID) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 >> 8 }

func alloc(c *Call) {
	k := c.Class()
	o, err := c.RT.newObject(k, nil)
	if err != nil {
		c.Fail(err)
		return
	}
	if k.alloc != nil {
		if err := runHook(o, k.alloc); err != nil {
			c.Fail(err)
			c.release(o.id)
			return
		}
	}
	c.ReturnID(o.id)
}

func describe(c *Call) {
	c.returnString(fmt.Sprintf("<%s: %#x>", c.Self.class.Name, uintptr(c.Self.id)))
}

// forward answers with the result of another message.
func (c *Call) forward(recv ID, selector, encoding string, args ...uintptr) {
	w, err := c.RT.Message(recv, selector, encoding, args...)
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(w)
}

// perform sends the message that its first argument names, with n objects.
func perform(c *Call, n int) {
	sel := c.SelArg(0)
	m := c.Self.class.lookup(sel)
	if m == nil {
		c.Fail(c.RT.badMessage(c.Self, nil, sel, 0, 0))
		return
	}
	fits := len(m.layout.args) == n && (m.layout.ret.Kind == typeenc.Void || m.layout.ret.IsObject())
	for i := range m.layout.args {
		fits = fits && m.layout.args[i].IsObject()
	}
	if !fits {
		c.Raise(invalidArgumentException, "%s with encoding %q cannot be performed with %d objects",
			c.RT.SelName(sel), m.layout.text, n)
		return
	}
	if err := c.RT.Send(c.Self.id, sel, m.Enc, c.Args[1:1+n], c.ret[:1]); err != nil {
		c.Fail(err)
	}
}

// initialize gives a fresh object its payload and returns it; an object that has
// one already keeps it, and the call fails.
func (c *Call) initialize(payload any) {
	if c.Self.Payload != nil {
		c.Raise(invalidArgumentException, "%s is initialized already", c.Self.class.Name)
		return
	}
	c.Self.Payload = payload
	c.ReturnID(c.Self.id)
}

// initFailed releases the receiver of an init method and returns nil.
func (c *Call) initFailed() {
	if err := c.RT.Release(c.Self.id); err != nil {
		c.Fail(err)
	}
	c.ReturnID(0)
}
