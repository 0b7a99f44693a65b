package objcsoft

import "slices"

func nsMutableArray() ClassSpec {
	return ClassSpec{
		Name:      "NSMutableArray",
		Super:     "NSArray",
		Framework: foundationName,
		Methods: []MethodSpec{
			{"initWithCapacity:", "@@:Q", func(c *Call) { c.initArray(nil) }},
			{"addObject:", "v@:@", func(c *Call) {
				c.edit(func(items []ID) ([]ID, bool) { return append(items, c.ID(0)), true }, c.ID(0))
			}},
			{"insertObject:atIndex:", "v@:@Q", func(c *Call) {
				c.edit(func(items []ID) ([]ID, bool) {
					if c.Uint(1) > uint64(len(items)) {
						return items, false
					}
					return slices.Insert(items, int(c.Uint(1)), c.ID(0)), true
				}, c.ID(0))
			}},
			{"replaceObjectAtIndex:withObject:", "v@:Q@", func(c *Call) { c.replaceItem(c.Uint(0), c.ID(1)) }},
			{"setObject:atIndexedSubscript:", "v@:@Q", func(c *Call) { c.replaceItem(c.Uint(1), c.ID(0)) }},
			{"removeLastObject", "v@:", removeLast},
			{"removeObjectAtIndex:", "v@:Q", removeAt},
			{"removeAllObjects", "v@:", func(c *Call) {
				c.replaceAll(nil)
			}},
			{"removeObject:", "v@:@", func(c *Call) { c.removeEqual(c.equal) }},
			{"removeObjectIdenticalTo:", "v@:@", func(c *Call) { c.removeEqual(identical) }},
			{"exchangeObjectAtIndex:withObjectAtIndex:", "v@:QQ", func(c *Call) {
				c.edit(func(items []ID) ([]ID, bool) {
					i, j := c.Uint(0), c.Uint(1)
					if n := uint64(len(items)); i >= n || j >= n {
						return items, false
					}
					items[i], items[j] = items[j], items[i]
					return items, true
				})
			}},
			{"addObjectsFromArray:", "v@:@", func(c *Call) {
				added := c.arrayArg(0)
				c.edit(func(items []ID) ([]ID, bool) { return append(items, added...), true }, added...)
			}},
			{"setArray:", "v@:@", func(c *Call) { c.replaceAll(c.arrayArg(0)) }},
		},
		ClassMethods: []MethodSpec{
			{"arrayWithCapacity:", "@@:Q", func(c *Call) { c.returnArray(nil) }},
		},
	}
}

// edit changes the receiver under its lock, after retaining the added items; a caller that removes
// items releases them afterward, without the lock. change returns false, having changed nothing, if
// an index is out of range.
func (c *Call) edit(change func(items []ID) ([]ID, bool), added ...ID) {
	a, ok := c.Self.Payload.(*arrayValue)
	if !ok || !a.mutable {
		c.Raise(invalidArgumentException, "the array is not initialized")
	}
	for _, id := range added {
		if id == 0 {
			c.Raise(invalidArgumentException, "the object is nil")
		}
	}
	if c.Failed() {
		return
	}
	if err := retainAll(c.RT, added); err != nil {
		c.Fail(err)
		return
	}
	gone := added
	a.mu.Lock()
	count := len(a.items)
	next, ok := change(a.items)
	if ok {
		gone = nil
		a.items = next
	}
	a.mu.Unlock()
	if !ok {
		c.Raise(rangeException, "index out of range, count %d", count)
	}
	c.release(gone...)
}

func (c *Call) replaceAll(with []ID) {
	var old []ID
	c.edit(func(items []ID) ([]ID, bool) {
		old = items
		return slices.Clone(with), true
	}, with...)
	c.release(old...)
}

func (c *Call) replaceItem(i uint64, id ID) {
	var old []ID
	c.edit(func(items []ID) ([]ID, bool) {
		switch n := uint64(len(items)); {
		case i > n:
			return items, false
		case i == n: // allowed for setObject:atIndexedSubscript:, but not for replaceObjectAtIndex:
			if c.Sel != c.RT.Sel("setObject:atIndexedSubscript:") {
				return items, false
			}
			return append(items, id), true
		}
		old = []ID{items[i]}
		items[i] = id
		return items, true
	}, id)
	c.release(old...)
}

func removeLast(c *Call) {
	var old []ID
	c.edit(func(items []ID) ([]ID, bool) {
		last := max(len(items)-1, 0) // from an empty array nothing is removed
		old = slices.Clone(items[last:])
		return items[:last], true
	})
	c.release(old...)
}

func removeAt(c *Call) {
	var old []ID
	c.edit(func(items []ID) ([]ID, bool) {
		i := c.Uint(0)
		if i >= uint64(len(items)) {
			return items, false
		}
		old = []ID{items[i]}
		return slices.Delete(items, int(i), int(i)+1), true
	})
	c.release(old...)
}

// removeEqual removes every item that is the same as argument 0. Items are compared without the
// lock, and the matches are then looked up again.
func (c *Call) removeEqual(same func(a, b ID) bool) {
	doomed := map[ID]bool{}
	for _, id := range c.selfArray().snapshot() {
		if same(id, c.ID(0)) {
			doomed[id] = true
		}
	}
	var old []ID
	c.edit(func(items []ID) ([]ID, bool) {
		return slices.DeleteFunc(items, func(id ID) bool {
			if doomed[id] {
				old = append(old, id)
			}
			return doomed[id]
		}), true
	})
	c.release(old...)
}
