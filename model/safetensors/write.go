package safetensors

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// NewTensor is a tensor to write. The size of data, little-endian and row-major, follows from the
// type and the shape.
type NewTensor struct {
	Name  string
	Type  Type
	Shape []int // the outermost dimension first
	Data  []byte
}

// Write writes a file as the reference implementation does: tensors of the largest elements first,
// then by name, and blanks behind the header up to a multiple of 8 bytes. Metadata may be nil. What
// [Open] would refuse is an error, and then nothing is written.
func Write(w io.Writer, metadata map[string]string, tensors []NewTensor) error {
	tensors = slices.Clone(tensors)
	slices.SortStableFunc(tensors, func(x, y NewTensor) int {
		return cmp.Or(cmp.Compare(y.Type.rank(), x.Type.rank()), cmp.Compare(x.Name, y.Name))
	})
	text := &headerWriter{}
	text.WriteString("\x00\x00\x00\x00\x00\x00\x00\x00{") // the length follows
	if metadata != nil {
		text.key(metadataName)
		text.WriteByte('{')
		for _, k := range slices.Sorted(maps.Keys(metadata)) {
			text.key(k)
			text.string(metadata[k])
		}
		text.WriteByte('}')
	}
	offset := int64(0)
	for _, t := range tensors {
		size, err := t.Type.Size(t.Shape...)
		switch {
		case err != nil:
			return fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
		case size != int64(len(t.Data)):
			return fmt.Errorf("safetensors: tensor %q has %d bytes of data, want %d for %s %v", t.Name, len(t.Data), size,
				t.Type, t.Shape)
		case t.Name == metadataName:
			return fmt.Errorf("safetensors: a tensor is named %q, which the metadata have", t.Name)
		}
		text.key(t.Name)
		shape, _ := json.Marshal(append([]int{}, t.Shape...)) // integers have no errors
		fmt.Fprintf(text, `{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, t.Type, shape, offset, offset+size)
		offset += size
	}
	text.WriteByte('}')
	for text.Len()%8 != 0 {
		text.WriteByte(' ')
	}
	if text.err != nil {
		return text.err
	}
	h := text.Bytes()
	binary.LittleEndian.PutUint64(h, uint64(len(h)-lengthSize))
	if x, err := parseHeader(h, maxHeader); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	} else if err := x.place(int64(len(h)) + offset); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	out.Write(h) // a bufio.Writer keeps the first error, which Flush returns
	for _, t := range tensors {
		out.Write(t.Data)
	}
	return out.Flush()
}

// headerWriter writes the header's JSON and keeps the first error.
type headerWriter struct {
	bytes.Buffer
	err error
}

// key writes a key, behind a comma if it is not the first of its object.
func (w *headerWriter) key(key string) {
	if b := w.Bytes(); b[len(b)-1] != '{' {
		w.WriteByte(',')
	}
	w.string(key)
	w.WriteByte(':')
}

func (w *headerWriter) string(s string) {
	if !utf8.ValidString(s) && w.err == nil {
		w.err = fmt.Errorf("safetensors: %s is not UTF-8: %w", shown(s), ErrFormat)
	}
	e := json.NewEncoder(&w.Buffer)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)         // a string has no errors
	w.Truncate(w.Len() - 1) // the line's end
}
