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
	w := newWorld(t)
	a, b, c := w.str("a"), w.str("b"), w.own(w.NewInt(3))
	list := w.own(w.id(w.id(w.class("NSArray"), "alloc"), "initWithObjects:count:", w.array(words(a, b, c)...), 3))
	require.EqualValues(t, 3, w.send(list, "count"))
	require.Equal(t, b, w.id(list, "objectAtIndex:", 1))
	require.Equal(t, b, w.id(list, "objectAtIndexedSubscript:", 1))
	require.Equal(t, a, w.id(list, "firstObject"))
	require.Equal(t, c, w.id(list, "lastObject"))
	require.Equal(t, 2, w.RetainCount(a))
	require.EqualValues(t, 1, w.send(list, "containsObject:", uintptr(w.str("b"))))
	require.EqualValues(t, 1, w.send(list, "indexOfObject:", uintptr(w.str("b"))))
	require.EqualValues(t, notFound, w.send(list, "indexOfObjectIdenticalTo:", uintptr(w.str("b"))))
	require.EqualValues(t, notFound, w.send(list, "indexOfObject:", 0))
	require.Equal(t, "a-b-3", w.text(list, "componentsJoinedByString:", uintptr(w.str("-"))))
	require.Equal(t, "(\n    a,\n    b,\n    3\n)", w.text(list, "description"))
	same := w.own(w.id(w.class("NSArray"), "alloc"))
	require.Equal(t, same, w.id(same, "initWithArray:", uintptr(list)))
	require.EqualValues(t, 1, w.send(list, "isEqual:", uintptr(same)))
	require.Equal(t, w.send(list, "hash"), w.send(same, "hash"))
	require.Zero(t, w.send(list, "isEqualToArray:", uintptr(w.id(list, "subarrayWithRange:", 0, 2))))
	require.Zero(t, w.send(list, "isEqual:", uintptr(a)))
	more := w.id(list, "arrayByAddingObject:", uintptr(a))
	require.EqualValues(t, 4, w.send(more, "count"))
	require.EqualValues(t, 7, w.send(w.id(more, "arrayByAddingObjectsFromArray:", uintptr(list)), "count"))
	buf := w.array(0, 0)
	w.send(list, "getObjects:range:", buf, 1, 2)
	require.Equal(t, words(b, c), []uintptr{w.word(buf), w.word(buf + 8)})
	require.Equal(t, list, w.id(list, "copy"))
	require.NoError(t, w.Release(list))
	require.Zero(t, w.send(w.id(w.class("NSArray"), "array"), "count"))
	require.Zero(t, w.id(w.id(w.class("NSArray"), "array"), "firstObject"))
	require.Zero(t, w.id(w.id(w.class("NSArray"), "array"), "lastObject"))
	require.EqualValues(t, 1, w.send(w.id(w.class("NSArray"), "arrayWithObject:", uintptr(a)), "count"))
	w.send(w.id(w.class("NSArray"), "arrayWithObjects:count:", w.array(words(a, b)...), 2), "makeObjectsPerformSelector:", uintptr(w.Sel("description")))

	items, err := w.ArrayItems(list)
	require.NoError(t, err)
	require.Equal(t, []ID{a, b, c}, items)
	items, err = w.ArrayItems(0)
	require.NoError(t, err)
	require.Empty(t, items)
	_, err = w.ArrayItems(a)
	require.ErrorContains(t, err, "not an array")
	s, err := w.ArrayItems(w.own(w.NewStrings([]string{"x", "y"})))
	require.NoError(t, err)
	require.Len(t, s, 2)

	gone := w.NewString("gone")
	require.NoError(t, w.Release(gone))
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
		{w.class("NSArray"), "arrayWithObject:", []uintptr{0}, ErrException},
		{w.class("NSArray"), "arrayWithObject:", words(gone), ErrReleased},
		{w.class("NSArray"), "arrayWithArray:", words(a), ErrException},
		{w.class("NSArray"), "arrayWithObjects:count:", []uintptr{w.array(words(a, 0)...), 2}, ErrException},
		{w.class("NSArray"), "arrayWithObjects:count:", []uintptr{w.array(words(a, gone)...), 2}, ErrReleased},
		{w.class("NSArray"), "arrayWithObjects:count:", []uintptr{0x10, 2}, ErrAddress},
		{w.class("NSArray"), "arrayWithObjects:count:", []uintptr{0x10, math.MaxUint64}, ErrAddress},
	} {
		_, err := w.try(bad.recv, bad.sel, bad.args...)
		require.ErrorIs(t, err, bad.is, "%s %v", bad.sel, bad.args)
	}
	before := w.RetainCount(a)
	_, err = w.NewArray([]ID{a, gone})
	require.ErrorIs(t, err, ErrReleased)
	_, err = w.NewArray([]ID{0})
	require.ErrorIs(t, err, ErrNotObject)
	require.Equal(t, before, w.RetainCount(a), "a failed array keeps nothing")
}

