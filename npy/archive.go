package npy

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
)

// Entry is an array of an archive with its name.
type Entry struct {
	Name  string // the keyword of numpy.savez, without ".npy"
	Array *Array
}

// ArchiveOptions limits what an archive may contain. A compressed archive can hold a thousand times
// its own size. Zero values mean the defaults.
type ArchiveOptions struct {
	// MaxEntries is the maximum number of arrays, by default 65,536.
	MaxEntries int
	// MaxBytes is the maximum size of all arrays together in bytes, without headers, by default 4 GiB.
	MaxBytes int64
}

const (
	defaultEntries = 1 << 16
	defaultBytes   = 4 << 30
	suffix         = ".npy"
	encrypted      = 1 // the bit of a zip entry's flags
)

// ReadArchiveFile reads the arrays of a .npz file. Errors name the file and the entry.
func ReadArchiveFile(name string, o ArchiveOptions) ([]Entry, error) {
	f, err := document.Archive.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	entries, err := ReadArchive(f, info.Size(), o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return entries, nil
}

// ReadArchive reads the arrays of a .npz file of size bytes, in the file's order: what numpy.savez
// and numpy.savez_compressed write. Errors name the entry. They wrap [ErrFormat] for input that is
// no such archive, has an entry that is not a .npy file, or two of one name, and [ErrLimit] for
// arrays beyond the limits of o.
func ReadArchive(r io.ReaderAt, size int64, o ArchiveOptions) ([]Entry, error) {
	maxEntries, left := cmp.Or(o.MaxEntries, defaultEntries), cmp.Or(o.MaxBytes, defaultBytes)
	if maxEntries < 0 || left < 0 {
		return nil, fmt.Errorf("npy: %w: %d entries and %d bytes; limits are at least 0, which means the default",
			ErrLimit, maxEntries, left)
	}
	directory := &directoryReader{r, directoryEnd + min(int64(maxEntries), 1<<32)*maxDirectoryEntry}
	z, err := zip.NewReader(directory, size)
	if errors.Is(err, ErrLimit) {
		return nil, fmt.Errorf("npy: %w; the archive may have %d entries", err, maxEntries)
	}
	if err != nil {
		return nil, fmt.Errorf("npy: %w: %w", ErrFormat, err)
	}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("npy: %w: %d entries; the limit is %d", ErrLimit, len(z.File), maxEntries)
	}
	directory.left = math.MaxInt64 // the arrays have a limit of their own
	entries, seen := make([]Entry, 0, len(z.File)), make(map[string]bool, len(z.File))
	for _, f := range z.File {
		a, err := readEntry(f, left)
		if name := strings.TrimSuffix(f.Name, suffix); err == nil && seen[name] {
			err = fmt.Errorf("npy: %w: there are two of this name", ErrFormat)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %q: %w", clip(f.Name), err)
		}
		left -= int64(len(a.Data))
		e := Entry{strings.TrimSuffix(f.Name, suffix), a}
		seen[e.Name] = true
		entries = append(entries, e)
	}
	return entries, nil
}

// What a zip file's directory may take, so that reading it is bounded before its entries are known.
const (
	directoryEnd      = 128 << 10 // the records behind the directory, which are searched for
	maxDirectoryEntry = 512       // on average, with its name
)

// directoryReader limits how much of a zip file is read for its directory.
type directoryReader struct {
	io.ReaderAt
	left int64
}

// ReadAt implements io.ReaderAt.
func (d *directoryReader) ReadAt(b []byte, at int64) (int, error) {
	if d.left < int64(len(b)) {
		return 0, fmt.Errorf("%w: the directory has more than %d bytes for each entry", ErrLimit, maxDirectoryEntry)
	}
	n, err := d.ReaderAt.ReadAt(b, at)
	d.left -= int64(n)
	return n, err
}

func readEntry(f *zip.File, limit int64) (*Array, error) {
	switch {
	case !strings.HasSuffix(f.Name, suffix):
		return nil, fmt.Errorf("npy: %w: its name does not end in %s", ErrFormat, suffix)
	case f.Flags&encrypted != 0:
		return nil, fmt.Errorf("npy: %w: it is encrypted", ErrFormat)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("npy: %w: %w", ErrFormat, err)
	}
	defer r.Close()
	a, err := read(r, limit)
	if err != nil {
		return nil, err
	}
	// The end of an entry is where its checksum is compared.
	switch n, err := io.CopyN(io.Discard, r, 1); {
	case n > 0:
		return nil, fmt.Errorf("npy: %w: there is data after the array", ErrFormat)
	case err != io.EOF:
		return nil, fmt.Errorf("npy: %w: %w", ErrFormat, err)
	}
	return a, nil
}

// WriteArchiveFile writes arrays to a .npz file, which it creates or overwrites. Nothing is written
// if an entry is invalid; after an error of the disk the file is incomplete. Errors name the file
// and the entry.
func WriteArchiveFile(name string, entries ...Entry) error {
	if err := checkEntries(entries); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(WriteArchive(f, entries...), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// WriteArchive writes arrays as numpy.savez does, without compression. Names must differ from each
// other and not be empty. Errors name the entry and wrap [ErrFormat] for such names, [ErrShape] and
// [ErrType] for arrays that [Write] refuses.
func WriteArchive(w io.Writer, entries ...Entry) error {
	if err := checkEntries(entries); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, e := range entries {
		f, err := z.CreateHeader(&zip.FileHeader{Name: e.Name + suffix, Method: zip.Store})
		if err == nil {
			err = Write(f, e.Array)
		}
		if err != nil {
			return fmt.Errorf("entry %q: %w", clip(e.Name), err)
		}
	}
	return z.Close()
}

func checkEntries(entries []Entry) error {
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		err := errors.New("npy: the array is nil")
		switch {
		case e.Name == "":
			err = fmt.Errorf("npy: %w: number %d has no name", ErrFormat, i)
		case seen[e.Name]:
			err = fmt.Errorf("npy: %w: there are two of this name", ErrFormat)
		case e.Array != nil:
			err = Write(io.Discard, e.Array)
		}
		if err != nil {
			return fmt.Errorf("entry %q: %w", clip(e.Name), err)
		}
		seen[e.Name] = true
	}
	return nil
}
