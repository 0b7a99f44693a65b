package objcsoft

import (
	"strings"
	"unicode/utf8"
)

func nsString() ClassSpec {
	spec := ClassSpec{
		Name:      "NSString",
		Framework: foundationName,
		Protocols: []string{"NSCopying", "NSMutableCopying", "NSSecureCoding"},
		Methods: []MethodSpec{
			{"init", "@@:", func(c *Call) { c.initialize(newString("")) }},
			{"initWithString:", "@@:@", func(c *Call) { initString(c, cloneOf(c.stringArg(0))) }},
			{"initWithUTF8String:", "@@:r*", func(c *Call) { initString(c, c.cStringArg(encUTF8)) }},
			{"initWithCString:encoding:", "@@:r*Q", func(c *Call) { initString(c, c.cStringArg(c.Uint(1))) }},
			{"initWithBytes:length:encoding:", "@@:r^vQQ", initBytes},
			{"initWithBytesNoCopy:length:encoding:freeWhenDone:", "@@:^vQQB", initBytes},
			{"initWithCharacters:length:", "@@:r^SQ", func(c *Call) { initString(c, c.charactersArg()) }},
			{"initWithData:encoding:", "@@:@Q", func(c *Call) {
				if d := c.dataArg(0); d != nil {
					v, _ := decodeString(d.bytes(), c.Uint(1))
					initString(c, v)
				}
			}},

			{"length", "Q@:", func(c *Call) { c.ReturnUint(uint64(c.selfString().units)) }},
			{"characterAtIndex:", "S@:Q", func(c *Call) {
				v, i := c.selfString(), c.Uint(0)
				if i >= uint64(v.units) {
					c.Raise(rangeException, "index %d, length %d", i, v.units)
					return
				}
				c.Return(uintptr(v.unit(int(i))))
			}},
			{"getCharacters:range:", "v@:^S{_NSRange=QQ}", func(c *Call) {
				v := c.selfString()
				if lo, hi, ok := c.rangeArg(1, v.units); ok && lo < hi {
					if err := writeSlice(c.Word(0), v.utf16()[lo:hi]); err != nil {
						c.Fail(err)
					}
				}
			}},

			{"substringFromIndex:", "@@:Q", func(c *Call) { c.substring(c.Uint(0), uint64(c.selfString().units)) }},
			{"substringToIndex:", "@@:Q", func(c *Call) { c.substring(0, c.Uint(0)) }},
			{"substringWithRange:", "@@:{_NSRange=QQ}", func(c *Call) {
				v := c.selfString()
				if lo, hi, ok := c.rangeArg(0, v.units); ok {
					c.returnStringValue(v.slice(lo, hi))
				}
			}},
			{"stringByAppendingString:", "@@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					c.returnStringValue(c.selfString().append(w))
				}
			}},
			{"stringByReplacingOccurrencesOfString:withString:", "@@:@@", func(c *Call) {
				if a, b := c.stringArg(0), c.stringArg(1); a != nil && b != nil {
					v := c.selfString()
					if a.units == 0 {
						c.returnStringValue(v.clone())
						return
					}
					c.returnString(strings.ReplaceAll(v.goString(), a.goString(), b.goString()))
				}
			}},
			{"componentsSeparatedByString:", "@@:@", func(c *Call) {
				if sep := c.stringArg(0); sep != nil {
					parts := []string{c.selfString().goString()}
					if sep.units > 0 {
						parts = strings.Split(parts[0], sep.goString())
					}
					c.returnStrings(parts)
				}
			}},
			{"uppercaseString", "@@:", func(c *Call) { c.returnString(strings.ToUpper(c.selfString().goString())) }},
			{"lowercaseString", "@@:", func(c *Call) { c.returnString(strings.ToLower(c.selfString().goString())) }},

			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(equalStrings(c)) }},
			{"isEqualToString:", "B@:@", func(c *Call) { c.ReturnBool(equalStrings(c)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(c.selfString().hash()) }},
			{"compare:", "q@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					c.ReturnInt(int64(c.selfString().compare(w)))
				}
			}},
			{"caseInsensitiveCompare:", "q@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					c.ReturnInt(int64(newString(fold(c.selfString())).compare(newString(fold(w)))))
				}
			}},
			{"hasPrefix:", "B@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					v := c.selfString()
					c.ReturnBool(w.units <= v.units && v.slice(0, w.units).equal(w))
				}
			}},
			{"hasSuffix:", "B@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					v := c.selfString()
					c.ReturnBool(w.units <= v.units && v.slice(v.units-w.units, v.units).equal(w))
				}
			}},
			{"containsString:", "B@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					c.ReturnBool(c.selfString().index(w) >= 0)
				}
			}},
			{"rangeOfString:", "{_NSRange=QQ}@:@", func(c *Call) {
				if w := c.stringArg(0); w != nil {
					if i := c.selfString().index(w); i >= 0 && w.units > 0 {
						c.ReturnWords(uintptr(i), uintptr(w.units))
					} else {
						c.ReturnWords(notFound, 0)
					}
				}
			}},
			{"description", "@@:", func(c *Call) { c.ReturnShared(c.Self.id) }},
			{"copyWithZone:", "@@:^{_NSZone=}", func(c *Call) { c.ReturnRetained(c.Self.id) }},
		},
		ClassMethods: []MethodSpec{
			{"string", "@@:", func(c *Call) { c.returnString("") }},
			{"stringWithString:", "@@:@", func(c *Call) { c.returnStringValue(cloneOf(c.stringArg(0))) }},
			{"stringWithUTF8String:", "@@:r*", func(c *Call) { c.returnStringValue(c.cStringArg(encUTF8)) }},
			{"stringWithCString:encoding:", "@@:r*Q", func(c *Call) { c.returnStringValue(c.cStringArg(c.Uint(1))) }},
			{"stringWithCharacters:length:", "@@:r^SQ", func(c *Call) { c.returnStringValue(c.charactersArg()) }},
			{"defaultCStringEncoding", "Q@:", func(c *Call) { c.ReturnUint(encUTF8) }},
		},
		Dealloc: func(o *Object) {
			if v, ok := o.Payload.(*stringValue); ok {
				v.c.Load().unpin()
			}
		},
	}
	spec.Methods = append(spec.Methods, stringBytesMethods()...)
	spec.Methods = append(spec.Methods, stringNumberMethods()...)
	spec.Methods = append(spec.Methods, stringPathMethods()...)
	return spec
}

