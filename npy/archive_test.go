package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// archive returns a zip file of entries, as numpy.savez_compressed writes them.
func archive(t *testing.T, names []string, data ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range names {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write(data[i])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func readArchive(data []byte, o ArchiveOptions) ([]Entry, error) {
	return ReadArchive(bytes.NewReader(data), int64(len(data)), o)
}

func TestArchive(t *testing.T) {
	w, err := Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	empty, err := Of([]int8{}, 0, 4)
	require.NoError(t, err)
	want := []Entry{{"layer/w", w}, {"arr_0", empty}}
	name := filepath.Join(t.TempDir(), "a.npz")
	require.NoError(t, WriteArchiveFile(name, want...))
	got, err := ReadArchiveFile(name, ArchiveOptions{})
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, want[0], got[0])
	assert.Equal(t, "arr_0", got[1].Name)
	assert.Equal(t, []int{0, 4}, got[1].Array.Shape)

	// The entries are complete files, stored without compression.
	z, err := zip.OpenReader(name)
	require.NoError(t, err)
	defer z.Close()
	assert.Equal(t, "layer/w.npy", z.File[0].Name)
	assert.Equal(t, zip.Store, z.File[0].Method)

	one := file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 1, 2)
	compressed, err := readArchive(archive(t, []string{"x.npy"}, one), ArchiveOptions{MaxEntries: 1, MaxBytes: 2})
	require.NoError(t, err)
	assert.Equal(t, []Entry{{"x", &Array{Uint8, []int{2}, []byte{1, 2}}}}, compressed)
	none, err := readArchive(archive(t, nil), ArchiveOptions{})
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestArchiveWrong(t *testing.T) {
	one := file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 1, 2)
	huge := file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }", 1)
	// Eight megabytes of zeros take a few kilobytes.
	bomb := file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (8388608,), }", make([]byte, 8<<20)...)
	corrupt := archive(t, []string{"x.npy"}, one)
	at := bytes.Index(corrupt, []byte("PK\x01\x02")) + 16
	binary.LittleEndian.PutUint32(corrupt[at:], ^binary.LittleEndian.Uint32(corrupt[at:]))
	if at = bytes.Index(corrupt, []byte("PK\x07\x08")) + 4; at >= 4 {
		binary.LittleEndian.PutUint32(corrupt[at:], ^binary.LittleEndian.Uint32(corrupt[at:]))
	}
	secret := archive(t, []string{"x.npy"}, one)
	secret[bytes.Index(secret, []byte("PK\x01\x02"))+8] |= 1
	for want, c := range map[string]struct {
		data []byte
		o    ArchiveOptions
		kind error
	}{
		"not a valid zip file":                       {one, ArchiveOptions{}, ErrFormat},
		`entry "x.txt": npy: not a .npy file: its n`: {archive(t, []string{"x.txt"}, one), ArchiveOptions{}, ErrFormat},
		`entry "y.npy": npy: not a .npy file: there are two`: {
			archive(t, []string{"x.npy", "y.npy", "y.npy"}, one, one, one), ArchiveOptions{}, ErrFormat},
		`entry "x.npy": npy: not a .npy file: there is data after`: {
			archive(t, []string{"x.npy"}, append(one, 3)), ArchiveOptions{}, ErrFormat},
		`entry "x.npy": npy: not a .npy file: the file ends`: {
			archive(t, []string{"x.npy"}, one[:9]), ArchiveOptions{}, ErrFormat},
		`entry "x.npy": npy: not a .npy file: zip: checksum error`: {corrupt, ArchiveOptions{}, ErrFormat},
		`entry "x.npy": npy: not a .npy file: it is encrypted`:     {secret, ArchiveOptions{}, ErrFormat},
		`2 entries; the limit is 1`: {archive(t, []string{"x.npy", "y.npy"}, one, one),
			ArchiveOptions{MaxEntries: 1}, ErrLimit},
		`[2] of u1 needs 2 bytes, which exceed the 1 left`: {archive(t, []string{"x.npy", "y.npy"}, one, one),
			ArchiveOptions{MaxBytes: 3}, ErrLimit},
		"needs 8388608 bytes": {archive(t, []string{"b.npy"}, bomb),
			ArchiveOptions{MaxBytes: 1 << 20}, ErrLimit},
		"needs 4000000000000 bytes, which exceed the 4": {archive(t, []string{"h.npy"}, huge), ArchiveOptions{},
			ErrLimit},
		"limits are at least 0": {nil, ArchiveOptions{MaxBytes: -1}, ErrLimit},
	} {
		_, err := readArchive(c.data, c.o)
		if assert.ErrorIs(t, err, c.kind, want) {
			assert.ErrorContains(t, err, want)
		}
	}
	name := filepath.Join(t.TempDir(), "a.npz")
	require.NoError(t, os.WriteFile(name, archive(t, []string{"x.npy"}, huge), 0o666))
	_, err := ReadArchiveFile(name, ArchiveOptions{})
	assert.ErrorContains(t, err, name+`: entry "x.npy": npy: limit exceeded`)
	_, err = ReadArchiveFile(name+"x", ArchiveOptions{})
	assert.ErrorIs(t, err, os.ErrNotExist)

	// An invalid entry leaves the file as it was.
	good := &Array{Uint8, []int{1}, []byte{1}}
	for want, c := range map[string]struct {
		entries []Entry
		kind    error
	}{
		"number 1 has no name":           {[]Entry{{"a", good}, {"", good}}, ErrFormat},
		`entry "a": npy: not a`:          {[]Entry{{"a", good}, {"a", good}}, ErrFormat},
		`entry "b": npy: wrong shape`:    {[]Entry{{"b", &Array{Uint8, []int{2}, []byte{1}}}}, ErrShape},
		`entry "c": npy: the array is n`: {[]Entry{{"c", nil}}, nil},
	} {
		err := WriteArchiveFile(name, c.entries...)
		assert.ErrorContains(t, err, name+": entry ")
		assert.ErrorContains(t, err, want)
		if c.kind != nil {
			assert.ErrorIs(t, err, c.kind)
		}
		assert.Error(t, WriteArchive(&bytes.Buffer{}, c.entries...))
	}
	left, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, archive(t, []string{"x.npy"}, huge), left)
}

// FuzzReadArchive: any input gives arrays or an error.
func FuzzReadArchive(f *testing.F) {
	var b bytes.Buffer
	if err := WriteArchive(&b, Entry{"x", &Array{Uint8, []int{2}, []byte{1, 2}}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := readArchive(data, ArchiveOptions{MaxBytes: 1 << 20, MaxEntries: 100})
		total := 0
		for _, e := range entries {
			total += len(e.Array.Data)
		}
		if total > 1<<20 || err != nil && entries != nil {
			t.Fatalf("%d bytes, %v", total, err)
		}
	})
}
