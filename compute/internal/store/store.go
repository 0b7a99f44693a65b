// Package store keeps files under keys in a folder that several processes share: written whole or
// not at all, verified when they are read, bounded in bytes.
//
// An entry is one file. Its name holds the key and a tag over key and content, so that one rename
// publishes both and no reader can see one without the other. The tag is an HMAC-SHA256 with a
// secret that lies in the folder, readable by its owner only: nobody else can make an entry, or
// move one to another key. A folder that others may write is not used at all (see package private).
// There are no locks, so none can be left behind: two writers of a key publish two files, or the
// same twice. A writer that dies leaves a folder under tmp, which goes once it is old. A file that
// does not have the tag of its name is deleted by whoever meets it. Nothing else in the folder is
// touched.
//
// A file is not forced to the disk before it is published: after a crash of the machine it may be
// short, which its tag tells.
package store

import (
	"crypto/hmac"
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

	"github.com/puremetal/puremetal/internal/private"
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

	refusal sync.Once // logs why the folder is refused

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
	dirMode    = 0o700 // what is in the files is run: nobody else is to write it
	fileMode   = 0o600
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

func nameOf(k Key, t tag) string {
	return hex.EncodeToString(k[:]) + "-" + hex.EncodeToString(t[:]) + suffix
}

// parse reads the name of an entry.
func parse(name string) (k Key, t tag, ok bool) {
	rest, isEntry := strings.CutSuffix(name, suffix)
	key, mac, both := strings.Cut(rest, "-")
	if !isEntry || !both || len(key) != hex.EncodedLen(len(k)) || len(mac) != hex.EncodedLen(len(t)) {
		return k, t, false
	}
	_, err := hex.Decode(k[:], []byte(key))
	_, err2 := hex.Decode(t[:], []byte(mac))
	return k, t, err == nil && err2 == nil && nameOf(k, t) == name // one way to write it
}

// File is an entry's file as it was verified.
type File struct {
	Path string
	Sum  [sha256.Size]byte // of the content
}

// Open returns a key's file, which has been verified. It may go at any time, when another process
// needs the room: then opening it fails. What cannot be read is logged and is a miss, and so is all
// in a folder that others may write.
func (s *Store) Open(k Key) (file File, ok bool) {
	dir := s.folder(k)
	secret, err := s.secret()
	var list []os.DirEntry
	if err == nil {
		list, err = readFolder(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.unusable("reading the folder", dir, err)
	}
	for _, d := range list {
		have, want, isEntry := parse(d.Name())
		if !isEntry || have != k {
			continue
		}
		path := filepath.Join(dir, d.Name())
		found, err := s.digest(secret, k, path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // another process has just removed it
		case errors.Is(err, errDamaged), errors.Is(err, private.ErrShared):
			s.Reject(path, err)
		case err != nil:
			s.failed("reading", path, err)
		case !hmac.Equal(found.tag[:], want[:]):
			s.Reject(path, errors.New("its tag is not that of its content under this user's secret"))
		default:
			now := s.now()
			if err := os.Chtimes(path, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.failed("noting the use of", path, err)
			}
			s.hits.Add(1)
			return File{path, found.sum}, true
		}
	}
	s.misses.Add(1)
	return File{}, false
}

// readFolder lists a folder of entries.
func readFolder(dir string) ([]os.DirEntry, error) {
	info, err := os.Lstat(dir)
	if err == nil {
		err = private.File(dir, info)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadDir(dir)
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

// unusable logs what is wrong with the whole folder. A refusal is logged once: it lasts.
func (s *Store) unusable(doing, path string, err error) {
	if !errors.Is(err, private.ErrShared) {
		s.failed(doing, path, err)
		return
	}
	s.refusal.Do(func() {
		s.failures.Add(1)
		s.log.Warn("compute: kernel cache: the folder is not used, because others may change what is run from it",
			"folder", s.dir, "reason", err)
	})
}

var errDamaged = errors.New("damaged")

// tag authenticates an entry.
type tag [sha256.Size]byte

// contents is what there is to know of a file.
type contents struct {
	tag  tag
	sum  [sha256.Size]byte
	size int64
}

// digest reads a file as an entry of a key. One that is empty, longer than the limit or no file is
// [errDamaged].
func (s *Store) digest(secret secret, k Key, path string) (c contents, err error) {
	i, err := os.Lstat(path) // a pipe, which opening would wait for, is not opened
	switch {
	case err != nil:
		return c, err
	case !i.Mode().IsRegular():
		return c, fmt.Errorf("%w: it is %v", errDamaged, i.Mode())
	case i.Size() == 0:
		return c, fmt.Errorf("%w: it is empty", errDamaged)
	case i.Size() > s.max:
		return c, fmt.Errorf("%w: it has %d bytes, the whole cache at most %d", errDamaged, i.Size(), s.max)
	}
	if err := private.File(path, i); err != nil {
		return c, err
	}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	sum, mac := sha256.New(), hmac.New(sha256.New, secret[:])
	mac.Write(k[:])
	if c.size, err = io.Copy(io.MultiWriter(sum, mac), io.LimitReader(f, s.max+1)); err != nil {
		return c, err
	}
	c.tag, c.sum = tag(mac.Sum(nil)), [sha256.Size]byte(sum.Sum(nil))
	return c, nil
}

// Add has write make a file, at a path where there is none, and publishes it under a key. What is
// not written whole is never seen. The entries that were used longest ago make room for it. The
// error of a folder that others may write wraps [private.ErrShared].
func (s *Store) Add(k Key, write func(path string) error) (err error) {
	defer func() {
		if err != nil && !errors.Is(err, private.ErrShared) {
			s.failures.Add(1)
		}
	}()
	secret, err := s.makeSecret()
	if err != nil {
		if errors.Is(err, private.ErrShared) {
			s.unusable("", "", err)
		}
		return err
	}
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
	if err := os.Chmod(path, fileMode); err != nil {
		return err
	}
	c, err := s.digest(secret, k, path)
	if err != nil {
		return err
	}
	now := s.now()
	if err := os.Chtimes(path, now, now); err != nil {
		return err
	}
	if err := s.publish(secret, k, c, path); err != nil {
		return err
	}
	s.written.Add(1)
	s.bound(c.size)
	return nil
}

// publish gives a file its place.
func (s *Store) publish(secret secret, k Key, c contents, path string) error {
	if err := os.MkdirAll(s.folder(k), dirMode); err != nil {
		return err
	}
	to := filepath.Join(s.folder(k), nameOf(k, c.tag))
	err := os.Rename(path, to)
	if err != nil {
		// Where files that are open cannot be replaced: if the same is there already, it is as good.
		if have, bad := s.digest(secret, k, to); bad == nil && have.tag == c.tag {
			return nil
		}
	}
	return err
}
