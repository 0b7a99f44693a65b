package bindgen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Software returns the part of the result that belongs to the package of the software device, to be
// written to its folder.
func (r *Result) Software() *Result { return &Result{Files: r.Soft} }

// Stale returns the names of the files in dir that differ from the generated ones, are missing, or
// are generated files that no run produces any longer.
func (r *Result) Stale(dir string) ([]string, error) {
	var out []string
	for _, name := range sortedKeys(r.Files) {
		have, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out = append(out, name+" (missing)")
		case err != nil:
			return nil, err
		case !bytes.Equal(toUnix(have), r.Files[name]):
			out = append(out, name)
		}
	}
	old, err := r.orphans(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		out = append(out, name+" (no longer generated)")
	}
	return out, nil
}

// toUnix undoes the line ends of a checkout on Windows.
func toUnix(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// Write writes the generated files to dir and removes those of earlier runs that are no longer
// made.
func (r *Result) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range sortedKeys(r.Files) {
		if err := os.WriteFile(filepath.Join(dir, name), r.Files[name], 0o666); err != nil {
			return fmt.Errorf("write bindings: %w", err)
		}
	}
	old, err := r.orphans(dir)
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("remove old bindings: %w", err)
		}
	}
	return nil
}

// orphans lists z*.go files in dir that carry the generator's header and are not in r.
func (r *Result) orphans(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "z*.go"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range names {
		name := filepath.Base(path)
		if r.Files[name] != nil {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(toUnix(b)), header) {
			out = append(out, name)
		}
	}
	return out, nil
}
