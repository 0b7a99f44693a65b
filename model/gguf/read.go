package gguf

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// ErrFormat is wrapped by errors about files that are not what the format allows.
var ErrFormat = errors.New("not a valid GGUF file")

// Limits of the reader. What the format itself does not limit is far from what models have.
const (
	maxHeader    = 64 << 20 // bytes of metadata and descriptions of tensors, of all parts together
	maxValues    = 4 << 20  // elements of all arrays
	maxKeys      = 1 << 16
	maxKey       = 1<<16 - 1 // bytes of a key, as the format has it
	maxTensors   = 1 << 17   // of all parts together
	maxName      = 64        // bytes of a tensor's name, as the format has it
	maxRank      = 4
	maxNesting   = 8       // arrays in arrays
	maxSize      = 1 << 48 // bytes of a tensor
	maxDimension = 1 << 48
	minTensor    = 8 + 4 + 4 + 8 // bytes of the description of one without name and shape
	minPair      = 8 + 4 + 1     // bytes of a key and its value
	maxAlignment = 1 << 24
)

// reader reads what is before the tensors' data.
type reader struct {
	data   []byte // of the file
	at     int
	end    int // of what may be read
	values int // elements of arrays so far
}

// broken returns an error about a field at an offset.
func broken(offset int, format string, args ...any) error {
	return fmt.Errorf("byte %d: %s: %w", offset, fmt.Sprintf(format, args...), ErrFormat)
}

// shown returns a text of a file for an error: quoted, and not longer than a line.
func shown(text []byte) string {
	const most = 80
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}

// left returns how many bytes of the file, or of what may be before its data, are left.
func (r *reader) left() int { return r.end - r.at }

func (r *reader) take(n int, what string) ([]byte, error) {
	if n > r.left() {
		if r.end < len(r.data) {
			return nil, broken(r.at, "%s of %d bytes exceeds the %d bytes that may be before the tensors' data", what, n,
				maxHeader)
		}
		return nil, broken(r.at, "%s of %d bytes exceeds the file, of which %d bytes are left", what, n, r.left())
	}
	b := r.data[r.at : r.at+n : r.at+n]
	r.at += n
	return b, nil
}

