package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
)

const magic = "\x93NUMPY"

// maxHeader is the maximum length of a header. The header of an array of numbers has about 100
// bytes.
const maxHeader = 1 << 16

// ReadFile reads the array in a regular file. Errors name the file. [Read] also reads from pipes.
func ReadFile(name string) (*Array, error) {
	f, err := document.Array.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// Read reads one array and nothing after it. Input that is not a valid .npy file gives an error
// wrapping [ErrFormat]; an element type that this package does not support, one wrapping [ErrType].
func Read(r io.Reader) (*Array, error) { return read(r, math.MaxInt64) }

// read is Read for an array of at most limit bytes.
func read(r io.Reader, limit int64) (*Array, error) {
	head, err := header(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	h, err := parseHeader(head)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	size, err := sizeOf(h.typ, h.shape)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if int64(size) > limit {
		return nil, fmt.Errorf("npy: %w: %v of %s needs %d bytes, which exceed the %d left of the limit", ErrLimit,
			h.shape, h.typ, size, limit)
	}
	var data bytes.Buffer // grows with the bytes that arrive, whatever the header claims
	if n, err := io.CopyN(&data, r, int64(size)); err != nil {
		if err == io.EOF {
			err = fmt.Errorf("%w: %v of %s needs %d bytes, the file ends after %d", ErrFormat, h.shape, h.typ, size, n)
		}
		return nil, fmt.Errorf("npy: %w", err)
	}
	a := &Array{Type: h.typ, Shape: h.shape, Data: data.Bytes()}
	if h.big {
		swap(a.Data, a.Type.Size())
	}
	if h.fortran {
		a.Data = rowMajor(a)
	}
	return a, nil
}

// header reads everything before the data and returns the header's text.
func header(r io.Reader) (string, error) {
	short := func(err error) error {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%w: the file ends within the header", ErrFormat)
		}
		return err
	}
	var fixed [8]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return "", short(err)
	}
	if string(fixed[:6]) != magic {
		return "", fmt.Errorf("%w: the file does not begin with \\x93NUMPY", ErrFormat)
	}
	width := 4
	switch fixed[6] {
	case 1:
		width = 2
	case 2, 3:
	default:
		return "", fmt.Errorf("%w: format version %d.%d is not supported, want 1.0 to 3.0", ErrFormat, fixed[6], fixed[7])
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:width]); err != nil {
		return "", short(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return "", fmt.Errorf("%w: the header's %d bytes exceed the limit of %d", ErrFormat, n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", short(err)
	}
	return string(text), nil
}

type headerFields struct {
	typ     Type
	big     bool
	fortran bool
	shape   []int
}

// parseHeader reads a Python dictionary with the keys descr, fortran_order and shape, as numpy
// writes it.
func parseHeader(text string) (h headerFields, err error) {
	p := headerParser{rest: text}
	seen := ""
	p.want("{")
	for p.err == nil && !p.take("}") {
		key := p.quoted()
		p.want(":")
		switch key {
		case "descr":
			h.typ, h.big = p.descr()
		case "fortran_order":
			switch {
			case p.take("True"):
				h.fortran = true
			case !p.take("False"):
				p.fail("fortran_order is neither True nor False")
			}
		case "shape":
			h.shape = p.tuple()
		default:
			p.fail("unknown key %q in the header", key)
		}
		if strings.Contains(seen, key+" ") {
			p.fail("key %q occurs twice in the header", key)
		}
		seen += key + " "
		if !p.take(",") {
			p.want("}")
			break
		}
	}
	p.space()
	if p.err == nil && p.rest != "" {
		p.fail("unexpected text after the header's dictionary: %q", clip(p.rest))
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if p.err == nil && !strings.Contains(seen, key+" ") {
			p.fail("the header has no %s", key)
		}
	}
	return h, p.err
}

type headerParser struct {
	rest string
	err  error
}

func (p *headerParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
	}
}

func (p *headerParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *headerParser) take(s string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok && p.err == nil {
		p.rest = rest
	}
	return ok && p.err == nil
}

func (p *headerParser) want(s string) {
	if !p.take(s) {
		p.fail("want %q before %q in the header", s, clip(p.rest))
	}
}

func (p *headerParser) quoted() string {
	p.space()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("want a string before %q in the header", clip(p.rest))
		return ""
	}
	text, rest, ok := strings.Cut(p.rest[1:], p.rest[:1])
	if !ok {
		p.fail("unterminated string in the header")
		return ""
	}
	p.rest = rest
	return text
}

// descr reads an element type and its byte order.
func (p *headerParser) descr() (t Type, big bool) {
	if p.space(); strings.HasPrefix(p.rest, "[") {
		p.err = cmpErr(p.err, fmt.Errorf("%w: structured types are not supported", ErrType))
		return "", false
	}
	text := p.quoted()
	if p.err != nil {
		return "", false
	}
	name := text
	if name != "" && strings.Contains("<>|=", name[:1]) {
		big = name[0] == '>'
		name = name[1:]
	}
	if name == "?" {
		name = "b1"
	}
	if t = Type(name); t.Size() == 0 {
		p.err = cmpErr(p.err, fmt.Errorf("%w %q: want booleans, integers, or floating-point numbers of 2, 4 or 8 bytes",
			ErrType, clip(text)))
	}
	return t, big
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// tuple reads a shape: (), (3,), (3, 4).
func (p *headerParser) tuple() []int {
	shape := []int{}
	p.want("(")
	for p.err == nil && !p.take(")") {
		p.space()
		digits := 0
		for digits < len(p.rest) && p.rest[digits] >= '0' && p.rest[digits] <= '9' {
			digits++
		}
		n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
		if err != nil || n > math.MaxInt {
			p.fail("the shape is not a tuple of sizes, at %q", clip(p.rest))
			return nil
		}
		p.rest = strings.TrimPrefix(p.rest[digits:], "L") // Python 2 wrote long integers with an L
		shape = append(shape, int(n))
		if !p.take(",") {
			p.want(")")
			break
		}
	}
	return shape
}

// clip shortens text quoted in a message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// swap reverses the bytes of each element.
func swap(data []byte, size int) {
	for i := 0; size > 1 && i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// rowMajor returns the data of a column-major array in row-major order.
func rowMajor(a *Array) []byte {
	size := a.Type.Size()
	out := make([]byte, 0, len(a.Data))
	at := make([]int, len(a.Shape))
	for range len(a.Data) / size {
		from, stride := 0, 1
		for d, i := range at {
			from += i * stride
			stride *= a.Shape[d]
		}
		out = append(out, a.Data[from*size:(from+1)*size]...)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < a.Shape[d] {
				break
			}
			at[d] = 0
		}
	}
	return out
}
