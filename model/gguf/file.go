package gguf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/machine"
)

// Pair is a key of the metadata with its value.
type Pair struct {
	Key   string
	Value Value
}

// File is an open model. Its methods may be called concurrently, but not with Close.
type File struct {
	Name      string
	Version   uint32
	Alignment int      // of the tensors' data in the file, in bytes
	Metadata  []Pair   // in the order of the file
	Tensors   []Tensor // in the order of the file, and of the parts if the model is split

	keys     map[string]int
	names    map[string]int
	read     int      // bytes before the tensors' data, of all parts
	mappings [][]byte // a part of a split model each
	close    sync.Once
	err      error
}

// Tensor describes a tensor of a file.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int // the outermost dimension first; the format has it the other way around

	part      []byte // the mapping that it is in
	mapped    bool
	offset    int64 // in the mapping
	size      int64
	described int // where the file describes it
}

// Bytes returns the tensor's elements as they are in the file: memory of the mapping, which must
// not be used after [File.Close].
func (t *Tensor) Bytes() []byte { return t.part[t.offset : t.offset+t.size : t.offset+t.size] }

// Pages returns the whole pages of the mapping around [Tensor.Bytes], and where these begin in
// them. A device can use them without a copy; see [github.com/puremetal/puremetal/compute.Adopt].
// Writes do not reach the file. It returns nil for a file of Parse.
func (t *Tensor) Pages() (pages []byte, offset int) {
	if !t.mapped {
		return nil, 0
	}
	page := int64(os.Getpagesize())
	from, to := t.offset/page*page, (t.offset+t.size+page-1)/page*page
	return t.part[from:to:to], int(t.offset - from)
}

