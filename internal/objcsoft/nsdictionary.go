package objcsoft

import (
	"errors"
	"slices"
	"sync"
)

// dictionaryValue is the payload of an NSDictionary: its entries in insertion order, and the
// positions of those with each hash. It owns one count of each key, which is a copy, and each
// value. The lock is for mutable ones only.
type dictionaryValue struct {
	mutable bool
	mu      sync.RWMutex
	entries []entry
	byHash  map[uint64][]int
	version int // counts changes, so that keys can be compared without the lock
}

type entry struct {
	hash       uint64
	key, value ID
}

func (d *dictionaryValue) snapshot() []entry {
	if !d.mutable {
		return d.entries
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Clone(d.entries)
}

func (d *dictionaryValue) count() int {
	if !d.mutable {
		return len(d.entries)
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.entries)
}

// candidates returns the entries of a hash and where they are.
func (d *dictionaryValue) candidates(hash uint64) (found []entry, at []int, version int) {
	if d.mutable {
		d.mu.RLock()
		defer d.mu.RUnlock()
	}
	at = slices.Clone(d.byHash[hash])
	for _, i := range at {
		found = append(found, d.entries[i])
	}
	return found, at, d.version
}

// find looks up a key, by isEqual: among keys with the same hash.
func (d *dictionaryValue) find(rt *Runtime, key ID, hash uint64) (e entry, at, version int, err error) {
	found, where, version := d.candidates(hash)
	for i, e := range found {
		eq, err := rt.Equal(e.key, key)
		if err != nil {
			return entry{}, -1, version, err
		}
		if eq {
			return e, where[i], version, nil
		}
	}
	return entry{}, -1, version, nil
}

func (d *dictionaryValue) get(rt *Runtime, key ID) (ID, error) {
	hash, err := rt.Hash(key)
	if err != nil {
		return 0, err
	}
	e, _, _, err := d.find(rt, key, hash)
	return e.value, err
}

// set stores a value under a copy of the key.
func (d *dictionaryValue) set(rt *Runtime, key, value ID) error {
	hash, err := rt.Hash(key)
	if err != nil {
		return err
	}
	if err := rt.Retain(value); err != nil {
		return err
	}
	copied, err := rt.Message(key, "copy", "@@:")
	if err != nil {
		return errors.Join(err, releaseAll(rt, []ID{value}))
	}
	for {
		e, at, version, err := d.find(rt, ID(copied), hash)
		if err != nil {
			return errors.Join(err, releaseAll(rt, []ID{value, ID(copied)}))
		}
		d.mu.Lock()
		if d.version != version { // someone else changed it: look again
			d.mu.Unlock()
			continue
		}
		d.version++
		if at >= 0 {
			d.entries[at].value = value
			d.mu.Unlock()
			return releaseAll(rt, []ID{e.value, ID(copied)})
		}
		if d.byHash == nil {
			d.byHash = map[uint64][]int{}
		}
		d.byHash[hash] = append(d.byHash[hash], len(d.entries))
		d.entries = append(d.entries, entry{hash, ID(copied), value})
		d.mu.Unlock()
		return nil
	}
}

// remove forgets a key; the last entry takes its place.
func (d *dictionaryValue) remove(rt *Runtime, key ID) error {
	hash, err := rt.Hash(key)
	if err != nil {
		return err
	}
	for {
		e, at, version, err := d.find(rt, key, hash)
		if err != nil || at < 0 {
			return err
		}
		d.mu.Lock()
		if d.version != version {
			d.mu.Unlock()
			continue
		}
		d.version++
		last := len(d.entries) - 1
		d.unlink(hash, at)
		if at != last {
			moved := d.entries[last]
			d.unlink(moved.hash, last)
			d.byHash[moved.hash] = append(d.byHash[moved.hash], at)
			d.entries[at] = moved
		}
		d.entries = d.entries[:last]
		d.mu.Unlock()
		return releaseAll(rt, []ID{e.key, e.value})
	}
}

// unlink needs the lock.
func (d *dictionaryValue) unlink(hash uint64, at int) {
	list := slices.DeleteFunc(d.byHash[hash], func(i int) bool { return i == at })
	if len(list) == 0 {
		delete(d.byHash, hash)
		return
	}
	d.byHash[hash] = list
}

// clear forgets all entries and returns them; the caller releases them.
func (d *dictionaryValue) clear() []entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.entries
	d.entries, d.byHash = nil, nil
	d.version++
	return old
}

// owned lists the objects that entries have retained.
func owned(entries []entry) []ID {
	ids := make([]ID, 0, 2*len(entries))
	for _, e := range entries {
		ids = append(ids, e.key, e.value)
	}
	return ids
}

