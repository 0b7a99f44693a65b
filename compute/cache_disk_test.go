package compute

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// archives lists the files of a disk cache.
func archives(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "??", "*.archive"))
	require.NoError(t, err)
	return list
}

// usesDisk opens an accelerator with a disk cache, runs both kernels, and returns what the disk
// did.
func usesDisk(t testing.TB, dir string, options ...Option) DiskCacheStats {
	t.Helper()
	a := accelerator(t, append([]Option{WithDiskCache(dir, 1<<20)}, options...)...)
	p := compile(t, a, scaled, CompileOptions{})
	defer p.Close()
	assert.EqualValues(t, 10, runs(t, a, kernel(t, p, "twice"), 5))
	k := kernel(t, p, "times", Constant{Name: "scale", Value: float32(3)})
	assert.EqualValues(t, 15, runs(t, a, k, 5))
	assert.Len(t, k.Parameters(), 1)
	_, err := p.Kernel("none")
	require.ErrorIs(t, err, ErrNoKernel)
	return a.CacheStats().Disk
}

// programs is how many archives usesDisk leaves for its program: only those of the software device
// can have one.
func programs(t testing.TB) uint64 {
	t.Helper()
	list, err := Devices()
	require.NoError(t, err)
	if list[0].Software {
		return 1
	}
	return 0
}

// written is what usesDisk does where nothing is, and found where all is. One of the misses is the
// kernel that is not.
func written(t testing.TB) DiskCacheStats {
	return DiskCacheStats{Misses: 3, Written: 2 + programs(t)}
}

func found(t testing.TB) DiskCacheStats {
	return DiskCacheStats{Programs: programs(t), Hits: 2, Misses: 1}
}

func TestDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	assert.Equal(t, written(t), usesDisk(t, dir))
	assert.Len(t, archives(t, dir), 2+int(programs(t)))
	assert.Equal(t, found(t), usesDisk(t, dir))

	// Another program, other constants.
	a := accelerator(t, WithDiskCache(dir, 1<<20))
	p := compile(t, a, scaled, CompileOptions{PreciseFunctions: true})
	defer p.Close()
	kernel(t, p, "twice")
	q := compile(t, a, scaled, CompileOptions{})
	defer q.Close()
	kernel(t, q, "times", Constant{Name: "scale", Value: float32(4)})
	kernel(t, q, "twice")
	assert.Equal(t, DiskCacheStats{Programs: programs(t), Hits: 1, Misses: 2, Written: 2 + programs(t)},
		a.CacheStats().Disk)
}

// TestDiskStatsMeanwhile: while a pipeline of the disk's is on its way to the call that asked for
// it, there is one miss less, but never less than none.
func TestDiskStatsMeanwhile(t *testing.T) {
	a := accelerator(t, WithDiskCache(t.TempDir(), 1<<20))
	a.cache.diskPipelines.Add(1)
	assert.Equal(t, DiskCacheStats{Hits: 1}, a.CacheStats().Disk)
}

// TestDiskDefault: "" is the user's cache folder.
func TestDiskDefault(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	user, err := os.UserCacheDir()
	require.NoError(t, err)
	usesDisk(t, "")
	assert.Len(t, archives(t, filepath.Join(user, "puremetal")), 2+int(programs(t)))

	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	var text bytes.Buffer
	assert.Zero(t, usesDisk(t, "", WithLogger(slog.New(slog.NewTextHandler(&text, nil)))))
	assert.Contains(t, text.String(), "no folder for the kernel cache")
}

// TestDiskDamage: files that are damaged, or whole and no archive, are told of, deleted and made
// again; the kernels work all the while.
func TestDiskDamage(t *testing.T) {
	// flip changes a bit at a part of the file, in percent: what it says of itself, of libraries,
	// source, code.
	flip := func(percent int) func(string) error {
		return func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil || len(data) == 0 {
				return err
			}
			data[(len(data)-1)*percent/100] ^= 8
			return os.WriteFile(path, data, 0o600)
		}
	}
	for name, damage := range map[string]func(path string) error{
		"truncated": func(p string) error { return os.Truncate(p, 5) },
		"empty":     func(p string) error { return os.Truncate(p, 0) },
		"foreign":   func(p string) error { return os.WriteFile(p, []byte("this is no archive"), 0o600) },
		"at 0%":     flip(0),
		"at 3%":     flip(3),
		"at 20%":    flip(20),
		"at 50%":    flip(50),
		"at 80%":    flip(80),
		"at 100%":   flip(100),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			usesDisk(t, dir)
			for _, f := range archives(t, dir) {
				require.NoError(t, damage(f))
			}
			var text bytes.Buffer
			got := usesDisk(t, dir, WithLogger(slog.New(slog.NewTextHandler(&text, nil))))
			healed := written(t)
			healed.Healed = healed.Written
			assert.Equal(t, healed, got)
			assert.Contains(t, text.String(), "deleting an entry")
			assert.Equal(t, found(t), usesDisk(t, dir))
		})
	}
}