// Open opens a model's file, or the first of its files if it is split. Close it when done. Errors
// about contents name the file, the offset, the value and the limit, and wrap [ErrFormat].
func Open(name string) (*File, error) {
	f := &File{Name: name}
	if err := f.open(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *File) open() error {
	first, err := f.add(f.Name)
	if err != nil {
		return err
	}
	f.Version, f.Alignment, f.Metadata, f.keys = first.version, first.alignment, first.metadata, first.keys
	parts, err := f.parts(first)
	if err != nil {
		return err
	}
	for i, name := range parts {
		h, err := f.add(name)
		if err != nil {
			return fmt.Errorf("%s: part %d of %d: %w", f.Name, i+2, len(parts)+1, err)
		}
		no, _ := h.uint("split.no")
		count, _ := h.uint("split.count")
		if no != uint64(i+1) || count != uint64(len(parts)+1) {
			return fmt.Errorf("%s: split.no is %d and split.count %d, want %d and %d: %w", name, no, count, i+1, len(parts)+1,
				ErrFormat)
		}
	}
	if want, ok := first.uint("split.tensors.count"); ok && len(parts) > 0 && want != uint64(len(f.Tensors)) {
		return fmt.Errorf("%s: its %d parts have %d tensors, split.tensors.count is %d: %w", f.Name, len(parts)+1,
			len(f.Tensors), want, ErrFormat)
	}
	return nil
}

// add maps a file and adds its tensors.
func (f *File) add(name string) (h *header, err error) {
	data, err := document.Model.Map(name)
	if err != nil {
		return nil, err
	}
	f.mappings = append(f.mappings, data)
	if h, err = parse(data, maxHeader-f.read); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.read += h.end
	if n := len(f.Tensors) + len(h.tensors); n > maxTensors {
		return nil, fmt.Errorf("%s: %d tensors with those of the parts before, at most %d: %w", name, n, maxTensors,
			ErrFormat)
	}
	if f.names == nil {
		f.names = make(map[string]int, len(h.tensors))
	}
	for _, t := range h.tensors {
		if _, twice := f.names[t.Name]; twice {
			return nil, fmt.Errorf("%s: byte %d: tensor %q is in another part too: %w", name, t.described, t.Name, ErrFormat)
		}
		t.part, t.mapped = data, true
		f.names[t.Name] = len(f.Tensors)
		f.Tensors = append(f.Tensors, t)
	}
	return h, nil
}

// maxParts limits the files of a split model.
const maxParts = 1024

// parts returns the names of a split model's other files.
func (f *File) parts(first *header) (names []string, err error) {
	count, ok := first.uint("split.count")
	if !ok || count <= 1 {
		return nil, nil
	}
	if count > maxParts {
		return nil, fmt.Errorf("%s: split.count %d, at most %d: %w", f.Name, count, maxParts, ErrFormat)
	}
	if no, _ := first.uint("split.no"); no != 0 {
		return nil, fmt.Errorf("%s: part %d of %d of a split model; open the first: %w", f.Name, no+1, count, ErrFormat)
	}
	dir, base := filepath.Split(f.Name)
	model, ok := strings.CutSuffix(base, fmt.Sprintf("-00001-of-%05d.gguf", count))
	if !ok {
		return nil, fmt.Errorf("%s: split.count is %d, so the file's name must end in -00001-of-%05d.gguf: %w", f.Name,
			count, count, ErrFormat)
	}
	for i := 2; i <= int(count); i++ {
		names = append(names, filepath.Join(dir, fmt.Sprintf("%s-%05d-of-%05d.gguf", model, i, count)))
	}
	return names, nil
}

// Parse is Open for the contents of a file that are in memory, such as of [embed.FS]. The model may
// not be split. The name is for errors.
func Parse(name string, data []byte) (*File, error) {
	h, err := parse(data, maxHeader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Name: name, Version: h.version, Alignment: h.alignment, Metadata: h.metadata, Tensors: h.tensors,
		keys: h.keys, names: make(map[string]int, len(h.tensors))}
	for i := range f.Tensors {
		f.Tensors[i].part = data
		f.names[f.Tensors[i].Name] = i
	}
	return f, nil
}

// Close unmaps the files.
func (f *File) Close() error {
	f.close.Do(func() {
		for _, m := range f.mappings {
			f.err = errors.Join(f.err, machine.UnmapFile(m))
		}
		f.mappings = nil
		for i := range f.Tensors {
			f.Tensors[i].part = nil
		}
	})
	return f.err
}

// Tensor returns a tensor by its name, or nil.
func (f *File) Tensor(name string) *Tensor {
	if i, ok := f.names[name]; ok {
		return &f.Tensors[i]
	}
	return nil
}

// Value returns the value of a key.
func (f *File) Value(key string) (v Value, ok bool) {
	i, ok := f.keys[key]
	if !ok {
		return Value{}, false
	}
	return f.Metadata[i].Value, true
}

// ErrNoKey is wrapped by errors about keys that are missing.
var ErrNoKey = errors.New("no such key")

// lookup returns the value of a key that get can read.
func lookup[T any](f *File, key, want string, get func(Value) (T, bool)) (x T, err error) {
	v, ok := f.Value(key)
	if !ok {
		return x, fmt.Errorf("%s: %s: %w", f.Name, key, ErrNoKey)
	}
	if x, ok = get(v); !ok {
		return x, fmt.Errorf("%s: %s is %s, want %s: %w", f.Name, key, v.describe(), want, ErrFormat)
	}
	return x, nil
}

// Text returns the string of a key. Errors wrap [ErrNoKey] if the key is missing, and [ErrFormat]
// if its value is not a string. So do those of the methods below.
func (f *File) Text(key string) (string, error) { return lookup(f, key, "a string", Value.Text) }

// Uint returns an integer that is not negative.
func (f *File) Uint(key string) (uint64, error) {
	return lookup(f, key, "an integer that is not negative", Value.Uint)
}

// Int returns an integer that an int64 can be.
func (f *File) Int(key string) (int64, error) { return lookup(f, key, "an integer", Value.Int) }

// Float returns a floating-point number.
func (f *File) Float(key string) (float64, error) {
	return lookup(f, key, "a floating-point number", Value.Float)
}

// Bool returns a truth value.
func (f *File) Bool(key string) (bool, error) { return lookup(f, key, "a bool", Value.Bool) }

// Strings returns an array of strings.
func (f *File) Strings(key string) ([]string, error) {
	return lookup(f, key, "an array of strings", Value.Strings)
}

// Ints returns an array of integers, all of which an int64 can be.
func (f *File) Ints(key string) ([]int64, error) {
	return lookup(f, key, "an array of integers", Value.Ints)
}

// Floats returns an array of floating-point numbers.
func (f *File) Floats(key string) ([]float64, error) {
	return lookup(f, key, "an array of floating-point numbers", Value.Floats)
}