func nsDictionary() ClassSpec {
	return ClassSpec{
		Name:      "NSDictionary",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSMutableCopying", "NSSecureCoding", "NSFastEnumeration"},
		Methods: []MethodSpec{
			{"init", "@@:", func(c *Call) { c.initDictionary(nil, nil) }},
			{"initWithObjects:forKeys:count:", "@@:r^@r^@Q", func(c *Call) {
				c.initDictionary(c.IDs(1, c.Uint(2)), c.IDs(0, c.Uint(2)))
			}},
			{"initWithObjects:forKeys:", "@@:@@", func(c *Call) { c.initDictionary(c.arrayArg(1), c.arrayArg(0)) }},
			{"initWithDictionary:", "@@:@", func(c *Call) { c.initDictionary(c.dictionaryArg(0)) }},
			{"count", "Q@:", func(c *Call) { c.ReturnUint(uint64(c.selfDictionary().count())) }},
			{"objectForKey:", "@@:@", objectForKey},
			{"objectForKeyedSubscript:", "@@:@", objectForKey},
			{"valueForKey:", "@@:@", objectForKey},
			{"allKeys", "@@:", func(c *Call) { c.returnEntries(func(e entry) ID { return e.key }) }},
			{"allValues", "@@:", func(c *Call) { c.returnEntries(func(e entry) ID { return e.value }) }},
			{"getObjects:andKeys:count:", "v@:^@^@Q", getObjectsAndKeys},
			{"enumerateKeysAndObjectsUsingBlock:", "v@:@?", enumerateEntries},
			{"isEqualToDictionary:", "B@:@", func(c *Call) { c.ReturnBool(equalDictionaries(c)) }},
			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(equalDictionaries(c)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(uint64(c.selfDictionary().count())) }},
			{"description", "@@:", func(c *Call) {
				var lines []string
				for _, e := range c.selfDictionary().snapshot() {
					pair := c.descriptions([]ID{e.key, e.value})
					if c.Failed() {
						return
					}
					lines = append(lines, pair[0]+" = "+pair[1]+";")
				}
				c.returnString(describeList("{", "}", "", lines))
			}},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) {
				if d := c.selfDictionary(); d.mutable {
					keys, values := split(d.snapshot())
					c.ReturnID(c.newDictionary(keys, values, false))
				} else {
					c.ReturnRetained(c.Self.id)
				}
			}},
			{"mutableCopyWithZone:", "@@:^{_NSZone=}", func(c *Call) {
				keys, values := split(c.selfDictionary().snapshot())
				c.ReturnID(c.newDictionary(keys, values, true))
			}},
		},
		ClassMethods: []MethodSpec{
			{"dictionary", "@@:", func(c *Call) { c.returnDictionary(nil, nil) }},
			{"dictionaryWithObject:forKey:", "@@:@@", func(c *Call) {
				c.returnDictionary([]ID{c.ID(1)}, []ID{c.ID(0)})
			}},
			{"dictionaryWithObjects:forKeys:count:", "@@:r^@r^@Q", func(c *Call) {
				c.returnDictionary(c.IDs(1, c.Uint(2)), c.IDs(0, c.Uint(2)))
			}},
			{"dictionaryWithObjects:forKeys:", "@@:@@", func(c *Call) {
				c.returnDictionary(c.arrayArg(1), c.arrayArg(0))
			}},
			{"dictionaryWithDictionary:", "@@:@", func(c *Call) { c.returnDictionary(c.dictionaryArg(0)) }},
		},
		Dealloc: func(o *Object) {
			if d, ok := o.Payload.(*dictionaryValue); ok {
				o.Drop(owned(d.snapshot())...)
			}
		},
	}
}

func nsMutableDictionary() ClassSpec {
	return ClassSpec{
		Name:      "NSMutableDictionary",
		Super:     "NSDictionary",
		Framework: foundationName,
		Methods: []MethodSpec{
			{"initWithCapacity:", "@@:Q", func(c *Call) { c.initDictionary(nil, nil) }},
			{"setObject:forKey:", "v@:@@", setObjectForKey},
			{"setObject:forKeyedSubscript:", "v@:@@", setOrRemove},
			{"setValue:forKey:", "v@:@@", setOrRemove},
			{"removeObjectForKey:", "v@:@", func(c *Call) { c.removeKeys(c.ID(0)) }},
			{"removeObjectsForKeys:", "v@:@", func(c *Call) { c.removeKeys(c.arrayArg(0)...) }},
			{"removeAllObjects", "v@:", func(c *Call) {
				if d := c.mutableDictionary(); d != nil {
					c.release(owned(d.clear())...)
				}
			}},
			{"addEntriesFromDictionary:", "v@:@", func(c *Call) { c.addEntries(false) }},
			{"setDictionary:", "v@:@", func(c *Call) { c.addEntries(true) }},
		},
		ClassMethods: []MethodSpec{
			{"dictionaryWithCapacity:", "@@:Q", func(c *Call) { c.returnDictionary(nil, nil) }},
		},
	}
}