func (r *reader) uint32(what string) (uint32, error) {
	b, err := r.take(4, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (r *reader) uint64(what string) (uint64, error) {
	b, err := r.take(8, what)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// count reads a number of things that have at least so many bytes each.
func (r *reader) count(what string, each, most int) (int, error) {
	at := r.at
	n, err := r.uint64(what)
	switch {
	case err != nil:
		return 0, err
	case n > uint64(most):
		return 0, broken(at, "%s %d, at most %d", what, n, most)
	case n > uint64(r.left()/each):
		return 0, broken(at, "%s %d, but %d bytes are left, %d for each at least", what, n, r.left(), each)
	}
	return int(n), nil
}

func (r *reader) string(what string, most int) ([]byte, error) {
	n, err := r.count("length of "+what, 1, most)
	if err != nil {
		return nil, err
	}
	at := r.at
	text, err := r.take(n, what)
	if err == nil && !utf8.Valid(text) {
		err = broken(at, "%s is %s, want UTF-8", what, shown(text))
	}
	return text, err
}

// value reads a value of a kind that is inside of so many arrays.
func (r *reader) value(kind Kind, depth int) (v Value, err error) {
	v.kind = kind
	at := r.at
	switch {
	case !kind.known():
		return v, broken(at, "value of %v, known are 0 to %d", kind, len(kindNames)-1)
	case kind == String:
		v.raw, err = r.string("a string", maxHeader)
		return v, err
	case kind != Array:
		v.raw, err = r.take(kindSizes[kind], kind.String())
		if err == nil && kind == Bool && v.raw[0] > 1 {
			err = broken(at, "bool is %d, want 0 or 1", v.raw[0])
		}
		return v, err
	}
	if depth == maxNesting {
		return v, broken(at, "arrays nested deeper than %d", maxNesting)
	}
	elem, err := r.uint32("kind of an array's elements")
	if err != nil {
		return v, err
	}
	if v.elem = Kind(elem); !v.elem.known() {
		return v, broken(at, "array of %v, known are 0 to %d", v.elem, len(kindNames)-1)
	}
	if v.n, err = r.count("length of an array", kindSizes[elem], maxHeader); err != nil {
		return v, err
	}
	if r.values += v.n; r.values > maxValues {
		return v, broken(r.at-8, "length of an array %d, at most %d elements in all arrays together", v.n, maxValues)
	}
	begin := r.at
	switch v.elem {
	case String, Array, Bool:
		for range v.n {
			if _, err := r.value(v.elem, depth+1); err != nil {
				return v, err
			}
		}
	default:
		if _, err := r.take(v.n*kindSizes[elem], "an array"); err != nil {
			return v, err
		}
	}
	v.raw = r.data[begin:r.at:r.at]
	return v, nil
}

// header is what is before the data.
type header struct {
	version   uint32
	alignment int
	metadata  []Pair
	tensors   []Tensor
	keys      map[string]int
	end       int // in the file
}

// uint returns the value of a key that is an integer and not negative.
func (h *header) uint(key string) (uint64, bool) {
	i, ok := h.keys[key]
	if !ok {
		return 0, false
	}
	return h.metadata[i].Value.Uint()
}

// parse reads and checks everything of a file but its tensors' elements. What is before these has
// at most so many bytes.
func parse(data []byte, most int) (*header, error) {
	h, err := parseHeader(data, most)
	if err != nil {
		return nil, err
	}
	return h, h.place(int64(h.end), int64(len(data)))
}

// parseHeader is parse without the places of the tensors' data.
func parseHeader(data []byte, most int) (*header, error) {
	r := &reader{data: data, end: min(len(data), most)}
	magic, err := r.take(4, "the magic number")
	if err != nil {
		return nil, err
	}
	if string(magic) != "GGUF" {
		return nil, broken(0, "magic number %q, want \"GGUF\"", magic)
	}
	h := &header{alignment: 32}
	if h.version, err = r.uint32("version"); err != nil {
		return nil, err
	}
	if v := h.version; v != 2 && v != 3 {
		if v != 0 && v&0xffff == 0 {
			return nil, broken(4, "version %#x: a big-endian file, which this package does not read", v)
		}
		return nil, broken(4, "version %d, want 2 or 3", v)
	}
	tensors, err := r.count("number of tensors", minTensor, maxTensors)
	if err != nil {
		return nil, err
	}
	pairs, err := r.count("number of keys", minPair, maxKeys)
	if err != nil {
		return nil, err
	}
	if err := h.readMetadata(r, pairs); err != nil {
		return nil, err
	}
	if err := h.readTensors(r, tensors); err != nil {
		return nil, err
	}
	h.end = r.at
	return h, nil
}

func (h *header) readMetadata(r *reader, n int) error {
	h.keys = make(map[string]int, n)
	for range n {
		at := r.at
		key, err := r.string("a key", maxKey)
		switch _, twice := h.keys[string(key)]; {
		case err != nil:
			return err
		case len(key) == 0:
			return broken(at, "a key is empty")
		case twice:
			return broken(at, "key %s is there twice", shown(key))
		}
		p := Pair{Key: string(key)}
		kind, err := r.uint32("kind of a value")
		if err == nil {
			p.Value, err = r.value(Kind(kind), 0)
		}
		if err != nil {
			return fmt.Errorf("key %s: %w", shown(key), err)
		}
		if p.Key == alignmentKey {
			a, ok := p.Value.Uint()
			if !ok || p.Value.kind != Uint32 || a == 0 || a%8 != 0 || a > maxAlignment {
				return broken(at, "%s is %s, want a uint32 that is a multiple of 8, at most %d", alignmentKey,
					p.Value.describe(), maxAlignment)
			}
			h.alignment = int(a)
		}
		h.keys[p.Key] = len(h.metadata)
		h.metadata = append(h.metadata, p)
	}
	return nil
}

const alignmentKey = "general.alignment"

func (h *header) readTensors(r *reader, n int) error {
	names := make(map[string]bool, n)
	for range n {
		at := r.at
		name, err := r.string("a tensor's name", maxName)
		switch {
		case err != nil:
			return err
		case len(name) == 0:
			return broken(at, "a tensor's name is empty")
		case names[string(name)]:
			return broken(at, "tensor %q is there twice", name)
		}
		t := Tensor{Name: string(name), described: at}
		names[t.Name] = true
		if err := t.read(r); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		h.tensors = append(h.tensors, t)
	}
	return nil
}

// read reads the description of a tensor after its name.
func (t *Tensor) read(r *reader) error {
	at := r.at
	rank, err := r.uint32("number of dimensions")
	if err != nil {
		return err
	}
	if rank > maxRank {
		return broken(at, "%d dimensions, at most %d", rank, maxRank)
	}
	t.Shape = make([]int, rank)
	for i := range t.Shape {
		at := r.at
		n, err := r.uint64("size of a dimension")
		if err != nil {
			return err
		}
		if n > maxDimension || n == 0 {
			return broken(at, "dimension %d has size %d, want 1 to %d", i, n, int64(maxDimension))
		}
		t.Shape[len(t.Shape)-1-i] = int(n) // the format has the innermost first
	}
	at = r.at
	typ, err := r.uint32("type")
	if err != nil {
		return err
	}
	t.Type = Type(typ)
	if t.size, err = t.Type.Size(t.Shape...); err != nil {
		return fmt.Errorf("byte %d: %w", at, err)
	}
	at = r.at
	offset, err := r.uint64("offset")
	if err != nil {
		return err
	}
	if offset > math.MaxInt64/2 {
		return broken(at, "offset %d, at most %d", offset, int64(math.MaxInt64/2))
	}
	t.offset = int64(offset)
	return nil
}

// place checks where the tensors' data are, given where all data begin at the earliest and where
// the file ends.
func (h *header) place(from, end int64) error {
	a := int64(h.alignment)
	from = (from + a - 1) / a * a
	order := make([]*Tensor, len(h.tensors))
	for i := range h.tensors {
		t := &h.tensors[i]
		order[i] = t
		if t.offset%a != 0 {
			return broken(t.described, "tensor %q: offset %d is not a multiple of the alignment %d", t.Name, t.offset, a)
		}
		if from > end || t.offset > end-from || t.size > end-from-t.offset {
			return broken(t.described, "tensor %q: offset %d and size %d exceed the file: its data begin at byte %d, "+
				"and it has %d bytes", t.Name, t.offset, t.size, from, end)
		}
		t.offset += from
	}
	slices.SortFunc(order, func(x, y *Tensor) int {
		return cmp.Or(cmp.Compare(x.offset, y.offset), cmp.Compare(x.size, y.size))
	})
	for i := 1; i < len(order); i++ {
		if x, y := order[i-1], order[i]; x.offset+x.size > y.offset {
			return broken(y.described, "tensor %q: offset %d, but the data of tensor %q end at %d", y.Name, y.offset-from,
				x.Name, x.offset+x.size-from)
		}
	}
	return nil
}
