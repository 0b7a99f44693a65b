package objcsoft

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func words(ids ...ID) []uintptr {
	list := make([]uintptr, len(ids))
	for i, id := range ids {
		list[i] = uintptr(id)
	}
	return list
}

func TestArray(t *testing.T) {
	h := newHarness(t)
	a, b, c := h.str("a"), h.str("b"), h.own(h.NewInt(3))
	list := h.own(h.id(h.id(h.class("NSArray"), "alloc"), "initWithObjects:count:", h.array(words(a, b, c)...), 3))
	require.EqualValues(t, 3, h.send(list, "count"))
	require.Equal(t, b, h.id(list, "objectAtIndex:", 1))
	require.Equal(t, b, h.id(list, "objectAtIndexedSubscript:", 1))
	require.Equal(t, a, h.id(list, "firstObject"))
	require.Equal(t, c, h.id(list, "lastObject"))
	require.Equal(t, 2, h.RetainCount(a))
	require.EqualValues(t, 1, h.send(list, "containsObject:", uintptr(h.str("b"))))
	require.EqualValues(t, 1, h.send(list, "indexOfObject:", uintptr(h.str("b"))))
	require.EqualValues(t, notFound, h.send(list, "indexOfObjectIdenticalTo:", uintptr(h.str("b"))))
	require.EqualValues(t, notFound, h.send(list, "indexOfObject:", 0))
	require.Equal(t, "a-b-3", h.text(list, "componentsJoinedByString:", uintptr(h.str("-"))))
	require.Equal(t, "(\n    a,\n    b,\n    3\n)", h.text(list, "description"))
	same := h.own(h.id(h.class("NSArray"), "alloc"))
	require.Equal(t, same, h.id(same, "initWithArray:", uintptr(list)))
	require.EqualValues(t, 1, h.send(list, "isEqual:", uintptr(same)))
	require.Equal(t, h.send(list, "hash"), h.send(same, "hash"))
	require.Zero(t, h.send(list, "isEqualToArray:", uintptr(h.id(list, "subarrayWithRange:", 0, 2))))
	require.Zero(t, h.send(list, "isEqual:", uintptr(a)))
	more := h.id(list, "arrayByAddingObject:", uintptr(a))
	require.EqualValues(t, 4, h.send(more, "count"))
	require.EqualValues(t, 7, h.send(h.id(more, "arrayByAddingObjectsFromArray:", uintptr(list)), "count"))
	buf := h.array(0, 0)
	h.send(list, "getObjects:range:", buf, 1, 2)
	require.Equal(t, words(b, c), []uintptr{h.word(buf), h.word(buf + 8)})
	require.Equal(t, list, h.id(list, "copy"))
	require.NoError(t, h.Release(list))
	require.Zero(t, h.send(h.id(h.class("NSArray"), "array"), "count"))
	require.Zero(t, h.id(h.id(h.class("NSArray"), "array"), "firstObject"))
	require.Zero(t, h.id(h.id(h.class("NSArray"), "array"), "lastObject"))
	require.EqualValues(t, 1, h.send(h.id(h.class("NSArray"), "arrayWithObject:", uintptr(a)), "count"))
	h.send(h.id(h.class("NSArray"), "arrayWithObjects:count:", h.array(words(a, b)...), 2), "makeObjectsPerformSelector:",
		uintptr(h.Sel("description")))

	items, err := h.ArrayItems(list)
	require.NoError(t, err)
	require.Equal(t, []ID{a, b, c}, items)
	items, err = h.ArrayItems(0)
	require.NoError(t, err)
	require.Empty(t, items)
	_, err = h.ArrayItems(a)
	require.ErrorContains(t, err, "not an array")
	s, err := h.ArrayItems(h.own(h.NewStrings([]string{"x", "y"})))
	require.NoError(t, err)
	require.Len(t, s, 2)

	gone := h.NewString("gone")
	require.NoError(t, h.Release(gone))
	for _, bad := range []struct {
		recv ID
		sel  string
		args []uintptr
		is   error
	}{
		{list, "objectAtIndex:", []uintptr{3}, ErrException},
		{list, "objectAtIndex:", []uintptr{math.MaxUint64}, ErrException},
		{list, "subarrayWithRange:", []uintptr{2, 2}, ErrException},
		{list, "getObjects:range:", []uintptr{0x10, 0, 3}, ErrAddress},
		{list, "arrayByAddingObject:", []uintptr{0}, ErrException},
		{list, "arrayByAddingObjectsFromArray:", words(a), ErrException},
		{h.class("NSArray"), "arrayWithObject:", []uintptr{0}, ErrException},
		{h.class("NSArray"), "arrayWithObject:", words(gone), ErrReleased},
		{h.class("NSArray"), "arrayWithArray:", words(a), ErrException},
		{h.class("NSArray"), "arrayWithObjects:count:", []uintptr{h.array(words(a, 0)...), 2}, ErrException},
		{h.class("NSArray"), "arrayWithObjects:count:", []uintptr{h.array(words(a, gone)...), 2}, ErrReleased},
		{h.class("NSArray"), "arrayWithObjects:count:", []uintptr{0x10, 2}, ErrAddress},
		{h.class("NSArray"), "arrayWithObjects:count:", []uintptr{0x10, math.MaxUint64}, ErrAddress},
	} {
		_, err := h.try(bad.recv, bad.sel, bad.args...)
		require.ErrorIs(t, err, bad.is, "%s %v", bad.sel, bad.args)
	}
	before := h.RetainCount(a)
	_, err = h.NewArray([]ID{a, gone})
	require.ErrorIs(t, err, ErrReleased)
	_, err = h.NewArray([]ID{0})
	require.ErrorIs(t, err, ErrNotObject)
	require.Equal(t, before, h.RetainCount(a), "a failed array keeps nothing")
}

