// Package store keeps files under keys in a folder that several processes share: written whole or
// not at all, verified when they are read, bounded in bytes.
//
// An entry is one file. Its name holds the key and the SHA-256 of what is in it, so that one rename
// publishes both and no reader can see one without the other. There are no locks, so none can be
// left behind: two writers of a key publish two files, or the same twice. A writer that dies leaves
// a folder under tmp, which goes once it is old. A file that does not have the hash of its name is
// deleted by whoever meets it. Nothing else in the folder is touched.
//
// A file is not forced to the disk before it is published: after a crash of the machine it may be
// short, which its hash tells.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Key is what an entry is found by.
type Key [sha256.Size]byte

// Store is a folder of entries. It is safe for concurrent use, and so is the folder for several
// stores and processes.
type Store struct {
	dir string
	max int64
	now func() time.Time
	log *slog.Logger

	misses, hits, written, healed, evicted, failures atomic.Uint64

	mu      sync.Mutex
	counted bool
	total   int64 // bytes in the folder: those of the last count, and what this store has added
	added   int64 // bytes since the last count
}

// Stats is what a store has done.
type Stats struct {
	Hits, Misses uint64 // of Open
	Written      uint64 // entries
	Healed       uint64 // entries that were deleted because they were damaged or of no use
	Evicted      uint64 // entries that were deleted to make room
	Failures     uint64 // of the file system
}

// The names in a store's folder.
const (
	suffix     = ".archive"
	tempDir    = "tmp"
	tempPrefix = "write-"
	dirMode    = 0o700 // what is in the files may run on the GPU: nobody else is to write it
	staleTemp  = time.Hour
)

// New makes a store of at most max bytes in a folder. It touches nothing: the folder is made when
// the first entry is added. The clock tells the age of entries and of what dead writers have left.
func New(dir string, max int64, now func() time.Time, log *slog.Logger) *Store {
	return &Store{dir: dir, max: max, now: now, log: log}
}

// Stats returns what the store has done so far.
func (s *Store) Stats() Stats {
	return Stats{Hits: s.hits.Load(), Misses: s.misses.Load(), Written: s.written.Load(), Healed: s.healed.Load(),
		Evicted: s.evicted.Load(), Failures: s.failures.Load()}
}

// folder returns where the entries of a key are: a 256th of all.
func (s *Store) folder(k Key) string { return filepath.Join(s.dir, hex.EncodeToString(k[:1])) }

func nameOf(k Key, sum [sha256.Size]byte) string {
	return hex.EncodeToString(k[:]) + "-" + hex.EncodeToString(sum[:]) + suffix
}

// parse reads the name of an entry.
func parse(name string) (k Key, sum [sha256.Size]byte, ok bool) {
	rest, isEntry := strings.CutSuffix(name, suffix)
	key, hash, both := strings.Cut(rest, "-")
	if !isEntry || !both || len(key) != hex.EncodedLen(len(k)) || len(hash) != hex.EncodedLen(len(sum)) {
		return k, sum, false
	}
	_, err := hex.Decode(k[:], []byte(key))
	_, err2 := hex.Decode(sum[:], []byte(hash))
	return k, sum, err == nil && err2 == nil && nameOf(k, sum) == name // one way to write it
}

// Open returns the path of a key's file, which has been verified. It may go at any time, when
// another process needs the room: then opening it fails. What cannot be read is logged and is a
// miss.
func (s *Store) Open(k Key) (path string, ok bool) {
	dir := s.folder(k)
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.failed("reading the folder", dir, err)
	}
	for _, d := range list {
		have, sum, isEntry := parse(d.Name())
		if !isEntry || have != k {
			continue
		}
		path := filepath.Join(dir, d.Name())
		found, _, err := digest(path, s.max)
		switch {
		case errors.Is(err, fs.ErrNotExist): // another process has just removed it
		case errors.Is(err, errDamaged):
			s.Reject(path, err)
		case err != nil:
			s.failed("reading", path, err)
		case found != sum:
			s.Reject(path, fmt.Errorf("its SHA-256 is %x", found))
		default:
			now := s.now()
			if err := os.Chtimes(path, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.failed("noting the use of", path, err)
			}
			s.hits.Add(1)
			return path, true
		}
	}
	s.misses.Add(1)
	return "", false
}

// Reject deletes a file that Open returned and that is of no use.
func (s *Store) Reject(path string, why error) {
	s.healed.Add(1)
	s.log.Warn("compute: kernel cache: deleting an entry that cannot be used; it will be made again", "file", path,
		"reason", why)
	s.remove(path)
}

// remove deletes a file and reports whether it is gone.
func (s *Store) remove(path string) bool {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.failed("deleting", path, err)
		return false
	}
	return true
}

func (s *Store) failed(doing, path string, err error) {
	s.failures.Add(1)
	s.log.Warn("compute: kernel cache: "+doing+" failed", "file", path, "error", err)
}

var errDamaged = errors.New("damaged")

// digest hashes a file. One that is empty, longer than the limit or no file is [errDamaged].
func digest(path string, max int64) (sum [sha256.Size]byte, size int64, err error) {
	i, err := os.Lstat(path) // a pipe, which opening would wait for, is not opened
	switch {
	case err != nil:
		return sum, 0, err
	case !i.Mode().IsRegular():
		return sum, 0, fmt.Errorf("%w: it is %v", errDamaged, i.Mode())
	case i.Size() == 0:
		return sum, 0, fmt.Errorf("%w: it is empty", errDamaged)
	case i.Size() > max:
		return sum, i.Size(), fmt.Errorf("%w: it has %d bytes, the whole cache at most %d", errDamaged, i.Size(), max)
	}
	f, err := os.Open(path)
	if err != nil {
		return sum, 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, io.LimitReader(f, max+1)); err != nil {
		return sum, size, err
	}
	return [sha256.Size]byte(h.Sum(nil)), size, nil
}

// Add has write make a file, at a path where there is none, and publishes it under a key. What is
// not written whole is never seen. The entries that were used longest ago make room for it.
func (s *Store) Add(k Key, write func(path string) error) (err error) {
	defer func() {
		if err != nil {
			s.failures.Add(1)
		}
	}()
	temp := filepath.Join(s.dir, tempDir)
	if err := os.MkdirAll(temp, dirMode); err != nil {
		return err
	}
	if temp, err = os.MkdirTemp(temp, tempPrefix); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	path := filepath.Join(temp, "new"+suffix)
	if err := write(path); err != nil {
		return err
	}
	sum, size, err := digest(path, s.max)
	if err != nil {
		return err
	}
	now := s.now()
	if err := os.Chtimes(path, now, now); err != nil {
		return err
	}
	if err := s.publish(k, sum, path); err != nil {
		return err
	}
	s.written.Add(1)
	s.bound(size)
	return nil
}

// publish gives a file its place.
func (s *Store) publish(k Key, sum [sha256.Size]byte, path string) error {
	if err := os.MkdirAll(s.folder(k), dirMode); err != nil {
		return err
	}
	to := filepath.Join(s.folder(k), nameOf(k, sum))
	err := os.Rename(path, to)
	if err != nil {
		// Where files that are open cannot be replaced: if the same is there already, it is as good.
		if have, _, bad := digest(to, s.max); bad == nil && have == sum {
			return nil
		}
	}
	return err
}
