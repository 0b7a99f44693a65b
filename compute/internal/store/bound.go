package store

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file in the store's folder.
type entry struct {
	path string
	size int64
	used time.Time
}

// bound records that bytes were added, and deletes entries if the folder has too many. It measures
// the folder when its own total says that the folder is full, and from time to time, because other
// processes add to it as well: each of them can exceed the limit by at most a 16th until it
// measures again.
func (s *Store) bound(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += size
	s.added += size
	if s.counted && s.total <= s.max && s.added < s.max/16 {
		return
	}
	s.counted, s.added = true, 0
	s.sweepTemps()
	entries := s.entries()
	s.total = 0
	for _, e := range entries {
		s.total += e.size
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, e := range entries {
		if s.total <= s.max {
			break
		}
		if s.remove(e.path) {
			s.total -= e.size
			s.evicted.Add(1)
		}
	}
}

// entries lists the entries of the folder, and no other files.
func (s *Store) entries() (all []entry) {
	now := s.now()
	for i := range 256 {
		dir := s.folder(Key{byte(i)})
		list, err := readFolder(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.unusable("reading the folder", dir, err)
		}
		for _, d := range list {
			if k, _, ok := parse(d.Name()); !ok || k[0] != byte(i) || !d.Type().IsRegular() {
				continue
			}
			info, err := d.Info()
			if err != nil { // another process has just removed it
				continue
			}
			path, used := filepath.Join(dir, d.Name()), info.ModTime()
			if used.After(now) { // a clock was wrong; otherwise the entry would never be evicted
				used = now
				if err := os.Chtimes(path, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
					s.failed("correcting the time of", path, err)
				}
			}
			all = append(all, entry{path, info.Size(), used})
		}
	}
	return all
}

// sweepTemps deletes the remains of writers that died long ago.
func (s *Store) sweepTemps() {
	temp := filepath.Join(s.dir, tempDir)
	list, err := os.ReadDir(temp)
	if err != nil {
		s.failed("reading the folder", temp, err)
	}
	for _, d := range list {
		info, err := d.Info()
		if err != nil || !strings.HasPrefix(d.Name(), tempPrefix) || s.now().Sub(info.ModTime()) < staleTemp {
			continue
		}
		path := filepath.Join(temp, d.Name())
		if err := os.RemoveAll(path); err != nil {
			s.failed("deleting", path, err)
		}
	}
}
