package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/private"
)

// secret is the key of the tags. It is a file in the store's folder, and each use reads it again:
// the folder may have gone meanwhile, and been made anew by another process.
type secret [32]byte

// secretFile is the file's name.
const secretFile = "secret"

// secret returns the folder's secret. The error is fs.ErrNotExist if there is none yet, and wraps
// private.ErrShared if others may write the folder or the secret, or read the secret.
func (s *Store) secret() (k secret, err error) {
	if err := private.Folder(s.dir); err != nil {
		return k, err
	}
	path := filepath.Join(s.dir, secretFile)
	info, err := os.Lstat(path)
	if err == nil {
		err = private.Secret(path, info)
	}
	if err != nil {
		return k, err
	}
	data, err := os.ReadFile(path)
	if err == nil && len(data) != len(k) {
		err = fmt.Errorf("%s has %d bytes, want %d: %w", path, len(data), len(k), errDamaged)
	}
	copy(k[:], data)
	return k, err
}

// makeSecret is secret, and makes folder and secret where they are missing. Of several processes
// that do so at once, all get the secret of the first.
func (s *Store) makeSecret() (secret, error) {
	k, err := s.secret()
	switch {
	case errors.Is(err, errDamaged): // what it has made is of no use any more
		if err := os.Remove(filepath.Join(s.dir, secretFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return k, err
	}
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return k, err
	}
	if err := private.Folder(s.dir); err != nil {
		return k, err
	}
	if err := s.writeSecret(); err != nil && !errors.Is(err, fs.ErrExist) {
		return k, err
	}
	return s.secret()
}

// writeSecret makes the secret. It appears whole or not at all, and never replaces another.
func (s *Store) writeSecret() (err error) {
	var k secret
	rand.Read(k[:])                                     // never fails
	f, err := os.CreateTemp(s.dir, "."+secretFile+"-*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.Write(k[:])
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	path := filepath.Join(s.dir, secretFile)
	if err = os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without hard links: the file is made in place. A process that dies before it has
	// written leaves a short one, which the next replaces.
	g, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = g.Write(k[:])
	return errors.Join(err, g.Close())
}
