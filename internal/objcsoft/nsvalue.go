package objcsoft

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// valueValue is the payload of an NSValue: the bytes of a C value and its type.
type valueValue struct {
	enc   string
	bytes []byte
}

// cTypes keeps the C strings that objCType returns. There are as many as types
// in the program.
type cTypes struct {
	mu     sync.Mutex
	byText map[string]*pinned
}

func (rt *Runtime) cType(enc string) uintptr {
	t := &rt.foundation.cTypes
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byText[enc]
	if p == nil {
		if t.byText == nil {
			t.byText = map[string]*pinned{}
		}
		p = pinBytes(append([]byte(enc), 0))
		t.byText[enc] = p
	}
	return p.address()
}

// valueStructs are the structures with their own selectors.
var valueStructs = [...]struct{ factory, getter, enc string }{
	{"valueWithRange:", "rangeValue", "{_NSRange=QQ}"},
	{"valueWithPoint:", "pointValue", "{CGPoint=dd}"},
	{"valueWithSize:", "sizeValue", "{CGSize=dd}"},
	{"valueWithRect:", "rectValue", "{CGRect={CGPoint=dd}{CGSize=dd}}"},
	{"valueWithEdgeInsets:", "edgeInsetsValue", "{NSEdgeInsets=dddd}"},
}

func nsValue() ClassSpec {
	pointer := func(c *Call) { c.returnValue("^v", c.Words(0)) }
	pointerValue := func(c *Call) {
		if w := c.valueWords(1); w != nil {
			c.Return(w[0])
		}
	}
	spec := ClassSpec{
		Name:      "NSValue",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSSecureCoding"},
		Methods: []MethodSpec{
			{"initWithBytes:objCType:", "@@:r^vr*", func(c *Call) {
				if v := c.valueArg(); v != nil {
					c.initialize(v)
				} else {
					c.initFailed()
				}
			}},
			{"objCType", "r*@:", func(c *Call) { c.Return(c.RT.cType(c.selfValue().enc)) }},
			{"getValue:size:", "v@:^vQ", func(c *Call) {
				v := c.selfValue()
				if c.Uint(1) != uint64(len(v.bytes)) {
					c.Raise(invalidArgumentException, "size %d, the value of type %q has %d", c.Uint(1), v.enc, len(v.bytes))
					return
				}
				c.StoreBytes(0, v.bytes)
			}},
			{"pointerValue", "^v@:", pointerValue},
			{"nonretainedObjectValue", "@@:", pointerValue},
			{"isEqualToValue:", "B@:@", func(c *Call) { c.ReturnBool(equalValues(c)) }},
			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(equalValues(c)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(newString(string(c.selfValue().bytes)).hash()) }},
			{"description", "@@:", func(c *Call) { c.returnString(describeData(c.selfValue().bytes)) }},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) { c.ReturnRetained(c.Self.id) }},
		},
		ClassMethods: []MethodSpec{
			{"valueWithBytes:objCType:", "@@:r^vr*", returnValueArg},
			{"value:withObjCType:", "@@:r^vr*", returnValueArg},
			{"valueWithPointer:", "@@:r^v", pointer},
			{"valueWithNonretainedObject:", "@@:@", pointer},
		},
	}
	for _, s := range valueStructs {
		spec.ClassMethods = append(spec.ClassMethods, MethodSpec{s.factory, "@@:" + s.enc, func(c *Call) {
			c.returnValue(s.enc, c.Words(0))
		}})
		spec.Methods = append(spec.Methods, MethodSpec{s.getter, s.enc + "@:", func(c *Call) {
			c.ReturnWords(c.valueWords(c.layout.retWords)...)
		}})
	}
	return spec
}

// selfValue returns the receiver's value; an NSNumber is one too.
func (c *Call) selfValue() valueValue {
	v, _ := valueOf(c.Self)
	return v
}

func valueOf(o *Object) (valueValue, bool) {
	if o == nil {
		return valueValue{}, false
	}
	switch p := o.Payload.(type) {
	case *valueValue:
		return *p, true
	case numberValue:
		bits := p.bits
		if p.kind == 'f' {
			bits = uint64(math.Float32bits(float32(p.float())))
		}
		t, err := typeenc.Parse(string(p.kind))
		if err != nil {
			return valueValue{}, false
		}
		return valueValue{string(p.kind), binary.LittleEndian.AppendUint64(nil, bits)[:t.Size]}, true
	default:
		return valueValue{}, false
	}
}

// valueWords returns the receiver's value as n words, or fails the call.
func (c *Call) valueWords(n int) []uintptr {
	v := c.selfValue()
	if len(v.bytes) != 8*n {
		c.Raise(invalidArgumentException, "the value of type %q has %d bytes, not %d", v.enc, len(v.bytes), 8*n)
		return nil
	}
	words := make([]uintptr, n)
	for i := range words {
		words[i] = uintptr(binary.LittleEndian.Uint64(v.bytes[8*i:]))
	}
	return words
}

func (c *Call) returnValue(enc string, words []uintptr) {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, uint64(w))
	}
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.value, &valueValue{enc, b}))
}

// valueArg reads bytes and their type from arguments 0 and 1.
func (c *Call) valueArg() *valueValue {
	enc := c.CString(1)
	if c.Failed() {
		return nil
	}
	t, err := typeenc.Parse(enc)
	if err != nil || t.Size <= 0 {
		c.Raise(invalidArgumentException, "type %q has no size", enc)
		return nil
	}
	b := c.Bytes(0, uint64(t.Size))
	if c.Failed() {
		return nil
	}
	return &valueValue{enc, b}
}

func returnValueArg(c *Call) {
	if v := c.valueArg(); v != nil {
		c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.value, v))
	}
}

func equalValues(c *Call) bool {
	v, ok := valueOf(c.RT.table.get(c.ID(0)))
	w := c.selfValue()
	return ok && v.enc == w.enc && bytes.Equal(v.bytes, w.bytes)
}
