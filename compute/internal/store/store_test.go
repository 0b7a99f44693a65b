package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock is a time that tests move.
type clock struct{ seconds atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_000_000_000+c.seconds.Add(1), 0) }

func (c *clock) pass(d time.Duration) { c.seconds.Add(int64(d / time.Second)) }

func keyOf(n int) Key { return sha256.Sum256(fmt.Append(nil, n)) }

// content is what the tests keep under a key.
func content(n, size int) []byte { return bytes.Repeat(fmt.Append(nil, n, ";"), size)[:size] }

func writes(data []byte) func(string) error {
	return func(path string) error { return os.WriteFile(path, data, 0o600) }
}

// rig is a store with its log.
type rig struct {
	*Store
	t     testing.TB
	clock *clock
	text  *bytes.Buffer
}

func newRig(t testing.TB, dir string, max int64) rig {
	r := rig{t: t, clock: &clock{}, text: &bytes.Buffer{}}
	r.Store = New(dir, max, r.clock.now, slog.New(slog.NewTextHandler(r.text, nil)))
	return r
}

// pathOf is where Open finds a key.
func pathOf(s *Store, k Key) (string, bool) {
	f, ok := s.Open(k)
	return f.Path, ok
}

func (r rig) add(n, size int) {
	r.t.Helper()
	require.NoError(r.t, r.Add(keyOf(n), writes(content(n, size))))
}

// has reports whether a key is there; what is there must be right.
func (r rig) has(n, size int) bool {
	r.t.Helper()
	file, ok := r.Open(keyOf(n))
	if ok {
		data, err := os.ReadFile(file.Path)
		require.NoError(r.t, err)
		require.Equal(r.t, content(n, size), data)
	}
	return ok
}

// bytes is how much is in the store's entries.
func (r rig) bytes() (n int64) {
	for _, e := range r.entries() {
		n += e.size
	}
	return n
}

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	r := newRig(t, dir, 1000)
	assert.False(t, r.has(1, 100))
	require.NoDirExists(t, dir, "made before there is an entry")
	r.add(1, 100)
	assert.True(t, r.has(1, 100))
	assert.False(t, r.has(2, 100))
	r.add(1, 100)
	assert.True(t, newRig(t, dir, 1000).has(1, 100), "another store finds it")
	left, err := os.ReadDir(filepath.Join(dir, tempDir))
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Equal(t, Stats{Hits: 1, Misses: 2, Written: 2}, r.Stats())
	assert.Empty(t, r.text.String())
}

// TestDamage damages the file of an entry in each way: it is deleted, told of, and can be made
// again.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"changed": func(p string) error {
			f, err := os.OpenFile(p, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("!"), 50)
			return errors.Join(err, f.Close())
		},
		"truncated": func(p string) error { return os.Truncate(p, 99) },
		"empty":     func(p string) error { return os.Truncate(p, 0) },
		"longer":    func(p string) error { return os.Truncate(p, 101) },
		"huge":      func(p string) error { return os.Truncate(p, 2000) },
		"foreign":   func(p string) error { return os.WriteFile(p, []byte("something else"), 0o600) },
		"folder":    func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, t.TempDir(), 1000)
			r.add(1, 100)
			r.add(2, 100)
			path, ok := pathOf(r.Store, keyOf(1))
			require.True(t, ok)
			require.NoError(t, damage(path))
			assert.False(t, r.has(1, 100))
			require.NoFileExists(t, path)
			assert.Contains(t, r.text.String(), path)
			assert.EqualValues(t, 1, r.Stats().Healed)
			assert.True(t, r.has(2, 100))
			r.add(1, 100)
			assert.True(t, r.has(1, 100))
			assert.Zero(t, r.Stats().Failures)
		})
	}
}

// TestDamagedAnywhere changes each bit of an entry, and each letter of its name.
func TestDamagedAnywhere(t *testing.T) {
	r := newRig(t, t.TempDir(), 1000)
	for bit := range 30 * 8 {
		r.add(1, 30)
		path, ok := pathOf(r.Store, keyOf(1))
		require.True(t, ok)
		data := content(1, 30)
		data[bit/8] ^= 1 << (bit % 8)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.False(t, r.has(1, 30), "bit %d", bit)
		require.NoFileExists(t, path)
	}
	assert.EqualValues(t, 30*8, r.Stats().Healed)
	r.add(1, 30)
	path, ok := pathOf(r.Store, keyOf(1))
	require.True(t, ok)
	name := []byte(filepath.Base(path))
	for i := range name {
		other := bytes.Clone(name)
		other[i] = 'x'
		moved := filepath.Join(filepath.Dir(path), string(other))
		require.NoError(t, os.Rename(path, moved))
		require.False(t, r.has(1, 30), "%s", other)
		if os.Rename(moved, path) != nil { // it stood for other content, and has been deleted
			r.add(1, 30)
		}
	}
}

// TestVanished: the folder may go at any time, also while an entry is being written.
func TestVanished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	r := newRig(t, dir, 1000)
	r.add(1, 100)
	require.NoError(t, os.RemoveAll(dir))
	assert.False(t, r.has(1, 100))
	r.add(1, 100)
	assert.True(t, r.has(1, 100))

	err := r.Add(keyOf(2), func(path string) error {
		return errors.Join(os.WriteFile(path, content(2, 100), 0o600), os.RemoveAll(dir))
	})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.False(t, r.has(2, 100))
	r.add(2, 100)
	assert.True(t, r.has(2, 100))

	require.NoError(t, os.RemoveAll(r.folder(keyOf(2))))
	assert.False(t, r.has(2, 100))
	assert.EqualValues(t, 1, r.Stats().Failures)
}

