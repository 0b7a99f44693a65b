package objcsoft

import "errors"

var emptyDictionary = &dictionaryValue{}

// dictionaryOf returns an object's dictionary, or nil if it is not a dictionary.
func dictionaryOf(o *Object) *dictionaryValue {
	if o == nil {
		return nil
	}
	if d, ok := o.Payload.(*dictionaryValue); ok {
		return d
	}
	if o.Payload == nil && o.class.IsSubclassOf(o.class.rt.foundation.dictionary) {
		return emptyDictionary
	}
	return nil
}

func (c *Call) selfDictionary() *dictionaryValue {
	if d := dictionaryOf(c.Self); d != nil {
		return d
	}
	return emptyDictionary
}

// mutableDictionary returns the receiver's dictionary. If it was not initialized, the call fails
// and the result is nil.
func (c *Call) mutableDictionary() *dictionaryValue {
	d := c.selfDictionary()
	if !d.mutable {
		c.Raise(invalidArgumentException, "the dictionary is not initialized")
		return nil
	}
	return d
}

// dictionaryArg returns keys and values of a dictionary argument, none for nil;
// anything else fails the call.
func (c *Call) dictionaryArg(i int) (keys, values []ID) {
	o := c.Object(i)
	d := dictionaryOf(o)
	if d == nil {
		if o != nil {
			c.Raise(invalidArgumentException, "argument %d is %s, not a dictionary", i, className(o))
		}
		return nil, nil
	}
	return split(d.snapshot())
}

func split(entries []entry) (keys, values []ID) {
	for _, e := range entries {
		keys, values = append(keys, e.key), append(values, e.value)
	}
	return keys, values
}

// fill adds entries to a dictionary that nobody else can see yet. For a duplicate key, the first
// value wins, as in Foundation.
func (d *dictionaryValue) fill(rt *Runtime, keys, values []ID) error {
	if len(keys) != len(values) {
		return &Exception{invalidArgumentException, "as many keys as objects are needed"}
	}
	for i, key := range keys {
		if key == 0 || values[i] == 0 {
			return &Exception{invalidArgumentException, "a key or an object is nil"}
		}
		have, err := d.get(rt, key)
		if err == nil && have == 0 {
			err = d.set(rt, key, values[i])
		}
		if err != nil {
			return errors.Join(err, releaseAll(rt, owned(d.clear())))
		}
	}
	return nil
}

func (c *Call) initDictionary(keys, values []ID) {
	if c.Failed() {
		c.initFailed()
		return
	}
	d := &dictionaryValue{mutable: c.Self.class.IsSubclassOf(c.RT.foundation.mutableDictionary)}
	if err := d.fill(c.RT, keys, values); err != nil {
		c.Fail(err)
		c.initFailed()
		return
	}
	c.initialize(d)
	if c.Failed() {
		c.release(owned(d.clear())...)
	}
}

func (rt *Runtime) newDictionary(keys, values []ID, mutable bool) (ID, error) {
	d := &dictionaryValue{mutable: mutable}
	if err := d.fill(rt, keys, values); err != nil {
		return 0, err
	}
	if mutable {
		return rt.NewObject(rt.foundation.mutableDictionary, d), nil
	}
	return rt.NewObject(rt.foundation.dictionary, d), nil
}

// newDictionary makes a dictionary with a count of one.
func (c *Call) newDictionary(keys, values []ID, mutable bool) ID {
	if c.Failed() {
		return 0
	}
	id, err := c.RT.newDictionary(keys, values, mutable)
	if err != nil {
		c.Fail(err)
	}
	return id
}

func (c *Call) returnDictionary(keys, values []ID) {
	k := c.Class()
	mutable := k != nil && k.IsSubclassOf(c.RT.foundation.mutableDictionary)
	if id := c.newDictionary(keys, values, mutable); id != 0 {
		c.ReturnAutoreleased(id)
	}
}

func objectForKey(c *Call) {
	if c.ID(0) == 0 {
		return
	}
	d := c.selfDictionary()
	value, err := d.get(c.RT, c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	c.returnOwned(value, d.mutable)
}

func setObjectForKey(c *Call) {
	d := c.mutableDictionary()
	if d == nil {
		return
	}
	if c.ID(0) == 0 || c.ID(1) == 0 {
		c.Raise(invalidArgumentException, "the key or the object is nil")
		return
	}
	if err := d.set(c.RT, c.ID(1), c.ID(0)); err != nil {
		c.Fail(err)
	}
}

// setOrRemove removes the key when the object is nil.
func setOrRemove(c *Call) {
	if c.ID(0) == 0 {
		c.removeKeys(c.ID(1))
		return
	}
	setObjectForKey(c)
}

func (c *Call) removeKeys(keys ...ID) {
	d := c.mutableDictionary()
	for _, key := range keys {
		if d == nil {
			return
		}
		if key == 0 {
			c.Raise(invalidArgumentException, "the key is nil")
			return
		}
		if err := d.remove(c.RT, key); err != nil {
			c.Fail(err)
			return
		}
	}
}

func (c *Call) addEntries(replace bool) {
	keys, values := c.dictionaryArg(0)
	d := c.mutableDictionary()
	if d == nil || c.Failed() {
		return
	}
	if replace {
		// The new entries may be owned only by the old ones.
		held := append(append([]ID(nil), keys...), values...)
		if err := retainAll(c.RT, held); err != nil {
			c.Fail(err)
			return
		}
		defer c.release(held...)
		c.release(owned(d.clear())...)
	}
	for i, key := range keys {
		if err := d.set(c.RT, key, values[i]); err != nil {
			c.Fail(err)
			return
		}
	}
}

func (c *Call) returnEntries(part func(entry) ID) {
	var ids []ID
	for _, e := range c.selfDictionary().snapshot() {
		ids = append(ids, part(e))
	}
	if id := c.newArray(ids, false); id != 0 {
		c.ReturnAutoreleased(id)
	}
}

func getObjectsAndKeys(c *Call) {
	keys, values := split(c.selfDictionary().snapshot())
	n := int(min(c.Uint(2), uint64(len(keys))))
	for i, list := range [][]ID{values[:n], keys[:n]} {
		if c.Word(i) == 0 {
			continue
		}
		if err := writeSlice(c.Word(i), list); err != nil {
			c.Fail(err)
			return
		}
	}
}

// enumerateEntries calls the block with key, object and a stop flag.
func enumerateEntries(c *Call) {
	stop := pinBytes(make([]byte, 8))
	defer stop.unpin()
	for _, e := range c.selfDictionary().snapshot() {
		if _, err := c.RT.InvokeBlock(c.ID(0), []uintptr{uintptr(e.key), uintptr(e.value), stop.address()}); err != nil {
			c.Fail(err)
			return
		}
		if stop.bytes[0] != 0 {
			return
		}
	}
}

func equalDictionaries(c *Call) bool {
	other := dictionaryOf(c.RT.table.get(c.ID(0)))
	if other == nil {
		return false
	}
	if c.ID(0) == c.Self.id {
		return true
	}
	mine := c.selfDictionary().snapshot()
	if len(mine) != other.count() {
		return false
	}
	for _, e := range mine {
		value, err := other.get(c.RT, e.key)
		if err != nil {
			c.Fail(err)
			return false
		}
		if value == 0 || !c.equal(e.value, value) {
			return false
		}
	}
	return true
}
