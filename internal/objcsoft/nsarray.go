package objcsoft

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// arrayValue is the payload of an NSArray. It owns one count of each item. The
// lock is for mutable arrays only, and is not held while a message is sent.
type arrayValue struct {
	mutable bool
	mu      sync.RWMutex
	items   []ID
}

// snapshot returns the items; for a mutable array a copy.
func (a *arrayValue) snapshot() []ID {
	if !a.mutable {
		return a.items
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return slices.Clone(a.items)
}

func (a *arrayValue) count() int {
	if !a.mutable {
		return len(a.items)
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.items)
}

// at returns an item, or false when there is none.
func (a *arrayValue) at(i uint64) (ID, bool) {
	if a.mutable {
		a.mu.RLock()
		defer a.mu.RUnlock()
	}
	if i >= uint64(len(a.items)) {
		return 0, false
	}
	return a.items[i], true
}

func nsArray() ClassSpec {
	return ClassSpec{
		Name:      "NSArray",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSMutableCopying", "NSSecureCoding", "NSFastEnumeration"},
		Methods: []MethodSpec{
			{"init", "@@:", func(c *Call) { c.initArray(nil) }},
			{"initWithObjects:count:", "@@:r^@Q", func(c *Call) { c.initArray(c.IDs(0, c.Uint(1))) }},
			{"initWithArray:", "@@:@", func(c *Call) { c.initArray(c.arrayArg(0)) }},
			{"count", "Q@:", func(c *Call) { c.ReturnUint(uint64(c.selfArray().count())) }},
			{"objectAtIndex:", "@@:Q", objectAtIndex},
			{"objectAtIndexedSubscript:", "@@:Q", objectAtIndex},
			{"firstObject", "@@:", func(c *Call) { c.returnItem(0) }},
			{"lastObject", "@@:", func(c *Call) { c.returnItem(uint64(c.selfArray().count()) - 1) }},
			{"containsObject:", "B@:@", func(c *Call) { c.ReturnBool(c.indexOf(c.ID(0), c.equal) >= 0) }},
			{"indexOfObject:", "Q@:@", func(c *Call) { c.returnIndex(c.indexOf(c.ID(0), c.equal)) }},
			{"indexOfObjectIdenticalTo:", "Q@:@", func(c *Call) { c.returnIndex(c.indexOf(c.ID(0), identical)) }},
			{"isEqualToArray:", "B@:@", func(c *Call) { c.ReturnBool(equalArrays(c)) }},
			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(equalArrays(c)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(uint64(c.selfArray().count())) }},
			{"arrayByAddingObject:", "@@:@", func(c *Call) {
				if c.ID(0) == 0 {
					c.Raise(invalidArgumentException, "the object is nil")
					return
				}
				c.returnArray(append(slices.Clip(c.selfArray().snapshot()), c.ID(0)))
			}},
			{"arrayByAddingObjectsFromArray:", "@@:@", func(c *Call) {
				c.returnArray(append(slices.Clip(c.selfArray().snapshot()), c.arrayArg(0)...))
			}},
			{"subarrayWithRange:", "@@:{_NSRange=QQ}", func(c *Call) {
				items := c.selfArray().snapshot()
				if lo, hi, ok := c.rangeArg(0, len(items)); ok {
					c.returnArray(items[lo:hi])
				}
			}},
			{"getObjects:range:", "v@:^@{_NSRange=QQ}", func(c *Call) {
				items := c.selfArray().snapshot()
				if lo, hi, ok := c.rangeArg(1, len(items)); ok {
					if err := writeSlice(c.Word(0), items[lo:hi]); err != nil {
						c.Fail(err)
					}
				}
			}},
			{"componentsJoinedByString:", "@@:@", func(c *Call) {
				if sep := c.stringArg(0); sep != nil {
					c.returnString(strings.Join(c.descriptions(c.selfArray().snapshot()), sep.goString()))
				}
			}},
			{"enumerateObjectsUsingBlock:", "v@:@?", enumerateObjects},
			{"makeObjectsPerformSelector:", "v@::", func(c *Call) {
				for _, id := range c.selfArray().snapshot() {
					c.forward(id, "performSelector:", "@@::", c.Word(0))
				}
				c.Return(0)
			}},
			{"description", "@@:", func(c *Call) {
				c.returnString(describeList("(", ")", ",", c.descriptions(c.selfArray().snapshot())))
			}},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) {
				if a := c.selfArray(); a.mutable {
					c.ReturnID(c.newArray(a.snapshot(), false))
				} else {
					c.ReturnRetained(c.Self.id)
				}
			}},
			{"mutableCopyWithZone:", "@@:^{_NSZone=}", func(c *Call) {
				c.ReturnID(c.newArray(c.selfArray().snapshot(), true))
			}},
		},
		ClassMethods: []MethodSpec{
			{"array", "@@:", func(c *Call) { c.returnArray(nil) }},
			{"arrayWithObject:", "@@:@", func(c *Call) {
				if c.ID(0) == 0 {
					c.Raise(invalidArgumentException, "the object is nil")
					return
				}
				c.returnArray([]ID{c.ID(0)})
			}},
			{"arrayWithObjects:count:", "@@:r^@Q", func(c *Call) { c.returnArray(c.IDs(0, c.Uint(1))) }},
			{"arrayWithArray:", "@@:@", func(c *Call) { c.returnArray(c.arrayArg(0)) }},
		},
		Dealloc: func(o *Object) {
			if a, ok := o.Payload.(*arrayValue); ok {
				o.Drop(a.snapshot()...)
			}
		},
	}
}

