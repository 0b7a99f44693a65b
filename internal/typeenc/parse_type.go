package typeenc

import "strings"

// scalars maps each one-letter encoding to its type.
var scalars = [256]struct {
	kind Kind
	size int
}{
	'v': {Void, 0}, 'B': {Bool, 1}, 'c': {Int8, 1}, 'C': {Uint8, 1}, 's': {Int16, 2}, 'S': {Uint16, 2},
	'i': {Int32, 4}, 'l': {Int32, 4}, 'I': {Uint32, 4}, 'L': {Uint32, 4}, 'q': {Int64, 8}, 'Q': {Uint64, 8},
	't': {Int128, 16}, 'T': {Uint128, 16}, 'f': {Float, 4}, 'd': {Double, 8}, 'D': {LongDouble, 16},
	'#': {Class, 8}, ':': {Selector, 8}, '*': {CString, 8}, '?': {Unknown, 0},
}

// typ parses one type. named means that it is a field of a struct whose fields have names, so a
// string after '@' may be the next field's name.
func (p *parser) typ(named bool) (Type, error) {
	if p.depth >= MaxNesting {
		return Type{}, p.errorf(p.pos, "nesting exceeds the limit of %d", MaxNesting)
	}
	p.depth++
	defer func() { p.depth-- }()

	var t Type
	for ; p.pos < len(p.s); p.pos++ {
		if p.s[p.pos] == 'r' {
			t.Const = true
		} else if i := strings.IndexByte(qualLetters, p.s[p.pos]); i >= 0 {
			t.Quals |= 1 << i
		} else {
			break
		}
	}
	at := p.pos
	if at >= len(p.s) {
		return t, p.errorf(at, "the encoding ends where a type is expected")
	}
	c := p.s[at]
	p.pos++
	if s := scalars[c]; s.kind != Invalid {
		if c == 'B' && p.onBool != nil {
			p.onBool(at)
		}
		t.Kind, t.Size, t.Align = s.kind, s.size, max(1, s.size)
		return t, nil
	}
	var err error
	switch c {
	case '@':
		err = p.object(&t, named)
	case '^':
		t.Kind, t.Size, t.Align = Pointer, 8, 8
		err = p.elem(&t, named)
	case 'j':
		err = p.complex(&t, at)
	case '{', '(':
		err = p.aggregate(&t, c)
	case '[':
		err = p.array(&t, at, named)
	case '<':
		err = p.vector(&t, at)
	case 'b':
		err = p.errorf(at, "a bit field outside a struct or union")
	default:
		err = p.errorf(at, "unknown type %q", c)
	}
	return t, err
}

func (p *parser) elem(t *Type, named bool) error {
	e, err := p.typ(named)
	t.Elem = &e
	return err
}

// object parses what follows '@': nothing, '?' for a block with or without its
// signature, or a class name in quotes.
func (p *parser) object(t *Type, named bool) error {
	t.Kind, t.Size, t.Align = Object, 8, 8
	switch p.peek() {
	case '?':
		p.pos++
		t.Kind = Block
		// A digit after '<' means a SIMD vector, which is the next argument.
		if p.peek() != '<' || (p.pos+1 < len(p.s) && isDigit(p.s[p.pos+1])) {
			return nil
		}
		p.pos++
		sig, err := p.signature('>')
		if err != nil {
			return err
		}
		if p.peek() != '>' {
			return p.errorf(p.pos, "no > after a block's signature")
		}
		p.pos++
		t.Sig = sig
	case '"':
		at := p.pos
		name, err := p.quoted()
		if err != nil {
			return err
		}
		// Among named fields the string belongs to this field only if another
		// name, or the end, follows it: else it is the next field's name.
		if named && !strings.ContainsRune("\"})]", rune(p.peek())) {
			p.pos = at
			return nil
		}
		if name == "" {
			return p.errorf(at, "an empty class name")
		}
		t.Name = name
	}
	return nil
}

// quoted reads a string in quotes, which has no escapes.
func (p *parser) quoted() (string, error) {
	at := p.pos
	n := strings.IndexByte(p.s[at+1:], '"')
	if n < 0 {
		return "", p.errorf(at, "no closing quote")
	}
	p.pos = at + n + 2
	return p.s[at+1 : at+1+n], nil
}

func (p *parser) complex(t *Type, at int) error {
	t.Kind = Complex
	if err := p.elem(t, false); err != nil {
		return err
	}
	switch t.Elem.Kind {
	case Float, Double, LongDouble, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64:
	default:
		return p.errorf(at, "a complex number of %s", t.Elem.Kind)
	}
	t.Size, t.Align = 2*t.Elem.Size, t.Elem.Align
	return nil
}

func (p *parser) array(t *Type, at int, named bool) error {
	t.Kind = Array
	n, err := p.number("array length", maxCount)
	if err != nil {
		return err
	}
	if err := p.elem(t, named); err != nil {
		return err
	}
	if p.peek() != ']' {
		return p.errorf(p.pos, "no ] after an array's element")
	}
	p.pos++
	switch t.Elem.Kind {
	case Void, BitField:
		return p.errorf(at, "an array of %s", t.Elem.Kind)
	}
	if t.Elem.Size > 0 && n > MaxSize/t.Elem.Size {
		return p.errorf(at, "an array of %d elements of %d bytes exceeds the limit of %d bytes", n, t.Elem.Size, MaxSize)
	}
	t.Len, t.Size, t.Align = n, n*t.Elem.Size, t.Elem.Align
	return nil
}

// vector parses a SIMD vector. Its size is the next power of two, so that a
// vector of three has the size of one of four; it is aligned to its size.
func (p *parser) vector(t *Type, at int) error {
	t.Kind = Vector
	n, err := p.number("vector length", maxVector)
	if err != nil {
		return err
	}
	if err := p.elem(t, false); err != nil {
		return err
	}
	if p.peek() != '>' {
		return p.errorf(p.pos, "no > after a vector's element")
	}
	p.pos++
	switch t.Elem.Kind {
	case Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float, Double:
	default:
		return p.errorf(at, "a vector of %s", t.Elem.Kind)
	}
	if n == 0 {
		return p.errorf(at, "a vector of no elements")
	}
	size := t.Elem.Size
	for size < n*t.Elem.Size {
		size *= 2
	}
	if size > maxVector {
		return p.errorf(at, "a vector of %d bytes exceeds the limit of %d", size, maxVector)
	}
	t.Len, t.Size, t.Align = n, size, size
	return nil
}
