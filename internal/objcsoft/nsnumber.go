package objcsoft

import (
	"math"
	"math/big"
	"strconv"
)

// numberValue is the payload of an NSNumber: a value and the letter of the C
// type it was made from.
type numberValue struct {
	kind byte
	bits uint64 // the integer, sign-extended, or the bits of the double
}

func (n numberValue) isFloat() bool { return n.kind == 'f' || n.kind == 'd' }
func (n numberValue) isUnsigned() bool {
	return n.kind == 'Q' || n.kind == 'I' || n.kind == 'S' || n.kind == 'C'
}

func (n numberValue) float() float64 {
	switch {
	case n.isFloat():
		return math.Float64frombits(n.bits)
	case n.isUnsigned():
		return float64(n.bits)
	default:
		return float64(int64(n.bits))
	}
}

// integer converts like a C cast where that is defined; a double out of range gives the nearest
// limit, and a NaN gives 0.
func (n numberValue) integer() uint64 {
	if !n.isFloat() {
		return n.bits
	}
	switch f := n.float(); {
	case f != f:
		return 0
	case f >= 1<<64:
		return math.MaxUint64
	case f >= 1<<63:
		return uint64(f)
	case f <= -1<<63:
		return 1 << 63
	default:
		return uint64(int64(f))
	}
}

// signed is integer for the signed getters: a double above the range gives its limit.
func (n numberValue) signed() int64 {
	if n.isFloat() && n.float() >= 1<<63 {
		return math.MaxInt64
	}
	return int64(n.integer())
}

func (n numberValue) text() string {
	switch {
	case n.kind == 'f':
		return strconv.FormatFloat(n.float(), 'g', -1, 32)
	case n.kind == 'd':
		return strconv.FormatFloat(n.float(), 'g', -1, 64)
	case n.isUnsigned():
		return strconv.FormatUint(n.bits, 10)
	default:
		return strconv.FormatInt(int64(n.bits), 10)
	}
}

// compare compares exactly, even integers with doubles. A NaN is below everything.
func (n numberValue) compare(m numberValue) int {
	nan, nanM := n.isFloat() && n.float() != n.float(), m.isFloat() && m.float() != m.float()
	switch {
	case nan && nanM:
		return 0
	case nan:
		return -1
	case nanM:
		return 1
	}
	return n.exact().Cmp(m.exact())
}

func (n numberValue) exact() *big.Float {
	x := new(big.Float).SetPrec(64)
	switch {
	case n.isFloat():
		return x.SetFloat64(n.float())
	case n.isUnsigned():
		return x.SetUint64(n.bits)
	default:
		return x.SetInt64(int64(n.bits))
	}
}

// hash is the same for equal numbers of different types.
func (n numberValue) hash() uint64 {
	if n.isFloat() {
		f := n.float()
		if f != math.Trunc(f) || f >= 1<<64 || f < -1<<63 {
			return math.Float64bits(f) * 0x9e3779b97f4a7c15
		}
	}
	return n.integer() * 0x9e3779b97f4a7c15
}

// numberTypes are the C types that NSNumber supports, with their names in selectors and their
// letters in encodings.
var numberTypes = [...]struct{ name, getter, enc string }{
	{"Char", "charValue", "c"},
	{"UnsignedChar", "unsignedCharValue", "C"},
	{"Short", "shortValue", "s"},
	{"UnsignedShort", "unsignedShortValue", "S"},
	{"Int", "intValue", "i"},
	{"UnsignedInt", "unsignedIntValue", "I"},
	{"Long", "longValue", "q"},
	{"UnsignedLong", "unsignedLongValue", "Q"},
	{"LongLong", "longLongValue", "q"},
	{"UnsignedLongLong", "unsignedLongLongValue", "Q"},
	{"Float", "floatValue", "f"},
	{"Double", "doubleValue", "d"},
	{"Bool", "boolValue", "B"},
	{"Integer", "integerValue", "q"},
	{"UnsignedInteger", "unsignedIntegerValue", "Q"},
}

