// Package document reads the documents of others within limits: spec files, sources, results,
// traces, arrays, images, libraries. The limits of all kinds are in this file, and SECURITY.md has
// them as a table.
//
// A document is refused before it is parsed: by its size before it is read, by its depth and its
// number of values before a parser sees it. Only regular files are opened, unless the kind may come
// from a pipe: a named pipe blocks whoever opens it, and a device never ends.
package document

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/puremetal/puremetal/internal/machine"
)

// Kind is a kind of document with its limits. A limit of 0 means that the kind has none of that
// sort.
type Kind struct {
	Name   string // with its article, as messages have it
	Size   int64  // bytes
	Depth  int    // of tables, lists and parts of keys in each other
	Values int    // of all tables and lists together, events of a trace, pixels of an image
	Scans  int    // of a JPEG image, each of which decodes the whole image again
	Pipe   bool   // may also be read from a pipe or a terminal
}

// The kinds.
var (
	Source     = Kind{Name: "a Metal source", Size: 8 << 20, Pipe: true}
	Header     = Kind{Name: "an included file", Size: 8 << 20}
	Spec       = Kind{Name: "a spec file", Size: 256 << 10, Depth: 8, Values: 1 << 16}
	Results    = Kind{Name: "results of bench", Size: 16 << 20, Depth: 16, Values: 1 << 20, Pipe: true}
	Trace      = Kind{Name: "a trace", Size: 1 << 30, Values: 4 << 20, Pipe: true}
	Page       = Kind{Name: "a report of a program", Size: 16 << 20}
	Array      = Kind{Name: "an .npy file", Size: 64 << 30}
	Archive    = Kind{Name: "an .npz file", Size: 64 << 30}
	Operand    = Kind{Name: "a .npy or .raw file for a kernel's argument", Size: 4 << 30}
	Image      = Kind{Name: "an image", Size: 256 << 20, Values: 1 << 26, Scans: 64}
	Library    = Kind{Name: "a library or binary archive", Size: 1 << 30, Depth: 16, Values: 1 << 20}
	Text       = Kind{Name: "a text for a language model", Size: 64 << 20, Pipe: true}
	Model      = Kind{Name: "a model", Size: 1 << 42}
	Vocabulary = Kind{Name: "a tokenizer.json", Size: 128 << 20, Depth: 32, Values: 1 << 22}
	Config     = Kind{Name: "a model's configuration", Size: 1 << 20, Depth: 16, Values: 1 << 16}
	Index      = Kind{Name: "an index of a model's files", Size: 64 << 20, Depth: 8, Values: 1 << 20}
	Times      = Kind{Name: "a file of crossover times", Size: 1 << 20, Depth: 16, Values: 1 << 20}
)

// Kinds returns all kinds, for the test of the table in SECURITY.md.
func Kinds() []Kind {
	return []Kind{Source, Header, Spec, Results, Trace, Page, Array, Archive, Operand, Image, Library, Text, Model,
		Vocabulary, Config, Index, Times}
}

// ErrLimit is wrapped by errors about documents that exceed a limit.
var ErrLimit = errors.New("limit exceeded")

// limitError says which limit a document exceeds.
type limitError struct{ text string }

func (e *limitError) Error() string        { return e.text }
func (e *limitError) Is(target error) bool { return target == ErrLimit }

func (k *Kind) refuse(format string, args ...any) error {
	return &limitError{fmt.Sprintf(format, args...)}
}

func (k *Kind) tooLarge() error {
	return k.refuse("%s may have at most %d bytes", k.Name, k.Size)
}

// Open opens a file of the kind. It waits for nobody, unless the kind may come from a pipe. Errors
// name the file. They are an *fs.PathError if the file cannot be opened or is not of a sort that
// can be read, and wrap ErrLimit if it is too large.
func (k Kind) Open(name string) (*os.File, error) {
	// A pipe that nobody has opened for writing is opened at once, and then refused or read.
	mode := syscall.O_NONBLOCK
	if k.Pipe {
		mode = 0
	}
	f, err := os.OpenFile(name, os.O_RDONLY|mode, 0)
	if err != nil {
		return nil, err
	}
	if err := k.check(f, name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// check refuses an open file that is of the wrong sort or too large.
func (k *Kind) check(f fs.File, name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case mode.IsRegular() && info.Size() > k.Size:
		return fmt.Errorf("%s has %d bytes; %w", name, info.Size(), k.tooLarge())
	case !mode.IsRegular() && !k.Pipe:
		return &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	return nil
}

// ReadFile reads a file of the kind, which Open would open.
func (k Kind) ReadFile(name string) ([]byte, error) {
	f, err := k.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := k.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// Map maps a file of the kind, which Open would open; see [machine.MapFile]. An empty file has no
// memory. [machine.UnmapFile] gives the memory back.
func (k Kind) Map(name string) ([]byte, error) {
	f, err := k.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, nil // which no system maps
	}
	data, err := machine.MapFile(f, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("%s: mapping its %d bytes: %w", name, info.Size(), err)
	}
	return data, nil
}

// Read reads a document to its end. The error wraps ErrLimit if it has more bytes than the kind
// may have.
func (k Kind) Read(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, k.Size+1))
	if err == nil && int64(len(data)) > k.Size {
		err = k.tooLarge()
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Limit returns a reader of at most as many bytes as the kind may have. Reading more gives an error
// that wraps ErrLimit, instead of the end of the document.
func (k Kind) Limit(r io.Reader) io.Reader { return &limited{kind: k, from: r, left: k.Size} }

type limited struct {
	kind Kind
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 { // is there more?
		var one [1]byte
		n, err := l.from.Read(one[:])
		if n > 0 {
			return 0, l.kind.tooLarge()
		}
		return 0, err
	}
	n, err := l.from.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

// FS returns a file system in which only documents of the kind can be opened.
func (k Kind) FS(files fs.FS) fs.FS { return limitedFS{k, files} }

type limitedFS struct {
	kind Kind
	fs.FS
}

// Open opens a file. The underlying file system might wait for a pipe, so Stat comes first if it
// opens nothing.
func (l limitedFS) Open(name string) (fs.File, error) {
	if s, ok := l.FS.(fs.StatFS); ok {
		if info, err := s.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
		}
	}
	f, err := l.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return f, nil
	}
	if err := l.kind.check(f, name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Stat implements fs.StatFS.
func (l limitedFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.FS, name) }