func TestEnumeration(t *testing.T) {
	w := newWorld(t)
	list := w.own(w.NewStrings([]string{"a", "b", "c"}))
	var seen []string
	block, err := w.NewBlock("v@?@Q^B", func(args []uintptr) uintptr {
		s, err := w.GoString(ID(args[0]))
		require.NoError(t, err)
		seen = append(seen, fmt.Sprint(s, args[1]))
		if args[1] == 1 {
			require.NoError(t, WriteMemory(args[2], []byte{1}))
		}
		return 0
	})
	require.NoError(t, err)
	w.own(block)
	w.send(list, "enumerateObjectsUsingBlock:", uintptr(block))
	require.Equal(t, []string{"a0", "b1"}, seen)

	dict, err := w.NewStringMap(map[string]string{"k": "v", "l": "w"})
	require.NoError(t, err)
	w.own(dict)
	seen = nil
	pairs, err := w.NewBlock("v@?@@^B", func(args []uintptr) uintptr {
		k, err := w.GoString(ID(args[0]))
		require.NoError(t, err)
		v, err := w.GoString(ID(args[1]))
		require.NoError(t, err)
		seen = append(seen, k+v)
		return 0
	})
	require.NoError(t, err)
	w.own(pairs)
	w.send(dict, "enumerateKeysAndObjectsUsingBlock:", uintptr(pairs))
	require.Equal(t, []string{"kv", "lw"}, seen)
	_, err = w.try(dict, "enumerateKeysAndObjectsUsingBlock:", 0)
	require.ErrorIs(t, err, ErrNotObject)
	_, err = w.try(list, "enumerateObjectsUsingBlock:", uintptr(list))
	require.ErrorContains(t, err, "not a block")
	bad, err := w.NewBlock("v@?@Q^B", func([]uintptr) uintptr { panic("oh") })
	require.NoError(t, err)
	_, err = w.try(list, "enumerateObjectsUsingBlock:", uintptr(w.own(bad)))
	require.ErrorIs(t, err, ErrPanic)
}

func TestMutableArray(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.str("a"), w.str("b"), w.str("c")
	list := w.own(w.id(w.id(w.class("NSMutableArray"), "alloc"), "initWithCapacity:", 4))
	check := func(want string) {
		t.Helper()
		require.Equal(t, want, w.text(list, "componentsJoinedByString:", uintptr(w.str(""))))
	}
	w.send(list, "addObject:", uintptr(a))
	w.send(list, "addObject:", uintptr(b))
	w.send(list, "insertObject:atIndex:", uintptr(c), 0)
	check("cab")
	w.send(list, "replaceObjectAtIndex:withObject:", 1, uintptr(b))
	check("cbb")
	require.Equal(t, 1, w.RetainCount(a))
	w.send(list, "setObject:atIndexedSubscript:", uintptr(a), 3)
	check("cbba")
	w.send(list, "exchangeObjectAtIndex:withObjectAtIndex:", 0, 3)
	check("abbc")
	mutableCopy := w.own(w.id(list, "mutableCopy"))
	fixed := w.own(w.id(list, "copy"))
	require.Equal(t, w.class("NSArray"), w.id(fixed, "class"))
	w.send(list, "removeObject:", uintptr(w.str("b")))
	check("ac")
	w.send(list, "removeLastObject")
	w.send(list, "addObjectsFromArray:", uintptr(fixed))
	check("aabbc")
	w.send(list, "removeObjectIdenticalTo:", uintptr(a))
	w.send(list, "removeObjectAtIndex:", 0)
	check("bc")
	w.send(list, "setArray:", uintptr(mutableCopy))
	check("abbc")
	w.send(list, "addObjectsFromArray:", uintptr(list))
	check("abbcabbc")
	w.send(list, "removeAllObjects")
	w.send(list, "removeLastObject")
	check("")
	require.EqualValues(t, 4, w.send(fixed, "count"))
	require.Equal(t, w.class("NSMutableArray"), w.id(w.id(w.class("NSMutableArray"), "arrayWithCapacity:", 3), "class"))
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
		_, err := w.try(list, bad.sel, bad.args...)
		require.ErrorIs(t, err, ErrException, bad.sel)
	}
	_, err := w.try(w.own(w.id(w.class("NSMutableArray"), "alloc")), "addObject:", uintptr(a))
	require.ErrorContains(t, err, "not initialised")
	// What was taken out of a mutable array lives as long as the pool.
	w.send(list, "addObject:", uintptr(a))
	last := w.id(list, "lastObject")
	require.Equal(t, w.RetainCount(a), w.RetainCount(last))
}

