package typeenc

// aggregate parses a struct or union after its opening bracket.
func (p *parser) aggregate(t *Type, open byte) error {
	end := byte('}')
	t.Kind = Struct
	if open == '(' {
		end = ')'
		t.Kind = Union
	}
	t.Align = 1
	if err := p.tag(t, end); err != nil || t.Opaque {
		return err
	}
	lay := layout{union: t.Kind == Union, align: 1}
	for p.peek() != end {
		var name string
		at, named := p.pos, p.peek() == '"'
		if named {
			var err error
			if name, err = p.quoted(); err != nil {
				return err
			}
			at = p.pos
		}
		f, err := p.field(named)
		if err != nil {
			return err
		}
		if f.Kind == Void {
			return p.errorf(at, "a field is void")
		}
		f.FieldName, f.HasName = name, named
		if lay.add(&f); lay.size > MaxSize {
			return p.errorf(at, "a %s exceeds the limit of %d bytes", t.Kind, MaxSize)
		}
		t.Fields = append(t.Fields, f)
	}
	p.pos++
	t.Size, t.Align = lay.finish()
	return nil
}

// field parses one field; bit fields are allowed only here.
func (p *parser) field(named bool) (Type, error) {
	if p.pos >= len(p.s) {
		return Type{}, p.errorf(p.pos, "a struct or union is not closed")
	}
	if p.s[p.pos] == 'b' {
		p.pos++
		return p.bits()
	}
	return p.typ(named)
}

// tag reads the name of a struct or union. C++ names may hold the brackets of
// template arguments and of anonymous namespaces.
func (p *parser) tag(t *Type, end byte) error {
	at, depth := p.pos, 0
	for ; p.pos < len(p.s); p.pos++ {
		switch c := p.s[p.pos]; {
		case depth == 0 && (c == '=' || c == end):
			t.Name = p.s[at:p.pos]
			if t.Name == "" {
				return p.errorf(at, "a %s has no name", t.Kind)
			}
			p.pos++
			t.Opaque = c == end
			return nil
		case c == '<' || c == '(':
			depth++
		case (c == '>' || c == ')') && depth > 0:
			depth--
		}
	}
	return p.errorf(at, "a %s is not closed", t.Kind)
}

// bits parses the width of a bit field. Apple's encodings do not name the
// declared type: it is taken to be unsigned int, or, beyond 32 bits, uint64_t.
func (p *parser) bits() (Type, error) {
	n, err := p.number("bit field width", maxBits)
	if err != nil {
		return Type{}, err
	}
	size := 4
	if n > 32 {
		size = 8
	}
	return Type{Kind: BitField, Len: n, Size: size, Align: size}, nil
}

// layout places fields as the C compiler does.
type layout struct {
	union bool
	size  int // bytes taken so far
	align int
	bits  int // bits in use when the last field was a bit field, counted from 0
}

func (l *layout) add(f *Type) {
	if l.union {
		l.size = max(l.size, f.Size)
		l.align = max(l.align, f.Align)
		return
	}
	if f.Kind == BitField {
		l.addBits(f)
		return
	}
	l.bits = 0
	f.Offset = roundUp(l.size, f.Align)
	l.size = f.Offset + f.Size
	l.align = max(l.align, f.Align)
}

// addBits places a bit field after the last bit in use, unless it would cross the boundary of a
// unit of its declared type. Width 0 only closes the unit.
func (l *layout) addBits(f *Type) {
	unit := f.Size * 8
	pos := l.size * 8
	if l.bits > 0 {
		pos = l.bits
	}
	if f.Len == 0 {
		l.bits = 0
		l.size = roundUp((pos+7)/8, f.Align)
		f.Offset = l.size
		return
	}
	if pos/unit != (pos+f.Len-1)/unit {
		pos = roundUp(pos, unit)
	}
	f.Offset = pos / unit * f.Size
	l.bits = pos + f.Len
	l.size = (l.bits + 7) / 8
	l.align = max(l.align, f.Align)
}

func (l *layout) finish() (size, align int) {
	return roundUp(l.size, l.align), l.align
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