func TestEnumeration(t *testing.T) {
	h := newHarness(t)
	list := h.own(h.NewStrings([]string{"a", "b", "c"}))
	var seen []string
	block, err := h.NewBlock("v@?@Q^B", func(args []uintptr) uintptr {
		s, err := h.GoString(ID(args[0]))
		require.NoError(t, err)
		seen = append(seen, fmt.Sprint(s, args[1]))
		if args[1] == 1 {
			require.NoError(t, WriteMemory(args[2], []byte{1}))
		}
		return 0
	})
	require.NoError(t, err)
	h.own(block)
	h.send(list, "enumerateObjectsUsingBlock:", uintptr(block))
	require.Equal(t, []string{"a0", "b1"}, seen)

	dict, err := h.NewStringMap(map[string]string{"k": "v", "l": "w"})
	require.NoError(t, err)
	h.own(dict)
	seen = nil
	pairs, err := h.NewBlock("v@?@@^B", func(args []uintptr) uintptr {
		k, err := h.GoString(ID(args[0]))
		require.NoError(t, err)
		v, err := h.GoString(ID(args[1]))
		require.NoError(t, err)
		seen = append(seen, k+v)
		return 0
	})
	require.NoError(t, err)
	h.own(pairs)
	h.send(dict, "enumerateKeysAndObjectsUsingBlock:", uintptr(pairs))
	require.Equal(t, []string{"kv", "lw"}, seen)
	_, err = h.try(dict, "enumerateKeysAndObjectsUsingBlock:", 0)
	require.ErrorIs(t, err, ErrNotObject)
	_, err = h.try(list, "enumerateObjectsUsingBlock:", uintptr(list))
	require.ErrorContains(t, err, "not a block")
	bad, err := h.NewBlock("v@?@Q^B", func([]uintptr) uintptr { panic("oh") })
	require.NoError(t, err)
	_, err = h.try(list, "enumerateObjectsUsingBlock:", uintptr(h.own(bad)))
	require.ErrorIs(t, err, ErrPanic)
}

