// Package store keeps files by key in a folder that several processes share. Files are written
// atomically, verified when they are read, and their total size is bounded.
//
// An entry is one file. Its name contains the key and a tag over key and content, so that one
// rename publishes all of it and no reader sees a part. The tag is an HMAC-SHA256 with a secret in
// the folder that only its owner can read: nobody else can make an entry, or move one to another
// key. A folder that others can write to is not used at all (see package private).
//
// There are no locks, so none can be left behind: two writers of a key publish two files, or the
// same one twice. A writer that dies leaves a folder under tmp, which is deleted once it is old. A
// file whose content does not match the tag in its name is deleted by whoever finds it. Nothing
// else in the folder is touched.
//
// Files are not synced to disk before they are published. After a crash of the machine one may be
// truncated, which its tag detects.
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

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/machine"
)

// Key identifies an entry.
type Key [sha256.Size]byte

// Store is a folder of entries. It is safe for concurrent use, and several stores and processes may
// use one folder at the same time.
type Store struct {
	dir string
	max int64
	now func() time.Time
	log *slog.Logger

	misses, hits, written, healed, evicted, failures atomic.Uint64

	refusal sync.Once // logs why the folder is refused

	mu      sync.Mutex
	counted bool
	total   int64 // bytes in the folder: the last count, plus what this store has added since
	added   int64 // bytes added since the last count
}

// Stats counts the work of a store.
type Stats struct {
	Hits, Misses uint64 // of Open
	Written      uint64 // entries
	Healed       uint64 // entries deleted because they were damaged or unusable
	Evicted      uint64 // entries deleted to make room
	Failures     uint64 // of the file system
}

// The names in a store's folder.
const (
	suffix     = ".archive"
	tempDir    = "tmp"
	tempPrefix = "write-"
	dirMode    = 0o700 // the files contain code that will run, so nobody else may write them
	fileMode   = 0o600
	staleTemp  = time.Hour
)

// New makes a store of at most max bytes in a folder. The folder is created when the first entry is
// added. now is the clock for the age of entries and of the remains of dead writers.
func New(dir string, max int64, now func() time.Time, log *slog.Logger) *Store {
	return &Store{dir: dir, max: max, now: now, log: log}
}

// Stats returns the store's statistics so far.
func (s *Store) Stats() Stats {
	return Stats{Hits: s.hits.Load(), Misses: s.misses.Load(), Written: s.written.Load(), Healed: s.healed.Load(),
		Evicted: s.evicted.Load(), Failures: s.failures.Load()}
}

// folder returns the subfolder for a key. There are 256 of them.
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
	return k, t, err == nil && err2 == nil && nameOf(k, t) == name // reject other spellings, such as upper case
}

// File is the verified file of an entry.
type File struct {
	Path string
	Sum  [sha256.Size]byte // of the content
}

// Open verifies and returns the file of a key. Another process may evict the file at any time;
// opening it then fails. A file that cannot be read is logged and counts as a miss, and so does
// everything in a folder that others can write to.
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
		case errors.Is(err, errDamaged), errors.Is(err, machine.ErrShared):
			s.Reject(path, err)
		case err != nil:
			s.failed("reading", path, err)
		case !hmac.Equal(found.tag[:], want[:]):
			s.Reject(path, errors.New("its tag does not match its content and this user's secret"))
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
		err = machine.PrivateFile(dir, info)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadDir(dir)
}

// Reject deletes a file that Open returned but that cannot be used.
func (s *Store) Reject(path string, why error) {
	s.healed.Add(1)
	s.log.Warn("compute: kernel cache: deleting an entry that cannot be used", "file", path,
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

// unusable logs an error of the whole folder. That the folder is refused is logged only once.
func (s *Store) unusable(doing, path string, err error) {
	if !errors.Is(err, machine.ErrShared) {
		s.failed(doing, path, err)
		return
	}
	s.refusal.Do(func() {
		s.failures.Add(1)
		s.log.Warn("compute: kernel cache: the folder is not used, because others could replace the code in it",
			"folder", s.dir, "reason", err)
	})
}

var errDamaged = errors.New("damaged")

// tag authenticates an entry.
type tag [sha256.Size]byte

// contents describes the content of a file.
type contents struct {
	tag  tag
	sum  [sha256.Size]byte
	size int64
}

// digest reads a file as an entry of a key. The error is errDamaged if it is empty, longer than the
// store's limit, or not a regular file.
func (s *Store) digest(secret secret, k Key, path string) (c contents, err error) {
	i, err := os.Lstat(path) // before opening, which would block for a pipe
	switch {
	case err != nil:
		return c, err
	case !i.Mode().IsRegular():
		return c, fmt.Errorf("%w: it is %v", errDamaged, i.Mode())
	case i.Size() == 0:
		return c, fmt.Errorf("%w: it is empty", errDamaged)
	case i.Size() > s.max:
		return c, fmt.Errorf("%w: it has %d bytes, the whole cache is limited to %d", errDamaged, i.Size(), s.max)
	}
	if err := machine.PrivateFile(path, i); err != nil {
		return c, err
	}
	f, err := document.Kind{Name: "an entry", Size: s.max}.Open(path)
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

// Add calls write to make a file at a new path, and publishes the file under a key. A file that is
// not completely written is never visible. The least recently used entries are deleted to make
// room. If others can write to the folder, the error wraps [machine.ErrShared].
func (s *Store) Add(k Key, write func(path string) error) (err error) {
	defer func() {
		if err != nil && !errors.Is(err, machine.ErrShared) {
			s.failures.Add(1)
		}
	}()
	secret, err := s.makeSecret()
	if err != nil {
		if errors.Is(err, machine.ErrShared) {
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

// publish moves a file to its final name.
func (s *Store) publish(secret secret, k Key, c contents, path string) error {
	if err := os.MkdirAll(s.folder(k), dirMode); err != nil {
		return err
	}
	to := filepath.Join(s.folder(k), nameOf(k, c.tag))
	err := os.Rename(path, to)
	if err != nil {
		// Some systems cannot replace an open file. If the same entry already exists, that is just as
		// good.
		if have, bad := s.digest(secret, k, to); bad == nil && have.tag == c.tag {
			return nil
		}
	}
	return err
}