var emptyArray = &arrayValue{}

// arrayOf returns an object's array, or nil if it is not an array.
func arrayOf(o *Object) *arrayValue {
	if o == nil {
		return nil
	}
	if a, ok := o.Payload.(*arrayValue); ok {
		return a
	}
	if o.Payload == nil && o.class.IsSubclassOf(o.class.rt.foundation.array) {
		return emptyArray
	}
	return nil
}

func (c *Call) selfArray() *arrayValue {
	if a := arrayOf(c.Self); a != nil {
		return a
	}
	return emptyArray
}

// arrayArg returns the items of an array argument, none for nil; anything else
// fails the call.
func (c *Call) arrayArg(i int) []ID {
	o := c.Object(i)
	a := arrayOf(o)
	if a == nil {
		if o != nil {
			c.Raise(invalidArgumentException, "argument %d is %s, not an array", i, className(o))
		}
		return nil
	}
	return a.snapshot()
}

// retainAll retains all of the objects, or none.
func retainAll(rt *Runtime, ids []ID) error {
	for i, id := range ids {
		if err := rt.Retain(id); err != nil {
			return errors.Join(err, releaseAll(rt, ids[:i]))
		}
	}
	return nil
}

// releaseAll releases all of the objects and returns the first error, which means that someone
// released an object they did not own.
func releaseAll(rt *Runtime, ids []ID) error {
	var first error
	for _, id := range ids {
		if err := rt.Release(id); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// release releases objects; an error fails the call.
func (c *Call) release(ids ...ID) {
	if err := releaseAll(c.RT, ids); err != nil {
		c.Fail(err)
	}
}

func (c *Call) initArray(items []ID) {
	if c.Failed() {
		c.initFailed()
		return
	}
	if err := retainAll(c.RT, items); err != nil {
		c.Fail(err)
		return
	}
	mutable := c.Self.class.IsSubclassOf(c.RT.foundation.mutableArray)
	c.initialize(&arrayValue{mutable: mutable, items: slices.Clone(items)})
	if c.Failed() {
		c.release(items...)
	}
}

// newArray makes an array with a count of one.
func (c *Call) newArray(items []ID, mutable bool) ID {
	if c.Failed() {
		return 0
	}
	id, err := c.RT.newArray(items, mutable)
	if err != nil {
		c.Fail(err)
	}
	return id
}

func (rt *Runtime) newArray(items []ID, mutable bool) (ID, error) {
	if err := retainAll(rt, items); err != nil {
		return 0, err
	}
	class := rt.foundation.array
	if mutable {
		class = rt.foundation.mutableArray
	}
	return rt.NewObject(class, &arrayValue{mutable: mutable, items: slices.Clone(items)}), nil
}

// returnArray returns a new array of the receiver's kind, or an immutable one
// when the receiver is an array itself.
func (c *Call) returnArray(items []ID) {
	mutable := false
	if k := c.Class(); k != nil {
		mutable = k.IsSubclassOf(c.RT.foundation.mutableArray)
	}
	if id := c.newArray(items, mutable); id != 0 {
		c.ReturnAutoreleased(id)
	}
}

func objectAtIndex(c *Call) {
	a := c.selfArray()
	id, ok := a.at(c.Uint(0))
	if !ok {
		c.Raise(rangeException, "index %d, count %d", c.Uint(0), a.count())
		return
	}
	c.returnOwned(id, a.mutable)
}

// returnItem returns an item, or nil when there is none.
func (c *Call) returnItem(i uint64) {
	a := c.selfArray()
	id, _ := a.at(i)
	c.returnOwned(id, a.mutable)
}

// returnOwned returns an object that a collection holds. A mutable collection may release it at any
// time, so the caller's pool keeps it too.
func (c *Call) returnOwned(id ID, mutable bool) {
	if mutable {
		c.ReturnShared(id)
		return
	}
	c.ReturnID(id)
}

func (c *Call) returnIndex(i int) {
	if i < 0 {
		c.Return(notFound)
		return
	}
	c.Return(uintptr(i))
}

func identical(a, b ID) bool { return a == b }

// equal sends isEqual:; an error fails the call.
func (c *Call) equal(a, b ID) bool {
	eq, err := c.RT.Equal(a, b)
	if err != nil {
		c.Fail(err)
	}
	return eq
}

func (c *Call) indexOf(id ID, same func(a, b ID) bool) int {
	if id == 0 {
		return -1
	}
	return slices.IndexFunc(c.selfArray().snapshot(), func(item ID) bool { return same(item, id) })
}

func equalArrays(c *Call) bool {
	other := arrayOf(c.RT.table.get(c.ID(0)))
	if other == nil {
		return false
	}
	return c.ID(0) == c.Self.id || slices.EqualFunc(c.selfArray().snapshot(), other.snapshot(), c.equal)
}

// enumerateObjects calls the block with object, index and a stop flag.
func enumerateObjects(c *Call) {
	stop := pinBytes(make([]byte, 8))
	defer stop.unpin()
	for i, id := range c.selfArray().snapshot() {
		if _, err := c.RT.InvokeBlock(c.ID(0), []uintptr{uintptr(id), uintptr(i), stop.address()}); err != nil {
			c.Fail(err)
			return
		}
		if stop.bytes[0] != 0 {
			return
		}
	}
}

// describeList formats a collection over several lines, as Foundation does.
func describeList(open, shut, sep string, entries []string) string {
	if len(entries) == 0 {
		return open + "\n" + shut
	}
	return open + "\n    " + strings.Join(entries, sep+"\n    ") + "\n" + shut
}