func TestMutableArray(t *testing.T) {
	h := newHarness(t)
	a, b, c := h.str("a"), h.str("b"), h.str("c")
	list := h.own(h.id(h.id(h.class("NSMutableArray"), "alloc"), "initWithCapacity:", 4))
	check := func(want string) {
		t.Helper()
		require.Equal(t, want, h.text(list, "componentsJoinedByString:", uintptr(h.str(""))))
	}
	h.send(list, "addObject:", uintptr(a))
	h.send(list, "addObject:", uintptr(b))
	h.send(list, "insertObject:atIndex:", uintptr(c), 0)
	check("cab")
	h.send(list, "replaceObjectAtIndex:withObject:", 1, uintptr(b))
	check("cbb")
	require.Equal(t, 1, h.RetainCount(a))
	h.send(list, "setObject:atIndexedSubscript:", uintptr(a), 3)
	check("cbba")
	h.send(list, "exchangeObjectAtIndex:withObjectAtIndex:", 0, 3)
	check("abbc")
	mutableCopy := h.own(h.id(list, "mutableCopy"))
	fixed := h.own(h.id(list, "copy"))
	require.Equal(t, h.class("NSArray"), h.id(fixed, "class"))
	h.send(list, "removeObject:", uintptr(h.str("b")))
	check("ac")
	h.send(list, "removeLastObject")
	h.send(list, "addObjectsFromArray:", uintptr(fixed))
	check("aabbc")
	h.send(list, "removeObjectIdenticalTo:", uintptr(a))
	h.send(list, "removeObjectAtIndex:", 0)
	check("bc")
	h.send(list, "setArray:", uintptr(mutableCopy))
	check("abbc")
	h.send(list, "addObjectsFromArray:", uintptr(list))
	check("abbcabbc")
	h.send(list, "removeAllObjects")
	h.send(list, "removeLastObject")
	check("")
	require.EqualValues(t, 4, h.send(fixed, "count"))
	require.Equal(t, h.class("NSMutableArray"), h.id(h.id(h.class("NSMutableArray"), "arrayWithCapacity:", 3), "class"))
	for _, bad := range []struct {
		sel  string
		args []uintptr
	}{
		{"addObject:", []uintptr{0}},
		{"insertObject:atIndex:", []uintptr{uintptr(a), 1}},
		{"replaceObjectAtIndex:withObject:", []uintptr{0, uintptr(a)}},
		{"setObject:atIndexedSubscript:", []uintptr{uintptr(a), 1}},
		{"removeObjectAtIndex:", []uintptr{0}},
		{"exchangeObjectAtIndex:withObjectAtIndex:", []uintptr{0, 1}},
		{"setArray:", []uintptr{uintptr(a)}},
	} {
		_, err := h.try(list, bad.sel, bad.args...)
		require.ErrorIs(t, err, ErrException, bad.sel)
	}
	_, err := h.try(h.own(h.id(h.class("NSMutableArray"), "alloc")), "addObject:", uintptr(a))
	require.ErrorContains(t, err, "not initialized")
	// What was taken out of a mutable array lives as long as the pool.
	h.send(list, "addObject:", uintptr(a))
	last := h.id(list, "lastObject")
	require.Equal(t, h.RetainCount(a), h.RetainCount(last))
}

func TestDictionary(t *testing.T) {
	h := newHarness(t)
	k1, k2, v1, v2 := h.str("one"), h.own(h.NewInt(2)), h.str("1"), h.str("2")
	dict := h.own(h.id(h.id(h.class("NSDictionary"), "alloc"), "initWithObjects:forKeys:count:", h.array(words(v1, v2)...),
		h.array(words(k1, k2)...), 2))
	require.EqualValues(t, 2, h.send(dict, "count"))
	require.Equal(t, v1, h.id(dict, "objectForKey:", uintptr(h.str("one"))))
	require.Equal(t, v2, h.id(dict, "objectForKeyedSubscript:", uintptr(h.own(h.NewFloat(2)))), "2.0 is 2")
	require.Equal(t, v1, h.id(dict, "valueForKey:", uintptr(k1)))
	require.Zero(t, h.id(dict, "objectForKey:", uintptr(v1)))
	require.Zero(t, h.id(dict, "objectForKey:", 0))
	keys, values, err := h.DictionaryItems(dict)
	require.NoError(t, err)
	require.Equal(t, []ID{k1, k2}, keys, "strings and numbers are their own copies")
	require.Equal(t, []ID{v1, v2}, values)
	items, err := h.ArrayItems(h.id(dict, "allKeys"))
	require.NoError(t, err)
	require.Equal(t, keys, items)
	items, err = h.ArrayItems(h.id(dict, "allValues"))
	require.NoError(t, err)
	require.Equal(t, values, items)
	require.Equal(t, "{\n    one = 1;\n    2 = 2;\n}", h.text(dict, "description"))
	objects, names := h.array(0, 0), h.array(0, 0)
	h.send(dict, "getObjects:andKeys:count:", objects, names, 1)
	require.Equal(t, words(v1, k1, 0), []uintptr{h.word(objects), h.word(names), h.word(names + 8)})
	h.send(dict, "getObjects:andKeys:count:", objects, 0, 99)
	require.Equal(t, uintptr(v2), h.word(objects+8))
	same := h.id(h.class("NSDictionary"), "dictionaryWithDictionary:", uintptr(dict))
	require.EqualValues(t, 1, h.send(dict, "isEqual:", uintptr(same)))
	require.Equal(t, h.send(dict, "hash"), h.send(same, "hash"))
	require.Zero(t, h.send(dict, "isEqualToDictionary:", uintptr(h.id(h.class("NSDictionary"), "dictionary"))))
	require.Zero(t, h.send(dict, "isEqual:", uintptr(k1)))
	other := h.id(h.class("NSDictionary"), "dictionaryWithObject:forKey:", uintptr(v1), uintptr(k1))
	require.Zero(t, h.send(dict, "isEqual:", uintptr(other)))
	require.Equal(t, dict, h.id(dict, "copy"))
	require.NoError(t, h.Release(dict))
	twice := h.id(h.class("NSDictionary"), "dictionaryWithObjects:forKeys:count:", h.array(words(v1, v2)...),
		h.array(words(k1, k1)...), 2)
	require.EqualValues(t, 1, h.send(twice, "count"))
	require.Equal(t, v1, h.id(twice, "objectForKey:", uintptr(k1)), "the first stays")
	arrays := h.id(h.class("NSDictionary"), "dictionaryWithObjects:forKeys:", uintptr(h.id(dict, "allValues")),
		uintptr(h.id(dict, "allKeys")))
	require.EqualValues(t, 1, h.send(dict, "isEqual:", uintptr(arrays)))

	plain := h.own(h.NewObject(h.Class("NSObject"), nil))
	for _, bad := range []struct {
		args []uintptr
		is   error
	}{
		{[]uintptr{uintptr(v1), 0}, ErrException},
		{[]uintptr{0, uintptr(k1)}, ErrException},
		{words(v1, plain), ErrUnrecognized}, // no copyWithZone:
		{[]uintptr{uintptr(v1), 5}, ErrNotObject},
		{[]uintptr{5, uintptr(k1)}, ErrNotObject},
	} {
		_, err := h.try(h.class("NSDictionary"), "dictionaryWithObject:forKey:", bad.args...)
		require.ErrorIs(t, err, bad.is, "%v", bad.args)
	}
	_, err = h.try(h.class("NSDictionary"), "dictionaryWithObjects:forKeys:", uintptr(h.id(dict, "allValues")), 0)
	require.ErrorIs(t, err, ErrException)
	_, _, err = h.DictionaryItems(k1)
	require.ErrorContains(t, err, "not a dictionary")
	_, err = h.NewDictionary(map[string]ID{"x": 7})
	require.Error(t, err)
	d, err := h.NewDictionaryOf([]ID{k2}, []ID{v2})
	require.NoError(t, err)
	require.Equal(t, v2, h.id(h.own(d), "objectForKey:", uintptr(k2)))
}