func nsNumber() ClassSpec {
	spec := ClassSpec{
		Name:      "NSNumber",
		Super:     "NSValue",
		Framework: foundationName,
		Methods: []MethodSpec{
			{"compare:", "q@:@", func(c *Call) {
				if m, ok := c.numberArg(0); ok {
					c.ReturnInt(int64(c.selfNumber().compare(m)))
				}
			}},
			{"isEqualToNumber:", "B@:@", func(c *Call) { c.ReturnBool(equalNumbers(c)) }},
			{"isEqual:", "B@:@", func(c *Call) { c.ReturnBool(equalNumbers(c)) }},
			{"isEqualToValue:", "B@:@", func(c *Call) { c.ReturnBool(equalNumbers(c)) }},
			{"hash", "Q@:", func(c *Call) { c.ReturnUint(c.selfNumber().hash()) }},
			{"stringValue", "@@:", func(c *Call) { c.returnString(c.selfNumber().text()) }},
			{"description", "@@:", func(c *Call) { c.returnString(c.selfNumber().text()) }},
			{"descriptionWithLocale:", "@@:@", func(c *Call) { c.returnString(c.selfNumber().text()) }},
		},
	}
	for _, t := range numberTypes {
		kind := t.enc[0]
		if kind == 'B' {
			kind = 'c' // as on a Mac
		}
		read := func(c *Call) numberValue {
			switch kind {
			case 'f':
				return numberValue{kind, math.Float64bits(float64(c.F32(0)))}
			default:
				return numberValue{kind, c.Uint(0)}
			}
		}
		spec.Methods = append(spec.Methods,
			MethodSpec{"initWith" + t.name + ":", "@@:" + t.enc, func(c *Call) { c.initialize(read(c)) }},
			MethodSpec{t.getter, t.enc + "@:", numberGetter(t.enc[0])})
		spec.ClassMethods = append(spec.ClassMethods,
			MethodSpec{"numberWith" + t.name + ":", "@@:" + t.enc, func(c *Call) {
				c.ReturnAutoreleased(c.RT.NewObject(c.RT.foundation.number, read(c)))
			}})
	}
	return spec
}

func numberGetter(kind byte) Imp {
	switch kind {
	case 'f':
		return func(c *Call) { c.ReturnF32(float32(c.selfNumber().float())) }
	case 'd':
		return func(c *Call) { c.ReturnF64(c.selfNumber().float()) }
	case 'B':
		return func(c *Call) {
			n := c.selfNumber()
			c.ReturnBool(n.isFloat() && n.float() != 0 || !n.isFloat() && n.bits != 0)
		}
	case 'q':
		return func(c *Call) { c.ReturnInt(c.selfNumber().signed()) }
	default: // the encoding truncates narrower ones
		return func(c *Call) { c.ReturnUint(c.selfNumber().integer()) }
	}
}

func numberOf(o *Object) (numberValue, bool) {
	if o == nil {
		return numberValue{}, false
	}
	n, ok := o.Payload.(numberValue)
	return n, ok
}

// selfNumber is 0 for a number that was not initialized.
func (c *Call) selfNumber() numberValue {
	n, ok := numberOf(c.Self)
	if !ok {
		return numberValue{kind: 'i'}
	}
	return n
}

func (c *Call) numberArg(i int) (numberValue, bool) {
	o := c.Object(i)
	n, ok := numberOf(o)
	if !ok && !c.Failed() {
		c.Raise(invalidArgumentException, "argument %d is %s, not a number", i, className(o))
	}
	return n, ok
}

func equalNumbers(c *Call) bool {
	m, ok := numberOf(c.RT.table.get(c.ID(0)))
	return ok && c.selfNumber().compare(m) == 0
}

func (rt *Runtime) newNumber(kind byte, bits uint64) ID {
	return rt.NewObject(rt.foundation.number, numberValue{kind, bits})
}

// NewInt makes an NSNumber of a signed integer with a count of one.
func (rt *Runtime) NewInt(v int64) ID { return rt.newNumber('q', uint64(v)) }

// NewUint makes an NSNumber of an unsigned integer with a count of one.
func (rt *Runtime) NewUint(v uint64) ID { return rt.newNumber('Q', v) }

// NewFloat makes an NSNumber of a double with a count of one.
func (rt *Runtime) NewFloat(v float64) ID { return rt.newNumber('d', math.Float64bits(v)) }

// NewBool makes an NSNumber of a BOOL with a count of one.
func (rt *Runtime) NewBool(v bool) ID {
	if v {
		return rt.newNumber('c', 1)
	}
	return rt.newNumber('c', 0)
}