func TestDictionary(t *testing.T) {
	w := newWorld(t)
	k1, k2, v1, v2 := w.str("one"), w.own(w.NewInt(2)), w.str("1"), w.str("2")
	dict := w.own(w.id(w.id(w.class("NSDictionary"), "alloc"), "initWithObjects:forKeys:count:", w.array(words(v1, v2)...), w.array(words(k1, k2)...), 2))
	require.EqualValues(t, 2, w.send(dict, "count"))
	require.Equal(t, v1, w.id(dict, "objectForKey:", uintptr(w.str("one"))))
	require.Equal(t, v2, w.id(dict, "objectForKeyedSubscript:", uintptr(w.own(w.NewFloat(2)))), "2.0 is 2")
	require.Equal(t, v1, w.id(dict, "valueForKey:", uintptr(k1)))
	require.Zero(t, w.id(dict, "objectForKey:", uintptr(v1)))
	require.Zero(t, w.id(dict, "objectForKey:", 0))
	keys, values, err := w.DictionaryItems(dict)
	require.NoError(t, err)
	require.Equal(t, []ID{k1, k2}, keys, "strings and numbers are their own copies")
	require.Equal(t, []ID{v1, v2}, values)
	items, err := w.ArrayItems(w.id(dict, "allKeys"))
	require.NoError(t, err)
	require.Equal(t, keys, items)
	items, err = w.ArrayItems(w.id(dict, "allValues"))
	require.NoError(t, err)
	require.Equal(t, values, items)
	require.Equal(t, "{\n    one = 1;\n    2 = 2;\n}", w.text(dict, "description"))
	objects, names := w.array(0, 0), w.array(0, 0)
	w.send(dict, "getObjects:andKeys:count:", objects, names, 1)
	require.Equal(t, words(v1, k1, 0), []uintptr{w.word(objects), w.word(names), w.word(names + 8)})
	w.send(dict, "getObjects:andKeys:count:", objects, 0, 99)
	require.Equal(t, uintptr(v2), w.word(objects+8))
	same := w.id(w.class("NSDictionary"), "dictionaryWithDictionary:", uintptr(dict))
	require.EqualValues(t, 1, w.send(dict, "isEqual:", uintptr(same)))
	require.Equal(t, w.send(dict, "hash"), w.send(same, "hash"))
	require.Zero(t, w.send(dict, "isEqualToDictionary:", uintptr(w.id(w.class("NSDictionary"), "dictionary"))))
	require.Zero(t, w.send(dict, "isEqual:", uintptr(k1)))
	other := w.id(w.class("NSDictionary"), "dictionaryWithObject:forKey:", uintptr(v1), uintptr(k1))
	require.Zero(t, w.send(dict, "isEqual:", uintptr(other)))
	require.Equal(t, dict, w.id(dict, "copy"))
	require.NoError(t, w.Release(dict))
	twice := w.id(w.class("NSDictionary"), "dictionaryWithObjects:forKeys:count:", w.array(words(v1, v2)...), w.array(words(k1, k1)...), 2)
	require.EqualValues(t, 1, w.send(twice, "count"))
	require.Equal(t, v1, w.id(twice, "objectForKey:", uintptr(k1)), "the first stays")
	arrays := w.id(w.class("NSDictionary"), "dictionaryWithObjects:forKeys:", uintptr(w.id(dict, "allValues")), uintptr(w.id(dict, "allKeys")))
	require.EqualValues(t, 1, w.send(dict, "isEqual:", uintptr(arrays)))

	plain := w.own(w.NewObject(w.Class("NSObject"), nil))
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
		_, err := w.try(w.class("NSDictionary"), "dictionaryWithObject:forKey:", bad.args...)
		require.ErrorIs(t, err, bad.is, "%v", bad.args)
	}
	_, err = w.try(w.class("NSDictionary"), "dictionaryWithObjects:forKeys:", uintptr(w.id(dict, "allValues")), 0)
	require.ErrorIs(t, err, ErrException)
	_, _, err = w.DictionaryItems(k1)
	require.ErrorContains(t, err, "not a dictionary")
	_, err = w.NewDictionary(map[string]ID{"x": 7})
	require.Error(t, err)
	d, err := w.NewDictionaryOf([]ID{k2}, []ID{v2})
	require.NoError(t, err)
	require.Equal(t, v2, w.id(w.own(d), "objectForKey:", uintptr(k2)))
}