// notFound is NSNotFound.
const notFound = 1<<63 - 1

var emptyString = &stringValue{ascii: true}

// stringOf returns an object's string; an NSString that was never initialized is empty. It is nil
// if the object is not a string.
func stringOf(o *Object) *stringValue {
	if o == nil {
		return nil
	}
	if v, ok := o.Payload.(*stringValue); ok {
		return v
	}
	if o.Payload == nil && o.class.IsSubclassOf(o.class.rt.foundation.string) {
		return emptyString
	}
	return nil
}

func (c *Call) selfString() *stringValue {
	if v := stringOf(c.Self); v != nil {
		return v
	}
	return emptyString
}

// stringArg returns a string argument; anything else, nil too, fails the call.
func (c *Call) stringArg(i int) *stringValue {
	o := c.Object(i)
	v := stringOf(o)
	if v == nil && !c.Failed() {
		c.Raise(invalidArgumentException, "argument %d is %s, not a string", i, className(o))
	}
	return v
}

func className(o *Object) string {
	if o == nil {
		return "nil"
	}
	return "of class " + o.class.Name
}

// cStringArg reads the C string in argument 0; nil if it is not valid in the encoding.
func (c *Call) cStringArg(encoding uint64) *stringValue {
	if c.Word(0) == 0 {
		c.Raise(invalidArgumentException, "the C string is nil")
		return nil
	}
	v, _ := decodeString([]byte(c.CString(0)), encoding)
	return v
}

// charactersArg reads units from arguments 0 and 1.
func (c *Call) charactersArg() *stringValue {
	units, err := readSlice[uint16](c.Word(0), c.Uint(1))
	if err != nil {
		c.Fail(err)
		return nil
	}
	return newStringUnits(units)
}

// rangeArg reads an NSRange argument and checks it against a length.
func (c *Call) rangeArg(i, length int) (lo, hi int, ok bool) {
	w := c.Words(i)
	if w[0] > uintptr(length) || w[1] > uintptr(length)-w[0] {
		c.Raise(rangeException, "range {%d, %d}, length %d", w[0], w[1], length)
		return 0, 0, false
	}
	return int(w[0]), int(w[0] + w[1]), true
}

func (c *Call) substring(lo, hi uint64) {
	v := c.selfString()
	if hi > uint64(v.units) || lo > hi {
		c.Raise(rangeException, "from %d to %d, length %d", lo, hi, v.units)
		return
	}
	c.returnStringValue(v.slice(int(lo), int(hi)))
}

func initString(c *Call, v *stringValue) {
	if v == nil || c.Failed() {
		c.initFailed()
		return
	}
	c.initialize(v)
}

func initBytes(c *Call) {
	b := c.Bytes(0, c.Uint(1))
	v, ok := decodeString(b, c.Uint(2))
	if !ok {
		v = nil
	}
	initString(c, v)
}

func cloneOf(v *stringValue) *stringValue {
	if v == nil {
		return nil
	}
	return v.clone()
}

func equalStrings(c *Call) bool {
	o := c.RT.table.get(c.ID(0))
	w := stringOf(o)
	return w != nil && c.selfString().equal(w)
}

// fold maps letters that differ only in case to the same letter.
func fold(v *stringValue) string { return strings.ToLower(strings.ToUpper(v.goString())) }

// returnString returns a new string, unless the call has failed.
func (c *Call) returnString(s string) {
	if !c.Failed() {
		c.ReturnAutoreleased(c.RT.NewString(s))
	}
}

// returnStringValue returns a new string, or nil for nil.
func (c *Call) returnStringValue(v *stringValue) {
	if v == nil || c.Failed() {
		c.ReturnID(0)
		return
	}
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.string, v))
}

func (c *Call) returnStrings(list []string) { c.ReturnAutoreleased(c.RT.NewStrings(list)) }

// NewString makes an NSString with a count of one. Bytes that are not UTF-8
// become U+FFFD; NUL is a character like any other.
func (rt *Runtime) NewString(s string) ID {
	return rt.NewObject(rt.foundation.string, newString(validUTF8(s)))
}

// ConstantString makes an NSString that is never freed.
func (rt *Runtime) ConstantString(s string) ID {
	return rt.NewImmortal(rt.foundation.string, newString(validUTF8(s)))
}

func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
