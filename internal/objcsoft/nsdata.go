package objcsoft

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
)

// dataValue is the payload of an NSData: its own bytes, or the caller's memory, which it must not
// copy.
type dataValue struct {
	own []byte
	pin pinnedPointer

	external uintptr
	length   uint64 // of external
	free     ID     // block to call with external and length, or nil
}

// newData takes over the slice.
func newData(b []byte) *dataValue { return &dataValue{own: b} }

func (d *dataValue) size() uint64 {
	if d.external != 0 {
		return d.length
	}
	return uint64(len(d.own))
}

// read returns the bytes, which must not be changed; external memory is copied.
func (d *dataValue) read() ([]byte, error) {
	if d.external != 0 {
		return ReadMemory(d.external, d.length)
	}
	return d.own, nil
}

// bytes is read for callers that treat unreadable memory as empty.
func (d *dataValue) bytes() []byte {
	b, _ := d.read()
	return b
}

// address is the address of the bytes, valid while the object lives. It is nil if there are none.
func (d *dataValue) address() uintptr {
	if d.external != 0 {
		return d.external
	}
	if len(d.own) == 0 {
		return 0
	}
	if p := d.pin.Load(); p != nil {
		return p.address()
	}
	p := pinBytes(d.own)
	if !d.pin.CompareAndSwap(nil, p) {
		p.unpin()
	}
	return d.pin.Load().address()
}

func nsData() ClassSpec {
	return ClassSpec{
		Name:      "NSData",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSMutableCopying", "NSSecureCoding"},
		Methods: []MethodSpec{
			{"init", "@@:", func(c *Call) { c.initialize(newData(nil)) }},
			{"initWithBytes:length:", "@@:r^vQ", func(c *Call) {
				b := c.Bytes(0, c.Uint(1))
				if c.Failed() {
					c.initFailed()
					return
				}
				c.initialize(newData(b))
			}},
			{"initWithBytesNoCopy:length:", "@@:^vQ", func(c *Call) { c.initialize(externalData(c)) }},
			{"initWithBytesNoCopy:length:freeWhenDone:", "@@:^vQB", func(c *Call) { c.initialize(externalData(c)) }},
			{"initWithBytesNoCopy:length:deallocator:", "@@:^vQ@?", func(c *Call) {
				d := externalData(c)
				if err := c.RT.Retain(c.ID(2)); err != nil {
					c.Fail(err)
					return
				}
				d.free = c.ID(2)
				c.initialize(d)
			}},
			{"initWithData:", "@@:@", func(c *Call) {
				if d := c.dataArg(0); d != nil {
					c.initialize(newData(d.bytes()))
				}
			}},
			{"initWithBase64EncodedString:options:", "@@:@Q", func(c *Call) {
				if s := c.stringArg(0); s != nil {
					b, err := base64.StdEncoding.DecodeString(s.goString())
					if err != nil {
						c.initFailed()
						return
					}
					c.initialize(newData(b))
				}
			}},
			{"length", "Q@:", func(c *Call) { c.ReturnUint(c.selfData().size()) }},
			{"bytes", "r^v@:", func(c *Call) { c.Return(c.selfData().address()) }},
			{"getBytes:length:", "v@:^vQ", func(c *Call) {
				if b, ok := c.selfBytes(); ok {
					c.StoreBytes(0, b[:min(c.Uint(1), uint64(len(b)))])
				}
			}},
			{"getBytes:range:", "v@:^v{_NSRange=QQ}", func(c *Call) {
				if b, ok := c.selfBytes(); ok {
					if lo, hi, ok := c.rangeArg(1, len(b)); ok {
						c.StoreBytes(0, b[lo:hi])
					}
				}
			}},
			{"subdataWithRange:", "@@:{_NSRange=QQ}", func(c *Call) {
				if b, ok := c.selfBytes(); ok {
					if lo, hi, ok := c.rangeArg(0, len(b)); ok {
						c.returnData(bytes.Clone(b[lo:hi]))
					}
				}
			}},
			{"base64EncodedStringWithOptions:", "@@:Q", func(c *Call) {
				if b, ok := c.selfBytes(); ok {
					c.returnString(base64.StdEncoding.EncodeToString(b))
				}
			}},
			{"isEqualToData:", "B@:@", func(c *Call) { c.ReturnBool(equalData(c)) }},
			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(equalData(c)) }},
			{"hash", "Q@:", func(c *Call) {
				b, _ := c.selfBytes()
				c.ReturnUint(newString(string(b[:min(len(b), 80)])).hash())
			}},
			{"description", "@@:", func(c *Call) {
				if b, ok := c.selfBytes(); ok {
					c.returnString(describeData(b))
				}
			}},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) { c.ReturnRetained(c.Self.id) }},
		},
		ClassMethods: []MethodSpec{
			{"data", "@@:", func(c *Call) { c.returnData(nil) }},
			{"dataWithBytes:length:", "@@:r^vQ", func(c *Call) {
				if b := c.Bytes(0, c.Uint(1)); !c.Failed() {
					c.returnData(b)
				}
			}},
			{"dataWithBytesNoCopy:length:", "@@:^vQ", returnExternal},
			{"dataWithBytesNoCopy:length:freeWhenDone:", "@@:^vQB", returnExternal},
			{"dataWithData:", "@@:@", func(c *Call) {
				if d := c.dataArg(0); d != nil {
					c.returnData(d.bytes())
				}
			}},
		},
		Dealloc: deallocData,
	}
}

