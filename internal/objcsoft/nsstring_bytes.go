package objcsoft

import "math"

// NSStringEncodingConversionOptions.
const (
	conversionLossy    = 1
	conversionExternal = 2
)

// stringBytesMethods are NSString's methods that give bytes in an encoding.
func stringBytesMethods() []MethodSpec {
	return []MethodSpec{
		{"UTF8String", "r*@:", func(c *Call) { c.returnCString(c.selfString().cString()) }},
		{"fileSystemRepresentation", "r*@:", func(c *Call) { c.returnCString(c.selfString().cString()) }},
		{"cStringUsingEncoding:", "r*@:Q", func(c *Call) {
			v := c.selfString()
			if c.Uint(0) == encUTF8 || v.ascii && (c.Uint(0) == encASCII || c.Uint(0) == encLatin1) {
				c.returnCString(v.cString())
				return
			}
			b, ok := v.encodeAll(c.Uint(0), false, false)
			if !ok {
				c.Return(0)
				return
			}
			// Owned by an NSData in the caller's pool.
			d := newData(append(b, 0, 0, 0, 0))
			c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.data, d))
			c.Return(d.address())
		}},
		{"getCString:maxLength:encoding:", "B@:*QQ", func(c *Call) {
			b, ok := c.selfString().encodeAll(c.Uint(2), false, false)
			k, _ := codecOf(c.Uint(2))
			b = append(b, make([]byte, k.width)...)
			if ok = ok && uint64(len(b)) <= c.Uint(1); ok {
				c.StoreBytes(0, b)
			}
			c.ReturnBool(ok)
		}},
		{"lengthOfBytesUsingEncoding:", "Q@:Q", func(c *Call) {
			if v := c.selfString(); c.Uint(0) == encUTF8 && v.wide == nil {
				c.ReturnUint(uint64(len(v.text)))
				return
			}
			if b, ok := c.selfString().encodeAll(c.Uint(0), false, false); ok {
				c.ReturnUint(uint64(len(b)))
			}
		}},
		{"maximumLengthOfBytesUsingEncoding:", "Q@:Q", func(c *Call) {
			k, ok := codecOf(c.Uint(0))
			if !ok {
				return
			}
			most := uint64(k.width)
			if c.Uint(0) == encUTF8 {
				most = 3 // a unit; a pair takes 4 bytes
			}
			c.ReturnUint(most * uint64(c.selfString().units))
		}},
		{"canBeConvertedToEncoding:", "B@:Q", func(c *Call) {
			_, ok := c.selfString().encodeAll(c.Uint(0), false, false)
			c.ReturnBool(ok)
		}},
		{"fastestEncoding", "Q@:", func(c *Call) { c.ReturnUint(nativeEncoding(c.selfString(), encUTF16)) }},
		{"smallestEncoding", "Q@:", func(c *Call) { c.ReturnUint(nativeEncoding(c.selfString(), encUTF16)) }},
		{"dataUsingEncoding:", "@@:Q", func(c *Call) { returnEncoded(c, false) }},
		{"dataUsingEncoding:allowLossyConversion:", "@@:QB", func(c *Call) { returnEncoded(c, c.Bool(1)) }},
		{"getBytes:maxLength:usedLength:encoding:options:range:remainingRange:",
			"B@:^vQ^QQQ{_NSRange=QQ}^{_NSRange=QQ}", getBytes},
	}
}

func nativeEncoding(v *stringValue, other uint64) uint64 {
	if v.ascii {
		return encASCII
	}
	return other
}

func returnEncoded(c *Call, lossy bool) {
	b, ok := c.selfString().encodeAll(c.Uint(0), lossy, true)
	if !ok {
		c.ReturnID(0)
		return
	}
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.data, newData(b)))
}

// returnCString returns an address inside the receiver, and keeps the receiver alive as long as the
// caller's pool, which is how long the address must stay valid.
func (c *Call) returnCString(addr uintptr) {
	c.ReturnShared(c.Self.id)
	c.Return(addr)
}

// getBytes writes as many whole characters of a range as fit. With a nil buffer it only counts
// them.
func getBytes(c *Call) {
	v := c.selfString()
	k, ok := codecOf(c.Uint(3))
	lo, hi, inside := c.rangeArg(5, v.units)
	if !inside {
		return
	}
	if !ok {
		c.Store(2, 0)
		c.Store(6, uintptr(lo), uintptr(hi-lo))
		c.ReturnBool(false)
		return
	}
	options := c.Uint(4)
	limit := math.MaxInt
	if c.Word(0) != 0 && c.Uint(1) < math.MaxInt {
		limit = int(c.Uint(1))
	}
	b, stop := v.encode(k, lo, hi, options&conversionLossy != 0, options&conversionExternal != 0, limit)
	if c.Word(0) != 0 {
		c.StoreBytes(0, b)
	}
	c.Store(2, uintptr(len(b)))
	c.Store(6, uintptr(stop), uintptr(hi-stop))
	c.ReturnBool(stop > lo)
}
