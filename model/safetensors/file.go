package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/machine"
)

// File is an open file, or a model in several. Its methods may be called concurrently, but not with
// Close.
type File struct {
	Name     string
	Metadata map[string]string // of the first file
	Tensors  []Tensor          // in the order of their data, file by file

	names    map[string]int
	mappings [][]byte
	read     int // bytes of headers
	close    sync.Once
	err      error
}

// Tensor describes a tensor of a file.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int // the outermost dimension first

	part      []byte // the mapping that it is in
	mapped    bool
	file      int   // among those of an index
	offset    int64 // in the mapping
	size      int64
	described int // where the header describes it
}

// Bytes returns the tensor's elements as they are in the file, little-endian and row-major: memory
// of the mapping, which must not be used after [File.Close].
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

// indexSuffix is how the names of indices end.
const indexSuffix = ".index.json"

// Open opens a file, or with the name of an index (*.safetensors.index.json) the files that it
// names. Close it when done. Errors about contents name the file, the offset, the value and the
// limit, and wrap [ErrFormat].
func Open(name string) (*File, error) {
	f := &File{Name: name, names: map[string]int{}}
	if err := f.open(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *File) open() error {
	if strings.HasSuffix(f.Name, indexSuffix) {
		return f.openIndex()
	}
	return f.add(f.Name)
}

// openIndex opens the files that an index names.
func (f *File) openIndex() error {
	text, err := document.Index.ReadFile(f.Name)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return fmt.Errorf("%s: the index is not UTF-8: %w", f.Name, ErrFormat)
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := document.Index.JSON(text, &index); err != nil {
		return fmt.Errorf("%s: %sthe index: %w: %w", f.Name, placeOf(err), err, ErrFormat)
	}
	if len(index.WeightMap) == 0 {
		return fmt.Errorf("%s: weight_map is missing or empty: %w", f.Name, ErrFormat)
	}
	names := slices.Sorted(maps.Keys(index.WeightMap)) // so that the same index has the same error
	files := map[string]bool{}
	for _, tensor := range names {
		file := index.WeightMap[tensor]
		if file == "." || file == ".." || filepath.Base(file) != file {
			return fmt.Errorf("%s: weight_map: tensor %s is in %s, want the name of a file beside the index: %w", f.Name,
				shown(tensor), shown(file), ErrFormat)
		}
		files[file] = true
	}
	if len(files) > maxFiles {
		return fmt.Errorf("%s: weight_map names %d files, at most %d: %w", f.Name, len(files), maxFiles, ErrFormat)
	}
	order := slices.Sorted(maps.Keys(files))
	for _, file := range order {
		if err := f.add(filepath.Join(filepath.Dir(f.Name), file)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, tensor := range names {
		file := index.WeightMap[tensor]
		t := f.Tensor(tensor)
		if t == nil || order[t.file] != file {
			return fmt.Errorf("%s: weight_map: tensor %s is not in %s: %w", f.Name, shown(tensor), shown(file), ErrFormat)
		}
	}
	return nil
}

// maxFiles limits the files of an index.
const maxFiles = 1024

// placeOf returns where an error of JSON was found, for an error's text.
func placeOf(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("byte %d: ", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("byte %d: ", kind.Offset)
	}
	return ""
}

// add maps a file and adds its tensors.
func (f *File) add(name string) error {
	data, err := document.Model.Map(name)
	if err != nil {
		return err
	}
	f.mappings = append(f.mappings, data)
	h, err := parse(data, maxHeader-f.read)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.read += h.size
	if n := len(f.Tensors) + len(h.tensors); n > maxTensors {
		return fmt.Errorf("%s: %d tensors with those of the files before, at most %d: %w", name, n, maxTensors, ErrFormat)
	}
	if f.Metadata == nil {
		f.Metadata = h.metadata
	}
	for _, t := range h.tensors {
		if _, twice := f.names[t.Name]; twice {
			return fmt.Errorf("%s: byte %d: tensor %s is in another file too: %w", name, t.described, shown(t.Name), ErrFormat)
		}
		t.part, t.mapped, t.file = data, true, len(f.mappings)-1
		f.names[t.Name] = len(f.Tensors)
		f.Tensors = append(f.Tensors, t)
	}
	return nil
}

// Parse is Open for the contents of a file that are in memory, such as of [embed.FS]. The name is
// for errors.
func Parse(name string, data []byte) (*File, error) {
	h, err := parse(data, maxHeader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Name: name, Metadata: h.metadata, Tensors: h.tensors, names: make(map[string]int, len(h.tensors))}
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