func TestMutableDictionary(t *testing.T) {
	h := newHarness(t)
	dict := h.own(h.id(h.class("NSMutableDictionary"), "new"))
	model := map[string]string{}
	// Enough keys that entries move when others are removed.
	for i := range 300 {
		k, v := fmt.Sprint("key", i*7%50), fmt.Sprint(i)
		if i%3 == 2 {
			h.send(dict, "removeObjectForKey:", uintptr(h.str(k)))
			delete(model, k)
			continue
		}
		h.send(dict, "setObject:forKey:", uintptr(h.str(v)), uintptr(h.str(k)))
		model[k] = v
		require.EqualValues(t, len(model), h.send(dict, "count"))
	}
	for i := range 50 {
		k := fmt.Sprint("key", i)
		require.Equal(t, model[k], h.text(dict, "objectForKey:", uintptr(h.str(k))))
	}
	a := h.str("a")
	h.send(dict, "setObject:forKeyedSubscript:", uintptr(a), uintptr(a))
	h.send(dict, "setObject:forKeyedSubscript:", 0, uintptr(a))
	require.Zero(t, h.id(dict, "objectForKey:", uintptr(a)))
	h.send(dict, "setValue:forKey:", uintptr(a), uintptr(a))
	fixed := h.own(h.id(dict, "copy"))
	other := h.own(h.id(dict, "mutableCopy"))
	require.Equal(t, h.class("NSDictionary"), h.id(fixed, "class"))
	h.send(dict, "removeObjectsForKeys:", uintptr(h.id(fixed, "allKeys")))
	require.Zero(t, h.send(dict, "count"))
	h.send(dict, "addEntriesFromDictionary:", uintptr(fixed))
	require.EqualValues(t, 1, h.send(dict, "isEqual:", uintptr(other)))
	h.send(dict, "setDictionary:", uintptr(dict))
	require.EqualValues(t, 1, h.send(dict, "isEqual:", uintptr(other)))
	h.send(dict, "removeAllObjects")
	require.Zero(t, h.send(h.id(h.class("NSMutableDictionary"), "dictionaryWithCapacity:", 3), "count"))
	for _, bad := range []struct {
		sel  string
		args []uintptr
	}{
		{"setObject:forKey:", []uintptr{0, uintptr(a)}},
		{"setObject:forKey:", []uintptr{uintptr(a), 0}},
		{"removeObjectForKey:", []uintptr{0}},
		{"addEntriesFromDictionary:", []uintptr{uintptr(a)}},
	} {
		_, err := h.try(dict, bad.sel, bad.args...)
		require.ErrorIs(t, err, ErrException, bad.sel)
	}
	_, err := h.try(h.own(h.id(h.class("NSMutableDictionary"), "alloc")), "setObject:forKey:", uintptr(a), uintptr(a))
	require.ErrorContains(t, err, "not initialized")
}