// publish puts a file under the key of another, as the cache itself would.
func publish(t testing.TB, like string, data []byte) {
	t.Helper()
	var key store.Key
	_, err := hex.Decode(key[:], []byte(filepath.Base(like)[:64]))
	require.NoError(t, err)
	s := store.New(filepath.Dir(filepath.Dir(like)), 1<<20, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, s.Add(key, func(path string) error { return os.WriteFile(path, data, 0o600) }))
}

// TestDiskForged: what others put into the folder, with a name made of its hash, or of a tag that
// they cannot make, is deleted and not run.
func TestDiskForged(t *testing.T) {
	dir, theirs := t.TempDir(), t.TempDir()
	usesDisk(t, dir)
	a := accelerator(t, WithDiskCache(theirs, 1<<20))
	p := compile(t, a, "kernel void twice(device float *x [[buffer(0)]]) { x[0] = 666; }", CompileOptions{})
	defer p.Close()
	kernel(t, p, "twice")
	evil := archives(t, theirs)[0]
	data, err := os.ReadFile(evil)
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	ours := archives(t, dir)
	for i, f := range ours {
		require.NoError(t, os.Remove(f))
		tag := []string{hex.EncodeToString(sum[:]), strings.TrimSuffix(filepath.Base(evil)[65:], ".archive")}[i%2]
		name := filepath.Base(f)[:65] + tag + ".archive"
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(f), name), data, 0o600))
	}
	healed := written(t)
	healed.Healed = uint64(len(ours))
	assert.Equal(t, healed, usesDisk(t, dir))
	assert.Equal(t, found(t), usesDisk(t, dir))
}

// TestDiskShared: a folder that others may write is not used. One line of the log says so, and the
// kernels work.
func TestDiskShared(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing there")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	usesDisk(t, dir)
	require.NoError(t, os.Chmod(dir, 0o777))
	var text bytes.Buffer
	got := usesDisk(t, dir, WithLogger(slog.New(slog.NewTextHandler(&text, nil))))
	assert.Equal(t, DiskCacheStats{Misses: 3, Failures: 1}, got)
	assert.Equal(t, 1, strings.Count(text.String(), "level=WARN"), text.String())
	assert.Contains(t, text.String(), "the folder is not used")
	require.NoError(t, os.Chmod(dir, 0o700))
	assert.Equal(t, found(t), usesDisk(t, dir))
}

// TestDiskRefused: files that the cache has written, and that Metal has no use for: no archive, and
// the archive of another kernel.
func TestDiskRefused(t *testing.T) {
	dir := t.TempDir()
	healed := written(t)
	healed.Healed = healed.Written
	usesDisk(t, dir)
	for _, f := range archives(t, dir) {
		require.NoError(t, os.Remove(f))
		publish(t, f, []byte("this is no archive"))
	}
	assert.Equal(t, healed, usesDisk(t, dir))

	other := t.TempDir()
	a := accelerator(t, WithDiskCache(other, 1<<20))
	p := compile(t, a, scaled, CompileOptions{PreciseFunctions: true})
	defer p.Close()
	kernel(t, p, "twice")
	data, err := os.ReadFile(archives(t, other)[0])
	require.NoError(t, err)
	for _, f := range archives(t, dir) {
		require.NoError(t, os.Remove(f))
		publish(t, f, data)
	}
	// The program's archive can be opened, and is of no use; the source is compiled.
	assert.Equal(t, DiskCacheStats{Programs: programs(t), Misses: 3, Written: 2, Healed: 2}, usesDisk(t, dir))
	assert.Equal(t, found(t), usesDisk(t, dir))
}

// TestDiskVanishes: the folder may go while an accelerator uses it.
func TestDiskVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	a := accelerator(t, WithDiskCache(dir, 1<<20))
	p := compile(t, a, scaled, CompileOptions{})
	defer p.Close()
	kernel(t, p, "twice")
	require.NoError(t, os.RemoveAll(dir))
	k := kernel(t, p, "times", Constant{Name: "scale", Value: float32(3)})
	assert.EqualValues(t, 15, runs(t, a, k, 5))
	assert.Zero(t, a.CacheStats().Disk.Failures)
	assert.Len(t, archives(t, dir), 1)
}

// TestDiskFails: where the folder cannot be written, all works without it.
func TestDiskFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	var text bytes.Buffer
	got := usesDisk(t, filepath.Join(file, "cache"), WithLogger(slog.New(slog.NewTextHandler(&text, nil))))
	assert.EqualValues(t, 3, got.Misses)
	assert.Zero(t, got.Written)
	assert.Positive(t, got.Failures)
	assert.Contains(t, text.String(), "storing a kernel on disk failed")
}

// envDisk has the folder for the process that TestDiskProcesses starts.
const envDisk = "PUREMETAL_TEST_DISK_CACHE"

// TestDiskHelper is what the other process runs.
func TestDiskHelper(t *testing.T) {
	if dir := os.Getenv(envDisk); dir != "" {
		fmt.Printf("disk: %+v\n", usesDisk(t, dir))
	}
}

// TestDiskProcesses: what one process has made, another finds.
func TestDiskProcesses(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []DiskCacheStats{written(t), found(t)} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskHelper$")
		c.Env = append(os.Environ(), envDisk+"="+dir)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), fmt.Sprintf("disk: %+v\n", want))
	}
	assert.Equal(t, found(t), usesDisk(t, dir))
}