func TestMutableDictionary(t *testing.T) {
	w := newWorld(t)
	dict := w.own(w.id(w.class("NSMutableDictionary"), "new"))
	model := map[string]string{}
	// Enough keys that entries move when others are removed.
	for i := range 300 {
		k, v := fmt.Sprint("key", i*7%50), fmt.Sprint(i)
		if i%3 == 2 {
			w.send(dict, "removeObjectForKey:", uintptr(w.str(k)))
			delete(model, k)
			continue
		}
		w.send(dict, "setObject:forKey:", uintptr(w.str(v)), uintptr(w.str(k)))
		model[k] = v
		require.EqualValues(t, len(model), w.send(dict, "count"))
	}
	for i := range 50 {
		k := fmt.Sprint("key", i)
		require.Equal(t, model[k], w.text(dict, "objectForKey:", uintptr(w.str(k))))
	}
	a := w.str("a")
	w.send(dict, "setObject:forKeyedSubscript:", uintptr(a), uintptr(a))
	w.send(dict, "setObject:forKeyedSubscript:", 0, uintptr(a))
	require.Zero(t, w.id(dict, "objectForKey:", uintptr(a)))
	w.send(dict, "setValue:forKey:", uintptr(a), uintptr(a))
	fixed := w.own(w.id(dict, "copy"))
	other := w.own(w.id(dict, "mutableCopy"))
	require.Equal(t, w.class("NSDictionary"), w.id(fixed, "class"))
	w.send(dict, "removeObjectsForKeys:", uintptr(w.id(fixed, "allKeys")))
	require.Zero(t, w.send(dict, "count"))
	w.send(dict, "addEntriesFromDictionary:", uintptr(fixed))
	require.EqualValues(t, 1, w.send(dict, "isEqual:", uintptr(other)))
	w.send(dict, "setDictionary:", uintptr(dict))
	require.EqualValues(t, 1, w.send(dict, "isEqual:", uintptr(other)))
	w.send(dict, "removeAllObjects")
	require.Zero(t, w.send(w.id(w.class("NSMutableDictionary"), "dictionaryWithCapacity:", 3), "count"))
	for _, bad := range []struct {
		sel  string
		args []uintptr
	}{
		{"setObject:forKey:", []uintptr{0, uintptr(a)}},
		{"setObject:forKey:", []uintptr{uintptr(a), 0}},
		{"removeObjectForKey:", []uintptr{0}},
		{"addEntriesFromDictionary:", []uintptr{uintptr(a)}},
	} {
		_, err := w.try(dict, bad.sel, bad.args...)
		require.ErrorIs(t, err, ErrException, bad.sel)
	}
	_, err := w.try(w.own(w.id(w.class("NSMutableDictionary"), "alloc")), "setObject:forKey:", uintptr(a), uintptr(a))
	require.ErrorContains(t, err, "not initialised")
}
