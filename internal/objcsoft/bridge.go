package objcsoft

import (
	"bytes"
	"fmt"
	"slices"
)

// The functions in this file are for Go code that implements classes, or that replaces a program's
// Objective-C code. New objects have a retain count of one.

// describedAs names an object for an error.
func (rt *Runtime) describedAs(id ID) string {
	if o := rt.table.get(id); o != nil {
		return className(o)
	}
	return fmt.Sprintf("%#x", uintptr(id))
}

func (rt *Runtime) wrong(id ID, want string) error {
	if id != 0 && rt.table.get(id) == nil {
		return rt.noObject("look-up", id)
	}
	return fmt.Errorf("objc: object is %s, not %s: %w", rt.describedAs(id), want, ErrNotObject)
}

// mustRelease releases strings that this package has just made. They can be gone only if someone
// guessed their handles.
func (rt *Runtime) mustRelease(ids ...ID) {
	if err := releaseAll(rt, ids); err != nil {
		panic(err)
	}
}

// GoString returns the text of an NSString; lone surrogates become U+FFFD. Nil
// is the empty string.
func (rt *Runtime) GoString(id ID) (string, error) {
	if id == 0 {
		return "", nil
	}
	v := stringOf(rt.table.get(id))
	if v == nil {
		return "", rt.wrong(id, "a string")
	}
	return v.goString(), nil
}

// GoBytes returns a copy of an NSData's bytes; nil for nil.
func (rt *Runtime) GoBytes(id ID) ([]byte, error) {
	if id == 0 {
		return nil, nil
	}
	d := dataOf(rt.table.get(id))
	if d == nil {
		return nil, rt.wrong(id, "data")
	}
	b, err := d.read()
	return bytes.Clone(b), err
}

// NewArray makes an NSArray; it retains the items.
func (rt *Runtime) NewArray(items []ID) (ID, error) {
	for i, id := range items {
		if id == 0 {
			return 0, fmt.Errorf("objc: item %d of an array is nil: %w", i, ErrNotObject)
		}
	}
	return rt.newArray(items, false)
}

// NewStrings makes an NSArray of NSStrings.
func (rt *Runtime) NewStrings(list []string) ID {
	items := make([]ID, len(list)) // the array takes over their counts
	for i, s := range list {
		items[i] = rt.NewString(s)
	}
	return rt.NewObject(rt.foundation.array, &arrayValue{items: items})
}

// ArrayItems returns the items of an NSArray, not retained; none for nil.
func (rt *Runtime) ArrayItems(id ID) ([]ID, error) {
	if id == 0 {
		return nil, nil
	}
	a := arrayOf(rt.table.get(id))
	if a == nil {
		return nil, rt.wrong(id, "an array")
	}
	return slices.Clone(a.snapshot()), nil
}

// NewDictionary makes an NSDictionary with NSString keys, in the order of the
// keys; it retains the values.
func (rt *Runtime) NewDictionary(m map[string]ID) (ID, error) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	keys, values := make([]ID, len(m)), make([]ID, len(m))
	for i, name := range names {
		keys[i], values[i] = rt.NewString(name), m[name]
	}
	defer rt.mustRelease(keys...)
	return rt.newDictionary(keys, values, false)
}

// NewStringMap makes an NSDictionary of NSStrings.
func (rt *Runtime) NewStringMap(m map[string]string) (ID, error) {
	ids := make(map[string]ID, len(m))
	values := make([]ID, 0, len(m))
	for k, v := range m {
		ids[k] = rt.NewString(v)
		values = append(values, ids[k])
	}
	defer rt.mustRelease(values...)
	return rt.NewDictionary(ids)
}

// NewDictionaryOf makes an NSDictionary from parallel lists of keys and values; it copies the keys
// and retains the values.
func (rt *Runtime) NewDictionaryOf(keys, values []ID) (ID, error) {
	return rt.newDictionary(keys, values, false)
}

// DictionaryItems returns keys and values of an NSDictionary, not retained; none
// for nil.
func (rt *Runtime) DictionaryItems(id ID) (keys, values []ID, err error) {
	if id == 0 {
		return nil, nil, nil
	}
	d := dictionaryOf(rt.table.get(id))
	if d == nil {
		return nil, nil, rt.wrong(id, "a dictionary")
	}
	keys, values = split(d.snapshot())
	return keys, values, nil
}

// Number is the value of an NSNumber in each of the three forms in which it can be read.
type Number struct {
	// Kind is the letter of the C type it was made from: f and d are floating-point, BOOL is c.
	Kind byte
	// Int and Uint are the value as an integer, Float as a double.
	Int   int64
	Uint  uint64
	Float float64
}

// GoNumber returns the value of an NSNumber.
func (rt *Runtime) GoNumber(id ID) (Number, error) {
	n, ok := numberOf(rt.table.get(id))
	if !ok {
		return Number{}, rt.wrong(id, "a number")
	}
	return Number{n.kind, n.signed(), n.integer(), n.float()}, nil
}

// GoURL returns the path of a file NSURL, and the text of any other.
func (rt *Runtime) GoURL(id ID) (text string, isFile bool, err error) {
	u := urlOf(rt.table.get(id))
	if u == nil {
		return "", false, rt.wrong(id, "a URL")
	}
	if u.isFile() {
		return u.path(), true, nil
	}
	return u.text, false, nil
}

// Description returns the object's description.
func (rt *Runtime) Description(id ID) (string, error) {
	if id == 0 {
		return "(null)", nil
	}
	if o := rt.table.get(id); o != nil {
		if v := stringOf(o); v != nil {
			return v.goString(), nil
		}
	}
	token := rt.PushPool()
	w, err := rt.Message(id, "description", "@@:")
	var s string
	if err == nil {
		s, err = rt.GoString(ID(w))
	}
	if popErr := rt.PopPool(token); err == nil {
		err = popErr
	}
	return s, err
}

// descriptions describes objects, up to the first that cannot be described, which fails the call.
func (c *Call) descriptions(ids []ID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		s, err := c.RT.Description(id)
		if err != nil {
			c.Fail(err)
			break
		}
		list[i] = s
	}
	return list
}

// Equal reports whether two objects are identical, or equal according to isEqual:.
func (rt *Runtime) Equal(a, b ID) (bool, error) {
	if a == b || a == 0 || b == 0 {
		return a == b, nil
	}
	if v := stringOf(rt.table.get(a)); v != nil {
		if w := stringOf(rt.table.get(b)); w != nil {
			return v.equal(w), nil
		}
	}
	w, err := rt.Message(a, "isEqual:", "B@:@", uintptr(b))
	return w != 0, err
}

// Hash returns the object's hash; equal objects have the same hash.
func (rt *Runtime) Hash(id ID) (uint64, error) {
	if id == 0 {
		return 0, nil
	}
	if v := stringOf(rt.table.get(id)); v != nil {
		return v.hash(), nil
	}
	w, err := rt.Message(id, "hash", "Q@:")
	return uint64(w), err
}
