package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/machine"
)

// secret is the HMAC key of the tags. It is a file in the store's folder, and is read again for
// each use, because the folder may have been deleted and recreated by another process.
type secret [32]byte

// secretFile is the file's name.
const secretFile = "secret"

// secret returns the folder's secret. The error is fs.ErrNotExist if there is none yet, and wraps
// machine.ErrShared if others can write to the folder, or can read or write the secret.
func (s *Store) secret() (k secret, err error) {
	if err := machine.PrivateFolder(s.dir); err != nil {
		return k, err
	}
	path := filepath.Join(s.dir, secretFile)
	info, err := os.Lstat(path)
	if err == nil {
		err = machine.PrivateSecret(path, info)
	}
	if err != nil {
		return k, err
	}
	// Anything else is not opened, or reading it might never end.
	if !info.Mode().IsRegular() || info.Size() != int64(len(k)) {
		return k, fmt.Errorf("%s is a %v of %d bytes, want a file of %d: %w", path, info.Mode(), info.Size(), len(k),
			errDamaged)
	}
	data, err := document.Kind{Name: "the secret", Size: int64(len(k))}.ReadFile(path)
	if err == nil && len(data) != len(k) {
		err = fmt.Errorf("%s has %d bytes, want %d: %w", path, len(data), len(k), errDamaged)
	}
	copy(k[:], data)
	return k, err
}

// makeSecret is secret, but creates folder and secret if they are missing. If several processes do
// so at the same time, all get the secret of the first.
func (s *Store) makeSecret() (secret, error) {
	k, err := s.secret()
	switch {
	case errors.Is(err, errDamaged): // entries made with it are lost
		if err := os.Remove(filepath.Join(s.dir, secretFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return k, err
	}
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return k, err
	}
	if err := machine.PrivateFolder(s.dir); err != nil {
		return k, err
	}
	if err := s.writeSecret(); err != nil && !errors.Is(err, fs.ErrExist) {
		return k, err
	}
	return s.secret()
}

// writeSecret creates the secret atomically. It never replaces an existing one.
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
	// The file system has no hard links, so create the file in place. A process that dies before
	// writing it leaves a short file, which the next one replaces.
	g, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = g.Write(k[:])
	return errors.Join(err, g.Close())
}
