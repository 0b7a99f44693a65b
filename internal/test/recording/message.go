package recording

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// Message is a received message or function call.
type Message struct {
	Method   Method
	Receiver objcsoft.ID // 0 for a function
	Args     []Arg       // after _cmd
	Result   []uintptr   // words of the reply; set once the message has been answered
	// objects made for the reply: the result, or the elements of a collection; then an
	// out-parameter
	Made []objcsoft.ID
	Key  objcsoft.ID // key of a dictionary of the kind Dictionary
}

// Arg is one argument as received.
type Arg struct {
	Type  typeenc.Type
	Words []uintptr
	Value Value // of an object
}

// Value describes an object as of when its message arrived; the object may be gone since.
type Value struct {
	ID    objcsoft.ID
	Class string // without the device's prefix
	Text  string // of a string; path or text of a URL
	Data  []byte
	Items []Value // of an array; values of a dictionary
	Keys  []Value // of a dictionary
	Int   int64   // of a number
	Block string  // a block's encoding
}

// value reads an object. Nil, and anything that is not an object, give a Value that is zero except
// for the ID.
func (d *Device) value(id objcsoft.ID) Value {
	v := Value{ID: id, Class: d.ClassName(id)}
	if v.Class == "" {
		return v
	}
	if v.Block = d.rt.BlockEncoding(id); v.Block != "" {
		return v
	}
	if s, err := d.rt.GoString(id); err == nil {
		v.Text = s
	} else if s, _, err := d.rt.GoURL(id); err == nil {
		v.Text = s
	} else if b, err := d.rt.GoBytes(id); err == nil {
		v.Data = b
	} else if items, err := d.rt.ArrayItems(id); err == nil {
		v.Items = d.values(items)
	} else if keys, items, err := d.rt.DictionaryItems(id); err == nil {
		v.Items = d.values(items)
		v.Keys = d.values(keys)
	} else if n, err := d.rt.GoNumber(id); err == nil {
		v.Int = n.Int
	}
	return v
}

// Value reads an object as it is now.
func (d *Device) Value(id objcsoft.ID) Value { return d.value(id) }

func (d *Device) values(ids []objcsoft.ID) []Value {
	vs := make([]Value, len(ids))
	for i, id := range ids {
		vs[i] = d.value(id)
	}
	return vs
}

// answer records a message and makes its result. c is nil for a function.
func (d *Device) answer(method *Method, ret typeenc.Type, args []typeenc.Type, words []uintptr,
	c *objcsoft.Call) []uintptr {
	m := &Message{Method: *method}
	if c != nil {
		m.Receiver = c.Self.ID()
	}
	at := 0
	for _, t := range args {
		n := typeenc.Words(t)
		a := Arg{Type: t, Words: append([]uintptr(nil), words[at:at+n]...)}
		if t.IsObject() {
			a.Value = d.value(objcsoft.ID(a.Words[0]))
		}
		m.Args = append(m.Args, a)
		at += n
	}
	d.mu.Lock()
	d.taken = append(d.taken, m)
	reply, inspect := d.reply, d.inspect
	d.mu.Unlock()
	if inspect != nil {
		inspect(m)
	}
	if err := d.fill(m, reply(m), ret); err != nil {
		if c == nil {
			panic(err)
		}
		c.Fail(err)
		return nil
	}
	return m.Result
}
