package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of the reader. The header's is the format's own; models have far less of the others.
const (
	maxHeader   = 100_000_000 // bytes, of all files of an index together
	maxTensors  = 1 << 17     // of all files of an index together
	maxMetadata = 1 << 16     // entries
	maxName     = 4096        // bytes of a name or key
	maxRank     = 16
	lengthSize  = 8 // bytes of the header's length
)

// metadataName is the key that is no tensor.
const metadataName = "__metadata__"

// header is what is before the data.
type header struct {
	metadata map[string]string
	tensors  []Tensor // by their offset
	size     int      // bytes, with the length
}

// parse reads and checks everything of a file but its tensors' elements. The header has at most so
// many bytes.
func parse(data []byte, most int) (*header, error) {
	h, err := parseHeader(data, most)
	if err != nil {
		return nil, err
	}
	return h, h.place(int64(len(data)))
}

// parseHeader is parse without the places of the tensors' data.
func parseHeader(data []byte, most int) (*header, error) {
	if len(data) < lengthSize {
		return nil, broken(0, "the file has %d bytes, want %d for the header's length at least", len(data), lengthSize)
	}
	n := binary.LittleEndian.Uint64(data)
	switch left := uint64(len(data) - lengthSize); {
	case n > uint64(most):
		return nil, broken(0, "header of %d bytes, at most %d in all files together", n, maxHeader)
	case n > left:
		return nil, broken(0, "header of %d bytes, but %d bytes are left", n, left)
	}
	text := data[lengthSize : lengthSize+n]
	switch {
	case len(text) == 0:
		return nil, broken(0, "header of 0 bytes, want '{' at least")
	case text[0] != '{':
		return nil, broken(lengthSize, "the header begins with %q, want '{'", text[0])
	case !utf8.Valid(text):
		return nil, broken(lengthSize, "the header is not UTF-8")
	}
	h := &header{size: lengthSize + int(n)}
	s := &scanner{text: text}
	if err := h.read(s); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[s.at:], " "); len(rest) > 0 {
		return nil, broken(h.size-len(rest), "%d bytes behind the header's object, want blanks", len(rest))
	}
	return h, nil
}

// read reads the header's object.
func (h *header) read(s *scanner) error {
	names := map[string]bool{}
	return s.object("the header", func(offset int, name string) (err error) {
		if names[name] {
			return broken(offset, "name %s is there twice", shown(name))
		}
		names[name] = true
		if name == metadataName {
			h.metadata, err = readMetadata(s)
			return err
		}
		if len(h.tensors) == maxTensors {
			return broken(offset, "more than %d tensors", maxTensors)
		}
		t := Tensor{Name: name, described: offset}
		if err := t.read(s); err != nil {
			return fmt.Errorf("tensor %s: %w", shown(name), err)
		}
		h.tensors = append(h.tensors, t)
		return nil
	})
}

func readMetadata(s *scanner) (map[string]string, error) {
	m := map[string]string{}
	return m, s.object(metadataName, func(offset int, key string) (err error) {
		if _, twice := m[key]; twice {
			return broken(offset, "key %s of %s is there twice", shown(key), metadataName)
		}
		if len(m) == maxMetadata {
			return broken(offset, "%s has more than %d entries", metadataName, maxMetadata)
		}
		m[key], err = s.string(metadataName, maxHeader)
		return err
	})
}

// read reads what follows a tensor's name.
func (t *Tensor) read(s *scanner) error {
	var dtype string
	var shape, offsets []int64
	fields := map[string]bool{}
	err := s.object("the description", func(offset int, field string) (err error) {
		if fields[field] {
			return broken(offset, "%s is there twice", shown(field))
		}
		fields[field] = true
		switch field {
		case "dtype":
			dtype, err = s.string(field, maxName)
		case "shape":
			shape, err = s.numbers(field, maxRank)
		case "data_offsets":
			offsets, err = s.numbers(field, 2)
			if err == nil && len(offsets) != 2 {
				err = broken(offset, "data_offsets has %d numbers, want 2", len(offsets))
			}
		default:
			err = broken(offset, "unknown field %s, want dtype, shape and data_offsets", shown(field))
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, field := range []string{"dtype", "shape", "data_offsets"} {
		if !fields[field] {
			return broken(t.described, "%s is missing", field)
		}
	}
	t.Type, t.Shape = Type(dtype), make([]int, len(shape))
	for i, n := range shape {
		t.Shape[i] = int(n)
	}
	if t.size, err = t.Type.Size(t.Shape...); err != nil {
		return fmt.Errorf("byte %d: %w", t.described, err)
	}
	if begin, end := offsets[0], offsets[1]; begin > end || end-begin != t.size {
		return broken(t.described, "data_offsets [%d, %d], but %v of %s has %d bytes", begin, end, t.Shape, t.Type, t.size)
	}
	t.offset = offsets[0]
	return nil
}

// place checks that the tensors' data cover a file of so many bytes without holes.
func (h *header) place(end int64) error {
	slices.SortStableFunc(h.tensors, func(x, y Tensor) int {
		return cmp.Or(cmp.Compare(x.offset, y.offset), cmp.Compare(x.size, y.size))
	})
	at, data := int64(0), end-int64(h.size)
	for i := range h.tensors {
		t := &h.tensors[i]
		switch {
		case t.offset > at:
			return broken(t.described, "tensor %s: data_offsets begin at %d and leave a hole of %d bytes before", shown(t.Name),
				t.offset, t.offset-at)
		case t.offset < at:
			return broken(t.described, "tensor %s: data_offsets begin at %d and overlap the tensor before, which ends at %d",
				shown(t.Name), t.offset, at)
		case t.size > data-at:
			return broken(t.described, "tensor %s: data_offsets end at %d, but the file has %d bytes of data", shown(t.Name),
				at+t.size, data)
		}
		at += t.size
		t.offset += int64(h.size)
	}
	if at != data {
		return broken(int(int64(h.size)+at), "%d bytes behind the last tensor, want none", data-at)
	}
	return nil
}
