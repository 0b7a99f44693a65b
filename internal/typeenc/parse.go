package typeenc

import (
	"fmt"
	"strings"
)

// Limits on the input, so that parsing takes time proportional to its length.
const (
	MaxNesting = 64       // of structs, pointers and so on inside each other
	MaxSize    = 1 << 28  // bytes of one type
	maxCount   = MaxSize  // elements of one array
	maxBits    = 64       // of one bit field
	maxVector  = 16 * 8   // bytes of one SIMD vector: Apple's largest
	maxLength  = 64 << 10 // bytes of one encoding
)

// Error describes what is wrong with an encoding, and where.
type Error struct {
	Encoding string
	Pos      int    // index of the offending byte
	Msg      string // what was found or missing there
}

// Error implements error.
func (e *Error) Error() string {
	enc := e.Encoding
	if len(enc) > 200 {
		enc = enc[:200] + "..."
	}
	return fmt.Sprintf("typeenc: %s at offset %d of %q", e.Msg, e.Pos, enc)
}

// Parse parses the encoding of one type, for example "{_NSRange=QQ}".
func Parse(enc string) (Type, error) {
	p := parser{s: enc}
	t, err := p.typ(false)
	if err == nil && p.pos < len(enc) {
		err = p.errorf(p.pos, "%q after the type", enc[p.pos])
	}
	if err != nil {
		return Type{}, err
	}
	return t, nil
}

// ParseMethod parses the encoding of a method: its result, self, _cmd and the
// arguments, as in "v@:@Q". Frame offsets, as in "v24@0:8@16", are skipped.
func ParseMethod(enc string) (*Signature, error) {
	p := parser{s: enc}
	s, err := p.signature(0)
	if err != nil {
		return nil, err
	}
	switch {
	case len(s.Args) == 0 || (s.Args[0].Kind != Object && s.Args[0].Kind != Class):
		return nil, p.errorf(p.argPos(0), "a method's first argument is not self (@ or #)")
	case len(s.Args) == 1 || s.Args[1].Kind != Selector:
		return nil, p.errorf(p.argPos(1), "a method's second argument is not _cmd (:)")
	}
	return s, nil
}

// ParseBlock parses the encoding of a block's function: its result, the block
// itself and the arguments, as in "v@?@".
func ParseBlock(enc string) (*Signature, error) {
	p := parser{s: enc}
	s, err := p.signature(0)
	if err != nil {
		return nil, err
	}
	if len(s.Args) == 0 || s.Args[0].Kind != Block {
		return nil, p.errorf(p.argPos(0), "a block's first argument is not the block (@?)")
	}
	return s, nil
}

// ParseFunction parses the encoding of a C function: its result and its
// arguments, as in "@" (no arguments) or "v^vr^vQ".
func ParseFunction(enc string) (*Signature, error) {
	p := parser{s: enc}
	return p.signature(0)
}

// ForAMD64 returns the x86_64 form of an arm64 encoding: BOOL is signed char there, so every 'B'
// that denotes a type becomes 'c'. Names, and encodings that do not parse, are left unchanged.
//
// Two cases cannot be determined from an encoding alone. C's bool is 'B' on both, and becomes 'c'
// here; the two are passed the same way. A va_list, which is '*' on arm64 and an array of structs
// on x86_64, looks like a C string and is left unchanged.
func ForAMD64(enc string) string {
	if !strings.Contains(enc, "B") {
		return enc
	}
	out := []byte(enc)
	p := parser{s: enc, onBool: func(pos int) { out[pos] = 'c' }}
	if _, err := p.signature(0); err != nil {
		return enc
	}
	return string(out)
}

type parser struct {
	s      string
	pos    int
	depth  int
	starts []int         // where the top-level types start
	onBool func(pos int) // called for every B that is a type
}

func (p *parser) errorf(pos int, format string, args ...any) error {
	return &Error{Encoding: p.s, Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// argPos returns where the i-th argument starts, or the end if there is none.
func (p *parser) argPos(i int) int {
	if i+1 < len(p.starts) {
		return p.starts[i+1]
	}
	return len(p.s)
}

func (p *parser) peek() byte {
	if p.pos < len(p.s) {
		return p.s[p.pos]
	}
	return 0
}

// signature parses types up to the closing byte, or to the end if that is 0.
func (p *parser) signature(end byte) (*Signature, error) {
	top := end == 0
	start := p.pos
	if top && len(p.s) > maxLength {
		return nil, p.errorf(maxLength, "%d bytes exceed the limit of %d", len(p.s), maxLength)
	}
	s := &Signature{}
	for n := 0; ; n++ {
		if p.pos >= len(p.s) || (!top && p.s[p.pos] == end) {
			if n == 0 {
				return nil, p.errorf(p.pos, "no result type")
			}
			break
		}
		if top {
			p.starts = append(p.starts, p.pos)
		}
		at := p.pos
		t, err := p.typ(false)
		if err != nil {
			return nil, err
		}
		p.frameOffset()
		if n == 0 {
			s.Ret = t
			continue
		}
		if t.Kind == Void {
			return nil, p.errorf(at, "argument %d is void", n-1)
		}
		s.Args = append(s.Args, t)
	}
	s.Encoding = p.s[start:p.pos]
	return s, nil
}

// frameOffset skips the decimal number that the compiler puts after each type.
func (p *parser) frameOffset() {
	i := p.pos
	if i < len(p.s) && (p.s[i] == '-' || p.s[i] == '+') {
		i++
	}
	from := i
	for i < len(p.s) && isDigit(p.s[i]) {
		i++
	}
	if i > from {
		p.pos = i
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number reads a decimal number of at most limit.
func (p *parser) number(what string, limit int) (int, error) {
	at, n := p.pos, 0
	for p.pos < len(p.s) && isDigit(p.s[p.pos]) {
		n = n*10 + int(p.s[p.pos]-'0')
		p.pos++
		if n > limit {
			return 0, p.errorf(at, "%s exceeds the limit of %d", what, limit)
		}
	}
	if p.pos == at {
		return 0, p.errorf(at, "no %s", what)
	}
	return n, nil
}