func deallocData(o *Object) {
	d, ok := o.Payload.(*dataValue)
	if !ok {
		return
	}
	d.pin.Load().unpin()
	if d.free != 0 {
		rt := o.class.rt
		_, err := rt.InvokeBlock(d.free, []uintptr{d.external, uintptr(d.length)})
		if err = errors.Join(err, rt.Release(d.free)); err != nil {
			Fail(err)
		}
	}
}

// externalData reads an address and a length. Memory that should be freed with the object is not
// freed: this runtime has no malloc that it could have come from.
func externalData(c *Call) *dataValue {
	if c.Word(0) == 0 || c.Uint(1) == 0 {
		return newData(nil)
	}
	return &dataValue{external: c.Word(0), length: c.Uint(1)}
}

func returnExternal(c *Call) {
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.data, externalData(c)))
}

var emptyData = new(dataValue)

// dataOf returns an object's data, or nil if it is not data.
func dataOf(o *Object) *dataValue {
	if o == nil {
		return nil
	}
	if d, ok := o.Payload.(*dataValue); ok {
		return d
	}
	if o.Payload == nil && o.class.IsSubclassOf(o.class.rt.foundation.data) {
		return emptyData
	}
	return nil
}

func (c *Call) selfData() *dataValue {
	if d := dataOf(c.Self); d != nil {
		return d
	}
	return emptyData
}

// selfBytes returns the receiver's bytes; memory that cannot be read fails the call.
func (c *Call) selfBytes() ([]byte, bool) {
	b, err := c.selfData().read()
	if err != nil {
		c.Fail(err)
	}
	return b, err == nil
}

// dataArg returns a data argument; anything else, nil too, fails the call.
func (c *Call) dataArg(i int) *dataValue {
	o := c.Object(i)
	d := dataOf(o)
	if d == nil && !c.Failed() {
		c.Raise(invalidArgumentException, "argument %d is %s, not data", i, className(o))
	}
	return d
}

func equalData(c *Call) bool {
	d := dataOf(c.RT.table.get(c.ID(0)))
	b, ok := c.selfBytes()
	return ok && d != nil && bytes.Equal(b, d.bytes())
}

// describeData writes "{length = 3, bytes = 0x010203}"; long data is abbreviated.
func describeData(b []byte) string {
	text := "0x" + hex.EncodeToString(b)
	if len(b) > 24 {
		text = "0x" + hex.EncodeToString(b[:16]) + " ... " + hex.EncodeToString(b[len(b)-8:])
	}
	return "{length = " + strconv.Itoa(len(b)) + ", bytes = " + text + "}"
}

func (c *Call) returnData(b []byte) {
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.data, newData(b)))
}

// NewData makes an NSData with a count of one and a copy of the bytes.
func (rt *Runtime) NewData(b []byte) ID {
	return rt.NewObject(rt.foundation.data, newData(bytes.Clone(b)))
}