// TestTwoFiles: two writers published different files under one key, and one is damaged.
func TestTwoFiles(t *testing.T) {
	r := newRig(t, t.TempDir(), 1000)
	require.NoError(t, r.Add(keyOf(1), writes(content(7, 50))))
	first, ok := pathOf(r.Store, keyOf(1))
	require.True(t, ok)
	r.add(1, 100)
	require.NoError(t, os.WriteFile(first, []byte("x"), 0o600))
	assert.True(t, r.has(1, 100))
}

// TestBound: what was used longest ago goes when there is no room; what is not an entry does not
// count and stays.
func TestBound(t *testing.T) {
	dir := t.TempDir()
	r := newRig(t, dir, 1000)
	for n := range 10 {
		r.add(n, 100)
	}
	foreign := []string{
		filepath.Join(dir, "notes.txt"), filepath.Join(r.folder(keyOf(3)), "notes"+suffix),
		filepath.Join(r.folder(keyOf(3)), "short-name"+suffix), filepath.Join(dir, tempDir, "notes.txt"),
	}
	for _, f := range foreign {
		require.NoError(t, os.WriteFile(f, make([]byte, 5000), 0o600))
		require.NoError(t, os.Chtimes(f, time.Unix(1, 0), time.Unix(1, 0)))
	}
	require.True(t, r.has(0, 100)) // now 1 is the oldest
	r.add(10, 150)
	for n := range 10 {
		assert.Equal(t, n != 1 && n != 2, r.has(n, 100), "entry %d", n)
	}
	assert.True(t, r.has(10, 150))
	assert.EqualValues(t, 2, r.Stats().Evicted)

	// Another store on the folder bounds what it did not write itself.
	small := newRig(t, dir, 400)
	small.clock.pass(time.Hour)
	small.add(11, 100)
	assert.LessOrEqual(t, small.bytes(), int64(400))
	assert.True(t, small.has(11, 100))
	assert.True(t, small.has(10, 150), "used last before")

	require.ErrorIs(t, r.Add(keyOf(12), writes(make([]byte, 1001))), errDamaged, "longer than all")
	for _, f := range foreign {
		require.FileExists(t, f)
	}
}

// TestFuture: an entry of a clock that was wrong can still go.
func TestFuture(t *testing.T) {
	r := newRig(t, t.TempDir(), 250)
	r.add(1, 100)
	path, ok := pathOf(r.Store, keyOf(1))
	require.True(t, ok)
	future := r.clock.now().Add(1000 * time.Hour)
	require.NoError(t, os.Chtimes(path, future, future))
	r.add(2, 100)
	r.clock.pass(time.Hour)
	require.True(t, r.has(2, 100))
	r.clock.pass(time.Hour)
	r.add(3, 100)
	assert.Len(t, r.entries(), 2)
	r.add(4, 100)
	r.add(5, 100)
	for _, e := range r.entries() {
		assert.NotEqual(t, path, e.path)
	}
}

// TestWriters: a writer that fails publishes nothing, nor does one that writes nothing.
func TestWriters(t *testing.T) {
	r := newRig(t, t.TempDir(), 1000)
	broken := errors.New("broken")
	require.ErrorIs(t, r.Add(keyOf(1), func(path string) error {
		return errors.Join(os.WriteFile(path, []byte("half"), 0o600), broken)
	}), broken)
	require.ErrorIs(t, r.Add(keyOf(1), func(string) error { return nil }), os.ErrNotExist)
	require.ErrorIs(t, r.Add(keyOf(1), writes(nil)), errDamaged)
	assert.False(t, r.has(1, 4))
	assert.Empty(t, r.entries())
	assert.EqualValues(t, 3, r.Stats().Failures)
	left, err := os.ReadDir(filepath.Join(r.dir, tempDir))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestNoFolder: where the folder cannot be, nothing works and nothing breaks.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	r := newRig(t, filepath.Join(file, "cache"), 1000)
	assert.False(t, r.has(1, 1))
	require.Error(t, r.Add(keyOf(1), writes(content(1, 1))))
	assert.False(t, r.has(1, 1))
}

// TestManyStores: goroutines with stores of their own add and read in one folder that has too
// little room.
func TestManyStores(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			s := New(dir, 1000, (&clock{}).now, slog.New(slog.DiscardHandler))
			for i := range 60 {
				n := (i*5 + g*3) % 20
				work(t, s, n)
			}
			assert.Zero(t, s.Stats().Healed)
		})
	}
	all.Wait()
	r := newRig(t, dir, 1000)
	r.clock.pass(time.Hour)
	r.add(100, 100)
	assert.LessOrEqual(t, r.bytes(), int64(1000))
}

// work looks a key up and adds it where it is missing. What is found is right, or has just gone.
func work(t testing.TB, s *Store, n int) {
	path, ok := pathOf(s, keyOf(n))
	if !ok {
		assert.NoError(t, s.Add(keyOf(n), writes(content(n, 100))))
		return
	}
	data, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		assert.NoError(t, err)
		assert.Equal(t, content(n, 100), data)
	}
}
